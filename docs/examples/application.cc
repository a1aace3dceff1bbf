// SPDX-License-Identifier: LGPL-2.1-or-later
/// Pushes frames into cudacanny from an application, pulls the edge maps with their metas, changes
/// a property between two frames and reads the element's statistics.

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kWidth = 64;
constexpr int kHeight = 48;
constexpr char kPipeline[] =
    "appsrc name=source format=time "
    "  caps=video/x-raw,format=RGB,width=64,height=48,framerate=25/1 "
    "! cudacanny name=detector sigma=0 ! video/x-raw,format=GRAY8 "
    "! appsink name=sink sync=false";

/// A black frame with a white square in columns 16..47 and rows 12..35.
GstBuffer* square(guint64 number) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 3 * kWidth * kHeight, nullptr);
  gst_buffer_memset(buffer, 0, 0, 3 * kWidth * kHeight);
  for (int y = 12; y < 36; ++y) gst_buffer_memset(buffer, 3 * (kWidth * y + 16), 255, 3 * 32);
  GST_BUFFER_PTS(buffer) = number * GST_SECOND / 25;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
  return buffer;
}

/// The columns of the edge pixels in the middle row of the edge map, each with a space before it.
std::string middle_row(GstSample* sample) {
  GstVideoInfo info;
  GstVideoFrame frame;
  gst_video_info_from_caps(&info, gst_sample_get_caps(sample));
  if (!gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) return "?";
  const auto* pixels = static_cast<const guint8*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  const guint8* row = pixels + GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0) * (kHeight / 2);
  std::string columns;
  for (int x = 0; x < kWidth; ++x) {
    if (row[x] != 0) columns += " " + std::to_string(x);
  }
  gst_video_frame_unmap(&frame);
  return columns;
}

/// Prints what the edge map's meta says, and returns the number of edge pixels.
guint64 read_meta(GstBuffer* buffer) {
  guint64 edge_pixels = 0;
  double low = 0, high = 0;
  GstCustomMeta* meta = gst_buffer_get_custom_meta(buffer, "cudacanny");
  if (!meta) return 0;
  gst_structure_get(gst_custom_meta_get_structure(meta), "edge-pixels", G_TYPE_UINT64, &edge_pixels,
                    "low", G_TYPE_DOUBLE, &low, "high", G_TYPE_DOUBLE, &high, nullptr);
  std::printf("%" G_GUINT64_FORMAT " edge pixels with thresholds %g and %g\n", edge_pixels, low,
              high);
  return edge_pixels;
}

/// Pushes one frame and waits for its edge map.
std::string detect(GstElement* source, GstElement* sink, guint64 number) {
  gst_app_src_push_buffer(GST_APP_SRC(source), square(number));
  GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), 30 * GST_SECOND);
  if (!sample) return " none: no edge map came";
  const std::string columns = middle_row(sample);
  const bool has_edges = read_meta(gst_sample_get_buffer(sample)) > 0;
  gst_sample_unref(sample);
  if (has_edges == columns.empty()) return " none: the meta and the edge map differ";
  std::printf("frame %" G_GUINT64_FORMAT ": edges in the middle row at columns%s\n", number,
              columns.empty() ? " none" : columns.c_str());
  return columns;
}

/// Prints the statistics and checks that they count `frames` frames, the last of which had no
/// edges.
bool check_stats(GstElement* detector, guint64 frames) {
  GstStructure* stats = nullptr;
  g_object_get(detector, "stats", &stats, nullptr);
  char* text = gst_structure_to_string(stats);
  std::printf("%s\n", text);
  g_free(text);
  guint64 counted = 0;
  guint64 edge_pixels = 1;
  gst_structure_get_uint64(stats, "frames", &counted);
  gst_structure_get_uint64(stats, "edge-pixels", &edge_pixels);
  gst_structure_free(stats);
  return counted == frames && edge_pixels == 0;
}

void print_error(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  if (message) {
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    std::fprintf(stderr, "application: %s\n", error->message);
    g_error_free(error);
    gst_message_unref(message);
  }
  gst_object_unref(bus);
}

bool run(GstElement* pipeline) {
  GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline), "source");
  GstElement* detector = gst_bin_get_by_name(GST_BIN(pipeline), "detector");
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);

  // The left and the right side of the square: the last black and the last white column.
  bool right = detect(source, sink, 0) == " 15 47";
  // Properties may change at any time; the next frame follows them.
  g_object_set(detector, "high-threshold", 32767.0, nullptr);
  right = detect(source, sink, 1).empty() && right;
  right = check_stats(detector, 2) && right;

  gst_app_src_end_of_stream(GST_APP_SRC(source));
  print_error(pipeline);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  for (GstElement* element : {source, detector, sink}) gst_object_unref(element);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  GError* error = nullptr;
  GstElement* pipeline =
      gst_parse_launch_full(kPipeline, nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!pipeline) {
    std::fprintf(stderr, "application: %s\n", error->message);
    g_error_free(error);
    return EXIT_FAILURE;
  }
  const bool right = run(pipeline);
  gst_object_unref(pipeline);
  if (!right) std::fprintf(stderr, "application: these are not the edges of the square\n");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
