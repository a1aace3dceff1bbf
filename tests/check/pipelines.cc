// SPDX-License-Identifier: LGPL-2.1-or-later
/// Plays pipelines and compares every output with the reference of its input.
#include <atomic>
#include <cstdio>
#include <string>

#include "fixture.h"

using check::Owned;
using check::Pipeline;
using check::Watch;

static check::Suite suite("pipelines");

// A test that leaves its pipeline running would hang at its end. So each test is a function that
// returns an error, which is checked when its pipeline has stopped.

static constexpr GstClockTime kFrame = GST_SECOND / 200;

static int frames_of_tests() { return check::is_slow() ? 5 : 20; }

static std::string element_of(int backend, const char* name = "canny") {
  return std::string(" ! cudacanny backend=") + check::backend_in_line(backend) + " name=" + name;
}

/// An endless source of different frames.
static const std::string kSource =
    "videotestsrc name=source pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
    "capsfilter name=caps caps=video/x-raw,format=RGB,width=65,height=49,framerate=200/1";
static const std::string kSink = " ! fakesink name=sink sync=true";

static std::string finite_source() {
  std::string source = kSource;
  return source.insert(source.find(' '), " num-buffers=" + std::to_string(frames_of_tests()));
}

/// Plays to the end. At least `frames` frames must have left each of the elements `names`.
static std::string play(Pipeline& pipeline, const std::vector<const char*>& names, int frames) {
  std::vector<std::unique_ptr<Watch>> watches;
  for (const char* name : names) watches.push_back(std::make_unique<Watch>(pipeline[name]));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  std::string problem = pipeline.wait_for_end();
  for (const auto& watch : watches) {
    if (problem.empty()) problem = watch->difference();
    if (!problem.empty()) return problem;
    if (int(watch->frames()) < frames) return std::to_string(watch->frames()) + " frames";
  }
  return "";
}

/// The input repeats buffers that share their memory.
static std::string repeated_frames(int backend) {
  Pipeline pipeline(
      "videotestsrc num-buffers=7 pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
      "video/x-raw,format=RGB,width=65,height=49,framerate=10/1 ! videorate ! "
      "video/x-raw,framerate=30/1" +
      element_of(backend) + kSink);
  g_object_set(pipeline["sink"], "sync", FALSE, nullptr);
  return play(pipeline, {"canny"}, 3 * (7 - 1));
}

static std::string in_a_bin(int backend) {
  Pipeline pipeline(finite_source());
  GstElement* bin = gst_parse_bin_from_description(
      ("identity" + element_of(backend) + " ! identity").c_str(), TRUE, nullptr);
  GstElement* sink = gst_element_factory_make("fakesink", nullptr);
  gst_bin_add_many(GST_BIN(pipeline.get()), bin, sink, nullptr);
  if (!gst_element_link_many(pipeline["caps"], bin, sink, nullptr)) return "does not link";
  return play(pipeline, {"canny"}, frames_of_tests());
}

/// A device that shares the host's memory copies nothing: the source takes the element's buffers.
static std::string without_copies(int backend) {
  Pipeline pipeline(
      "videotestsrc num-buffers=5 pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
      "video/x-raw,format=RGB,width=64,height=48" +
      element_of(backend) + kSink);
  g_object_set(pipeline["sink"], "sync", FALSE, nullptr);
  const std::string problem = play(pipeline, {"canny"}, 5);
  if (!problem.empty()) return problem;
  const guint64 copies = backend == 0 || check::shares_memory() ? 0 : 5;
  for (const char* field : {"uploads", "downloads"}) {
    const guint64 number = check::stats_number(pipeline["canny"], field);
    if (number != copies) return std::to_string(number) + " " + field;
  }
  return "";
}

static std::string before_a_tee(int backend) {
  Pipeline pipeline(finite_source() + element_of(backend) + " ! tee name=t ! queue" + kSink +
                    " t. ! queue ! fakesink");
  return play(pipeline, {"canny"}, frames_of_tests());
}

static std::string several_line(int backend) {
  return finite_source() + " ! tee name=t ! queue" + element_of(backend, "one") +
         element_of(backend, "two") + kSink + " t. ! queue" + element_of(backend, "three") +
         " ! fakesink";
}

static std::string several_in_a_pipeline(int backend) {
  Pipeline pipeline(several_line(backend));
  return play(pipeline, {"one", "two", "three"}, frames_of_tests());
}

static std::string several_pipelines(int backend) {
  Pipeline others[] = {Pipeline(several_line(backend)), Pipeline(several_line(backend))};
  std::vector<std::unique_ptr<Watch>> watches;
  for (Pipeline& other : others) {
    for (const char* name : {"one", "two", "three"}) {
      watches.push_back(std::make_unique<Watch>(other[name]));
    }
    gst_element_set_state(other.get(), GST_STATE_PLAYING);
  }
  Pipeline pipeline(several_line(backend));
  std::string problem = play(pipeline, {"one", "two", "three"}, frames_of_tests());
  for (Pipeline& other : others) {
    if (problem.empty()) problem = other.wait_for_end();
  }
  for (const auto& watch : watches) {
    if (problem.empty()) problem = watch->difference();
    if (problem.empty() && int(watch->frames()) != frames_of_tests()) problem = "frames lost";
  }
  return problem;
}

/// A change that the streaming thread makes while it holds back a frame.
struct Change {
  Pipeline* pipeline;
  GstElement* element;  ///< the element to insert
  void (*make)(const Change&);
  std::atomic<bool> done{false};
};

static GstPadProbeReturn make_change(GstPad*, GstPadProbeInfo*, gpointer data) {
  auto* change = static_cast<Change*>(data);
  change->make(*change);
  change->done = true;
  return GST_PAD_PROBE_REMOVE;
}

/// Blocks the source pad of element `name` for the change. Frames keep leaving the watched element.
static bool change_at(const char* name, Change& change, const Watch& watch) {
  const Owned<GstPad> pad(gst_element_get_static_pad((*change.pipeline)[name], "src"));
  change.done = false;
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, make_change, &change, nullptr);
  return watch.wait_for_frames(watch.frames() + std::size_t(frames_of_tests())) && change.done;
}

/// The first frame whose time is not `step` after the previous frame's, empty if there is none.
static std::string find_gap(const std::vector<GstClockTime>& times, GstClockTime first,
                            GstClockTime step) {
  for (std::size_t i = 0; i < times.size(); i++) {
    const GstClockTime expected = first + i * step;
    if (times[i] != expected) {
      return "frame " + std::to_string(i) + " of " + std::to_string(times.size()) + " is at " +
             std::to_string(times[i]) + " ns, not at " + std::to_string(expected);
    }
  }
  return "";
}

static void put_sink_in(const Change& change) {
  GstElement* old = (*change.pipeline)["sink"];
  gst_element_unlink((*change.pipeline)["canny"], old);
  gst_element_set_state(old, GST_STATE_NULL);
  gst_bin_remove(GST_BIN(change.pipeline->get()), old);
  gst_bin_add(GST_BIN(change.pipeline->get()), change.element);
  gst_element_link((*change.pipeline)["canny"], change.element);
  gst_element_sync_state_with_parent(change.element);
}

static std::string another_sink(int backend) {
  Pipeline pipeline(kSource + element_of(backend) + kSink);
  const Watch watch(pipeline["canny"]);
  if (!pipeline.reach(GST_STATE_PLAYING)) return "does not play";
  for (int i = 0; i < 3; i++) {
    Change change{&pipeline, gst_element_factory_make("fakesink", "sink"), put_sink_in};
    if (!change_at("canny", change, watch)) return "no frames after the change";
  }
  pipeline.reach(GST_STATE_NULL);
  const std::string gap = find_gap(watch.times_since_flush(), 0, kFrame);
  return gap.empty() ? watch.difference() : gap;
}

static void put_canny_in(const Change& change) {
  Pipeline& pipeline = *change.pipeline;
  gst_element_unlink(pipeline["caps"], pipeline["after"]);
  gst_bin_add(GST_BIN(pipeline.get()), change.element);
  gst_element_link_many(pipeline["caps"], change.element, pipeline["after"], nullptr);
  gst_element_sync_state_with_parent(change.element);
}

static void take_canny_out(const Change& change) {
  Pipeline& pipeline = *change.pipeline;
  gst_element_unlink_many(pipeline["caps"], change.element, pipeline["after"], nullptr);
  gst_element_set_state(change.element, GST_STATE_NULL);
  gst_bin_remove(GST_BIN(pipeline.get()), change.element);
  gst_element_link(pipeline["caps"], pipeline["after"]);
}

static std::string in_and_out(int backend) {
  Pipeline pipeline(kSource + " ! identity name=after" + kSink);
  const Watch after(pipeline["after"]);
  if (!pipeline.reach(GST_STATE_PLAYING)) return "does not play";
  std::string problem;
  for (int i = 0; i < 3 && problem.empty(); i++) {
    const Owned<GstElement> element(gst_element_factory_make("cudacanny", nullptr));
    gst_object_ref_sink(element.get());
    check::set_backend(element.get(), backend);
    const Watch watch(element.get());
    Change change{&pipeline, element.get(), put_canny_in};
    if (!change_at("caps", change, watch)) problem = "no edges after the element came in";
    change.make = take_canny_out;
    if (!change_at("caps", change, after)) problem = "no frames after the element was taken out";
    if (problem.empty()) problem = watch.difference();
  }
  return problem;
}

static std::string other_caps(int backend) {
  Pipeline pipeline(kSource + element_of(backend) + kSink);
  const Watch watch(pipeline["canny"]);
  if (!pipeline.reach(GST_STATE_PLAYING)) return "does not play";
  int width = 31;
  for (const check::Format* format : {&check::kNv12, &check::kGray, &check::kRgb}) {
    const Owned<GstCaps> caps(check::new_caps(*format, width += 14, 37, 200));
    g_object_set(pipeline["caps"], "caps", caps.get(), nullptr);
    if (!watch.wait_for_format(*format)) return std::string("no frames of ") + format->name;
    watch.wait_for_frames(watch.frames() + std::size_t(frames_of_tests()));
  }
  pipeline.reach(GST_STATE_NULL);
  return watch.difference();
}

/// Plays `frames` from frame `first` on after a flush, from `state`.
static std::string seek(Pipeline& pipeline, const Watch& watch, GstState state, int first,
                        int frames) {
  if (!pipeline.reach(state)) return "no state change";
  const GstClockTime start = GstClockTime(first) * kFrame;
  if (!gst_element_seek(pipeline.get(), 1, GST_FORMAT_TIME,
                        GstSeekFlags(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                        GST_SEEK_TYPE_SET, gint64(start), GST_SEEK_TYPE_SET,
                        gint64(start + GstClockTime(frames) * kFrame))) {
    return "no seek";
  }
  if (!pipeline.reach(state)) return "no preroll after the seek";
  if (!pipeline.reach(GST_STATE_PLAYING)) return "does not play";
  const std::string problem = pipeline.wait_for_end();
  const std::vector<GstClockTime> times = watch.times_since_flush();
  if (problem.empty() && (int(times.size()) != frames || !find_gap(times, start, kFrame).empty())) {
    return std::to_string(times.size()) + " frames, the first at " +
           std::to_string(times.empty() ? 0 : times.front()) + " ns";
  }
  return problem;
}

static std::string seeks_and_ends(int backend) {
  Pipeline pipeline(kSource + element_of(backend) + kSink);
  const Watch watch(pipeline["canny"]);
  // From the middle and after the end, back and forth.
  std::string problem = seek(pipeline, watch, GST_STATE_PAUSED, 400, 15);
  if (problem.empty()) problem = seek(pipeline, watch, GST_STATE_PLAYING, 20, 10);
  if (problem.empty()) problem = seek(pipeline, watch, GST_STATE_PAUSED, 20, 10);
  pipeline.reach(GST_STATE_READY);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  if (!watch.wait_for_frames(watch.frames() + 5)) return "no frames after a stop";
  if (problem.empty()) problem = seek(pipeline, watch, GST_STATE_PLAYING, 600, 12);
  return problem.empty() ? watch.difference() : problem;
}

/// Plays the file with uridecodebin: uridecodebin3 of GStreamer 1.26.2 sometimes adds no pad and
/// hangs, whichever element follows it.
static std::string decode(const std::string& path, int backend) {
  gchar* uri = gst_filename_to_uri(path.c_str(), nullptr);
  Pipeline pipeline(std::string("uridecodebin uri=") + uri + element_of(backend) + " ! fakesink");
  g_free(uri);
  return play(pipeline, {"canny"}, frames_of_tests());
}

static std::string decoded_file(int backend) {
  gchar* folder = g_dir_make_tmp("cudacanny-XXXXXX", nullptr);
  fail_unless(folder != nullptr, "no folder for a video file");
  const std::string path = std::string(folder) + "/video.mkv";
  std::string problem;
  {
    Pipeline pipeline("videotestsrc pattern=ball num-buffers=" + std::to_string(frames_of_tests()) +
                      " ! video/x-raw,format=I420,width=64,height=48 ! jpegenc ! matroskamux ! "
                      "filesink location=" +
                      path);
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    problem = pipeline.wait_for_end();
  }
  if (problem.empty()) problem = decode(path, backend);
  std::remove(path.c_str());
  std::remove(folder);
  g_free(folder);
  return problem;
}

struct Scenario {
  const char* name;
  std::string (*run)(int backend);
};

static const Scenario kScenarios[] = {
    {"repeated_frames", repeated_frames},
    {"in_a_bin", in_a_bin},
    {"without_copies", without_copies},
    {"before_a_tee", before_a_tee},
    {"several_in_a_pipeline", several_in_a_pipeline},
    {"several_pipelines", several_pipelines},
    {"another_sink", another_sink},
    {"in_and_out", in_and_out},
    {"other_caps", other_caps},
    {"seeks_and_ends", seeks_and_ends},
    {"decoded_file", decoded_file},
};

LOOP_TEST(pipelines_are_exact, std::size(kScenarios) * check::kBackends) {
  const int count = G_N_ELEMENTS(kScenarios);
  const Scenario& scenario = kScenarios[__i__ % count];
  if (check::skip(scenario.name, __i__ / count)) return;
  const std::string problem = scenario.run(__i__ / count);
  fail_unless(problem.empty(), "%s: %s", scenario.name, problem.c_str());
}
