// The table of fork handlers; the handlers themselves are with their locks.
#include "mlx/core/fork.h"

#include <pthread.h>

#include <atomic>

namespace mlx::core {
namespace {

constexpr int kLevels = static_cast<int>(ForkLevel::count);
constinit std::atomic<const ForkHandlers*> table[kLevels] = {};

void run_prepare() {
  for (int level = 0; level < kLevels; ++level) {
    const ForkHandlers* handlers = table[level].load(std::memory_order_acquire);
    if (handlers && handlers->prepare) {
      handlers->prepare();
    }
  }
}

void run_after(void (*ForkHandlers::*member)()) {
  for (int level = kLevels - 1; level >= 0; --level) {
    const ForkHandlers* handlers = table[level].load(std::memory_order_acquire);
    if (handlers && handlers->*member) {
      (handlers->*member)();
    }
  }
}

}  // namespace

bool set_fork_handlers(ForkLevel level, const ForkHandlers& handlers) {
  static const int installed = pthread_atfork(
      run_prepare, [] { run_after(&ForkHandlers::parent); },
      [] { run_after(&ForkHandlers::child); });
  (void)installed;
  table[static_cast<int>(level)].store(&handlers, std::memory_order_release);
  return true;
}

}  // namespace mlx::core
