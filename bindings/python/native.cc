// SPDX-License-Identifier: LGPL-2.1-or-later
// The detector for Python. cudacanny/__init__.py is the interface that users see.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "canny/components.h"
#include "canny/version.h"
#include "contours.h"
#include "dlpack.h"
#include "frames.h"
#include "gil.h"
#include "settings.h"

namespace py = pybind11;

namespace python {
namespace {

using canny::Status;
using canny::StatusCode;

/// Raises the exception of a failure, with the library's sentence.
void check(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return;
    case StatusCode::kInvalidParams:
    case StatusCode::kInvalidOptions:
    case StatusCode::kInvalidSize:
    case StatusCode::kInvalidFrame:
      throw py::value_error(in_python(status.message()));
    case StatusCode::kOutOfMemory:
      PyErr_SetString(PyExc_MemoryError, status.message().c_str());
      throw py::error_already_set();
    default:
      throw std::runtime_error(status.message());
  }
}

/// The members of Result and StageTimes in _types.py, in their order.
py::tuple tuple_of(const canny::Result& result) {
  const canny::StageTimes& times = result.times;
  return py::make_tuple(
      result.edge_pixels, result.low_threshold, result.high_threshold, result.uploaded_bytes,
      result.downloaded_bytes,
      py::make_tuple(times.upload, times.front, times.hysteresis, times.output, times.download),
      result.strong_pixels, result.candidate_pixels, result.components);
}

/// An array with the members of canny::Component as fields.
py::array array_of(const canny::Components& components) {
  if (components.is_full() &&
      PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                       "there are more than %u components; raise the thresholds or components",
                       canny::kMaxComponents) != 0)
    throw py::error_already_set();
  static_assert(std::has_unique_object_representations_v<canny::Component>);
  return py::array_t<canny::Component>(static_cast<py::ssize_t>(components.size()),
                                       components.data());
}

void* stream_of(const Pixels& pixels) {
  return reinterpret_cast<void*>(pixels.stream);  // NOLINT(performance-no-int-to-ptr)
}

/// A frame of a call: what the library reads and writes, and the objects that own it.
class Call {
 public:
  /// `out` has the samples of `returned`, which wait() and detect() return. `mask` may be null. The
  /// device reads it in the order of the image's stream.
  /// `chains` may be null.
  /// A batch has `pictures` pictures, the first of which are `image` and `out`, at distances of
  /// `image_step` and `out_step` bytes; regions and the mask hold for each.
  Call(const py::dict& settings, const Pixels& image, const Pixels& out, const py::object& returned,
       const py::object& regions, const Pixels* mask, const ChainArrays* chains, unsigned pictures,
       py::ssize_t image_step, py::ssize_t out_step)
      : params(params_of(settings)),
        image_(image.layout),
        out_(out.layout),
        returned_(returned),
        region_(regions, mask, image.layout.shape(1), image.layout.shape(0)) {
    if (chains != nullptr) chains_ = *chains;
    if (!frame_of(image.layout, image.is_bgr, &input))
      throw py::value_error("no format of the library has the layout of the image");
    input.memory = image.memory();
    input.cuda_stream = stream_of(image);
    input.batch = {pictures, image_step, nullptr};
    if (region_.get() != nullptr) {
      regions_.assign(pictures, *region_.get());
      input.region = regions_.data();
    }
    canny::ConstFrame to;
    if (!frame_of(out.layout, out.is_bgr, &to))
      throw py::value_error(
          "out must have each pixel's bytes side by side, and the pixels of a row");
    output = writable(to);
    output.memory = out.memory();
    output.cuda_stream = stream_of(out);
    output.batch = {pictures, out_step, nullptr};
    results.resize(pictures);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Also asks for the chains of the edges, of at least `min_points` points, maybe with offsets.
  void want_contours(std::uint32_t min_points, bool has_offsets) {
    contours_.set_min_points(min_points);
    contours_.set_precision(has_offsets);
    if (chains_) contours_.set_memory(chains_->memory());
    has_offsets_ = has_offsets;
    output.contours = &contours_;
  }

  /// Likewise, for the components of at least `min_pixels` pixels.
  void want_components(std::uint32_t min_pixels) {
    components_.set_min_pixels(min_pixels);
    output.components = &components_;
  }

  /// What wait() and detect() return: the output, the statistics of the first picture, and its
  /// chains, their positions and components, each of which may be None.
  py::tuple outcome() const {
    py::object chains = py::none(), positions = py::none(), components = py::none();
    if (chains_)
      chains = chains_->fill(contours_);
    else if (output.contours != nullptr)
      chains = list_of(contours_);
    if (has_offsets_) positions = positions_of(contours_);
    if (output.components != nullptr) components = array_of(components_);
    return py::make_tuple(returned_, tuple_of(results[0]), chains, positions, components);
  }

  /// Shows the garbage collector the objects.
  int traverse(visitproc visit, void* arg) const {
    for (const py::handle each :
         {py::handle(image_), py::handle(out_), py::handle(returned_), region_.mask()})
      Py_VISIT(each.ptr());
    if (chains_)
      for (const py::handle each : chains_->objects()) Py_VISIT(each.ptr());
    return 0;
  }
  bool has_chains() const { return chains_.has_value(); }

  const canny::Params params;
  canny::ConstFrame input;
  canny::Frame output;
  std::vector<canny::Result> results;

 private:
  const py::array image_, out_;
  const py::object returned_;
  const Region region_;
  std::optional<ChainArrays> chains_;
  std::vector<canny::Region> regions_;
  canny::Contours contours_;
  bool has_offsets_ = false;
  canny::Components components_;
};

/// Threads: `submitting_` orders the threads that submit, `waiting_` those that wait; detect(),
/// info() and changes of the size need both. Nobody waits for these two, or for the detector, with
/// the GIL held. `adding_` guards what is in flight, for moments in which nobody takes the GIL. A
/// Call is only made, taken from where traverse() sees it and destroyed with the GIL: the garbage
/// collector, which has it, visits twice.
class Detector {
 public:
  /// `min_points` is the number of points of the shortest chain, 0 = no chains; `min_pixels`,
  /// likewise, that of pixels of the smallest component.
  Detector(const canny::Options& options, unsigned frames_in_flight, std::uint32_t min_points,
           bool has_offsets, std::uint32_t min_pixels)
      : frames_in_flight_(frames_in_flight),
        min_points_(min_points),
        min_pixels_(min_pixels),
        has_offsets_(has_offsets) {
    check(without_gil([&]() -> Status {
      const Status status = canny::Detector::create(options, &detector_);
      return status.ok() ? detector_.set_size(width_, height_, frames_in_flight) : status;
    }));
  }

  ~Detector() { close(); }

  /// Shows the garbage collector the objects of the frames in flight. A Call that something else
  /// keeps as well does not belong to the detector alone.
  int traverse(visitproc visit, void* arg) {
    const std::lock_guard<std::mutex> adding(adding_);
    for (const Calls* calls : {&calls_, &finished_}) {
      for (const std::shared_ptr<Call>& call : *calls) {
        if (call.use_count() > 1) continue;
        if (const int stop = call->traverse(visit, arg); stop != 0) return stop;
      }
    }
    return 0;
  }

  /// Waits for the frames in flight, then lets go of all memory.
  void close() {
    Calls calls;  // objects that go may call the detector
    without_gil([&] {
      const std::scoped_lock both(submitting_, waiting_);
      detector_ = canny::Detector();
      is_open_ = false;
      width_ = height_ = 0;
      return 0;
    });
    const std::lock_guard<std::mutex> adding(adding_);
    in_flight_ = 0;
    calls.swap(calls_);
  }

  void submit(std::shared_ptr<Call> call) {
    want(call.get());
    check(without_gil([&]() -> Status {
      const std::lock_guard<std::mutex> submitting(submitting_);
      if (!has_size_of(*call)) {
        const std::lock_guard<std::mutex> waiting(waiting_);
        if (Status s = set_size_of(*call); !s.ok()) return s;
      }
      {
        const std::lock_guard<std::mutex> adding(adding_);
        calls_.push_back(call);
      }
      const Status status = detector_.submit(call->params, call->input, call->output);
      const std::lock_guard<std::mutex> adding(adding_);
      if (status.ok())
        ++in_flight_;
      else
        calls_.pop_back();
      return status;
    }));
  }

  /// submit() takes no batches, so a frame has one result.
  py::tuple wait() {
    canny::Result result;
    Calls::iterator oldest = finished_.end();
    const Status status = without_gil([&] {
      const std::lock_guard<std::mutex> waiting(waiting_);
      Status waited = detector_.wait(&result);
      if (waited.code() != StatusCode::kNotConfigured) oldest = finish_oldest();  // else no frame
      return waited;
    });
    const std::shared_ptr<Call> call = take(oldest);
    check(status);
    call->results[0] = result;
    return call->outcome();
  }

  py::tuple detect(Call& call) {
    want(&call);
    check(without_gil([&]() -> Status {
      const std::scoped_lock both(submitting_, waiting_);
      if (!has_size_of(call)) {
        if (Status s = set_size_of(call); !s.ok()) return s;
      }
      return detector_.detect(call.params, call.input, call.output, call.results.data());
    }));
    return call.outcome();
  }

  int in_flight() {
    const std::lock_guard<std::mutex> adding(adding_);
    return std::max(in_flight_, 0);
  }

  py::tuple info() {
    canny::Info info;
    check(without_gil([&]() -> Status {
      const std::scoped_lock both(submitting_, waiting_);
      info = detector_.info();
      return is_open_ ? Status() : kClosed;
    }));
    return py::make_tuple(canny::name(info.backend), info.device, info.reason, info.cuda_device,
                          info.threads);
  }

 private:
  using Calls = std::list<std::shared_ptr<Call>>;

  void want(Call* call) const {
    if (call->has_chains() && (min_points_ == 0 || has_offsets_))
      throw py::value_error(
          "contours_out needs a Detector with contours=N and without contour_precision");
    if (min_points_ > 0) call->want_contours(min_points_, has_offsets_);
    if (min_pixels_ > 0) call->want_components(min_pixels_);
  }
  bool has_size_of(const Call& call) const {
    return call.input.width == width_ && call.input.height == height_ &&
           pictures_of(call) <= pictures_;
  }

  /// The pictures of a batch for which there is to be memory: those of kMostPixels. The library
  /// computes more in parts.
  static unsigned pictures_of(const Call& call) {
    constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;
    const std::int64_t most =
        kMostPixels /
        std::max(std::int64_t{1} * call.input.width * call.input.height, std::int64_t{1});
    return static_cast<unsigned>(
        std::clamp<std::int64_t>(most, 1, std::max(call.input.batch.count, 1u)));
  }

  /// Refuses if frames are in flight.
  Status set_size_of(const Call& call) {
    if (!is_open_) return kClosed;
    const Status status = detector_.set_size(call.input.width, call.input.height, frames_in_flight_,
                                             pictures_of(call));
    if (status.code() == StatusCode::kNotConfigured)
      return {StatusCode::kNotConfigured,
              "another size with frames in flight; wait() returns them"};
    width_ = status.ok() ? call.input.width : 0;
    height_ = status.ok() ? call.input.height : 0;
    pictures_ = pictures_of(call);
    return status;
  }

  Calls::iterator finish_oldest() {
    const std::lock_guard<std::mutex> adding(adding_);
    finished_.splice(finished_.end(), calls_, calls_.begin());
    --in_flight_;
    return std::prev(finished_.end());
  }

  /// Null for the end.
  std::shared_ptr<Call> take(Calls::iterator finished) {
    const std::lock_guard<std::mutex> adding(adding_);
    if (finished == finished_.end()) return nullptr;
    std::shared_ptr<Call> call = std::move(*finished);
    finished_.erase(finished);
    return call;
  }

  inline static const Status kClosed{StatusCode::kNotConfigured, "the detector is closed"};

  canny::Detector detector_;
  const unsigned frames_in_flight_;
  const std::uint32_t min_points_, min_pixels_;
  const bool has_offsets_;
  bool is_open_ = true;
  int width_ = 1, height_ = 1;  ///< 0 after a failure, and once closed
  unsigned pictures_ = 1;
  std::mutex submitting_, waiting_, adding_;
  Calls calls_;        ///< those in flight or just being submitted, in order
  Calls finished_;     ///< those for which wait() still needs the GIL
  int in_flight_ = 0;  ///< -1 if wait() returns a frame before submit() does
};

/// Frames in flight may refer to their detector, so the garbage collector must see their objects.
void collect_garbage(PyHeapTypeObject* heap_type) {
  static constexpr auto detector_of = [](PyObject* self) {  // null before __init__()
    auto* instance = reinterpret_cast<py::detail::instance*>(self);
    return static_cast<Detector*>(instance->get_value_and_holder().value_ptr());
  };
  PyTypeObject& type = heap_type->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Detector* const detector = detector_of(self);
    return detector != nullptr ? detector->traverse(visit, arg) : 0;
  };
  type.tp_clear = [](PyObject* self) {
    if (Detector* const detector = detector_of(self); detector != nullptr) detector->close();
    return 0;
  };
  type.tp_dealloc = [](PyObject* self) {
    PyObject_GC_UnTrack(self);  // pybind11 does so since 2.11
    py::detail::pybind11_object_dealloc(self);
  };
}

/// Memory of a CUDA device.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t bytes, int cuda_device) {
    check(without_gil([&] { return canny::DeviceMemory::allocate(bytes, cuda_device, &memory_); }));
  }

  /// Waits for the device.
  ~DeviceMemory() {
    without_gil([&] {
      memory_ = canny::DeviceMemory();
      return 0;
    });
  }

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(memory_.data()); }
  int cuda_device() const { return memory_.cuda_device(); }

  /// The bytes, in host memory.
  py::array_t<std::uint8_t> read() const {
    py::array_t<std::uint8_t> bytes(static_cast<py::ssize_t>(memory_.size()));
    std::uint8_t* to = bytes.mutable_data();
    check(without_gil([&] { return memory_.read(to); }));
    return bytes;
  }

 private:
  canny::DeviceMemory memory_;
};

}  // namespace
}  // namespace python

PYBIND11_MODULE(_native, module) {
  using python::Call;
  using python::ChainArrays;
  using python::Detector;
  using python::DeviceMemory;
  using python::Pixels;
  PYBIND11_NUMPY_DTYPE(canny::Component, x, y, width, height, pixels, strong_pixels, sum_x, sum_y);
  module.attr("VERSION") = CANNY_VERSION;
  module.attr("MAX_PICTURES") = canny::kMaxPictures;
  module.attr("MAX_SIDE") = canny::kMaxSide;
  module.attr("MAX_THRESHOLD") = canny::kMaxThreshold;
  module.def("format_of", [](const py::array& array, bool is_bgr) -> py::object {
    canny::ConstFrame frame;
    if (!python::frame_of(array, is_bgr, &frame)) return py::none();
    return py::int_(static_cast<int>(frame.format));
  });
  module.def("contours", [](const py::array& edges, const py::object& min_points) {
    canny::Contours contours;
    python::check(python::trace(edges, python::count_of("min_points", min_points), &contours));
    return python::list_of(contours);
  });
  module.def("interface_of", &python::interface_of);
  module.def("capsule_of", &python::capsule_of);
  py::class_<Pixels>(module, "Pixels")
      .def(py::init(
          [](const py::array& layout, bool is_bgr, bool is_on_device, std::uintptr_t stream) {
            return Pixels{layout, is_bgr, is_on_device, stream};
          }));
  py::class_<ChainArrays>(module, "ChainArrays").def(py::init<const Pixels&, const Pixels&>());
  py::class_<Call, std::shared_ptr<Call>>(module, "Call")
      .def(py::init<const py::dict&, const Pixels&, const Pixels&, const py::object&,
                    const py::object&, const Pixels*, const ChainArrays*, unsigned, py::ssize_t,
                    py::ssize_t>());
  py::class_<DeviceMemory>(module, "DeviceMemory")
      .def(py::init<std::size_t, int>())
      .def_property_readonly("address", &DeviceMemory::address)
      .def_property_readonly("cuda_device", &DeviceMemory::cuda_device)
      .def("read", &DeviceMemory::read);
  py::class_<Detector>(module, "Detector", py::custom_type_setup(python::collect_garbage))
      .def(py::init([](const py::object& backend, const py::object& cuda_device,
                       const py::object& opencl_device, const py::object& threads,
                       const py::object& frames_in_flight, const py::object& contours,
                       const py::object& contour_precision, const py::object& components) {
        return std::make_unique<Detector>(
            python::options_of(backend, cuda_device, opencl_device, threads),
            python::count_of("frames_in_flight", frames_in_flight),
            python::count_of("contours", contours),
            python::flag_of("contour_precision", contour_precision),
            python::count_of("components", components));
      }))
      .def("submit", &Detector::submit)
      .def("wait", &Detector::wait)
      .def("detect", &Detector::detect)
      .def("close", &Detector::close)
      .def("in_flight", &Detector::in_flight)
      .def("info", &Detector::info);
}
