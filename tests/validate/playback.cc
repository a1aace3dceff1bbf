// SPDX-License-Identifier: LGPL-2.1-or-later
/// Seeks, plays at several rates, pauses and changes caps with cudacanny and with identity in its
/// place, and compares what the sink receives: every event, and every buffer's times.
///
///     playback FILE    writes a video to FILE and plays it
#include <gst/gst.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr double kLength = 3;  // seconds of video
const std::string kSize = " ! video/x-raw,format=I420,width=160,height=120,framerate=25/1";
// Ends with the stop of a seek. num-buffers would count the frames that a seek drops.
const std::string kPattern = "videotestsrc" + kSize;
// A keyframe every 200 ms, so that playing in reverse decodes groups of frames.
const std::string kRecord = "videotestsrc num-buffers=75" + kSize +
                            " ! avenc_mpeg4 gop-size=5 max-bframes=0 ! avimux ! filesink location=";
const std::string kPlay = " ! avidemux ! avdec_mpeg4";
const std::string kChange = " ! videoconvert ! videoscale ! capsfilter name=size ! ";

constexpr auto kFlush = GstSeekFlags(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE);
constexpr auto kKeyUnits = GstSeekFlags(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_TRICKMODE_KEY_UNITS);
constexpr auto kSegment = GstSeekFlags(GST_SEEK_FLAG_ACCURATE | GST_SEEK_FLAG_SEGMENT);

const std::string kProblem = "problem: ";

using Log = std::vector<std::string>;

template <typename... Args>
std::string text_of(const char* format, Args... args) {
  gchar* text = g_strdup_printf(format, args...);
  const std::string copy = text;
  g_free(text);
  return copy;
}

/// A pipeline whose sink does not wait for the clock, so that all runs receive the same.
class Player {
 public:
  explicit Player(const std::string& line) {
    GError* error = nullptr;
    pipeline_ = gst_parse_launch((line + " ! fakesink name=sink sync=false").c_str(), &error);
    if (error != nullptr) {
      note(kProblem + error->message);
      g_clear_error(&error);
    }
    GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline_), "sink");
    GstPad* pad = gst_element_get_static_pad(sink, "sink");
    constexpr auto kMask =
        GstPadProbeType(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                        GST_PAD_PROBE_TYPE_EVENT_FLUSH);
    gst_pad_add_probe(pad, kMask, see, this, nullptr);
    gst_object_unref(pad);
    gst_object_unref(sink);
    set(GST_STATE_PAUSED);
  }

  ~Player() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
  }

  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Notes the position as soon as the state is reached.
  void set(GstState state) {
    gst_element_set_state(pipeline_, state);
    const GstStateChangeReturn reached =
        gst_element_get_state(pipeline_, nullptr, nullptr, kTimeout);
    gint64 position = -1;
    if (state == GST_STATE_PAUSED)
      gst_element_query_position(pipeline_, GST_FORMAT_TIME, &position);
    note(text_of("state %d: %d at %" G_GINT64_FORMAT, int(state), int(reached), position));
  }

  /// From `start` to `stop`, in seconds. Waits in PAUSED if it flushes.
  void seek(double rate, GstSeekFlags flags, double start, double stop = kLength) {
    GstEvent* event = gst_event_new_seek(rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
                                         GstClockTime(start * GST_SECOND), GST_SEEK_TYPE_SET,
                                         GstClockTime(stop * GST_SECOND));
    if ((flags & GST_SEEK_FLAG_FLUSH) != 0) gst_element_set_state(pipeline_, GST_STATE_PAUSED);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      seeks_.push_back(gst_event_get_seqnum(event));
    }
    const bool is_taken = gst_element_send_event(pipeline_, event);
    if (!is_taken) note(kProblem + "refused seek");
    if ((flags & GST_SEEK_FLAG_FLUSH) != 0) set(GST_STATE_PAUSED);
  }

  /// Plays to the end of the stream or of a segment.
  void play() {
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
    GstBus* bus = gst_element_get_bus(pipeline_);
    GstMessage* message = gst_bus_timed_pop_filtered(
        bus, kTimeout,
        GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_SEGMENT_DONE | GST_MESSAGE_ERROR));
    if (message == nullptr) note(kProblem + "no end");
    if (message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      note(kProblem + "error");
    gst_clear_message(&message);
    gst_object_unref(bus);
  }

  /// Plays the whole stream in this size or format.
  void change(const char* caps) {
    GstElement* filter = gst_bin_get_by_name(GST_BIN(pipeline_), "size");
    gst_util_set_object_arg(G_OBJECT(filter), "caps", (std::string("video/x-raw,") + caps).c_str());
    gst_object_unref(filter);
    seek(1, kFlush, 0);
    play();
  }

  Log log() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return log_;
  }

 private:
  static constexpr GstClockTime kTimeout = 20 * GST_SECOND;

  void note(const std::string& line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    log_.push_back(line);
  }

  void see_buffer(GstBuffer* buffer) {
    note(text_of("%" G_GUINT64_FORMAT " for %" G_GUINT64_FORMAT "%s", GST_BUFFER_PTS(buffer),
                 GST_BUFFER_DURATION(buffer),
                 GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT) ? ", discont" : ""));
  }

  void see_event(GstEvent* event) {
    std::string line = GST_EVENT_TYPE_NAME(event);
    if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
      const GstSegment* segment = nullptr;
      gst_event_parse_segment(event, &segment);
      line += text_of(" %g %g %d %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                      " %" G_GUINT64_FORMAT,
                      segment->rate, segment->applied_rate, int(segment->flags), segment->base,
                      segment->start, segment->stop, segment->time);
    } else if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
      GstCaps* caps = nullptr;
      gst_event_parse_caps(event, &caps);
      const GstStructure* fields = gst_caps_get_structure(caps, 0);
      int width = 0, height = 0;
      gst_structure_get(fields, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height,
                        nullptr);
      line += text_of(" %s %dx%d", gst_structure_get_string(fields, "format"), width, height);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto seek = std::find(seeks_.begin(), seeks_.end(), gst_event_get_seqnum(event));
    if (seek != seeks_.end()) line += text_of(" of seek %d", int(seek - seeks_.begin()));
    log_.push_back(line);
  }

  static GstPadProbeReturn see(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto* self = static_cast<Player*>(data);
    if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
      self->see_buffer(GST_PAD_PROBE_INFO_BUFFER(info));
    } else {
      self->see_event(GST_PAD_PROBE_INFO_EVENT(info));
    }
    return GST_PAD_PROBE_OK;
  }

  GstElement* pipeline_ = nullptr;
  std::mutex mutex_;  // of what follows, which the streaming thread writes too
  Log log_;
  std::vector<guint32> seeks_;  // their sequence numbers
};

struct Scenario {
  const char* name;
  void (*act)(Player&);
  bool reopens = false;  // avidemux removes its pads with each stop
};

const Scenario kScenarios[] = {
    {"forward",
     [](Player& player) {
       for (const double start : {0.5, 1.22, 2.0}) player.seek(1, kFlush, start);
       player.play();
     }},
    {"backward and again",
     [](Player& player) {
       for (const double start : {2.0, 0.42, 0.0}) {
         player.seek(1, kFlush, start, start + 1);
         player.play();
       }
     }},
    {"scrub",
     [](Player& player) {
       for (int i = 0; i < 25; i++) player.seek(1, kFlush, 0.1 * i);
       for (int i = 25; i > 0; i--) player.seek(1, kFlush, 0.1 * i);
       player.play();
     }},
    {"reverse",
     [](Player& player) {
       for (const double rate : {-1.0, -2.0, -8.0}) {
         player.seek(rate, kFlush, 0.3, 2.7);
         player.play();
       }
     }},
    {"fast",
     [](Player& player) {
       for (const double rate : {0.5, 2.0, 16.0}) {
         player.seek(rate, kFlush, 0.3, 2.7);
         player.play();
       }
     }},
    {"key units",
     [](Player& player) {
       for (const double rate : {2.0, -2.0, 8.0}) {
         player.seek(rate, kKeyUnits, 0.3, 2.7);
         player.play();
       }
     }},
    {"segments",
     [](Player& player) {
       player.seek(1, GstSeekFlags(kFlush | kSegment), 0.2, 0.8);
       player.play();
       for (const double start : {1.0, 0.0, 2.0}) {
         player.seek(1, kSegment, start, start + 0.6);
         player.play();
       }
       player.seek(1, GST_SEEK_FLAG_ACCURATE, 0.5);
       player.play();
     }},
    {"formats",
     [](Player& player) {
       for (const char* caps :
            {"width=320,height=240", "format=NV12", "format=RGB,width=161,height=121",
             "format=GRAY8", "width=64,height=64", "format=YUY2", "format=BGRA"})
         player.change(caps);
     }},
    {"states",
     [](Player& player) {
       for (const GstState state : {GST_STATE_READY, GST_STATE_NULL, GST_STATE_READY}) {
         for (int i = 0; i < 5; i++) {
           player.set(GST_STATE_PAUSED);
           player.set(state);
         }
         player.set(GST_STATE_PAUSED);
         player.seek(1, kFlush, 1);
         player.play();
         player.set(state);
       }
     },
     true},
};

int failed = 0, passed = 0;

Log run(const Scenario& scenario, const std::string& line) {
  Player player(line);
  scenario.act(player);
  return player.log();
}

/// Prints the first line in which the logs differ, or a problem of both.
void compare(const std::string& name, const Log& found, const Log& expected) {
  const auto is_right = [&](std::size_t i) {
    return i < found.size() && i < expected.size() && found[i] == expected[i] &&
           found[i].rfind(kProblem, 0) != 0;
  };
  std::size_t i = 0;
  while (is_right(i)) i++;
  const bool is_same = i == found.size() && i == expected.size();
  ++(is_same ? passed : failed);
  if (is_same) return;
  const auto line = [i](const Log& log) { return i < log.size() ? log[i].c_str() : "(the end)"; };
  std::printf("FAILED: %s: line %zu: %s\n  with identity: %s\n", name.c_str(), i, line(found),
              line(expected));
}

bool record(const std::string& path) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch((kRecord + "\"" + path + "\"").c_str(), &error);
  if (error != nullptr) {
    std::printf("%s\n", error->message);
    g_clear_error(&error);
  }
  if (pipeline == nullptr) return false;
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus, 60 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool is_done = message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  gst_clear_message(&message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return is_done;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  if (argc != 2 || !record(argv[1])) {
    std::printf("FAILED: no video\n0 passed, 1 failed\n");
    return 1;
  }
  const std::string video = "filesrc location=\"" + std::string(argv[1]) + "\"" + kPlay;
  for (const std::string& source : {kPattern, video}) {
    for (const Scenario& scenario : kScenarios) {
      if (scenario.reopens && source == video) continue;
      const Log expected = run(scenario, source + kChange + "identity");
      for (const char* number : {"1", "3", "8"}) {
        const std::string filter = std::string("cudacanny backend=cpu frames-in-flight=") + number;
        compare(text_of("%s of %s, %s", scenario.name, source == video ? "a file" : "videotestsrc",
                        filter.c_str()),
                run(scenario, source + kChange + filter), expected);
      }
      std::printf("%s: %zu lines\n", scenario.name, expected.size());
    }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
