// SPDX-License-Identifier: LGPL-2.1-or-later
/// Processes a frame: maps its buffers, passes them to the detector, counts it.
#include <gst/video/video.h>

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "canny/components.h"
#include "canny/contours.h"
#include "color.h"
#include "detections.h"
#include "element.h"
#include "frame.h"
#include "gstcudacannyhostallocator.h"
#include "message.h"
#include "meta.h"
#include "region.h"

namespace {

/// A frame's mapped buffers, and the outcome of the work on them.
struct Work : GstCudaCannyWork {
  GstCudaCannyFrame in, out;
  GstCudaCannyFrameSettings settings;
  std::vector<canny::Rectangle> rectangles;  ///< of `region`, if the buffer has metas
  canny::Region region;
  canny::Contours contours;
  canny::Components components;
  GstClockTime time = 0;  ///< ns that the element's threads spent on it
  canny::Status status;
  canny::Result result;
  bool fell_back = false;
  canny::Info cpu;  ///< the detector's backend, if it fell back

  void unmap() {
    in.unmap();
    out.unmap();
  }
};

Work* cast(GstCudaCannyWork* work) { return static_cast<Work*>(work); }

}  // namespace

static bool gst_cuda_canny_map_input(GstCudaCanny* self, GstBuffer* buffer, bool with_chroma,
                                     GstCudaCannyFrame* frame) {
  const bool on_device = self->in.memory == canny::Memory::kDevice;
  std::string foreign;
  if (on_device && !self->device.holds(buffer, &foreign)) {
    GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                      ("An input buffer is not in CUDA memory of the element's device. Set "
                       "cuda-device-id to -1, or check the element upstream of cudacanny."),
                      ("%s", foreign.c_str()));
    return false;
  }
  if (frame->map(buffer, self->in, GST_MAP_READ, with_chroma)) return true;
  GST_ELEMENT_ERROR(
      self, STREAM, FORMAT,
      ("An input buffer does not match its caps. Check the element upstream of cudacanny."),
      ("%s", frame->problem()));
  return false;
}

static bool gst_cuda_canny_map_output(GstCudaCanny* self, GstBuffer* buffer,
                                      GstCudaCannyFrame* frame) {
  if (frame->map_output(buffer, self->out, self->device)) return true;
  GST_ELEMENT_ERROR(self, RESOURCE, WRITE,
                    ("An output buffer does not match the caps. Check the element downstream of "
                     "cudacanny, which provided the buffer pool."),
                    ("%s", frame->problem()));
  return false;
}

static bool gst_cuda_canny_map(GstCudaCanny* self, GstBuffer* input, GstBuffer* output,
                               bool with_chroma, Work* work) {
  try {
    return gst_cuda_canny_map_input(self, input, with_chroma, &work->in) &&
           gst_cuda_canny_map_output(self, output, &work->out);
  } catch (const std::bad_alloc&) {
    gst_cuda_canny_post_error(GST_ELEMENT(self), {canny::StatusCode::kOutOfMemory, "out of memory"},
                              self->backend);
    return false;
  }
}

/// Names the memory of a frame, for the log.
static const char* gst_cuda_canny_path(GstBuffer* buffer, canny::Memory memory) {
  if (memory == canny::Memory::kDevice) return "CUDA";
  return gst_cuda_canny_host_memory_is_page_locked(gst_buffer_peek_memory(buffer, 0))
             ? "page-locked"
             : "pageable";
}

static GstCudaCannyFrameSettings gst_cuda_canny_take_settings(GstCudaCanny* self) {
  const GstVideoInfo& out = self->out.info;
  const bool can_keep_format = gst_cuda_canny_format_can_keep(GST_VIDEO_INFO_FORMAT(&self->in.info),
                                                              GST_VIDEO_INFO_FORMAT(&out));
  GST_OBJECT_LOCK(self);
  GstCudaCannyFrameSettings settings = self->settings.take(can_keep_format);
  GST_OBJECT_UNLOCK(self);
  settings.params.edge_color = gst_cuda_canny_color(settings.params.edge_color, out);
  return settings;
}

static std::unique_ptr<GstCudaCannyWork> gst_cuda_canny_new_work() noexcept {
  return std::make_unique<Work>();
}

static bool gst_cuda_canny_begin(GstCudaCannyAsyncTransform* async, GstCudaCannyWork* data,
                                 GstBuffer* input, GstBuffer* output) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(async);
  Work* work = cast(data);
  const GstClockTime begin = gst_util_get_timestamp();
  work->settings = gst_cuda_canny_take_settings(self);
  const canny::Params& params = work->settings.params;
  if (work->settings.is_first_swap) {
    GST_ELEMENT_WARNING(
        self, LIBRARY, SETTINGS,
        ("low-threshold is above high-threshold, so the two are swapped. Set high-threshold to the "
         "larger number."),
        ("low-threshold is %g, high-threshold %g", params.low_threshold, params.high_threshold));
  }
  if (!gst_cuda_canny_map(self, input, output, canny::shows_input(params.view), work)) {
    work->unmap();
    return false;
  }
  canny::ConstFrame frame = work->in.input();
  if (gst_cuda_canny_region_read(input, work->settings.regions, &work->rectangles, &work->region)) {
    frame.region = &work->region;
  }
  GST_LOG_OBJECT(self, "from %s to %s memory, on %s", gst_cuda_canny_path(input, self->in.memory),
                 gst_cuda_canny_path(output, self->out.memory), canny::name(self->backend));
  canny::Frame to = work->out.output();
  // If either has a stream, that stream waits for the default one.
  const bool is_on_device =
      frame.memory == canny::Memory::kDevice || to.memory == canny::Memory::kDevice;
  if (is_on_device && frame.cuda_stream == nullptr && to.cuda_stream == nullptr)
    frame.cuda_stream = gst_cuda_canny_device_default_stream();
  if (self->contours > 0) {
    work->contours.set_min_points(self->contours);
    work->contours.set_precision(self->contour_precision);
    to.contours = &work->contours;
  }
  if (self->components > 0) {
    work->components.set_min_pixels(self->components);
    to.components = &work->components;
  }
  const canny::Status status = self->detector.submit(params, frame, to);
  work->time = gst_util_get_timestamp() - begin;
  if (status.ok()) return true;
  work->unmap();
  gst_cuda_canny_post_error(GST_ELEMENT(self), status, self->backend);
  return false;
}

static bool gst_cuda_canny_release_output(GstCudaCannyAsyncTransform* async, GstCudaCannyWork* data,
                                          GstBuffer* output) noexcept {
  Work* work = cast(data);
  work->out.unmap();
  gst_cuda_canny_meta_set_unfinished(output, work->settings);
  return GST_CUDA_CANNY(async)->device.mark_unfinished(output);
}

static void gst_cuda_canny_wait(GstCudaCannyAsyncTransform* async,
                                GstCudaCannyWork* data) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(async);
  Work* work = cast(data);
  const GstClockTime begin = gst_util_get_timestamp();
  work->status = self->detector.wait(&work->result);
  if (work->status.ok()) work->out.finish();
  work->time += gst_util_get_timestamp() - begin;
  work->fell_back = gst_cuda_canny_has_fallen_back(self, &work->cpu);
  work->unmap();
}

static void gst_cuda_canny_discard(GstCudaCannyAsyncTransform* async,
                                   GstCudaCannyWork* work) noexcept {
  GST_CUDA_CANNY(async)->detector.drop();
  cast(work)->unmap();
}

/// Whether a message has not been posted since the start, and is now.
static bool gst_cuda_canny_is_first(GstCudaCanny* self, bool* has_told) {
  GST_OBJECT_LOCK(self);
  const bool is_first = !std::exchange(*has_told, true);
  GST_OBJECT_UNLOCK(self);
  return is_first;
}

/// Why the thresholds measured in a frame are of no use, as a message. Null if they are of use, or
/// the output needs none.
static const char* gst_cuda_canny_flatness(const canny::Params& params,
                                           const canny::Result& result) {
  constexpr double kNoOtsuThreshold = 32767;
  if (!canny::needs_thresholds(params.view)) return nullptr;
  switch (params.threshold_mode) {
    case canny::ThresholdMode::kOtsu:
      if (result.high_threshold != kNoOtsuThreshold) return nullptr;
      return "Otsu's method finds no threshold in a frame without gradients, which has no edges.";
    case canny::ThresholdMode::kQuantile:
    case canny::ThresholdMode::kMedian:
      if (result.high_threshold != 0) return nullptr;
      return "The thresholds measured in a frame that is mostly flat or black are 0, so all "
             "gradients in it are edges. Set threshold-mode=otsu or absolute.";
    default:
      return nullptr;
  }
}

/// Posts, once after a start, that the measured thresholds of a frame are of no use, and that it
/// has more edges than its contours or components.
static void gst_cuda_canny_report_limits(GstCudaCanny* self, const Work& work) {
  static_assert(canny::kMaxContourPoints == 16777216 && canny::kMaxComponents == 65536);
  auto& told = self->settings.since_start;
  const char* flatness = gst_cuda_canny_flatness(work.settings.params, work.result);
  if (flatness != nullptr && gst_cuda_canny_is_first(self, &told.has_told_flat))
    GST_ELEMENT_INFO(self, LIBRARY, SETTINGS, ("%s", flatness), (nullptr));
  if (work.contours.is_full() && gst_cuda_canny_is_first(self, &told.has_told_full))
    GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS,
                        ("The contours of a frame are cut at 16777216 points. Raise the thresholds "
                         "or min-length."),
                        (nullptr));
  if (work.components.is_full() && gst_cuda_canny_is_first(self, &told.has_told_many))
    GST_ELEMENT_WARNING(
        self, LIBRARY, SETTINGS,
        ("A frame has more than 65536 components. Raise the thresholds or components."), (nullptr));
}

/// Posts the statistics if the frame's settings ask for that by now.
static void gst_cuda_canny_post_stats(GstCudaCanny* self, GstClockTime interval) {
  if (interval == 0) return;
  GstStructure* stats = self->stats.take_message(interval, gst_util_get_timestamp());
  if (stats == nullptr) return;
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), stats));
}

static bool gst_cuda_canny_report(GstCudaCannyAsyncTransform* async, GstCudaCannyWork* data,
                                  GstBuffer* input, GstBuffer* output) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(async);
  Work& work = *cast(data);
  if (work.fell_back) gst_cuda_canny_report_fallback(self, work.cpu);
  if (work.status.ok() && output != nullptr &&
      !gst_cuda_canny_meta_set(output, work.settings, work.result,
                               self->contours > 0 ? &work.contours : nullptr,
                               self->components > 0 ? &work.components : nullptr)) {
    work.status = {canny::StatusCode::kOutOfMemory, "out of memory"};
  }
  if (work.status.ok() && output != nullptr && work.components.size() > 0) {
    gst_cuda_canny_detections_add(output, work.components);
  }
  if (work.status.ok()) {
    GST_LOG_OBJECT(self, "frame %" GST_TIME_FORMAT " took the route %s",
                   GST_TIME_ARGS(GST_BUFFER_PTS(input)), work.result.route);
    self->stats.count(work.time, work.result);
    gst_cuda_canny_report_limits(self, work);
    gst_cuda_canny_post_stats(self, work.settings.stats_interval);
  } else {
    gst_cuda_canny_post_error(GST_ELEMENT(self), work.status, self->backend, GST_BUFFER_PTS(input));
  }
  return work.status.ok();
}

/// Keeps metas that hold for the edge map too: it has the input's size and orientation. Metas that
/// describe memory have other tags.
static gboolean gst_cuda_canny_transform_meta(GstBaseTransform*, GstBuffer*, GstMeta* meta,
                                              GstBuffer*) noexcept {
  static const gchar* const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                      GST_META_TAG_VIDEO_ORIENTATION_STR,
                                      GST_META_TAG_VIDEO_COLORSPACE_STR, nullptr};
  const gchar* const* tags = gst_meta_api_type_get_tags(meta->info->api);
  for (; tags != nullptr && *tags != nullptr; tags++) {
    if (!g_strv_contains(kept, *tags)) return FALSE;
  }
  return TRUE;
}

void gst_cuda_canny_recipe_install(GstCudaCannyAsyncTransformClass* klass) {
  klass->new_work = gst_cuda_canny_new_work;
  klass->begin = gst_cuda_canny_begin;
  klass->release_output = gst_cuda_canny_release_output;
  klass->wait = gst_cuda_canny_wait;
  klass->discard = gst_cuda_canny_discard;
  klass->report = gst_cuda_canny_report;
  GST_BASE_TRANSFORM_CLASS(klass)->transform_meta =
      GST_DEBUG_FUNCPTR(gst_cuda_canny_transform_meta);
}
