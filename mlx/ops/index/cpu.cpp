// CPU evaluation of the index primitives. Indices are checked before anything
// is written. Parallel loops never share a place of the output: updates of one
// place are applied in order by one thread.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/dtype_utils.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/index/index_error.h"
#include "mlx/ops/index/primitives.h"
#include "mlx/ops/shape/copy.h"

namespace mlx::core {

namespace {

using Inputs = std::span<const array>;
using Outputs = std::span<array>;

// Dimensions with two sets of strides.
struct Dim {
  int64_t size;
  int64_t dst;
  int64_t src;
};
using Dims = SmallVector<Dim, 8>;

// Drops dimensions of size 1 and merges neighbours that are one run in both.
Dims merge(const Dims& dims) {
  Dims merged;
  for (const Dim& dim : dims) {
    if (dim.size == 1) {
      continue;
    }
    if (!merged.empty() && merged.back().dst == dim.dst * dim.size &&
        merged.back().src == dim.src * dim.size) {
      merged.back() = {merged.back().size * dim.size, dim.dst, dim.src};
    } else {
      merged.push_back(dim);
    }
  }
  return merged;
}

int64_t count_of(const Dims& dims, size_t last) {
  int64_t count = 1;
  for (size_t i = 0; i < last; ++i) {
    count *= dims[i].size;
  }
  return count;
}

struct Offsets {
  int64_t dst = 0;
  int64_t src = 0;
};

// Of the row-major position among the first `last` dimensions.
Offsets offsets_at(const Dims& dims, size_t last, int64_t position) {
  Offsets offsets;
  for (size_t i = last; i-- > 0;) {
    const int64_t index = position % dims[i].size;
    position /= dims[i].size;
    offsets.dst += index * dims[i].dst;
    offsets.src += index * dims[i].src;
  }
  return offsets;
}

[[noreturn]] void fail_index(const std::string& index, int axis, int64_t size) {
  fail<IndexOutOfRange>("[index] index ", index, " is out of range for axis ", axis, " of size ",
                        size);
}

// `index` counted from the front. `room` is what is left of the axis beyond a slice.
template <typename T>
int64_t checked_index(T index, int64_t size, int64_t room, int axis) {
  if constexpr (std::is_signed_v<T>) {
    const int64_t place = index < 0 ? index + size : index;
    if (place < 0 || place > room) [[unlikely]] {
      fail_index(std::to_string(index), axis, size);
    }
    return place;
  } else {
    if (static_cast<uint64_t>(index) > static_cast<uint64_t>(room)) [[unlikely]] {
      fail_index(std::to_string(index), axis, size);
    }
    return static_cast<int64_t>(index);
  }
}

// One index array and the axis of the array it is for.
struct Index {
  const array& values;
  int axis;
  int64_t size;
  int64_t room;
  int64_t stride;
};

// Adds the offsets of the positions [begin, end) in the shape of the indices.
void add_offsets(const Index& index, int64_t begin, int64_t end, int64_t* offsets,
                 int64_t* places = nullptr) {
  dispatch_int_types(index.values.dtype(), "[index]", [&](auto tag) {
    using T = MLX_GET_TYPE(tag);
    const T* data = index.values.data<T>();
    const bool dense = index.values.flags().row_contiguous;
    const Shape& shape = index.values.shape();
    const Strides& strides = index.values.strides();
    for (int64_t i = begin; i < end; ++i) {
      int64_t at = i;
      if (!dense) {
        at = 0;
        int64_t rest = i;
        for (size_t d = shape.size(); d-- > 0;) {
          at += rest % shape[d] * strides[d];
          rest /= shape[d];
        }
      }
      const int64_t place = checked_index(data[at], index.size, index.room, index.axis);
      offsets[i - begin] += place * index.stride;
      if (places != nullptr) {
        places[i - begin] = place;
      }
    }
  });
}

// The offsets of all positions; with `places`, those on the axis of index `key`.
std::vector<int64_t> all_offsets(const std::vector<Index>& indices, int64_t count,
                                 std::vector<int64_t>* places = nullptr, size_t key = 0) {
  std::vector<int64_t> offsets(static_cast<size_t>(count), 0);
  parallel_for(count, 1.5 * static_cast<double>(indices.size()), [&](int64_t begin, int64_t end) {
    for (size_t k = 0; k < indices.size(); ++k) {
      add_offsets(indices[k], begin, end, offsets.data() + begin,
                  places != nullptr && k == key ? places->data() + begin : nullptr);
    }
  });
  return offsets;
}

void check_indices(const std::vector<Index>& indices, int64_t count) {
  parallel_for(count, 1.5 * static_cast<double>(indices.size()), [&](int64_t begin, int64_t end) {
    constexpr int64_t kBlock = 256;
    int64_t ignored[kBlock] = {};
    for (; begin < end; begin += kBlock) {
      for (const Index& index : indices) {
        add_offsets(index, begin, std::min(begin + kBlock, end), ignored);
      }
    }
  });
}

std::vector<Index> index_arrays(Inputs arrays, const std::vector<int>& axes, const array& indexed,
                                const Shape& sizes, const Strides& strides) {
  std::vector<Index> indices;
  for (size_t k = 0; k < axes.size(); ++k) {
    const int axis = axes[k];
    indices.push_back(
        {arrays[k], axis, indexed.shape(axis), indexed.shape(axis) - sizes[axis], strides[axis]});
  }
  return indices;
}

// Calls f with a value of an unsigned type of that many bytes.
template <typename F>
void dispatch_itemsize(size_t itemsize, F&& f) {
  switch (itemsize) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

// dst = combine(dst, src) for one row.
template <typename T, typename Combine>
void combine_row(T* dst, int64_t dst_stride, const T* src, int64_t src_stride, int64_t n,
                 const Combine& combine) {
  int64_t i = 0;
  if (dst_stride == 1 && src_stride == 1) {
    T* __restrict to = dst;
    const T* __restrict from = src;
    // A fixed count inside: the compiler makes vectors of it.
    for (; i + 16 <= n; i += 16) {
      for (int k = 0; k < 16; ++k) {
        to[i + k] = combine(to[i + k], from[i + k]);
      }
    }
  }
  for (; i < n; ++i) {
    dst[i * dst_stride] = combine(dst[i * dst_stride], src[i * src_stride]);
  }
}

struct Replace {
  template <typename T>
  T operator()(T, T update) const {
    return update;
  }
};
struct Sum {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else {
      return static_cast<T>(a + b);
    }
  }
};
struct Prod {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else {
      return static_cast<T>(a * b);
    }
  }
};
// NaN wins; complex numbers compare by real, then imaginary part.
template <typename T>
bool is_nan(T x) {
  if constexpr (std::is_same_v<T, complex64_t>) {
    return std::isnan(x.real()) || std::isnan(x.imag());
  } else if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return x != x;
  }
}
template <typename T>
bool is_less(T a, T b) {
  if constexpr (std::is_same_v<T, complex64_t>) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  } else {
    return a < b;
  }
}
struct Max {
  template <typename T>
  T operator()(T a, T b) const {
    return is_nan(b) || (!is_nan(a) && is_less(a, b)) ? b : a;
  }
};
struct Min {
  template <typename T>
  T operator()(T a, T b) const {
    return is_nan(b) || (!is_nan(a) && is_less(b, a)) ? b : a;
  }
};

// `out` becomes a copy of `in`, or takes it over when nobody else needs it.
void copy_or_take(const array& in, array& out) {
  if (in.flags().contiguous && in.data_size() == in.size() && can_donate(in, out)) {
    out.copy_shared_buffer(in);
  } else {
    copy_to_row_major(in, out);
  }
}

// Strides of the output of a gather: dimensions before the first axis, then
// those of the indices, then the rest.
Strides gather_strides(const array& out, size_t batch, size_t first) {
  std::vector<size_t> order;
  for (size_t i = 0; i < out.ndim(); ++i) {
    order.push_back(i < first ? batch + i : i < first + batch ? i - first : i);
  }
  Strides strides(out.ndim(), 0);
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= out.shape()[order[i]];
  }
  return strides;
}

template <typename T>
void copy_slice(T* dst, const T* src, const Dims& dims) {
  if (dims.empty()) {
    *dst = *src;
    return;
  }
  const Dim& row = dims.back();
  const int64_t rows = count_of(dims, dims.size() - 1);
  for (int64_t r = 0; r < rows; ++r) {
    const Offsets at = offsets_at(dims, dims.size() - 1, r);
    if (row.dst == 1 && row.src == 1) {
      std::memcpy(dst + at.dst, src + at.src, row.size * sizeof(T));
    } else {
      combine_row(dst + at.dst, row.dst, src + at.src, row.src, row.size, Replace());
    }
  }
}

template <typename T>
void gather(const array& a, const std::vector<Index>& indices, array& out, const Shape& sizes,
            size_t batch, int64_t positions) {
  size_t first = sizes.size();
  for (const Index& index : indices) {
    first = std::min(first, static_cast<size_t>(index.axis));
  }
  if (batch == 0) {
    first = 0;
  }
  allocate_output(out, gather_strides(out, batch, first));
  if (out.size() == 0) {
    return;
  }
  Dims outer;
  Dims slice;
  for (size_t i = 0; i < sizes.size(); ++i) {
    (i < first ? outer : slice).push_back({sizes[i], out.strides()[batch + i], a.strides()[i]});
  }
  outer = merge(outer);
  slice = merge(slice);
  const int64_t repeats = count_of(outer, outer.size());
  const int64_t slice_size = count_of(slice, slice.size());
  // The indices of one position after the other: consecutive slices of the output.
  const int64_t step = slice_size;
  T* to = out.data<T>();
  const T* from = a.data<T>();
  std::vector<int64_t> shared;
  if (repeats > 1) {
    shared = all_offsets(indices, positions);
  }
  const double cost = 2 + 0.1 * static_cast<double>(slice_size * sizeof(T));
  parallel_for(repeats * positions, cost, [&](int64_t begin, int64_t end) {
    constexpr int64_t kBlock = 256;
    int64_t block[kBlock];
    for (int64_t item = begin; item < end;) {
      const int64_t position = item % positions;
      const int64_t n = std::min({kBlock, end - item, positions - position});
      const int64_t* offsets = shared.data() + position;
      if (shared.empty()) {
        std::fill_n(block, n, 0);
        for (const Index& index : indices) {
          add_offsets(index, position, position + n, block);
        }
        offsets = block;
      }
      const Offsets base = offsets_at(outer, outer.size(), item / positions);
      T* dst = to + base.dst + position * step;
      const T* src = from + base.src;
      if (slice.empty()) {
        for (int64_t i = 0; i < n; ++i) {
          dst[i] = src[offsets[i]];
        }
      } else {
        for (int64_t i = 0; i < n; ++i) {
          copy_slice(dst + i * step, src + offsets[i], slice);
        }
      }
      item += n;
    }
  });
}

template <typename T, typename Combine>
void scatter(const std::vector<Index>& indices, const array& updates, array& out,
             const array& source, int64_t positions, const Combine& combine) {
  const size_t batch = updates.ndim() - out.ndim();
  // Updates of different places on this axis do not meet.
  size_t key = 0;
  while (key < indices.size() && updates.shape()[batch + indices[key].axis] != 1) {
    ++key;
  }
  const bool keyed = key < indices.size();
  std::vector<int64_t> places(keyed ? static_cast<size_t>(positions) : 0);
  std::vector<Index> of_output = indices;
  // Before the source is taken over: a failed evaluation can be tried again.
  check_indices(indices, positions);
  copy_or_take(source, out);
  for (Index& index : of_output) {
    index.stride = out.strides()[index.axis];
  }
  const std::vector<int64_t> offsets =
      all_offsets(of_output, positions, keyed ? &places : nullptr, key);
  Dims slice;
  for (size_t i = 0; i < out.ndim(); ++i) {
    slice.push_back({updates.shape()[batch + i], out.strides()[i], updates.strides()[batch + i]});
  }
  slice = merge(slice);
  Dims leading;
  for (size_t i = 0; i < batch; ++i) {
    leading.push_back({updates.shape()[i], 0, updates.strides()[i]});
  }
  leading = merge(leading);
  const Dim row = slice.empty() ? Dim{1, 1, 1} : slice.back();
  const size_t last = slice.empty() ? 0 : slice.size() - 1;
  const int64_t rows = count_of(slice, last);
  T* to = out.data<T>();
  const T* from = updates.data<T>();
  auto apply = [&](int64_t position) {
    T* dst = to + offsets[position];
    const T* src = from + offsets_at(leading, leading.size(), position).src;
    for (int64_t r = 0; r < rows; ++r) {
      const Offsets at = offsets_at(slice, last, r);
      combine_row(dst + at.dst, row.dst, src + at.src, row.src, row.size, combine);
    }
  };
  const int64_t parts =
      keyed ? std::min<int64_t>(num_threads(), source.shape(indices[key].axis)) : 1;
  const double cost =
      static_cast<double>(positions) * (1 + 0.2 * static_cast<double>(rows * row.size * sizeof(T)));
  parallel_for(parts, cost / static_cast<double>(parts), [&](int64_t begin, int64_t end) {
    const int64_t size = keyed ? source.shape(indices[key].axis) : 1;
    const int64_t low = begin * size / parts;
    const int64_t high = end * size / parts;
    for (int64_t position = 0; position < positions; ++position) {
      if (!keyed || (places[position] >= low && places[position] < high)) {
        apply(position);
      }
    }
  });
}

// Lines along an axis: `lines` of them, each with `inner` neighbours.
struct Lines {
  int64_t outer = 1;
  int64_t inner = 1;
  int64_t length = 1;
};

Lines lines_of(const Shape& shape, int axis) {
  Lines lines;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    (i < axis ? lines.outer : i == axis ? lines.length : lines.inner) *= shape[i];
  }
  return lines;
}

int64_t place_of(int64_t position, const Shape& shape, const Strides& strides, int begin, int end) {
  int64_t place = 0;
  for (int d = end; d-- > begin;) {
    place += position % shape[d] * strides[d];
    position /= shape[d];
  }
  return place;
}

// Calls visit(indexed offset, other offset, index) for the positions of the
// lines of outer number `o` and inner numbers [begin, end), along the axis in
// order. `other` has the shape of the indices.
template <typename I, typename Visit>
void for_line_block(const array& indexed, const array& indices, const array& other, int axis,
                    int64_t o, int64_t begin, int64_t end, const Visit& visit) {
  const Shape& shape = indices.shape();
  const int ndim = static_cast<int>(shape.size());
  const int64_t size = indexed.shape(axis);
  const I* index = indices.data<I>() + place_of(o, shape, indices.strides(), 0, axis);
  const int64_t a = place_of(o, shape, indexed.strides(), 0, axis);
  const int64_t b = place_of(o, shape, other.strides(), 0, axis);
  const int64_t length = shape[axis];
  // Along the last dimension offsets grow by constant steps.
  const bool one_row = ndim - 1 <= axis + 1;
  const int64_t a_step = axis + 1 < ndim ? indexed.strides(-1) : 0;
  const int64_t b_step = axis + 1 < ndim ? other.strides(-1) : 0;
  const int64_t i_step = axis + 1 < ndim ? indices.strides(-1) : 0;
  for (int64_t k = 0; k < length; ++k) {
    const I* row = index + k * indices.strides(axis);
    const int64_t b_row = b + k * other.strides(axis);
    for (int64_t n = begin; n < end; ++n) {
      int64_t i_at = n * i_step;
      int64_t a_at = n * a_step;
      int64_t b_at = n * b_step;
      if (!one_row) {
        i_at = place_of(n, shape, indices.strides(), axis + 1, ndim);
        a_at = place_of(n, shape, indexed.strides(), axis + 1, ndim);
        b_at = place_of(n, shape, other.strides(), axis + 1, ndim);
      }
      const int64_t place = checked_index(row[i_at], size, size - 1, axis);
      visit(a + a_at + place * indexed.strides(axis), b_row + b_at);
    }
  }
}

// Runs the lines in parallel: whole ones, so that a line has one thread.
template <typename I, typename Visit>
void for_lines(const array& indexed, const array& indices, const array& other, int axis,
               const Visit& visit) {
  const Lines lines = lines_of(indices.shape(), axis);
  parallel_for(lines.outer * lines.inner, 2.0 * static_cast<double>(lines.length),
               [&](int64_t begin, int64_t end) {
                 while (begin < end) {
                   const int64_t o = begin / lines.inner;
                   const int64_t first = begin % lines.inner;
                   const int64_t last = std::min(lines.inner, first + end - begin);
                   for_line_block<I>(indexed, indices, other, axis, o, first, last, visit);
                   begin += last - first;
                 }
               });
}

}  // namespace

void Gather::evaluate(Inputs inputs, Outputs outputs) {
  const auto& [axes, sizes] = state();
  const array& a = inputs[0];
  const size_t batch = inputs.size() > 1 ? inputs[1].ndim() : 0;
  const int64_t positions = inputs.size() > 1 ? static_cast<int64_t>(inputs[1].size()) : 1;
  const std::vector<Index> indices = index_arrays(inputs.subspan(1), axes, a, sizes, a.strides());
  dispatch_itemsize(a.itemsize(), [&](auto type) {
    gather<decltype(type)>(a, indices, outputs[0], sizes, batch, positions);
  });
}

void Scatter::evaluate(Inputs inputs, Outputs outputs) {
  const array& source = inputs[0];
  const array& updates = inputs.back();
  array& out = outputs[0];
  const size_t batch = updates.ndim() - out.ndim();
  const Shape sizes(updates.shape().begin() + batch, updates.shape().end());
  const std::vector<Index> indices =
      index_arrays(inputs.subspan(1, axes_.size()), axes_, source, sizes, source.strides());
  const int64_t positions = axes_.empty() ? 1 : static_cast<int64_t>(inputs[1].size());
  auto run = [&](auto type, const auto& combine) {
    scatter<decltype(type)>(indices, updates, out, source, positions, combine);
  };
  if (reduce_type_ == None) {
    dispatch_itemsize(out.itemsize(), [&](auto type) { run(type, Replace()); });
    return;
  }
  dispatch_all_types(out.dtype(), [&](auto tag) {
    const MLX_GET_TYPE(tag) zero{};
    switch (reduce_type_) {
      case Max:
        return run(zero, core::Max());
      case Min:
        return run(zero, core::Min());
      case Sum:
        return run(zero, core::Sum());
      default:
        return run(zero, core::Prod());
    }
  });
}

void GatherAxis::evaluate(Inputs inputs, Outputs outputs) {
  const array& a = inputs[0];
  const array& indices = inputs[1];
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  dispatch_int_types(indices.dtype(), "[take_along_axis]", [&](auto index_tag) {
    using I = MLX_GET_TYPE(index_tag);
    dispatch_itemsize(a.itemsize(), [&](auto type) {
      using T = decltype(type);
      const T* from = a.data<T>();
      T* to = out.data<T>();
      for_lines<I>(a, indices, out, get<0>(),
                   [=](int64_t at, int64_t position) { to[position] = from[at]; });
    });
  });
}

void ScatterAxis::evaluate(Inputs inputs, Outputs outputs) {
  const array& source = inputs[0];
  const array& indices = inputs[1];
  const array& updates = inputs[2];
  array& out = outputs[0];
  dispatch_int_types(indices.dtype(), "[put_along_axis]", [&](auto index_tag) {
    using I = MLX_GET_TYPE(index_tag);
    // Before the source is taken over: a failed evaluation can be tried again.
    for_lines<I>(source, indices, updates, axis_, [](int64_t, int64_t) {});
    copy_or_take(source, out);
    auto run = [&](auto type, const auto& combine) {
      using T = decltype(type);
      T* to = out.data<T>();
      const T* from = updates.data<T>();
      for_lines<I>(out, indices, updates, axis_,
                   [=](int64_t at, int64_t position) { to[at] = combine(to[at], from[position]); });
    };
    if (reduce_type_ == None) {
      dispatch_itemsize(out.itemsize(), [&](auto type) { run(type, Replace()); });
    } else {
      dispatch_all_types(out.dtype(), [&](auto tag) { run(MLX_GET_TYPE(tag){}, core::Sum()); });
    }
  });
}

}  // namespace mlx::core
