// The array class: a handle to a node of the computation graph. A node either
// holds data or knows the primitive and inputs that will produce them. What a
// node looks like inside is in mlx/core/node.h.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "mlx/allocator.h"
#include "mlx/api.h"
#include "mlx/core/shape.h"
#include "mlx/dtype.h"
#include "mlx/small_vector.h"
#include "mlx/stream.h"

namespace mlx::core {

class Primitive;
class Event;
struct Node;

using Deleter = std::function<void(allocator::Buffer)>;

class MLX_API array {
 public:
  // Construction from values. All are explicit, so that unqualified calls such
  // as `abs(-1.0f)` never turn a scalar into an array.

  /// A 0-d array.
  template <typename T>
  explicit array(T val, Dtype dtype = TypeToDtype<T>());
  explicit array(const std::complex<float>& val, Dtype dtype = complex64);

  /// Reads as many elements from `data` as `shape` has, converting each to `dtype`.
  template <typename It>
  explicit array(It data, Shape shape,
                 Dtype dtype = TypeToDtype<typename std::iterator_traits<It>::value_type>());

  /// A 1-d array.
  template <typename T>
  explicit array(std::initializer_list<T> data, Dtype dtype = TypeToDtype<T>());
  explicit array(std::initializer_list<float> data);
  explicit array(std::initializer_list<int> data, Dtype dtype);

  template <typename T>
  explicit array(std::initializer_list<T> data, Shape shape, Dtype dtype = TypeToDtype<T>());

  /// Adopts memory of the caller, row-major; `deleter(data)` runs exactly once.
  explicit array(void* data, Shape shape, Dtype dtype, const std::function<void(void*)>& deleter);

  /// Wraps a buffer, row-major.
  explicit array(allocator::Buffer data, Shape shape, Dtype dtype,
                 Deleter deleter = allocator::free);

  /// A node that `primitive` will compute from `inputs`.
  array(Shape shape, Dtype dtype, std::shared_ptr<Primitive> primitive, std::vector<array> inputs);

  /// The outputs of a primitive that has several.
  static std::vector<array> make_arrays(std::vector<Shape> shapes, const std::vector<Dtype>& dtypes,
                                        const std::shared_ptr<Primitive>& primitive,
                                        const std::vector<array>& inputs);

  /// A graph-less array over the memory of `other`, which must outlive it.
  static array unsafe_weak_copy(const array& other);

  array& operator=(const array& other) && = delete;
  array& operator=(array&& other) && = delete;
  array& operator=(array&& other) & noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  array& operator=(const array& other) & {
    array copy(other);
    std::swap(node_, copy.node_);
    return *this;
  }
  array(const array& other) : node_(other.node_) { acquire(node_); }
  array(array&& other) noexcept : node_(other.node_) { other.node_ = nullptr; }
  ~array() {
    if (node_ != nullptr) {
      release(node_);
    }
  }

  // Shape and type.

  /// Bytes per element.
  size_t itemsize() const;
  /// Number of elements.
  size_t size() const;
  size_t nbytes() const;
  size_t ndim() const;
  const Shape& shape() const;
  /// Size of one dimension; negative indices count from the end. Throws std::out_of_range.
  ShapeElem shape(int dim) const;
  /// Strides in elements.
  const Strides& strides() const;
  int64_t strides(int dim) const;
  Dtype dtype() const;

  // Evaluation.

  /// Computes the value and waits for it.
  void eval();

  /// The only element, after evaluation. T must match the dtype.
  template <typename T>
  T item();
  template <typename T>
  T item() const;

  /// Iterates over sub-arrays along the first axis, lazily.
  struct MLX_API ArrayIterator {
    using iterator_category = std::random_access_iterator_tag;
    using difference_type = size_t;
    using value_type = const array;
    using reference = value_type;

    explicit ArrayIterator(const array& arr, int idx = 0);
    reference operator*() const;
    ArrayIterator& operator+(difference_type diff) {
      idx_ += static_cast<int>(diff);
      return *this;
    }
    ArrayIterator& operator++() {
      idx_++;
      return *this;
    }
    friend bool operator==(const ArrayIterator& a, const ArrayIterator& b) {
      return a.arr_.id() == b.arr_.id() && a.idx_ == b.idx_;
    }
    friend bool operator!=(const ArrayIterator& a, const ArrayIterator& b) { return !(a == b); }

   private:
    const array& arr_;
    int idx_;
  };
  ArrayIterator begin() const { return ArrayIterator(*this); }
  ArrayIterator end() const { return ArrayIterator(*this, static_cast<int>(shape(0))); }

  // The graph.

  /// Identifies the node; equal for copies of a handle.
  std::uintptr_t id() const { return reinterpret_cast<std::uintptr_t>(node_); }
  /// Identifies the computation: equal for the outputs of one primitive call.
  std::uintptr_t primitive_id() const;

  /// Owner of a buffer; the deleter runs when the last array over it dies.
  struct Data {
    allocator::Buffer buffer;
    Deleter d;
    explicit Data(allocator::Buffer buffer, Deleter d = allocator::free)
        : buffer(buffer), d(std::move(d)) {}
    Data(const Data& d) = delete;
    Data& operator=(const Data& d) = delete;
    Data(Data&& o) : buffer(o.buffer), d(std::move(o.d)) {
      o.buffer = allocator::Buffer(nullptr);
      o.d = [](allocator::Buffer) {};
    }
    ~Data() { d(buffer); }
  };

  struct Flags {
    /// The elements fill the span between the first and the last one.
    bool contiguous : 1;
    bool row_contiguous : 1;
    bool col_contiguous : 1;
  };

  Primitive& primitive() const;
  std::shared_ptr<Primitive>& primitive_ptr() const;
  bool has_primitive() const;

  /// Inputs of the computation. The vector is built on the first call.
  const std::vector<array>& inputs() const;
  std::vector<array>& inputs();

  /// Nothing else refers to the node nor to its buffer.
  bool is_donatable() const;

  /// The other outputs of the computation, in order.
  const std::vector<array>& siblings() const;
  std::vector<array>& siblings();
  int sibling_position() const;
  void set_siblings(std::vector<array> siblings, uint16_t position);
  /// All outputs of the computation, in order.
  std::vector<array> outputs() const;

  /// Forgets the computation; the data stay.
  void detach();

  const Flags& flags() const;
  /// Elements between the first and the last addressed one, both included.
  size_t data_size() const;
  allocator::Buffer& buffer();
  const allocator::Buffer& buffer() const;
  /// Capacity of the buffer in bytes.
  size_t buffer_size() const;
  const std::shared_ptr<Data>& data_shared_ptr() const;

  template <typename T>
  T* data() {
    return static_cast<T*>(raw_data());
  }
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(raw_data());
  }
  /// Offset of the first element in the buffer, in bytes.
  int64_t offset() const;

  enum Status {
    /// Not computed yet.
    unscheduled,
    /// Claimed by an evaluation that may not have finished.
    evaluated,
    /// The data can be read.
    available
  };
  bool is_available() const { return status() == Status::available; }
  /// Blocks until a scheduled array is available; rethrows the error of its computation.
  void wait();
  Status status() const;
  void set_status(Status s) const;

  void set_tracer(bool is_tracer);
  /// The array belongs to a transformation that is running on this thread.
  bool is_tracer() const;

  /// Gives the array its buffer, row-major.
  void set_data(allocator::Buffer buffer, Deleter d = allocator::free);
  void set_data(allocator::Buffer buffer, size_t data_size, Strides strides, Flags flags, Deleter d);
  /// `offset` is in bytes.
  void set_data(allocator::Buffer buffer, size_t data_size, Strides strides, Flags flags,
                int64_t offset = 0, Deleter d = allocator::free);
  /// Shares the buffer of `other`; `offset` is in elements, relative to that of `other`.
  void copy_shared_buffer(const array& other, const Strides& strides, Flags flags, size_t data_size,
                          int64_t offset = 0);
  void copy_shared_buffer(const array& other);
  /// Rebinds this handle to the node of `other`.
  void overwrite_descriptor(const array& other) { *this = other; }

  // For the library's own rooms.

  /// Takes over one reference to `node`.
  explicit array(Node* node, std::nullptr_t) : node_(node) {}
  Node* node() const { return node_; }

 private:
  friend struct Node;

  static void acquire(Node* node);
  static void release(Node* node);

  void* raw_data() const;
  void item_check() const;

  // A row-major array of `shape` with a fresh buffer; the caller fills it.
  static Node* make_filled(Shape shape, Dtype dtype, void** data);

  template <typename It>
  void init(It src, Shape shape, Dtype dtype);

  Node* node_;
};

template <typename T>
inline constexpr bool is_array_v =
    std::is_same_v<std::remove_cv_t<std::remove_reference_t<T>>, array>;
template <typename... T>
inline constexpr bool is_arrays_v = (is_array_v<T> && ...);
template <typename... T>
using enable_for_arrays_t = typename std::enable_if_t<is_arrays_v<T...>>;

// Implementation of the templates.

namespace detail {

// One element: nonzero is true, complex values lose their imaginary part, and
// real values saturate in integer types, where NaN gives 0.
template <typename D, typename S>
D convert_element(const S& value) {
  constexpr bool complex_source =
      std::is_same_v<S, complex64_t> || std::is_same_v<S, std::complex<float>>;
  if constexpr (std::is_same_v<D, S>) {
    return value;
  } else if constexpr (std::is_same_v<D, bool>) {
    if constexpr (complex_source) {
      return value.real() != 0.0f || value.imag() != 0.0f;
    } else {
      return value != S(0);
    }
  } else if constexpr (complex_source && !std::is_same_v<D, complex64_t>) {
    return convert_element<D, float>(value.real());
  } else if constexpr (std::is_integral_v<D> && is_floating_point_v<S>) {
    const auto wide = static_cast<double>(value);
    if (!(wide == wide)) {
      return D(0);
    }
    constexpr auto low = std::numeric_limits<D>::min();
    constexpr auto high = std::numeric_limits<D>::max();
    if (wide <= static_cast<double>(low)) {
      return low;
    }
    if (wide >= static_cast<double>(high)) {
      return high;
    }
    return static_cast<D>(wide);
  } else if constexpr (std::is_same_v<S, double> &&
                       (std::is_same_v<D, float16_t> || std::is_same_v<D, bfloat16_t>)) {
    return D(static_cast<float>(value));
  } else if constexpr (std::is_same_v<D, complex64_t> && !complex_source) {
    return complex64_t(static_cast<float>(value), 0.0f);
  } else if constexpr (std::is_same_v<D, float16_t> || std::is_same_v<D, bfloat16_t>) {
    return D(static_cast<float>(value));
  } else {
    return static_cast<D>(value);
  }
}

// Copies `n` values, converting each.
template <typename It>
void convert_into(void* out, Dtype dtype, It src, size_t n) {
  auto fill = [&](auto* dst) {
    using D = std::remove_pointer_t<decltype(dst)>;
    using S = typename std::iterator_traits<It>::value_type;
    for (size_t i = 0; i < n; ++i, ++src) {
      dst[i] = convert_element<D, S>(static_cast<S>(*src));
    }
  };
  switch (dtype) {
    case bool_:
      return fill(static_cast<bool*>(out));
    case uint8:
      return fill(static_cast<uint8_t*>(out));
    case uint16:
      return fill(static_cast<uint16_t*>(out));
    case uint32:
      return fill(static_cast<uint32_t*>(out));
    case uint64:
      return fill(static_cast<uint64_t*>(out));
    case int8:
      return fill(static_cast<int8_t*>(out));
    case int16:
      return fill(static_cast<int16_t*>(out));
    case int32:
      return fill(static_cast<int32_t*>(out));
    case int64:
      return fill(static_cast<int64_t*>(out));
    case float16:
      return fill(static_cast<float16_t*>(out));
    case float32:
      return fill(static_cast<float*>(out));
    case float64:
      return fill(static_cast<double*>(out));
    case bfloat16:
      return fill(static_cast<bfloat16_t*>(out));
    case complex64:
      return fill(static_cast<complex64_t*>(out));
  }
}

}  // namespace detail

template <typename T>
array::array(T val, Dtype dtype) {
  init(&val, Shape{}, dtype);
}

template <typename It>
array::array(It data, Shape shape, Dtype dtype) {
  init(data, std::move(shape), dtype);
}

template <typename T>
array::array(std::initializer_list<T> data, Dtype dtype) {
  init(data.begin(), Shape{static_cast<ShapeElem>(data.size())}, dtype);
}

template <typename T>
array::array(std::initializer_list<T> data, Shape shape, Dtype dtype) {
  if (checked_size(shape, "array") != static_cast<int64_t>(data.size())) {
    throw std::invalid_argument("[array] the number of values does not match the shape");
  }
  init(data.begin(), std::move(shape), dtype);
}

template <typename It>
void array::init(It src, Shape shape, Dtype dtype) {
  void* out = nullptr;
  const int64_t n = checked_size(shape, "array");
  node_ = make_filled(std::move(shape), dtype, &out);
  detail::convert_into(out, dtype, src, static_cast<size_t>(n));
}

template <typename T>
T array::item() {
  item_check();
  eval();
  return *data<T>();
}

template <typename T>
T array::item() const {
  item_check();
  if (status() == Status::unscheduled) {
    throw std::invalid_argument("[item] a const array must be evaluated before it is read");
  }
  const_cast<array*>(this)->eval();
  return *data<T>();
}

}  // namespace mlx::core
