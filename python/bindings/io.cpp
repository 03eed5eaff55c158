// Saving and loading: paths and file objects.
#include "mlx/io.h"

#include <cstring>

#include "mlx/transforms.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

// A path, as text; empty for what is no path.
std::string path_of(nb::handle file) {
  if (nb::isinstance<nb::str>(file)) {
    return nb::cast<std::string>(file);
  }
  if (nb::hasattr(file, "__fspath__")) {
    return nb::cast<std::string>(nb::str(file.attr("__fspath__")()));
  }
  return "";
}

bool is_path(nb::handle file) {
  return nb::isinstance<nb::str>(file) || nb::hasattr(file, "__fspath__");
}

bool has_all(nb::handle object, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!nb::hasattr(object, name)) {
      return false;
    }
  }
  return true;
}

std::string label_of(nb::handle file) { return nb::repr(file).c_str(); }

// A Python file object; used by the thread that holds the interpreter lock.
class PyReader : public mx::io::Reader {
 public:
  explicit PyReader(nb::object file) : file_(std::move(file)), label_(label_of(file_)) {}
  ~PyReader() override {
    nb::gil_scoped_acquire gil;
    file_.reset();
  }
  bool is_open() const override {
    nb::gil_scoped_acquire gil;
    return !nb::cast<bool>(file_.attr("closed"));
  }
  bool good() const override { return is_open(); }
  size_t tell() override {
    nb::gil_scoped_acquire gil;
    return nb::cast<size_t>(file_.attr("tell")());
  }
  void seek(int64_t off, std::ios_base::seekdir way) override {
    nb::gil_scoped_acquire gil;
    const int whence = way == std::ios_base::beg ? 0 : way == std::ios_base::cur ? 1 : 2;
    file_.attr("seek")(off, whence);
  }
  void read(char* data, size_t n) override {
    nb::gil_scoped_acquire gil;
    size_t done = 0;
    while (done < n) {
      nb::object view = nb::steal(PyMemoryView_FromMemory(
          data + done, static_cast<Py_ssize_t>(n - done), PyBUF_WRITE));
      nb::object got = file_.attr("readinto")(view);
      const size_t count = got.is_none() ? 0 : nb::cast<size_t>(got);
      if (count == 0) {
        throw std::runtime_error("[io] " + label_ + " ends " + std::to_string(n - done) +
                                 " bytes too early");
      }
      done += count;
    }
  }
  void read(char* data, size_t n, size_t offset) override {
    seek(static_cast<int64_t>(offset), std::ios_base::beg);
    read(data, n);
  }
  std::string label() const override { return "file object " + label_; }

 private:
  nb::object file_;
  std::string label_;
};

class PyWriter : public mx::io::Writer {
 public:
  explicit PyWriter(nb::object file) : file_(std::move(file)), label_(label_of(file_)) {}
  bool is_open() const override { return !nb::cast<bool>(file_.attr("closed")); }
  bool good() const override { return is_open(); }
  size_t tell() override { return nb::cast<size_t>(file_.attr("tell")()); }
  void seek(int64_t off, std::ios_base::seekdir way) override {
    file_.attr("seek")(off, way == std::ios_base::beg ? 0 : way == std::ios_base::cur ? 1 : 2);
  }
  void write(const char* data, size_t n) override {
    if (n == 0) {
      return;
    }
    nb::object view = nb::steal(PyMemoryView_FromMemory(const_cast<char*>(data),
                                                        static_cast<Py_ssize_t>(n), PyBUF_READ));
    nb::object written = file_.attr("write")(view);
    if (written.is_none() || nb::cast<size_t>(written) != n) {
      throw std::runtime_error("[io] " + label_ + " did not take all of " + std::to_string(n) +
                               " bytes");
    }
  }
  std::string label() const override { return "file object " + label_; }

 private:
  nb::object file_;
  std::string label_;
};

[[noreturn]] void throw_no_file(nb::handle file) {
  throw std::invalid_argument(std::string("[io] expected a path or a file object: got ") +
                              nb::type_name(file.type()).c_str());
}

std::shared_ptr<mx::io::Writer> writer_for(nb::object file) {
  if (!has_all(file, {"write", "seek", "tell", "closed"})) {
    throw_no_file(file);
  }
  return std::make_shared<PyWriter>(std::move(file));
}

std::shared_ptr<mx::io::Reader> reader_for(nb::object file) {
  if (is_path(file)) {
    return std::make_shared<mx::io::ParallelFileReader>(path_of(file));
  }
  if (!has_all(file, {"read", "readinto", "seek", "tell", "closed"})) {
    throw_no_file(file);
  }
  return std::make_shared<PyReader>(std::move(file));
}

std::string extension_of(nb::handle file) {
  std::string name = is_path(file) ? path_of(file) : "";
  if (!is_path(file)) {
    if (!nb::hasattr(file, "readinto")) {
      throw_no_file(file);
    }
    name = nb::cast<std::string>(nb::str(file.attr("name")));
  }
  const size_t dot = name.find_last_of('.');
  if (dot == std::string::npos) {
    throw std::invalid_argument("[load] the format of '" + name +
                                "' is not clear: give format= or an extension");
  }
  return name.substr(dot + 1);
}

// Arrays are evaluated with the lock released; writing to Python objects needs it.
std::unordered_map<std::string, mx::array> array_map(const nb::dict& arrays, const char* who) {
  std::unordered_map<std::string, mx::array> map;
  std::vector<mx::array> all;
  for (auto [key, value] : arrays) {
    mx::array* array = as_array(value);
    if (array == nullptr) {
      throw std::runtime_error(std::string("[") + who + "] '" + nb::str(key).c_str() +
                               "' is not an array: " + nb::type_name(value.type()).c_str());
    }
    map.emplace(nb::str(key).c_str(), *array);
    all.push_back(*array);
  }
  nb::gil_scoped_release release;
  mx::eval(std::move(all));
  return map;
}

nb::dict wrap_map(std::unordered_map<std::string, mx::array>&& arrays, bool evaluate) {
  if (evaluate) {
    std::vector<mx::array> all;
    for (auto& [name, a] : arrays) {
      all.push_back(a);
    }
    nb::gil_scoped_release release;
    mx::eval(std::move(all));
  }
  nb::dict result;
  for (auto& [name, a] : arrays) {
    result[name.c_str()] = wrap(mx::array(a));
  }
  return result;
}

nb::object load(nb::object file, std::optional<std::string> format, bool return_metadata,
                nb::handle stream) {
  const std::string kind = format ? *format : extension_of(file);
  const mx::StreamOrDevice s = to_stream_or_device(stream);
  if (kind == "npy") {
    if (return_metadata) {
      throw std::invalid_argument("[load] .npy files have no metadata");
    }
    mx::array loaded = mx::load(reader_for(file), s);
    if (!is_path(file)) {
      eval_released(loaded);
    }
    return wrap(std::move(loaded));
  }
  if (kind == "safetensors") {
    auto [arrays, metadata] = mx::load_safetensors(reader_for(file), s);
    nb::dict result = wrap_map(std::move(arrays), !is_path(file));
    if (!return_metadata) {
      return result;
    }
    nb::dict texts;
    for (const auto& [key, value] : metadata) {
      texts[key.c_str()] = nb::str(value.c_str());
    }
    return nb::make_tuple(result, texts);
  }
  if (kind == "npz") {
    if (return_metadata) {
      throw std::invalid_argument("[load] .npz files have no metadata");
    }
    // The archive is Python's business; its members are .npy files.
    nb::object zipfile = nb::module_::import_("zipfile");
    nb::object io = nb::module_::import_("io");
    if (is_path(file) ? !nb::cast<bool>(zipfile.attr("is_zipfile")(path_of(file)))
                      : !nb::cast<bool>(zipfile.attr("is_zipfile")(file))) {
      throw std::invalid_argument("[load] " + label_of(file) + " is not an .npz archive");
    }
    nb::object archive = zipfile.attr("ZipFile")(file);
    nb::dict result;
    for (nb::handle name : archive.attr("namelist")()) {
      nb::object member = io.attr("BytesIO")(archive.attr("read")(name));
      mx::array loaded = mx::load(reader_for(member), s);
      eval_released(loaded);
      std::string key = nb::cast<std::string>(name);
      if (key.size() > 4 && key.compare(key.size() - 4, 4, ".npy") == 0) {
        key.resize(key.size() - 4);
      }
      result[key.c_str()] = wrap(std::move(loaded));
    }
    archive.attr("close")();
    return result;
  }
  if (kind == "gguf") {
    throw std::runtime_error("[load] this build does not read .gguf files");
  }
  throw std::invalid_argument("[load] unknown format '" + kind +
                              "': npy, npz and safetensors are supported");
}

void save_archive(nb::object file, const nb::args& args, const nb::kwargs& kwargs, bool compressed) {
  nb::dict members;
  size_t position = 0;
  for (nb::handle arg : args) {
    members[("arr_" + std::to_string(position++)).c_str()] = arg;
  }
  for (auto [key, value] : kwargs) {
    if (members.contains(key)) {
      throw std::invalid_argument(std::string("[savez] the name '") + nb::str(key).c_str() +
                                  "' is taken by a positional array");
    }
    members[key] = value;
  }
  array_map(members, "savez");
  nb::object zipfile = nb::module_::import_("zipfile");
  nb::object io = nb::module_::import_("io");
  nb::object target = file;
  if (is_path(file)) {
    std::string path = path_of(file);
    if (path.size() < 4 || path.compare(path.size() - 4, 4, ".npz") != 0) {
      path += ".npz";
    }
    target = nb::str(path.c_str());
  } else if (!has_all(file, {"write", "seek", "tell", "closed"})) {
    throw_no_file(file);
  }
  nb::object archive = zipfile.attr("ZipFile")(
      target, "w", zipfile.attr(compressed ? "ZIP_DEFLATED" : "ZIP_STORED"));
  for (auto [key, value] : members) {
    nb::object buffer = io.attr("BytesIO")();
    mx::save(writer_for(buffer), *as_array(value));
    archive.attr("writestr")(std::string(nb::str(key).c_str()) + ".npy",
                             buffer.attr("getvalue")());
  }
  archive.attr("close")();
}

#define FILE_TYPE "file: str | os.PathLike[str] | typing.Any"

}  // namespace

void bind_io(nb::module_& m) {
  m.def(
      "save",
      [](nb::object file, const mx::array& arr) {
        mx::array a = arr;
        eval_released(a);
        if (is_path(file)) {
          mx::save(path_of(file), a);
        } else {
          mx::save(writer_for(std::move(file)), a);
        }
      },
      "file"_a, "arr"_a, nb::sig("def save(" FILE_TYPE ", arr: array) -> None"),
      "Writes an array as .npy, to a path (the extension is added) or a binary file object. Raises "
      "RuntimeError where writing fails, ValueError for what is no file.\n\n"
      "Example:\n    >>> mx.save('x.npy', mx.ones(2))  # doctest: +SKIP\n");
  auto def_archive = [&](const char* name, bool compressed, const char* doc) {
    const std::string signature = std::string("def ") + name + "(" FILE_TYPE
                                  ", *args: array, **kwargs: array) -> None";
    m.def(
        name,
        [compressed](nb::object file, const nb::args& args, const nb::kwargs& kwargs) {
          save_archive(std::move(file), args, kwargs, compressed);
        },
        "file"_a, "args"_a, "kwargs"_a, nb::sig(signature.c_str()), doc);
  };
  def_archive("savez", false,
              "Writes arrays into an .npz archive, positional ones as arr_0, arr_1, ... Raises "
              "ValueError for a keyword of such a name.");
  def_archive("savez_compressed", true, "As savez, compressed.");
  m.def(
      "save_safetensors",
      [](nb::object file, const nb::dict& arrays, nb::object metadata) {
        std::unordered_map<std::string, std::string> texts;
        if (!metadata.is_none()) {
          for (auto [key, value] : nb::cast<nb::dict>(metadata)) {
            if (!nb::isinstance<nb::str>(key) || !nb::isinstance<nb::str>(value)) {
              throw std::invalid_argument("[save_safetensors] metadata must map str to str");
            }
            texts.emplace(nb::cast<std::string>(key), nb::cast<std::string>(value));
          }
        }
        auto map = array_map(arrays, "save_safetensors");
        if (is_path(file)) {
          mx::save_safetensors(path_of(file), std::move(map), std::move(texts));
        } else {
          mx::save_safetensors(writer_for(std::move(file)), std::move(map), std::move(texts));
        }
      },
      "file"_a, "arrays"_a, "metadata"_a.none() = nb::none(),
      nb::sig("def save_safetensors(" FILE_TYPE
              ", arrays: dict[str, array], metadata: dict[str, str] | None = None) -> None"),
      "Writes named arrays, of any dtype but float64, as .safetensors. Raises RuntimeError for "
      "float64 and where writing fails, ValueError for metadata that are not strings.");
  m.def(
      "load",
      [](nb::object file, std::optional<std::string> format, bool return_metadata,
         nb::handle stream) { return load(std::move(file), format, return_metadata, stream); },
      nb::arg(), "format"_a.none() = nb::none(), "return_metadata"_a = false, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def load(" FILE_TYPE
              ", /, format: str | None = None, return_metadata: bool = False, *, " MLX_STREAM
              ") -> typing.Any"),
      "Reads .npy (an array), .npz or .safetensors (a dict of arrays; with return_metadata a pair "
      "of arrays and metadata). The format is `format` or the extension. Arrays of paths are read "
      "when they are evaluated, those of file objects at once.\n\n"
      "Raises:\n"
      "    RuntimeError: missing, damaged or short files.\n"
      "    ValueError: an unknown format, or metadata of a format that has none.\n");
}

}  // namespace mlx::bindings
