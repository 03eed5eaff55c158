// Size classes of array buffers: powers of two from 64 bytes to 64 KB, then four
// steps per octave. Blocks of one class are interchangeable.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace mlx::core {

inline constexpr int kSmallestClassBits = 6;
inline constexpr int kPowerClassBits = 16;  // up to here powers of two only
inline constexpr int kPowerClasses = kPowerClassBits - kSmallestClassBits + 1;
inline constexpr int kLargestBits = 47;
inline constexpr size_t kLargestRequest = size_t{1} << kLargestBits;
inline constexpr int kSizeClasses = kPowerClasses + 4 * (kLargestBits - kPowerClassBits);

/// The number of the class, for size <= kLargestRequest.
constexpr int size_class_index(size_t size) {
  if (size <= (size_t{1} << kPowerClassBits)) {
    const int bits = size <= 64 ? kSmallestClassBits : std::bit_width(size - 1);
    return bits - kSmallestClassBits;
  }
  const int octave = std::bit_width(size - 1) - 1;
  const auto quarter = static_cast<int>((size - 1) >> (octave - 2)) - 4;
  return kPowerClasses + (octave - kPowerClassBits) * 4 + quarter;
}

/// The capacity of the blocks of a class.
constexpr size_t size_class_capacity(int index) {
  if (index < kPowerClasses) {
    return size_t{1} << (index + kSmallestClassBits);
  }
  const int octave = (index - kPowerClasses) / 4 + kPowerClassBits;
  const int quarter = (index - kPowerClasses) % 4;
  return static_cast<size_t>(5 + quarter) << (octave - 2);
}

/// The capacity of the block that serves a request. A buffer may be donated to
/// an output when it equals the buffer's own.
constexpr size_t size_class(size_t size) {
  return size > kLargestRequest ? size : size_class_capacity(size_class_index(size));
}

}  // namespace mlx::core
