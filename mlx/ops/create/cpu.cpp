// CPU evaluation of the creation primitives.
#include <type_traits>

#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/dtype_utils.h"
#include "mlx/ops/create/primitives.h"
#include "mlx/ops/errors.h"

namespace mlx::core {

namespace {

// Integers count in 64-bit modular arithmetic, 16-bit and complex floats in
// float32, as NumPy does.
template <typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, double>, double,
                                       std::conditional_t<std::is_integral_v<T>, uint64_t, float>>;

template <typename T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    // Only a step beyond the range leaves 64 bits, and then its value is not used.
    const bool fits = value >= -0x1p63 && value < 0x1p64;
    return !fits             ? T(0)
           : value >= 0x1p63 ? static_cast<T>(static_cast<uint64_t>(value))
                             : static_cast<T>(static_cast<int64_t>(value));
  } else {
    return static_cast<T>(static_cast<float>(value));
  }
}

template <typename T>
Accumulator<T> widen(T value) {
  if constexpr (std::is_same_v<T, complex64_t>) {
    return value.real();
  } else {
    return static_cast<Accumulator<T>>(value);
  }
}

template <typename T>
void fill_range(T* out, int64_t size, double start, double step) {
  const Accumulator<T> first = widen(from_double<T>(start));
  const Accumulator<T> difference =
      static_cast<Accumulator<T>>(widen(from_double<T>(start + step)) - first);
  parallel_for(size, 0.5, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      out[i] = static_cast<T>(first + static_cast<Accumulator<T>>(i) * difference);
    }
  });
}

}  // namespace

void Arange::evaluate(std::span<const array>, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  const auto& [start, stop, step] = state();
  dispatch_all_types(out.dtype(), [&](auto tag) {
    using T = MLX_GET_TYPE(tag);
    if constexpr (std::is_same_v<T, bool>) {
      fail("[arange] bool is not supported");
    } else {
      fill_range(out.data<T>(), static_cast<int64_t>(out.size()), start, step);
    }
  });
}

std::vector<Shape> Arange::output_shapes(const std::vector<array>&) {
  const auto& [start, stop, step] = state();
  const double size = step == 0 ? 1 : std::max(std::ceil((stop - start) / step), 0.0);
  return {Shape{static_cast<ShapeElem>(size)}};
}

}  // namespace mlx::core
