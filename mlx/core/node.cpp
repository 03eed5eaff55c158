// Life of graph nodes: building, counting, dropping without recursion, and the
// methods of the array handle over them. How nodes get their values is in
// eval.cpp.
#include "mlx/core/node.h"

#include <cstring>
#include <string>

#include "mlx/core/allocator_classes.h"
#include "mlx/core/evaluation.h"
#include "mlx/core/graph_ops.h"
#include "mlx/core/slab.h"
#include "mlx/core/tracing.h"
#include "mlx/transforms.h"

namespace mlx::core {

namespace {

// Nodes whose count fell to zero while another one is being destroyed on this
// thread; the outermost release works them off, so that no chain recurses.
constinit thread_local Node* doomed __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local bool destroying __attribute__((tls_model("initial-exec"))) = false;

void destroy_all(Node* first) {
  if (destroying) {
    first->next = doomed;
    doomed = first;
    return;
  }
  destroying = true;
  delete first;
  while (doomed != nullptr) {
    Node* node = doomed;
    doomed = node->next;
    delete node;
  }
  destroying = false;
}

// Handles to nodes of a group: the step to zero happens under the group's lock,
// because a sibling may hand out a new handle at the same time.
void release_grouped(Node* node) {
  uint32_t refs = node->refs.load(std::memory_order_relaxed);
  while (refs > 1) {
    if (node->refs.compare_exchange_weak(refs, refs - 1, std::memory_order_acq_rel)) {
      return;
    }
  }
  NodeGroup* group = node->group;
  std::shared_ptr<array::Data> data;
  bool last = false;
  {
    std::lock_guard lock(group->mutex);
    if (node->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) {
      return;
    }
    last = --group->live == 0;
    if (group->detached && !last) {
      data = std::move(node->data);  // nobody can ask for it any more
    }
  }
  if (last) {
    std::vector<Node*> outputs = std::move(group->outputs);
    delete group;
    for (Node* output : outputs) {
      output->group = nullptr;
      destroy_all(output);
    }
  }
}

void acquire_grouped(Node* node) {
  uint32_t refs = node->refs.load(std::memory_order_relaxed);
  while (refs > 0) {
    if (node->refs.compare_exchange_weak(refs, refs + 1, std::memory_order_relaxed)) {
      return;
    }
  }
  std::lock_guard lock(node->group->mutex);
  if (node->refs.fetch_add(1, std::memory_order_relaxed) == 0) {
    ++node->group->live;
  }
}

Node* new_node(const Shape& shape, Dtype dtype) { return new Node(shape, dtype.val()); }

// An effective tracer among the inputs marks the node.
bool any_tracer(std::span<const array> inputs) {
  for (const array& input : inputs) {
    if (input.is_tracer()) {
      return true;
    }
  }
  return false;
}

std::mutex& extras_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

}  // namespace

// Node

void* Node::operator new(size_t) { return Slab<sizeof(Node), alignof(Node)>::allocate(); }
void Node::operator delete(void* memory) { Slab<sizeof(Node), alignof(Node)>::deallocate(memory); }

Node::Node(const Shape& shape_, Dtype::Val dtype_) : dtype(dtype_), shape(shape_) {
  const size_t ndim = shape.size();
  if (ndim == 0) {
    size = 1;
  } else if (ndim == 1) {
    size = shape[0];
    strides.push_back(1);
  } else {
    size = checked_size(shape, "array");
    strides = row_major_strides(shape);
  }
}

Node::~Node() {
  drop_inputs();
  if (extras != nullptr) {
    // The sibling handles own nothing.
    for (array& sibling : extras->siblings) {
      sibling.node_ = nullptr;
    }
    delete extras;
  }
}

array* Node::reserve_inputs(uint32_t count) {
  inputs_ptr = count <= kInlineInputs ? reinterpret_cast<array*>(inline_inputs)
                                      : static_cast<array*>(::operator new(count * sizeof(array)));
  return inputs_ptr;
}

void Node::drop_inputs() {
  const uint32_t count = input_count;
  input_count = 0;
  for (uint32_t i = 0; i < count; ++i) {
    inputs_ptr[i].~array();
  }
  if (count > kInlineInputs) {
    ::operator delete(inputs_ptr);
  }
  if (inputs_in_extras) [[unlikely]] {
    std::vector<array> dropped = std::move(extras->inputs);
    extras->inputs.clear();
  }
}

void Node::drop_graph() {
  drop_inputs();
  primitive.reset();
  elementwise_op = -1;
}

NodeExtras& Node::need_extras() {
  if (extras == nullptr) {
    extras = new NodeExtras;
  }
  return *extras;
}

// Handles

void array::acquire(Node* node) {
  if (node == nullptr) {
    return;
  }
  if (node->group != nullptr) [[unlikely]] {
    acquire_grouped(node);
    return;
  }
  node->refs.fetch_add(1, std::memory_order_relaxed);
}

void array::release(Node* node) {
  if (node->group != nullptr) [[unlikely]] {
    release_grouped(node);
    return;
  }
  // The only owner needs no atomic step down.
  if (node->refs.load(std::memory_order_acquire) == 1 ||
      node->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    destroy_all(node);
  }
}

Node* array::make_filled(Shape shape, Dtype dtype, void** data) {
  array out(new_node(shape, dtype), nullptr);
  allocate_output(out);
  out.node_->status.store(available, std::memory_order_relaxed);
  *data = out.raw_data();
  return std::exchange(out.node_, nullptr);
}

array::array(const std::complex<float>& val, Dtype dtype) {
  const complex64_t value = val;
  init(&value, Shape{}, dtype);
}

array::array(std::initializer_list<float> data) {
  init(data.begin(), Shape{static_cast<ShapeElem>(data.size())}, float32);
}

array::array(std::initializer_list<int> data, Dtype dtype) {
  init(data.begin(), Shape{static_cast<ShapeElem>(data.size())}, dtype);
}

array::array(void* data, Shape shape, Dtype dtype, const std::function<void(void*)>& deleter)
    : node_(new_node(shape, dtype)) {
  allocator::Buffer adopted = allocator::make_buffer(data, nbytes());
  if (adopted.ptr() != nullptr) {
    set_data(adopted, [deleter, data](allocator::Buffer buffer) {
      allocator::release(buffer);
      deleter(data);
    });
  } else {
    allocate_output(*this);
    std::memcpy(raw_data(), data, nbytes());
    deleter(data);
  }
  set_status(available);
}

array::array(allocator::Buffer data, Shape shape, Dtype dtype, Deleter deleter)
    : node_(new_node(shape, dtype)) {
  set_data(data, std::move(deleter));
  set_status(available);
}

array::array(Shape shape, Dtype dtype, std::shared_ptr<Primitive> primitive,
             std::vector<array> inputs)
    : node_(nullptr) {
  array made = make_array(std::move(shape), dtype, primitive, std::span<array>(inputs));
  std::swap(node_, made.node_);
}

array make_array(const Shape& shape, Dtype dtype, const std::shared_ptr<Primitive>& primitive,
                 std::span<array> inputs) {
  Node* node = new_node(shape, dtype);
  node->primitive = primitive;
  if (primitive) {
    node->elementwise_op = static_cast<int16_t>(primitive->elementwise_op());
  }
  node->tracer = detail::tracing_active() && any_tracer(inputs);
  array* slots = node->reserve_inputs(static_cast<uint32_t>(inputs.size()));
  for (array& input : inputs) {
    new (slots++) array(std::move(input));
  }
  node->input_count = static_cast<uint32_t>(inputs.size());
  return array(node, nullptr);
}

array make_placeholder(const Shape& shape, Dtype dtype) {
  Node* node = new_node(shape, dtype);
  node->tracer = true;
  return array(node, nullptr);
}

std::vector<array> array::make_arrays(std::vector<Shape> shapes, const std::vector<Dtype>& dtypes,
                                      const std::shared_ptr<Primitive>& primitive,
                                      const std::vector<array>& inputs) {
  // The first output holds the inputs for all of them.
  std::vector<array> outputs;
  outputs.reserve(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::vector<array> held;
    if (i == 0) {
      held = inputs;
    }
    outputs.push_back(
        make_array(std::move(shapes[i]), dtypes[i], primitive, std::span<array>(held)));
    outputs[i].node_->tracer = outputs[0].node_->tracer;
  }
  if (outputs.size() > 1) {
    auto* group = new NodeGroup;
    group->live = static_cast<uint32_t>(outputs.size());
    group->outputs.reserve(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].node_->position = static_cast<uint16_t>(i);
      group->outputs.push_back(outputs[i].node_);
    }
    for (array& output : outputs) {
      output.node_->group = group;
    }
  }
  return outputs;
}

void array::set_siblings(std::vector<array> siblings, uint16_t position) {
  // Each output calls this in turn with the same set; the first call builds the group.
  node_->position = position;
  if (node_->group != nullptr || siblings.empty()) {
    return;
  }
  if (position != 0) {
    throw std::invalid_argument("[array] set_siblings starts with the first output");
  }
  auto* group = new NodeGroup;
  siblings.insert(siblings.begin() + position, *this);
  for (size_t i = 0; i < siblings.size(); ++i) {
    siblings[i].node_->position = static_cast<uint16_t>(i);
    group->outputs.push_back(siblings[i].node_);
  }
  group->live = static_cast<uint32_t>(siblings.size());
  for (array& sibling : siblings) {
    sibling.node_->group = group;
  }
}

array array::unsafe_weak_copy(const array& other) {
  array copy(new_node(other.shape(), other.dtype()), nullptr);
  copy.set_data(other.buffer(), other.data_size(), other.strides(), other.flags(), other.offset(),
                [](allocator::Buffer) {});
  copy.set_status(available);
  return copy;
}

// Properties

size_t array::itemsize() const { return size_of(dtype()); }
size_t array::size() const { return static_cast<size_t>(node_->size); }
size_t array::nbytes() const { return size() * itemsize(); }
size_t array::ndim() const { return node_->shape.size(); }
const Shape& array::shape() const { return node_->shape; }
const Strides& array::strides() const { return node_->strides; }

namespace {

size_t checked_dimension(int dim, size_t ndim, const char* what) {
  const int n = static_cast<int>(ndim);
  const int index = dim < 0 ? dim + n : dim;
  if (index < 0 || index >= n) {
    throw std::out_of_range(std::string("[") + what + "] dimension " + std::to_string(dim) +
                            " is out of range for an array with " + std::to_string(n) +
                            " dimensions");
  }
  return static_cast<size_t>(index);
}

// Dtype has no default constructor, so the table is indexed through a switch-free list.
constexpr Dtype kDtypes[] = {bool_, uint8,   uint16,  uint32,  uint64,   int8,     int16,
                             int32, int64,   float16, float32, float64,  bfloat16, complex64};

}  // namespace

ShapeElem array::shape(int dim) const { return shape()[checked_dimension(dim, ndim(), "shape")]; }
int64_t array::strides(int dim) const {
  return strides()[checked_dimension(dim, ndim(), "strides")];
}
Dtype array::dtype() const { return kDtypes[static_cast<int>(node_->dtype)]; }

// Graph

std::uintptr_t array::primitive_id() const {
  return node_->group != nullptr ? reinterpret_cast<std::uintptr_t>(node_->group) : id();
}

Primitive& array::primitive() const { return *node_->primitive; }
std::shared_ptr<Primitive>& array::primitive_ptr() const { return node_->primitive; }
bool array::has_primitive() const { return node_->primitive != nullptr; }

std::vector<array>& array::inputs() {
  std::lock_guard lock(extras_mutex());
  Node* holder = node_->representative();
  NodeExtras& extras = holder->need_extras();
  if (!holder->inputs_in_extras) {
    // The handles move, so that their count, which decides donation, stays.
    extras.inputs.reserve(holder->input_count);
    for (uint32_t i = 0; i < holder->input_count; ++i) {
      extras.inputs.push_back(std::move(holder->inputs_ptr[i]));
    }
    holder->drop_inputs();
    holder->inputs_in_extras = true;
  }
  return extras.inputs;
}
const std::vector<array>& array::inputs() const { return const_cast<array*>(this)->inputs(); }

std::vector<array>& array::siblings() {
  std::lock_guard lock(extras_mutex());
  NodeExtras& extras = node_->need_extras();
  if (!extras.has_siblings) {
    if (node_->group != nullptr && !node_->group->detached) {
      for (Node* output : node_->group->outputs) {
        if (output != node_) {
          extras.siblings.emplace_back(output, nullptr);
        }
      }
    }
    extras.has_siblings = true;
  }
  return extras.siblings;
}
const std::vector<array>& array::siblings() const { return const_cast<array*>(this)->siblings(); }

int array::sibling_position() const { return node_->position; }

std::vector<array> array::outputs() const {
  NodeGroup* group = node_->group;
  if (group == nullptr || group->detached) {
    return {*this};
  }
  std::vector<array> all;
  all.reserve(group->outputs.size());
  for (Node* output : group->outputs) {
    acquire(output);
    all.emplace_back(output, nullptr);
  }
  return all;
}

void array::detach() {
  NodeGroup* group = node_->group;
  if (group == nullptr) {
    node_->drop_graph();
    return;
  }
  std::vector<std::shared_ptr<Data>> dropped;
  std::vector<Node*> outputs;
  {
    std::lock_guard lock(group->mutex);
    group->detached = true;
    outputs = group->outputs;
    for (Node* output : outputs) {
      if (output->refs.load(std::memory_order_acquire) == 0) {
        dropped.push_back(std::move(output->data));
      }
    }
  }
  for (Node* output : outputs) {
    output->drop_graph();
    if (output->extras != nullptr) {
      for (array& sibling : output->extras->siblings) {
        sibling.node_ = nullptr;
      }
      output->extras->siblings.clear();
    }
  }
}

bool array::is_donatable() const {
  return detail::donation_allowed() && node_->refs.load(std::memory_order_acquire) == 1 && node_->data.use_count() == 1;
}

void array::set_tracer(bool is_tracer) { node_->tracer = is_tracer; }
bool array::is_tracer() const {
  return (node_->tracer && detail::in_tracing()) || detail::retain_graph();
}

// Data

const array::Flags& array::flags() const { return node_->flags; }
size_t array::data_size() const { return static_cast<size_t>(node_->data_size); }
allocator::Buffer& array::buffer() { return node_->data->buffer; }
const allocator::Buffer& array::buffer() const { return node_->data->buffer; }
size_t array::buffer_size() const { return allocator::allocator().size(buffer()); }
const std::shared_ptr<array::Data>& array::data_shared_ptr() const { return node_->data; }
int64_t array::offset() const { return node_->offset; }
void* array::raw_data() const { return node_->data_pointer(); }

array::Status array::status() const { return node_->load_status(); }
void array::set_status(Status s) const { node_->status.store(s, std::memory_order_release); }

void array::set_data(allocator::Buffer buffer, Deleter d) {
  node_->data = std::allocate_shared<Data>(SlabAllocator<Data>(), buffer, std::move(d));
  node_->offset = 0;
  node_->data_size = node_->size;
  bool column = node_->size <= 1;
  for (size_t i = 0; !column && i < node_->shape.size(); ++i) {
    column = node_->shape[i] == node_->size;
  }
  node_->flags = Flags{true, true, column};
}

void array::set_data(allocator::Buffer buffer, size_t data_size, Strides strides, Flags flags,
                     Deleter d) {
  set_data(buffer, data_size, std::move(strides), flags, 0, std::move(d));
}

void array::set_data(allocator::Buffer buffer, size_t data_size, Strides strides, Flags flags,
                     int64_t offset, Deleter d) {
  node_->data = std::allocate_shared<Data>(SlabAllocator<Data>(), buffer, std::move(d));
  node_->offset = offset;
  node_->data_size = static_cast<int64_t>(data_size);
  node_->strides = std::move(strides);
  node_->flags = flags;
}

void array::copy_shared_buffer(const array& other, const Strides& strides, Flags flags,
                               size_t data_size, int64_t offset) {
  node_->data = other.node_->data;
  node_->offset = other.node_->offset + offset * static_cast<int64_t>(itemsize());
  node_->data_size = static_cast<int64_t>(data_size);
  node_->strides = strides;
  node_->flags = flags;
}

void array::copy_shared_buffer(const array& other) {
  copy_shared_buffer(other, other.strides(), other.flags(), other.data_size());
}

array::Flags flags_of(const Shape& shape, const Strides& strides, int64_t data_size) {
  int64_t row = 1;
  int64_t column = 1;
  int64_t filled = 1;
  bool row_contiguous = true;
  bool col_contiguous = true;
  const int ndim = static_cast<int>(shape.size());
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] == 0) {
      return array::Flags{true, true, true};
    }
    const int back = ndim - 1 - i;
    row_contiguous &= shape[back] == 1 || strides[back] == row;
    row *= shape[back];
    col_contiguous &= shape[i] == 1 || strides[i] == column;
    column *= shape[i];
    if (strides[i] > 0) {
      filled *= shape[i];
    }
  }
  return array::Flags{filled == data_size, row_contiguous, col_contiguous};
}

void allocate_output(array& out) { out.set_data(allocator::malloc(out.nbytes())); }

void allocate_output(array& out, const Strides& strides) {
  const auto size = static_cast<int64_t>(out.size());
  out.set_data(allocator::malloc(out.nbytes()), out.size(), strides,
               flags_of(out.shape(), strides, size));
}

bool can_donate(const array& in, const array& out, uint32_t handles) {
  const Node* node = in.node();
  if (!detail::donation_allowed() || node->refs.load(std::memory_order_acquire) != handles || node->group != nullptr ||
      node->data.use_count() != 1) {
    return false;
  }
  return in.itemsize() == out.itemsize() && in.offset() == 0 &&
         in.buffer_size() == size_class(out.nbytes());
}

// Evaluation

void array::eval() {
  if (status() == available) {
    return;
  }
  core::eval(std::span<const array>(this, 1));
}

void array::item_check() const {
  if (size() != 1) {
    throw std::invalid_argument("[item] only an array of size 1 has an item: got size " +
                                std::to_string(size()));
  }
}

array::ArrayIterator::ArrayIterator(const array& arr, int idx) : arr_(arr), idx_(idx) {
  if (arr.ndim() == 0) {
    throw std::invalid_argument("[array] cannot iterate over a 0-d array");
  }
}

const array array::ArrayIterator::operator*() const { return graph_ops::row(arr_, idx_); }

}  // namespace mlx::core
