// SPDX-License-Identifier: LGPL-2.1-or-later
/// The element on an OpenCL device that fails: lost in mid-stream, a call that fails once, kernels
/// that do not compile. With backend=auto the CPU takes over and no frame is lost; with
/// backend=opencl the stream ends with an error that names the device.
#include "check/fixture.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "failing_loader.h"
#include "opencl/device.h"

using check::Element;
using check::Layout;
using check::Owned;

static constexpr int kFrames = 8;
static failing::Fault* fault;

/// After a failed test too.
static void disarm() {
  if (fault != nullptr) fault->disarm();
}

static check::Suite suite("element-faults", nullptr, disarm);

/// How a call fails, the number of frames in flight, and which calls, if not all, are meant.
static constexpr struct Kind {
  cl_int error;
  bool is_lost;
  int in_flight;
  const char* only;
} kKinds[] = {{CL_OUT_OF_RESOURCES, true, 1, ""},
              {CL_OUT_OF_RESOURCES, true, 3, ""},
              {CL_OUT_OF_RESOURCES, true, 3, "clWaitForEvents"},
              {CL_OUT_OF_RESOURCES, false, 3, ""},
              {CL_MEM_OBJECT_ALLOCATION_FAILURE, false, 1, ""},
              {CL_MEM_OBJECT_ALLOCATION_FAILURE, false, 3, ""},
              {CL_MEM_OBJECT_ALLOCATION_FAILURE, false, 3, "clWaitForEvents"}};
static constexpr int kInFlight[] = {1, 3};

static constexpr const char* kAdvice =
    "The OpenCL device failed. Restart the pipeline, or set backend=cpu.";

static bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Restarts the element. With auto, CUDA has no device of this number, so OpenCL is next.
static GstStateChangeReturn restart(Element& element, const char* backend) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  gst_util_set_object_arg(G_OBJECT(element.get()), "backend", backend);
  g_object_set(element.get(), "cuda-device-id", G_MAXINT, nullptr);
  return gst_element_set_state(element.get(), GST_STATE_PLAYING);
}

/// The device with its driver, as messages name it.
static std::string device_of(Element& element) {
  const std::string head = "OpenCL device of ";
  const std::string reason = check::stats_string(element.get(), "reason");
  fail_unless(reason.find(head) == 0, "%s", reason.c_str());
  return check::stats_string(element.get(), "device") + " (" +
         reason.substr(head.size(), reason.find(';') - head.size()) + ")";
}

/// Kernels of the median are compiled for the first frame that needs them.
static canny::Params params_of(int frame, int first_median) {
  canny::Params params;
  if (frame >= first_median) params.threshold_mode = canny::ThresholdMode::kMedian;
  return params;
}

/// The frames that arrived, in their order, and the first difference from those expected.
struct Arrived {
  std::vector<int> frames;
  std::string difference;

  /// Whether no frame is missing before the last one.
  bool is_gapless() const { return frames.empty() || frames.back() + 1 == int(frames.size()); }
};

static void take(GstBuffer* out, const Layout& layout, int first_median, Arrived* arrived) {
  const int frame = int(GST_BUFFER_PTS(out));
  const Owned<GstBuffer> in(check::new_picture(layout, guint64(frame)));
  const auto edges = check::reference_edges(in.get(), layout, params_of(frame, first_median));
  std::string differs = check::difference(out, layout, edges);
  if (!arrived->frames.empty() && frame <= arrived->frames.back()) differs = "out of order";
  if (arrived->difference.empty() && !differs.empty())
    arrived->difference = "frame " + std::to_string(frame) + ": " + differs;
  arrived->frames.push_back(frame);
}

/// Pushes frames until one is refused, those from `first_median` on with thresholds of the median.
static Arrived run_frames(Element& element, int first_median) {
  const Layout layout = check::plain_layout(check::kRgb, 61, 43);
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("frames"));
  element.send_caps(layout);
  element.send_segment();
  GstFlowReturn flow = GST_FLOW_OK;
  for (int i = 0; i < kFrames && flow == GST_FLOW_OK; i++) {
    element.set_params(params_of(i, first_median));
    GstBuffer* picture = check::new_picture(layout, guint64(i));
    GST_BUFFER_PTS(picture) = GstClockTime(i);
    flow = element.push(picture);
  }
  gst_harness_push_event(element.harness(), gst_event_new_eos());  // returns after all frames
  Arrived arrived;
  while (const Owned<GstBuffer> out{element.pull()})
    take(out.get(), layout, first_median, &arrived);
  return arrived;
}

/// Checks the text of a message for advice, and its details for a part. Null and the end of the
/// stream are failures.
static void check_text(GstMessage* message, const char* advice, const std::string& part) {
  fail_unless(message != nullptr && GST_MESSAGE_TYPE(message) != GST_MESSAGE_EOS,
              "no message after %s", fault->failed.load());
  const check::Told told = check::told_by(gst_message_ref(message));
  fail_unless(told.has(advice), "%s: %s", told.text.c_str(), told.details.c_str());
  fail_unless(told.has_detail(part), "no '%s' in %s", part.c_str(), told.details.c_str());
}

/// Checks that there is an error with this advice and part. Other frames have errors of their own.
static void check_errors(Element& element, const char* advice, const std::string& part) {
  Owned<GstMessage> error(element.pop(GST_MESSAGE_ERROR));
  do {
    check_text(error.get(), advice, part);
    error.reset(element.pop(GST_MESSAGE_ERROR));
  } while (error != nullptr);
}

static void check_no_message(Element& element, GstMessageType type) {
  const Owned<GstMessage> message(element.pop(type));
  fail_unless(message == nullptr, "a message after %s", fault->failed.load());
}

/// Checks that the CPU took over, with one warning that names the reason.
static void check_takeover(Element& element, const std::string& why) {
  const Owned<GstMessage> warning(element.pop(GST_MESSAGE_WARNING));
  check_text(warning.get(),
             "The OpenCL device failed and the CPU took over. Restart the pipeline to try the "
             "device again.",
             why);
  check_no_message(element, GST_MESSAGE_WARNING);
  check_no_message(element, GST_MESSAGE_ERROR);
  fail_unless(check::stats_string(element.get(), "backend") == "cpu");
  const std::string reason = check::stats_string(element.get(), "reason");
  fail_unless(reason.find("the device failed: " + why) == 0, "%s", reason.c_str());
}

/// Runs frames on a device whose calls work again, after a restart.
static void check_recovery(Element& element, const char* backend) {
  fault->disarm();
  restart(element, backend);
  const Arrived arrived = run_frames(element, kFrames / 2);
  fail_unless(arrived.difference.empty(), "%s", arrived.difference.c_str());
  fail_unless_equals_int(arrived.frames.size(), kFrames);
  fail_unless(check::stats_string(element.get(), "backend") == "opencl");
  check_no_message(element, GST_MESSAGE_ERROR);
  check_no_message(element, GST_MESSAGE_WARNING);
}

/// Makes calls fail in turn, counted from the first caps on, and calls check(device, arrived) after
/// each stream.
template <class Check>
static void fail_in_turn(Element& element, const char* backend, const Kind& kind, Check check) {
  const int step = *kind.only != '\0' ? 3 : check::is_slow() ? 101 : 29;
  int failures = 0;
  for (int call = 0;; call += step) {
    restart(element, backend);
    const std::string device = device_of(element);
    fault->arm(call, kind.error, kind.is_lost, kind.only);
    const Arrived arrived = run_frames(element, kind.is_lost ? kFrames / 2 : kFrames);
    const std::string failed = fault->failed.load();
    if (failed.empty()) break;
    fail_unless(arrived.difference.empty(), "call %d, %s: %s", call, failed.c_str(),
                arrived.difference.c_str());
    check(device, arrived);
    fault->disarm();
    failures++;
  }
  fail_unless(failures > 2, "only %d calls failed", failures);
}

DEVICE_TEST(the_cpu_takes_over, std::size(kKinds)) {
  const Kind& kind = kKinds[__i__];
  Element element(1, kind.in_flight);
  fail_in_turn(element, "auto", kind, [&](const std::string& device, const Arrived& arrived) {
    fail_unless_equals_int(arrived.frames.size(), kFrames);
    check_takeover(element, device);
  });
  check_recovery(element, "auto");
}

/// Where memory runs out once, later frames may follow the one that failed, and a new size is tried
/// again with the first frame.
DEVICE_TEST(an_error_without_the_cpu, std::size(kKinds)) {
  const Kind& kind = kKinds[__i__];
  const bool is_memory = kind.error == CL_MEM_OBJECT_ALLOCATION_FAILURE;
  const char* advice =
      is_memory ? "Not enough memory. Reduce the video size, or set backend=cpu." : kAdvice;
  Element element(1, kind.in_flight);
  fail_in_turn(element, "opencl", kind, [&](const std::string& device, const Arrived& arrived) {
    if (kind.is_lost) fail_unless(arrived.is_gapless(), "a frame after one that failed");
    if (!is_memory || *kind.only != '\0')
      fail_unless(arrived.frames.size() < kFrames, "no frame failed");
    check_errors(element, advice, device);
    check_no_message(element, GST_MESSAGE_WARNING);
  });
  check_recovery(element, "opencl");
}

static std::string compiler_of(const std::string& device) {
  return device + ": the driver can't compile the kernels: " + failing::kLogError;
}

DEVICE_TEST(kernels_that_do_not_compile, 1) {
  Element element(1, 3);
  restart(element, "opencl");
  const std::string why = compiler_of(device_of(element));
  fault->arm(0, CL_BUILD_PROGRAM_FAILURE, true, "clBuildProgram");
  fail_unless_equals_int(restart(element, "opencl"), GST_STATE_CHANGE_FAILURE);
  check_errors(element, kAdvice, why);
  fail_unless_equals_int(restart(element, "auto"), GST_STATE_CHANGE_SUCCESS);
  const Arrived arrived = run_frames(element, kFrames / 2);
  fail_unless(arrived.difference.empty(), "%s", arrived.difference.c_str());
  fail_unless_equals_int(arrived.frames.size(), kFrames);
  check_no_message(element, GST_MESSAGE_ERROR);
  fail_unless(check::stats_string(element.get(), "backend") == "cpu");
  const std::string reason = check::stats_string(element.get(), "reason");
  fail_unless(has(reason, "no usable OpenCL device: " + why), "%s", reason.c_str());
  check_recovery(element, "auto");
}

DEVICE_TEST(a_loader_without_drivers, 1) {
  Element element(1);
  fault->arm(0, CL_INVALID_PLATFORM, false, "clGetPlatformIDs");
  fail_unless_equals_int(restart(element, "opencl"), GST_STATE_CHANGE_FAILURE);
  check_errors(element,
               "No OpenCL driver was found. Install ocl-icd-libopencl1 and the driver of the "
               "device, or set backend=auto or backend=cpu.",
               "no OpenCL driver is installed");
  check_recovery(element, "opencl");
}

/// Where /dev has no GPU, auto asks no driver: one that serves the CPU may abort.
DEVICE_TEST(auto_without_a_gpu, 1) {
  glob_t nodes = {};
  const bool has_gpu = glob(canny::opencl::kGpuNodes, GLOB_BRACE, nullptr, &nodes) == 0;
  globfree(&nodes);
  Element element(1, 3);
  g_object_set(element.get(), "opencl-device", nullptr, nullptr);
  fault->arm(0, CL_OUT_OF_RESOURCES, false, "clGetPlatformIDs");
  fail_unless_equals_int(restart(element, "auto"), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_string(fault->failed.load(), has_gpu ? "clGetPlatformIDs" : "");
  fail_unless(check::stats_string(element.get(), "backend") == "cpu");
  const std::string reason = check::stats_string(element.get(), "reason");
  fail_unless(has_gpu || has(reason, "no OpenCL GPU"), "%s", reason.c_str());
}

/// Those that are compiled in mid-stream.
DEVICE_TEST(late_kernels_that_do_not_compile, std::size(kInFlight)) {
  Element element(1, kInFlight[__i__]);
  for (const char* backend : {"auto", "opencl"}) {
    const bool is_auto = backend[0] == 'a';
    restart(element, backend);
    const std::string why = compiler_of(device_of(element));
    fault->arm(0, CL_BUILD_PROGRAM_FAILURE, true, "clBuildProgram");
    const Arrived arrived = run_frames(element, kFrames / 2);
    fail_unless(arrived.difference.empty(), "%s", arrived.difference.c_str());
    fail_unless_equals_int(arrived.frames.size(), is_auto ? kFrames : kFrames / 2);
    if (is_auto)
      check_takeover(element, why);
    else
      check_errors(element, kAdvice, why);
    check_recovery(element, backend);
  }
}

/// Loses the device after some frames.
static GstPadProbeReturn lose_device(GstPad*, GstPadProbeInfo*, gpointer frames) {
  if (++*static_cast<std::atomic<int>*>(frames) == 10) fault->arm(5, CL_OUT_OF_RESOURCES, true);
  return GST_PAD_PROBE_OK;
}

DEVICE_TEST(a_pipeline_that_loses_its_device, std::size(kInFlight)) {
  constexpr int kLength = 30;
  std::atomic<int> frames{0};
  check::Pipeline pipeline("videotestsrc pattern=ball num-buffers=" + std::to_string(kLength) +
                           " ! video/x-raw,format=RGB,width=61,height=43 ! cudacanny name=canny "
                           "frames-in-flight=" +
                           std::to_string(kInFlight[__i__]) +
                           " backend=" + check::backend_in_line(1) + " ! fakesink");
  const Owned<GstPad> pad(gst_element_get_static_pad(pipeline["canny"], "src"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, lose_device, &frames, nullptr);
  const Owned<GstBus> bus(gst_element_get_bus(pipeline.get()));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const Owned<GstMessage> error(gst_bus_timed_pop_filtered(
      bus.get(), check::kPatience, GstMessageType(GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
  const std::string name = check::stats_string(pipeline["canny"], "device");
  const bool is_stopped = pipeline.reach(GST_STATE_NULL);
  const int frames_before = frames.exchange(kLength);  // now no frame loses it
  fault->disarm();
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const std::string again = pipeline.wait_for_end();
  check_text(error.get(), kAdvice, name + " (");
  fail_unless(GST_MESSAGE_SRC(error.get()) == GST_OBJECT(pipeline["canny"]));
  fail_unless(is_stopped, "the pipeline does not stop");
  fail_unless(frames_before < kLength, "no frame failed");
  fail_unless(again.empty(), "%s", again.c_str());
  fail_unless_equals_int(frames, 2 * kLength);
}

/// The file of the real loader, which is closed again, empty if there is none.
static std::string find_loader() {
  void* const file = dlopen("libOpenCL.so.1", RTLD_LAZY);
  link_map* map = nullptr;
  if (file == nullptr || dlinfo(file, RTLD_DI_LINKMAP, &map) != 0) return "";
  const std::string path = map->l_name;
  dlclose(file);
  return path;
}

/// Opens the stand-in for the loader. False if this fails.
static bool open_stand_in(const char* path, const std::string& loader) {
  void* const file = dlopen(path, RTLD_NOW);
  if (file == nullptr) return false;
  const auto open =
      reinterpret_cast<decltype(&open_failing_loader)>(dlsym(file, "open_failing_loader"));
  if (open != nullptr) fault = open(loader.c_str());
  return fault != nullptr;
}

/// The argument is the stand-in. Without a loader, all tests are skipped.
int main(int argc, char** argv) {
  const std::string loader = find_loader();
  if (argc != 2 || (!loader.empty() && !open_stand_in(argv[1], loader))) {
    std::fprintf(stderr, "usage: %s STAND_IN\n", argv[0]);
    return 2;
  }
  gst_check_init(&argc, &argv);
  return check::run();
}
