// Transposing in 16-byte vectors, for all instruction sets alike: the work is
// bound by how memory is walked. Element types are unsigned integers of the size.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace mlx::core {

/// Elements of a vector, which is the side of a block.
template <typename T>
inline constexpr int transpose_block_size = 16 / sizeof(T);

template <typename T>
struct TransposeVector {
  using type __attribute__((vector_size(16))) = T;
};

template <typename V, typename T, size_t... I>
[[gnu::always_inline]] inline V interleave_low(V a, V b, std::index_sequence<I...>) {
  using Mask __attribute__((vector_size(16))) = std::make_signed_t<T>;
  constexpr int n = transpose_block_size<T>;
  return __builtin_shuffle(a, b, Mask{static_cast<std::make_signed_t<T>>(I / 2 + (I % 2) * n)...});
}
template <typename V, typename T, size_t... I>
[[gnu::always_inline]] inline V interleave_high(V a, V b, std::index_sequence<I...>) {
  using Mask __attribute__((vector_size(16))) = std::make_signed_t<T>;
  constexpr int n = transpose_block_size<T>;
  return __builtin_shuffle(
      a, b, Mask{static_cast<std::make_signed_t<T>>(n / 2 + I / 2 + (I % 2) * n)...});
}

/// rows[i][j] becomes rows[j][i]: log2(n) perfect shuffles of n rows. Unrolled, the
/// rows stay in registers.
template <typename T>
[[gnu::always_inline]] inline void transpose_block(
    typename TransposeVector<T>::type (&rows)[transpose_block_size<T>]) {
  using V = typename TransposeVector<T>::type;
  constexpr int n = transpose_block_size<T>;
  constexpr auto lanes = std::make_index_sequence<n>();
  V shuffled[n];
#pragma GCC unroll 4
  for (int width = n; width > 1; width /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i) {
      shuffled[2 * i] = interleave_low<V, T>(rows[i], rows[i + n / 2], lanes);
      shuffled[2 * i + 1] = interleave_high<V, T>(rows[i], rows[i + n / 2], lanes);
    }
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) {
      rows[i] = shuffled[i];
    }
  }
}

/// to[r * to_stride + k] = from[k * from_stride + r] for r < rows, k < columns.
/// Rows of `from` are read once, whole, and fetched ahead: they lie in different
/// pages, where the hardware does not foresee them.
template <typename T>
void transpose_panel(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t rows,
                     int64_t columns) {
  constexpr int n = transpose_block_size<T>;
  constexpr int64_t line = 64 / sizeof(T);
  constexpr int64_t ahead = 32;
  int64_t k = 0;
  for (; k + n <= columns; k += n) {
    const T* source = from + k * from_stride;
    for (int64_t i = k + ahead; i < k + ahead + n && i < columns; ++i) {
      for (int64_t r = 0; r < rows; r += line) __builtin_prefetch(from + i * from_stride + r);
    }
    int64_t r = 0;
    for (; r + n <= rows; r += n) {
      typename TransposeVector<T>::type block[n];
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) std::memcpy(&block[i], source + i * from_stride + r, 16);
      transpose_block<T>(block);
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) std::memcpy(to + (r + i) * to_stride + k, &block[i], 16);
    }
    for (; r < rows; ++r) {
      for (int i = 0; i < n; ++i) to[r * to_stride + k + i] = source[i * from_stride + r];
    }
  }
  for (; k < columns; ++k) {
    for (int64_t r = 0; r < rows; ++r) to[r * to_stride + k] = from[k * from_stride + r];
  }
}

}  // namespace mlx::core
