// Objects of which every thread has one.
#pragma once

#include <utility>

namespace mlx::core {

/// The calling thread's T, made on first use and freed when the thread ends.
/// Other thread locals that die later may still ask for it: they get a new one,
/// which then stays.
template <typename T>
T& per_thread() {
  // initial-exec: one load instead of a call.
  static thread_local T* object __attribute__((tls_model("initial-exec"))) = nullptr;
  if (object == nullptr) [[unlikely]] {
    struct Owner {
      ~Owner() { delete std::exchange(object, nullptr); }
    };
    object = new T;
    static thread_local Owner owner;
    (void)owner;
  }
  return *object;
}

}  // namespace mlx::core
