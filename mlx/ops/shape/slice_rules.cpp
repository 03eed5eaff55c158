// Shape, derivative and vmap rules of slices, joins and padding.
#include <algorithm>
#include <optional>

#include "mlx/core/node.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/primitives.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/ops/vmap_axes.h"

namespace mlx::core {

namespace {

using Arrays = std::vector<array>;
using Axes = std::vector<int>;
using Batched = std::pair<std::vector<array>, std::vector<int>>;

Shape insert_at(const Shape& shape, int axis, ShapeElem value) {
  Shape out = shape;
  out.insert(out.begin() + axis, value);
  return out;
}

// The node of a slice with these normalised indices.
array slice_node(const array& a, const Shape& start, const Shape& end, const Shape& strides,
                 const Stream& s) {
  Shape shape(start.size(), 0);
  for (size_t i = 0; i < shape.size(); ++i) {
    const ShapeElem span = strides[i] > 0 ? end[i] - start[i] : start[i] - end[i];
    shape[i] = span > 0 ? (span - 1) / std::abs(strides[i]) + 1 : 0;
  }
  return make_array(std::move(shape), a.dtype(), std::make_shared<Slice>(s, start, end, strides),
                    a);
}

// A node with this state, whose slice has the shape of `update`.
array update_node(SliceUpdate::ReduceType reduce, const array& src, const array& update,
                  const Shape& start, const Shape& end, const Shape& strides, const Stream& s) {
  return make_array(src.shape(), src.dtype(),
                    std::make_shared<SliceUpdate>(s, reduce, start, end, strides), src, update);
}

array zero_like_scalar(const array& a) {
  return array(0, a.dtype());
}

// The tangent of operand `argnum`, or zeros.
array tangent_or_zeros(int argnum, const Arrays& primals, const Arrays& tangents,
                       const Axes& argnums, const Stream& s) {
  for (size_t i = 0; i < argnums.size(); ++i) {
    if (argnums[i] == argnum) {
      return tangents[i];
    }
  }
  return zeros_like(primals[argnum], s);
}

[[noreturn]] void fail_start_indices(const char* name) {
  fail("[", name, "] start indices have no derivative: use stop_gradient on them");
}

}  // namespace

// Slice

Arrays Slice::jvp(const Arrays&, const Arrays& tangents, const Axes&) {
  return {slice_node(tangents[0], get<0>(), get<1>(), get<2>(), stream())};
}

Arrays Slice::vjp(const Arrays& primals, const Arrays& cotangents, const Axes&, const Arrays&) {
  const auto& [start, end, strides] = state();
  const array zero = zeros_like(primals[0], stream());
  if (cotangents[0].size() == 0) {
    return {zero};
  }
  return {update_node(SliceUpdate::None, zero, cotangents[0], start, end, strides, stream())};
}

Batched Slice::vmap(const Arrays& inputs, const Axes& axes) {
  const auto& [start, end, strides] = state();
  const array& x = inputs[0];
  const int axis = axes[0];
  return {{slice_node(x, insert_at(start, axis, 0), insert_at(end, axis, x.shape(axis)),
                      insert_at(strides, axis, 1), stream())},
          axes};
}

// SliceUpdate

const char* SliceUpdate::name() const {
  switch (reduce_type_) {
    case Max:
      return "SliceUpdate Max";
    case Min:
      return "SliceUpdate Min";
    case Sum:
      return "SliceUpdate Sum";
    case Prod:
      return "SliceUpdate Prod";
    default:
      return "SliceUpdate";
  }
}

Arrays SliceUpdate::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  const Stream& s = stream();
  const array& src = primals[0];
  const array& update = primals[1];
  const array t_src = tangent_or_zeros(0, primals, tangents, argnums, s);
  const array t_update = tangent_or_zeros(1, primals, tangents, argnums, s);
  auto put = [&](const array& value) {
    return update_node(None, t_src, value, start_, end_, strides_, s);
  };
  if (reduce_type_ == None || reduce_type_ == Sum) {
    return {update_node(reduce_type_, t_src, t_update, start_, end_, strides_, s)};
  }
  const array old = slice_node(src, start_, end_, strides_, s);
  const array t_old = slice_node(t_src, start_, end_, strides_, s);
  if (reduce_type_ == Prod) {
    return {put(add(multiply(t_old, update, s), multiply(t_update, old, s), s))};
  }
  const array keeps =
      reduce_type_ == Max ? greater_equal(old, update, s) : less_equal(old, update, s);
  return {put(where(keeps, t_old, t_update, s))};
}

Arrays SliceUpdate::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                        const Arrays&) {
  const Stream& s = stream();
  const array& src = primals[0];
  const array& update = primals[1];
  const array& ct = cotangents[0];
  const array ct_slice = slice_node(ct, start_, end_, strides_, s);
  auto old = [&] { return slice_node(src, start_, end_, strides_, s); };
  auto keeps = [&] {
    return reduce_type_ == Max ? greater_equal(old(), update, s) : less_equal(old(), update, s);
  };
  const array zero = zero_like_scalar(ct);
  Arrays pulled;
  for (int argnum : argnums) {
    std::optional<array> share;  // of the cotangent of the slice
    switch (reduce_type_) {
      case None:
        share = argnum == 0 ? broadcast_to(zero, update.shape(), s) : ct_slice;
        break;
      case Sum:
        share = ct_slice;
        break;
      case Prod:
        share = multiply(ct_slice, conjugate(argnum == 0 ? update : old(), s), s);
        break;
      default:
        share = argnum == 0 ? where(keeps(), ct_slice, zero, s) : where(keeps(), zero, ct_slice, s);
    }
    if (argnum == 1) {
      pulled.push_back(*share);
    } else if (reduce_type_ == Sum) {
      pulled.push_back(ct);
    } else {
      pulled.push_back(update_node(None, ct, *share, start_, end_, strides_, s));
    }
  }
  return pulled;
}

Batched SliceUpdate::vmap(const Arrays& inputs, const Axes& axes) {
  const Arrays batched = batch_all_to_front(inputs, axes, stream());
  return {
      {update_node(reduce_type_, batched[0], batched[1], insert_at(start_, 0, 0),
                   insert_at(end_, 0, batched[0].shape(0)), insert_at(strides_, 0, 1), stream())},
      {0}};
}

// DynamicSlice and DynamicSliceUpdate

namespace {

// A batched array and starts that say so: one row of starts per element of the
// batch, or the same starts for all when those are not batched.
struct BatchedDynamic {
  Arrays inputs;
  Axes axes;
};

BatchedDynamic batch_dynamic(const Arrays& inputs, const Axes& batch_axes, const Axes& axes,
                             const Stream& s) {
  const Axes shifted = shift_axes(axes, 0);
  const size_t last = inputs.size() - 1;
  if (batch_axes[last] >= 0) {
    return {batch_all_to_front(inputs, batch_axes, s), shifted};
  }
  // Starts of an enclosing vmap have their batch dimensions in front: the new
  // one goes before them, as in the array.
  if (inputs[last].ndim() > 1) {
    return {batch_all_to_front(inputs, batch_axes, s), shifted};
  }
  Arrays without_starts(inputs.begin(), inputs.end() - 1);
  Axes their_axes(batch_axes.begin(), batch_axes.end() - 1);
  Arrays batched = batch_all_to_front(without_starts, their_axes, s);
  batched.push_back(inputs[last]);
  return {std::move(batched), shifted};
}

array dynamic_slice_node(const array& a, const array& start, const Axes& axes, Shape size,
                         const Stream& s) {
  Shape out = size;
  return make_array(std::move(out), a.dtype(),
                    std::make_shared<DynamicSlice>(s, axes, std::move(size)), a, start);
}

array dynamic_update_node(const array& src, const array& update, const array& start,
                          const Axes& axes, const Stream& s) {
  return make_array(src.shape(), src.dtype(), std::make_shared<DynamicSliceUpdate>(s, axes), src,
                    update, start);
}

}  // namespace

std::vector<Shape> DynamicSlice::output_shapes(const Arrays&) {
  return {get<1>()};
}

Arrays DynamicSlice::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  if (argnums.size() > 1 || argnums[0] != 0) {
    fail_start_indices(name());
  }
  return {dynamic_slice_node(tangents[0], primals[1], get<0>(), get<1>(), stream())};
}

Arrays DynamicSlice::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                         const Arrays&) {
  if (argnums.size() > 1 || argnums[0] != 0) {
    fail_start_indices(name());
  }
  const array zero = zeros_like(primals[0], stream());
  if (cotangents[0].size() == 0) {
    return {zero};
  }
  return {dynamic_update_node(zero, cotangents[0], primals[1], get<0>(), stream())};
}

Batched DynamicSlice::vmap(const Arrays& inputs, const Axes& axes) {
  auto [batched, shifted] = batch_dynamic(inputs, axes, get<0>(), stream());
  Shape size = insert_at(get<1>(), 0, batched[0].shape(0));
  return {{dynamic_slice_node(batched[0], batched[1], shifted, std::move(size), stream())}, {0}};
}

Arrays DynamicSliceUpdate::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  if (std::find(argnums.begin(), argnums.end(), 2) != argnums.end()) {
    fail_start_indices(name());
  }
  const Stream& s = stream();
  return {dynamic_update_node(tangent_or_zeros(0, primals, tangents, argnums, s),
                              tangent_or_zeros(1, primals, tangents, argnums, s), primals[2],
                              get<0>(), s)};
}

Arrays DynamicSliceUpdate::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                               const Arrays&) {
  const Stream& s = stream();
  Arrays pulled;
  for (int argnum : argnums) {
    if (argnum == 2) {
      fail_start_indices(name());
    }
    pulled.push_back(
        argnum == 0
            ? dynamic_update_node(cotangents[0], zeros_like(primals[1], s), primals[2], get<0>(), s)
            : dynamic_slice_node(cotangents[0], primals[2], get<0>(), primals[1].shape(), s));
  }
  return pulled;
}

Batched DynamicSliceUpdate::vmap(const Arrays& inputs, const Axes& axes) {
  auto [batched, shifted] = batch_dynamic(inputs, axes, get<0>(), stream());
  return {{dynamic_update_node(batched[0], batched[1], batched[2], shifted, stream())}, {0}};
}

// Split and Concatenate

Arrays Split::jvp(const Arrays&, const Arrays& tangents, const Axes&) {
  return split(tangents[0], get<0>(), get<1>(), stream());
}

Arrays Split::vjp(const Arrays&, const Arrays& cotangents, const Axes&, const Arrays&) {
  return {concatenate(cotangents, get<1>(), stream())};
}

Batched Split::vmap(const Arrays& inputs, const Axes& axes) {
  Arrays parts = split(inputs[0], get<0>(), shift_axis(get<1>(), axes[0]), stream());
  Axes out_axes(parts.size(), axes[0]);
  return {std::move(parts), std::move(out_axes)};
}

std::vector<Shape> Concatenate::output_shapes(const Arrays& inputs) {
  const int axis = get<0>();
  Shape shape = inputs[0].shape();
  for (size_t i = 1; i < inputs.size(); ++i) {
    Shape other = inputs[i].shape();
    shape[axis] += other[axis];
    other[axis] = shape[axis];
    if (other != shape) {
      fail("[concatenate] all dimensions but axis ", axis, " must agree: got shapes ",
           inputs[0].shape(), " and ", inputs[i].shape());
    }
  }
  return {shape};
}

Arrays Concatenate::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  Arrays parts;
  for (size_t i = 0; i < primals.size(); ++i) {
    parts.push_back(tangent_or_zeros(static_cast<int>(i), primals, tangents, argnums, stream()));
  }
  return {concatenate(std::move(parts), get<0>(), stream())};
}

Arrays Concatenate::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                        const Arrays&) {
  const int axis = get<0>();
  Shape cuts;
  for (size_t i = 0; i + 1 < primals.size(); ++i) {
    cuts.push_back((cuts.empty() ? 0 : cuts.back()) + primals[i].shape(axis));
  }
  const Arrays parts = split(cotangents[0], cuts, axis, stream());
  Arrays pulled;
  for (int argnum : argnums) {
    pulled.push_back(parts[argnum]);
  }
  return pulled;
}

Batched Concatenate::vmap(const Arrays& inputs, const Axes& axes) {
  return {{concatenate(batch_all_to_front(inputs, axes, stream()), get<0>() + 1, stream())}, {0}};
}

// Pad

Arrays Pad::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  const Stream& s = stream();
  return {pad(tangent_or_zeros(0, primals, tangents, argnums, s), get<0>(), get<1>(), get<2>(),
              tangent_or_zeros(1, primals, tangents, argnums, s), "constant", s)};
}

Arrays Pad::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                const Arrays&) {
  const Stream& s = stream();
  const array& ct = cotangents[0];
  const array& x = primals[0];
  Shape start(x.ndim(), 0);
  for (size_t i = 0; i < get<0>().size(); ++i) {
    start[get<0>()[i]] = get<1>()[i];
  }
  Shape stop = start;
  for (size_t i = 0; i < stop.size(); ++i) {
    stop[i] += x.shape(static_cast<int>(i));
  }
  Arrays pulled;
  for (int argnum : argnums) {
    const array inside = slice(ct, start, stop, s);
    if (argnum == 0) {
      pulled.push_back(inside);
      continue;
    }
    // The border: everything outside the array, exactly, also where it is infinite inside.
    const array border =
        slice_update(ct, broadcast_to(zero_like_scalar(ct), x.shape(), s), start, stop, s);
    pulled.push_back(astype(sum(border, false, s), ct.dtype(), s));
  }
  return pulled;
}

Batched Pad::vmap(const Arrays& inputs, const Axes& axes) {
  const Stream& s = stream();
  const auto& [pad_axes, low, high] = state();
  if (axes[1] < 0) {
    return {{pad(inputs[0], shift_axes(pad_axes, axes[0]), low, high, inputs[1], "constant", s)},
            {axes[0]}};
  }
  // Every element of the batch has its own value: choose it where a padded mask says so.
  const Arrays batched = batch_all_to_front(inputs, axes, s);
  const Axes shifted = shift_axes(pad_axes, 0);
  const array inside =
      pad(ones_like(batched[0], bool_, s), shifted, low, high, array(false), "constant", s);
  const array padded =
      pad(batched[0], shifted, low, high, zero_like_scalar(batched[0]), "constant", s);
  Axes trailing;
  for (int i = 1; i < ndim_of(padded); ++i) {
    trailing.push_back(i);
  }
  return {{where(inside, padded, expand_dims(batched[1], trailing, s), s)}, {0}};
}

}  // namespace mlx::core
