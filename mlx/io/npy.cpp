// NumPy's .npy format, versions 1 and 2. Source: the format description in
// NumPy's documentation (numpy.lib.format).
#include <algorithm>
#include <cctype>
#include <cstring>
#include <stdexcept>

#include "mlx/io.h"
#include "mlx/io/load_primitive.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/transforms.h"

namespace mlx::core {

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicSize = 6;

struct Descriptor {
  const char* text;
  Dtype dtype;
};

constexpr Descriptor kDescriptors[] = {
    {"b1", bool_}, {"u1", uint8}, {"u2", uint16},  {"u4", uint32},  {"u8", uint64},
    {"i1", int8},  {"i2", int16}, {"i4", int32},   {"i8", int64},   {"f2", float16},
    {"f4", float32}, {"f8", float64}, {"V2", bfloat16}, {"c8", complex64}};

[[noreturn]] void reject(const std::string& label, const std::string& why) {
  throw std::runtime_error("[load] " + label + ": " + why);
}

// A reader of the header's dictionary, a Python literal.
class Literal {
 public:
  Literal(const std::string& text, const std::string& label) : text_(text), label_(label) {}

  // The text behind 'key':, up to the end of its value.
  std::string value(const std::string& key) const {
    size_t at = text_.find("'" + key + "'");
    if (at == std::string::npos) {
      at = text_.find("\"" + key + "\"");
    }
    if (at == std::string::npos) {
      reject(label_, "the header lacks " + key);
    }
    at = text_.find(':', at);
    if (at == std::string::npos) {
      reject(label_, "the header is malformed");
    }
    ++at;
    while (at < text_.size() && std::isspace(static_cast<unsigned char>(text_[at]))) {
      ++at;
    }
    if (at == text_.size()) {
      reject(label_, "the header is malformed");
    }
    size_t end;
    if (text_[at] == '(') {
      end = text_.find(')', at);
    } else if (text_[at] == '\'' || text_[at] == '"') {
      end = text_.find(text_[at], at + 1);
    } else {
      end = text_.find_first_of(",}", at);
      return text_.substr(at, end == std::string::npos ? end : end - at);
    }
    if (end == std::string::npos) {
      reject(label_, "the header is malformed");
    }
    return text_.substr(at, end + 1 - at);
  }

 private:
  const std::string& text_;
  const std::string& label_;
};

Shape parse_shape(const std::string& text, const std::string& label) {
  Shape shape;
  size_t at = 1;
  while (at < text.size() && text[at] != ')') {
    if (text[at] == ',' || std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    size_t used = 0;
    int64_t dimension = -1;
    try {
      dimension = std::stoll(text.substr(at), &used);
    } catch (const std::exception&) {
      reject(label, "the shape " + text + " is malformed");
    }
    if (dimension < 0) {
      reject(label, "the shape " + text + " has a negative dimension");
    }
    shape.push_back(dimension);
    at += used;
  }
  return shape;
}

}  // namespace

array load(std::shared_ptr<io::Reader> in_stream, StreamOrDevice s_) {
  const Stream s = to_stream(s_, Device::cpu);
  const std::string label = in_stream->label();
  if (!in_stream->good() || !in_stream->is_open()) {
    throw std::runtime_error("[load] cannot open " + label);
  }
  const uint64_t size = io::stream_size(*in_stream);
  char magic[kMagicSize + 2];
  if (size - in_stream->tell() < sizeof(magic) + 2) {
    reject(label, "the file is too short for a header");
  }
  in_stream->read(magic, sizeof(magic));
  if (std::memcmp(magic, kMagic, kMagicSize) != 0) {
    reject(label, "this is no .npy file");
  }
  const int version = magic[kMagicSize];
  uint64_t header_size = 0;
  if (version == 1) {
    uint16_t length;
    in_stream->read(reinterpret_cast<char*>(&length), sizeof(length));
    header_size = length;
  } else if (version == 2) {
    uint32_t length;
    in_stream->read(reinterpret_cast<char*>(&length), sizeof(length));
    header_size = length;
  } else {
    reject(label, "format version " + std::to_string(version) + " is not supported");
  }
  if (header_size > size - in_stream->tell()) {
    reject(label, "the header ends beyond the file");
  }
  std::string header(header_size, '\0');
  in_stream->read(header.data(), header_size);
  const Literal literal(header, label);

  std::string descriptor = literal.value("descr");
  if (descriptor.size() < 4 || (descriptor[0] != '\'' && descriptor[0] != '"')) {
    throw std::invalid_argument("[load] " + label + ": element type " + descriptor +
                                " is not supported");
  }
  descriptor = descriptor.substr(1, descriptor.size() - 2);
  const char order = descriptor[0];
  const std::string kind = descriptor.substr(1);
  const auto* found = std::find_if(std::begin(kDescriptors), std::end(kDescriptors),
                                   [&](const Descriptor& d) { return kind == d.text; });
  if (found == std::end(kDescriptors) || std::strchr("<>|=", order) == nullptr) {
    throw std::invalid_argument("[load] " + label + ": element type '" + descriptor +
                                "' is not supported");
  }
  const Dtype dtype = found->dtype;
  const bool fortran_order = literal.value("fortran_order").find("True") != std::string::npos;
  Shape shape = parse_shape(literal.value("shape"), label);
  unsigned __int128 bytes = dtype.size();
  for (ShapeElem dimension : shape) {
    bytes *= static_cast<uint64_t>(dimension);
    if (bytes > static_cast<unsigned __int128>(INT64_MAX)) {
      reject(label, "the array is too large");
    }
  }
  const uint64_t offset = in_stream->tell();
  if (bytes > size - offset) {
    reject(label, "the file holds " + std::to_string(size - offset) + " bytes of data where " +
                      std::to_string(static_cast<uint64_t>(bytes)) + " are needed");
  }
  if (fortran_order) {
    std::reverse(shape.begin(), shape.end());
  }
  array loaded = load_array(shape, dtype, in_stream, offset, order == '>', s);
  return fortran_order ? transpose(loaded, s) : loaded;
}

array load(std::string file, StreamOrDevice s) {
  return load(std::make_shared<io::ParallelFileReader>(std::move(file)), s);
}

void save(std::shared_ptr<io::Writer> out, array a) {
  if (!out->good() || !out->is_open()) {
    throw std::runtime_error("[save] cannot open " + out->label());
  }
  a.eval();
  const bool fortran_order = a.flags().col_contiguous && a.data_size() == a.size();
  if (!fortran_order) {
    a = dense(a);
  }
  const auto* found = std::find_if(std::begin(kDescriptors), std::end(kDescriptors),
                                   [&](const Descriptor& d) { return d.dtype.val() == a.dtype().val(); });
  std::string header = "{'descr': '";
  header += a.itemsize() > 1 ? '<' : '|';
  header += found->text;
  header += "', 'fortran_order': ";
  header += fortran_order ? "True" : "False";
  header += ", 'shape': (";
  for (size_t i = 0; i < a.ndim(); ++i) {
    header += std::to_string(a.shape()[i]);
    header += a.ndim() == 1 ? "," : i + 1 < a.ndim() ? ", " : "";
  }
  header += "), }";
  // Data begin at a multiple of 64 bytes.
  size_t prefix = kMagicSize + 2 + sizeof(uint16_t);
  const bool long_header = header.size() + 64 + prefix > 65535;
  if (long_header) {
    prefix = kMagicSize + 2 + sizeof(uint32_t);
  }
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  out->write(kMagic, kMagicSize);
  const char version[] = {static_cast<char>(long_header ? 2 : 1), 0};
  out->write(version, sizeof(version));
  if (long_header) {
    const auto length = static_cast<uint32_t>(header.size());
    out->write(reinterpret_cast<const char*>(&length), sizeof(length));
  } else {
    const auto length = static_cast<uint16_t>(header.size());
    out->write(reinterpret_cast<const char*>(&length), sizeof(length));
  }
  out->write(header.data(), header.size());
  out->write(a.data<char>(), a.nbytes());
}

void save(std::string file, array a) {
  save(std::make_shared<io::FileWriter>(with_extension(std::move(file), ".npy")), std::move(a));
}

}  // namespace mlx::core
