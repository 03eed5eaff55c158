// The graph node behind an array handle, and how the library's own rooms build
// nodes without going through vectors. Not part of the public interface.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "mlx/array.h"
#include "mlx/core/primitive.h"

namespace mlx::core {

struct NodeGroup;

// What few nodes ever need.
struct NodeExtras {
  // Built by array::inputs(); from then on it, not the inline handles, counts.
  std::vector<array> inputs;
  // Built by array::siblings(). These handles own nothing: siblings live as
  // long as their group.
  std::vector<array> siblings;
  bool has_siblings = false;
  // Why the last evaluation of the node failed.
  std::exception_ptr error;
};

// Fields stand in the order of how often walks over a graph touch them: the
// passes of an evaluation need the first cache line and, mostly, the second.
struct alignas(64) Node {
  static constexpr uint32_t kInlineInputs = 3;

  std::atomic<uint32_t> refs{1};
  std::atomic<uint8_t> status{array::unscheduled};
  // Set by evaluation: see the Schedule flags in evaluation.h.
  uint8_t schedule = 0;
  bool tracer = false;
  // NodeExtras::inputs, not the handles below, are the inputs.
  bool inputs_in_extras = false;
  int16_t elementwise_op = -1;
  Dtype::Val dtype;
  array::Flags flags{true, true, true};
  uint32_t input_count = 0;

  std::shared_ptr<Primitive> primitive;
  NodeGroup* group = nullptr;

  // Scratch of whoever walks the graph: evaluation uses it under the scheduling
  // mutex.
  uint64_t mark = 0;
  uint32_t uses = 0;
  uint32_t index = 0;

  // The inputs, inline or in a heap block; `input_count` of them.
  array* inputs_ptr = nullptr;
  alignas(array) std::byte inline_inputs[kInlineInputs * sizeof(array)];

  NodeExtras* extras = nullptr;
  int64_t size = 0;
  std::shared_ptr<array::Data> data;
  Node* next = nullptr;  // the list of nodes that are being destroyed

  Shape shape;
  Strides strides;
  int64_t data_size = 0;
  int64_t offset = 0;  // bytes
  uint16_t position = 0;

  Node(const Shape& shape_, Dtype::Val dtype_);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  static void* operator new(size_t size);
  static void operator delete(void* memory);

  // The node that stands for the computation: the first output of a group.
  Node* representative();

  // Handles to the inputs; call it on the representative.
  std::span<array> inputs() {
    if (inputs_in_extras) [[unlikely]] {
      return extras->inputs;
    }
    return {inputs_ptr, input_count};
  }

  // Makes room for `count` handles and returns the uninitialised storage.
  array* reserve_inputs(uint32_t count);
  // Drops handles to inputs; whatever dies with them is destroyed without recursion.
  void drop_inputs();
  // Forgets primitive and inputs.
  void drop_graph();
  NodeExtras& need_extras();

  void* data_pointer() const {
    return data ? static_cast<std::byte*>(const_cast<allocator::Buffer&>(data->buffer).raw_ptr()) +
                      offset
                : nullptr;
  }
  array::Status load_status() const {
    return static_cast<array::Status>(status.load(std::memory_order_acquire));
  }
};

// The outputs of one call of a primitive with several outputs. They live and
// die together: handles to any of them keep all of them.
struct NodeGroup {
  std::mutex mutex;
  uint32_t live = 0;  // outputs that some handle refers to
  std::atomic<bool> detached{false};
  std::vector<Node*> outputs;
};

inline Node* Node::representative() { return group != nullptr ? group->outputs[0] : this; }

// An array handle seen as its node and the other way round, without counting.
inline array& borrow(Node*& node) { return reinterpret_cast<array&>(node); }
inline const array& borrow(Node* const& node) { return reinterpret_cast<const array&>(node); }

// A node with one output. `inputs` are moved into the node.
MLX_API array make_array(const Shape& shape, Dtype dtype, const std::shared_ptr<Primitive>& primitive,
                         std::span<array> inputs);

template <typename... Arrays>
array make_array(const Shape& shape, Dtype dtype, const std::shared_ptr<Primitive>& primitive,
                 Arrays&&... inputs)
  requires(is_arrays_v<Arrays...> && sizeof...(Arrays) > 0)
{
  array list[] = {std::forward<Arrays>(inputs)...};
  return make_array(shape, dtype, primitive, std::span<array>(list));
}

// A placeholder of a trace: shape and dtype, never any data.
MLX_API array make_placeholder(const Shape& shape, Dtype dtype);

// Strides of a dense array and the flags that follow from them.
MLX_API array::Flags flags_of(const Shape& shape, const Strides& strides, int64_t data_size);

// Gives `out` a fresh row-major buffer.
MLX_API void allocate_output(array& out);
// Gives `out` a fresh buffer with the given dense strides.
MLX_API void allocate_output(array& out, const Strides& strides);
// `in` is about to be dropped by its only reader and `out` may take its buffer:
// nobody else holds it and the buffers are of one size class.
MLX_API bool can_donate(const array& in, const array& out, uint32_t handles = 1);

}  // namespace mlx::core
