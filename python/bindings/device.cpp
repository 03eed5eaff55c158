// Devices and streams.
#include "mlx/device.h"

#include <memory>
#include <sstream>

#include "mlx/stream.h"
#include "mlx/utils.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

// with mx.stream(s): the default device and stream inside the block.
struct PyStreamContext {
  mx::StreamOrDevice stream;
  std::vector<std::shared_ptr<mx::StreamContext>> entered;
};

template <typename T>
std::string text_of(const T& value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

PyStreamContext make_context(nb::handle s) {
  if (s.is_none()) {
    throw nb::type_error("[stream] a stream or a device is needed: got None");
  }
  return PyStreamContext{to_stream_or_device(s), {}};
}

mx::Device to_device(nb::handle object) {
  if (nb::isinstance<mx::Device>(object)) {
    return nb::cast<mx::Device>(object);
  }
  if (nb::isinstance<mx::Device::DeviceType>(object)) {
    return nb::cast<mx::Device::DeviceType>(object);
  }
  const std::string message = std::string("expected a Device or a DeviceType: got ") +
                              nb::type_name(object.type()).c_str();
  throw nb::type_error(message.c_str());
}

#define MLX_DEVICE "device: Device | DeviceType"
#define MLX_STREAM_OR_DEVICE "Stream | ThreadLocalStream | Device | DeviceType"

}  // namespace

void bind_device(nb::module_& m) {
  using DeviceType = mx::Device::DeviceType;
  nb::enum_<DeviceType>(m, "DeviceType", "Kind of a device.")
      .value("cpu", DeviceType::cpu)
      .value("gpu", DeviceType::gpu)
      .export_values()
      .def("__eq__",
           [](DeviceType self, nb::object other) {
             if (nb::isinstance<DeviceType>(other)) {
               return nb::cast<DeviceType>(other) == self;
             }
             return nb::isinstance<mx::Device>(other) &&
                    nb::cast<mx::Device>(other) == mx::Device(self, 0);
           }, "other"_a.none())
      .def("__ne__",
           [](DeviceType self, nb::object other) {
             if (nb::isinstance<DeviceType>(other)) {
               return nb::cast<DeviceType>(other) != self;
             }
             return !(nb::isinstance<mx::Device>(other) &&
                      nb::cast<mx::Device>(other) == mx::Device(self, 0));
           }, "other"_a.none())
      .def("__hash__", [](DeviceType self) { return static_cast<int>(self); });

  auto device_equal = [](const mx::Device& self, nb::handle other) {
    if (nb::isinstance<mx::Device>(other)) {
      return nb::cast<mx::Device>(other) == self;
    }
    return nb::isinstance<DeviceType>(other) &&
           mx::Device(nb::cast<DeviceType>(other), 0) == self;
  };
  nb::class_<mx::Device>(m, "Device", "A device: its type and index.")
      .def(
          "__init__",
          [](mx::Device* self, DeviceType type, int index) { new (self) mx::Device(type, index); },
          "type"_a, "index"_a = 0)
      .def_ro("type", &mx::Device::type)
      .def("__repr__", [](const mx::Device& d) { return text_of(d); })
      .def("__eq__", [device_equal](const mx::Device& d, nb::object o) { return device_equal(d, o); },
           "other"_a.none())
      .def("__ne__",
           [device_equal](const mx::Device& d, nb::object o) { return !device_equal(d, o); },
           "other"_a.none())
      .def("__hash__", [](nb::handle self) { return reinterpret_cast<intptr_t>(self.ptr()) >> 4; });

  nb::class_<mx::Stream>(m, "Stream", "A queue of work on a device.")
      .def_ro("device", &mx::Stream::device)
      .def("__repr__", [](const mx::Stream& s) { return text_of(s); })
      .def("__eq__",
           [](const mx::Stream& s, nb::object o) {
             return nb::isinstance<mx::Stream>(o) && nb::cast<mx::Stream>(o) == s;
           }, "other"_a.none())
      .def("__ne__",
           [](const mx::Stream& s, nb::object o) {
             return !(nb::isinstance<mx::Stream>(o) && nb::cast<mx::Stream>(o) == s);
           }, "other"_a.none())
      .def("__hash__", [](const mx::Stream& s) { return s.index; });
  nb::class_<mx::ThreadLocalStream>(m, "ThreadLocalStream",
                                    "Stands for another stream in every thread.")
      .def_prop_ro("device", [](const mx::ThreadLocalStream& s) { return s.device; })
      .def("__repr__",
           [](const mx::ThreadLocalStream& s) {
             return "ThreadLocalStream(" + text_of(s.device) + ", " + std::to_string(s.index) + ")";
           })
      .def("__eq__",
           [](const mx::ThreadLocalStream& s, nb::object o) {
             return nb::isinstance<mx::ThreadLocalStream>(o) &&
                    nb::cast<mx::ThreadLocalStream>(o) == s;
           }, "other"_a.none())
      .def("__hash__", [](const mx::ThreadLocalStream& s) { return s.index; });

  nb::class_<PyStreamContext>(m, "StreamContext", "Context manager: see mlx.core.stream.")
      .def("__init__",
           [](PyStreamContext* self, nb::handle s) { new (self) PyStreamContext(make_context(s)); },
           "s"_a.none())
      .def("__enter__",
           [](PyStreamContext& c) {
             c.entered.push_back(std::make_shared<mx::StreamContext>(c.stream));
           })
      .def(
          "__exit__",
          [](PyStreamContext& c, nb::handle, nb::handle, nb::handle) {
            if (!c.entered.empty()) {
              c.entered.pop_back();
            }
          },
          "exc_type"_a.none() = nb::none(), "exc_value"_a.none() = nb::none(),
          "traceback"_a.none() = nb::none());
  m.def(
      "stream", [](nb::handle s) { return make_context(s); }, "s"_a.none(),
      nb::sig("def stream(s: " MLX_STREAM_OR_DEVICE ") -> StreamContext"),
      "Context manager that makes a stream, or the default stream of a device, the default inside "
      "the block.\n\nExample:\n    >>> with mx.stream(mx.cpu):\n    ...     x = mx.ones(2)\n");

  m.def("default_device", [] { return mx::default_device(); },
        "The device of operations that name none.");
  m.def(
      "set_default_device", [](nb::handle device) { mx::set_default_device(to_device(device)); },
      "device"_a, nb::sig("def set_default_device(" MLX_DEVICE ") -> None"),
      "Sets the default device of the process. Raises ValueError for a GPU without GPU backend.");
  m.def(
      "is_available", [](nb::handle device) { return mx::is_available(to_device(device)); },
      "device"_a, nb::sig("def is_available(" MLX_DEVICE ") -> bool"), "Whether the device exists.");
  m.def("device_count", [](DeviceType type) { return mx::device_count(type); }, "device_type"_a,
        "Number of devices of a type.");
  m.def(
      "device_info",
      [](nb::handle d) {
        nb::dict result;
        const mx::Device device = d.is_none() ? mx::default_device() : to_device(d);
        for (const auto& [key, value] : mx::device_info(device)) {
          if (const auto* text = std::get_if<std::string>(&value)) {
            result[key.c_str()] = nb::str(text->c_str());
          } else {
            result[key.c_str()] = nb::int_(std::get<size_t>(value));
          }
        }
        return result;
      },
      "d"_a.none() = nb::none(),
      nb::sig("def device_info(d: Device | DeviceType | None = None) -> dict[str, str | int]"),
      "Facts about a device, by default the default one: device_name, architecture.");

  m.def(
      "default_stream", [](nb::handle device) { return mx::default_stream(to_device(device)); },
      "device"_a, nb::sig("def default_stream(" MLX_DEVICE ") -> Stream"),
      "The calling thread's default stream of a device.");
  m.def("set_default_stream", [](mx::Stream s) { mx::set_default_stream(s); }, "stream"_a,
        "Sets the calling thread's default stream of the stream's device.");
  m.def(
      "new_stream", [](nb::handle device) { return mx::new_stream(to_device(device)); }, "device"_a,
      nb::sig("def new_stream(" MLX_DEVICE ") -> Stream"), "A new stream.");
  m.def(
      "new_thread_unsafe_stream",
      [](nb::handle device) { return mx::new_thread_unsafe_stream(to_device(device)); }, "device"_a,
      nb::sig("def new_thread_unsafe_stream(" MLX_DEVICE ") -> Stream"),
      "A new stream that outlives clear_streams of the thread that made it.");
  m.def(
      "new_thread_local_stream",
      [](nb::handle device) { return mx::new_thread_local_stream(to_device(device)); }, "device"_a,
      nb::sig("def new_thread_local_stream(" MLX_DEVICE ") -> ThreadLocalStream"),
      "A handle that stands for another stream in every thread.");
  m.def(
      "synchronize",
      [](nb::handle stream) {
        const mx::Stream s = mx::to_stream(to_stream_or_device(stream));
        nb::gil_scoped_release release;
        mx::synchronize(s);
      },
      "stream"_a.none() = nb::none(),
      nb::sig("def synchronize(stream: " MLX_STREAM_OR_DEVICE " | None = None) -> None"),
      "Waits for all work of a stream, by default the default one, and raises the error of work "
      "that failed in the background.");
  m.def(
      "clear_streams",
      [] {
        nb::gil_scoped_release release;
        mx::clear_streams();
      },
      "Destroys the streams that the calling thread made. Call it at the end of a thread.");
}

}  // namespace mlx::bindings
