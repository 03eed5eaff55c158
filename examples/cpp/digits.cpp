// Predicts handwritten digits with the model that examples/python/digits.py has trained and saved,
// and checks that the labels are those that Python predicted. Training is not done here.
//
//   digits out/digits.safetensors out/digits_test.safetensors

#include <cstdio>
#include <exception>
#include <string>
#include <unordered_map>

#include "mlx/mlx.h"

namespace mx = mlx::core;

using Weights = std::unordered_map<std::string, mx::array>;

// The multi-layer perceptron of digits.py: layers.<i>.weight of shape (out, in) and
// layers.<i>.bias, rectifiers in between, no dropout when predicting.
mx::array classify(const Weights& weights, mx::array x) {
  for (int i = 0;; ++i) {
    const std::string layer = "layers." + std::to_string(i);
    const auto weight = weights.find(layer + ".weight");
    if (weight == weights.end()) return x;
    if (i > 0) x = mx::maximum(x, mx::array(0.0f));
    x = mx::addmm(weights.at(layer + ".bias"), x, mx::transpose(weight->second));
  }
}

int count(const mx::array& condition) {
  return mx::sum(mx::astype(condition, mx::int32)).item<int>();
}

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s WEIGHTS.safetensors TEST.safetensors\n", argv[0]);
    return 2;
  }
  const auto [weights, metadata] = mx::load_safetensors(argv[1]);
  const auto [test, test_metadata] = mx::load_safetensors(argv[2]);

  const mx::array logits = classify(weights, test.at("images"));
  const mx::array predicted = mx::astype(mx::argmax(logits, -1), mx::int32);

  const int total = static_cast<int>(predicted.size());
  const int same = count(mx::equal(predicted, test.at("predicted")));
  const int right = count(mx::equal(predicted, test.at("labels")));
  std::printf("%d of %d labels are those that Python predicted\n", same, total);
  std::printf("test accuracy %.2f%%\n", 100.0 * right / total);
  return same == total ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
