// Files: round trips of the formats, and files that are damaged or hostile.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "mlx/mlx.h"

using namespace mlx::core;

namespace {

// A fresh name in the system's temporary folder, removed afterwards.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& extension) {
    static int count = 0;
    path_ = std::string(P_tmpdir) + "/mlx_io_" + std::to_string(getpid()) + "_" +
            std::to_string(count++) + extension;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

std::string safetensors_bytes(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  return bytes + header + data;
}

bool equal_values(const array& a, const array& b) {
  return array_equal(a, b).item<bool>() && a.dtype() == b.dtype();
}

const Dtype kDtypes[] = {bool_, uint8, uint16, uint32, uint64,   int8,     int16,
                         int32, int64, float16, float32, bfloat16, complex64};

}  // namespace

TEST_CASE("safetensors keep every dtype, layout and the metadata") {
  for (const Dtype& dtype : kDtypes) {
    TemporaryFile file(".safetensors");
    const array rows = astype(reshape(arange(6), {2, 3}), dtype);
    const array turned = transpose(rows);
    const array empty = zeros({0, 4}, dtype);
    save_safetensors(file.path(), {{"rows", rows}, {"turned", turned}, {"empty", empty}},
                     {{"key", "value"}});
    auto [arrays, metadata] = load_safetensors(file.path());
    CHECK(arrays.size() == 3);
    CHECK(equal_values(arrays.at("rows"), rows));
    CHECK(equal_values(arrays.at("turned"), turned));
    CHECK(arrays.at("empty").shape() == Shape{0, 4});
    CHECK(metadata.at("key") == "value");
  }
}

TEST_CASE("safetensors refuse float64") {
  TemporaryFile file(".safetensors");
  CHECK_THROWS_AS(save_safetensors(file.path(), {{"x", zeros({1}, float64)}}), std::runtime_error);
}

TEST_CASE("damaged safetensors raise before any tensor is made") {
  const std::string four(4, '\0');
  const std::string headers[] = {
      R"({"t": {"dtype": "F32", "shape": [1000, 1000], "data_offsets": [0, 4]}})",
      R"({"t": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}})",
      R"({"t": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}})",
      R"({"t": {"dtype": "F32", "shape": [8589934592, 2147483648], "data_offsets": [0, 4]}})",
      R"({"t": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}})",
      R"({"t": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})",
      R"({"t": {"dtype": "F32", "shape": [1], "data_offsets": [0]}})",
      R"({"t": {"dtype": "F32", "shape": 1, "data_offsets": [0, 4]}})",
      R"({"t": 3})",
      R"([1, 2])",
      R"({"t": )",
  };
  for (const std::string& header : headers) {
    TemporaryFile file(".safetensors");
    file.write(safetensors_bytes(header, four));
    CAPTURE(header);
    CHECK_THROWS_AS(load_safetensors(file.path()), std::runtime_error);
  }
  TemporaryFile file(".safetensors");
  CHECK_THROWS_AS(load_safetensors(file.path()), std::runtime_error);
  for (const std::string& bytes :
       {std::string("\1\2"), std::string(8, '\0'), std::string(8, '\x7f') + "{}"}) {
    file.write(bytes);
    CHECK_THROWS_AS(load_safetensors(file.path()), std::runtime_error);
  }
}

TEST_CASE("npy keeps every dtype and layout") {
  for (const Dtype& dtype : kDtypes) {
    const array rows = astype(reshape(arange(6), {2, 3}), dtype);
    for (const array& a : {rows, transpose(rows), slice(rows, {0, 0}, {2, 3}, {1, 2}),
                           broadcast_to(slice(rows, {0, 0}, {1, 3}), {4, 3}), zeros({0, 3}, dtype),
                           reshape(slice(rows, {0, 1}, {1, 2}), {})}) {
      TemporaryFile file(".npy");
      save(file.path(), a);
      const array loaded = load(file.path());
      CHECK(loaded.shape() == a.shape());
      CHECK(equal_values(loaded, a));
    }
  }
  TemporaryFile file(".npy");
  const array wide = array({0.1, 1e-300}, float64);
  save(file.path(), wide);
  CHECK(equal_values(load(file.path()), wide));
}

TEST_CASE("big-endian npy data are swapped") {
  TemporaryFile file(".npy");
  std::string header = "{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  const auto length = static_cast<uint16_t>(header.size());
  bytes.append(reinterpret_cast<const char*>(&length), 2);
  bytes += header + std::string("\0\0\0\1\0\0\1\0", 8);
  file.write(bytes);
  CHECK(equal_values(load(file.path()), array({1, 256})));
}

TEST_CASE("damaged npy files raise") {
  auto npy = [](const std::string& shape, size_t data) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    const auto length = static_cast<uint16_t>(header.size());
    bytes.append(reinterpret_cast<const char*>(&length), 2);
    return bytes + header + std::string(data, '\0');
  };
  TemporaryFile file(".npy");
  for (const std::string& bytes :
       {npy("(-5,)", 20), npy("(4,)", 12), npy("(4,)", 15), npy("(4611686018427387904,)", 16),
        npy("(4,)", 0), npy("(x,)", 4), std::string("nonsense of some length"),
        std::string("\x93NUMPY\x09\x00\x00\x00", 10)}) {
    file.write(bytes);
    CHECK_THROWS_AS(load(file.path()).eval(), std::runtime_error);
  }
}

TEST_CASE("a file that shrinks after its header was read fails at evaluation") {
  TemporaryFile file(".npy");
  save(file.path(), zeros({1000}));
  array loaded = load(file.path());
  CHECK(truncate(file.path().c_str(), 200) == 0);
  CHECK_THROWS_AS(loaded.eval(), std::runtime_error);
  CHECK(sum(ones({3})).item<float>() == 3.0f);  // the stream goes on
}
