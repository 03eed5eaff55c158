// The safetensors format: a 64-bit header length, a JSON header, tensor data.
// Source: the format description of the safetensors project.
#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "mlx/io.h"
#include "mlx/io/load_primitive.h"
#include "mlx/transforms.h"

namespace mlx::core {

namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxHeader = 100'000'000;

struct NamedDtype {
  const char* name;
  Dtype dtype;
};

// The last two are read only, as bytes.
constexpr NamedDtype kDtypes[] = {
    {"F32", float32}, {"F16", float16},   {"BF16", bfloat16}, {"I8", int8},      {"I16", int16},
    {"I32", int32},   {"I64", int64},     {"U8", uint8},      {"U16", uint16},   {"U32", uint32},
    {"U64", uint64},  {"C64", complex64}, {"BOOL", bool_},    {"F8_E4M3", uint8}, {"F8_E8M0", uint8}};

[[noreturn]] void reject(const std::string& label, const std::string& why) {
  throw std::runtime_error("[load_safetensors] " + label + ": " + why);
}

Dtype dtype_of(const std::string& name, const std::string& label) {
  for (const NamedDtype& entry : kDtypes) {
    if (name == entry.name) {
      return entry.dtype;
    }
  }
  reject(label, "dtype " + name + " is not supported");
}

const char* name_of(Dtype dtype) {
  for (const NamedDtype& entry : kDtypes) {
    if (entry.dtype.val() == dtype.val()) {
      return entry.name;
    }
  }
  throw std::runtime_error("[save_safetensors] the format has no float64: convert the array first");
}

// A nonnegative integer of the header.
uint64_t nonnegative(const Json& value, const std::string& label, const char* what) {
  if (!value.is_number_unsigned()) {
    reject(label, std::string(what) + " must be integers that are not negative: found " +
                      value.dump());
  }
  return value.get<uint64_t>();
}

Shape shape_of(const Json& value, const std::string& label) {
  if (!value.is_array()) {
    reject(label, "shape must be a list");
  }
  Shape shape;
  for (const Json& dimension : value) {
    const uint64_t size = nonnegative(dimension, label, "dimensions");
    if (size > static_cast<uint64_t>(INT64_MAX)) {
      reject(label, "a dimension is too large");
    }
    shape.push_back(static_cast<ShapeElem>(size));
  }
  return shape;
}

// Bytes of a tensor, with overflow checked.
uint64_t bytes_of(const Shape& shape, Dtype dtype, const std::string& label) {
  unsigned __int128 bytes = dtype.size();
  for (ShapeElem dimension : shape) {
    bytes *= static_cast<uint64_t>(dimension);
    if (bytes > static_cast<unsigned __int128>(INT64_MAX)) {
      reject(label, "a tensor is too large");
    }
  }
  return static_cast<uint64_t>(bytes);
}

}  // namespace

SafetensorsLoad load_safetensors(std::shared_ptr<io::Reader> in_stream, StreamOrDevice s_) {
  const Stream s = to_stream(s_, Device::cpu);
  const std::string label = in_stream->label();
  if (!in_stream->good() || !in_stream->is_open()) {
    throw std::runtime_error("[load_safetensors] cannot open " + label);
  }
  const uint64_t size = io::stream_size(*in_stream);
  const uint64_t start = in_stream->tell();
  uint64_t header_size = 0;
  if (size - start < sizeof(header_size)) {
    reject(label, "the file is too short for a header");
  }
  in_stream->read(reinterpret_cast<char*>(&header_size), sizeof(header_size));
  if (header_size == 0 || header_size >= kMaxHeader ||
      header_size > size - start - sizeof(header_size)) {
    reject(label, "the header length " + std::to_string(header_size) + " is not possible");
  }
  std::string text(header_size, '\0');
  in_stream->read(text.data(), header_size);
  const Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) {
    reject(label, "the header is no JSON object");
  }
  const uint64_t data_start = start + sizeof(header_size) + header_size;
  const uint64_t data_size = size - data_start;

  SafetensorsLoad result;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (entry.is_null()) {
        continue;
      }
      if (!entry.is_object()) {
        reject(label, "__metadata__ is no object");
      }
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) {
          reject(label, "the metadata '" + key + "' is no string");
        }
        result.second.emplace(key, value.get<std::string>());
      }
      continue;
    }
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
        !entry.contains("shape") || !entry.contains("data_offsets")) {
      reject(label, "the entry of tensor '" + name + "' lacks dtype, shape or data_offsets");
    }
    const std::string where = label + ", tensor '" + name + "'";
    const Dtype dtype = dtype_of(entry["dtype"].get<std::string>(), where);
    const Shape shape = shape_of(entry["shape"], where);
    const Json& offsets = entry["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2) {
      reject(where, "data_offsets must be two integers");
    }
    const uint64_t begin = nonnegative(offsets[0], where, "data_offsets");
    const uint64_t end = nonnegative(offsets[1], where, "data_offsets");
    if (end < begin || end > data_size) {
      reject(where, "data_offsets " + offsets.dump() + " lie outside of the " +
                        std::to_string(data_size) + " bytes of data");
    }
    if (end - begin != bytes_of(shape, dtype, where)) {
      reject(where, "data_offsets span " + std::to_string(end - begin) +
                        " bytes, which does not match the shape and dtype");
    }
    result.first.emplace(name, load_array(shape, dtype, in_stream, data_start + begin, false, s));
  }
  return result;
}

SafetensorsLoad load_safetensors(const std::string& file, StreamOrDevice s) {
  return load_safetensors(std::make_shared<io::ParallelFileReader>(file), s);
}

void save_safetensors(std::shared_ptr<io::Writer> out, std::unordered_map<std::string, array> arrays,
                      std::unordered_map<std::string, std::string> metadata) {
  if (!out->good() || !out->is_open()) {
    throw std::runtime_error("[save_safetensors] cannot open " + out->label());
  }
  // In order of their names, so that equal contents give equal files.
  std::map<std::string, array> sorted;
  Json header = Json::object();
  header["__metadata__"] = Json::object();
  for (const auto& [key, value] : metadata) {
    header["__metadata__"][key] = value;
  }
  uint64_t offset = 0;
  for (auto& [name, a] : arrays) {
    name_of(a.dtype());  // float64 fails before anything is written
    sorted.emplace(name, dense(a));
  }
  for (const auto& [name, a] : sorted) {
    Json shape = Json::array();
    for (ShapeElem dimension : a.shape()) {
      shape.push_back(dimension);
    }
    header[name] = {{"dtype", name_of(a.dtype())},
                    {"shape", shape},
                    {"data_offsets", {offset, offset + a.nbytes()}}};
    offset += a.nbytes();
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  out->write(reinterpret_cast<const char*>(&length), sizeof(length));
  out->write(text.data(), text.size());
  for (const auto& [name, a] : sorted) {
    out->write(a.data<char>(), a.nbytes());
  }
}

void save_safetensors(std::string file, std::unordered_map<std::string, array> arrays,
                      std::unordered_map<std::string, std::string> metadata) {
  for (const auto& [name, a] : arrays) {
    name_of(a.dtype());
  }
  save_safetensors(
      std::make_shared<io::FileWriter>(with_extension(std::move(file), ".safetensors")),
      std::move(arrays), std::move(metadata));
}

}  // namespace mlx::core
