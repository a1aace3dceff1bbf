// SPDX-License-Identifier: LGPL-2.1-or-later
/// Keeps frames in flight between GstBaseTransform, which receives them, and a task on the source
/// pad, which pushes them.
#include "gstcudacannyasynctransform.h"

#include <atomic>
#include <new>
#include <utility>

#include "debug.h"

namespace {

/// GST_FLOW_ERROR whose message the element has posted already.
constexpr GstFlowReturn kPostedError = GST_FLOW_CUSTOM_ERROR_2;

}  // namespace

struct GstCudaCannyAsyncTransformPrivate {
  GstPadActivateModeFunction activate_src;  // the base class's
  GstPadEventFunction sink_event;           // likewise
  GstCudaCannyFrameQueue queue;
  std::atomic<GstCudaCannyExit> exit{GstCudaCannyExit::kAlone};  // written by the streaming thread;
                                                                 // any thread may start the task
  // For the streaming thread.
  guint n_set_caps = 0;
  bool is_configured = true;  // whether configure() succeeded for the caps, or there are none
  bool has_dropped = false;   // QoS dropped a frame since the last output

  std::atomic<GstClockTime> latency{0};  // that the element adds to upstream's
  std::atomic<guint64> pushed{0};        // frames since the last start or flush, by the task
};

G_DEFINE_ABSTRACT_TYPE_WITH_CODE(GstCudaCannyAsyncTransform, gst_cuda_canny_async_transform,
                                 GST_TYPE_BASE_TRANSFORM, G_ADD_PRIVATE(GstCudaCannyAsyncTransform))

namespace {

GstCudaCannyAsyncTransformPrivate* get_private(GstCudaCannyAsyncTransform* self) {
  return static_cast<GstCudaCannyAsyncTransformPrivate*>(
      gst_cuda_canny_async_transform_get_instance_private(self));
}

GstBaseTransformClass* base_class() {
  return GST_BASE_TRANSFORM_CLASS(gst_cuda_canny_async_transform_parent_class);
}

/// The sum of two valid times, or the longest valid time if that is shorter.
GstClockTime add_times(GstClockTime a, GstClockTime b) {
  constexpr GstClockTime kLongest = GST_CLOCK_TIME_NONE - 1;
  return MIN(a, kLongest - b) + b;
}

// ---- the task ----

/// Pushes a finished frame (transfer full), unless it has been pushed before. If a flush has begun
/// since, the pad refuses it.
GstFlowReturn push(GstCudaCannyAsyncTransform* self, GstBuffer* output) {
  if (output == nullptr) return GST_FLOW_OK;
  get_private(self)->pushed++;
  return gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(self), output);
}

void start_task(GstCudaCannyAsyncTransform* self);

/// Waits for the oldest frame in flight, and pushes it unless it has been pushed before.
void run_task(gpointer data) noexcept {
  auto* self = static_cast<GstCudaCannyAsyncTransform*>(data);
  GstCudaCannyFrameQueue& queue = get_private(self)->queue;
  const GstCudaCannyAsyncTransformClass* klass = GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self);
  const GstCudaCannyQueuedFrame* oldest = queue.front();
  if (oldest == nullptr) {
    gst_pad_pause_task(GST_BASE_TRANSFORM_SRC_PAD(self));
    start_task(self);  // repeats a start that came before the pause and was lost
    return;
  }
  klass->wait(self, oldest->work.get());
  GstCudaCannyQueuedFrame frame = queue.pop();
  const bool done = klass->report(self, frame.work.get(), frame.input, frame.output);
  queue.give_spare(std::move(frame.work));
  gst_buffer_unref(frame.input);
  if (!done) gst_clear_buffer(&frame.output);
  queue.end_push(done ? push(self, frame.output) : kPostedError);
}

void start_task(GstCudaCannyAsyncTransform* self) {
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  if (priv->exit == GstCudaCannyExit::kAlone || !priv->queue.may_run()) return;
  gst_pad_start_task(GST_BASE_TRANSFORM_SRC_PAD(self), run_task, self, nullptr);
}

/// Takes all frames out of flight. A frame that downstream has already is counted, or its error
/// posted, like any other.
void drop_frames(GstCudaCannyAsyncTransform* self) {
  const GstCudaCannyAsyncTransformClass* klass = GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self);
  const auto finish = [&](const GstCudaCannyQueuedFrame& frame) {
    if (frame.output == nullptr) {
      klass->wait(self, frame.work.get());
    } else {
      klass->discard(self, frame.work.get());
    }
  };
  for (GstCudaCannyQueuedFrame& frame : get_private(self)->queue.drop_all(finish)) {
    if (frame.output == nullptr) klass->report(self, frame.work.get(), frame.input, nullptr);
    get_private(self)->queue.give_spare(std::move(frame.work));
    gst_buffer_unref(frame.input);
    gst_clear_buffer(&frame.output);
  }
}

/// Stops the task before the pad is deactivated, and starts it again with the pad.
gboolean activate_src(GstPad* pad, GstObject* parent, GstPadMode mode, gboolean active) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(parent);
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  if (mode == GST_PAD_MODE_PUSH) {
    priv->queue.set_active(active);
    if (!active) gst_pad_stop_task(pad);
    // The streaming thread may be waiting for a pool whose buffers are all in flight.
    drop_frames(self);
    if (active) start_task(self);
  }
  return priv->activate_src(pad, parent, mode, active);
}

// ---- start and stop ----

/// Locks the stream, because the sink pad accepts buffers already.
gboolean start(GstBaseTransform* trans) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  const GstCudaCannyAsyncTransformClass* klass = GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self);
  [[maybe_unused]] g_autoptr(GRecMutexLocker) lock =
      g_rec_mutex_locker_new(GST_PAD_GET_STREAM_LOCK(trans->sinkpad));
  if (!klass->start_work(self)) return FALSE;
  priv->has_dropped = false;
  priv->exit = GstCudaCannyExit::kAlone;
  priv->is_configured = true;
  klass->take_caps(self, nullptr, nullptr);
  priv->pushed = 0;
  priv->latency = 0;
  priv->queue.open();
  return TRUE;
}

/// Locks the stream, because the inactive sink pad still receives allocation queries, for which the
/// base class negotiates.
gboolean stop(GstBaseTransform* trans) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  GstCudaCannyFrameQueue& queue = get_private(self)->queue;
  queue.close();
  gst_pad_stop_task(trans->srcpad);
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  gst_pad_stop_task(trans->srcpad);  // a query may have started it again
  drop_frames(self);
  queue.set_count(1);
  GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self)->stop_work(self);
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
  return TRUE;
}

// ---- caps and allocation ----

/// Prepares for frames of the caps. No frame is in flight.
bool configure(GstCudaCannyAsyncTransform* self) {
  bool& is_configured = get_private(self)->is_configured;
  is_configured = GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self)->configure(self);
  return is_configured;
}

gboolean set_caps(GstBaseTransform* trans, GstCaps* incaps, GstCaps* outcaps) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  if (!priv->queue.drain()) return FALSE;
  priv->n_set_caps++;
  return GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self)->take_caps(self, incaps, outcaps) &&
         configure(self);
}

/// Returns to the caps of the pads. Call where the base class fails after set_caps(), with the
/// number of set_caps() before. It does not call set_caps() for caps that the pads have: old ones
/// that come again, or new ones that the source pad has kept but could not push in a flush.
void restore_caps(GstCudaCannyAsyncTransform* self, guint n_set_caps) {
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  if (priv->n_set_caps == n_set_caps) return;
  g_autoptr(GstCaps) in = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  g_autoptr(GstCaps) out = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SRC_PAD(self));
  const bool is_taken = GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self)->take_caps(self, in, out);
  priv->is_configured = in == nullptr || out == nullptr;
  if (is_taken && !priv->is_configured && priv->queue.drain()) configure(self);
}

/// Configures before a frame if that failed for caps that came back, or the subclass asks for it.
GstFlowReturn configure_if_needed(GstCudaCannyAsyncTransform* self) {
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  if (priv->is_configured) return GST_FLOW_OK;
  if (!priv->queue.drain()) return GST_FLOW_FLUSHING;
  return configure(self) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

gboolean decide_allocation(GstBaseTransform* trans, GstQuery* query) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  // Forgets what the previous link returned.
  get_private(self)->queue.drain();
  get_private(self)->queue.take_flow();
  GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self)->choose_pool(self, query);
  return base_class()->decide_allocation(trans, query);
}

// ---- queries, events, messages ----

/// Adds the element's latency to upstream's answer.
void add_latency(GstCudaCannyAsyncTransform* self, GstQuery* query) {
  gboolean live = FALSE;
  GstClockTime min = 0;
  GstClockTime max = 0;
  gst_query_parse_latency(query, &live, &min, &max);
  const GstClockTime own = get_private(self)->latency;
  GST_DEBUG_OBJECT(self, "own latency %" GST_TIME_FORMAT, GST_TIME_ARGS(own));
  if (max != GST_CLOCK_TIME_NONE) max = add_times(max, own);
  gst_query_set_latency(query, live, add_times(min, own), max);
}

/// Sets the position to that of the last frame put in flight. The base class's answer is that of
/// the last frame that it pushed itself, even if that was before the task began to push.
void set_position(GstCudaCannyAsyncTransform* self, GstQuery* query) {
  const GstSegment& segment = GST_BASE_TRANSFORM(self)->segment;
  GstFormat format;
  gst_query_parse_position(query, &format, nullptr);
  if (format != GST_FORMAT_TIME || segment.format != GST_FORMAT_TIME) return;
  const guint64 position = gst_segment_to_stream_time(&segment, format, segment.position);
  gst_query_set_position(query, format, gint64(position));
}

gboolean answer_query(GstBaseTransform* trans, GstPadDirection direction,
                      GstQuery* query) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  if (direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED(query)) {
    get_private(self)->queue.drain();
  }
  const gboolean answered = base_class()->query(trans, direction, query);
  if (!answered || direction != GST_PAD_SRC) return answered;
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) add_latency(self, query);
  if (GST_QUERY_TYPE(query) == GST_QUERY_POSITION &&
      get_private(self)->exit == GstCudaCannyExit::kDone)
    set_position(self, query);
  return answered;
}

/// Unblocks downstream, and drops the frames in flight. Does not wait for downstream.
gboolean start_flush(GstCudaCannyAsyncTransform* self, GstEvent* event) {
  const gboolean handled = base_class()->sink_event(GST_BASE_TRANSFORM(self), event);
  get_private(self)->queue.set_flushing(true);
  drop_frames(self);
  return handled;
}

/// Drops the frames put in flight while the flush began, and ends the flush.
gboolean stop_flush(GstCudaCannyAsyncTransform* self, GstEvent* event) {
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  priv->queue.set_flushing(true);
  drop_frames(self);
  priv->queue.wait_for_push();
  priv->has_dropped = false;
  priv->pushed = 0;
  const gboolean handled = base_class()->sink_event(GST_BASE_TRANSFORM(self), event);
  priv->queue.set_flushing(false);
  return handled;
}

/// Posts an error at EOS if downstream has failed and upstream has not learned of it.
void report_flow(GstCudaCannyAsyncTransform* self) {
  const GstFlowReturn flow = get_private(self)->queue.take_flow();
  if (flow == GST_FLOW_NOT_LINKED || flow == GST_FLOW_NOT_NEGOTIATED || flow == GST_FLOW_ERROR) {
    GST_ELEMENT_FLOW_ERROR(self, flow);
  }
}

gboolean receive_caps(GstCudaCannyAsyncTransform* self, GstEvent* event) {
  const guint n_set_caps = get_private(self)->n_set_caps;
  const gboolean handled = base_class()->sink_event(GST_BASE_TRANSFORM(self), event);
  if (!handled) restore_caps(self, n_set_caps);
  return handled;
}

/// Serialized events wait for the frames in flight; a flush drops these frames.
gboolean receive_event(GstBaseTransform* trans, GstEvent* event) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  GstCudaCannyFrameQueue& queue = get_private(self)->queue;
  const GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_FLUSH_START) return start_flush(self, event);
  if (type == GST_EVENT_FLUSH_STOP) return stop_flush(self, event);
  if (GST_EVENT_IS_SERIALIZED(event)) queue.drain();
  if (type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT) queue.take_flow();
  if (type == GST_EVENT_EOS) report_flow(self);
  if (type == GST_EVENT_CAPS) return receive_caps(self, event);
  return base_class()->sink_event(trans, event);
}

/// Refuses events without an error as long as the source pad is deactivated, which takes as long as
/// the task's last frame.
GstFlowReturn receive_at_pad(GstPad* pad, GstObject* parent, GstEvent* event) noexcept {
  const bool is_caps = GST_EVENT_TYPE(event) == GST_EVENT_CAPS;
  if (get_private(GST_CUDA_CANNY_ASYNC_TRANSFORM(parent))->sink_event(pad, parent, event))
    return GST_FLOW_OK;
  GstPad* src = GST_BASE_TRANSFORM_SRC_PAD(parent);
  GST_OBJECT_LOCK(src);
  const bool is_flushing = GST_PAD_IS_FLUSHING(src);
  GST_OBJECT_UNLOCK(src);
  if (is_flushing) return GST_FLOW_FLUSHING;
  return is_caps ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR;
}

/// Adds the frames that the task pushes, which the base class does not see, to QoS messages.
gboolean post_message(GstElement* element, GstMessage* message) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(element);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_QOS) {
    GstFormat format;
    guint64 processed, dropped;
    gst_message_parse_qos_stats(message, &format, &processed, &dropped);
    processed += get_private(self)->pushed;
    gst_message_set_qos_stats(message, format, processed, dropped);
  }
  return GST_ELEMENT_CLASS(gst_cuda_canny_async_transform_parent_class)
      ->post_message(element, message);
}

// ---- frames ----

/// Notes dropped frames, which mark the next one. After a new link the base class sends the events
/// that downstream has not seen and an allocation query, during which the task must not push.
GstFlowReturn submit_input_buffer(GstBaseTransform* trans, gboolean is_discont,
                                  GstBuffer* input) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  if (gst_pad_needs_reconfigure(trans->srcpad)) priv->queue.drain();
  if (const GstFlowReturn flow = configure_if_needed(self); flow != GST_FLOW_OK) {
    gst_buffer_unref(input);
    return flow;
  }
  const guint n_set_caps = priv->n_set_caps;
  const GstFlowReturn flow = base_class()->submit_input_buffer(trans, is_discont, input);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) {
    priv->has_dropped = true;
  } else if (flow != GST_FLOW_OK) {
    restore_caps(self, n_set_caps);
  }
  return flow;
}

std::unique_ptr<GstCudaCannyWork> take_work(GstCudaCannyAsyncTransform* self) {
  std::unique_ptr<GstCudaCannyWork> work = get_private(self)->queue.take_spare();
  return work != nullptr ? std::move(work)
                         : GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self)->new_work();
}

/// Begins and finishes a frame.
GstFlowReturn transform(GstBaseTransform* trans, GstBuffer* input, GstBuffer* output) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  const GstCudaCannyAsyncTransformClass* klass = GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self);
  std::unique_ptr<GstCudaCannyWork> work = take_work(self);
  bool is_done = klass->begin(self, work.get(), input, output);
  if (is_done) {
    klass->wait(self, work.get());
    is_done = klass->report(self, work.get(), input, output);
  }
  get_private(self)->queue.give_spare(std::move(work));
  return is_done ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/// Updates the output's flags and the segment's position, as the base class does for frames that it
/// pushes.
void mark_output(GstCudaCannyAsyncTransform* self, GstBuffer* output) {
  GstSegment* segment = &GST_BASE_TRANSFORM(self)->segment;
  if (std::exchange(get_private(self)->has_dropped, false)) {
    GST_BUFFER_FLAG_SET(output, GST_BUFFER_FLAG_DISCONT);
  }
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID(output)) {
    segment->position = GST_BUFFER_PTS(output);
    if (GST_BUFFER_DURATION_IS_VALID(output)) {
      segment->position = add_times(segment->position, GST_BUFFER_DURATION(output));
    }
  }
}

GstFlowReturn without_posted(GstFlowReturn flow) {
  return flow == kPostedError ? GST_FLOW_ERROR : flow;
}

/// Waits for the frame put in flight last, whose memory can't tell downstream when it is done.
GstFlowReturn wait_for_last(GstCudaCannyAsyncTransform* self) {
  GstCudaCannyFrameQueue& queue = get_private(self)->queue;
  return queue.drain() ? without_posted(queue.take_flow()) : GST_FLOW_FLUSHING;
}

/// Hands the frame to the task, and its output to the base class. The output is unfinished unless
/// its memory can't tell when it is done.
GstFlowReturn push_unfinished(GstCudaCannyAsyncTransform* self, GstCudaCannyQueuedFrame frame,
                              GstBuffer** output) {
  *output = std::exchange(frame.output, nullptr);
  const bool is_ordered = GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self)->release_output(
      self, frame.work.get(), *output);
  get_private(self)->queue.commit(std::move(frame));
  const GstFlowReturn flow = is_ordered ? GST_FLOW_OK : wait_for_last(self);
  if (flow != GST_FLOW_OK) gst_clear_buffer(output);
  return flow;
}

/// Puts a frame of both buffers (transfer full) in flight. If the base class is to push the output,
/// sets `*output` to it.
GstFlowReturn launch(GstCudaCannyAsyncTransform* self, GstBuffer* input, GstBuffer* prepared,
                     GstBuffer** output) {
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  GstCudaCannyQueuedFrame frame = {input, prepared, take_work(self)};
  const GstCudaCannyAsyncTransformClass* klass = GST_CUDA_CANNY_ASYNC_TRANSFORM_GET_CLASS(self);
  if (!klass->begin(self, frame.work.get(), input, prepared)) {
    priv->queue.give_spare(std::move(frame.work));
    gst_buffer_unref(input);
    gst_buffer_unref(prepared);
    return GST_FLOW_ERROR;
  }
  if (priv->exit == GstCudaCannyExit::kUnfinished)
    return push_unfinished(self, std::move(frame), output);
  mark_output(self, prepared);
  priv->queue.commit(std::move(frame));
  return GST_FLOW_OK;
}

GstFlowReturn generate_output(GstBaseTransform* trans, GstBuffer** output) noexcept {
  GstCudaCannyAsyncTransform* self = GST_CUDA_CANNY_ASYNC_TRANSFORM(trans);
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  if (priv->exit == GstCudaCannyExit::kAlone) return base_class()->generate_output(trans, output);
  GstBuffer* input = std::exchange(trans->queued_buf, nullptr);
  if (input == nullptr) return GST_FLOW_OK;
  GstFlowReturn flow = without_posted(priv->queue.reserve());
  GstBuffer* prepared = nullptr;
  if (flow == GST_FLOW_OK) flow = base_class()->prepare_output_buffer(trans, input, &prepared);
  if (flow == GST_FLOW_OK && prepared != nullptr) return launch(self, input, prepared, output);
  gst_buffer_unref(input);
  return flow;
}

}  // namespace

static void gst_cuda_canny_async_transform_finalize(GObject* object) noexcept {
  get_private(GST_CUDA_CANNY_ASYNC_TRANSFORM(object))->~GstCudaCannyAsyncTransformPrivate();
  G_OBJECT_CLASS(gst_cuda_canny_async_transform_parent_class)->finalize(object);
}

static void gst_cuda_canny_async_transform_class_init(GstCudaCannyAsyncTransformClass* klass) {
  G_OBJECT_CLASS(klass)->finalize = gst_cuda_canny_async_transform_finalize;
  GST_ELEMENT_CLASS(klass)->post_message = GST_DEBUG_FUNCPTR(post_message);
  GstBaseTransformClass* trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->start = GST_DEBUG_FUNCPTR(start);
  trans_class->stop = GST_DEBUG_FUNCPTR(stop);
  trans_class->set_caps = GST_DEBUG_FUNCPTR(set_caps);
  trans_class->decide_allocation = GST_DEBUG_FUNCPTR(decide_allocation);
  trans_class->query = GST_DEBUG_FUNCPTR(answer_query);
  trans_class->sink_event = GST_DEBUG_FUNCPTR(receive_event);
  trans_class->submit_input_buffer = GST_DEBUG_FUNCPTR(submit_input_buffer);
  trans_class->transform = GST_DEBUG_FUNCPTR(transform);
  trans_class->generate_output = GST_DEBUG_FUNCPTR(generate_output);
}

static void gst_cuda_canny_async_transform_init(GstCudaCannyAsyncTransform* self) {
  GstBaseTransform* trans = GST_BASE_TRANSFORM(self);
  GstCudaCannyAsyncTransformPrivate* priv =
      new (get_private(self)) GstCudaCannyAsyncTransformPrivate();
  gst_base_transform_set_in_place(trans, FALSE);
  priv->activate_src = GST_PAD_ACTIVATEMODEFUNC(trans->srcpad);
  gst_pad_set_activatemode_function(trans->srcpad, activate_src);
  priv->sink_event = GST_PAD_EVENTFUNC(trans->sinkpad);
  gst_pad_set_event_full_function(trans->sinkpad, receive_at_pad);
}

bool gst_cuda_canny_async_transform_configure_again(GstCudaCannyAsyncTransform* self) {
  if (!get_private(self)->queue.drain()) return false;
  get_private(self)->is_configured = false;
  return true;
}

void gst_cuda_canny_async_transform_set_exit(GstCudaCannyAsyncTransform* self,
                                             GstCudaCannyExit exit, guint in_flight, gint fps_n,
                                             gint fps_d) {
  GstCudaCannyAsyncTransformPrivate* priv = get_private(self);
  priv->exit = exit;
  priv->queue.set_count(in_flight);
  GstClockTime latency = 0;
  if (exit == GstCudaCannyExit::kDone && fps_n > 0)
    latency = gst_util_uint64_scale_int(GST_SECOND * (in_flight - 1), fps_d, fps_n);
  if (priv->latency.exchange(latency) != latency)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
  start_task(self);
}

guint gst_cuda_canny_async_transform_in_flight(GstCudaCannyAsyncTransform* self) {
  return get_private(self)->queue.count();
}
