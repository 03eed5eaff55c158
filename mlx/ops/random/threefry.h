// The block function behind all random numbers: Threefry with two 32-bit words
// and 20 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", 2011), and the table of its vector kernels. Which counters make
// up a stream is in primitives.cpp. Included by tier files.
#pragma once

#include <cstdint>

namespace mlx::core::threefry {

struct Words {
  uint32_t first;
  uint32_t second;
};

// Rotation amounts of even and odd groups of four rounds.
static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
static constexpr uint32_t parity = 0x1BD11BDA;

// Internal linkage: tier objects must not share anything with others.
static inline Words block(Words key, Words counter) {
  const uint32_t schedule[3] = {key.first, key.second, key.first ^ key.second ^ parity};
  uint32_t x = counter.first + schedule[0];
  uint32_t y = counter.second + schedule[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int i = 0; i < 4; ++i) {
      const int r = rotations[group % 2][i];
      x += y;
      y = (y << r) | (y >> (32 - r));
      y ^= x;
    }
    x += schedule[(group + 1) % 3];
    y += schedule[(group + 2) % 3] + group + 1;
  }
  return {x, y};
}

// Element i of both outputs comes from block(key, {counter + i, counter + i + distance}).
struct Kernels {
  /// The words as they are; outputs need no alignment.
  void (*words)(Words key, uint32_t counter, uint32_t distance, int64_t n, void* first,
                void* second);
  /// min(float(word) / 2^32, limit)
  void (*uniforms)(Words key, uint32_t counter, uint32_t distance, int64_t n, float limit,
                   float* first, float* second);
};

extern const Kernels kernels_v2;
extern const Kernels kernels_v3;
extern const Kernels kernels_v4;

}  // namespace mlx::core::threefry
