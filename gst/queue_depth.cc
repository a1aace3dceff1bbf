// SPDX-License-Identifier: LGPL-2.1-or-later
/// Chooses the number of frames in flight from the neighbors and the user's setting.
#include "queue_depth.h"

#include "device.h"

namespace {

constexpr guint kAuto = 3;          ///< an upload, kernels and a download
constexpr guint kAutoOnDevice = 6;  ///< kernels of this many fill a large GPU

/// Whether the source is live, so that a frame held back comes late.
bool is_live(GstBaseTransform* trans) {
  g_autoptr(GstQuery) query = gst_query_new_latency();
  gboolean is_live = FALSE;
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(trans), query)) {
    gst_query_parse_latency(query, &is_live, nullptr, nullptr);
  }
  return is_live;
}

/// Whether frames stay in device memory.
bool stay_on_device(const GstCudaCannyStream& in, const GstCudaCannyStream& out) {
  return in.memory == canny::Memory::kDevice && out.memory == canny::Memory::kDevice;
}

}  // namespace

GstCudaCannyQueueDepth gst_cuda_canny_choose_queue_depth(GstBaseTransform* trans,
                                                         const GstCudaCannyStream& in,
                                                         const GstCudaCannyStream& out,
                                                         guint wanted, bool needs_result) {
  constexpr const char* kWish = "set by the property";
  if (GST_PAD_MODE(GST_BASE_TRANSFORM_SRC_PAD(trans)) == GST_PAD_MODE_PULL) {
    return {1, GstCudaCannyExit::kAlone, "downstream pulls"};
  }
  // Frames can leave unfinished if both neighbors wait for CUDA streams.
  if (gst_cuda_canny_device_has_streams() && stay_on_device(in, out) && !needs_result) {
    if (wanted > 0) return {wanted, GstCudaCannyExit::kUnfinished, kWish};
    return {kAutoOnDevice, GstCudaCannyExit::kUnfinished, "downstream takes unfinished frames"};
  }
  const auto several = [](guint count, const char* why) -> GstCudaCannyQueueDepth {
    return {count, count > 1 ? GstCudaCannyExit::kDone : GstCudaCannyExit::kAlone, why};
  };
  if (wanted > 0) return several(wanted, kWish);
  if (GST_VIDEO_INFO_FPS_N(&in.info) <= 0) return several(1, "the framerate is unknown");
  if (is_live(trans)) return several(1, "the pipeline is live");
  return several(stay_on_device(in, out) ? kAutoOnDevice : kAuto, "the pipeline is not live");
}
