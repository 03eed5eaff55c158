// Compiled functions give the results of the functions they are made of.
#include <doctest/doctest.h>

#include "mlx/compile.h"
#include "mlx/ops.h"

using namespace mlx::core;

namespace {

std::vector<array> doubled(const std::vector<array>& inputs) {
  return {inputs[0] + inputs[0]};
}

}  // namespace

TEST_CASE("compile takes functions, lambdas and function objects") {
  const array x = array(3.0f);
  CHECK(compile(doubled)({x})[0].item<float>() == 6.0f);
  CHECK(compile([](const std::vector<array>& in) { return std::vector<array>{in[0] * in[0]}; },
                true)({x})[0]
            .item<float>() == 9.0f);
  auto fun = [scale = array(2.0f)](const std::vector<array>& in) {
    return std::vector<array>{in[0] * scale};
  };
  CHECK(compile(fun)({x})[0].item<float>() == 6.0f);
  CHECK_FALSE(compile(nullptr));
}

TEST_CASE("compile modes can be set at any time") {
  const auto fun = compile(doubled);
  for (auto mode : {CompileMode::disabled, CompileMode::no_simplify, CompileMode::no_fuse,
                    CompileMode::enabled}) {
    set_compile_mode(mode);
    CHECK(fun({array(1.0f)})[0].item<float>() == 2.0f);
  }
  disable_compile();
  enable_compile();
}
