// The vector code of matrix products as plain function pointers, one table per
// instruction-set tier. Everything that knows about blocking, threads and
// strides of batches is in gemm.cpp and gemv.cpp.
#pragma once

#include <cstdint>

namespace mlx::core::gemm {

constexpr int kMaxTileRows = 16;
constexpr int kMaxTileVectors = 4;
// Rows up to which the large operand is read as it lies: contiguous along k, or across.
constexpr int kMaxDotRows = 16;
constexpr int kMaxAxpyRows = 8;

/// Kernels for one storage type. A *panel* is a strip of A or B copied so that
/// the tile kernel walks it sequentially, in the type it computes in:
///  - a row panel (up to `tile_rows` rows of A) holds element (i, k) at
///    i * row + k * step, with strides that follow the source;
///  - a column panel (up to tile_vectors * lanes columns of B) holds k-rows of
///    `width` values. complex64 keeps `width` real parts, then the imaginary.
/// bfloat16 with the dot instruction packs two consecutive k as one element
/// (`k_unit` 2): its panels, and every k given to `tile`, count pairs.
struct PanelKernels {
  int tile_rows;
  int tile_vectors;
  int lanes;
  int k_unit;
  int storage_bytes;
  int panel_bytes;
  int accumulator_bytes;
  int block_k;            // k values per pass over a panel
  bool reads_unpacked_b;  // storage and panel types agree, so B may be used as it lies
  bool masks_columns;     // unpacked B may have any number of columns

  /// Rows of A. `by_step`: source is contiguous along rows, dst is [k][rows];
  /// otherwise dst is [rows][pitch]. Odd k is padded with zero to k_unit.
  void (*pack_rows)(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows, int64_t k,
                    bool by_step, int64_t pitch, void* dst);
  /// Columns of B into [k / k_unit][width], columns beyond `columns` zero.
  void (*pack_columns)(const void* src, int64_t k_stride, int64_t column_stride, int64_t columns,
                       int64_t width, int64_t k, void* dst);
  /// tile[v - 1][r - 1] computes r rows by v vectors of columns:
  /// C (+)= A B with `columns` <= v * lanes columns stored.
  using Tile = void (*)(int64_t steps, const void* a, int64_t a_row, int64_t a_step, const void* b,
                        int64_t b_step, void* c, int64_t c_row, int64_t columns, bool accumulate);
  Tile tile[kMaxTileVectors][kMaxTileRows];
  /// out = alpha * sums + beta * c0, rounded to the storage type. c0 may be null.
  void (*finish)(const void* sums, int64_t sums_row, void* out, int64_t out_row, int64_t out_column,
                 const void* c0, int64_t c0_row, int64_t c0_column, int64_t rows, int64_t columns,
                 double alpha, double beta);

  // Products with few rows. Null for complex64, which uses tiles.

  int dot_x_bytes;  // an element of x in `dots`
  /// x[row * pitch + k] = src[row * row_stride + k * k_stride], in the type of
  /// `dots` or in the accumulator type for `axpys`.
  void (*widen_for_dots)(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows,
                         int64_t k, int64_t pitch, void* x);
  void (*widen_for_axpys)(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows,
                          int64_t k, int64_t pitch, void* x);
  /// sums[i * sums_row + j] (+)= dot(x row i, w row j); w rows are contiguous.
  void (*dots)(const void* x, int64_t x_row, int64_t x_rows, const void* w, int64_t w_row,
               int64_t w_rows, int64_t k, void* sums, int64_t sums_row, bool accumulate);
  /// y[i * y_row + j] += sum over k of x[i * x_row + k] * w[k * w_step + j], j < count.
  void (*axpys)(const void* x, int64_t x_row, int64_t x_rows, const void* w, int64_t w_step,
                int64_t k, void* y, int64_t y_row, int64_t count);
};

struct MatmulKernels {
  PanelKernels float16;
  PanelKernels bfloat16;
  PanelKernels float32;
  PanelKernels float64;
  PanelKernels complex64;
};

extern const MatmulKernels matmul_kernels_v2;
extern const MatmulKernels matmul_kernels_v3;
extern const MatmulKernels matmul_kernels_v4;
/// bfloat16 with the bf16 dot instruction: subnormal inputs count as zero.
extern const PanelKernels bfloat16_dot_kernels;

}  // namespace mlx::core::gemm
