// Strided access for authors of primitives: where an element lies, which
// dimensions collapse, what is contiguous. Upstream's header of that name
// without its GPU grid helpers.
#pragma once

#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"

namespace mlx::core {

/// The directory of the file that holds the library (or the program linked with it).
MLX_API std::filesystem::path current_binary_dir();

/// Offset, in elements, of the row-major linear index `elem`.
inline int64_t elem_to_loc(int64_t elem, const Shape& shape, const Strides& strides) {
  int64_t loc = 0;
  for (size_t i = shape.size(); i-- > 0;) {
    loc += (elem % shape[i]) * strides[i];
    elem /= shape[i];
  }
  return loc;
}

inline int64_t elem_to_loc(int64_t elem, const array& a) {
  return a.flags().row_contiguous ? elem : elem_to_loc(elem, a.shape(), a.strides());
}

/// Strides of a row-major array.
inline Strides make_contiguous_strides(const Shape& shape) {
  return row_major_strides(shape);
}

/// Drops dimensions of size 1 and merges neighbours that are contiguous in every
/// stride set; no merged dimension exceeds `size_cap`. A shape of ones becomes
/// {1} with stride 0.
MLX_API std::tuple<Shape, std::vector<Strides>> collapse_contiguous_dims(
    const Shape& shape, const std::vector<Strides>& strides,
    int64_t size_cap = std::numeric_limits<int32_t>::max());

/// The arrays have one shape.
inline std::tuple<Shape, std::vector<Strides>> collapse_contiguous_dims(
    const std::vector<array>& xs, size_t size_cap = std::numeric_limits<int32_t>::max()) {
  std::vector<Strides> strides;
  for (const array& x : xs) {
    strides.push_back(x.strides());
  }
  return collapse_contiguous_dims(xs[0].shape(), strides, static_cast<int64_t>(size_cap));
}

template <typename... Arrays, typename = enable_for_arrays_t<Arrays...>>
inline auto collapse_contiguous_dims(Arrays&&... xs) {
  return collapse_contiguous_dims(std::vector<array>{std::forward<Arrays>(xs)...});
}

MLX_API std::pair<Shape, Strides> collapse_contiguous_dims(
    const Shape& shape, const Strides& strides,
    int64_t size_cap = std::numeric_limits<int32_t>::max());

MLX_API std::pair<Shape, Strides> collapse_contiguous_dims(
    const array& a, int64_t size_cap = std::numeric_limits<int32_t>::max());

/// Walks the element offsets of a strided array in row-major order; `loc` is the
/// current one. Past the last element it starts over.
struct MLX_API ContiguousIterator {
  ContiguousIterator() = default;

  explicit ContiguousIterator(const array& a);

  /// Walks the first `dims` dimensions only.
  explicit ContiguousIterator(const Shape& shape, const Strides& strides, int dims);

  /// Moves to the next element.
  inline void step() {
    for (size_t i = shape_.size(); i-- > 0;) {
      loc += strides_[i];
      if (++pos_[i] < shape_[i]) {
        return;
      }
      loc -= shape_[i] * strides_[i];
      pos_[i] = 0;
    }
  }

  /// Moves `s` elements ahead.
  void step(int64_t s);

  /// Moves to the element of linear index `n`.
  void seek(int64_t n);

  /// Moves to the first element.
  void reset();

  /// Elements next to each other along the innermost dimension; 0 where its
  /// stride is not 1.
  int64_t contiguous_suffix();

  int64_t loc{0};

 private:
  Shape shape_;
  Strides strides_;
  Shape pos_;
};

/// (product of the dimensions with positive stride, row-major, column-major).
inline auto check_contiguity(const Shape& shape, const Strides& strides) {
  size_t data_size = 1;
  int64_t row_stride = 1;
  int64_t col_stride = 1;
  bool row_contiguous = true;
  bool col_contiguous = true;
  for (size_t i = 0, r = shape.size(); i < shape.size(); ++i) {
    --r;
    col_contiguous &= strides[i] == col_stride || shape[i] == 1;
    row_contiguous &= strides[r] == row_stride || shape[r] == 1;
    col_stride *= shape[i];
    row_stride *= shape[r];
    if (strides[i] > 0) {
      data_size *= static_cast<size_t>(shape[i]);
    }
  }
  return std::make_tuple(data_size, row_contiguous, col_contiguous);
}

/// Whether `out` may take over the buffer of `in`: nothing else uses it, and it
/// is not much larger than what `out` needs.
inline bool is_donatable(const array& in, const array& out) {
  constexpr size_t kMostSpareBytes = 16384;
  return in.is_donatable() && in.itemsize() == out.itemsize() &&
         in.buffer_size() <= out.nbytes() + kMostSpareBytes;
}

/// Whether reshaping `in` to the shape of `out` needs a copy, and the strides
/// that show the data of `in` in the new shape where it does not.
MLX_API std::pair<bool, Strides> prepare_reshape(const array& in, const array& out);

/// Makes `out` a view of `in` with strides from prepare_reshape.
MLX_API void shared_buffer_reshape(const array& in, const Strides& out_strides, array& out);

template <typename T, size_t N, typename Allocator>
inline SmallVector<T, N, Allocator> remove_index(SmallVector<T, N, Allocator> vec, size_t index) {
  vec.erase(vec.begin() + index);
  return vec;
}

}  // namespace mlx::core
