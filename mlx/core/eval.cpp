// Evaluation: builds the tape under the scheduling mutex, claims its nodes,
// plans fused groups and runs them, on the calling thread where possible and on
// the threads of the streams otherwise.
#include <atomic>
#include <cassert>
#include <memory>
#include <stdexcept>
#include <string>

#include "mlx/core/evaluation.h"
#include "mlx/core/scheduling.h"
#include "mlx/core/settings.h"
#include "mlx/core/tracing.h"
#include "mlx/transforms.h"
#include "mlx/utils.h"

namespace mlx::core {

namespace detail {

namespace {

// Asynchronous work that one stream may have queued before callers wait.
constexpr size_t kMaxQueuedTasks = 64;

struct Frame {
  Node* node;  // null: the list of requested arrays
  uint32_t next_input;
};

// A claimed set of nodes with the plan to compute them.
struct Batch {
  Plan plan;
  // Set where several threads work on it: steps then check and announce each
  // node, for inputs may come from elsewhere.
  bool shared = false;
  bool failed = false;
  std::exception_ptr first_error;
  // Handles that keep the tape alive when the caller does not wait.
  std::vector<array> roots;
  int open_sections = 0;  // guarded by the scheduling mutex
  std::mutex error_mutex;
};

struct TapeBuilder {
  std::vector<Frame> stack;
  std::vector<Node*> tape;       // the nodes in execution order
  // What evaluated nodes held whose trace is over; dropped outside the lock.
  std::vector<array> finished;
  std::vector<std::shared_ptr<Primitive>> finished_primitives;
  bool foreign = false;          // some input is being computed by someone else
  // Where the claimed nodes run.
  StreamState* only = nullptr;
  bool several = false;   // streams
  bool blocking = false;  // some primitive wants a thread of its own
  bool numbers = true;    // all are elementwise operations on one element
  Batch batch;

  void clear() {
    stack.clear();
    tape.clear();
    finished.clear();
    finished_primitives.clear();
    foreign = false;
    only = nullptr;
    several = false;
    blocking = false;
    numbers = true;
    batch.plan.clear();
    batch.shared = false;
    batch.failed = false;
    batch.first_error = nullptr;
  }
};

// Every evaluation takes the thread's builder, so that its vectors keep their
// memory; a nested one makes its own.
class BuilderLease {
 public:
  BuilderLease() : builder_(std::move(spare())) {
    if (!builder_) {
      builder_ = std::make_unique<TapeBuilder>();
    }
    builder_->clear();
  }
  ~BuilderLease() { spare() = std::move(builder_); }
  TapeBuilder* operator->() { return builder_.get(); }
  TapeBuilder& operator*() { return *builder_; }

 private:
  static std::unique_ptr<TapeBuilder>& spare() {
    static thread_local std::unique_ptr<TapeBuilder> builder;
    return builder;
  }
  std::unique_ptr<TapeBuilder> builder_;
};

const Stream& stream_of(Node* node) { return node->primitive->stream(); }

[[noreturn]] void reject_input(Node* node) {
  if (node->tracer && tracing_active()) {
    throw std::invalid_argument(
        "[eval] a value was needed inside a function that is being traced (compile or vmap): "
        "its arguments have no values while tracing");
  }
  throw std::runtime_error(
      "[eval] an array without data and without a primitive cannot be evaluated: it is a "
      "placeholder that left the function being traced");
}

// The count pass: how often the tape reads each unscheduled node, in `uses` and
// `index`, and on which streams they run. Leaves them on the tape, producers
// first. Needs the scheduling mutex.
void count_uses(TapeBuilder& builder, std::span<const array> outputs, bool async, uint64_t epoch) {
  const bool active = tracing_active();
  const bool retain = retain_graph();
  const Primitive* last_primitive = nullptr;
  auto visit = [&](Node* handle) {
    const array::Status status = handle->load_status();
    if (status != array::unscheduled) {
      if (status == array::evaluated) {
        builder.foreign = true;
      } else if (handle->primitive && handle->group == nullptr &&
                 !(active && (handle->tracer || retain))) {
        // Evaluated as a tracer whose trace is over by now: its graph can go.
        for (array& input : handle->inputs()) {
          builder.finished.push_back(std::move(input));
        }
        handle->input_count = 0;
        builder.finished_primitives.push_back(std::move(handle->primitive));
      }
      return;
    }
    Node* node = handle->representative();
    if (node->mark == epoch) {
      ++node->uses;
      ++node->index;
      return;
    }
    node->mark = epoch;
    node->uses = 1;
    node->index = 1;
    const bool tracer = active && (node->tracer || retain);
    if (tracer && async) {
      throw std::invalid_argument("[async_eval] arrays of a running transformation cannot be "
                                  "evaluated asynchronously");
    }
    if (!node->primitive) {
      reject_input(node);
    }
    if (node->primitive.get() != last_primitive) {
      last_primitive = node->primitive.get();
      StreamState& state = scheduling().state(stream_of(node));  // throws if there is none
      builder.several |= builder.only != nullptr && builder.only != &state;
      builder.only = &state;
      builder.blocking |= node->elementwise_op < 0 && node->primitive->blocking();
    }
    builder.numbers &= node->elementwise_op >= 0 && node->size == 1;
    node->schedule = tracer ? kKeep | kRetain : 0;
    builder.stack.push_back({node, 0});
  };
  for (const array& output : outputs) {
    visit(output.node());
    while (!builder.stack.empty()) {
      Frame& frame = builder.stack.back();
      const std::span<array> inputs = frame.node->inputs();
      if (frame.next_input == inputs.size()) {
        builder.tape.push_back(frame.node);
        builder.stack.pop_back();
        continue;
      }
      visit(inputs[frame.next_input++].node());
    }
  }
}

// The tape pass orders them anew: breadth first, turning depth first where the queue is wider
// than `width`; suspended nodes resume last in, first out. Needs the mutex.
void build_tape(TapeBuilder& builder, std::span<const array> outputs, uint64_t epoch,
                size_t width) {
  std::vector<Node*>& tape = builder.tape;
  tape.assign(1, nullptr);
  size_t cursor = 0;
  while (cursor < tape.size() || !builder.stack.empty()) {
    Frame frame;
    if (cursor < tape.size()) {
      frame = {tape[cursor++], 0};
    } else {
      frame = builder.stack.back();
      builder.stack.pop_back();
    }
    const std::span<const array> inputs =
        frame.node != nullptr ? std::span<const array>(frame.node->inputs()) : outputs;
    for (; frame.next_input < inputs.size(); ++frame.next_input) {
      Node* handle = inputs[frame.next_input].node();
      if (handle->load_status() != array::unscheduled) {
        continue;
      }
      if (tape.size() - cursor >= width) {
        builder.stack.push_back(frame);
        break;
      }
      Node* node = handle->representative();
      if (node->mark == epoch && --node->index == 0) {
        tape.push_back(node);
      }
    }
  }
  // Execution order, without the list of outputs.
  std::reverse(tape.begin(), tape.end());
  tape.pop_back();
}

void set_status_of_outputs(Node* node, array::Status status) {
  if (node->group != nullptr) {
    for (Node* output : node->group->outputs) {
      output->status.store(status, std::memory_order_release);
    }
  } else {
    node->status.store(status, std::memory_order_release);
  }
}

// Publishes the value of a node and drops its graph.
void finish(Node* node) {
  const uint8_t schedule = node->schedule;
  if (node->extras != nullptr) {
    node->extras->error = nullptr;
  }
  if ((schedule & kRetain) != 0) {
    set_status_of_outputs(node, array::available);
    return;
  }
  if (node->group == nullptr) {
    // The graph goes first: once the node is available other threads may read it.
    std::shared_ptr<Primitive> primitive = std::move(node->primitive);
    node->drop_graph();
    node->status.store(array::available, std::memory_order_release);
    return;
  }
  // Whoever waits for an output may drop it as soon as it is available.
  array keep = borrow(node);
  keep.detach();
  set_status_of_outputs(node, array::available);
}

// Of nodes in execution order, whose last one is stored. Those that were not die
// when their consumers drop them, which come later in the order: each node is
// looked at before that can happen.
void finish_all(std::span<Node* const> nodes) {
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    if ((nodes[i]->schedule & kKeep) != 0) {
      finish(nodes[i]);
    }
  }
  finish(nodes.back());
}

void fail(Node* node, const std::exception_ptr& error) {
  auto mark = [&](Node* output) {
    output->data.reset();
    output->need_extras().error = error;
    output->status.store(array::unscheduled, std::memory_order_release);
  };
  if (node->group != nullptr) {
    for (Node* output : node->group->outputs) {
      mark(output);
    }
  } else {
    mark(node);
  }
}

void evaluate_single(Node* node) {
  if (node->group == nullptr) {
    Node* self = node;
    node->primitive->evaluate(node->inputs(), std::span<array>(&borrow(self), 1));
    if (self != node) [[unlikely]] {
      // The primitive rebound the handle it was given instead of filling it.
      array rebound(self, nullptr);
      borrow(node).copy_shared_buffer(rebound);
      node->refs.fetch_add(1, std::memory_order_relaxed);
    }
    return;
  }
  std::vector<Node*> outputs = node->group->outputs;
  node->primitive->evaluate(node->inputs(),
                            std::span<array>(&borrow(outputs[0]), outputs.size()));
}

// The error of an input that could not be computed, after waiting for inputs
// that other threads compute; null when all are available.
std::exception_ptr input_error(std::span<Node* const> members, bool wait) {
  auto inside = [&](Node* node) {
    for (Node* member : members) {
      if (member == node) {
        return true;
      }
    }
    return false;
  };
  for (Node* member : members) {
    for (const array& input : member->inputs()) {
      Node* node = input.node();
      if (node->load_status() == array::available || (members.size() > 1 && inside(node))) {
        continue;
      }
      if (wait && node->load_status() == array::evaluated) {
        Scheduling& sched = scheduling();
        std::unique_lock lock(sched.mutex);
        sched.wait(lock, [&] { return node->load_status() != array::evaluated; });
      }
      if (node->load_status() != array::available) {
        if (node->extras != nullptr && node->extras->error) {
          return node->extras->error;
        }
        return std::make_exception_ptr(
            std::runtime_error("[eval] an input of the computation could not be evaluated"));
      }
    }
  }
  return nullptr;
}

constinit thread_local bool donation_forbidden __attribute__((tls_model("initial-exec"))) = false;

void run_step(Batch& batch, const Step& step) {
  const std::span<Node* const> members(batch.plan.members.data() + step.begin, step.count);
  std::exception_ptr error;
  if (batch.failed || batch.shared) {
    error = input_error(members, batch.shared);
  }
  if (!error) {
    uint8_t flags = 0;
    for (Node* member : members) {
      flags |= member->schedule;
    }
    donation_forbidden = (flags & kRetain) != 0;
    try {
      if (members[0]->elementwise_op >= 0 || members.size() > 1) {
        run_fused(members);
      } else {
        evaluate_single(members[0]);
      }
    } catch (...) {
      error = std::current_exception();
    }
  }
  if (!error) {
    finish_all(members);
  } else {
    for (size_t i = members.size(); i-- > 0;) {
      fail(members[i], error);
    }
    std::lock_guard lock(batch.error_mutex);
    batch.failed = true;
    if (!batch.first_error) {
      batch.first_error = error;
    }
  }
  if (batch.shared) {
    Scheduling& sched = scheduling();
    std::lock_guard lock(sched.mutex);
    sched.notify();
  }
}

// Evaluates a whole tape of one-element nodes without a plan. False: it needs one.
bool evaluate_numbers(Batch& batch, std::span<Node* const> tape) {
  try {
    if (!run_numbers(tape)) {
      return false;
    }
  } catch (...) {
    batch.first_error = std::current_exception();
    for (size_t i = tape.size(); i-- > 0;) {
      fail(tape[i], batch.first_error);
    }
    return true;
  }
  finish_all(tape);
  return true;
}

// Claims the tape and numbers its nodes. Needs the mutex; from here on nothing
// throws until the steps run.
void claim(TapeBuilder& builder, std::span<const array> outputs) {
  uint32_t index = 0;
  for (Node* node : builder.tape) {
    node->index = index++;
    if (node->group != nullptr) {
      node->schedule |= kKeep;
    } else if (node->refs.load(std::memory_order_acquire) > node->uses) {
      node->schedule |= kKeep;
    }
    set_status_of_outputs(node, array::evaluated);
  }
  for (const array& output : outputs) {
    output.node()->representative()->schedule |= kKeep;
  }
}

// Sections of a batch, one per stream, in tape order.
struct Section {
  StreamState* state;
  std::vector<Step> steps;
};

void run_sections(const std::shared_ptr<Batch>& batch, std::vector<Section> sections,
                  std::unique_lock<std::mutex>& lock, bool async) {
  Scheduling& sched = scheduling();
  batch->open_sections = static_cast<int>(sections.size());
  for (Section& section : sections) {
    sched.enqueue(*section.state, [batch, async, steps = std::move(section.steps)] {
      for (const Step& step : steps) {
        run_step(*batch, step);
      }
      Scheduling& sched = scheduling();
      std::vector<array> dropped;
      std::exception_ptr error;
      {
        std::lock_guard lock(sched.mutex);
        if (--batch->open_sections == 0) {
          dropped = std::move(batch->roots);
          error = batch->first_error;
        }
        sched.notify();
      }
      if (async && error) {
        std::rethrow_exception(error);  // the stream keeps it for synchronize
      }
    });
  }
  if (!async) {
    sched.wait(lock, [&] { return batch->open_sections == 0; });
  }
}

bool wait_for_all(std::span<const array> outputs) {
  bool all = true;
  for (const array& output : outputs) {
    const_cast<array&>(output).wait();
    all &= output.status() == array::available;
  }
  return all;
}

// The node behind `output` if it is the whole graph: one output, inputs that
// are available, not part of a trace.
Node* lone_node(const array& output) {
  Node* node = output.node();
  if (node->group != nullptr || node->extras != nullptr || !node->primitive ||
      tracing_active()) {
    return nullptr;
  }
  for (const array& input : node->inputs()) {
    const Node* producer = input.node();
    if (producer->load_status() != array::available || producer->primitive) {
      return nullptr;
    }
  }
  return node;
}

// Evaluates a lone node without tape and plan. False: the general way is needed.
bool evaluate_lone(Node* node) {
  Scheduling& sched = scheduling();
  std::unique_lock lock(sched.mutex);
  if (node->load_status() != array::unscheduled || node->input_count == 0) {
    return false;  // another thread was faster
  }
  StreamState* const state = &sched.state(stream_of(node));
  if (state->running || !state->queue.empty() ||
      (node->elementwise_op < 0 && node->primitive->blocking())) {
    return false;
  }
  const std::span<Node* const> members(&node, 1);
  if (node->elementwise_op >= 0 && node->size == 1 && node->input_count <= 2 &&
      run_numbers(members)) {
    // One number took less time than giving the lock back and taking it again.
    // What the inputs hold dies outside the lock.
    const std::span<array> inputs = node->inputs();
    array first = std::move(inputs.front());
    array last = std::move(inputs.back());
    node->drop_graph();
    node->status.store(array::available, std::memory_order_release);
    sched.notify();
    lock.unlock();
    return true;
  }
  node->schedule = kKeep;
  node->status.store(array::evaluated, std::memory_order_relaxed);
  state->running = true;
  state->runner = std::this_thread::get_id();
  lock.unlock();
  std::exception_ptr error;
  donation_forbidden = false;
  try {
    if (node->elementwise_op >= 0) {
      run_fused(members);
    } else {
      evaluate_single(node);
    }
  } catch (...) {
    error = std::current_exception();
  }
  if (!error) {
    finish(node);
  } else {
    fail(node, error);
  }
  {
    std::unique_lock lock(sched.mutex);
    sched.release_token(*state);
    sched.notify();
    if (!state->queue.empty()) {  // work that the node queued for its own stream
      sched.wait(lock, [&] { return !state->running && state->queue.empty(); });
      if (state->error) {
        std::swap(error, state->error);
      }
    }
  }
  if (error) {
    std::rethrow_exception(error);
  }
  return true;
}

void evaluate(std::span<const array> outputs, bool async) {
  bool pending = false;
  bool unscheduled = false;
  for (const array& output : outputs) {
    const array::Status status = output.status();
    pending |= status != array::available;
    unscheduled |= status == array::unscheduled;
  }
  if (!pending) {
    return;
  }
  if (!unscheduled) {
    if (!async) {
      wait_for_all(outputs);
    }
    return;
  }

  if (outputs.size() == 1 && !async) {
    Node* node = lone_node(outputs[0]);
    if (node != nullptr && evaluate_lone(node)) {
      return;
    }
  }

  const auto width = static_cast<size_t>(settings::bfs_max_width());

  Scheduling& sched = scheduling();
  BuilderLease builder;
  std::unique_lock lock(sched.mutex);
  const uint64_t epoch = ++sched.epoch;
  count_uses(*builder, outputs, async, epoch);
  // Numbers need no order that saves memory.
  if (!builder->numbers) {
    build_tape(*builder, outputs, epoch, width);
  }
  StreamState* const only = builder->only;
  // A task that calls eval holds the token already.
  const bool nested = only->running && only->runner == std::this_thread::get_id();
  const bool inline_allowed = !async && !builder->several && !builder->blocking &&
                              !builder->foreign &&
                              (nested || (!only->running && only->queue.empty()));
  claim(*builder, outputs);

  if (inline_allowed) {
    if (!nested) {
      only->running = true;
      only->runner = std::this_thread::get_id();
    }
    lock.unlock();
    Batch& batch = builder->batch;
    builder->finished.clear();
    if (!builder->numbers || !evaluate_numbers(batch, builder->tape)) {
      plan_steps(builder->tape, batch.plan);
    }
    for (size_t i = 0; i < batch.plan.steps.size(); ++i) {
      run_step(batch, batch.plan.steps[i]);
    }
    lock.lock();
    if (!nested) {
      sched.release_token(*only);
    }
    sched.notify();
    // Work that a task queued for its own stream belongs to this evaluation.
    if (!nested && !only->queue.empty()) {
      sched.wait(lock, [&] { return !only->running && only->queue.empty(); });
      std::swap(builder->batch.first_error, only->error);
    }
    lock.unlock();
    if (batch.first_error) {
      std::exception_ptr error = std::move(batch.first_error);
      batch.first_error = nullptr;
      std::rethrow_exception(error);
    }
    return;
  }

  auto batch = std::make_shared<Batch>();
  batch->shared = builder->several || builder->foreign;
  batch->roots.assign(outputs.begin(), outputs.end());
  plan_steps(builder->tape, batch->plan);
  std::vector<Section> sections;
  for (const Step& step : batch->plan.steps) {
    StreamState* state = &sched.state(stream_of(batch->plan.members[step.begin]));
    Section* section = nullptr;
    for (Section& candidate : sections) {
      if (candidate.state == state) {
        section = &candidate;
      }
    }
    if (section == nullptr) {
      section = &sections.emplace_back(Section{state, {}});
    }
    section->steps.push_back(step);
  }
  if (async) {
    sched.wait(lock, [&] { return only->queue.size() < kMaxQueuedTasks; });
  }
  run_sections(batch, std::move(sections), lock, async);
  lock.unlock();
  builder->finished.clear();
  if (!async && batch->first_error) {
    std::rethrow_exception(batch->first_error);
  }
  if (!async) {
    wait_for_all(outputs);
  }
}

std::atomic<int> fusion_state{-1};

}  // namespace

bool donation_allowed() { return !donation_forbidden; }

bool fusion_enabled() {
  int state = fusion_state.load(std::memory_order_relaxed);
  if (state < 0) [[unlikely]] {
    state = settings::value<settings::Name::cpu_fusion>() ? 1 : 0;
    fusion_state.store(state, std::memory_order_relaxed);
  }
  return state != 0;
}

bool set_fusion(bool on) {
  const bool previous = fusion_enabled();
  fusion_state.store(on ? 1 : 0, std::memory_order_relaxed);
  return previous;
}

std::vector<std::string> evaluation_order(std::span<const array> outputs) {
  Scheduling& sched = scheduling();
  BuilderLease builder;
  std::lock_guard lock(sched.mutex);
  const uint64_t epoch = ++sched.epoch;
  count_uses(*builder, outputs, false, epoch);
  build_tape(*builder, outputs, epoch, static_cast<size_t>(settings::bfs_max_width()));
  std::vector<std::string> names;
  for (Node* node : builder->tape) {
    names.emplace_back(node->primitive->name());
  }
  return names;
}

}  // namespace detail

void eval(std::span<const array> outputs) { detail::evaluate(outputs, false); }
void eval(std::vector<array> outputs) { detail::evaluate(outputs, false); }
void async_eval(std::vector<array> outputs) { detail::evaluate(outputs, true); }

void array::wait() {
  if (status() == available) {
    return;
  }
  if (status() == evaluated) {
    detail::Scheduling& sched = detail::scheduling();
    std::unique_lock lock(sched.mutex);
    sched.wait(lock, [&] { return status() != evaluated; });
  }
  Node* node = node_->representative();
  if (status() == unscheduled && node->extras != nullptr && node->extras->error) {
    std::rethrow_exception(node->extras->error);
  }
}

}  // namespace mlx::core
