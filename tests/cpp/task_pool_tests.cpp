// The ThreadPool for blocking work.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "mlx/threadpool.h"

TEST_CASE("ThreadPool: results, exceptions, draining") {
  std::atomic<int> ran{0};
  {
    ThreadPool pool(2);
    std::vector<std::future<int>> results;
    for (int i = 0; i < 50; ++i) {
      results.push_back(pool.enqueue([&ran](int x) { return ++ran, x * x; }, i));
    }
    for (int i = 0; i < 50; ++i) {
      CHECK(results[i].get() == i * i);
    }
    auto failing = pool.enqueue([]() -> int { throw std::domain_error("no"); });
    CHECK_THROWS_AS(failing.get(), std::domain_error);
    pool.resize(3);
    CHECK(pool.enqueue([] { return 7; }).get() == 7);
    for (int i = 0; i < 50; ++i) {
      pool.enqueue([&ran] { ++ran; });
    }
  }
  CHECK(ran == 100);
}
