// SmallVector: a contiguous vector that keeps up to kSize elements inside
// itself. Shapes and strides are made of it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace mlx::core {

template <typename T, typename = void>
struct is_iterator : std::false_type {};

template <typename T>
struct is_iterator<T, std::void_t<typename std::iterator_traits<T>::difference_type,
                                  typename std::iterator_traits<T>::iterator_category,
                                  typename std::iterator_traits<T>::pointer,
                                  typename std::iterator_traits<T>::reference,
                                  typename std::iterator_traits<T>::value_type>> : std::true_type {
};

template <typename T>
constexpr bool is_iterator_v = is_iterator<T>::value;

namespace detail {

template <typename T>
inline constexpr bool is_integer_v = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// An element of a braced list of integers: takes any integer type that holds
// the value, so {int, size_t} is not a narrowing error.
template <typename T>
struct IntegerElement {
  template <typename U, typename = std::enable_if_t<is_integer_v<U>>>
  IntegerElement(U v) : value(static_cast<T>(v)) {
    if (!std::in_range<T>(v)) [[unlikely]] {
      throw std::overflow_error("[SmallVector] an integer does not fit in the element type");
    }
  }
  T value;
};

}  // namespace detail

template <typename T, size_t kSize = 10, typename Allocator = std::allocator<T>>
class SmallVector {
  static constexpr bool kIntegers = detail::is_integer_v<T>;
  static constexpr bool kTrivial = std::is_trivially_copyable_v<T>;

 public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;

  SmallVector() = default;

  explicit SmallVector(const Allocator& allocator) : allocator_(allocator) {}

  /// `size` elements; uninitialised if T is trivial.
  explicit SmallVector(size_t size, const Allocator& allocator = Allocator())
      : allocator_(allocator) {
    resize(size);
  }

  SmallVector(size_t size, const T& initial_value, const Allocator& allocator = Allocator())
      : allocator_(allocator) {
    resize(size, initial_value);
  }

  SmallVector(std::initializer_list<T> init, const Allocator& allocator = Allocator())
    requires(!kIntegers)
      : allocator_(allocator) {
    append(init.begin(), init.end());
  }

  // Integers: a list of one type (also a named std::initializer_list) and a
  // braced list of mixed types.
  template <typename U>
    requires(kIntegers && detail::is_integer_v<U>)
  SmallVector(std::initializer_list<U> init, const Allocator& allocator = Allocator())
      : allocator_(allocator) {
    reserve(init.size());
    for (const U& x : init) {
      data_[size_++] = detail::IntegerElement<T>(x).value;
    }
  }

  SmallVector(std::initializer_list<detail::IntegerElement<T>> init,
              const Allocator& allocator = Allocator())
    requires(kIntegers)
      : allocator_(allocator) {
    reserve(init.size());
    for (const auto& x : init) {
      data_[size_++] = x.value;
    }
  }

  template <typename Iter, typename = std::enable_if_t<is_iterator_v<Iter>>>
  SmallVector(Iter begin, Iter end, const Allocator& allocator = Allocator())
      : allocator_(allocator) {
    append(begin, end);
  }

  SmallVector(const SmallVector& other)
      : allocator_(std::allocator_traits<Allocator>::select_on_container_copy_construction(
            other.allocator_)) {
    copy_from(other);
  }
  SmallVector(const SmallVector& other, const Allocator& allocator) : allocator_(allocator) {
    copy_from(other);
  }
  SmallVector(SmallVector&& other) noexcept : allocator_(std::move(other.allocator_)) {
    take_from(other);
  }
  SmallVector(SmallVector&& other, const Allocator& allocator) : allocator_(allocator) {
    if (allocator_ == other.allocator_) {
      take_from(other);
    } else {
      append(std::make_move_iterator(other.begin()), std::make_move_iterator(other.end()));
    }
  }

  ~SmallVector() {
    destroy(data_, data_ + size_);
    release();
  }

  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      clear();
      copy_from(other);
    }
    return *this;
  }

  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      destroy(data_, data_ + size_);
      release();
      take_from(other);
    }
    return *this;
  }

  bool operator==(const SmallVector& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  bool operator!=(const SmallVector& other) const { return !(*this == other); }

  T* data() { return data_; }
  const T* data() const { return data_; }

  iterator begin() { return data_; }
  const_iterator begin() const { return data_; }
  iterator end() { return data_ + size_; }
  const_iterator end() const { return data_ + size_; }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  auto rbegin() { return std::make_reverse_iterator(end()); }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() { return std::make_reverse_iterator(begin()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }

  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  T& at(size_t index) {
    check_index(index);
    return data_[index];
  }
  const T& at(size_t index) const {
    check_index(index);
    return data_[index];
  }
  T& operator[](size_t index) {
    assert(index < size_);
    return data_[index];
  }
  const T& operator[](size_t index) const {
    assert(index < size_);
    return data_[index];
  }

  template <typename... Args>
  void emplace_back(Args&&... args) {
    if (size_ == capacity_) {
      // Built first: an argument may be an element of this vector.
      T value(std::forward<Args>(args)...);
      grow(size_ + 1);
      std::construct_at(data_ + size_, std::move(value));
    } else {
      std::construct_at(data_ + size_, std::forward<Args>(args)...);
    }
    ++size_;
  }

  void push_back(T x) { emplace_back(std::move(x)); }

  /// Drops the last `count` elements.
  void pop_back(size_t count = 1) {
    assert(count <= size_);
    destroy(data_ + size_ - count, data_ + size_);
    size_ -= static_cast<uint32_t>(count);
  }

  iterator insert(iterator pos, T value) { return insert(pos, size_t{1}, std::move(value)); }

  iterator insert(iterator pos, size_t count, T value) {
    const size_t at = pos - data_;
    const size_t old_size = size_;
    reserve(old_size + count);
    for (size_t i = 0; i < count; ++i) {
      emplace_back(value);
    }
    std::rotate(data_ + at, data_ + old_size, data_ + size_);
    return data_ + at;
  }

  /// The range is not part of this vector.
  template <typename Iter, typename = std::enable_if_t<is_iterator_v<Iter>>>
  iterator insert(iterator pos, Iter begin, Iter end) {
    const size_t at = pos - data_;
    const size_t old_size = size_;
    append(begin, end);
    std::rotate(data_ + at, data_ + old_size, data_ + size_);
    return data_ + at;
  }

  iterator insert(iterator pos, std::initializer_list<T> values) {
    return insert(pos, values.begin(), values.end());
  }

  iterator erase(iterator erase_start, iterator erase_end) {
    assert(data_ <= erase_start && erase_start <= erase_end && erase_end <= end());
    iterator tail = std::move(erase_end, end(), erase_start);
    destroy(tail, end());
    size_ = static_cast<uint32_t>(tail - data_);
    return erase_start;
  }
  iterator erase(iterator pos) { return erase(pos, pos + 1); }

  void resize(size_t new_size) {
    if (new_size < size_) {
      pop_back(size_ - new_size);
      return;
    }
    reserve(new_size);
    if constexpr (!(kTrivial && std::is_trivially_default_constructible_v<T>)) {
      while (size_ < new_size) {
        emplace_back();
      }
    }
    size_ = static_cast<uint32_t>(new_size);
  }

  void resize(size_t new_size, const T& initial_value) {
    if (new_size < size_) {
      pop_back(size_ - new_size);
      return;
    }
    const T value = initial_value;  // may live in this vector
    reserve(new_size);
    while (size_ < new_size) {
      emplace_back(value);
    }
  }

  void reserve(size_t new_capacity) {
    if (new_capacity > capacity_) {
      grow(new_capacity);
    }
  }

  /// Keeps heap storage.
  void clear() { pop_back(size_); }

 private:
  using Traits = std::allocator_traits<Allocator>;

  T* inline_data() { return reinterpret_cast<T*>(inline_); }
  const T* inline_data() const { return reinterpret_cast<const T*>(inline_); }
  bool is_inline() const { return data_ == inline_data(); }

  void check_index(size_t index) const {
    if (index >= size_) {
      throw std::out_of_range("SmallVector: index out of range");
    }
  }

  static void destroy(T* first, T* last) {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      std::destroy(first, last);
    }
  }

  // Frees the heap block, if any; the elements are already gone.
  void release() {
    if (!is_inline()) {
      Traits::deallocate(allocator_, data_, capacity_);
      data_ = inline_data();
      capacity_ = kSize;
    }
  }

  void copy_inline(const SmallVector& other) {
    // A copy of fixed size is a few vector moves; beyond a cache line the
    // elements in use are fewer.
    if constexpr (sizeof(inline_) <= 64) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
      std::memcpy(inline_, other.inline_, sizeof(inline_));
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
    } else {
      std::memcpy(inline_, other.inline_, other.size_ * sizeof(T));
    }
  }

  // This vector is empty (it may own heap storage).
  void copy_from(const SmallVector& other) {
    if constexpr (kTrivial) {
      if (other.is_inline() && is_inline()) {
        copy_inline(other);
        size_ = other.size_;
        return;
      }
    }
    copy_elements(other);
  }

  // Kept out of line, as is grow(): shapes almost never get here.
  [[gnu::noinline]] void copy_elements(const SmallVector& other) {
    append(other.begin(), other.end());
  }

  // This vector's elements and heap storage are gone.
  void take_from(SmallVector& other) noexcept {
    if (!other.is_inline()) {
      data_ = other.data_;
      capacity_ = other.capacity_;
      other.data_ = other.inline_data();
      other.capacity_ = kSize;
    } else if constexpr (kTrivial) {
      copy_inline(other);
    } else {
      std::uninitialized_move(other.begin(), other.end(), data_);
      destroy(other.begin(), other.end());
    }
    size_ = other.size_;
    other.size_ = 0;
  }

  template <typename Iter>
  void append(Iter begin, Iter end) {
    if constexpr (std::is_base_of_v<std::forward_iterator_tag,
                                    typename std::iterator_traits<Iter>::iterator_category>) {
      reserve(size_ + static_cast<size_t>(std::distance(begin, end)));
    }
    for (; begin != end; ++begin) {
      if constexpr (std::is_convertible_v<decltype(*begin), T>) {
        emplace_back(*begin);
      } else {
        emplace_back(static_cast<T>(*begin));
      }
    }
  }

  // Moves the elements to a heap block that holds at least `min_capacity`.
  [[gnu::noinline]] void grow(size_t min_capacity) {
    if (min_capacity > std::numeric_limits<uint32_t>::max()) {
      throw std::length_error("SmallVector: too many elements");
    }
    const size_t capacity =
        std::min<size_t>(std::max<size_t>(min_capacity, size_t{capacity_} * 2),
                         std::numeric_limits<uint32_t>::max());
    T* block = Traits::allocate(allocator_, capacity);
    std::uninitialized_move(begin(), end(), block);
    destroy(begin(), end());
    release();
    data_ = block;
    capacity_ = static_cast<uint32_t>(capacity);
  }

  T* data_ = inline_data();
  uint32_t size_ = 0;
  uint32_t capacity_ = kSize;
  [[no_unique_address]] Allocator allocator_;
  alignas(T) unsigned char inline_[kSize * sizeof(T)];
};

template <typename>
struct is_vector : std::false_type {};

template <typename T, size_t Size, typename Allocator>
struct is_vector<SmallVector<T, Size, Allocator>> : std::true_type {};

template <typename T, typename Allocator>
struct is_vector<std::vector<T, Allocator>> : std::true_type {};

template <typename Vec>
inline constexpr bool is_vector_v = is_vector<Vec>::value;

}  // namespace mlx::core
