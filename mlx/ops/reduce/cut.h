// How a reduction cuts an array: into runs that are contiguous and reduced, or
// into columns that are kept. Cuts depend on shapes alone, so that results do not
// depend on the threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mlx/array.h"

namespace mlx::core {

inline constexpr int64_t kRun = 16384;  // elements of a run that one kernel call reduces

/// A dimension as a reduction sees it.
struct ReducedDimension {
  int64_t size;
  int64_t stride;      // of the input
  int64_t out_stride;  // of the dense output; 0 for a reduced dimension
  bool reduced;
};

/// Offsets of all combinations of some dimensions, in the input and in the output.
/// One dimension, the usual case, needs no list of them.
class ReducedOffsets {
 public:
  void add(const ReducedDimension& d);
  int64_t count() const { return count_; }
  int64_t in(int64_t i) const { return in_.empty() ? i * stride_ : in_[i]; }
  int64_t out(int64_t i) const { return out_.empty() ? i * out_stride_ : out_[i]; }
  /// Whether in(i) is i * stride, or out(i) is.
  bool in_steps_by(int64_t stride) const {
    return count_ == 1 || (in_.empty() && stride_ == stride);
  }
  bool out_steps_by(int64_t stride) const {
    return count_ == 1 || (out_.empty() && out_stride_ == stride);
  }

 private:
  int64_t count_ = 1;
  int64_t stride_ = 0;
  int64_t out_stride_ = 0;
  std::vector<int64_t> in_;
  std::vector<int64_t> out_;
};

/// Runs of the innermost dimension, or columns of it.
struct Cut {
  bool runs;
  int64_t inner = 1;             // length of a run, or number of columns
  int64_t inner_out_stride = 0;  // of the columns
  ReducedOffsets kept;           // outer kept dimensions
  ReducedOffsets reduced;        // outer reduced dimensions
};

/// Sorted axes. `a` must be readable.
Cut cut(const array& a, const std::vector<int>& axes);

/// The array with its innermost dimension contiguous; a dense copy if need be.
array readable(const array& a, const std::vector<int>& axes);

/// The array as it is, or a dense copy.
array dense(const array& a);

/// Rough time of one element, for the split among threads.
inline double read_nanoseconds(size_t itemsize) {
  return 0.03 * static_cast<double>(itemsize) / 4.0 + 0.01;
}

/// The runs of a cut in pieces that one kernel call reduces, counted output by output.
struct Pieces {
  const Cut& c;
  const std::byte* data;
  int64_t itemsize;
  int64_t per_run, per_output, elements_per_output;

  Pieces(const Cut& c_, const std::byte* data_, int64_t itemsize_)
      : c(c_),
        data(data_),
        itemsize(itemsize_),
        per_run((c_.inner + kRun - 1) / kRun),
        per_output(per_run * c_.reduced.count()),
        elements_per_output(c_.inner * c_.reduced.count()) {}

  int64_t length(int64_t i) const { return std::min(kRun, c.inner - i % per_run * kRun); }
  const void* start(int64_t i) const {
    const int64_t segment = i % per_output / per_run;
    return data +
           (c.kept.in(i / per_output) + c.reduced.in(segment) + i % per_run * kRun) * itemsize;
  }

  /// body(pieces, their starts, count <= 4, length) for all pieces of [begin, end).
  template <class F>
  void for_pieces(int64_t begin, int64_t end, F&& body) const;
};

/// The columns of a cut in tasks: tiles of at most `widest` columns whose accumulators
/// stay in L1 and, where tiles are few, parts of the rows.
struct ColumnTasks {
  const Cut& c;
  int64_t tiles, width, parts, part_rows, count;

  struct Task {
    int64_t offset;  // of the first column, in elements
    int64_t output;  // of the first column
    int64_t columns, first_row, rows;
  };

  ColumnTasks(const Cut& c, int64_t widest);
  Task operator[](int64_t i) const;

  /// How many rows to take as one, because they are short and contiguous; 1 if not.
  int64_t rows_together(const Task& t) const;
  /// The offsets of every `step`-th of the rows [0, t.rows - t.rows % step).
  void offsets(const Task& t, int64_t step, std::vector<int64_t>& to) const;
};

/// Calls body(items, count) for all items of [begin, end), four at once: `near`, one after the
/// other, or far apart, where a core then reads four long streams.
template <class F>
void for_four(int64_t begin, int64_t end, bool near, F&& body) {
  const int64_t quarter = (end - begin) / 4;
  const int64_t apart = near ? 1 : quarter;
  int64_t i = begin;
  for (int64_t g = 0; g < quarter; ++g) {
    const int64_t items[4] = {i, i + apart, i + 2 * apart, i + 3 * apart};
    body(items, int64_t{4});
    i += near ? 4 : 1;
  }
  for (i = begin + 4 * quarter; i < end; ++i) {
    body(&i, int64_t{1});
  }
}

/// Rows of fewer bytes gain nothing from being far apart.
inline constexpr int64_t kNearBytes = 1024;

template <class F>
void Pieces::for_pieces(int64_t begin, int64_t end, F&& body) const {
  for_four(begin, end, false, [&](const int64_t* items, int64_t count) {
    const void* x[4];
    bool same = true;
    for (int64_t i = 0; i < count; ++i) {
      x[i] = start(items[i]);
      same &= length(items[i]) == length(items[0]);
    }
    if (same) {
      body(items, x, count, length(items[0]));
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      body(items + i, x + i, int64_t{1}, length(items[i]));
    }
  });
}

}  // namespace mlx::core
