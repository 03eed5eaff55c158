// Strided copies: dimensions are put into the order of the destination and
// merged; then runs are copied whole, matrices whose rows and columns change
// roles are transposed in tiles of one cache line, and the rest goes element by
// element.
#include "mlx/ops/shape/copy.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/simd/transpose.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mlx::core {

namespace {

struct Dim {
  int64_t size;
  int64_t dst;  // strides
  int64_t src;
};

using Dims = SmallVector<Dim, 8>;

// Beyond this traffic the destination would not stay in the last-level cache
// anyway: stores bypass it.
constexpr int64_t kStreamingBytes = int64_t{32} << 20;
// Transposing writes short runs, for which fetching the destination costs more.
constexpr int64_t kStreamingTransposed = int64_t{8} << 20;

// Per thread, of data that comes from memory.
constexpr double kNanosecondsPerByte = 0.08;

// Merged dimensions of a copy, those with larger destination strides first.
// Destination strides become positive; `dst` and `src` move accordingly.
template <typename T>
Dims merge_dims(T*& dst, const Strides& dst_strides, const T*& src, const Strides& src_strides,
                const Shape& shape) {
  Dims dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) {
      continue;
    }
    Dim dim{shape[i], dst_strides[i], src_strides[i]};
    if (dim.dst < 0) {
      dst += (dim.size - 1) * dim.dst;
      src += (dim.size - 1) * dim.src;
      dim.dst = -dim.dst;
      dim.src = -dim.src;
    }
    dims.push_back(dim);
  }
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& a, const Dim& b) { return a.dst > b.dst; });
  Dims merged;
  for (const Dim& dim : dims) {
    if (!merged.empty() && merged.back().dst == dim.dst * dim.size &&
        merged.back().src == dim.src * dim.size) {
      merged.back() = {merged.back().size * dim.size, dim.dst, dim.src};
    } else {
      merged.push_back(dim);
    }
  }
  return merged;
}

// Walks the offsets of all index tuples of `dims`, the last one fastest.
class Odometer {
 public:
  Odometer(const Dims& dims, int64_t position) : dims_(dims), index_(dims.size(), 0) {
    for (size_t i = dims.size(); i-- > 0;) {
      index_[i] = position % dims[i].size;
      position /= dims[i].size;
      dst += index_[i] * dims[i].dst;
      src += index_[i] * dims[i].src;
    }
  }

  void step() {
    for (size_t i = dims_.size(); i-- > 0;) {
      dst += dims_[i].dst;
      src += dims_[i].src;
      if (++index_[i] < dims_[i].size) {
        return;
      }
      dst -= dims_[i].size * dims_[i].dst;
      src -= dims_[i].size * dims_[i].src;
      index_[i] = 0;
    }
  }

  int64_t dst = 0;
  int64_t src = 0;

 private:
  const Dims& dims_;
  SmallVector<int64_t, 8> index_;
};

int64_t count_of(const Dims& dims) {
  int64_t count = 1;
  for (const Dim& dim : dims) {
    count *= dim.size;
  }
  return count;
}

#if defined(__SSE2__)
constexpr bool kCanStream = true;

void store16(void* dst, const void* vector, bool streaming) {
  const __m128i value = _mm_loadu_si128(static_cast<const __m128i*>(vector));
  if (streaming) {
    _mm_stream_si128(static_cast<__m128i*>(dst), value);
  } else {
    _mm_storeu_si128(static_cast<__m128i*>(dst), value);
  }
}
void finish_streaming() {
  _mm_sfence();
}
#else
constexpr bool kCanStream = false;

void store16(void* dst, const void* vector, bool) {
  std::memcpy(dst, vector, 16);
}
void finish_streaming() {}
#endif

void copy_run(char* dst, const char* src, int64_t bytes, bool streaming) {
  if (!streaming || bytes < 512) {
    std::memcpy(dst, src, bytes);
    return;
  }
  const int64_t head = -reinterpret_cast<intptr_t>(dst) & 63;
  std::memcpy(dst, src, head);
  int64_t i = head;
  for (; i + 64 <= bytes; i += 64) {
    for (int k = 0; k < 64; k += 16) {
      store16(dst + i + k, src + i + k, true);
    }
  }
  std::memcpy(dst + i, src + i, bytes - i);
}

// One row of the innermost dimension.
template <typename T>
void copy_row(T* dst, int64_t dst_stride, const T* src, int64_t src_stride, int64_t size,
              bool streaming) {
  if (dst_stride == 1 && src_stride == 1) {
    copy_run(reinterpret_cast<char*>(dst), reinterpret_cast<const char*>(src), size * sizeof(T),
             streaming);
  } else if (dst_stride == 1 && src_stride == 0) {
    std::fill_n(dst, size, *src);
  } else {
    for (int64_t i = 0; i < size; ++i) {
      dst[i * dst_stride] = src[i * src_stride];
    }
  }
}

template <typename T>
void copy_rows(T* dst, const T* src, Dims dims, bool streaming) {
  const Dim row = dims.back();
  dims.pop_back();
  // Long rows are split, so that few of them still occupy all threads.
  const int64_t block = std::min<int64_t>(row.size, (int64_t{1} << 18) / sizeof(T));
  const int64_t blocks = (row.size + block - 1) / block;
  const bool runs = row.dst == 1 && row.src == 1;
  const double cost = 2 + block * (runs ? sizeof(T) * kNanosecondsPerByte : 1.0);
  parallel_for(count_of(dims) * blocks, cost, [&](int64_t begin, int64_t end) {
    Odometer outer(dims, begin / blocks);
    int64_t part = begin % blocks;
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = part * block;
      copy_row(dst + outer.dst + first * row.dst, row.dst, src + outer.src + first * row.src,
               row.src, std::min(block, row.size - first), streaming);
      if (++part == blocks) {
        part = 0;
        outer.step();
      }
    }
    if (streaming) {
      finish_streaming();
    }
  });
}

// Transposing: a tile is one cache line wide in both directions, made of blocks
// that are one 16-byte vector wide.

template <typename T>
inline constexpr int kBlock = transpose_block_size<T>;
template <typename T>
inline constexpr int kTile = 64 / sizeof(T);

// dst[j][k] = src[k][j] for a whole tile; rows of both are contiguous.
template <typename T>
void transpose_tile(T* dst, int64_t dst_stride, const T* src, int64_t src_stride, bool streaming) {
  using V = typename TransposeVector<T>::type;
  constexpr int n = kBlock<T>;
  for (int j = 0; j < kTile<T>; j += n) {
    alignas(64) V line[n][4];  // of the destination
    for (int k = 0; k < 4; ++k) {
      V rows[n];
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) {
        std::memcpy(&rows[i], src + (k * n + i) * src_stride + j, 16);
      }
      transpose_block<T>(rows);
#pragma GCC unroll 16
      for (int i = 0; i < n; ++i) {
        line[i][k] = rows[i];
      }
    }
    for (int i = 0; i < n; ++i) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) {
        store16(dst + (j + i) * dst_stride + k * n, &line[i][k], streaming);
      }
    }
  }
}

// `across` has unit stride in the source, the last dimension of `dims` in the
// destination.
template <typename T>
void copy_transposed(T* dst, const T* src, Dims dims, size_t across, bool streaming) {
  constexpr int64_t tile = kTile<T>;
  const Dim rows = dims[across];  // of the destination
  const Dim columns = dims.back();
  dims.pop_back();
  dims.erase(dims.begin() + across);
  // A strip: a few tiles side by side in the destination, so that several of its
  // lines are written in a row. Its tiles are as many sources of consecutive lines.
  constexpr int64_t kStrip = 8 * tile;
  const int64_t strips = (columns.size + kStrip - 1) / kStrip;
  const int64_t bands = (rows.size + tile - 1) / tile;
  const double cost = kStrip * tile * sizeof(T) * 2 * kNanosecondsPerByte;
  parallel_for(count_of(dims) * strips * bands, cost, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const Odometer outer(dims, item / (strips * bands));
      const int64_t j = item % bands * tile;
      const int64_t first = item / bands % strips * kStrip;
      const int64_t last = std::min(first + kStrip, columns.size);
      const int64_t height = std::min(tile, rows.size - j);
      for (int64_t k = first; k < last; k += tile) {
        T* to = dst + outer.dst + j * rows.dst + k;
        const T* from = src + outer.src + k * columns.src + j;
        if (height < tile || k + tile > columns.size) {
          transpose_panel(to, rows.dst, from, columns.src, height,
                          std::min(tile, columns.size - k));
          continue;
        }
        if (j + 2 * tile <= rows.size) {
          for (int64_t i = 0; i < tile; ++i) __builtin_prefetch(from + i * columns.src + tile);
        }
        transpose_tile(to, rows.dst, from, columns.src, streaming);
      }
    }
    if (streaming) {
      finish_streaming();
    }
  });
}

// The same where lines that are one row apart fall into few sets of the caches:
// several lines of each source row are turned at once, in memory of our own.
template <typename T>
void copy_transposed_by_panels(T* dst, const T* src, Dims dims, size_t across, bool streaming) {
  constexpr int64_t kHeight = 4 * kTile<T>;
  constexpr int64_t kWidth = 512;
  constexpr int64_t kPitch = kWidth + kTile<T>;
  const Dim rows = dims[across];
  const Dim columns = dims.back();
  dims.pop_back();
  dims.erase(dims.begin() + across);
  const int64_t down = (rows.size + kHeight - 1) / kHeight;
  const int64_t side = (columns.size + kWidth - 1) / kWidth;
  const double cost = kHeight * kWidth * sizeof(T) * 2 * kNanosecondsPerByte;
  parallel_for(count_of(dims) * down * side, cost, [&](int64_t begin, int64_t end) {
    static thread_local const std::unique_ptr<char[]> memory(
        new char[kHeight * kPitch * sizeof(T) + 64]);
    char* aligned = memory.get() + (-reinterpret_cast<intptr_t>(memory.get()) & 63);
    T* panel = reinterpret_cast<T*>(aligned);
    for (int64_t item = begin; item < end; ++item) {
      const Odometer outer(dims, item / (down * side));
      const int64_t j = item / side % down * kHeight;
      const int64_t k = item % side * kWidth;
      const int64_t height = std::min(kHeight, rows.size - j);
      const int64_t width = std::min(kWidth, columns.size - k);
      transpose_panel(panel, kPitch, src + outer.src + k * columns.src + j, columns.src, height,
                      width);
      for (int64_t r = 0; r < height; ++r) {
        copy_run(reinterpret_cast<char*>(dst + outer.dst + (j + r) * rows.dst + k),
                 reinterpret_cast<const char*>(panel + r * kPitch), width * sizeof(T), streaming);
      }
    }
    if (streaming) {
      finish_streaming();
    }
  });
}

template <typename T>
void copy_elements(T* dst, const Strides& dst_strides, const T* src, const Strides& src_strides,
                   const Shape& shape) {
  Dims dims = merge_dims(dst, dst_strides, src, src_strides, shape);
  if (dims.empty()) {
    *dst = *src;
    return;
  }
  const int64_t traffic = kCanStream ? 2 * count_of(dims) * int64_t{sizeof(T)} : 0;
  const Dim& inner = dims.back();
  if (inner.dst == 1 && inner.src != 1) {
    for (size_t i = 0; i + 1 < dims.size(); ++i) {
      if (dims[i].src == 1 && dims[i].size >= kBlock<T>) {
        const bool whole_lines = reinterpret_cast<uintptr_t>(dst) % 64 == 0 &&
                                 std::all_of(dims.begin(), dims.end() - 1, [](const Dim& dim) {
                                   return dim.dst * sizeof(T) % 64 == 0;
                                 });
        const bool streaming = traffic > kStreamingTransposed;
        const auto collides = [](int64_t stride) { return stride * sizeof(T) % 2048 == 0; };
        if (dims[i].size >= 4 * kTile<T> && inner.size >= 4 * kTile<T> &&
            ((streaming && !whole_lines) || collides(inner.src) || collides(dims[i].dst))) {
          copy_transposed_by_panels(dst, src, dims, i, streaming);
        } else {
          copy_transposed(dst, src, dims, i, streaming && whole_lines);
        }
        return;
      }
    }
  }
  copy_rows(dst, src, std::move(dims), traffic > kStreamingBytes);
}

}  // namespace

void copy_strided(void* dst, const Strides& dst_strides, const void* src,
                  const Strides& src_strides, const Shape& shape, size_t itemsize) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return;
  }
  auto copy_as = [&](auto type) {
    using T = decltype(type);
    copy_elements(static_cast<T*>(dst), dst_strides, static_cast<const T*>(src), src_strides,
                  shape);
  };
  switch (itemsize) {
    case 1:
      return copy_as(uint8_t{});
    case 2:
      return copy_as(uint16_t{});
    case 4:
      return copy_as(uint32_t{});
    default:
      return copy_as(uint64_t{});
  }
}

void copy_to_row_major(const array& in, array& out) {
  allocate_output(out);
  copy_strided(out.data<void>(), row_major_strides(in.shape()), in.data<void>(), in.strides(),
               in.shape(), in.itemsize());
}

}  // namespace mlx::core
