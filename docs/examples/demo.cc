// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs cudacanny over a video: shows input and edges side by side if there is a display, and
/// writes them to a video and one frame to a PNG.
///
///     demo VIDEO FOLDER      VIDEO is a file or a URI; writes FOLDER/edges.mkv and
///     FOLDER/edges.png

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

/// State shared by the callbacks. Streaming threads write it; main() reads it once the pipeline has
/// stopped.
struct Demo {
  GstElement* pipeline = nullptr;
  GstElement* display = nullptr;  ///< null without a display
  bool at_own_speed = false;      ///< a window shows the video
  GstSample* picture = nullptr;   ///< the frame for the PNG
  GstClockTime middle = GST_CLOCK_TIME_NONE;
  std::uint64_t composed = 0;
  bool middle_reached = false;
  int width = 0;
  int height = 0;
};

bool fail(const std::string& message) {
  std::fprintf(stderr, "demo: %s\n", message.c_str());
  return false;
}

std::string take(char* text) {
  std::string copy = text ? text : "";
  g_free(text);
  return copy;
}

/// The two pictures stand side by side at the size of the video's first frame; the compositor
/// scales later frames of another size to it.
GstPadProbeReturn on_caps(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  GstVideoInfo video;
  if (!gst_video_info_from_caps(&video, caps)) return GST_PAD_PROBE_OK;

  auto* demo = static_cast<Demo*>(data);
  demo->width = video.width;
  demo->height = video.height;
  GstElement* side = gst_bin_get_by_name(GST_BIN(demo->pipeline), "side");
  const char* const pads[] = {"sink_0", "sink_1"};
  for (int i = 0; i < 2; ++i) {
    GstPad* pad = gst_element_get_static_pad(side, pads[i]);
    g_object_set(pad, "xpos", i * video.width, "width", video.width, "height", video.height,
                 nullptr);
    gst_object_unref(pad);
  }
  gst_object_unref(side);
  return GST_PAD_PROBE_REMOVE;
}

/// Links the first video stream and ignores the others.
void on_pad(GstElement*, GstPad* pad, gpointer data) {
  GstElement* input = gst_bin_get_by_name(GST_BIN(static_cast<Demo*>(data)->pipeline), "input");
  GstPad* sink = gst_element_get_static_pad(input, "sink");
  if (!gst_pad_is_linked(sink)) gst_pad_link(pad, sink);
  gst_object_unref(sink);
  gst_object_unref(input);
}

void on_no_more_pads(GstElement* source, gpointer data) {
  GstElement* input = gst_bin_get_by_name(GST_BIN(static_cast<Demo*>(data)->pipeline), "input");
  GstPad* sink = gst_element_get_static_pad(input, "sink");
  if (!gst_pad_is_linked(sink)) {
    GST_ELEMENT_ERROR(source, STREAM, WRONG_TYPE, ("It contains no video stream."), (nullptr));
  }
  gst_object_unref(sink);
  gst_object_unref(input);
}

/// Keeps the first frame of the second half. If the duration is unknown, keeps frames 1, 2, 4, 8
/// and so on, the last of which lies in the second half.
GstFlowReturn on_sample(GstAppSink* sink, gpointer data) {
  auto* demo = static_cast<Demo*>(data);
  GstSample* sample = gst_app_sink_pull_sample(sink);
  if (!sample) return GST_FLOW_EOS;
  if (++demo->composed == 1) {
    GstElement* input = gst_bin_get_by_name(GST_BIN(demo->pipeline), "input");
    GstPad* pad = gst_element_get_static_pad(input, "sink");
    gint64 duration = 0;
    if (gst_pad_peer_query_duration(pad, GST_FORMAT_TIME, &duration) && duration > 0) {
      demo->middle = duration / 2;
    }
    gst_object_unref(pad);
    gst_object_unref(input);
  }
  const GstClockTime time = GST_BUFFER_PTS(gst_sample_get_buffer(sample));
  const bool reached = GST_CLOCK_TIME_IS_VALID(demo->middle) && time >= demo->middle;
  const bool power_of_two = (demo->composed & (demo->composed - 1)) == 0;
  if (!demo->middle_reached && (reached || power_of_two)) {
    std::swap(demo->picture, sample);
    demo->middle_reached = reached;
  }
  if (sample) gst_sample_unref(sample);
  return GST_FLOW_OK;
}

bool file_uri(const char* video, std::string* uri) {
  if (gst_uri_is_valid(video)) {
    *uri = video;
    return true;
  }
  if (!g_file_test(video, G_FILE_TEST_IS_REGULAR)) {
    return fail("no file " + std::string(video));
  }
  GError* error = nullptr;
  *uri = take(gst_filename_to_uri(video, &error));
  if (!error) return true;
  fail(error->message);
  g_error_free(error);
  return false;
}

/// Square pixels, so that the compositor keeps the sizes.
bool create_pipeline(const std::string& uri, const std::string& video_path, bool show, Demo* demo) {
  std::string description =
      "uridecodebin name=source "
      "videoconvert name=input ! videoscale ! video/x-raw,format=RGB,pixel-aspect-ratio=1/1 "
      "  ! tee name=frames "
      "compositor name=side start-time-selection=first ! video/x-raw,format=RGB ! tee name=pairs "
      "frames. ! queue ! side.sink_0 "
      "frames. ! queue ! cudacanny name=detector ! side.sink_1 "
      "pairs. ! queue ! appsink name=picture sync=false "
      "pairs. ! queue ! videoconvert ! video/x-raw,format=I420 ! jpegenc quality=90 "
      "  ! matroskamux ! filesink name=file";
  if (show) description += " pairs. ! queue ! videoconvert ! autovideosink name=display";

  GError* error = nullptr;
  demo->pipeline =
      gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!demo->pipeline) {
    fail(error->message);
    g_error_free(error);
    return false;
  }
  GstBin* bin = GST_BIN(demo->pipeline);
  GstElement* source = gst_bin_get_by_name(bin, "source");
  GstElement* frames = gst_bin_get_by_name(bin, "frames");
  GstElement* picture = gst_bin_get_by_name(bin, "picture");
  GstElement* file = gst_bin_get_by_name(bin, "file");
  if (show) demo->display = gst_bin_get_by_name(bin, "display");
  demo->at_own_speed = show;

  g_object_set(source, "uri", uri.c_str(), nullptr);
  g_object_set(file, "location", video_path.c_str(), nullptr);
  g_signal_connect(source, "pad-added", G_CALLBACK(on_pad), demo);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), demo);
  GstPad* pad = gst_element_get_static_pad(frames, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_caps, demo, nullptr);
  gst_object_unref(pad);
  GstAppSinkCallbacks callbacks = {};
  callbacks.new_sample = on_sample;
  gst_app_sink_set_callbacks(GST_APP_SINK(picture), &callbacks, demo, nullptr);

  for (GstElement* element : {source, frames, picture, file}) gst_object_unref(element);
  return true;
}

bool is_from(GstMessage* message, GstElement* element) {
  return element && (GST_MESSAGE_SRC(message) == GST_OBJECT(element) ||
                     gst_object_has_as_ancestor(GST_MESSAGE_SRC(message), GST_OBJECT(element)));
}

/// Prints an error message of the pipeline about a file, with the missing plugin that an element
/// reported before.
bool fail_with(GstMessage* message, const std::string& file, const std::string& missing) {
  GError* error = nullptr;
  char* details = nullptr;
  gst_message_parse_error(message, &error, &details);
  std::string text = file + ": " + error->message;
  if (!missing.empty()) text += " Missing: " + missing + ".";
  g_error_free(error);
  const std::string debug = take(details);
  return fail(debug.empty() ? text : text + "\n" + debug);
}

/// Plays to the end of the video.
bool play(Demo* demo, const std::string& video, const std::string& edges) {
  gst_element_set_state(demo->pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(demo->pipeline);
  std::string missing;
  bool playing = true;
  bool good = true;
  while (playing) {
    GstMessage* message = gst_bus_timed_pop_filtered(
        bus, GST_CLOCK_TIME_NONE,
        static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING |
                                    GST_MESSAGE_ELEMENT));
    const GstStructure* structure = gst_message_get_structure(message);
    switch (GST_MESSAGE_TYPE(message)) {
      case GST_MESSAGE_EOS:
        playing = false;
        break;
      case GST_MESSAGE_ERROR:
        if (is_from(message, demo->display) && demo->composed > 0) {
          std::printf("The window was closed: the files end here.\n");
        } else {
          const bool is_written = g_str_equal(GST_MESSAGE_SRC_NAME(message), "file");
          good = fail_with(message, is_written ? edges : video, missing);
        }
        playing = false;
        break;
      case GST_MESSAGE_WARNING:
        if (is_from(message, demo->display)) {
          demo->at_own_speed = false;
          g_object_set(demo->display, "sync", FALSE, nullptr);
          std::printf("No window could be opened; writing only the files.\n");
        }
        break;
      default:
        if (gst_structure_has_name(structure, "missing-plugin")) {
          const char* name = gst_structure_get_string(structure, "name");
          if (name) missing += (missing.empty() ? "" : ", ") + std::string(name);
        }
    }
    gst_message_unref(message);
  }
  gst_object_unref(bus);
  return good;
}

bool write_png(GstSample* sample, const std::string& path) {
  GError* error = nullptr;
  GstCaps* caps = gst_caps_new_empty_simple("image/png");
  GstSample* png = gst_video_convert_sample(sample, caps, 30 * GST_SECOND, &error);
  gst_caps_unref(caps);
  GstMapInfo map;
  if (png && gst_buffer_map(gst_sample_get_buffer(png), &map, GST_MAP_READ)) {
    g_file_set_contents(path.c_str(), reinterpret_cast<const char*>(map.data),
                        static_cast<gssize>(map.size), &error);
    gst_buffer_unmap(gst_sample_get_buffer(png), &map);
  }
  if (png) gst_sample_unref(png);
  if (!error) return true;
  fail("can't write " + path + ": " + error->message);
  g_error_free(error);
  return false;
}

std::string text_field(const GstStructure* stats, const char* field) {
  const char* text = gst_structure_get_string(stats, field);
  return text ? text : "";
}

/// Prints the element's `stats` and the frame rates. False without a frame.
bool report(const Demo& demo, double seconds) {
  GstElement* detector = gst_bin_get_by_name(GST_BIN(demo.pipeline), "detector");
  GstStructure* stats = nullptr;
  g_object_get(detector, "stats", &stats, nullptr);
  gst_object_unref(detector);
  guint64 frames = 0;
  guint64 mean_ns = 0;
  gst_structure_get_uint64(stats, "frames", &frames);
  gst_structure_get_uint64(stats, "mean-time", &mean_ns);
  if (frames > 0) {
    std::printf("Backend:  %s, %s (%s)\n", text_field(stats, "backend").c_str(),
                text_field(stats, "device").c_str(), text_field(stats, "reason").c_str());
    std::printf(
        "Frames:   %" G_GUINT64_FORMAT " of %dx%d in %.1f s: %.1f frames/s%s\n", frames, demo.width,
        demo.height, seconds, static_cast<double>(frames) / seconds,
        demo.at_own_speed ? ", at the video's own speed" : ", decoding and encoding included");
    std::printf("Detector: %.3f ms per frame: %.1f frames/s\n", static_cast<double>(mean_ns) / 1e6,
                mean_ns > 0 ? 1e9 / static_cast<double>(mean_ns) : 0.0);
  }
  gst_structure_free(stats);
  return frames > 0;
}

bool run(const char* video, const std::string& folder) {
  Demo demo;
  std::string uri;
  if (!file_uri(video, &uri)) return false;
  if (g_mkdir_with_parents(folder.c_str(), 0755) != 0) return fail("can't create " + folder);
  const std::string video_path = folder + "/edges.mkv";
  const std::string png_path = folder + "/edges.png";
  const bool show = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (!create_pipeline(uri, video_path, show, &demo)) return false;

  const gint64 start_us = g_get_monotonic_time();
  bool good = play(&demo, video, video_path);
  const double seconds = static_cast<double>(g_get_monotonic_time() - start_us) / 1e6;
  if (good && !report(demo, seconds)) good = fail(std::string(video) + ": it contains no frame");
  gst_element_set_state(demo.pipeline, GST_STATE_NULL);
  if (good && !demo.picture) good = fail("no frame reached the end of the pipeline");
  if (good) good = write_png(demo.picture, png_path);
  if (good) std::printf("Video:    %s\nPicture:  %s\n", video_path.c_str(), png_path.c_str());

  if (demo.picture) gst_sample_unref(demo.picture);
  if (demo.display) gst_object_unref(demo.display);
  gst_object_unref(demo.pipeline);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s VIDEO FOLDER\n", argv[0]);
    return 2;
  }
  gst_init(nullptr, nullptr);
  return run(argv[1], argv[2]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
