// CPU evaluation of the shape primitives.
#include <algorithm>
#include <cstring>

#include "mlx/core/node.h"
#include "mlx/dtype_utils.h"
#include "mlx/fuse/engine.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/shape/copy.h"
#include "mlx/ops/shape/primitives.h"
#include "mlx/ops/shape/views.h"

namespace mlx::core {

namespace {

using fuse::Op;

using Inputs = std::span<const array>;
using Outputs = std::span<array>;

std::byte* bytes_at(array& a, int64_t element) {
  return a.data<std::byte>() + element * static_cast<int64_t>(a.itemsize());
}

// The region of `out` that starts at element `offset` and has `shape` and `strides`.
struct Region {
  array& out;
  int64_t offset;
  const Shape& shape;
  const Strides& strides;
};

void copy_into(const Region& region, const array& in) {
  copy_strided(bytes_at(region.out, region.offset), region.strides, in.data<void>(), in.strides(),
               region.shape, region.out.itemsize());
}

// One instruction over a region: region = value, or region = op(region, value).
void run_on_region(Op op, const Region& region, const array& value, const Strides& value_strides) {
  if (std::find(region.shape.begin(), region.shape.end(), 0) != region.shape.end()) {
    return;
  }
  const Dtype::Val dtype = region.out.dtype();
  void* memory = bytes_at(region.out, region.offset);
  const bool unary = op == Op::Copy;
  fuse::Input inputs[2] = {{memory, dtype, region.strides.data()},
                           {value.data<void>(), dtype, value_strides.data()}};
  const fuse::Instruction instruction{op, dtype, dtype, {0, 1, 0}};
  const fuse::Output output{static_cast<uint16_t>(unary ? 1 : 2), memory, region.strides.data()};
  fuse::run({static_cast<int>(region.shape.size()), region.shape.data(), unary ? 1 : 2,
             unary ? inputs + 1 : inputs, 1, &instruction, 1, &output});
}

void fill(const Region& region, const array& value) {
  run_on_region(Op::Copy, region, value, Strides(region.shape.size(), 0));
}

// `out` takes over a dying `src`, or a copy of it.
void take_or_copy(const array& src, array& out) {
  if (src.flags().contiguous && src.data_size() == src.size() && can_donate(src, out)) {
    out.copy_shared_buffer(src);
  } else {
    copy_to_row_major(src, out);
  }
}

void reshape_into(const array& in, array& out) {
  if (auto strides = reshaped_strides(in.shape(), in.strides(), out.shape())) {
    share_view(in, out, *strides);
  } else {
    copy_to_row_major(in, out);
  }
}

void broadcast_into(const array& in, array& out) {
  if (out.size() == 0) {
    allocate_output(out);
    return;
  }
  const int missing = ndim_of(out) - ndim_of(in);
  Strides strides(out.ndim(), 0);
  for (int i = missing; i < ndim_of(out); ++i) {
    const bool repeated = in.shape(i - missing) == 1 && out.shape(i) != 1;
    strides[i] = repeated ? 0 : in.strides(i - missing);
  }
  // The data are those of the input, however small a part of them it shows.
  out.copy_shared_buffer(in, strides, flags_of(out.shape(), strides, in.data_size()),
                         in.data_size());
}

// Strides of a slice; its first element is `offset` elements after that of `in`.
Strides sliced_strides(const Strides& in, const Shape& start, const Shape& steps, int64_t* offset) {
  Strides strides(in.size(), 0);
  *offset = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    *offset += in[i] * start[i];
    strides[i] = in[i] * steps[i];
  }
  return strides;
}

int64_t read_index(const array& indices, int64_t element) {
  int64_t value = 0;
  dispatch_int_types(indices.dtype(), "[slice]", [&](auto tag) {
    using T = MLX_GET_TYPE(tag);
    // Large unsigned values become negative, which is out of range as well.
    value = static_cast<int64_t>(indices.data<T>()[element]);
  });
  return value;
}

// Calls visit(offset into the array, offset into the part) for every element of
// the batch that the starts come with; once for plain starts. Offsets are in
// elements. Checks the starts first.
template <typename Visit>
void for_each_start(const array& starts, const std::vector<int>& axes, const Shape& shape,
                    const Shape& size, const Strides& array_strides, const Strides& part_strides,
                    const Visit& visit) {
  const size_t batch_dims = starts.ndim() - 1;
  int64_t batch = 1;
  for (size_t i = 0; i < batch_dims; ++i) {
    batch *= starts.shape(static_cast<int>(i));
  }
  // Row-major place of every start; the starts may be a view.
  auto place = [&](int64_t row, size_t entry) {
    int64_t element = static_cast<int64_t>(entry) * starts.strides(-1);
    for (size_t d = batch_dims; d-- > 0;) {
      element += row % starts.shape(static_cast<int>(d)) * starts.strides(static_cast<int>(d));
      row /= starts.shape(static_cast<int>(d));
    }
    return element;
  };
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t row = 0; row < batch; ++row) {
      int64_t array_offset = 0;
      int64_t part_offset = 0;
      for (size_t i = 0; i < axes.size(); ++i) {
        const int axis = axes[i];
        const int64_t start = read_index(starts, place(row, i));
        if (start < 0 || start > shape[axis] - size[axis]) {
          fail<std::out_of_range>("[slice] start index ", start, " and size ", size[axis],
                                  " are out of range on axis ", axis, " of size ", shape[axis]);
        }
        array_offset += start * array_strides[axis];
      }
      int64_t rest = row;
      for (size_t d = batch_dims; d-- > 0;) {
        const int64_t index = rest % shape[d];
        rest /= shape[d];
        array_offset += index * array_strides[d];
        part_offset += index * part_strides[d];
      }
      if (pass == 1) {
        visit(array_offset, part_offset);
      }
    }
  }
}

Shape without_batch(const Shape& shape, const array& starts) {
  return Shape(shape.begin() + (starts.ndim() - 1), shape.end());
}
Strides strides_without_batch(const Strides& strides, const array& starts) {
  return Strides(strides.begin() + (starts.ndim() - 1), strides.end());
}

}  // namespace

// Views

std::optional<Strides> reshaped_strides(const Shape& from, const Strides& strides,
                                        const Shape& to) {
  if (std::find(to.begin(), to.end(), 0) != to.end()) {
    return row_major_strides(to);
  }
  // Match groups of dimensions with equal products; each group of the input must
  // be evenly spaced.
  Shape dims;
  Strides steps;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1) {
      dims.push_back(from[i]);
      steps.push_back(strides[i]);
    }
  }
  Strides out(to.size(), 1);
  size_t in_begin = 0;
  size_t out_begin = 0;
  while (in_begin < dims.size()) {
    size_t in_end = in_begin + 1;
    size_t out_end = out_begin + 1;
    int64_t in_product = dims[in_begin];
    int64_t out_product = to[out_begin];
    while (in_product != out_product) {
      if (in_product < out_product) {
        in_product *= dims[in_end++];
      } else {
        out_product *= to[out_end++];
      }
    }
    for (size_t i = in_begin; i + 1 < in_end; ++i) {
      if (steps[i] != steps[i + 1] * dims[i + 1]) {
        return std::nullopt;
      }
    }
    int64_t step = steps[in_end - 1];
    for (size_t i = out_end; i-- > out_begin;) {
      out[i] = step;
      step *= to[i];
    }
    in_begin = in_end;
    out_begin = out_end;
  }
  return out;
}

int64_t span_of(const Shape& shape, const Strides& strides) {
  int64_t span = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) {
      return 0;
    }
    span += std::abs(strides[i]) * (shape[i] - 1);
  }
  return span;
}

void share_view(const array& in, array& out, const Strides& strides, int64_t offset) {
  const int64_t span = span_of(out.shape(), strides);
  if (span == 0) {
    offset = 0;
  }
  out.copy_shared_buffer(in, strides, flags_of(out.shape(), strides, span), span, offset);
}

void Reshape::evaluate(Inputs inputs, Outputs outputs) {
  reshape_into(inputs[0], outputs[0]);
}
void Flatten::evaluate(Inputs inputs, Outputs outputs) {
  reshape_into(inputs[0], outputs[0]);
}
void Unflatten::evaluate(Inputs inputs, Outputs outputs) {
  reshape_into(inputs[0], outputs[0]);
}

void ExpandDims::evaluate(Inputs inputs, Outputs outputs) {
  const array& in = inputs[0];
  Strides strides = in.strides();
  Shape shape = in.shape();
  for (int axis : get<0>()) {
    const bool last = axis == static_cast<int>(strides.size());
    strides.insert(strides.begin() + axis, last ? 1 : strides[axis] * shape[axis]);
    shape.insert(shape.begin() + axis, 1);
  }
  outputs[0].copy_shared_buffer(in, strides, in.flags(), in.data_size());
}

void Squeeze::evaluate(Inputs inputs, Outputs outputs) {
  const array& in = inputs[0];
  Strides strides;
  size_t next = 0;
  for (int i = 0; i < ndim_of(in); ++i) {
    if (next < get<0>().size() && get<0>()[next] == i) {
      ++next;
    } else {
      strides.push_back(in.strides(i));
    }
  }
  outputs[0].copy_shared_buffer(in, strides, in.flags(), in.data_size());
}

void Transpose::evaluate(Inputs inputs, Outputs outputs) {
  const array& in = inputs[0];
  Strides strides;
  for (int axis : get<0>()) {
    strides.push_back(in.strides(axis));
  }
  outputs[0].copy_shared_buffer(in, strides, flags_of(outputs[0].shape(), strides, in.data_size()),
                                in.data_size());
}

void Broadcast::evaluate(Inputs inputs, Outputs outputs) {
  broadcast_into(inputs[0], outputs[0]);
}
void BroadcastAxes::evaluate(Inputs inputs, Outputs outputs) {
  broadcast_into(inputs[0], outputs[0]);
}

void Copy::evaluate(Inputs inputs, Outputs outputs) {
  outputs[0].copy_shared_buffer(inputs[0]);
}
void StopGradient::evaluate(Inputs inputs, Outputs outputs) {
  outputs[0].copy_shared_buffer(inputs[0]);
}
void Depends::evaluate(Inputs inputs, Outputs outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].copy_shared_buffer(inputs[i]);
  }
}

void Contiguous::evaluate(Inputs inputs, Outputs outputs) {
  const array::Flags flags = inputs[0].flags();
  if (flags.row_contiguous || (get<0>() && flags.col_contiguous)) {
    outputs[0].copy_shared_buffer(inputs[0]);
  } else {
    copy_to_row_major(inputs[0], outputs[0]);
  }
}

void View::evaluate(Inputs inputs, Outputs outputs) {
  const array& in = inputs[0];
  array& out = outputs[0];
  const bool aligned = reinterpret_cast<uintptr_t>(in.data<void>()) % out.itemsize() == 0;
  if (aligned && in.itemsize() == out.itemsize()) {
    out.copy_shared_buffer(in);
  } else if (aligned && in.flags().row_contiguous) {
    share_view(in, out, row_major_strides(out.shape()));
  } else {
    copy_to_row_major(in, out);
  }
}

void AsStrided::evaluate(Inputs inputs, Outputs outputs) {
  const auto& [shape, strides, offset] = state();
  if (inputs[0].flags().row_contiguous) {
    share_view(inputs[0], outputs[0], strides, static_cast<int64_t>(offset));
    return;
  }
  array dense(inputs[0].shape(), inputs[0].dtype(), nullptr, {});
  copy_to_row_major(inputs[0], dense);
  share_view(dense, outputs[0], strides, static_cast<int64_t>(offset));
}

void AsStridedAdjoint::evaluate(Inputs inputs, Outputs outputs) {
  const array& in = inputs[0];
  array& out = outputs[0];
  const Strides& target = get<1>();
  allocate_output(out);
  dispatch_all_types(out.dtype(), [&](auto tag) {
    using T = MLX_GET_TYPE(tag);
    // 16-bit floats add up in float32 and are rounded once.
    using Sum = std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>;
    std::vector<std::conditional_t<std::is_same_v<Sum, bool>, char, Sum>> sums(out.size());
    SmallVector<int64_t> index(in.ndim(), 0);
    int64_t from = 0;
    int64_t to = static_cast<int64_t>(get<2>());
    for (size_t element = 0; element < in.size(); ++element) {
      if constexpr (std::is_same_v<T, bool>) {
        sums[to] |= in.data<T>()[from];
      } else {
        sums[to] = static_cast<Sum>(sums[to] + static_cast<Sum>(in.data<T>()[from]));
      }
      for (int d = ndim_of(in) - 1; d >= 0; --d) {
        from += in.strides(d);
        to += target[d];
        if (++index[d] < in.shape(d)) {
          break;
        }
        index[d] = 0;
        from -= in.shape(d) * in.strides(d);
        to -= in.shape(d) * target[d];
      }
    }
    for (size_t i = 0; i < out.size(); ++i) {
      out.data<T>()[i] = static_cast<T>(sums[i]);
    }
  });
}

void NumberOfElements::evaluate(Inputs inputs, Outputs outputs) {
  double count = 1;
  for (int axis : get<0>()) {
    count *= static_cast<double>(inputs[0].shape(axis));
  }
  const double value = get<1>() ? 1.0 / count : count;
  allocate_output(outputs[0]);
  detail::convert_into(outputs[0].data<void>(), outputs[0].dtype(), &value, 1);
}

// Slices

void Slice::evaluate(Inputs inputs, Outputs outputs) {
  int64_t offset = 0;
  const Strides strides = sliced_strides(inputs[0].strides(), get<0>(), get<2>(), &offset);
  share_view(inputs[0], outputs[0], strides, offset);
}

void Split::evaluate(Inputs inputs, Outputs outputs) {
  const array& in = inputs[0];
  const int axis = get<1>();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ShapeElem start = i == 0 ? 0 : get<0>()[i - 1];
    share_view(in, outputs[i], in.strides(), start * in.strides(axis));
  }
}

void SliceUpdate::evaluate(Inputs inputs, Outputs outputs) {
  const array& update = inputs[1];
  array& out = outputs[0];
  take_or_copy(inputs[0], out);
  int64_t offset = 0;
  const Strides strides = sliced_strides(out.strides(), start_, strides_, &offset);
  const Region region{out, offset, update.shape(), strides};
  switch (reduce_type_) {
    case None:
      return copy_into(region, update);
    case Sum:
      return run_on_region(Op::Add, region, update, update.strides());
    case Prod:
      return run_on_region(Op::Multiply, region, update, update.strides());
    case Max:
      return run_on_region(Op::Maximum, region, update, update.strides());
    case Min:
      return run_on_region(Op::Minimum, region, update, update.strides());
  }
}

void DynamicSlice::evaluate(Inputs inputs, Outputs outputs) {
  const auto& [axes, size] = state();
  const array& in = inputs[0];
  const array& starts = inputs[1];
  array& out = outputs[0];
  if (out.size() == 0) {
    allocate_output(out);
    return;
  }
  if (starts.ndim() == 1) {
    for_each_start(starts, axes, in.shape(), size, in.strides(), out.strides(),
                   [&](int64_t offset, int64_t) { share_view(in, out, in.strides(), offset); });
    return;
  }
  allocate_output(out);
  const Shape shape = without_batch(size, starts);
  const Strides from = strides_without_batch(in.strides(), starts);
  const Strides to = strides_without_batch(out.strides(), starts);
  for_each_start(starts, axes, in.shape(), size, in.strides(), out.strides(),
                 [&](int64_t in_offset, int64_t out_offset) {
                   copy_strided(bytes_at(out, out_offset), to,
                                bytes_at(const_cast<array&>(in), in_offset), from, shape,
                                out.itemsize());
                 });
}

void DynamicSliceUpdate::evaluate(Inputs inputs, Outputs outputs) {
  const array& src = inputs[0];
  const array& update = inputs[1];
  const array& starts = inputs[2];
  array& out = outputs[0];
  const Shape shape = without_batch(update.shape(), starts);
  auto visit_all = [&](const auto& visit) {
    for_each_start(starts, get<0>(), src.shape(), update.shape(), out.strides(), update.strides(),
                   visit);
  };
  // A start out of range must leave `src` as it is.
  visit_all([](int64_t, int64_t) {});
  take_or_copy(src, out);
  const Strides to = strides_without_batch(out.strides(), starts);
  const Strides from = strides_without_batch(update.strides(), starts);
  visit_all([&](int64_t out_offset, int64_t update_offset) {
    copy_strided(bytes_at(out, out_offset), to, bytes_at(const_cast<array&>(update), update_offset),
                 from, shape, out.itemsize());
  });
}

// Joins and padding

void Concatenate::evaluate(Inputs inputs, Outputs outputs) {
  array& out = outputs[0];
  allocate_output(out);
  const int axis = get<0>();
  int64_t offset = 0;
  for (const array& in : inputs) {
    copy_into({out, offset, in.shape(), out.strides()}, in);
    offset += in.shape(axis) * out.strides(axis);
  }
}

void Pad::evaluate(Inputs inputs, Outputs outputs) {
  const auto& [axes, low, high] = state();
  const array& in = inputs[0];
  const array& value = inputs[1];
  array& out = outputs[0];
  allocate_output(out);
  // Fill the slabs before and after the array along one axis after the other;
  // what remains is the array's own box.
  Shape box = out.shape();
  int64_t offset = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = axes[i];
    const int64_t stride = out.strides(axis);
    box[axis] = low[i];
    fill({out, offset, box, out.strides()}, value);
    box[axis] = high[i];
    fill({out, offset + (low[i] + in.shape(axis)) * stride, box, out.strides()}, value);
    box[axis] = in.shape(axis);
    offset += low[i] * stride;
  }
  copy_into({out, offset, in.shape(), out.strides()}, in);
}

}  // namespace mlx::core
