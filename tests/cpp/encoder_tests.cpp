// Command encoders, the scheduler and events, as authors of primitives use them.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mlx/backend/cpu/encoder.h"
#include "mlx/core/primitive.h"
#include "mlx/event.h"
#include "mlx/scheduler.h"

using namespace mlx::core;

namespace {

// Adds a constant, through a temporary, the way extensions do it.
class AddConstant : public UnaryPrimitive {
 public:
  AddConstant(Stream stream, float constant) : UnaryPrimitive(stream), constant_(constant) {}

  void eval_cpu(const std::vector<array>& inputs, array& out) override {
    auto& encoder = cpu::get_command_encoder(stream());
    const array& x = inputs[0];
    out.set_data(allocator::malloc(out.nbytes()));
    array doubled(x.shape(), x.dtype(), nullptr, {});
    doubled.set_data(allocator::malloc(doubled.nbytes()));
    encoder.set_input_array(x);
    encoder.set_output_array(out);
    encoder.add_temporary(doubled);
    encoder.dispatch(
        [](const float* in, float* tmp, int64_t n) {
          for (int64_t i = 0; i < n; ++i) {
            tmp[i] = 2 * in[i];
          }
        },
        x.data<float>(), doubled.data<float>(), static_cast<int64_t>(x.size()));
    if (constant_ < 0) {
      encoder.dispatch([] { throw std::domain_error("negative constant"); });
    }
    encoder.dispatch(
        [tmp = doubled.data<float>(), dst = out.data<float>(), n = x.size(), c = constant_] {
          for (size_t i = 0; i < n; ++i) {
            dst[i] = tmp[i] / 2 + c;
          }
        });
  }
  void eval_gpu(const std::vector<array>&, array&) override { throw std::runtime_error("no GPU"); }

  const char* name() const override { return "AddConstant"; }

 private:
  float constant_;
};

array add_constant(const array& x, float constant, Stream s) {
  return array(x.shape(), x.dtype(), std::make_shared<AddConstant>(s, constant), {x});
}

}  // namespace

TEST_CASE("encoder: a primitive of a user's own") {
  const Stream s = default_stream(Device::cpu);
  array y = add_constant(add_constant(array({1.0f, 2.0f, 3.0f}), 10, s), 0.5f, s);
  y.eval();
  CHECK(y.data<float>()[0] == 11.5f);
  CHECK(y.data<float>()[2] == 13.5f);
  CHECK(cpu::get_command_encoder(s).temporaries().empty());
}

TEST_CASE("encoder: an error in a command keeps its type") {
  array y = add_constant(array({1.0f}), -1, default_stream(Device::cpu));
  CHECK_THROWS_WITH_AS(y.eval(), "negative constant", std::domain_error);
  CHECK_THROWS_AS(y.eval(), std::domain_error);
}

TEST_CASE("encoder: outside an evaluation commands are queued in order") {
  const Stream s = new_stream(Device::cpu);
  auto& encoder = cpu::get_command_encoder(s);
  std::vector<int> order;
  std::thread::id worker;
  encoder.dispatch([&] { worker = std::this_thread::get_id(); });
  for (int i = 0; i < 100; ++i) {
    encoder.dispatch([&order](int value) { order.push_back(value); }, i);
  }
  synchronize(s);
  REQUIRE(order.size() == 100);
  for (int i = 0; i < 100; ++i) {
    CHECK(order[i] == i);
  }
  CHECK(worker != std::this_thread::get_id());
  CHECK_THROWS_AS(cpu::get_command_encoder(Stream(100000, Device::cpu)), std::runtime_error);
}

TEST_CASE("scheduler: tasks and their errors") {
  const Stream s = new_stream(Device::cpu);
  std::atomic<int> ran{0};
  scheduler::enqueue(s, [&] { ++ran; });
  scheduler::enqueue(s, [] { throw std::runtime_error("first"); });
  scheduler::enqueue(s, [] { throw std::runtime_error("second"); });
  scheduler::enqueue(s, [&] { ++ran; });
  CHECK_THROWS_WITH_AS(synchronize(s), "first", std::runtime_error);
  CHECK(ran == 2);
  CHECK_NOTHROW(synchronize(s));

  scheduler::enqueue(s, [] { throw std::runtime_error("third"); });
  scheduler::enqueue(s, [&] { ++ran; });
  while (ran < 3) {
    std::this_thread::yield();
  }
  CHECK_THROWS_AS(scheduler::check_error(s), std::runtime_error);
  CHECK_NOTHROW(scheduler::check_error(s));
}

TEST_CASE("scheduler: counting active tasks") {
  const Stream s = default_stream(Device::cpu);
  const int before = scheduler::n_active_tasks();
  scheduler::notify_new_task(s);
  CHECK(scheduler::n_active_tasks() == before + 1);
  std::thread other([&] { scheduler::notify_task_completion(s); });
  other.join();
  CHECK(scheduler::n_active_tasks() == before);
}

TEST_CASE("events order streams and carry errors") {
  CHECK(!Event().valid());
  CHECK(Event().load_error() == nullptr);
  CHECK_THROWS_AS(Event().stream(), std::runtime_error);

  const Stream a = new_stream(Device::cpu);
  const Stream b = new_stream(Device::cpu);
  std::atomic<bool> go{false};
  std::atomic<int> value{0};
  Event event(a);
  event.set_value(1);
  CHECK(event.stream() == a);
  scheduler::enqueue(a, [&] {
    while (!go) {
      std::this_thread::yield();
    }
    value = 1;
  });
  event.signal(a);
  event.wait(b);
  std::atomic<int> seen{-1};
  scheduler::enqueue(b, [&] { seen = value.load(); });
  CHECK(!event.is_signaled());
  go = true;
  event.wait();
  synchronize(b);
  CHECK(seen == 1);
  CHECK(event.is_signaled());

  Event failed(a);
  failed.set_value(1);
  scheduler::enqueue(a, [] { throw std::runtime_error("broken"); });
  failed.signal(a);
  CHECK_THROWS_WITH_AS(failed.wait(), "broken", std::runtime_error);
  CHECK_THROWS_AS(synchronize(a), std::runtime_error);

  Event passed_on(a);
  passed_on.set_value(1);
  scheduler::enqueue(a, [] { throw std::runtime_error("broken"); });
  passed_on.signal(a);
  passed_on.wait(b);
  CHECK_THROWS_WITH_AS(synchronize(b), "broken", std::runtime_error);
  CHECK_THROWS_AS(synchronize(a), std::runtime_error);
}
