// Products in which one side has few rows: they read the large
// operand once, as it lies, and are bound by memory. Contiguous along k it is
// a set of dot products, contiguous across k a sum of scaled rows.
#include <cstring>

#include "mlx/core/parallel.h"
#include "mlx/ops/matmul/gemm_item.h"
#include "mlx/ops/matmul/workspace.h"

namespace mlx::core::gemm {
namespace {

// out (x_rows x w_rows) = x (x_rows x k) times the transpose of w (w_rows x k).
struct Skinny {
  int64_t x_rows, w_rows, k;
  const char* x;
  int64_t x_row, x_k;
  const char* w;
  int64_t w_row, w_k;
  const char* c0;
  int64_t c0_row, c0_column;
  char* out;
  int64_t out_row, out_column;
};

bool few_rows(const Item& item) {
  return item.m <= item.n;
}

Skinny skinny_of(const Item& item) {
  if (few_rows(item)) {
    return {item.m,        item.n,         item.k,        item.a,     item.a_row,
            item.a_column, item.b,         item.b_column, item.b_row, item.c0,
            item.c0_row,   item.c0_column, item.c,        item.c_row, item.c_column};
  }
  return {item.n,         item.m,      item.k,     item.b,        item.b_column,
          item.b_row,     item.a,      item.a_row, item.a_column, item.c0,
          item.c0_column, item.c0_row, item.c,     item.c_column, item.c_row};
}

// k values of x and w that are walked together while several rows share them.
constexpr int64_t kBlockK = 2048;
// Rows of w whose sums are kept before they are rounded and stored.
constexpr int64_t kDotRowsPerItem = 24;
// Values of w from which k is cut into parts for one row of x, and how many.
constexpr int64_t kSplitValues = 256 << 10;
constexpr int64_t kMostParts = 16;
// Accumulators per slice of the scaled-row form: half a first-level cache.
constexpr int64_t kSliceValues = 4096;

template <typename A>
void add_parts(A* sums, int64_t parts, int64_t count) {
  for (int64_t p = 1; p < parts; ++p) {
    for (int64_t i = 0; i < count; ++i) sums[i] += sums[p * count + i];
  }
}

}  // namespace

void add_partial_sums(const PanelKernels& kernels, void* sums, int64_t parts, int64_t count) {
  const int64_t bytes = kernels.accumulator_bytes;
  if (kernels.storage_bytes == 8 && kernels.dots == nullptr) {  // complex64
    add_parts(static_cast<float*>(sums), parts, 2 * count);
  } else if (bytes == 8) {
    add_parts(static_cast<double*>(sums), parts, count);
  } else {
    add_parts(static_cast<float*>(sums), parts, count);
  }
}

bool is_skinny(const PanelKernels& kernels, const Item& item) {
  if (kernels.dots == nullptr || item.raw) return false;
  const Skinny s = skinny_of(item);
  if (s.w_k == 1) return s.x_rows <= kMaxDotRows;
  return s.w_row == 1 && s.x_rows <= kMaxAxpyRows;
}

void run_skinny(const PanelKernels& kernels, const Item& item) {
  const Skinny s = skinny_of(item);
  const int64_t bytes = kernels.accumulator_bytes;
  const bool dots = s.w_k == 1;
  // Few results and a long k: cut k at fixed places, so that threads have work.
  int64_t parts = 1;
  if (dots && s.w_rows < 64 && s.k >= 16384) parts = divide_up(s.k, 8192);
  if (!dots && s.w_rows < 512 && s.k >= 8192) parts = divide_up(s.k, 4096);
  // One row of x: parts of k rather than of columns, so that each reads long runs.
  if (!dots && s.x_rows == 1 && s.k * s.w_rows >= kSplitValues) {
    parts = std::max(parts, std::min(kMostParts, s.k / 256));
  }
  const int64_t part_k = round_up(divide_up(s.k, parts), 64);
  parts = divide_up(s.k, part_k);

  const int64_t pitch = s.k + 16;
  const int64_t x_size = dots ? kernels.dot_x_bytes : bytes;
  const int64_t x_bytes = round_up(s.x_rows * pitch * x_size, 64);
  const int64_t padded_rows = round_up(s.w_rows, 16);
  const int64_t part_values = s.x_rows * padded_rows;
  char* x = static_cast<char*>(
      workspace(Workspace::shared,
                static_cast<size_t>(x_bytes + (parts > 1 ? parts * part_values * bytes : 0))));
  char* partial = x + x_bytes;
  (dots ? kernels.widen_for_dots : kernels.widen_for_axpys)(s.x, s.x_row, s.x_k, s.x_rows, s.k,
                                                            pitch, x);

  auto finish = [&](const void* sums, int64_t sums_row, int64_t first, int64_t count) {
    const int64_t size = kernels.storage_bytes;
    kernels.finish(sums, sums_row, s.out + first * s.out_column * size, s.out_row, s.out_column,
                   s.c0 == nullptr ? nullptr : s.c0 + first * s.c0_column * size, s.c0_row,
                   s.c0_column, s.x_rows, count, item.alpha, item.beta);
  };

  int64_t rows_per_item;
  if (dots) {
    rows_per_item = kDotRowsPerItem;
    if (s.x_rows == 1) {
      rows_per_item = std::clamp(s.w_rows / (8 * num_threads()), rows_per_item, kSliceValues);
    }
  } else {
    const int64_t largest = kSliceValues / s.x_rows / 16 * 16;
    const int64_t wanted =
        parts >= 2 * num_threads() ? largest : round_up(divide_up(s.w_rows, 2 * num_threads()), 64);
    rows_per_item = std::min(largest, std::max<int64_t>(wanted, 256));
  }
  const int64_t blocks = divide_up(s.w_rows, rows_per_item);
  // The larger of arithmetic and reading at some 20 GB/s.
  const double item_time =
      static_cast<double>(std::min(rows_per_item, s.w_rows)) * static_cast<double>(part_k) *
      std::max(static_cast<double>(kernels.storage_bytes) * 0.05,
               static_cast<double>(s.x_rows) * nanoseconds_per_step(kernels) * 2);

  parallel_for(parts * blocks, item_time, [&](int64_t begin, int64_t end) {
    alignas(64) double local[kSliceValues];
    for (int64_t index = begin; index < end; ++index) {
      const int64_t part = index / blocks;
      const int64_t first = index % blocks * rows_per_item;
      const int64_t count = std::min(rows_per_item, s.w_rows - first);
      const int64_t k0 = part * part_k;
      const int64_t k1 = std::min(s.k, k0 + part_k);
      char* sums = parts > 1 ? partial + (part * part_values + first) * bytes
                             : reinterpret_cast<char*>(local);
      const int64_t sums_row = parts > 1 ? padded_rows : round_up(count, 16);
      const char* w = s.w + first * s.w_row * kernels.storage_bytes;
      if (dots) {
        const int64_t step = s.x_rows == 1 ? part_k : kBlockK;
        for (int64_t at = k0; at < k1; at += step) {
          kernels.dots(x + at * x_size, pitch, s.x_rows, w + at * kernels.storage_bytes, s.w_row,
                       count, std::min(step, k1 - at), sums, sums_row, at > k0);
        }
      } else {
        for (int64_t i = 0; i < s.x_rows; ++i) {
          std::memset(sums + i * sums_row * bytes, 0,
                      static_cast<size_t>(round_up(count, 16) * bytes));
        }
        kernels.axpys(x + k0 * x_size, pitch, s.x_rows, w + k0 * s.w_k * kernels.storage_bytes,
                      s.w_k, k1 - k0, sums, sums_row, count);
      }
      if (parts == 1) finish(sums, sums_row, first, count);
    }
  });
  if (parts > 1) {
    add_partial_sums(kernels, partial, parts, part_values);
    finish(partial, padded_rows, 0, s.w_rows);
  }
}

}  // namespace mlx::core::gemm
