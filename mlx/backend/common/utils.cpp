// Collapsing of dimensions, strided iteration and reshapes without a copy.
#include "mlx/backend/common/utils.h"

#include <dlfcn.h>

#include <stdexcept>

namespace mlx::core {

std::filesystem::path current_binary_dir() {
  static const std::filesystem::path dir = [] {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void*>(&current_binary_dir), &info)) {
      throw std::runtime_error("[current_binary_dir] the file of the library is unknown");
    }
    return std::filesystem::absolute(info.dli_fname).parent_path();
  }();
  return dir;
}

std::tuple<Shape, std::vector<Strides>> collapse_contiguous_dims(
    const Shape& shape, const std::vector<Strides>& strides, int64_t size_cap) {
  Shape out_shape;
  std::vector<Strides> out_strides(strides.size());
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == 1) {
      continue;
    }
    bool merges = !out_shape.empty();
    int64_t merged = 0;
    if (merges) {
      merges = !__builtin_mul_overflow(out_shape.back(), shape[dim], &merged) && merged <= size_cap;
    }
    for (size_t k = 0; merges && k < strides.size(); ++k) {
      merges = out_strides[k].back() == strides[k][dim] * shape[dim];
    }
    if (merges) {
      out_shape.back() = merged;
    } else {
      out_shape.push_back(shape[dim]);
    }
    for (size_t k = 0; k < strides.size(); ++k) {
      if (merges) {
        out_strides[k].back() = strides[k][dim];
      } else {
        out_strides[k].push_back(strides[k][dim]);
      }
    }
  }
  if (out_shape.empty() && !shape.empty()) {
    out_shape.push_back(1);
    for (Strides& s : out_strides) {
      s.push_back(0);
    }
  }
  return {std::move(out_shape), std::move(out_strides)};
}

std::pair<Shape, Strides> collapse_contiguous_dims(const Shape& shape, const Strides& strides,
                                                   int64_t size_cap) {
  auto [out_shape, out_strides] =
      collapse_contiguous_dims(shape, std::vector<Strides>{strides}, size_cap);
  return {std::move(out_shape), std::move(out_strides[0])};
}

std::pair<Shape, Strides> collapse_contiguous_dims(const array& a, int64_t size_cap) {
  return collapse_contiguous_dims(a.shape(), a.strides(), size_cap);
}

ContiguousIterator::ContiguousIterator(const array& a)
    : ContiguousIterator(a.shape(), a.strides(), static_cast<int>(a.ndim())) {}

ContiguousIterator::ContiguousIterator(const Shape& shape, const Strides& strides, int dims) {
  std::tie(shape_, strides_) = collapse_contiguous_dims(
      Shape(shape.begin(), shape.begin() + dims), Strides(strides.begin(), strides.begin() + dims));
  pos_ = Shape(shape_.size(), 0);
}

void ContiguousIterator::step(int64_t s) {
  int64_t index = 0;
  int64_t size = 1;
  for (size_t i = shape_.size(); i-- > 0;) {
    index += pos_[i] * size;
    size *= shape_[i];
  }
  if (size > 0) {
    seek((index + s) % size);
  }
}

void ContiguousIterator::seek(int64_t n) {
  loc = 0;
  for (size_t i = shape_.size(); i-- > 0;) {
    pos_[i] = n % shape_[i];
    n /= shape_[i];
    loc += pos_[i] * strides_[i];
  }
}

void ContiguousIterator::reset() {
  loc = 0;
  std::fill(pos_.begin(), pos_.end(), 0);
}

int64_t ContiguousIterator::contiguous_suffix() {
  return !shape_.empty() && strides_.back() == 1 ? shape_.back() : 0;
}

std::pair<bool, Strides> prepare_reshape(const array& in, const array& out) {
  if (in.size() == 0 || in.flags().row_contiguous) {
    return {false, row_major_strides(out.shape())};
  }
  // Each collapsed dimension of the input must split into consecutive
  // dimensions of the output.
  const auto [shape, strides] = collapse_contiguous_dims(in, std::numeric_limits<int64_t>::max());
  Strides out_strides(out.ndim(), 0);
  size_t j = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t left = shape[i];
    for (; j < out.ndim() && (left > 1 || out.shape()[j] == 1); ++j) {
      const int64_t length = out.shape()[j];
      if (left % length != 0) {
        return {true, {}};
      }
      left /= length;
      out_strides[j] = left * strides[i];
    }
    if (left != 1) {
      return {true, {}};
    }
  }
  return {false, std::move(out_strides)};
}

void shared_buffer_reshape(const array& in, const Strides& out_strides, array& out) {
  array::Flags flags = in.flags();
  const auto [data_size, row_contiguous, col_contiguous] =
      check_contiguity(out.shape(), out_strides);
  flags.row_contiguous = flags.contiguous && row_contiguous;
  flags.col_contiguous = flags.contiguous && col_contiguous;
  out.copy_shared_buffer(in, out_strides, flags, in.data_size());
}

}  // namespace mlx::core
