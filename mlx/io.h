// Saving and loading arrays: .npy and .safetensors.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/io/load.h"
#include "mlx/stream.h"
#include "mlx/utils.h"

namespace mlx::core {

/// Arrays by name, and the metadata of the file.
using SafetensorsLoad = std::pair<std::unordered_map<std::string, array>,
                                  std::unordered_map<std::string, std::string>>;

/// Writes one array in NumPy's format. The name of a file gets the extension
/// .npy if it lacks it. Throws std::runtime_error where writing fails.
MLX_API void save(std::shared_ptr<io::Writer> out_stream, array a);
MLX_API void save(std::string file, array a);

/// Reads one array in NumPy's format: the header now, the data when evaluated.
/// Throws std::runtime_error for what is no such file and for files that are too
/// short, std::invalid_argument for element types without dtype.
MLX_API array load(std::shared_ptr<io::Reader> in_stream, StreamOrDevice s = {});
MLX_API array load(std::string file, StreamOrDevice s = {});

/// Reads the header of a safetensors file now, the tensors when evaluated. All
/// offsets and sizes are checked against the file first: std::runtime_error.
MLX_API SafetensorsLoad load_safetensors(std::shared_ptr<io::Reader> in_stream,
                                         StreamOrDevice s = {});
MLX_API SafetensorsLoad load_safetensors(const std::string& file, StreamOrDevice s = {});

/// Writes arrays of any dtype but float64. The name of a file gets the extension
/// .safetensors if it lacks it.
MLX_API void save_safetensors(std::shared_ptr<io::Writer> in_stream,
                              std::unordered_map<std::string, array> arrays,
                              std::unordered_map<std::string, std::string> metadata = {});
MLX_API void save_safetensors(std::string file, std::unordered_map<std::string, array> arrays,
                              std::unordered_map<std::string, std::string> metadata = {});

}  // namespace mlx::core
