// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests frames in CUDA memory: every format and direction, caps, states, flushes.
#include <string>

#include "cudaunfinished.h"
#include "inflight.h"
#include "worker.h"

using check::Element;
using check::find_format;
using check::Format;
using check::Layout;
using check::Owned;
using check::Pictures;

static check::Suite suite("cudamemory");

static const int kInFlight[] = {1, 3};
static constexpr int kFrames = 4;

/// Frames through an element: their origin and their destination.
struct Route {
  const Format* in;
  const Format* out;  ///< null: the element chooses
  bool from_cuda, to_cuda;
  int width, height;
  int in_flight;
};

static std::string name_of(const Route& route) {
  return std::string(route.in->name) + " in " + (route.from_cuda ? "CUDA" : "system") + " to " +
         (route.out != nullptr ? route.out->name : "any format") + " in " +
         (route.to_cuda ? "CUDA" : "system") + " memory, " + std::to_string(route.width) + "x" +
         std::to_string(route.height) + ", " + std::to_string(route.in_flight) + " in flight";
}

static void want_system(const Element& element, const Format* format) {
  const std::string caps = std::string("video/x-raw") +
                           (format != nullptr ? std::string(",format=") + format->name : "");
  gst_harness_set_sink_caps_str(element.harness(), caps.c_str());
}

/// The output's caps: the format and "CUDA" or "system", empty if there are none.
static std::string output_of(const Element& element) {
  const Owned<GstCaps> caps(element.output_caps());
  if (caps == nullptr) return "";
  const bool in_cuda =
      gst_caps_features_contains(gst_caps_get_features(caps.get(), 0), "memory:CUDAMemory");
  const GstStructure* structure = gst_caps_get_structure(caps.get(), 0);
  return std::string(gst_structure_get_string(structure, "format")) +
         (in_cuda ? " CUDA" : " system");
}

static void check_count(const Element& element, const char* field, int count,
                        const std::string& name) {
  if (std::string(field) == "frames") check::wait_for_count(element.get(), guint64(count));
  const guint64 got = check::stats_number(element.get(), field);
  fail_unless(got == guint64(count), "%s: stats: %s is %" G_GUINT64_FORMAT ", expected %d",
              name.c_str(), field, got, count);
}

static void want_output(const Element& element, const Route& route) {
  if (route.to_cuda) {
    check::want_cuda(element, route.out);
  } else {
    want_system(element, route.out);
  }
}

/// Checks every byte of every frame, and the copies.
static void check_route(const Route& route) {
  const std::string name = name_of(route);
  GstCudaContext* context = check::cuda_context(0);
  Element element(1, route.in_flight);
  gst_element_set_context(element.get(), check::new_shared_context(context).get());
  want_output(element, route);
  Pictures pictures(element, name);
  pictures.set_layout(check::plain_layout(*route.in, route.width, route.height), route.from_cuda);
  const Format& out = route.out != nullptr ? *route.out : check::output_of(*route.in);
  const std::string wanted = std::string(out.name) + (route.to_cuda ? " CUDA" : " system");
  const std::string got = output_of(element);
  fail_unless(got == wanted, "%s: the output is '%s', expected '%s'", name.c_str(), got.c_str(),
              wanted.c_str());
  pictures.push(kFrames, route.from_cuda ? context : nullptr);
  pictures.check(kFrames, route.to_cuda ? context : nullptr, &out);
  check_count(element, "frames", kFrames, name);
  check_count(element, "uploads", route.from_cuda ? 0 : kFrames, name);
  check_count(element, "downloads", route.to_cuda ? 0 : kFrames, name);
  const std::string backend = check::stats_string(element.get(), "backend");
  fail_unless_equals_string(backend.c_str(), "cuda");
}

static const int kSizes[][2] = {{1, 1}, {2, 2}, {33, 17}, {64, 48}, {321, 243}};

/// Downstream leaves the choice of the format. With odd heights, planes of chroma begin in the
/// middle of a row.
LOOP_TEST(every_format_stays_on_the_device, check::kFormatCount) {
  const Format& format = check::kFormats[__i__];
  if (!check::is_cuda_format(format)) return;
  if (check::skip("every_format_stays_on_the_device", 1)) return;
  for (const int in_flight : kInFlight) {
    for (const auto& size : kSizes) {
      check_route({&format, nullptr, true, true, size[0], size[1], in_flight});
    }
  }
}

static const char* const kCudaInputs[] = {"NV12", "I420", "RGBA", "UYVY", "P010_10LE"};
static const char* const kSystemInputs[] = {"NV12", "RGB", "xRGB", "GRAY8", "YUY2", "GRAY16_BE"};
static const char* const kCudaOutputs[] = {"NV12", "I420", "RGBA", "YUY2"};
static const char* const kSystemOutputs[] = {"GRAY8", "RGB", "NV12", "YUY2"};

/// All formats of one direction.
static void check_direction(bool from_cuda, bool to_cuda, int in_flight) {
  const auto* const begin = from_cuda ? std::begin(kCudaInputs) : std::begin(kSystemInputs);
  const auto* const end = from_cuda ? std::end(kCudaInputs) : std::end(kSystemInputs);
  for (const auto* in = begin; in != end; in++) {
    for (const char* out : to_cuda ? kCudaOutputs : kSystemOutputs) {
      for (const auto& size : {kSizes[0], kSizes[2], kSizes[3]}) {
        check_route({&find_format(*in), &find_format(out), from_cuda, to_cuda, size[0], size[1],
                     in_flight});
      }
    }
  }
}

DEVICE_TEST(between_memories, 4 * std::size(kInFlight)) {
  const bool from_cuda = __i__ & 1;
  const bool to_cuda = __i__ & 2;
  check_direction(from_cuda, to_cuda, kInFlight[__i__ / 4]);
}

/// `out` is the format and the memory of the output if downstream allows these caps.
struct MemoryPreference {
  const char* in;
  bool in_cuda;
  const char* allowed;
  const char* out;
};

#define CUDA "video/x-raw(memory:CUDAMemory)"

static const MemoryPreference kPreferences[] = {
    {"NV12", true, "ANY", "NV12 CUDA"},
    {"NV12", true, "video/x-raw;" CUDA, "NV12 CUDA"},
    {"NV12", true, CUDA ";video/x-raw", "NV12 CUDA"},
    {"NV12", true, "video/x-raw,format=NV12;" CUDA ",format=RGBA", "RGBA CUDA"},
    {"NV12", true, CUDA ",format=RGBA", "RGBA CUDA"},
    {"NV12", true, CUDA ",format={RGBA,NV12}", "NV12 CUDA"},
    {"NV12", true, "video/x-raw", "NV12 system"},
    {"NV12", true, "video/x-raw,format=GRAY8", "GRAY8 system"},
    {"P010_10LE", true, "ANY", "NV12 CUDA"},
    {"P010_10LE", true, CUDA, "NV12 CUDA"},
    {"I420_10LE", true, CUDA, "I420 CUDA"},
    {"P010_10LE", true, "video/x-raw", "NV12 system"},
    {"NV12", false, "ANY", "NV12 system"},
    {"NV12", false, "video/x-raw;" CUDA, "NV12 system"},
    {"NV12", false, CUDA ";video/x-raw", "NV12 system"},
    {"NV12", false, CUDA ",format=NV12;video/x-raw,format=GRAY8", "GRAY8 system"},
    {"NV12", false, CUDA, "NV12 CUDA"},
    {"GRAY8", false, CUDA ",format=I420", "I420 CUDA"},
    {"RGB", false, CUDA ",format=GRAY8", ""},
    {"RGB", true, CUDA ",format=xRGB", ""},
    {"RGB", true, CUDA ",format=P010_10LE", ""},
};

DEVICE_TEST(memory_and_format_of_the_output, std::size(kPreferences)) {
  const MemoryPreference& preference = kPreferences[__i__];
  const Format& format = find_format(preference.in);
  Element element(1);
  gst_element_set_context(element.get(), check::new_shared_context(check::cuda_context(0)).get());
  gst_harness_set_sink_caps_str(element.harness(), preference.allowed);
  element.send_caps(preference.in_cuda ? check::new_cuda_caps(format, 8, 6)
                                       : check::new_caps(format, 8, 6));
  const std::string out = output_of(element);
  fail_unless(out == preference.out, "%s in %s memory with %s gives '%s', expected '%s'",
              preference.in, preference.in_cuda ? "CUDA" : "system", preference.allowed,
              out.c_str(), preference.out);
}

/// In CUDA memory, formats that GStreamer's allocator does not support are refused.
DEVICE_TEST(formats_in_cuda_memory, check::kFormatCount) {
  const Format& format = check::kFormats[__i__];
  Element element(1);
  const Owned<GstCaps> caps(check::new_cuda_caps(format, 8, 6));
  for (const bool is_sink : {true, false}) {
    GstPad* pad = gst_element_get_static_pad(element.get(), is_sink ? "sink" : "src");
    const bool wanted =
        check::is_cuda_format(format) && (is_sink || __i__ < check::kOutputFormatCount);
    const Owned<GstCaps> offered(gst_pad_query_caps(pad, nullptr));
    const bool accepts = gst_pad_query_accept_caps(pad, caps.get());
    const bool offers = gst_caps_can_intersect(offered.get(), caps.get());
    fail_unless(accepts == wanted && offers == wanted, "%s: the %s pad %s and %s it", format.name,
                is_sink ? "sink" : "src", accepts ? "accepts" : "refuses",
                offers ? "offers" : "does not offer");
    gst_object_unref(pad);
  }
}

DEVICE_TEST(twenty_times_up_and_down, std::size(kInFlight)) {
  GstCudaContext* context = check::cuda_context(0);
  Element element(1, kInFlight[__i__]);
  Pictures pictures(element, std::to_string(kInFlight[__i__]) + " in flight");
  check::want_cuda(element, nullptr);
  for (int i = 0; i < 20; i++) {
    for (const GstState state : {GST_STATE_PAUSED, GST_STATE_PLAYING}) {
      fail_unless_equals_int(gst_element_set_state(element.get(), state), GST_STATE_CHANGE_SUCCESS);
    }
    gst_element_set_context(element.get(), check::new_shared_context(context).get());
    pictures.set_layout(check::plain_layout(check::kNv12, 45, 31), true);
    element.send_segment();
    pictures.push(kFrames, context);
    pictures.check(kFrames, context);
    check_count(element, "frames", kFrames, "start " + std::to_string(i));
    for (const GstState state : {GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL}) {
      fail_unless_equals_int(gst_element_set_state(element.get(), state), GST_STATE_CHANGE_SUCCESS);
    }
  }
}

/// A stop drops frames in flight that nobody has waited for.
DEVICE_TEST(stops_with_frames_on_the_device, std::size(kInFlight)) {
  GstCudaContext* context = check::cuda_context(0);
  for (int i = 0; i < 20; i++) {
    Element element(1, kInFlight[__i__]);
    gst_element_set_context(element.get(), check::new_shared_context(context).get());
    check::want_cuda(element, nullptr);
    Pictures pictures(element);
    pictures.set_layout(check::plain_layout(check::kNv12, 321, 243), true);
    pictures.push(1 + i % 3, context);
  }
}

/// How many frames the element puts in flight shows in its latency. Unfinished ones have none.
DEVICE_TEST(latency_between_memories, 4) {
  const bool from_cuda = __i__ & 1, to_cuda = __i__ & 2;
  Element element(1);
  inflight::set_upstream(element, inflight::kNotLive);
  if (to_cuda) check::want_cuda(element, nullptr);
  if (!to_cuda) want_system(element, nullptr);
  Pictures pictures(element);
  pictures.set_layout(check::plain_layout(check::kNv12, 64, 48), from_cuda);
  GstClockTime frames_before = 2;
  if (from_cuda && to_cuda) frames_before = GST_CHECK_VERSION(1, 24, 0) ? 0 : 5;
  fail_unless_equals_uint64(inflight::query_latency(element).min,
                            gst_util_uint64_scale(frames_before, GST_SECOND, 30));
}

/// A layout of a stream, and its memory.
struct Part {
  const char* format;
  int width, height;
  bool in_cuda;
};

static const Part kParts[] = {
    {"NV12", 64, 48, true},  {"NV12", 64, 48, false}, {"NV12", 64, 48, true},
    {"RGB", 33, 17, true},   {"RGB", 33, 17, false},  {"GRAY8", 33, 17, false},
    {"I420", 33, 17, true},  {"I420", 64, 48, true},  {"P010_10LE", 64, 48, true},
    {"YUY2", 64, 48, false}, {"YUY2", 61, 47, true},  {"NV12", 64, 48, true},
};

/// If downstream accepts both, frames stay in their memory.
DEVICE_TEST(caps_change_between_memories, std::size(kInFlight)) {
  GstCudaContext* context = check::cuda_context(0);
  const std::string name = std::to_string(kInFlight[__i__]) + " in flight";
  Element element(1, kInFlight[__i__]);
  gst_element_set_context(element.get(), check::new_shared_context(context).get());
  Pictures pictures(element, name);
  for (const Part& part : kParts) {
    pictures.set_layout(check::plain_layout(find_format(part.format), part.width, part.height),
                        part.in_cuda);
    pictures.push(kFrames, part.in_cuda ? context : nullptr);
  }
  int in_system = 0;
  for (const Part& part : kParts) {
    pictures.check(kFrames, part.in_cuda ? context : nullptr);
    in_system += part.in_cuda ? 0 : kFrames;
  }
  check_count(element, "frames", int(G_N_ELEMENTS(kParts)) * kFrames, name);
  check_count(element, "uploads", in_system, name);
  check_count(element, "downloads", in_system, name);
}

/// Downstream changes its caps: the same input goes to the other memory, and back.
DEVICE_TEST(output_changes_between_memories, 2 * std::size(kInFlight)) {
  GstCudaContext* context = check::cuda_context(0);
  Element element(1, kInFlight[__i__ / 2]);
  const bool from_cuda = __i__ % 2;
  gst_element_set_context(element.get(), check::new_shared_context(context).get());
  check::want_cuda(element, nullptr);
  Pictures pictures(element, from_cuda ? "from CUDA memory" : "from system memory");
  pictures.set_layout(check::plain_layout(check::kNv12, 61, 43), from_cuda);
  for (int i = 0; i < 6; i++) {
    const bool to_cuda = i % 2 == 0;
    if (i > 0 && to_cuda) check::want_cuda(element, nullptr);
    if (!to_cuda) want_system(element, nullptr);
    pictures.push(kFrames, from_cuda ? context : nullptr);
    pictures.check(kFrames, to_cuda ? context : nullptr);
  }
}

DEVICE_TEST(flushes_on_the_device, std::size(kInFlight)) {
  GstCudaContext* context = check::cuda_context(0);
  Element element(1, kInFlight[__i__]);
  gst_element_set_context(element.get(), check::new_shared_context(context).get());
  check::want_cuda(element, nullptr);
  Pictures pictures(element, std::to_string(kInFlight[__i__]) + " in flight");
  pictures.set_layout(check::plain_layout(check::kNv12, 321, 243), true);
  for (int i = 0; i < 20; i++) {
    pictures.push(1 + i % 5, context);
    gst_harness_push_event(element.harness(), gst_event_new_flush_start());
    gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE));
    pictures.forget();
    element.send_segment();
    pictures.push(kFrames, context);
    pictures.check(kFrames, context);
  }
}

// The default stream, in which work on CUDA memory may be pending.

constexpr gulong kLongerThanAFrame = 20000;  // us, so that a missing wait shows

/// Upstream still writes the frame when it is pushed.
DEVICE_TEST(inputs_in_the_default_stream, 2 * std::size(kInFlight)) {
  Element element(1, kInFlight[__i__ / 2]);
  streams::set_up(element, __i__ % 2 != 0);
  streams::UnfinishedInputs inputs(nullptr);
  for (GstClockTime time = streams::kFrame; time < 5 * streams::kFrame; time += streams::kFrame) {
    inputs.prepare(time);
    streams::Gate gate(nullptr);
    GstBuffer* input = inputs.finish_later();
    GstFlowReturn flow = GST_FLOW_ERROR;
    check::Worker pusher([&] { flow = element.push(input); });
    g_usleep(kLongerThanAFrame);
    gate.open();
    pusher.join();
    fail_unless_equals_int(flow, GST_FLOW_OK);
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr);
    streams::judge(out.get(), time, "a frame that was still written");
  }
}

/// Downstream gives a buffer back that it still reads.
DEVICE_TEST(outputs_in_the_default_stream, 2 * std::size(kInFlight)) {
  constexpr int kMore = 13;  // frames, of which one gets the buffer
  const bool from_cuda = __i__ % 2 != 0;
  const Layout layout = streams::layout_of_tests();
  Element element(1, kInFlight[__i__ / 2]);
  streams::set_up(element, true);
  if (!from_cuda) element.send_caps(layout);
  std::vector<Owned<GstBuffer>> inputs;
  for (int i = 0; i <= kMore; i++) {
    const GstClockTime time = GstClockTime(i) * streams::kFrame;
    inputs.push_back(from_cuda ? streams::new_input(time) : streams::new_picture(time));
  }
  const Owned<GstBuffer> copy = streams::new_buffer(layout, nullptr);
  const auto push = [&](int i) { return element.push(gst_buffer_ref(inputs[i].get())); };
  for (int round = 0; round < 3; round++) {
    fail_unless_equals_int(push(0), GST_FLOW_OK);
    Owned<GstBuffer> out(element.wait());
    streams::Gate gate(nullptr);
    streams::queue_copy(out.get(), copy.get(), nullptr);
    out.reset();
    check::Worker pusher([&] {
      for (int i = 1; i <= kMore; i++) push(i);
    });
    g_usleep(kLongerThanAFrame);
    gate.open();
    for (int i = 0; i < kMore; i++) fail_unless(Owned<GstBuffer>(element.wait()) != nullptr);
    pusher.join();
    streams::judge(copy.get(), 0, "a frame that was still read");
  }
}

/// Caps in CUDA memory, and the message that explains why output=overlay refuses them on CUDA.
static constexpr struct Refusal {
  const char *caps, *text;
} kRefusals[] = {
    {"format=P010_10LE,width=64,height=48",
     "cudacanny does not accept format P010_10LE with output=overlay, which needs 8 bits. Put "
     "cudaconvert before it, or cudadownload and videoconvert."},
    {"format=A420,width=64,height=48",
     "cudacanny does not accept format A420 in CUDA memory. Put cudaconvert before it, or "
     "cudadownload and videoconvert."},
    {"format=NV12,width=16385,height=48",
     "cudacanny does not accept frames of 16385x48 pixels. Put cudascale before it."},
    {"width=64,height=48",
     "The input's caps have no format. Add it where they are set, such as in appsrc or a "
     "capsfilter."},
};

/// A stopped element may yet run on CUDA, and so answers like one that does.
LOOP_TEST(refused_caps_in_cuda_memory_are_told, std::size(kRefusals)) {
  const Refusal& refusal = kRefusals[__i__];
  Element element(0);
  gst_util_set_object_arg(G_OBJECT(element.get()), "output", "overlay");
  gst_element_set_state(element.get(), GST_STATE_READY);
  const std::string text = std::string("video/x-raw(memory:CUDAMemory),") + refusal.caps;
  const Owned<GstCaps> caps(gst_caps_from_string(text.c_str()));
  gst_harness_push_event(element.harness(), gst_event_new_caps(caps.get()));
  fail_if(gst_pad_peer_query_accept_caps(element.harness()->srcpad, caps.get()));
  const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
  fail_unless_equals_string(told.text.c_str(), refusal.text);
}
