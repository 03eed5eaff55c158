// Compiled programs ready to run, kept per thread: a program that comes back
// (with other arrays of the same dtypes) costs a lookup instead of a
// compilation. Also the thread's slots and buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mlx/fuse/compile.h"

namespace mlx::core::fuse {

/// Bytes of the largest register group of any tier.
inline constexpr int group_bytes = 256;

/// What steps of the running program point to. One program at a time runs on a
/// thread.
struct Arena {
  alignas(64) uint8_t scratch[2 * group_bytes];
  alignas(64) uint8_t slots[max_slots * group_bytes];
  alignas(64) uint8_t tail[(max_inputs + max_outputs) * group_bytes];
  std::vector<uint8_t> gathered;

  uint8_t* slot(int s) { return slots + s * group_bytes; }
};

/// A step operand that is set before each span.
struct Link {
  uint16_t step;
  uint8_t operand;
  Reference to;
};

struct Prepared {
  std::vector<uint64_t> key;
  Width width;
  int group;         // elements of a register group
  double step_cost;  // nanoseconds per element, without memory traffic
  std::vector<Step> steps;
  std::vector<Link> links;
  std::vector<int8_t> constant_slot;
  std::vector<StepFunction> constant_load;
  std::vector<StepFunction> store, stream;
  std::vector<int> store_step;
};

struct ThreadPrograms {
  static constexpr int size = 256;
  Arena arena;
  std::unique_ptr<Prepared> entries[size];
};

/// This thread's arena and cache.
ThreadPrograms& thread_programs();

/// The program in this thread's cache, compiled if need be. Valid until the
/// thread prepares another program. `constant` as in compile().
Prepared& prepare(ThreadPrograms& programs, const Program& program, const bool* constant);

/// Memory traffic of one thread, from cache.
inline constexpr double nanoseconds_per_byte = 0.012;

/// The part of nanoseconds_per_element that does not depend on arrays.
double instruction_nanoseconds(const Program& program);

}  // namespace mlx::core::fuse
