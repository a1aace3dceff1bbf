// SPDX-License-Identifier: LGPL-2.1-or-later
/// Links elements of GStreamer directly before and after cudacanny, and compares the metas at the
/// end of the pipeline with those behind identity in its place. Prints a row for each element: the
/// metas that reach the end with the element before cudacanny, and after it.
#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#if CANNY_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

namespace {

/// An element in a launch line, and whether it draws what metas say over the video.
struct Neighbor {
  const char* line;
  bool is_overlay = false;
};

constexpr Neighbor kNeighbors[] = {
    {"queue"},
    {"videoconvert"},
    {"videoscale ! video/x-raw,width=80,height=60"},
    {"videorate ! video/x-raw,framerate=50/1"},
    {"videocrop left=8"},
    {"videobox border-alpha=0 left=-8"},
    {"videoflip method=clockwise"},
    {"deinterlace"},
    {"timecodestamper set=never"},
    {"textoverlay text=edges"},
    {"compositor"},
    {"timeoverlay time-mode=time-code", true},
    {"objectdetectionoverlay", true},
};

/// What is known of a frame at the end: the text of each meta by its name, and the pixels.
struct Frame {
  std::map<std::string, std::string> metas;
  std::vector<guint8> bytes;
};
using Frames = std::vector<Frame>;

constexpr char kPlain[] = "plain", kTagged[] = "tagged";  // metas of a user
int failed = 0, passed = 0, skipped = 0;

void check(bool is_right, const std::string& what) {
  ++(is_right ? passed : failed);
  if (!is_right) std::printf("FAILED: %s\n", what.c_str());
}

// ---- metas ----

void register_user_metas() {
  const gchar* none[] = {nullptr};
  const gchar* tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR, nullptr};
  gst_meta_register_custom(kPlain, none, nullptr, nullptr, nullptr);
  gst_meta_register_custom(
      kTagged, tags,
      [](GstBuffer* to, GstCustomMeta* meta, GstBuffer*, GQuark, gpointer, gpointer) -> gboolean {
        GstCustomMeta* copy = gst_buffer_add_custom_meta(to, kTagged);
        int number = 0;
        gst_structure_get_int(gst_custom_meta_get_structure(meta), "number", &number);
        gst_structure_set(gst_custom_meta_get_structure(copy), "number", G_TYPE_INT, number,
                          nullptr);
        return TRUE;
      },
      nullptr, nullptr);
}

void add_metas(GstBuffer* buffer) {
  gst_buffer_add_video_region_of_interest_meta(buffer, "face", 40, 32, 24, 16);
  const guint8 caption[] = {0xfc, 0x94, 0x2c};
  gst_buffer_add_video_caption_meta(buffer, GST_VIDEO_CAPTION_TYPE_CEA708_RAW, caption,
                                    sizeof caption);
  gst_buffer_add_video_time_code_meta_full(buffer, 25, 1, nullptr, GST_VIDEO_TIME_CODE_FLAGS_NONE,
                                           1, 2, 3, 4, 0);
  gst_buffer_add_video_crop_meta(buffer)->x = 12;
  for (const char* name : {kPlain, kTagged})
    gst_structure_set(gst_custom_meta_get_structure(gst_buffer_add_custom_meta(buffer, name)),
                      "number", G_TYPE_INT, 7, nullptr);
#if CANNY_ANALYTICS
  GstAnalyticsODMtd detection;
  gst_analytics_relation_meta_add_od_mtd(gst_buffer_add_analytics_relation_meta(buffer),
                                         g_quark_from_string("car"), 40, 32, 48, 40, 0.75f,
                                         &detection);
#endif
}

std::string text_of(const char* format, ...) G_GNUC_PRINTF(1, 2);
std::string text_of(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gchar* text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  const std::string copy = text;
  g_free(text);
  return copy;
}

void read_user_meta(GstBuffer* buffer, const char* name, Frame* frame) {
  GstCustomMeta* meta = gst_buffer_get_custom_meta(buffer, name);
  if (meta == nullptr) return;
  int number = 0;
  gst_structure_get_int(gst_custom_meta_get_structure(meta), "number", &number);
  frame->metas[name] = std::to_string(number);
}

void read_metas(GstBuffer* buffer, Frame* frame) {
  if (auto* roi = reinterpret_cast<GstVideoRegionOfInterestMeta*>(
          gst_buffer_get_meta(buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    frame->metas["region"] = text_of("%u,%u,%u,%u", roi->x, roi->y, roi->w, roi->h);
  if (GstVideoCaptionMeta* caption = gst_buffer_get_video_caption_meta(buffer))
    frame->metas["caption"] = text_of("%zu bytes, first %u", caption->size, caption->data[0]);
  if (GstVideoTimeCodeMeta* time_code = gst_buffer_get_video_time_code_meta(buffer)) {
    gchar* text = gst_video_time_code_to_string(&time_code->tc);
    frame->metas["time code"] = text;
    g_free(text);
  }
  if (GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(buffer))
    frame->metas["crop"] = text_of("%u,%u", crop->x, crop->y);
  read_user_meta(buffer, kPlain, frame);
  read_user_meta(buffer, kTagged, frame);
#if CANNY_ANALYTICS
  GstAnalyticsRelationMeta* relations = gst_buffer_get_analytics_relation_meta(buffer);
  GstAnalyticsODMtd detection;
  gpointer state = nullptr;
  gint x = 0, y = 0, w = 0, h = 0;
  gfloat confidence = 0;
  if (relations != nullptr &&
      gst_analytics_relation_meta_iterate(relations, &state, gst_analytics_od_mtd_get_mtd_type(),
                                          &detection) &&
      gst_analytics_od_mtd_get_location(&detection, &x, &y, &w, &h, &confidence))
    frame->metas["detection"] = text_of("%d,%d,%d,%d %g", x, y, w, h, double{confidence});
#endif
}

// ---- pipelines ----

GstPadProbeReturn on_source(GstPad*, GstPadProbeInfo* info, gpointer) {
  info->data = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  add_metas(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn on_sink(GstPad*, GstPadProbeInfo* info, gpointer frames) {
  GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  Frame frame;
  read_metas(buffer, &frame);
  frame.bytes.resize(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, frame.bytes.data(), frame.bytes.size());
  static_cast<Frames*>(frames)->push_back(frame);
  return GST_PAD_PROBE_OK;
}

void probe(GstElement* pipeline, const char* name, const char* pad_name,
           GstPadProbeCallback callback, gpointer data) {
  GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstPad* pad = gst_element_get_static_pad(element, pad_name);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, data, nullptr);
  gst_object_unref(pad);
  gst_object_unref(element);
}

/// The frames at the end of the line; none after an error, which is printed.
Frames run(const std::string& line) {
  Frames frames;
  GError* error = nullptr;
  const std::string all =
      "videotestsrc num-buffers=4 ! video/x-raw,format=I420,width=160,height=120,framerate=25/1 ! "
      "identity name=metas ! " +
      line + " ! fakesink name=sink";
  GstElement* pipeline = gst_parse_launch(all.c_str(), &error);
  if (error == nullptr) {
    probe(pipeline, "metas", "src", on_source, nullptr);
    probe(pipeline, "sink", "sink", on_sink, &frames);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus* bus = gst_element_get_bus(pipeline);
    GstMessage* message = gst_bus_timed_pop_filtered(
        bus, 60 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
    if (message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      gst_message_parse_error(message, &error, nullptr);
    if (message == nullptr || error != nullptr) frames.clear();
    gst_clear_message(&message);
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
  }
  if (error != nullptr) std::printf("%s: %s\n", line.c_str(), error->message);
  g_clear_error(&error);
  if (pipeline != nullptr) gst_object_unref(pipeline);
  return frames;
}

/// The names of the metas of the last frame with cudacanny in the line, at the place of "%".
std::string compare(const std::string& line) {
  const auto with = [&](const std::string& element) {
    std::string text = line;
    return run(text.replace(text.find('%'), 1, element));
  };
  const Frames found = with("cudacanny backend=cpu"), expected = with("identity");
  check(!found.empty() && found.size() == expected.size(), line + ": frames");
  const auto same_metas = [](const Frame& a, const Frame& b) { return a.metas == b.metas; };
  check(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same_metas),
        line + ": metas");
  std::string names;
  if (!found.empty())
    for (const auto& [name, text] : found.back().metas) names += (names.empty() ? "" : ", ") + name;
  return names;
}

bool differ(const Frames& a, const Frames& b) {
  return !a.empty() && !b.empty() && a.back().bytes != b.back().bytes;
}

void try_neighbor(const Neighbor& neighbor) {
  const std::string line = neighbor.line, name = line.substr(0, line.find(' '));
  if (!gst_registry_check_feature_version(gst_registry_get(), name.c_str(), 1, 0, 0)) {
    std::printf("skipped: %s, which is not installed\n", name.c_str());
    ++skipped;
    return;
  }
  const std::string before = compare(line + " ! %"), after = compare("% ! " + line);
  std::printf("| `%s` | %s | %s |\n", line.c_str(), before.c_str(), after.c_str());
  if (neighbor.is_overlay) {
    const std::string canny = "cudacanny backend=cpu";
    check(differ(run(canny), run(canny + " ! " + line)), line + " draws on edges");
  }
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  register_user_metas();
  check(compare("%").find("region") != std::string::npos, "metas reach the end");
  for (const Neighbor& neighbor : kNeighbors) try_neighbor(neighbor);
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed > 0;
}
