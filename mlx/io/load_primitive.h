// The primitive behind lazily loaded arrays.
#pragma once

#include <memory>

#include "mlx/core/primitive.h"
#include "mlx/io/load.h"

namespace mlx::core {

class MLX_API Load : public BuiltinPrimitive {
 public:
  explicit Load(Stream stream, std::shared_ptr<io::Reader> reader, size_t offset,
                bool swap_endianness = false)
      : BuiltinPrimitive(stream),
        reader_(std::move(reader)),
        offset_(offset),
        swap_endianness_(swap_endianness) {}

  DEFINE_NAME(Load)
  bool blocking() const override { return true; }
  void evaluate(std::span<const array> inputs, std::span<array> outputs) override;

 private:
  std::shared_ptr<io::Reader> reader_;
  size_t offset_;
  bool swap_endianness_;
};

/// A lazily loaded row-major array.
array load_array(const Shape& shape, Dtype dtype, std::shared_ptr<io::Reader> reader, size_t offset,
                 bool swap_endianness, const Stream& s);

/// Evaluated, row-major: what a format writes.
array dense(array a);

/// The name with the extension, unless it has it.
std::string with_extension(std::string file, const std::string& extension);

}  // namespace mlx::core
