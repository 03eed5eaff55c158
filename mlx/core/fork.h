// What happens to locks and threads when the process forks. One table, so that
// locks are always taken from the outermost to the innermost.
#pragma once

namespace mlx::core {

/// Outermost first: `prepare` runs from the first level to the last, `parent`
/// and `child` from the last to the first.
enum class ForkLevel { streams, scheduler, pool, allocator, slab, count };

struct ForkHandlers {
  void (*prepare)() = nullptr;
  void (*parent)() = nullptr;
  void (*child)() = nullptr;
};

/// Sets the handlers of one level. Call it from an initialiser of the file that
/// owns the lock, so that it is done before the process has threads.
/// `handlers` must live for ever. Returns true.
bool set_fork_handlers(ForkLevel level, const ForkHandlers& handlers);

}  // namespace mlx::core
