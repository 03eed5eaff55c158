// Keys and the sequences of keys that threads draw from.
#include <chrono>

#include "mlx/core/scheduling.h"
#include "mlx/ops/errors.h"
#include "mlx/ops/random/random.h"
#include "mlx/ops/random/threefry.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core::random {

namespace {

array key_of(const uint32_t (&words)[2]) {
  return array(words, Shape{2}, uint32);
}

uint64_t process_seed() {
  static const uint64_t milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                                           std::chrono::system_clock::now().time_since_epoch())
                                           .count();
  return milliseconds;
}

}  // namespace

KeySequence::KeySequence(uint64_t seed) {
  this->seed(seed);
}

void KeySequence::seed(uint64_t seed) {
  words_[0] = static_cast<uint32_t>(seed >> 32);
  words_[1] = static_cast<uint32_t>(seed);
  pending_.reset();
}

array KeySequence::next() {
  if (pending_) {
    set_state(*pending_);  // it may be computed by now
  }
  if (pending_) {
    auto [first, second] = random::split(*pending_);
    pending_ = std::move(first);
    return std::move(second);
  }
  // split() without a graph: the four words of bits({2, 2}).
  const threefry::Words key{words_[0], words_[1]};
  const threefry::Words even = threefry::block(key, {0, 2});
  const threefry::Words odd = threefry::block(key, {1, 3});
  words_[0] = even.first;
  words_[1] = odd.first;
  return key_of({even.second, odd.second});
}

array KeySequence::state() const {
  return pending_ ? *pending_ : key_of(words_);
}

void KeySequence::set_state(const array& key) {
  if (key.dtype() != uint32 || key.shape() != Shape{2}) {
    fail("[random] the state is a uint32 array of shape (2): got ", key.dtype(), " of shape ",
         key.shape());
  }
  if (!key.is_tracer() && key.is_available()) {
    const uint32_t* words = key.data<uint32_t>();
    words_[0] = words[0];
    words_[1] = words[key.strides(0)];
    pending_.reset();
  } else if (!pending_ || pending_->id() != key.id()) {
    pending_ = key;
  }
}

KeySequence& KeySequence::default_() {
  static thread_local KeySequence sequence(process_seed());
  static thread_local uint64_t cleared = 0;
  if (cleared != detail::times_streams_cleared()) {
    cleared = detail::times_streams_cleared();
    sequence.seed(process_seed());
  }
  return sequence;
}

array key(uint64_t seed) {
  return key_of({static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(seed)});
}

void seed(uint64_t seed) {
  KeySequence::default_().seed(seed);
}

std::pair<array, array> split(const array& key, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const array keys = random::split(key, 2, stream);
  auto row = [&](int i) { return reshape(slice(keys, {i, 0}, {i + 1, 2}, stream), {2}, stream); };
  return {row(0), row(1)};
}

array split(const array& key, int num, StreamOrDevice s) {
  return bits({num, 2}, 4, key, s);
}

}  // namespace mlx::core::random
