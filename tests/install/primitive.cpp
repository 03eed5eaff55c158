// An operation of the user's own, a * x + b * y, with derivatives and batching,
// built from the installed package alone.
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "mlx/backend/cpu/encoder.h"
#include "mlx/mlx.h"
#include "mlx/primitives.h"

namespace mx = mlx::core;

namespace {

class Axpby : public mx::Primitive {
 public:
  Axpby(mx::Stream stream, float alpha, float beta)
      : mx::Primitive(stream), alpha_(alpha), beta_(beta) {}

  void eval_cpu(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) override {
    mx::array& out = outputs[0];
    out.set_data(mx::allocator::malloc(out.nbytes()));
    auto& encoder = mx::cpu::get_command_encoder(stream());
    encoder.set_input_array(inputs[0]);
    encoder.set_input_array(inputs[1]);
    encoder.set_output_array(out);
    encoder.dispatch([x = inputs[0].data<float>(), y = inputs[1].data<float>(),
                      to = out.data<float>(), n = out.size(), a = alpha_, b = beta_] {
      for (size_t i = 0; i < n; ++i) to[i] = a * x[i] + b * y[i];
    });
  }
  void eval_gpu(const std::vector<mx::array>&, std::vector<mx::array>&) override {
    throw std::runtime_error("[axpby] no GPU version");
  }

  std::vector<mx::array> vjp(const std::vector<mx::array>&,
                             const std::vector<mx::array>& cotangents,
                             const std::vector<int>& argnums,
                             const std::vector<mx::array>&) override {
    std::vector<mx::array> result;
    for (int argnum : argnums) {
      const float scale = argnum == 0 ? alpha_ : beta_;
      result.push_back(mx::multiply(mx::array(scale), cotangents[0], stream()));
    }
    return result;
  }

  const char* name() const override { return "Axpby"; }

 private:
  float alpha_, beta_;
};

mx::array axpby(const mx::array& x, const mx::array& y, float alpha, float beta,
                mx::StreamOrDevice s = {}) {
  return mx::array(x.shape(), mx::float32, std::make_shared<Axpby>(mx::to_stream(s), alpha, beta),
                   {mx::contiguous(x, false, s), mx::contiguous(y, false, s)});
}

int failures = 0;
void check(bool right, const char* what) {
  if (!right) {
    std::fprintf(stderr, "wrong: %s\n", what);
    ++failures;
  }
}

}  // namespace

int main() {
  const mx::array x({1.0f, 2.0f, 3.0f}), y({10.0f, 20.0f, 30.0f});
  const mx::array z = axpby(x, y, 2.0f, 0.5f);
  check(mx::array_equal(z, mx::array({7.0f, 14.0f, 21.0f})).item<bool>(), "value");

  auto total = [&](const mx::array& v) { return mx::sum(axpby(mx::square(v), y, 2.0f, 0.5f)); };
  check(mx::array_equal(mx::grad(total)(x), mx::array({4.0f, 8.0f, 12.0f})).item<bool>(),
        "gradient through the user's operation");

  bool named = false;
  try {
    mx::jvp([&](const mx::array& v) { return axpby(v, y, 1.0f, 1.0f); }, x, x);
  } catch (const std::invalid_argument& error) {
    named = std::string(error.what()).find("Axpby") != std::string::npos;
  }
  check(named, "the missing jvp is an error that names the operation");

  // Braces and lists of any integer type make a shape.
  const int m = 2, n = 3;
  auto shape = {m, n};
  check(mx::zeros({2, 3}).shape() == mx::zeros(shape, mx::float32).shape(), "shapes from braces");
  check(mx::reshape(mx::arange(6), {2, 3}).shape(1) == 3, "reshape to braces");
  return failures;
}
