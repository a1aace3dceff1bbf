// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests memory that is still being written or read in a neighbor's CUDA stream, and memory from
/// other allocators.
#include "cudaunfinished.h"
#include "races.h"
#include "worker.h"

#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudamemory.h>

#include <algorithm>
#include <string>
#include <vector>

using check::Element;
using check::kCounts;
using check::Layout;
using check::Owned;
using streams::Gate;
using streams::judge;
using streams::kFrame;
using streams::layout_of_tests;
using streams::new_buffer;
using streams::new_buffer_of;
using streams::new_input;
using streams::new_picture;
using streams::new_stream;
using streams::queue_copy;
using streams::set_up;
using streams::Stream;
using streams::UnfinishedInputs;

static check::Suite suite("cudastreams");

/// Upstream's stream has not reached the frame when it is pushed. If downstream accepts CUDA
/// memory, no thread waits for the stream.
DEVICE_TEST(inputs_that_are_still_written, std::size(kCounts)) {
  Element element(1, kCounts[__i__]);
  set_up(element, true);
  const Stream stream = new_stream();
  UnfinishedInputs inputs(stream.get());
  for (GstClockTime time = kFrame; time < 20 * kFrame; time += kFrame) {
    inputs.prepare(time);
    Gate gate(stream.get());
    const GstFlowReturn flow = element.push(inputs.finish_later());
    const Owned<GstBuffer> out(element.wait());
    const guint64 frames = check::stats_number(element.get(), "frames");
    gate.open();
    fail_unless_equals_int(flow, GST_FLOW_OK);
    fail_unless(out != nullptr);
    fail_unless_equals_uint64(frames, time / kFrame);
    judge(out.get(), time, "a frame that was still written");
    check::wait_for_count(element.get(), frames + 1);
  }
}

/// The same, but the frame that leaves is finished.
DEVICE_TEST(inputs_that_are_still_written_to_system_memory, std::size(kCounts)) {
  Element element(1, kCounts[__i__]);
  set_up(element, false);
  const Stream stream = new_stream();
  UnfinishedInputs inputs(stream.get());
  for (GstClockTime time = kFrame; time < 10 * kFrame; time += kFrame) {
    inputs.prepare(time);
    Gate gate(stream.get());
    GstBuffer* input = inputs.finish_later();
    bool is_waiting = false;
    check::Worker opener([&, pusher = gettid()] {
      is_waiting = check::wait_until_waiting(pusher);
      gate.open();
    });
    const GstFlowReturn flow = element.push(input);
    const Owned<GstBuffer> out(element.wait());
    opener.join();
    fail_unless(is_waiting, "no thread waits for the frame");
    fail_unless_equals_int(flow, GST_FLOW_OK);
    fail_unless(out != nullptr);
    judge(out.get(), time, "a frame that was still written");
  }
}

/// A frame that leaves unfinished has a meta with what is known then.
DEVICE_TEST(metas_of_unfinished_frames, std::size(kCounts)) {
  Element element(1, kCounts[__i__]);
  set_up(element, true);
  guint64 serial = 0;
  for (const char* mode : {"median", "absolute"}) {
    gst_util_set_object_arg(G_OBJECT(element.get()), "threshold-mode", mode);
    fail_unless_equals_int(element.push(new_input(kFrame).release()), GST_FLOW_OK);
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr);
    GstCustomMeta* meta = gst_buffer_get_custom_meta(out.get(), "cudacanny");
    fail_unless(meta != nullptr);
    const GstStructure* fields = gst_custom_meta_get_structure(meta);
    const bool is_absolute = std::string(mode) == "absolute";
    double low = 0, high = 0;
    guint64 number = 0;
    fail_unless(gst_structure_get_uint64(fields, "settings-serial", &number));
    fail_unless_equals_uint64(number, ++serial);
    fail_unless_equals_int(gst_structure_get_double(fields, "low", &low), is_absolute);
    fail_unless_equals_int(gst_structure_get_double(fields, "high", &high), is_absolute);
    fail_unless(!is_absolute || (low == 50 && high == 150));
    fail_if(gst_structure_has_field(fields, "edge-pixels"));
  }
}

/// Downstream reads a frame in the stream of its memory, or in another after a wait for that one,
/// and gives the buffer back meanwhile.
DEVICE_TEST(outputs_that_are_still_read, 2 * std::size(kCounts)) {
  constexpr int kFrames = 13;
  const bool in_its_stream = __i__ % 2 == 0;
  const Stream other = new_stream();
  Element element(1, kCounts[__i__ / 2]);
  set_up(element, true);
  std::vector<Owned<GstBuffer>> inputs;
  for (int i = 0; i < kFrames; i++) inputs.push_back(new_input(GstClockTime(i) * kFrame));
  const auto push = [&](int i) { return element.push(gst_buffer_ref(inputs[i].get())); };
  for (int round = 0; round < 6; round++) {
    fail_unless_equals_int(push(0), GST_FLOW_OK);
    Owned<GstBuffer> out(element.wait());
    GstMemory* memory = gst_buffer_peek_memory(out.get(), 0);
    GstCudaStream* stream = gst_cuda_memory_get_stream(GST_CUDA_MEMORY_CAST(memory));
    fail_unless(stream != nullptr, "the output's memory has no stream");
    fail_unless(GST_MEMORY_FLAG_IS_SET(memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC),
                "the output does not say that it is still written");
    if (!in_its_stream) {
      stream = other.get();
      gst_cuda_memory_sync(GST_CUDA_MEMORY_CAST(memory));
    }
    const Owned<GstBuffer> copy = new_buffer(layout_of_tests(), stream);
    Gate gate(stream);
    queue_copy(out.get(), copy.get(), stream);
    out.reset();
    check::Worker pusher([&] {
      for (int i = 1; i < kFrames; i++) push(i);
    });
    const bool is_waiting = pusher.wait_until_asleep();
    gate.open();
    pusher.join();
    fail_unless(is_waiting, "no thread waits for the buffer");
    while (const Owned<GstBuffer> rest{element.pull()}) continue;
    judge(copy.get(), 0, "a frame that was still read");
  }
}

/// Frames that leave unfinished run side by side if they do not wait for each other.
DEVICE_TEST(frames_side_by_side_share_nothing, std::size(kCounts)) {
  const int count = kCounts[__i__];
  Element element(1, count);
  set_up(element, true);
  const Owned<GstBuffer> input = new_input(kFrame);
  std::vector<GstMemory*> memories;
  std::vector<GstCudaStream*> streams;
  for (int i = 0; i < 3 * count; i++) {
    fail_unless_equals_int(element.push(gst_buffer_ref(input.get())), GST_FLOW_OK);
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr);
    memories.push_back(gst_buffer_peek_memory(out.get(), 0));
    streams.push_back(gst_cuda_memory_get_stream(GST_CUDA_MEMORY_CAST(memories.back())));
    fail_unless(streams.back() != nullptr, "frame %d has no stream", i);
    for (int j = std::max(0, i - count + 1); j < i; j++) {
      fail_unless(memories[i] != memories[j], "frames %d and %d share memory", j, i);
      fail_unless(streams[i] != streams[j], "frames %d and %d share a stream", j, i);
    }
  }
}

/// A frame that downstream has counts, even if a flush ends its work.
DEVICE_TEST(a_flush_after_the_push, std::size(kCounts)) {
  const int count = kCounts[__i__];
  Element element(1, count);
  set_up(element, true);
  const Stream stream = new_stream();
  std::vector<UnfinishedInputs> inputs;
  for (int i = 0; i < count; i++) {
    inputs.emplace_back(stream.get());
    inputs.back().prepare(GstClockTime(i + 1) * kFrame);
  }
  Gate gate(stream.get());
  for (UnfinishedInputs& input : inputs) {
    fail_unless_equals_int(element.push(input.finish_later()), GST_FLOW_OK);
  }
  check::Worker flusher(
      [&] { gst_harness_push_event(element.harness(), gst_event_new_flush_start()); });
  const bool is_waiting = flusher.wait_until_asleep();
  gate.open();
  flusher.join();
  fail_unless(is_waiting, "the flush does not wait for the device");
  check::wait_for_count(element.get(), 1);
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), guint64(1 + count));
}

#if CANNY_CUDA_FAULTS

/// Pushes frames on a device whose call number `call` fails, and then the event `end`, before the
/// device has reached them. Checks that every frame that downstream has is counted, or that an
/// error gives the reason. Returns its text, empty if there was none.
static std::string run_to_late_error(int in_flight, int call, GstEvent* end) {
  constexpr int kFrames = 8;
  Element element(1, in_flight);
  gst_element_set_context(element.get(), check::new_shared_context(check::cuda_context(0)).get());
  check::want_cuda(element, nullptr);
  const Layout layout = layout_of_tests();
  g_setenv("CANNY_CUDA_FAULT", std::to_string(call).c_str(), TRUE);
  element.send_caps(check::new_cuda_caps(*layout.format, layout.width, layout.height));
  g_unsetenv("CANNY_CUDA_FAULT");
  const Stream stream = new_stream();
  std::vector<UnfinishedInputs> inputs;
  for (int i = 0; i < kFrames; i++) {
    inputs.emplace_back(stream.get());
    inputs.back().prepare(GstClockTime(i) * kFrame);
  }
  {
    Gate gate(stream.get());
    bool is_waiting = false;
    check::Worker opener([&, pusher = gettid()] {
      is_waiting = check::wait_until_waiting(pusher);
      // The task's wait begins without calls of the driver, for a millisecond.
      const Owned<GstPad> pad(gst_element_get_static_pad(element.get(), "src"));
      if (const pid_t task = check::task_thread(pad.get()); task != 0)
        check::wait_until_waiting(task, 3 * GST_MSECOND);
      gate.open();
    });
    for (UnfinishedInputs& input : inputs) element.push(input.finish_later());
    gst_harness_push_event(element.harness(), end);
    opener.join();
    fail_unless(is_waiting, "no thread waits for the device");
  }
  guint64 pushed = 0;
  while (const Owned<GstBuffer> out{element.pull()}) pushed++;
  Owned<GstMessage> message(nullptr);
  const bool is_over = check::wait_until([&] {
    message.reset(element.pop(GST_MESSAGE_ERROR));
    return message != nullptr || check::stats_number(element.get(), "frames") == kFrames;
  });
  fail_unless(is_over, "call %d: neither an error nor all frames are counted", call);
  if (message == nullptr) {
    fail_unless_equals_uint64(pushed, kFrames);
    return "";
  }
  const std::string text = check::told_by(gst_message_ref(message.get())).details;
  fail_unless(pushed < kFrames || text.find("frame at 0:00:0") != std::string::npos,
              "call %d: the error does not say of which frame it is: %s", call, text.c_str());
  return text;
}

/// The error of a frame that has been pushed reaches the bus, even if a flush drops the frame. Two
/// calls come that late: they wait for the frame at the gate.
DEVICE_TEST(errors_that_come_late, std::size(kCounts)) {
  for (const bool flushes : {false, true}) {
    int late = 0;
    check::fail_each_call([&](int call) {
      GstEvent* end = flushes ? gst_event_new_flush_start() : gst_event_new_eos();
      const std::string error = run_to_late_error(kCounts[__i__], call, end);
      late += error.find("frame at ") != std::string::npos;
      return !error.empty();
    });
    fail_unless(late >= 2, "only %d late errors", late);
  }
}

#endif

// Memory of other kinds.

static GstMemory* wrapped_memory(const GstVideoInfo* info, GstCudaStream* stream) {
  CUdeviceptr data = 0;
  const gsize pitch = 512;
  gst_cuda_context_push(check::cuda_context(0));
  CuMemAlloc(&data, pitch * gsize(GST_VIDEO_INFO_HEIGHT(info)) * 3);
  gst_cuda_context_pop(nullptr);
  GstVideoInfo placed = *info;
  placed.stride[0] = placed.stride[1] = int(pitch);
  placed.offset[1] = pitch * gsize(GST_VIDEO_INFO_HEIGHT(info));
  placed.size = pitch * gsize(GST_VIDEO_INFO_HEIGHT(info)) * 3;
  auto* owned = new CUdeviceptr(data);
  return gst_cuda_allocator_alloc_wrapped(nullptr, check::cuda_context(0), stream, &placed, data,
                                          owned, [](gpointer pointer) {
                                            auto* mine = static_cast<CUdeviceptr*>(pointer);
                                            CuMemFree(*mine);
                                            delete mine;
                                          });
}

static GstMemory* mapped_memory(const GstVideoInfo* info, GstCudaStream* stream) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  return gst_cuda_allocator_virtual_alloc(nullptr, check::cuda_context(0), stream, info,
                                          &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
}

/// Memory from a pool that allocates in stream order.
static GstMemory* stream_ordered_memory(const GstVideoInfo* info, GstCudaStream* stream) {
#if GST_CHECK_VERSION(1, 26, 0)
  const Owned<GstCaps> caps(gst_video_info_to_caps(info));
  gst_caps_set_features_simple(caps.get(),
                               gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, nullptr));
  const auto configure = [stream](GstStructure* config) {
    gst_buffer_pool_config_set_cuda_stream(config, stream);
    gst_buffer_pool_config_set_cuda_stream_ordered_alloc(config, TRUE);
  };
  const Owned<GstBuffer> buffer(
      check::new_pool_buffer(caps.get(), check::cuda_context(0), configure));
  return gst_buffer_get_memory(buffer.get(), 0);
#else
  return gst_cuda_allocator_alloc(nullptr, check::cuda_context(0), stream, info);
#endif
}

struct Kind {
  const char* name;
  GstMemory* (*allocate)(const GstVideoInfo*, GstCudaStream*);
};

static const Kind kKinds[] = {{"wrapped", wrapped_memory},
                              {"mapped", mapped_memory},
                              {"stream-ordered", stream_ordered_memory}};

/// With its own stream and, if the kind allows that, without one.
DEVICE_TEST(memory_of_other_kinds, std::size(kKinds)) {
  const Kind& kind = kKinds[__i__];
  const Layout layout = layout_of_tests();
  const GstVideoInfo info = check::info_of(layout);
  const Stream stream = new_stream();
  Element element(1, 3);
  set_up(element, true);
  for (int i = 0; i < 6; i++) {
    const bool with_stream = i % 2 == 0 || kind.allocate == stream_ordered_memory;
    Owned<GstBuffer> input =
        new_buffer_of(kind.allocate(&info, with_stream ? stream.get() : nullptr), layout);
    const GstClockTime time = GstClockTime(i) * kFrame;
    check::fill_cuda_buffer(input.get(), new_picture(time).get(), layout);
    GST_BUFFER_PTS(input.get()) = time;
    fail_unless_equals_int(element.push(input.release()), GST_FLOW_OK);
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr);
    judge(out.get(), time, kind.name);
  }
}

/// Tests all pairs of events with frames that are pushed unfinished.
DEVICE_TEST(two_things_at_a_time_on_the_device, std::size(kCounts)) {
  Element element(1, kCounts[__i__]);
  gst_element_set_context(element.get(), check::new_shared_context(check::cuda_context(0)).get());
  check::want_cuda(element, nullptr);
  const Stream stream = new_stream();
  std::vector<Owned<GstBuffer>> race_buffers;  // one for each time in a race
  for (int i = 0; i < 4; i++) {
    const GstClockTime time = GstClockTime(i) * kFrame;
    race_buffers.push_back(new_buffer(layout_of_tests(), stream.get()));
    check::fill_cuda_buffer(race_buffers.back().get(), new_picture(time).get(), layout_of_tests());
    GST_BUFFER_PTS(race_buffers.back().get()) = time;
  }
  const check::RaceStream race = {
      [](int which) {
        const Layout layout = layout_of_tests();
        return check::new_cuda_caps(*layout.format, layout.width / (1 + which),
                                    layout.height / (1 + which));
      },
      [&](GstClockTime time) { return gst_buffer_copy(race_buffers.at(time / kFrame).get()); },
      [](Element& judged, int frames) {
        for (int i = 0; i < frames; i++) {
          const Owned<GstBuffer> out(judged.wait());
          fail_unless(out != nullptr, "no frame");
          judge(out.get(), GstClockTime(i) * kFrame, "a frame after a race");
        }
      },
      2};  // a start takes the device some 10 ms
  check::race_all_pairs(element, race);
}
