// SPDX-License-Identifier: LGPL-2.1-or-later
// Implements the source as a GstPushSrc within the program.
#include "element_source.h"

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

#include <new>
#include <utility>

#include "element_pictures.h"

namespace {

/// The source's state.
struct State {
  bench::Ref<GstCaps> caps;
  bench::Buffers pictures;
  bench::Buffers pooled;  ///< the pictures in the pool's memory
  bench::Supply supply = bench::Supply::kOwn;
  bench::Pace pace;
  guint64 last = 0;    ///< the number of frames, 0 = endless
  guint64 frames = 0;  ///< pushed
  bool waits = false;  ///< whether the last one waits for its time
  std::atomic<bool> is_stopping{false};

  bool is_early() const { return pace.begin == nullptr || frames < bench::Pace::kEarly; }
};

/// Turns a copy of a picture into the next frame.
void set_times(GstBuffer* buffer, const State& state) {
  GstClockTime begin = state.pace.delay;
  guint64 n = state.frames;
  if (!state.is_early()) {
    begin += *state.pace.begin;
    n -= bench::Pace::kEarly;
  }
  const auto time = [&](guint64 frame) {
    return begin + gst_util_uint64_scale_int_round(frame, GST_SECOND, state.pace.frames_per_second);
  };
  GstClockTime wait = 0;
  if (GST_BUFFER_DTS_IS_VALID(buffer)) {
    wait = GST_BUFFER_PTS(buffer) - GST_BUFFER_DTS(buffer);
    GST_BUFFER_DTS(buffer) = time(n);
  }
  GST_BUFFER_PTS(buffer) = time(n) + wait;
  GST_BUFFER_DURATION(buffer) = time(n + 1) - time(n);
}

}  // namespace

struct _GstBenchSource {
  GstPushSrc parent;
  State state;
};

G_DECLARE_FINAL_TYPE(GstBenchSource, gst_bench_source, GST, BENCH_SOURCE, GstPushSrc)
G_DEFINE_TYPE(GstBenchSource, gst_bench_source, GST_TYPE_PUSH_SRC)

static GstCaps* gst_bench_source_get_caps(GstBaseSrc* base, GstCaps* filter) {
  GstCaps* caps = GST_BENCH_SOURCE(base)->state.caps.get();
  if (filter == nullptr) return gst_caps_ref(caps);
  return gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
}

/// Chooses downstream's pool, large enough for all pictures.
static gboolean gst_bench_source_decide_allocation(GstBaseSrc* base, GstQuery* query) {
  const State& state = GST_BENCH_SOURCE(base)->state;
  if (state.supply == bench::Supply::kOffered) {
    GstBufferPool* pool = nullptr;
    guint size = 0;
    if (gst_query_get_n_allocation_pools(query) > 0)
      gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, nullptr, nullptr);
    if (pool == nullptr) {
      GST_ELEMENT_ERROR(base, RESOURCE, SETTINGS, ("Downstream offers no buffer pool."), (nullptr));
      return FALSE;
    }
    const guint count = static_cast<guint>(state.pictures.size());
    gst_query_set_nth_allocation_pool(query, 0, pool, size, count, 0);
    gst_object_unref(pool);
  }
  return GST_BASE_SRC_CLASS(gst_bench_source_parent_class)->decide_allocation(base, query);
}

static GstFlowReturn gst_bench_source_fill_pool(GstBenchSource* self) {
  State& state = self->state;
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, state.caps.get())) return GST_FLOW_NOT_NEGOTIATED;
  GstBufferPool* pool = gst_base_src_get_buffer_pool(GST_BASE_SRC(self));
  if (pool == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  GstFlowReturn flow = GST_FLOW_OK;
  for (const auto& picture : state.pictures) {
    GstBuffer* buffer = nullptr;
    flow = gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr);
    if (flow != GST_FLOW_OK) break;
    state.pooled.emplace_back(buffer);
    if (bench::copy_frame(picture.get(), buffer, info)) continue;
    GST_ELEMENT_ERROR(self, RESOURCE, WRITE, ("Can't write a buffer of the pool."), (nullptr));
    flow = GST_FLOW_ERROR;
    break;
  }
  gst_object_unref(pool);
  return flow;
}

static GstFlowReturn gst_bench_source_create(GstPushSrc* push, GstBuffer** buffer) {
  GstBenchSource* self = GST_BENCH_SOURCE(push);
  State& state = self->state;
  if (state.last > 0 && state.frames == state.last) return GST_FLOW_EOS;
  const bool is_pooled = state.supply == bench::Supply::kOffered;
  if (is_pooled && state.pooled.empty()) {
    const GstFlowReturn flow = gst_bench_source_fill_pool(self);
    if (flow != GST_FLOW_OK) return flow;
  }
  const bench::Buffers& buffers = is_pooled ? state.pooled : state.pictures;
  while (!state.is_early() && *state.pace.begin == GST_CLOCK_TIME_NONE) {
    if (state.is_stopping) return GST_FLOW_FLUSHING;
    g_usleep(5000);
  }
  *buffer = gst_buffer_copy(buffers[state.frames % buffers.size()].get());
  set_times(*buffer, state);
  state.waits = !state.is_early();
  ++state.frames;
  return GST_FLOW_OK;
}

/// Has GstBaseSrc wait for a live source's frames.
static void gst_bench_source_get_times(GstBaseSrc* base, GstBuffer* buffer, GstClockTime* start,
                                       GstClockTime* end) {
  const bool waits = GST_BENCH_SOURCE(base)->state.waits;
  *start = waits ? GST_BUFFER_DTS_OR_PTS(buffer) : GST_CLOCK_TIME_NONE;
  *end = waits ? *start + GST_BUFFER_DURATION(buffer) : GST_CLOCK_TIME_NONE;
}

static gboolean gst_bench_source_unlock(GstBaseSrc* base) {
  GST_BENCH_SOURCE(base)->state.is_stopping = true;
  return TRUE;
}

static gboolean gst_bench_source_unlock_stop(GstBaseSrc* base) {
  GST_BENCH_SOURCE(base)->state.is_stopping = false;
  return TRUE;
}

static gboolean gst_bench_source_stop(GstBaseSrc* base) {
  GST_BENCH_SOURCE(base)->state.pooled.clear();
  return TRUE;
}

static void gst_bench_source_finalize(GObject* object) {
  GST_BENCH_SOURCE(object)->state.~State();
  G_OBJECT_CLASS(gst_bench_source_parent_class)->finalize(object);
}

static void gst_bench_source_class_init(GstBenchSourceClass* klass) {
  G_OBJECT_CLASS(klass)->finalize = gst_bench_source_finalize;
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element_class, "Benchmark source", "Source/Video",
                                        "Pushes the same pictures again and again",
                                        "The cudacanny authors");
  GstCaps* any = gst_caps_new_any();
  gst_element_class_add_pad_template(element_class,
                                     gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, any));
  gst_caps_unref(any);
  GstBaseSrcClass* base_class = GST_BASE_SRC_CLASS(klass);
  base_class->get_caps = gst_bench_source_get_caps;
  base_class->get_times = gst_bench_source_get_times;
  base_class->decide_allocation = gst_bench_source_decide_allocation;
  base_class->unlock = gst_bench_source_unlock;
  base_class->unlock_stop = gst_bench_source_unlock_stop;
  base_class->stop = gst_bench_source_stop;
  GST_PUSH_SRC_CLASS(klass)->create = gst_bench_source_create;
}

static void gst_bench_source_init(GstBenchSource* self) {
  new (&self->state) State();
  gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}

namespace bench {

GstElement* new_source(GstCaps* caps, Buffers pictures, Supply supply, guint64 frames, Pace pace) {
  auto* source = GST_BENCH_SOURCE(g_object_new(gst_bench_source_get_type(), nullptr));
  source->state.caps.reset(gst_caps_ref(caps));
  source->state.pictures = std::move(pictures);
  source->state.supply = supply;
  source->state.last = frames;
  source->state.pace = pace;
  gst_base_src_set_live(GST_BASE_SRC(source), pace.begin != nullptr);
  return GST_ELEMENT(source);
}

guint64 frame_number(GstBuffer* buffer) {
  return gst_util_uint64_scale_int_round(GST_BUFFER_PTS(buffer), kFramesPerSecond, GST_SECOND);
}

}  // namespace bench
