// Evaluation of softmax and logsumexp along the last axis.
#include <algorithm>
#include <vector>

#include "mlx/core/cpu_tier.h"
#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/ops/reduce/cut.h"
#include "mlx/ops/reduce/kernels.h"
#include "mlx/ops/reduce/primitives.h"

namespace mlx::core {

namespace {

constexpr int64_t kScratch = int64_t{1} << 16;  // longest row that streams its result

const SoftKernel& soft_kernel(Dtype dtype) {
  return MLX_TIER_TABLE(soft_kernels).soft[static_cast<int>(dtype.val())];
}

}  // namespace

void LogSumExp::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  const array a = dense(inputs[0]);
  const SoftKernel& kernel = soft_kernel(a.dtype());
  const int64_t n = a.shape().back();
  const auto itemsize = static_cast<int64_t>(a.itemsize());
  parallel_for(static_cast<int64_t>(out.size()), 0.3 * static_cast<double>(n) + 10,
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) {
                   kernel.logsumexp(a.data<std::byte>() + k * n * itemsize, n,
                                    out.data<std::byte>() + k * itemsize);
                 }
               });
}

void Softmax::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  const array a = dense(inputs[0]);
  if (inputs[0].flags().row_contiguous && can_donate(inputs[0], out, 2)) {  // `a` is the second
    out.copy_shared_buffer(inputs[0]);
  } else {
    allocate_output(out);
  }
  const SoftKernel& kernel = soft_kernel(a.dtype());
  const int64_t n = a.shape().back();
  const auto itemsize = static_cast<int64_t>(a.itemsize());
  const size_t lane = a.dtype() == float64 ? sizeof(double) : sizeof(float);
  const bool streaming =
      a.data<void>() != out.data<void>() && 2 * a.nbytes() >= (size_t{32} << 20) && n <= kScratch;
  const int64_t rows = n == 0 ? 0 : static_cast<int64_t>(a.size()) / n;
  parallel_for(rows, 0.4 * static_cast<double>(n) + 10, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> scratch(static_cast<size_t>(n) * lane);
    for (int64_t k = begin; k < end; ++k) {
      kernel.softmax(a.data<std::byte>() + k * n * itemsize, n,
                     out.data<std::byte>() + k * n * itemsize, scratch.data(), streaming);
    }
  });
}

}  // namespace mlx::core
