// Random numbers. Every draw is a function of a key, an array of two uint32
// words; functions called without a key take the next one of their thread's
// sequence. Throws std::invalid_argument for a key of another dtype or shape,
// negative dimensions, and parameters that do not broadcast to the shape.
#pragma once

#include <optional>
#include <utility>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/utils.h"

namespace mlx::core::random {

/// Keys that follow from a seed: each one is split off the one before.
class MLX_API KeySequence {
 public:
  explicit KeySequence(uint64_t seed);
  void seed(uint64_t seed);
  array next();

  /// The key that next() will split.
  array state() const;
  void set_state(const array& key);

  /// The calling thread's. Before the first seed all threads start with the same
  /// key, made from the time at which the first of them asked.
  static KeySequence& default_();

 private:
  uint32_t words_[2];
  // In place of the words: a key that is not computed yet, as in a trace.
  std::optional<array> pending_;
};

/// {high 32 bits, low 32 bits}
MLX_API array key(uint64_t seed);
/// Seeds the calling thread's sequence.
MLX_API void seed(uint64_t seed);

/// Uniformly distributed unsigned integers of `width` bytes: 1, 2 or 4.
MLX_API array bits(const Shape& shape, int width, const std::optional<array>& key = std::nullopt,
                   StreamOrDevice s = {});
inline array bits(const Shape& shape, const std::optional<array>& key = std::nullopt,
                  StreamOrDevice s = {}) {
  return bits(shape, 4, key, s);
}

/// Two independent keys.
MLX_API std::pair<array, array> split(const array& key, StreamOrDevice s = {});
/// `num` keys as the rows of an array; not a prefix of a longer split.
MLX_API array split(const array& key, int num, StreamOrDevice s = {});

/// In [low, high); float16, bfloat16 or float32. std::runtime_error for float64.
MLX_API array uniform(const array& low, const array& high, const Shape& shape,
                      Dtype dtype = float32, const std::optional<array>& key = std::nullopt,
                      StreamOrDevice s = {});
template <typename T, typename U>
array uniform(T low, U high, const Shape& shape, Dtype dtype = float32,
              const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return uniform(array(low), array(high), shape, dtype, key, s);
}
/// In [0, 1).
MLX_API array uniform(const Shape& shape, Dtype dtype,
                      const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
inline array uniform(const Shape& shape, const std::optional<array>& key = std::nullopt,
                     StreamOrDevice s = {}) {
  return uniform(shape, float32, key, s);
}

/// loc + scale * z with z standard normal; floating dtypes and complex64, whose
/// parts have variance 1/2.
MLX_API array normal(const Shape& shape, Dtype dtype, const std::optional<array>& loc,
                     const std::optional<array>& scale, const std::optional<array>& key,
                     StreamOrDevice s = {});
inline array normal(const Shape& shape, Dtype dtype, const float loc, const float scale,
                    const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  auto given = [](float value, float standard) {
    return value == standard ? std::nullopt : std::make_optional<array>(value);
  };
  return normal(shape, dtype, given(loc, 0), given(scale, 1), key, s);
}
inline array normal(const Shape& shape, const float loc, const float scale,
                    const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return normal(shape, float32, loc, scale, key, s);
}
inline array normal(const Shape& shape, const Dtype dtype,
                    const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return normal(shape, dtype, std::nullopt, std::nullopt, key, s);
}
inline array normal(const Shape& shape, const std::optional<array>& key = std::nullopt,
                    StreamOrDevice s = {}) {
  return normal(shape, float32, std::nullopt, std::nullopt, key, s);
}

/// std::runtime_error: needs a singular value decomposition.
MLX_API array multivariate_normal(const array& mean, const array& cov, const Shape& shape,
                                  Dtype dtype, const std::optional<array>& key = std::nullopt,
                                  StreamOrDevice s = {});

/// In [low, high), `low` where that is empty; integer dtypes and bool. Draws are
/// scaled float32 numbers: of a wide range not every integer occurs.
MLX_API array randint(const array& low, const array& high, const Shape& shape, Dtype dtype = int32,
                      const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
template <typename T, typename U>
array randint(T low, U high, const Shape& shape, Dtype dtype = int32,
              const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return randint(array(low), array(high), shape, dtype, key, s);
}

/// True with probability `p`, which is floating.
MLX_API array bernoulli(const array& p, const Shape& shape,
                        const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
MLX_API array bernoulli(const array& p, const std::optional<array>& key = std::nullopt,
                        StreamOrDevice s = {});
template <typename T>
array bernoulli(T p, const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return bernoulli(array(p), key, s);
}
template <typename T>
array bernoulli(T p, const Shape& shape, const std::optional<array>& key = std::nullopt,
                StreamOrDevice s = {}) {
  return bernoulli(array(p), shape, key, s);
}
/// One draw with p = 1/2.
MLX_API array bernoulli(const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

/// Standard normal numbers that lie in [lower, upper].
MLX_API array truncated_normal(const array& lower, const array& upper, const Shape& shape,
                               Dtype dtype = float32,
                               const std::optional<array>& key = std::nullopt,
                               StreamOrDevice s = {});
MLX_API array truncated_normal(const array& lower, const array& upper, Dtype dtype = float32,
                               const std::optional<array>& key = std::nullopt,
                               StreamOrDevice s = {});

/// -log(-log(u)) with u uniform.
MLX_API array gumbel(const Shape& shape, Dtype dtype = float32,
                     const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

MLX_API array laplace(const Shape& shape, Dtype dtype, const float loc, const float scale,
                      const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
inline array laplace(const Shape& shape, const float loc, const float scale,
                     const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return laplace(shape, float32, loc, scale, key, s);
}
inline array laplace(const Shape& shape, const Dtype dtype,
                     const std::optional<array>& key = std::nullopt, StreamOrDevice s = {}) {
  return laplace(shape, dtype, 0.0f, 1.0f, key, s);
}
inline array laplace(const Shape& shape, const std::optional<array>& key = std::nullopt,
                     StreamOrDevice s = {}) {
  return laplace(shape, float32, 0.0f, 1.0f, key, s);
}

/// Categories (uint32) with probabilities softmax(logits) over `axis`. The shape
/// is that of the logits without the axis, which broadcasts to `shape`.
MLX_API array categorical(const array& logits, int axis, const Shape& shape,
                          const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
/// `num_samples` draws of each distribution, as a last axis.
MLX_API array categorical(const array& logits_, int axis, int num_samples,
                          const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
MLX_API array categorical(const array& logits, int axis = -1,
                          const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});

/// The sub-arrays along an axis in random order. std::out_of_range for a bad axis.
MLX_API array permutation(const array& x, int axis = 0,
                          const std::optional<array>& key = std::nullopt, StreamOrDevice s = {});
/// 0, ..., x - 1 in random order (uint32).
MLX_API array permutation(int x, const std::optional<array>& key = std::nullopt,
                          StreamOrDevice s = {});

}  // namespace mlx::core::random
