// SPDX-License-Identifier: LGPL-2.1-or-later
/// Attaches rectangles to the frames of a pipeline, so that cudacanny finds edges in these alone:
///
///     regions 'PIPELINE' X,Y,WIDTH,HEIGHT...
///
/// The pipeline has a `cudacanny name=detector roi-mode=meta`. Where objects move, an element
/// before it, such as a detector of faces, attaches other metas to each frame.

#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstdio>
#include <vector>

namespace {

struct Region {
  guint x, y, width, height;
};

/// Attaches the regions to a buffer on its way to the detector.
GstPadProbeReturn attach(GstPad*, GstPadProbeInfo* info, gpointer regions) {
  GstBuffer* buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  for (const Region& region : *static_cast<const std::vector<Region>*>(regions))
    gst_buffer_add_video_region_of_interest_meta(buffer, "region", region.x, region.y, region.width,
                                                 region.height);
  info->data = buffer;
  return GST_PAD_PROBE_OK;
}

/// Runs the pipeline to its end. Prints the error that stops it, and returns whether there is none.
bool run(GstElement* pipeline) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus, GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS));
  const bool succeeded = GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  if (!succeeded) {
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    std::fprintf(stderr, "regions: %s\n", error->message);
    g_error_free(error);
  }
  gst_message_unref(message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return succeeded;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  std::vector<Region> regions;
  for (int i = 2; i < argc; ++i) {
    Region region;
    if (std::sscanf(argv[i], "%u,%u,%u,%u", &region.x, &region.y, &region.width, &region.height) !=
        4) {
      std::fprintf(stderr, "regions: \"%s\" is not X,Y,WIDTH,HEIGHT\n", argv[i]);
      return 2;
    }
    regions.push_back(region);
  }
  if (regions.empty()) {
    std::fprintf(stderr, "usage: regions 'PIPELINE' X,Y,WIDTH,HEIGHT...\n");
    return 2;
  }
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(argv[1], &error);
  if (error != nullptr) {
    std::fprintf(stderr, "regions: %s\n", error->message);
    return 2;
  }
  GstElement* detector = gst_bin_get_by_name(GST_BIN(pipeline), "detector");
  if (detector == nullptr) {
    std::fprintf(stderr, "regions: no element of the pipeline has name=detector\n");
    return 2;
  }
  GstPad* pad = gst_element_get_static_pad(detector, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, attach, &regions, nullptr);
  gst_object_unref(pad);
  gst_object_unref(detector);
  const bool succeeded = run(pipeline);
  gst_object_unref(pipeline);
  return succeeded ? 0 : 1;
}
