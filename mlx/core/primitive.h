// The interface of graph operations. Families of operations live in mlx/ops;
// users derive from Primitive or UnaryPrimitive.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mlx/array.h"
#include "mlx/core/function_ref.h"
#include "mlx/core/per_thread.h"
#include "mlx/device.h"
#include "mlx/stream.h"

namespace mlx::core {

class MLX_API Primitive {
 public:
  explicit Primitive(Stream stream) : stream_(stream) {}

  const Device& device() { return stream_.device; }
  const Stream& stream() { return stream_; }
  const Stream& stream() const { return stream_; }

  virtual void eval_cpu(const std::vector<array>& inputs, std::vector<array>& outputs) = 0;
  virtual void eval_gpu(const std::vector<array>& inputs, std::vector<array>& outputs) = 0;

  /// Tangents of the outputs; `tangents[k]` belongs to `primals[argnums[k]]`.
  virtual std::vector<array> jvp(const std::vector<array>& primals,
                                 const std::vector<array>& tangents,
                                 const std::vector<int>& argnums);

  /// One cotangent per entry of `argnums`, shaped like that primal.
  virtual std::vector<array> vjp(const std::vector<array>& primals,
                                 const std::vector<array>& cotangents,
                                 const std::vector<int>& argnums,
                                 const std::vector<array>& outputs);

  /// Outputs for inputs batched along `axes` (-1: not batched) and the axis of each.
  virtual std::pair<std::vector<array>, std::vector<int>> vmap(const std::vector<array>& inputs,
                                                               const std::vector<int>& axes);

  virtual const char* name() const = 0;

  /// Same computation; called only when the types are equal.
  virtual bool is_equivalent(const Primitive& other) const { return false; }

  virtual std::vector<Shape> output_shapes(const std::vector<array>& inputs);

  virtual ~Primitive() = default;
  Primitive(const Primitive& other) = delete;
  Primitive(Primitive&& other) = delete;
  Primitive& operator=(const Primitive& other) = delete;
  Primitive& operator=(Primitive&& other) = delete;

  // What follows is for the library's own primitives and for evaluation.

  /// Computes the outputs on the calling thread: allocates their buffers and
  /// fills them (parallel loops allowed). The inputs are available. The base
  /// builds vectors and calls eval_cpu, which serves user-defined primitives.
  virtual void evaluate(std::span<const array> inputs, std::span<array> outputs);

  /// The operation code of an elementwise primitive (fuse::Op), or -1.
  virtual int elementwise_op() const { return -1; }

  /// The output is the first input with axes of size 1 stretched: a view that a
  /// fused group may absorb.
  virtual bool broadcasts() const { return false; }

  /// True where evaluation may wait for another process or for the disk: it
  /// then never runs on the thread that called eval.
  virtual bool blocking() const { return false; }

 private:
  Stream stream_;
};

class MLX_API UnaryPrimitive : public Primitive {
 public:
  explicit UnaryPrimitive(Stream stream) : Primitive(stream) {}

  virtual void eval_cpu(const std::vector<array>& inputs, array& output) = 0;
  virtual void eval_gpu(const std::vector<array>& inputs, array& output) = 0;

  inline void eval_cpu(const std::vector<array>& inputs, std::vector<array>& outputs) override {
    eval_cpu(inputs, outputs[0]);
  }
  inline void eval_gpu(const std::vector<array>& inputs, std::vector<array>& outputs) override {
    eval_gpu(inputs, outputs[0]);
  }

  virtual ~UnaryPrimitive() = default;
  UnaryPrimitive(const UnaryPrimitive& other) = delete;
  UnaryPrimitive(UnaryPrimitive&& other) = delete;
  UnaryPrimitive& operator=(const UnaryPrimitive& other) = delete;
  UnaryPrimitive& operator=(UnaryPrimitive&& other) = delete;
};

/// Base of the library's own primitives: evaluated through spans, any number of
/// outputs. A family implements `evaluate`.
class MLX_API BuiltinPrimitive : public Primitive {
 public:
  using Primitive::Primitive;
  void eval_cpu(const std::vector<array>& inputs, std::vector<array>& outputs) override {
    evaluate(inputs, outputs);
  }
  void eval_gpu(const std::vector<array>& inputs, std::vector<array>& outputs) override;
  void evaluate(std::span<const array> inputs, std::span<array> outputs) override = 0;
};

/// The one primitive of a kind and variant on stream `s`, made by `make` when it
/// is first asked for. It lives for ever, as the stream does, and the handle owns
/// nothing, so that giving it to a node counts no reference.
MLX_API std::shared_ptr<Primitive> shared_primitive(
    const void* kind, int variant, const Stream& s,
    FunctionRef<std::shared_ptr<Primitive>()> make);

/// The one instance of a primitive without state on stream `s`. Nodes share it,
/// so that creating a node costs no allocation.
template <typename P>
const std::shared_ptr<Primitive>& stateless(const Stream& s) {
  static constexpr char kind = 0;
  struct Last {
    std::shared_ptr<Primitive> primitive;
  };
  Last& last = per_thread<Last>();
  if (last.primitive == nullptr || !(last.primitive->stream() == s)) [[unlikely]] {
    last.primitive = shared_primitive(&kind, 0, s, [&] { return std::make_shared<P>(s); });
  }
  return last.primitive;
}

}  // namespace mlx::core

// Shorthands for class bodies; the public names of upstream's header.
#define DEFINE_VMAP()                                              \
  std::pair<std::vector<::mlx::core::array>, std::vector<int>> vmap( \
      const std::vector<::mlx::core::array>& inputs, const std::vector<int>& axes) override;

#define DEFINE_GRADS()                                                              \
  std::vector<::mlx::core::array> jvp(const std::vector<::mlx::core::array>& primals,   \
                                      const std::vector<::mlx::core::array>& tangents,  \
                                      const std::vector<int>& argnums) override;        \
  std::vector<::mlx::core::array> vjp(const std::vector<::mlx::core::array>& primals,   \
                                      const std::vector<::mlx::core::array>& cotangents, \
                                      const std::vector<int>& argnums,                  \
                                      const std::vector<::mlx::core::array>& outputs) override;

#define DEFINE_NAME(PRIMITIVE) \
  const char* name() const override { return #PRIMITIVE; }

#define DEFINE_DEFAULT_IS_EQUIVALENT() \
  bool is_equivalent(const ::mlx::core::Primitive& other) const override { return true; }

#define DEFINE_INPUT_OUTPUT_SHAPE()                                                       \
  std::vector<::mlx::core::Shape> output_shapes(const std::vector<::mlx::core::array>& inputs) \
      override {                                                                          \
    return {inputs[0].shape()};                                                           \
  }
