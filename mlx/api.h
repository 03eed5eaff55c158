// Export macro of the library; nothing else.
#pragma once

#if defined(MLX_STATIC)
#define MLX_API
#elif defined(_WIN32)
#if defined(MLX_EXPORT)
#define MLX_API __declspec(dllexport)
#else
#define MLX_API __declspec(dllimport)
#endif
#else
#define MLX_API __attribute__((visibility("default")))
#endif
