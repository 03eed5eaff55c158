// Runs compiled programs over arrays: splits the work among threads, brings strided
// inputs into order, handles ends of rows. How arrays are walked is in layout.cpp.
//
// Work goes in spans of consecutive elements. Within a span an input is read in
// place, or is one value (a slot), or is gathered into scratch beforehand; the
// last, incomplete register group of a span passes through padded buffers, so
// that every element sees the same instructions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "mlx/core/parallel.h"
#include "mlx/fuse/engine.h"
#include "mlx/fuse/layout.h"
#include "mlx/fuse/program_cache.h"
#include "mlx/simd/transpose.h"

namespace mlx::core::fuse {

namespace {

constexpr int64_t block = 1024;  // elements; a multiple of every register group

/// Traffic from which output lines are not worth a place in the cache: the size
/// of the last-level cache that this core sees. sysconf counts all sockets and
/// slices on some machines, so the kernel's table is read instead.
int64_t streaming_threshold() {
  static const int64_t bytes = [] {
    int64_t kilobytes = 0;
    if (FILE* file = std::fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r")) {
      long long k = 0;
      if (std::fscanf(file, "%lldK", &k) == 1) kilobytes = k;
      std::fclose(file);
    }
    if (kilobytes <= 0) kilobytes = 32 << 10;
    return std::clamp<int64_t>(kilobytes, 8 << 10, 64 << 10) << 10;
  }();
  return bytes;
}

template <class T>
void copy_strided(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t n) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  } else if (to_stride == 1 && from_stride == 0) {
    std::fill_n(to, n, *from);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

void copy_items(int size, void* to, int64_t to_stride, const void* from, int64_t from_stride,
                int64_t n) {
  switch (size) {
    case 1:
      return copy_strided(static_cast<uint8_t*>(to), to_stride, static_cast<const uint8_t*>(from),
                          from_stride, n);
    case 2:
      return copy_strided(static_cast<uint16_t*>(to), to_stride, static_cast<const uint16_t*>(from),
                          from_stride, n);
    case 4:
      return copy_strided(static_cast<uint32_t*>(to), to_stride, static_cast<const uint32_t*>(from),
                          from_stride, n);
    default:
      return copy_strided(static_cast<uint64_t*>(to), to_stride, static_cast<const uint64_t*>(from),
                          from_stride, n);
  }
}

void turn_items(int size, uint8_t* to, int64_t pitch, const uint8_t* from, int64_t stride,
                int64_t rows, int64_t columns) {
  const auto turn = [&](auto item) {
    using T = decltype(item);
    transpose_panel(reinterpret_cast<T*>(to), pitch, reinterpret_cast<const T*>(from), stride, rows,
                    columns);
  };
  switch (size) {
    case 1:
      return turn(uint8_t());
    case 2:
      return turn(uint16_t());
    case 4:
      return turn(uint32_t());
    default:
      return turn(uint64_t());
  }
}

/// Visits elements [begin, begin + n) of the row-major order as runs along the
/// last dimension: visit(offset in elements, length, stride).
template <class Visit>
void walk(const Layout& layout, const int64_t* strides, int64_t begin, int64_t n,
          const Visit& visit) {
  int64_t index[max_dimensions];
  const int last = layout.ndim - 1;
  int64_t rest = begin, offset = 0;
  for (int k = last; k >= 0; --k) {
    const int64_t i = rest % layout.shape[k];
    rest /= layout.shape[k];
    index[k] = i;
    offset += i * strides[k];
  }
  while (n > 0) {
    const int64_t run = std::min(n, layout.shape[last] - index[last]);
    visit(offset, run, strides[last]);
    n -= run;
    if (n == 0) break;
    offset -= index[last] * strides[last];
    index[last] = 0;
    for (int k = last - 1; k >= 0; --k) {
      offset += strides[k];
      if (++index[k] < layout.shape[k]) break;
      offset -= strides[k] * layout.shape[k];
      index[k] = 0;
    }
  }
}

int64_t panels_side(const Layout& layout) {
  return (layout.inner - 1) / layout.panel_columns + 1;
}
int64_t panels_down(const Layout& layout) {
  return (layout.shape[layout.along] - 1) / layout.panel_rows + 1;
}

/// Runs a prepared program on this thread, in its arena.
class Executor {
 public:
  Executor(const Program& program, const Layout& layout, Prepared& prepared, Arena& arena,
           bool streaming)
      : program_(program),
        layout_(layout),
        prepared_(prepared),
        memory_(memory_table()),
        arena_(arena),
        streaming_(streaming) {
    state_.scratch = arena.scratch;
    if (layout.any_gather || layout.along >= 0) prepare_scratch();
    for (int i = 0; i < program.num_inputs; ++i) {
      if (layout.input_access[i] == Access::constant) {
        fill_constant(i, static_cast<const uint8_t*>(program.inputs[i].data));
      }
    }
    if (!streaming) restore_stores();
  }

  /// Elements [begin, end) of the sequence.
  void run_range(int64_t begin, int64_t end) {
    if (layout_.rows) {
      while (begin < end) {
        const int64_t row = begin / layout_.inner;
        const int64_t start = begin - row * layout_.inner;
        const int64_t n = std::min(end - begin, layout_.inner - start);
        int64_t index[max_dimensions];
        find_row(row, -1, index);
        run_row(index, start, n);
        begin += n;
      }
    } else if (layout_.any_gather) {
      for (; begin < end; begin += tile_) run_tile(begin, std::min(tile_, end - begin));
    } else {
      for (int i = 0; i < program_.num_inputs; ++i) {
        input_[i] =
            static_cast<const uint8_t*>(program_.inputs[i].data) + begin * layout_.input_size[i];
      }
      for (int o = 0; o < program_.num_outputs; ++o) {
        output_[o] =
            static_cast<uint8_t*>(program_.outputs[o].data) + begin * layout_.output_size[o];
      }
      run_span(end - begin);
    }
    if (streaming_) memory_.flush();
  }

  /// Panels [begin, end): rows that lie next to each other in transposed inputs.
  void run_panels(int64_t begin, int64_t end) {
    const int last = layout_.ndim - 1;
    const int along = layout_.along;
    const int64_t side = panels_side(layout_), down = panels_down(layout_);
    const int64_t pitch = panel_pitch(layout_);
    for (int64_t panel = begin; panel < end; ++panel) {
      const int64_t start = panel % side * layout_.panel_columns;
      const int64_t n = std::min(layout_.panel_columns, layout_.inner - start);
      const int64_t first = panel / side % down * layout_.panel_rows;
      const int64_t rows = std::min(layout_.panel_rows, layout_.shape[along] - first);
      int64_t index[max_dimensions];
      find_row(panel / (side * down), along, index);
      index[along] = first;
      for (int i = 0; i < program_.num_inputs; ++i) {
        if (layout_.input_access[i] != Access::transposed) continue;
        const int64_t* strides = layout_.input_strides[i];
        const int size = layout_.input_size[i];
        turned_[i] = gather_[i];
        turn_items(size, gather_[i], pitch,
                   static_cast<const uint8_t*>(program_.inputs[i].data) +
                       offset_of(index, start, strides) * size,
                   strides[last], rows, n);
      }
      for (int64_t r = 0; r < rows; ++r) {
        index[along] = first + r;
        run_row(index, start, n);
        for (int i = 0; i < program_.num_inputs; ++i) {
          if (layout_.input_access[i] == Access::transposed) {
            turned_[i] += pitch * layout_.input_size[i];
          }
        }
      }
    }
    if (streaming_) memory_.flush();
  }

 private:
  void prepare_scratch() {
    int count = 0;
    for (int i = 0; i < program_.num_inputs; ++i) {
      count += layout_.input_access[i] == Access::gather;
    }
    for (int o = 0; o < program_.num_outputs; ++o) count += !layout_.output_direct[o];
    tile_ = count <= 4 ? block : block / 4;
    size_t bytes = static_cast<size_t>(count * tile_ * 8);
    for (int i = 0; i < program_.num_inputs; ++i) {
      if (layout_.input_access[i] == Access::transposed) bytes += turned_size(i);
    }
    if (arena_.gathered.size() < bytes + 64) arena_.gathered.resize(bytes + 64);
    uint8_t* p = arena_.gathered.data();
    p += -reinterpret_cast<uintptr_t>(p) & 63;
    for (int i = 0; i < program_.num_inputs; ++i) {
      if (layout_.input_access[i] != Access::gather) continue;
      gather_[i] = p;
      p += tile_ * 8;
    }
    for (int o = 0; o < program_.num_outputs; ++o) {
      if (layout_.output_direct[o]) continue;
      scatter_[o] = p;
      p += tile_ * 8;
    }
    for (int i = 0; i < program_.num_inputs; ++i) {
      if (layout_.input_access[i] != Access::transposed) continue;
      gather_[i] = p;
      p += turned_size(i);
    }
  }

  size_t turned_size(int i) const {
    return static_cast<size_t>(layout_.panel_rows * panel_pitch(layout_) * layout_.input_size[i]);
  }

  /// Puts one stored value into all lanes of the input's slot.
  void fill_constant(int i, const uint8_t* value) {
    if (prepared_.constant_slot[i] < 0) return;
    uint8_t* to = arena_.slot(prepared_.constant_slot[i]);
    const int size = layout_.input_size[i];
    copy_items(size, to, 1, value, 0, group_bytes / size);
    if (prepared_.constant_load[i] == nullptr) return;
    // load from the splat, store into the slot
    Step load[3] = {};
    std::memcpy(arena_.scratch + group_bytes, to, group_bytes);
    load[0].run = prepared_.constant_load[i];
    load[0].operand[0] = arena_.scratch + group_bytes;
    load[1].run = memory_.control(Control::spill);
    load[1].operand[0] = to;
    load[2].run = memory_.control(Control::finish);
    memory_.run_groups(load, &state_, 1, 1);
  }

  /// The position of a row in all dimensions but the last and `skipped`.
  void find_row(int64_t row, int skipped, int64_t* index) const {
    for (int k = layout_.ndim - 2; k >= 0; --k) {
      if (k == skipped) continue;
      index[k] = row % layout_.shape[k];
      row /= layout_.shape[k];
    }
  }

  int64_t offset_of(const int64_t* index, int64_t start, const int64_t* strides) const {
    const int last = layout_.ndim - 1;
    int64_t offset = start * strides[last];
    for (int k = 0; k < last; ++k) offset += index[k] * strides[k];
    return offset;
  }

  /// Elements [start, start + n) of the row at `index`.
  void run_row(const int64_t* index, int64_t start, int64_t n) {
    const int last = layout_.ndim - 1;
    for (int i = 0; i < program_.num_inputs; ++i) {
      if (layout_.input_access[i] == Access::constant) continue;
      if (layout_.input_access[i] == Access::transposed) {
        input_[i] = turned_[i];
        continue;
      }
      input_[i] = static_cast<const uint8_t*>(program_.inputs[i].data) +
                  offset_of(index, start, layout_.input_strides[i]) * layout_.input_size[i];
      if (layout_.input_access[i] == Access::row_constant) fill_constant(i, input_[i]);
    }
    for (int o = 0; o < program_.num_outputs; ++o) {
      output_[o] = static_cast<uint8_t*>(program_.outputs[o].data) +
                   offset_of(index, start, layout_.output_strides[o]) * layout_.output_size[o];
    }
    if (!layout_.any_gather) return run_span(n);

    const uint8_t* from[max_inputs];
    uint8_t* to[max_outputs];
    std::copy_n(input_, program_.num_inputs, from);
    std::copy_n(output_, program_.num_outputs, to);
    for (int64_t done = 0; done < n; done += tile_) {
      const int64_t m = std::min(tile_, n - done);
      for (int i = 0; i < program_.num_inputs; ++i) {
        const int size = layout_.input_size[i];
        if (layout_.input_access[i] == Access::gather) {
          const int64_t stride = layout_.input_strides[i][last];
          copy_items(size, gather_[i], 1, from[i] + done * stride * size, stride, m);
          input_[i] = gather_[i];
        } else {
          input_[i] = from[i] + done * size;
        }
      }
      for (int o = 0; o < program_.num_outputs; ++o) {
        output_[o] = layout_.output_direct[o] ? to[o] + done * layout_.output_size[o] : scatter_[o];
      }
      run_span(m);
      for (int o = 0; o < program_.num_outputs; ++o) {
        if (layout_.output_direct[o]) continue;
        const int64_t stride = layout_.output_strides[o][last];
        const int size = layout_.output_size[o];
        copy_items(size, to[o] + done * stride * size, stride, scatter_[o], 1, m);
      }
    }
  }

  void run_tile(int64_t begin, int64_t n) {
    for (int i = 0; i < program_.num_inputs; ++i) {
      const int size = layout_.input_size[i];
      const uint8_t* data = static_cast<const uint8_t*>(program_.inputs[i].data);
      if (layout_.input_access[i] == Access::gather) {
        uint8_t* to = gather_[i];
        walk(layout_, layout_.input_strides[i], begin, n,
             [&](int64_t offset, int64_t run, int64_t stride) {
               copy_items(size, to, 1, data + offset * size, stride, run);
               to += run * size;
             });
        input_[i] = gather_[i];
      } else {
        input_[i] = data + begin * size;
      }
    }
    for (int o = 0; o < program_.num_outputs; ++o) {
      output_[o] = layout_.output_direct[o] ? static_cast<uint8_t*>(program_.outputs[o].data) +
                                                  begin * layout_.output_size[o]
                                            : scatter_[o];
    }
    run_span(n);
    for (int o = 0; o < program_.num_outputs; ++o) {
      if (layout_.output_direct[o]) continue;
      const int size = layout_.output_size[o];
      uint8_t* data = static_cast<uint8_t*>(program_.outputs[o].data);
      const uint8_t* from = scatter_[o];
      walk(layout_, layout_.output_strides[o], begin, n,
           [&](int64_t offset, int64_t run, int64_t stride) {
             copy_items(size, data + offset * size, stride, from, 1, run);
             from += run * size;
           });
    }
  }

  void link(const uint8_t* const* inputs, uint8_t* const* outputs) {
    Step* steps = prepared_.steps.data();
    for (const Link& x : prepared_.links) {
      steps[x.step].operand[x.operand] =
          x.to.place == Place::input ? inputs[x.to.index] : outputs[x.to.index];
    }
  }

  void run_groups(size_t groups) {
    memory_.run_groups(prepared_.steps.data(), &state_, groups,
                       static_cast<size_t>(prepared_.group) * lane_bytes(prepared_.width));
  }

  /// n elements from input_[i] to output_[o].
  void run_span(int64_t n) {
    const int64_t group = prepared_.group;
    const int64_t whole = n / group * group;
    if (whole > 0) {
      if (streaming_) choose_stores();
      link(input_, output_);
      run_groups(whole / group);
    }
    if (whole < n) run_tail(whole, n - whole);
  }

  void choose_stores() {
    for (int o = 0; o < program_.num_outputs; ++o) {
      const bool aligned = reinterpret_cast<uintptr_t>(output_[o]) % memory_.vector_bytes == 0;
      const bool stream = aligned && prepared_.stream[o] != nullptr && layout_.output_direct[o];
      prepared_.steps[prepared_.store_step[o]].run =
          stream ? prepared_.stream[o] : prepared_.store[o];
    }
  }

  void restore_stores() {
    for (int o = 0; o < program_.num_outputs; ++o) {
      prepared_.steps[prepared_.store_step[o]].run = prepared_.store[o];
    }
  }

  void run_tail(int64_t skip, int64_t n) {
    const uint8_t* inputs[max_inputs];
    uint8_t* outputs[max_outputs];
    for (int i = 0; i < program_.num_inputs; ++i) {
      if (layout_.input_access[i] == Access::constant ||
          layout_.input_access[i] == Access::row_constant) {
        continue;
      }
      const size_t size = layout_.input_size[i];
      uint8_t* buffer = arena_.tail + i * group_bytes;
      memory_.copy_padded(buffer, input_[i] + skip * size, static_cast<size_t>(n) * size);
      inputs[i] = buffer;
    }
    for (int o = 0; o < program_.num_outputs; ++o) {
      outputs[o] = arena_.tail + (program_.num_inputs + o) * group_bytes;
    }
    if (streaming_) restore_stores();
    link(inputs, outputs);
    run_groups(1);
    for (int o = 0; o < program_.num_outputs; ++o) {
      const size_t size = layout_.output_size[o];
      std::memcpy(output_[o] + skip * size, outputs[o], n * size);
    }
  }

  const Program& program_;
  const Layout& layout_;
  Prepared& prepared_;
  const MemorySteps& memory_;
  Arena& arena_;
  const bool streaming_;
  int64_t tile_ = block;
  State state_;
  const uint8_t* input_[max_inputs];
  uint8_t* output_[max_outputs];
  uint8_t* gather_[max_inputs];
  const uint8_t* turned_[max_inputs];  // the current row of the panel in gather_
  uint8_t* scatter_[max_outputs];
};

/// Casts between complex64 and 64-bit types go through float32.
void run_alone(const Program& program, int64_t total) {
  const Instruction& cast = program.instructions[0];
  const std::unique_ptr<float[]> middle(new float[total]);
  const std::unique_ptr<int64_t[]> dense(new int64_t[program.ndim + 1]);
  int64_t stride = 1;
  for (int k = program.ndim - 1; k >= 0; --k) {
    dense[k] = stride;
    stride *= program.shape[k];
  }
  const Instruction first{Op::Cast, cast.in, Dtype::Val::float32, {0, 0, 0}};
  const Instruction second{Op::Cast, Dtype::Val::float32, cast.out, {0, 0, 0}};
  const Input from{middle.get(), Dtype::Val::float32, dense.get()};
  const Output to{1, middle.get(), dense.get()};
  run({program.ndim, program.shape, 1, program.inputs, 1, &first, 1, &to});
  run({program.ndim, program.shape, 1, &from, 1, &second, 1, program.outputs});
}

/// Whether real and imaginary parts go their own ways, in arrays without gaps.
bool splits_into_parts(const Program& program) {
  for (int k = 0; k < program.num_instructions; ++k) {
    const Instruction& i = program.instructions[k];
    if (i.in != Dtype::Val::complex64 || i.out != i.in) return false;
    if (i.op != Op::Add && i.op != Op::Subtract && i.op != Op::Negative) return false;
  }
  for (int i = 0; i < program.num_inputs; ++i) {
    if (program.inputs[i].dtype != Dtype::Val::complex64) return false;
    if (!is_dense(program, program.inputs[i].strides)) return false;
  }
  for (int o = 0; o < program.num_outputs; ++o) {
    if (!is_dense(program, program.outputs[o].strides)) return false;
  }
  return program.num_instructions > 0 && program.num_outputs > 0;
}

/// Runs such a program on float32, which saves taking the parts asunder.
void run_parts(const Program& program) {
  int64_t count = 2;
  for (int k = 0; k < program.ndim; ++k) count *= program.shape[k];
  const int64_t stride = 1;
  Input inputs[max_inputs];
  Instruction instructions[max_instructions];
  Output outputs[max_outputs];
  for (int i = 0; i < program.num_inputs; ++i) {
    inputs[i] = {program.inputs[i].data, Dtype::Val::float32, &stride};
  }
  for (int k = 0; k < program.num_instructions; ++k) {
    instructions[k] = program.instructions[k];
    instructions[k].in = instructions[k].out = Dtype::Val::float32;
  }
  for (int o = 0; o < program.num_outputs; ++o) {
    outputs[o] = {program.outputs[o].value, program.outputs[o].data, &stride};
  }
  run({1, &count, program.num_inputs, inputs, program.num_instructions, instructions,
       program.num_outputs, outputs});
}

}  // namespace

void run(const Program& program) {
  check_size(program);
  if (splits_into_parts(program)) return run_parts(program);
  Layout layout;
  analyse(program, layout);
  if (layout.total == 0 || program.num_outputs == 0) return;
  if (program.num_instructions == 1 && program.instructions[0].op == Op::Cast &&
      program.num_outputs == 1 && program.num_inputs == 1 && program.outputs[0].value == 1) {
    const Instruction& i = program.instructions[0];
    if (lane_class(i.op, i.in, i.out) == LaneClass::alone) {
      return run_alone(program, layout.total);
    }
  }

  bool constant[max_inputs];
  int64_t bytes = 0;  // of memory traffic per element
  for (int i = 0; i < program.num_inputs; ++i) {
    constant[i] = layout.input_access[i] == Access::constant ||
                  layout.input_access[i] == Access::row_constant;
    if (!constant[i]) bytes += layout.input_size[i];
  }
  for (int o = 0; o < program.num_outputs; ++o) bytes += layout.output_size[o];
  ThreadPrograms& mine = thread_programs();
  Prepared& prepared = prepare(mine, program, constant);
  const double cost = prepared.step_cost + nanoseconds_per_byte * static_cast<double>(bytes);
  const int64_t panels = layout.along < 0
                             ? 0
                             : layout.total / (layout.inner * layout.shape[layout.along]) *
                                   panels_side(layout) * panels_down(layout);
  if (static_cast<double>(layout.total) * cost < 2000.0) {
    Executor executor(program, layout, prepared, mine.arena, false);
    return panels > 0 ? executor.run_panels(0, panels) : executor.run_range(0, layout.total);
  }

  bool streaming = bytes * layout.total >= streaming_threshold();
  if (streaming) {
    // Donated memory is in the cache already.
    for (int i = 0; i < program.num_inputs; ++i) {
      for (int o = 0; o < program.num_outputs; ++o) {
        streaming &= program.inputs[i].data != program.outputs[o].data;
      }
    }
  }
  if (panels > 0) {
    const auto elements = static_cast<double>(layout.panel_rows * layout.panel_columns);
    const double turning = 0.1 * elements;
    parallel_for(panels, cost * elements + turning, [&](int64_t begin, int64_t end) {
      ThreadPrograms& own = thread_programs();
      Executor(program, layout, prepare(own, program, constant), own.arena, streaming)
          .run_panels(begin, end);
    });
    return;
  }
  // Items are blocks of a row, or of the whole sequence.
  const int64_t length = std::min(block, layout.inner);
  const int64_t per_row = (layout.inner + length - 1) / length;
  const int64_t items =
      layout.rows ? layout.total / layout.inner * per_row : (layout.total + block - 1) / block;
  const int64_t item = layout.rows ? length : block;
  parallel_for(items, cost * static_cast<double>(item), [&](int64_t begin, int64_t end) {
    ThreadPrograms& own = thread_programs();
    Executor executor(program, layout, prepare(own, program, constant), own.arena, streaming);
    if (!layout.rows) {
      executor.run_range(begin * block, std::min(end * block, layout.total));
      return;
    }
    const auto element = [&](int64_t k) {
      const int64_t row = k / per_row;
      return row * layout.inner + std::min((k - row * per_row) * length, layout.inner);
    };
    executor.run_range(element(begin), element(end));
  });
}

}  // namespace mlx::core::fuse
