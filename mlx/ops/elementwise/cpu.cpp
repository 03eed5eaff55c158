// CPU evaluation of elementwise primitives that run alone: a program of one
// instruction (two for divmod). Groups of nodes are the planner's work.
#include "mlx/core/node.h"
#include "mlx/ops/elementwise/primitives.h"

namespace mlx::core {

namespace {

using fuse::Op;

// Inputs of one dense layout give the output that layout, so that nothing is
// read with strides; scalars do not count.
const array* dense_layout(std::span<const array> inputs) {
  const array* layout = nullptr;
  for (const array& in : inputs) {
    if (in.data_size() == 1) {
      continue;
    }
    if (!in.flags().contiguous || in.data_size() != in.size() ||
        (layout != nullptr && layout->strides() != in.strides())) {
      return nullptr;
    }
    layout = &in;
  }
  return layout;
}

// Gives `out` a buffer: that of a dying input of the same layout, or a fresh one.
void allocate_elementwise_output(std::span<const array> inputs, array& out) {
  const array* layout = dense_layout(inputs);
  const Strides& strides = layout != nullptr ? layout->strides() : out.strides();
  for (const array& in : inputs) {
    if (in.itemsize() != out.itemsize() || in.data_size() != out.size() ||
        in.strides() != strides) {
      continue;
    }
    uint32_t handles = 0;
    for (const array& other : inputs) {
      handles += other.id() == in.id();
    }
    if (can_donate(in, out, handles)) {
      out.copy_shared_buffer(in);
      return;
    }
  }
  if (layout != nullptr && !layout->flags().row_contiguous) {
    allocate_output(out, Strides(strides));
  } else {
    allocate_output(out);
  }
}

void run_instruction(Op op, std::span<const array> inputs, array& out) {
  if (out.size() == 0) {
    return;
  }
  fuse::Input operands[3];
  for (size_t i = 0; i < inputs.size(); ++i) {
    operands[i] = {inputs[i].data<void>(), inputs[i].dtype(), inputs[i].strides().data()};
  }
  const uint16_t count = static_cast<uint16_t>(inputs.size());
  const fuse::Instruction instruction{op, inputs.back().dtype(), out.dtype(), {0, 1, 2}};
  const fuse::Output result{count, out.data<void>(), out.strides().data()};
  fuse::run({static_cast<int>(out.ndim()), out.shape().data(), count, operands, 1, &instruction, 1,
             &result});
}

}  // namespace

void ElementwisePrimitive::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  allocate_elementwise_output(inputs, outputs[0]);
  run_instruction(op_, inputs, outputs[0]);
}

void DivMod::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& quotient = outputs[0];
  array& remainder = outputs[1];
  allocate_output(quotient);
  allocate_output(remainder);
  if (quotient.size() == 0) {
    return;
  }
  const Dtype::Val dtype = quotient.dtype();
  const fuse::Input operands[] = {
      {inputs[0].data<void>(), dtype, inputs[0].strides().data()},
      {inputs[1].data<void>(), dtype, inputs[1].strides().data()},
  };
  const fuse::Instruction instructions[] = {
      {Op::FloorDivide, dtype, dtype, {0, 1, 0}},
      {Op::Remainder, dtype, dtype, {0, 1, 0}},
  };
  const fuse::Output results[] = {
      {2, quotient.data<void>(), quotient.strides().data()},
      {3, remainder.data<void>(), remainder.strides().data()},
  };
  fuse::run({static_cast<int>(quotient.ndim()), quotient.shape().data(), 2, operands, 2,
             instructions, 2, results});
}

}  // namespace mlx::core
