// See load_primitive.h.
#include "mlx/io/load_primitive.h"

#include <algorithm>

#include "mlx/core/node.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {

void Load::evaluate(std::span<const array>, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  char* data = out.data<char>();
  reader_->read(data, out.nbytes(), offset_);
  if (swap_endianness_) {
    const size_t width = out.dtype() == complex64 ? sizeof(float) : out.itemsize();
    for (size_t i = 0; width > 1 && i + width <= out.nbytes(); i += width) {
      std::reverse(data + i, data + i + width);
    }
  }
}

array load_array(const Shape& shape, Dtype dtype, std::shared_ptr<io::Reader> reader, size_t offset,
                 bool swap_endianness, const Stream& s) {
  return make_array(shape, dtype,
                    std::make_shared<Load>(s, std::move(reader), offset, swap_endianness),
                    std::span<array>());
}

array dense(array a) {
  array copy = contiguous(a);
  copy.eval();
  return copy;
}

std::string with_extension(std::string file, const std::string& extension) {
  if (file.size() < extension.size() ||
      file.compare(file.size() - extension.size(), extension.size(), extension) != 0) {
    file += extension;
  }
  return file;
}

}  // namespace mlx::core
