// Defaults of the primitive interface: what a primitive that does not override
// a rule says.
#include "mlx/core/primitive.h"

#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "mlx/backend/cpu/encoder.h"

namespace mlx::core {

namespace {

[[noreturn]] void no_rule(const Primitive& primitive, const char* rule) {
  throw std::invalid_argument(std::string("[") + rule + "] the primitive " + primitive.name() +
                              " has no " + rule + " rule");
}

}  // namespace

std::shared_ptr<Primitive> shared_primitive(const void* kind, int variant, const Stream& s,
                                            FunctionRef<std::shared_ptr<Primitive>()> make) {
  // Leaked: nodes may die after static destructors.
  static auto* mutex = new std::mutex;
  static auto* primitives =
      new std::map<std::tuple<const void*, int, Stream>, std::shared_ptr<Primitive>>;
  std::lock_guard lock(*mutex);
  std::shared_ptr<Primitive>& owner = (*primitives)[{kind, variant, s}];
  if (!owner) {
    owner = make();
  }
  return {std::shared_ptr<void>(), owner.get()};  // shares no count
}

std::vector<array> Primitive::jvp(const std::vector<array>&, const std::vector<array>&,
                                  const std::vector<int>&) {
  no_rule(*this, "jvp");
}

std::vector<array> Primitive::vjp(const std::vector<array>&, const std::vector<array>&,
                                  const std::vector<int>&, const std::vector<array>&) {
  no_rule(*this, "vjp");
}

std::pair<std::vector<array>, std::vector<int>> Primitive::vmap(const std::vector<array>&,
                                                                const std::vector<int>&) {
  no_rule(*this, "vmap");
}

std::vector<Shape> Primitive::output_shapes(const std::vector<array>&) {
  no_rule(*this, "output_shapes");
}

void Primitive::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  const std::vector<array> in(inputs.begin(), inputs.end());
  std::vector<array> out(outputs.begin(), outputs.end());
  struct ReleaseTemporaries {
    const Stream& stream;
    ~ReleaseTemporaries() { cpu::release_temporaries(stream); }
  } release{stream()};
  eval_cpu(in, out);
}

void BuiltinPrimitive::eval_gpu(const std::vector<array>&, std::vector<array>&) {
  throw std::runtime_error(std::string("[") + name() + "] this build has no GPU backend");
}

}  // namespace mlx::core
