// Fusion on the graph: groups the elementwise nodes of a tape into programs of
// the engine and runs them. The engine itself knows no graph.
#include <algorithm>
#include <array>
#include <vector>

#include "mlx/core/evaluation.h"
#include "mlx/core/node.h"
#include "mlx/fuse/engine.h"

namespace mlx::core::detail {

namespace {

using fuse::LaneClass;
using fuse::Op;

constexpr size_t kDtypeCount = 14;

constexpr int32_t kUnread = -1;    // no consumer on the tape so far
constexpr int32_t kSeparate = -2;  // consumers in several groups, or outside of any

struct Entry {
  int32_t candidate = kUnread;  // group of all consumers seen so far
  int32_t group = kSeparate;
  int32_t next = -1;  // next member of the group, in execution order
};

struct Group {
  int32_t root;
  int32_t head;  // first member in execution order
  LaneClass lanes;
  uint16_t instructions;
  uint16_t outputs;
  uint16_t leaves;  // upper bound
};

struct Planner {
  std::vector<Entry> entries;
  std::vector<Group> groups;
};

Op op_of(const Node* node) { return static_cast<Op>(node->elementwise_op); }

inline Dtype::Val operand_dtype(Node* node) {
  const std::span<array> inputs = node->inputs();
  return inputs[op_of(node) == Op::Select ? 1 : 0].node()->dtype;
}

// The class of an operation on operands of type `dtype`, casts excepted.
inline LaneClass lanes_of(Dtype::Val dtype) {
  static const std::array<LaneClass, kDtypeCount> table = [] {
    std::array<LaneClass, kDtypeCount> classes;
    for (size_t i = 0; i < kDtypeCount; ++i) {
      const auto val = static_cast<Dtype::Val>(i);
      classes[i] = fuse::lane_class(Op::Copy, val, val);
    }
    return classes;
  }();
  return table[static_cast<size_t>(dtype)];
}

LaneClass lanes_of(Node* node) {
  return op_of(node) == Op::Cast ? fuse::lane_class(Op::Cast, operand_dtype(node), node->dtype)
                                 : lanes_of(operand_dtype(node));
}

// A Cast between lane classes can only convert while loading or storing.
bool crosses_lanes(Node* node) {
  return op_of(node) == Op::Cast && node->dtype != Dtype::Val::bool_ &&
         operand_dtype(node) != Dtype::Val::bool_ &&
         lanes_of(operand_dtype(node)) != lanes_of(node->dtype);
}

bool same_stream(Node* a, Node* b) {
  return a->primitive == b->primitive || a->primitive->stream() == b->primitive->stream();
}

}  // namespace

void plan_steps(std::span<Node* const> tape, Plan& plan) {
  const auto count = static_cast<int32_t>(tape.size());
  if (count == 1 || !fusion_enabled()) {
    plan.members.assign(tape.begin(), tape.end());
    for (int32_t i = 0; i < count; ++i) {
      plan.steps.push_back({static_cast<uint32_t>(i), 1});
    }
    return;
  }

  static thread_local Planner planner;
  std::vector<Entry>& entries = planner.entries;
  std::vector<Group>& groups = planner.groups;
  entries.assign(tape.size(), Entry{});
  groups.clear();
  // Consumers first: a node joins the group of its consumers when they are all
  // in one, so that groups have no way out and back in.
  for (int32_t i = count; i-- > 0;) {
    Node* node = tape[i];
    Entry& entry = entries[i];
    const bool elementwise = node->elementwise_op >= 0 && node->group == nullptr;
    const bool keep = (node->schedule & kKeep) != 0;
    bool separate_inputs = false;  // inputs must not join the node's group

    Group* group = entry.candidate >= 0 ? &groups[entry.candidate] : nullptr;
    bool joins = group != nullptr && node->group == nullptr &&
                 group->instructions < fuse::max_instructions &&
                 (!keep || group->outputs < fuse::max_outputs);
    if (joins && elementwise) {
      Node* root = tape[group->root];
      const auto arity = static_cast<uint16_t>(node->inputs().size());
      joins = node->shape == root->shape && same_stream(node, root) &&
              group->leaves + arity <= fuse::max_inputs;
      if (joins && crosses_lanes(node)) {
        joins = !keep &&
                fuse::cast_joins_at_load(operand_dtype(node), node->dtype, group->lanes);
        separate_inputs = true;
      } else if (joins) {
        const LaneClass lanes = lanes_of(node);
        joins = fuse::joins(lanes, group->lanes);
        if (joins && group->lanes == LaneClass::any) {
          group->lanes = lanes;
        }
      }
      if (joins) {
        group->leaves = static_cast<uint16_t>(group->leaves + arity - 1);
        group->instructions++;
        group->outputs += keep ? 1 : 0;
      }
    } else if (joins) {
      // A broadcast view that only the group reads becomes a load with zero strides.
      joins = !keep && node->primitive->broadcasts() && same_stream(node, tape[group->root]);
      separate_inputs = true;
    }

    if (joins) {
      entry.group = entry.candidate;
      entry.next = group->head;
      group->head = i;
    } else if (elementwise) {
      entry.group = static_cast<int32_t>(groups.size());
      separate_inputs = false;
      LaneClass lanes = LaneClass::any;
      if (crosses_lanes(node)) {
        // A root that converts while storing: the rest computes in the operand's lanes.
        lanes = lanes_of(operand_dtype(node));
        separate_inputs = !fuse::cast_joins_at_store(operand_dtype(node), node->dtype, lanes);
      } else {
        lanes = lanes_of(node);
      }
      groups.push_back(
          {i, i, lanes, 1, 1, static_cast<uint16_t>(std::max<size_t>(1, node->inputs().size()))});
    } else {
      entry.group = kSeparate;
    }

    const int32_t offered = separate_inputs ? kSeparate : entry.group;
    for (const array& input : node->inputs()) {
      Node* producer = input.node()->representative();
      if (producer->index >= tape.size() || tape[producer->index] != producer) {
        continue;
      }
      int32_t& candidate = entries[producer->index].candidate;
      candidate = candidate == kUnread || candidate == offered ? offered : kSeparate;
    }
  }

  plan.members.resize(tape.size());
  uint32_t placed = 0;
  for (int32_t i = 0; i < count; ++i) {
    const Entry& entry = entries[i];
    const uint32_t begin = placed;
    if (entry.group == kSeparate) {
      plan.members[placed++] = tape[i];
      plan.steps.push_back({begin, 1});
    } else if (groups[entry.group].root == i) {
      for (int32_t m = groups[entry.group].head; m >= 0; m = entries[m].next) {
        plan.members[placed++] = tape[m];
      }
      plan.steps.push_back({begin, placed - begin});
    }
  }
}

namespace {

struct Leaf {
  Node* node;
  const int64_t* strides;  // for the shape of the group
  uint32_t handles;        // how many members hold the node
  bool view;               // read through an absorbed broadcast
  bool donated;
};

// Strides of `node` stretched to `shape`, written to `out`.
void broadcast_strides(const Node* node, const Shape& shape, int64_t* out) {
  const size_t missing = shape.size() - node->shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool stretched = d < missing || (node->shape[d - missing] == 1 && shape[d] != 1);
    out[d] = stretched ? 0 : node->strides[d - missing];
  }
}

// The layout of the outputs: that of the inputs if they agree on a dense one.
const Strides* common_layout(const Leaf* leaves, int count, const Node* root) {
  const Strides* layout = nullptr;
  for (int i = 0; i < count; ++i) {
    const Node* node = leaves[i].node;
    if (node->size == 1) {
      continue;
    }
    if (leaves[i].view || node->flags.row_contiguous || !node->flags.contiguous ||
        node->data_size != node->size || (layout != nullptr && *layout != node->strides)) {
      return nullptr;
    }
    for (size_t d = 0; d < root->shape.size(); ++d) {
      if (node->strides[d] <= 0 && root->shape[d] > 1) {
        return nullptr;
      }
    }
    layout = &node->strides;
  }
  return layout;
}

// Arithmetic of one element, bit for bit what a program gives: one rounding per
// operation. Other operations go through the engine.
template <typename T>
bool scalar_result(Op op, T a, T b, T* out) {
  switch (op) {
    case Op::Add:
      *out = a + b;
      return true;
    case Op::Subtract:
      *out = a - b;
      return true;
    case Op::Multiply:
      *out = a * b;
      return true;
    case Op::Divide:
      *out = a / b;
      return true;
    case Op::Square:
      *out = a * a;
      return true;
    case Op::Negative:
      *out = -a;
      return true;
    default:
      return false;
  }
}

// Runs nodes of one element of type T, absorbed views among them; see run_numbers.
template <typename T>
bool run_numbers(std::span<Node* const> nodes, Dtype::Val dtype, T* values) {
  uint32_t count = 0;
  for (Node* node : nodes) {
    if (node->elementwise_op < 0) {
      continue;
    }
    const std::span<array> inputs = node->inputs();
    T operands[2] = {};
    if (node->dtype != dtype || inputs.size() > 2) {
      return false;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      Node* input = inputs[i].node();
      if (input->load_status() != array::available) {
        if (input->elementwise_op >= 0) {
          operands[i] = values[input->index];
          continue;
        }
        input = input->inputs()[0].node();
      }
      if (input->dtype != dtype) {
        return false;
      }
      operands[i] = *static_cast<const T*>(input->data_pointer());
    }
    if (!scalar_result(op_of(node), operands[0], operands[1], &values[count])) {
      return false;
    }
    node->index = count++;
  }
  for (Node* node : nodes) {
    if (node == nodes.back() || (node->schedule & kKeep) != 0) {
      array& out = borrow(node);
      allocate_output(out);
      *out.data<T>() = values[node->index];
    }
  }
  return true;
}

template <typename T>
bool run_numbers(std::span<Node* const> nodes, Dtype::Val dtype) {
  constexpr size_t few = fuse::max_instructions;
  if (nodes.size() <= few) {
    T values[few];
    return run_numbers(nodes, dtype, values);
  }
  std::vector<T> values(nodes.size());
  return run_numbers(nodes, dtype, values.data());
}

}  // namespace

bool run_numbers(std::span<Node* const> nodes) {
  switch (const Dtype::Val dtype = nodes.back()->dtype) {
    case Dtype::Val::float32:
      return run_numbers<float>(nodes, dtype);
    case Dtype::Val::float64:
      return run_numbers<double>(nodes, dtype);
    default:
      return false;
  }
}

void run_fused(std::span<Node* const> members) {
  Node* root = members.back();
  const Shape& shape = root->shape;
  if (root->size == 1 && run_numbers(members)) {
    return;
  }
  std::array<Leaf, fuse::max_inputs> leaves;
  std::array<fuse::Instruction, fuse::max_instructions> instructions;
  int leaf_count = 0;
  int instruction_count = 0;
  // Member ids are complemented until the number of leaves is known.
  std::array<std::array<int32_t, 3>, fuse::max_instructions> args;
  static thread_local std::vector<int64_t> stride_storage;
  if (stride_storage.size() < fuse::max_inputs * shape.size()) {
    stride_storage.resize(fuse::max_inputs * shape.size());
  }

  auto leaf_id = [&](Node* node, Node* view) {
    for (int i = 0; i < leaf_count; ++i) {
      if (leaves[i].node == node && leaves[i].view == (view != nullptr)) {
        leaves[i].handles += view != nullptr ? 0 : 1;
        return i;
      }
    }
    const int64_t* strides = node->strides.data();
    if (view != nullptr) {
      int64_t* own = stride_storage.data() + leaf_count * shape.size();
      broadcast_strides(node, shape, own);
      strides = own;
    }
    leaves[leaf_count] = {node, strides, 1, view != nullptr, false};
    return leaf_count++;
  };

  for (Node* member : members) {
    if (member->elementwise_op < 0) {
      continue;  // an absorbed view
    }
    fuse::Instruction& instruction = instructions[instruction_count];
    const std::span<array> inputs = member->inputs();
    instruction.op = op_of(member);
    instruction.in = operand_dtype(member);
    instruction.out = member->dtype;
    for (size_t i = 0; i < inputs.size(); ++i) {
      Node* input = inputs[i].node();
      if (input->load_status() == array::available) {
        args[instruction_count][i] = leaf_id(input, nullptr);
      } else if (input->elementwise_op >= 0) {
        args[instruction_count][i] = ~static_cast<int32_t>(input->index);
      } else {
        args[instruction_count][i] = leaf_id(input->inputs()[0].node(), input);
      }
    }
    member->index = static_cast<uint32_t>(instruction_count++);
  }
  for (int k = 0; k < instruction_count; ++k) {
    for (int i = 0; i < 3; ++i) {
      const int32_t id = i < fuse::arity(instructions[k].op) ? args[k][i] : 0;
      instructions[k].args[i] = static_cast<uint16_t>(id >= 0 ? id : leaf_count + ~id);
    }
  }

  std::array<fuse::Input, fuse::max_inputs> inputs;
  for (int i = 0; i < leaf_count; ++i) {
    inputs[i] = {leaves[i].node->data_pointer(), leaves[i].node->dtype, leaves[i].strides};
  }

  const Strides* layout = common_layout(leaves.data(), leaf_count, root);
  std::array<fuse::Output, fuse::max_outputs> outputs;
  int output_count = 0;
  for (Node* member : members) {
    if (member != root && (member->schedule & kKeep) == 0) {
      continue;
    }
    array& out = borrow(member);
    Leaf* donor = nullptr;
    for (int i = 0; i < leaf_count && donor == nullptr; ++i) {
      Leaf& leaf = leaves[i];
      const bool same_layout =
          !leaf.view && (layout != nullptr ? leaf.node->strides == *layout
                                           : leaf.node->flags.row_contiguous);
      if (same_layout && !leaf.donated && leaf.node->shape == shape &&
          can_donate(borrow(leaf.node), out, leaf.handles)) {
        donor = &leaf;
      }
    }
    if (donor != nullptr) {
      donor->donated = true;
      out.copy_shared_buffer(borrow(donor->node));
    } else if (layout != nullptr) {
      allocate_output(out, *layout);
    } else {
      allocate_output(out);
    }
    outputs[output_count++] = {static_cast<uint16_t>(leaf_count + member->index),
                               member->data_pointer(), member->strides.data()};
  }
  if (root->size == 0) {
    return;
  }

  fuse::Program program;
  program.ndim = static_cast<int>(shape.size());
  program.shape = shape.data();
  program.num_inputs = leaf_count;
  program.inputs = inputs.data();
  program.num_instructions = instruction_count;
  program.instructions = instructions.data();
  program.num_outputs = output_count;
  program.outputs = outputs.data();
  fuse::run(program);
}

}  // namespace mlx::core::detail
