// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the element's CUDA context, and buffers in another context or in none.
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudamemory.h>

#include <cstring>
#include <string>

#include "cudapictures.h"

using check::cuda_context;
using check::Element;
using check::Layout;
using check::Owned;
using check::Pictures;
using check::told_context;

static check::Suite suite("cudacontext");

static const int kInFlight[] = {1, 3};
static constexpr int kCounts = G_N_ELEMENTS(kInFlight);

static Layout layout_of_tests() { return check::plain_layout(check::kNv12, 61, 43); }

static void give(const Element& element, GstCudaContext* context) {
  gst_element_set_context(element.get(), check::new_shared_context(context).get());
}

/// The context that an element posts as its own, null if it posts none.
static GstCudaContext* posted_context(Element& element) {
  const Owned<GstMessage> message(element.pop(GST_MESSAGE_HAVE_CONTEXT));
  if (message == nullptr) return nullptr;
  GstContext* shared = nullptr;
  gst_message_parse_have_context(message.get(), &shared);
  const Owned<GstContext> owned(shared);
  return check::context_in(shared);
}

/// Whether the element asks the application for a CUDA context.
static bool asks(Element& element) {
  const Owned<GstMessage> message(element.pop(GST_MESSAGE_NEED_CONTEXT));
  if (message == nullptr) return false;
  const gchar* type = nullptr;
  fail_unless(gst_message_parse_context_type(message.get(), &type));
  fail_unless_equals_string(type, GST_CUDA_CONTEXT_TYPE);
  return true;
}

/// The element neither asks for a context nor posts one.
static void check_silence(Element& element) {
  const Owned<GstMessage> message(
      element.pop(GstMessageType(GST_MESSAGE_NEED_CONTEXT | GST_MESSAGE_HAVE_CONTEXT)));
  fail_unless(message == nullptr, "the element posts %s", GST_MESSAGE_TYPE_NAME(message.get()));
}

static void check_told(const Element& element, GstCudaContext* context) {
  for (const char* pad : {"sink", "src"}) {
    GstCudaContext* told = told_context(element.get(), pad);
    fail_unless(told == context, "the %s pad returns %s", pad,
                told == nullptr ? "no context" : "another context");
  }
}

/// Frames pass from and to CUDA memory, all in this context.
static void check_frames(Element& element, GstCudaContext* context) {
  Pictures pictures(element);
  check::want_cuda(element, nullptr);
  pictures.set_layout(layout_of_tests(), true);
  check_told(element, context);
  pictures.push(4, context);
  pictures.check(4, context);
  check_told(element, context);
}

DEVICE_TEST(context_that_is_given, kCounts) {
  for (int i = 0; i < check::kCudaContexts; i++) {
    Element element(1, kInFlight[__i__]);
    check_told(element, nullptr);
    give(element, cuda_context(i));
    check_frames(element, cuda_context(i));
    check_silence(element);
  }
}

static GstBusSyncReply answer_message(GstBus*, GstMessage* message, gpointer context) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_NEED_CONTEXT) {
    gst_element_set_context(GST_ELEMENT(GST_MESSAGE_SRC(message)),
                            check::new_shared_context(static_cast<GstCudaContext*>(context)).get());
  }
  return GST_BUS_PASS;
}

DEVICE_TEST(context_that_is_asked_for, kCounts) {
  Element element(1, kInFlight[__i__]);
  GstBus* bus = gst_element_get_bus(element.get());
  gst_bus_set_sync_handler(bus, answer_message, cuda_context(1), nullptr);
  gst_object_unref(bus);
  check_frames(element, cuda_context(1));
  fail_unless(asks(element), "the element asks for no context");
  fail_unless(posted_context(element) == nullptr, "the element posts a context");
}

/// Downstream or upstream has one.
DEVICE_TEST(context_of_a_neighbor, 2 * kCounts) {
  Element element(1, kInFlight[__i__ / 2]);
  GstPad* pad = __i__ % 2 ? element.harness()->srcpad : element.harness()->sinkpad;
  check::on_query(pad, GST_QUERY_CONTEXT, [](GstQuery* query) {
    gst_query_set_context(query, check::new_shared_context(cuda_context(1)).get());
    return GST_PAD_PROBE_HANDLED;
  });
  check_frames(element, cuda_context(1));
  check_silence(element);
}

/// Nobody has one: the element makes its own and announces it. It goes with the stream.
DEVICE_TEST(context_of_its_own, kCounts) {
  Element element(1, kInFlight[__i__]);
  check::want_cuda(element, nullptr);
  Pictures pictures(element);
  pictures.set_layout(layout_of_tests(), false);
  GstCudaContext* own = told_context(element.get(), "src");
  fail_unless(own != nullptr, "the element returns no context");
  check_told(element, own);
  fail_unless(asks(element), "the element asks for no context");
  fail_unless(posted_context(element) == own, "the element posts no context, or another one");
  pictures.push(4, nullptr);
  pictures.check(4, own);
  gst_element_set_state(element.get(), GST_STATE_READY);
  check_told(element, nullptr);
}

DEVICE_TEST(no_context_for_system_memory, kCounts) {
  Element element(1, kInFlight[__i__]);
  Pictures pictures(element);
  pictures.set_layout(layout_of_tests(), false);
  pictures.push(4, nullptr);
  pictures.check(4, nullptr);
  check_told(element, nullptr);
  check_silence(element);
}

/// Checks two elements in a row: they have the same context, and the edges are exact.
static std::string row_difference(int in_flight) {
  const std::string count = " frames-in-flight=" + std::to_string(in_flight);
  check::Pipeline pipeline(
      "videotestsrc num-buffers=20 pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
      "video/x-raw,format=NV12,width=62,height=44,framerate=30/1 ! cudacanny name=first "
      "backend=cuda" +
      count + " ! video/x-raw(memory:CUDAMemory) ! cudacanny name=second backend=cuda sigma=0" +
      count + " ! video/x-raw(memory:CUDAMemory) ! fakesink sync=false");
  const check::Watch first(pipeline["first"]);
  const check::Watch second(pipeline["second"]);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  std::string problem = pipeline.wait_for_end();
  GstCudaContext* context = told_context(pipeline["first"], "src");
  if (problem.empty() && (context == nullptr || told_context(pipeline["second"], "src") != context))
    problem = "two contexts, or none";
  if (problem.empty() && second.frames() != 20)
    problem = std::to_string(second.frames()) + " frames";
  if (problem.empty()) problem = first.difference();
  canny::Params params;
  params.sigma = 0;
  return problem.empty() ? second.difference(params) : problem;
}

/// They ask each other for a context.
DEVICE_TEST(two_in_a_row, kCounts) {
  for (int i = 0; i < 10; i++) {
    const std::string differs = row_difference(kInFlight[__i__]);
    fail_unless(differs.empty(), "%s", differs.c_str());
  }
}

// Input that moves to another context.

/// A stream in which the context changes.
struct Move {
  int in_flight;
  bool to_cuda;
  int device_id;  ///< property "cuda-device-id"
  bool given;     ///< the first context is the application's, else the element makes its own
};

static Move move_of(int loop) {
  return {kInFlight[loop & 1], (loop & 2) != 0, (loop & 4) != 0 ? 0 : -1, (loop & 8) != 0};
}

static std::string name_of(const Move& move) {
  return std::string(move.given ? "given" : "own") + " context, " +
         (move.to_cuda ? "CUDA" : "system") + " output, device id " +
         std::to_string(move.device_id) + ", " + std::to_string(move.in_flight) + " in flight";
}

static constexpr int kMoves = 8 * kCounts;

static void start(Element& element, const Move& move) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  g_object_set(element.get(), "cuda-device-id", move.device_id, nullptr);
  fail_unless_equals_int(gst_element_set_state(element.get(), GST_STATE_PLAYING),
                         GST_STATE_CHANGE_SUCCESS);
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("moves"));
  if (move.given) give(element, cuda_context(0));
  if (move.to_cuda) {
    check::want_cuda(element, nullptr);
  } else {
    gst_harness_set_sink_caps_str(element.harness(), "video/x-raw");
  }
}

/// The output follows the input. Frames are in flight when it moves.
DEVICE_TEST(input_of_another_context, kMoves) {
  static const int kContexts[] = {0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1};
  const Move move = move_of(__i__);
  Element element(1, move.in_flight);
  start(element, move);
  Pictures pictures(element, name_of(move));
  pictures.set_layout(layout_of_tests(), true);
  for (const int context : kContexts) {
    pictures.push(cuda_context(context));
    check_told(element, cuda_context(context));
  }
  for (const int context : kContexts) {
    pictures.check(move.to_cuda ? cuda_context(context) : nullptr);
  }
  check::wait_for_count(element.get(), G_N_ELEMENTS(kContexts));
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), G_N_ELEMENTS(kContexts));
  fail_unless_equals_uint64(check::stats_number(element.get(), "uploads"), 0);
  const Owned<GstMessage> message(
      element.pop(GstMessageType(GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)));
  fail_unless(message == nullptr, "the element posts %s", GST_MESSAGE_TYPE_NAME(message.get()));
}

/// A new size right after a move, and a move right after a new size.
DEVICE_TEST(moves_among_sizes, kMoves) {
  const Move move = move_of(__i__);
  Element element(1, move.in_flight);
  start(element, move);
  Pictures pictures(element, name_of(move));
  for (int i = 0; i < 6; i++) {
    pictures.set_layout(check::plain_layout(check::kNv12, 61 + 20 * (i % 3), 43), true);
    pictures.push(2, cuda_context(i % 2));
    pictures.push(1, cuda_context(1 - i % 2));
  }
  for (int i = 0; i < 6; i++) {
    pictures.check(2, move.to_cuda ? cuda_context(i % 2) : nullptr);
    pictures.check(1, move.to_cuda ? cuda_context(1 - i % 2) : nullptr);
  }
}

/// The error's debug details, empty if there is none.
static std::string error_of(Element& element) {
  return check::told_by(element.pop(GST_MESSAGE_ERROR)).details;
}

#if CANNY_CUDA_FAULTS

/// Moves while call number `call` on the new context finds no memory. Returns the error of that
/// frame, empty if it came out. After an error, the next frame comes out.
static std::string error_of_move(int call) {
  const Layout layout = layout_of_tests();
  Element element(1, 1);
  give(element, cuda_context(0));
  check::want_cuda(element, nullptr);
  Pictures pictures(element);
  pictures.set_layout(layout, true);
  pictures.push(1, cuda_context(0));
  pictures.check(1, cuda_context(0));
  GstBuffer* moved = check::new_cuda_buffer(layout, cuda_context(1));
  const Owned<GstBuffer> picture(check::new_picture(layout, 1));
  check::fill_cuda_buffer(moved, picture.get(), layout);
  g_setenv("CANNY_CUDA_FAULT", (std::to_string(call) + ":memory").c_str(), TRUE);
  const GstFlowReturn flow = element.push(moved);
  g_unsetenv("CANNY_CUDA_FAULT");
  const std::string error = error_of(element);
  fail_unless(error.empty() == (flow == GST_FLOW_OK), "call %d: %s, and the error is '%s'", call,
              gst_flow_get_name(flow), error.c_str());
  fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "call %d: two errors", call);
  const Owned<GstBuffer> output(element.pull());
  fail_unless((output != nullptr) == error.empty(), "call %d: output in spite of '%s', or none",
              call, error.c_str());
  if (error.empty()) return "";  // the call may be one of the next frame
  pictures.push(1, cuda_context(1));
  pictures.check(1, cuda_context(1));
  return error;
}

/// Until there is memory, frames fail with an error that says so.
DEVICE_TEST(a_move_without_memory, 1) {
  const int failed = check::fail_each_call([](int call) {
    const std::string error = error_of_move(call);
    fail_unless(error.find("create()") == std::string::npos, "call %d: %s", call, error.c_str());
    return !error.empty();
  });
  fail_unless(failed > 4, "only %d failures", failed);
}

#endif

// Buffers that contradict the caps.

/// The push of such a frame fails. The frames before it come out.
DEVICE_TEST(system_memory_under_cuda_caps, kCounts) {
  const Layout layout = layout_of_tests();
  for (const bool to_cuda : {true, false}) {
    Element element(1, kInFlight[__i__]);
    give(element, cuda_context(0));
    if (to_cuda) check::want_cuda(element, nullptr);
    if (!to_cuda) gst_harness_set_sink_caps_str(element.harness(), "video/x-raw");
    Pictures pictures(element);
    pictures.set_layout(layout, true);
    pictures.push(2, cuda_context(0));
    GstBuffer* picture = check::new_picture(layout, 1);
    GST_BUFFER_PTS(picture) = 2 * GST_SECOND / 30;
    if (to_cuda)  // of two memories
      picture = gst_buffer_append(picture, check::new_picture(layout, 1));
    fail_unless_equals_int(element.push(picture), GST_FLOW_ERROR);
    const std::string error = error_of(element);
    fail_unless(std::strstr(error.c_str(), "not in CUDA memory") != nullptr, "the error is '%s'",
                error.c_str());
    fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "two errors");
    pictures.check(2, to_cuda ? cuda_context(0) : nullptr);
    fail_unless(element.pull() == nullptr, "the broken frame came out");
  }
}

/// Downstream's offers for frames in CUDA memory.
enum Offer { kSameContext, kOtherContext, kSystemMemory, kTooFewRows, kOffers };

static GstBufferPool* new_offer(Offer offer) {
  if (offer == kSystemMemory) return gst_video_buffer_pool_new();
  return gst_cuda_buffer_pool_new(cuda_context(offer == kOtherContext ? 1 : 0));
}

/// GStreamer's own pools omit the last row of NV21's chroma if the height is odd, from 1.24 on.
static bool is_used(Offer offer) {
  return offer == kSameContext || (offer == kTooFewRows && !GST_CHECK_VERSION(1, 24, 0));
}

/// The element uses the pool if its buffers are suitable, otherwise it makes its own.
DEVICE_TEST(pool_from_downstream, std::size(kInFlight) * kOffers) {
  const auto offer = Offer(__i__ % kOffers);
  GstBufferPool* pool = new_offer(offer);
  {
    Element element(1, kInFlight[__i__ / kOffers]);
    give(element, cuda_context(0));
    check::want_cuda(element, nullptr);
    check::on_query(element.harness()->sinkpad, GST_QUERY_ALLOCATION, [pool](GstQuery* query) {
      gst_query_add_allocation_pool(query, pool, 1, 0, 0);
      gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
      return GST_PAD_PROBE_HANDLED;
    });
    const Layout layout = offer == kTooFewRows
                              ? check::plain_layout(check::find_format("NV21"), 321, 243)
                              : layout_of_tests();
    Pictures pictures(element);
    pictures.set_layout(layout, true);
    pictures.push(4, cuda_context(0));
    for (int i = 0; i < 4; i++) {
      const Owned<GstBuffer> out = pictures.check(cuda_context(0));
      fail_unless((out->pool == pool) == is_used(offer), "offer %d: downstream's pool %s", offer,
                  out->pool == pool ? "is used" : "is not used");
      auto* memory = GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(out.get(), 0));
      fail_unless_equals_int(GST_VIDEO_INFO_HEIGHT(&memory->info), layout.height);
    }
  }
  gst_object_unref(pool);
}

/// The pool that the element offers upstream (transfer full).
static GstBufferPool* offered_pool(const Element& element, GstCaps* caps) {
  const Owned<GstQuery> query(gst_query_new_allocation(caps, TRUE));
  fail_unless(gst_pad_peer_query(element.harness()->srcpad, query.get()), "no answer");
  fail_unless(gst_query_find_allocation_meta(query.get(), GST_VIDEO_META_API_TYPE, nullptr),
              "no GstVideoMeta");
  fail_unless(gst_query_get_n_allocation_pools(query.get()) > 0, "no pool");
  GstBufferPool* pool = nullptr;
  guint size = 0;
  guint max = 0;
  gst_query_parse_nth_allocation_pool(query.get(), 0, &pool, &size, nullptr, &max);
  fail_unless(GST_IS_CUDA_BUFFER_POOL(pool), "the pool is of another kind");
  fail_unless(GST_CUDA_BUFFER_POOL(pool)->context == cuda_context(0), "the pool's context");
  fail_unless_equals_int(max, 0);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  fail_unless(size >= info.size, "the size is %u", size);
  return pool;
}

/// An upstream element that uses the pool fills its buffers, at any size.
DEVICE_TEST(pool_for_upstream, kCounts) {
  for (const int height : {1, 43, 48}) {
    const Layout layout = check::plain_layout(check::kNv12, 61, height);
    Element element(1, kInFlight[__i__]);
    give(element, cuda_context(0));
    check::want_cuda(element, nullptr);
    Pictures pictures(element);
    pictures.set_layout(layout, true);
    const Owned<GstCaps> caps(check::new_cuda_caps(check::kNv12, 61, height));
    GstBufferPool* pool = offered_pool(element, caps.get());
    fail_unless(gst_buffer_pool_set_active(pool, TRUE), "the pool does not start");
    for (int i = 0; i < 6; i++) {
      GstBuffer* buffer = nullptr;
      fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
      fail_unless(check::context_of(buffer) == cuda_context(0), "a buffer of another context");
      fail_unless(gst_buffer_get_video_meta(buffer) != nullptr, "a buffer without GstVideoMeta");
      pictures.push_in(buffer);
    }
    pictures.check(6, cuda_context(0));
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
  }
}
