// Blocking, threads and batches of matrix products; see gemm.h. Every choice
// that affects rounding depends on m, n, k and strides only.
#include "mlx/ops/matmul/gemm.h"

#include <memory>
#include <new>
#include <stdexcept>

#include "mlx/core/cpu_tier.h"
#include "mlx/core/parallel.h"
#include "mlx/core/shape.h"
#include "mlx/ops/matmul/gemm_item.h"
#include "mlx/ops/matmul/workspace.h"

namespace mlx::core::gemm {
namespace {

// Columns of B whose packed panels stay within a few megabytes.
constexpr int64_t kBlockRows = 2048;
constexpr int64_t kBlockColumns = 2048;
constexpr int64_t kPassBytes = 8 << 20;
constexpr int64_t kPassSteps = 4096;
// k values of a contiguous run that are packed together; even.
constexpr int64_t kPackSteps = 16;
// What one thread works on shares the second-level cache: panels of A, some
// panels of B, and sums that are not in place.
constexpr int64_t kGroupRowBytes = 192 << 10;
constexpr int64_t kGroupSumBytes = 256 << 10;
constexpr int64_t kStripBytes = 256 << 10;
// Panels below which copying the other operand again would show.
constexpr int64_t kFewestPanels = 8;
// Row panels up to which panels of B are packed and used up a few at a time.
constexpr int64_t kFlatPanels = 6;
constexpr int64_t kFlatBytes = 256 << 10;
// Products up to this many multiply-adds are computed without packing.
constexpr int64_t kDirectLimit = 96 * 96 * 96;
// Products above this many multiply-adds are worth all threads each.
constexpr int64_t kParallelItem = 4 << 20;
// Products of a batch up to this size are not worth sharing, however few they are.
constexpr int64_t kSmallItem = 64 << 10;

const MatmulKernels& tier_kernels(CpuTier tier) {
#if defined(MLX_SINGLE_TIER_v3)
  return matmul_kernels_v3;
#else
  switch (tier) {
    case CpuTier::v2:
      return matmul_kernels_v2;
    case CpuTier::v3:
      return matmul_kernels_v3;
    default:
      return matmul_kernels_v4;
  }
#endif
}

const PanelKernels& kernels_for(Dtype::Val dtype, CpuTier tier) {
  switch (dtype) {
    case Dtype::Val::float16:
      return tier_kernels(tier).float16;
    case Dtype::Val::bfloat16:
#if defined(MLX_HAVE_V4BF16)
      if (tier == CpuTier::v4bf16) return bfloat16_dot_kernels;
#endif
      return tier_kernels(tier).bfloat16;
    case Dtype::Val::float32:
      return tier_kernels(tier).float32;
    case Dtype::Val::float64:
      return tier_kernels(tier).float64;
    case Dtype::Val::complex64:
      return tier_kernels(tier).complex64;
    default:
      throw std::invalid_argument(
          "[matmul] only floating-point and complex arrays have a matrix product");
  }
}

bool sums_in_place(const PanelKernels& kernels, const Item& item) {
  return item.raw || (kernels.accumulator_bytes == kernels.storage_bytes && item.c_column == 1);
}

bool needs_finish(const PanelKernels& kernels, const Item& item) {
  if (item.raw) return false;
  return !sums_in_place(kernels, item) || item.alpha != 1.0 || item.c0 != nullptr;
}

// Rounds sums at (row, column) of C, in place when `sums` is C itself.
void finish_block(const PanelKernels& kernels, const Item& item, const void* sums, int64_t sums_row,
                  int64_t row, int64_t column, int64_t rows, int64_t columns) {
  const int64_t size = kernels.storage_bytes;
  kernels.finish(
      sums, sums_row, item.c + (row * item.c_row + column * item.c_column) * size, item.c_row,
      item.c_column,
      item.c0 == nullptr ? nullptr : item.c0 + (row * item.c0_row + column * item.c0_column) * size,
      item.c0_row, item.c0_column, rows, columns, item.alpha, item.beta);
}

void run_empty_k(const PanelKernels& kernels, const Item& item) {
  alignas(64) static constexpr double zeros[64] = {};
  for (int64_t row = 0; row < item.m; ++row) {
    for (int64_t column = 0; column < item.n; column += 64) {
      finish_block(kernels, item, zeros, 0, row, column, 1, std::min<int64_t>(64, item.n - column));
    }
  }
}

// ---- without packing -----------------------------------------------------

bool is_direct(const PanelKernels& kernels, const Item& item) {
  return kernels.reads_unpacked_b && item.b_column == 1 && sums_in_place(kernels, item) &&
         (kernels.masks_columns || item.n % kernels.lanes == 0) &&
         item.m * item.n * item.k <= kDirectLimit;
}

void run_direct(const PanelKernels& kernels, const Item& item) {
  const int64_t width = kernels.tile_vectors * kernels.lanes;
  const int64_t size = kernels.storage_bytes;
  const int64_t row_panels = divide_up(item.m, kernels.tile_rows);
  const int64_t column_panels = divide_up(item.n, width);
  const bool finishes = needs_finish(kernels, item);
  auto body = [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const int64_t panel = index % row_panels;
      const int64_t column = index / row_panels * width;
      const int64_t columns = std::min(width, item.n - column);
      const int64_t row = part_start(item.m, row_panels, panel);
      const int64_t rows = part_start(item.m, row_panels, panel + 1) - row;
      char* c = item.c + (row * item.c_row + column) * size;
      kernels.tile[divide_up(columns, kernels.lanes) - 1][rows - 1](
          item.k, item.a + row * item.a_row * size, item.a_row, item.a_column,
          item.b + column * size, item.b_row, c, item.c_row, columns, false);
      if (finishes) finish_block(kernels, item, c, item.c_row, row, column, rows, columns);
    }
  };
  const int64_t panels = row_panels * column_panels;
  const double time = static_cast<double>(item.m * item.n * item.k) *
                      nanoseconds_per_step(kernels) / static_cast<double>(panels);
  parallel_for(panels, time, body);
}

// ---- packed --------------------------------------------------------------

// One block of C: rows [row, row + rows) and columns [column, column + columns).
// In each pass over k, all threads pack B; then each multiplies groups of rows
// on its own, packing the rows of A where they stay in its second-level cache.
class PackedBlock {
 public:
  PackedBlock(const PanelKernels& kernels, const Item& item, int64_t row, int64_t rows,
              int64_t column, int64_t columns)
      : kernels_(kernels),
        item_(item),
        row_(row),
        rows_(rows),
        column_(column),
        columns_(columns),
        width_(kernels.tile_vectors * kernels.lanes),
        row_panels_(divide_up(rows, kernels.tile_rows)),
        column_panels_(divide_up(columns, width_)),
        k_blocks_(k_blocks(kernels, item)),
        block_k_(round_up(divide_up(item.k, k_blocks_), kernels.k_unit)),
        pass_blocks_(std::min(k_blocks_, pass_blocks(kernels))),
        steps_(block_k_ / kernels.k_unit),
        by_step_(item.a_row == 1 && item.a_column != 1),
        pitch_(round_up(steps_, 16) + 16),
        in_place_(sums_in_place(kernels, item)),
        finishes_(needs_finish(kernels, item)) {
    const int64_t a_bytes = is_flat() ? row_panels_ * row_slot() * k_blocks_ : 0;
    const int64_t b_bytes = is_flat() ? 0 : pass_blocks_ * column_panels_ * column_slot();
    sums_row_ = round_up(columns, 16);
    const int64_t sum_bytes = keeps_sums() ? rows * sums_row_ * kernels.accumulator_bytes : 0;
    packed_a_ = static_cast<char*>(
        workspace(Workspace::shared, static_cast<size_t>(a_bytes + b_bytes + sum_bytes)));
    packed_b_ = packed_a_ + a_bytes;
    sums_ = packed_b_ + b_bytes;
  }

  static int64_t k_blocks(const PanelKernels& kernels, const Item& item) {
    return divide_up(item.k, kernels.block_k);
  }
  static int64_t pass_blocks(const PanelKernels& kernels) {
    return std::max<int64_t>(1, kPassSteps / kernels.block_k);
  }

  void run() {
    if (is_flat()) return run_flat();
    choose_groups();
    for (int64_t block = 0; block < k_blocks_; block += pass_blocks_) {
      const int64_t end = std::min(k_blocks_, block + pass_blocks_);
      pack_pass(block, end);
      multiply_pass(block, end);
    }
  }

 private:
  int64_t row_slot() const {
    return round_up(kernels_.tile_rows * pitch_ * kernels_.panel_bytes, 64);
  }
  int64_t column_slot() const { return round_up(width_ * steps_ * kernels_.panel_bytes, 64); }
  int64_t first_row(int64_t panel) const { return part_start(rows_, row_panels_, panel); }
  int64_t k_of(int64_t block) const { return std::min(block_k_, item_.k - block * block_k_); }
  // Sums of all rows between passes.
  bool keeps_sums() const { return !is_flat() && !in_place_ && k_blocks_ > pass_blocks_; }

  void pack_pass(int64_t first, int64_t last) {
    // B in runs: few k of all columns where rows are contiguous, else all k of a panel.
    const int64_t runs = divide_up(block_k_, pack_steps(block_k_));
    const int64_t items = runs > 1 ? runs : column_panels_;
    const double time = 0.2 * static_cast<double>(block_k_ * columns_ / items);
    parallel_for((last - first) * items, time, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t block = first + i / items;
        const int64_t k = k_of(block);
        char* to = packed_b_ + i / items * column_panels_ * column_slot();
        const int64_t part = i % items;
        if (runs > 1) {
          const int64_t step = part * pack_steps(block_k_);
          const int64_t count = std::min(pack_steps(block_k_), k - step);
          if (count <= 0) continue;
          pack_column_panels(0, column_panels_, block * block_k_, step, count, to);
        } else {
          pack_column_panels(part, part + 1, block * block_k_, 0, k, to + part * column_slot());
        }
      }
    });
  }

  // Groups of row panels and column panels that one thread multiplies. They
  // affect the order of tiles, not their values.
  void choose_groups() {
    const int64_t wanted = 8 * num_threads();
    const int64_t fitting = std::max<int64_t>(1, kGroupRowBytes / row_slot());
    const int64_t panels =
        std::clamp(divide_up(row_panels_, wanted), std::min(kFewestPanels, fitting), fitting);
    row_groups_ = divide_up(row_panels_, panels);
    // Equal shares for all threads.
    const int64_t share = row_groups_ > wanted ? wanted : num_threads();
    row_groups_ = std::min(row_panels_, round_up(row_groups_, share));
    group_rows_ = divide_up(row_panels_, row_groups_) * kernels_.tile_rows;
    column_groups_ = 1;
    if (!in_place_ && !keeps_sums()) {
      const int64_t bytes = group_rows_ * column_panels_ * width_ * kernels_.accumulator_bytes;
      column_groups_ = std::min(column_panels_, divide_up(bytes, kGroupSumBytes));
    }
    while (row_groups_ * column_groups_ < wanted / 2 &&
           column_panels_ >= 2 * column_groups_ * kFewestPanels) {
      column_groups_ *= 2;
    }
  }

  void multiply_pass(int64_t first, int64_t last) {
    const double time = static_cast<double>(group_rows_ * columns_ / column_groups_) *
                        static_cast<double>((last - first) * block_k_) *
                        nanoseconds_per_step(kernels_);
    parallel_for(row_groups_ * column_groups_, time, [&](int64_t begin, int64_t end) {
      const int64_t a_bytes = group_rows_ / kernels_.tile_rows * row_slot();
      const int64_t most = divide_up(column_panels_, column_groups_) * width_;
      const int64_t sum_bytes =
          in_place_ || keeps_sums() ? 0 : group_rows_ * most * kernels_.accumulator_bytes;
      char* packed =
          static_cast<char*>(workspace(Workspace::own, static_cast<size_t>(a_bytes + sum_bytes)));
      for (int64_t i = begin; i < end; ++i) {
        multiply_rows(i / column_groups_, i % column_groups_, first, last, packed,
                      packed + a_bytes);
      }
    });
  }

  // One group of row panels against one group of column panels, over the k of a pass.
  void multiply_rows(int64_t row_group, int64_t column_group, int64_t first_block,
                     int64_t last_block, char* packed, char* local) {
    const int64_t begin = part_start(row_panels_, row_groups_, row_group);
    const int64_t end = part_start(row_panels_, row_groups_, row_group + 1);
    const int64_t first = part_start(column_panels_, column_groups_, column_group);
    const int64_t last = part_start(column_panels_, column_groups_, column_group + 1);
    const int64_t column = first * width_;
    const int64_t columns = std::min(last * width_, columns_) - column;
    const int64_t row = first_row(begin);
    const int64_t size = kernels_.accumulator_bytes;
    char* sums = local;
    int64_t sums_row = (last - first) * width_;
    if (in_place_) {
      sums_row = item_.c_row;
      sums = item_.c + ((row_ + row) * sums_row + column_ + column) * size;
    } else if (keeps_sums()) {
      sums_row = sums_row_;
      sums = sums_ + (row * sums_row + column) * size;
    }
    // Panels of B stay in the second-level cache while each row panel passes them.
    const int64_t strip = std::max<int64_t>(1, kStripBytes / column_slot()) * width_;
    for (int64_t block = first_block; block < last_block; ++block) {
      const int64_t k = k_of(block);
      pack_row_panels(begin, end, block * block_k_, k, packed);
      const char* b = packed_b_ + ((block - first_block) * column_panels_ + first) * column_slot();
      for (int64_t j = 0; j < columns; j += strip) {
        for (int64_t p = begin; p < end; ++p) {
          multiply_tiles(p, packed + (p - begin) * row_slot(), b + j / width_ * column_slot(),
                         std::min(strip, columns - j), divide_up(k, kernels_.k_unit),
                         sums + ((first_row(p) - row) * sums_row + j) * size, sums_row, block > 0);
        }
      }
    }
    if (finishes_ && last_block == k_blocks_) {
      finish_block(kernels_, item_, sums, sums_row, row_ + row, column_ + column,
                   first_row(end) - row, columns);
    }
  }

  // k values [k0, k0 + k) of the row panels [begin, end).
  void pack_row_panels(int64_t begin, int64_t end, int64_t k0, int64_t k, char* to) {
    const int64_t steps = by_step_ ? std::min(k, kPackSteps) : k;
    for (int64_t step = 0; step < k; step += steps) {
      for (int64_t panel = begin; panel < end; ++panel) {
        const int64_t first = first_row(panel);
        const int64_t rows = first_row(panel + 1) - first;
        kernels_.pack_rows(item_.a + ((row_ + first) * item_.a_row + (k0 + step) * item_.a_column) *
                                         kernels_.storage_bytes,
                           item_.a_row, item_.a_column, rows, std::min(steps, k - step), by_step_,
                           pitch_,
                           to + (panel - begin) * row_slot() +
                               step / kernels_.k_unit * rows * kernels_.panel_bytes);
      }
    }
  }

  // k values that are packed for all panels before the next ones are touched.
  int64_t pack_steps(int64_t k) const {
    return item_.b_column == 1 && column_panels_ > 1 ? std::min<int64_t>(k, kPackSteps) : k;
  }

  // k values [k0 + step, k0 + step + k) of the column panels [begin, end); `to`
  // is where the first of these panels starts.
  void pack_column_panels(int64_t begin, int64_t end, int64_t k0, int64_t step, int64_t k,
                          char* to) {
    for (int64_t panel = begin; panel < end; ++panel) {
      const int64_t first = panel * width_;
      const int64_t columns = std::min(width_, columns_ - first);
      const int64_t width = round_up(columns, kernels_.lanes);
      kernels_.pack_columns(
          item_.b + ((k0 + step) * item_.b_row + (column_ + first) * item_.b_column) *
                        kernels_.storage_bytes,
          item_.b_row, item_.b_column, columns, width, k,
          to + (panel - begin) * column_slot() +
              step / kernels_.k_unit * width * kernels_.panel_bytes);
    }
  }

  // Few rows: every panel of B is used a few times only. Pack some where they
  // stay in the second-level cache, use them up, and go on.
  bool is_flat() const { return row_panels_ <= kFlatPanels && column_panels_ > 1; }

  void run_flat() {
    const double panel_time = static_cast<double>(item_.k * kernels_.tile_rows) * 0.3;
    parallel_for(row_panels_ * k_blocks_, panel_time, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t panel = i % row_panels_;
        const int64_t block = i / row_panels_;
        pack_row_panels(panel, panel + 1, block * block_k_, k_of(block),
                        packed_a_ + i * row_slot());
      }
    });
    // Contiguous rows of B are read in runs of a group's width.
    const int64_t most = item_.b_column == 1 ? kFlatBytes / column_slot() : 1;
    const int64_t shares = divide_up(column_panels_, 4 * num_threads());
    const int64_t group = std::max<int64_t>(1, std::min(most, shares));
    const int64_t groups = divide_up(column_panels_, group);
    const double group_time = static_cast<double>(item_.k * width_ * group) *
                              (0.3 + static_cast<double>(rows_) * nanoseconds_per_step(kernels_));
    parallel_for(groups, group_time, [&](int64_t begin, int64_t end) {
      const int64_t packed_bytes = group * column_slot();
      const int64_t sum_bytes = in_place_ ? 0 : rows_ * group * width_ * kernels_.accumulator_bytes;
      char* packed = static_cast<char*>(
          workspace(Workspace::own, static_cast<size_t>(packed_bytes + sum_bytes)));
      for (int64_t i = begin; i < end; ++i) {
        multiply_group(i * group, std::min(column_panels_, (i + 1) * group), packed,
                       packed + packed_bytes);
      }
    });
  }

  // Column panels [begin, end) against all rows.
  void multiply_group(int64_t begin, int64_t end, char* packed, char* local) {
    const int64_t column = begin * width_;
    const int64_t columns = std::min(end * width_, columns_) - column;
    const int64_t size = kernels_.accumulator_bytes;
    const int64_t sums_row = in_place_ ? item_.c_row : (end - begin) * width_;
    char* sums = in_place_ ? item_.c + (row_ * sums_row + column_ + column) * size : local;
    for (int64_t block = 0; block < k_blocks_; ++block) {
      const int64_t k0 = block * block_k_;
      const int64_t k = std::min(block_k_, item_.k - k0);
      for (int64_t step = 0; step < k; step += pack_steps(k)) {
        pack_column_panels(begin, end, k0, step, std::min(pack_steps(k), k - step), packed);
      }
      for (int64_t p = 0; p < row_panels_; ++p) {
        multiply_tiles(p, packed_a_ + (block * row_panels_ + p) * row_slot(), packed, columns,
                       divide_up(k, kernels_.k_unit), sums + first_row(p) * sums_row * size,
                       sums_row, block > 0);
      }
    }
    if (finishes_) {
      finish_block(kernels_, item_, sums, sums_row, row_, column_ + column, rows_, columns);
    }
  }

  // One row panel against column panels that lie one after the other.
  void multiply_tiles(int64_t row_panel, const char* a, const char* packed_columns, int64_t columns,
                      int64_t steps, char* sums, int64_t sums_row, bool accumulate) const {
    const int64_t rows = first_row(row_panel + 1) - first_row(row_panel);
    const int64_t a_row = by_step_ ? 1 : pitch_;
    const int64_t a_step = by_step_ ? rows : 1;
    const int64_t slot = column_slot();
    const auto whole = kernels_.tile[kernels_.tile_vectors - 1][rows - 1];
    for (; columns >= width_; columns -= width_) {
      whole(steps, a, a_row, a_step, packed_columns, width_, sums, sums_row, width_, accumulate);
      packed_columns += slot;
      sums += width_ * kernels_.accumulator_bytes;
    }
    if (columns > 0) {
      const int64_t vectors = divide_up(columns, kernels_.lanes);
      kernels_.tile[vectors - 1][rows - 1](steps, a, a_row, a_step, packed_columns,
                                           vectors * kernels_.lanes, sums, sums_row, columns,
                                           accumulate);
    }
  }

  const PanelKernels& kernels_;
  const Item& item_;
  const int64_t row_, rows_, column_, columns_;
  const int64_t width_, row_panels_, column_panels_;
  const int64_t k_blocks_, block_k_, pass_blocks_, steps_;
  const bool by_step_;
  const int64_t pitch_;
  const bool in_place_, finishes_;
  int64_t sums_row_ = 0;
  char* packed_a_ = nullptr;
  char* packed_b_ = nullptr;
  char* sums_ = nullptr;
  int64_t row_groups_ = 1, column_groups_ = 1, group_rows_ = 0;
};

void run_packed(const PanelKernels& kernels, const Item& item) {
  const int64_t width = kernels.tile_vectors * kernels.lanes;
  const int64_t k = std::min(item.k, PackedBlock::pass_blocks(kernels) * kernels.block_k);
  const int64_t most_columns =
      std::min(kBlockColumns, kPassBytes * kernels.k_unit / (k * kernels.panel_bytes));
  const int64_t column_blocks = divide_up(item.n, most_columns);
  const int64_t columns = round_up(divide_up(item.n, column_blocks), width);
  // Sums that wait for the next pass bound the rows.
  const int64_t row_blocks = k < item.k ? divide_up(item.m, kBlockRows) : 1;
  const int64_t rows = round_up(divide_up(item.m, row_blocks), kernels.tile_rows);
  for (int64_t column = 0; column < item.n; column += columns) {
    for (int64_t row = 0; row < item.m; row += rows) {
      PackedBlock(kernels, item, row, std::min(rows, item.m - row), column,
                  std::min(columns, item.n - column))
          .run();
    }
  }
}

// Few results and a long k: cut k at fixed places and add the parts in order.
bool is_long(const Item& item) {
  return !item.raw && item.m * item.n <= 128 * 128 && item.k >= 8192;
}

void run_long(const PanelKernels& kernels, const Item& item) {
  const int64_t parts = divide_up(item.k, 4096);
  const int64_t part_k = round_up(divide_up(item.k, parts), 64);
  const int64_t count = divide_up(item.k, part_k);
  const int64_t row = round_up(item.n, 16);
  const int64_t part_bytes = item.m * row * kernels.accumulator_bytes;
  struct Free {
    void operator()(char* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<char, Free> sums(static_cast<char*>(
      ::operator new(static_cast<size_t>(count * part_bytes), std::align_val_t(64))));
  const double time = static_cast<double>(item.m * item.n * part_k) * nanoseconds_per_step(kernels);
  parallel_for(count, time, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Item part = item;
      const int64_t k0 = i * part_k;
      part.k = std::min(part_k, item.k - k0);
      part.a += k0 * item.a_column * kernels.storage_bytes;
      part.b += k0 * item.b_row * kernels.storage_bytes;
      part.c = sums.get() + i * part_bytes;
      part.c_row = row;
      part.c_column = 1;
      part.raw = true;
      run_packed(kernels, part);
    }
  });
  add_partial_sums(kernels, sums.get(), count, item.m * row);
  finish_block(kernels, item, sums.get(), row, 0, 0, item.m, item.n);
}

// ---- batches -------------------------------------------------------------

enum class Way { empty_k, direct, skinny, long_k, packed };

Way choose(const PanelKernels& kernels, const Item& item) {
  if (item.k == 0) return Way::empty_k;
  if (item.m > 1 && item.n > 1 && is_direct(kernels, item)) return Way::direct;
  if (is_skinny(kernels, item)) return Way::skinny;
  if (is_long(item)) return Way::long_k;
  return Way::packed;
}

void run(Way way, const PanelKernels& kernels, const Item& item) {
  switch (way) {
    case Way::empty_k:
      return run_empty_k(kernels, item);
    case Way::direct:
      return run_direct(kernels, item);
    case Way::skinny:
      return run_skinny(kernels, item);
    case Way::long_k:
      return run_long(kernels, item);
    case Way::packed:
      return run_packed(kernels, item);
  }
}

// One batch dimension: its size and each operand's stride in bytes.
struct BatchDim {
  int64_t size;
  int64_t a, b, c0, c;
};
using BatchDims = SmallVector<BatchDim, 6>;

// Drops dimensions of size one and merges neighbours that lie evenly.
BatchDims collapse(const Product& p, int64_t size) {
  BatchDims dims;
  auto stride = [&](const int64_t* strides, int i) {
    return strides == nullptr ? 0 : strides[i] * size;
  };
  for (int i = 0; i < p.batch_ndim; ++i) {
    const BatchDim dim{p.batch_shape[i], stride(p.a.batch_strides, i), stride(p.b.batch_strides, i),
                       p.c0.data == nullptr ? 0 : stride(p.c0.batch_strides, i),
                       stride(p.c.batch_strides, i)};
    if (dim.size == 1) continue;
    if (!dims.empty()) {
      BatchDim& last = dims.back();
      if (last.a == dim.a * dim.size && last.b == dim.b * dim.size &&
          last.c0 == dim.c0 * dim.size && last.c == dim.c * dim.size) {
        last = {last.size * dim.size, dim.a, dim.b, dim.c0, dim.c};
        continue;
      }
    }
    dims.push_back(dim);
  }
  return dims;
}

// A batch that shares B is one taller product when its rows lie evenly.
void fold_into_rows(Item& item, BatchDims& dims, int64_t size) {
  while (!dims.empty()) {
    const BatchDim dim = dims.back();
    auto even = [&](int64_t batch, int64_t row) { return batch == item.m * row * size; };
    const bool single = item.m == 1;
    if (dim.b != 0) return;
    if (!single && !(even(dim.a, item.a_row) && even(dim.c, item.c_row) &&
                     (item.c0 == nullptr || even(dim.c0, item.c0_row)))) {
      return;
    }
    if (single) {
      item.a_row = dim.a / size;
      item.c_row = dim.c / size;
      item.c0_row = dim.c0 / size;
    }
    item.m *= dim.size;
    dims.pop_back();
  }
}

}  // namespace

double nanoseconds_per_step(const PanelKernels& kernels) {
  const double lanes = static_cast<double>(kernels.lanes * kernels.k_unit);
  return 0.32 / lanes * (kernels.storage_bytes == 8 && kernels.dots == nullptr ? 4 : 1);
}

void multiply(const Product& product) {
  multiply(product, cpu_tier());
}

void multiply(const Product& p, CpuTier tier) {
  const PanelKernels& kernels = kernels_for(p.dtype, tier);
  const int64_t size = kernels.storage_bytes;
  int64_t count = 1;
  for (int i = 0; i < p.batch_ndim; ++i) count *= p.batch_shape[i];
  if (p.m == 0 || p.n == 0 || count == 0) return;

  Item item{p.m,
            p.n,
            p.k,
            static_cast<const char*>(p.a.data),
            p.a.row_stride,
            p.a.column_stride,
            static_cast<const char*>(p.b.data),
            p.b.row_stride,
            p.b.column_stride,
            static_cast<const char*>(p.c0.data),
            p.c0.row_stride,
            p.c0.column_stride,
            static_cast<char*>(p.c.data),
            p.c.row_stride,
            p.c.column_stride,
            p.alpha,
            p.beta,
            false};
  BatchDims dims = collapse(p, size);
  fold_into_rows(item, dims, size);
  const Way way = choose(kernels, item);
  if (dims.empty()) return run(way, kernels, item);

  count = 1;
  for (const BatchDim& dim : dims) count *= dim.size;
  const int64_t inner = dims.back().size;
  auto run_range = [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end;) {
      Item one = item;
      int64_t rest = index / inner;
      auto move = [&](const BatchDim& dim, int64_t by) {
        one.a += by * dim.a;
        one.b += by * dim.b;
        if (one.c0 != nullptr) one.c0 += by * dim.c0;
        one.c += by * dim.c;
      };
      for (size_t d = dims.size() - 1; d-- > 0;) {
        move(dims[d], rest % dims[d].size);
        rest /= dims[d].size;
      }
      const int64_t first = index % inner;
      const int64_t last = std::min(inner, first + (end - index));
      move(dims.back(), first);
      for (int64_t i = first; i < last; ++i) {
        run(way, kernels, one);
        move(dims.back(), 1);
      }
      index += last - first;
    }
  };
  const int64_t steps = item.m * item.n * item.k;
  const bool enough_items = count >= 2 * num_threads() || steps <= kSmallItem;
  if (steps > kParallelItem || !enough_items) {
    run_range(0, count);
  } else {
    parallel_for(count, 100 + static_cast<double>(steps) * nanoseconds_per_step(kernels),
                 run_range);
  }
}

}  // namespace mlx::core::gemm
