// Tables of the kernels for each storage type. Included once by each tier file;
// everything is local to that object.
#pragma once

#include <utility>

#include "mlx/ops/matmul/gemm_kernels.h"
#include "mlx/ops/matmul/gemm_pack-inl.h"
#include "mlx/ops/matmul/gemm_tile-inl.h"
#include "mlx/ops/matmul/gemv-inl.h"

namespace mlx::core::gemm {
namespace {

template <typename T, int V, int... R>
constexpr void fill_tiles(PanelKernels& table, std::integer_sequence<int, R...>) {
  ((table.tile[V - 1][R] = &tile<T, R + 1, V>), ...);
}
template <int V, int... R>
constexpr void fill_complex_tiles(PanelKernels& table, std::integer_sequence<int, R...>) {
  ((table.tile[V - 1][R] = &complex_tile<R + 1, V>), ...);
}

template <typename S>
constexpr void fill_skinny(PanelKernels& table) {
  table.dot_x_bytes = sizeof(Accumulator<S>);
  table.widen_for_dots = &widen_rows<S>;
  table.widen_for_axpys = &widen_rows<S>;
  table.dots = &dots<Dot<S>>;
  table.axpys = &axpys<S>;
}

template <typename S>
constexpr PanelKernels real_kernels() {
  using A = Accumulator<S>;
  PanelKernels table{};
  table.tile_rows = kWide ? 14 : 6;
  table.tile_vectors = 2;
  table.lanes = kLanes<A>;
  table.k_unit = 1;
  table.storage_bytes = sizeof(S);
  table.panel_bytes = sizeof(A);
  table.accumulator_bytes = sizeof(A);
  table.block_k = sizeof(A) == 4 ? (kWide ? 256 : 512) : 192;
  table.reads_unpacked_b = sizeof(S) == sizeof(A);
  table.masks_columns = kWide;
  table.pack_rows = &pack_rows<S>;
  table.pack_columns = &pack_columns<S>;
  table.finish = &finish<S>;
  fill_tiles<A, 1>(table, std::make_integer_sequence < int, kWide ? 14 : 6 > {});
  fill_tiles<A, 2>(table, std::make_integer_sequence < int, kWide ? 14 : 6 > {});
  fill_skinny<S>(table);
  return table;
}

constexpr PanelKernels complex_kernels() {
  PanelKernels table{};
  constexpr int kRows = kWide ? 6 : 4;
  table.tile_rows = kRows;
  table.tile_vectors = kWide ? 2 : 1;
  table.lanes = kLanes<float>;
  table.k_unit = 1;
  table.storage_bytes = table.panel_bytes = table.accumulator_bytes = sizeof(Complex);
  table.block_k = 192;
  table.pack_rows = &pack_complex_rows;
  table.pack_columns = &pack_complex_columns;
  table.finish = &finish_complex;
  fill_complex_tiles<1>(table, std::make_integer_sequence<int, kRows>{});
  if constexpr (kWide) fill_complex_tiles<2>(table, std::make_integer_sequence<int, kRows>{});
  return table;
}

}  // namespace
}  // namespace mlx::core::gemm
