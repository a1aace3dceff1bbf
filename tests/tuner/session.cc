// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests a session without a window: play, pause, step, loop, restarts, presets and errors.
///
///     session FOLDER      writes into FOLDER
#include "tools/session.h"

#include <glib/gstdio.h>
#include <gst/gst.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "check.h"
#include "videos.h"

using check::expect;
using check::expect_contains;
using check::wait_for;
using check::wait_for_pair;
using Bytes = std::vector<guint8>;

namespace {

constexpr int kFrames = 5;

/// A session that notes its errors.
struct Tested {
  Tested() {
    if (!session.is_valid()) g_error("GStreamer does not find cudacanny");
    session.on_error = [this](const std::string& text) { error = text; };
  }
  Bytes input() { return check::bytes(session.latest().input.get()); }
  /// Opens a source, paused, and waits for its first frame.
  void open_paused(const std::string& text) {
    const std::uint64_t number = session.latest().number;
    session.player().set_playing(false);
    session.open(text);
    expect(wait_for_pair(&session, number), text + " shows its first frame");
  }

  tuner::Session session;
  std::string error;
};

void test_playing(const std::string& video) {
  Tested tested;
  tuner::Session& session = tested.session;
  session.player().set_looping(false);
  session.open(video);
  expect(wait_for([&] { return !session.player().is_playing(); }), "the end pauses");
  expect(wait_for([&] { return !session.is_busy(); }), "all frames are done");
  const std::uint64_t number = session.latest().number;
  expect(number >= kFrames && number <= kFrames + 1, std::to_string(number) + " frames");
  session.player().set_playing(true);
  expect(wait_for([&] { return session.latest().number >= number + kFrames; }), "plays again");

  session.player().set_looping(true);
  session.open(video);
  const std::uint64_t start = session.latest().number;
  expect(wait_for([&] { return session.latest().number > start + 3 * kFrames; }), "loops");
  expect(session.player().is_playing(), "plays while it loops");
  expect(session.history().frames_per_second(g_get_monotonic_time()) > 1, "frames per second");

  session.player().set_playing(false);  // some frames are still on their way
  const auto is_paused = [&] {
    const std::uint64_t latest = session.latest().number;
    return check::stays([&] { return session.latest().number == latest; });
  };
  expect(wait_for(is_paused), "a pause has no frames");
}

void test_steps(const std::string& video) {
  Tested tested;
  tuner::Session& session = tested.session;
  tested.open_paused(video);
  const Bytes first = tested.input();
  std::set<Bytes> different = {first};
  for (int i = 1; i < kFrames; ++i) {
    const std::uint64_t number = session.latest().number;
    session.player().step();
    expect(wait_for_pair(&session, number), "step " + std::to_string(i));
    expect(session.latest().number == number + 1, "a step is one frame");
    different.insert(tested.input());
  }
  expect(different.size() == kFrames, std::to_string(different.size()) + " different frames");
  std::uint64_t number = session.latest().number;
  session.player().set_playing(true);
  const auto has_looped = [&] { return session.latest().number >= number + kFrames; };
  expect(wait_for(has_looped), "plays again after the last step, with a loop");
  tested.open_paused(video);
  for (int i = 1; i < kFrames; ++i) {
    number = session.latest().number;
    session.player().step();
    wait_for_pair(&session, number);
  }
  number = session.latest().number;
  session.player().step();
  expect(wait_for_pair(&session, number), "a step from the last frame, with a loop");
  expect(tested.input() == first, "leads to the first one");
  expect(!session.player().is_playing(), "a step pauses");
}

void test_still(const std::string& picture, const std::string& video) {
  Tested tested;
  tuner::Session& session = tested.session;
  session.open(picture);
  expect(wait_for_pair(&session, 0), "a picture is shown");
  expect(check::stays([&] { return session.latest().number <= 3; }), "a picture is not repeated");
  const std::uint64_t number = session.latest().number;
  check::set_number(&session, "sigma", 4);
  expect(wait_for_pair(&session, number), "it is computed again");
  expect(!session.player().is_playing(), "its end pauses");
  session.open(video);
  expect(session.player().is_playing(), "the video after it plays");
}

/// A paused frame is computed again with every change; quick ones may share a frame.
void test_settings() {
  Tested tested;
  tuner::Session& session = tested.session;
  tested.open_paused("pattern:smpte");
  const Bytes input = tested.input();
  const Bytes edges = check::bytes(session.latest().output.get());
  std::uint64_t number = session.latest().number;
  check::set_number(&session, "thin-edges", 0);
  expect(wait_for_pair(&session, number), "a live property");
  expect(tested.input() == input, "the frame stays");
  expect(check::bytes(session.latest().output.get()) != edges, "the edges change");

  number = session.latest().number;
  for (int i = 0; i < 50; ++i) check::set_number(&session, "sigma", i * 0.1);
  check::set_number(&session, "thin-edges", 1);
  check::set_number(&session, "sigma", 1.4);
  expect(wait_for_pair(&session, number), "many changes");
  expect(check::bytes(session.latest().output.get()) == edges, "the last one counts");

  number = session.latest().number;
  check::set_number(&session, "n-threads", 1);
  expect(wait_for_pair(&session, number), "a property of the start");
  expect(wait_for([&] { return session.history().all().back().frames == 1; }),
         "has started the element anew");
  expect(check::bytes(session.latest().output.get()) == edges, "with the same edges");

  number = session.latest().number;
  check::set_number(&session, "measure-stages", 1);
  expect(wait_for_pair(&session, number), "stages are measured");
  expect(wait_for([&] { return session.history().all().back().has_stages(); }), "times of stages");
  const tuner::Statistics& statistics = session.history().all().back();
  expect(statistics.components > 0, "components");
  expect(statistics.edge_pixels > 0 && statistics.low == 50 && statistics.high == 150,
         "edge pixels and thresholds");
}

void test_formats() {
  Tested tested;
  tuner::Session& session = tested.session;
  tested.open_paused("pattern:smpte");
  for (const char* format : {"RGB", "GRAY8", "RGBA64_LE", ""}) {
    const std::uint64_t number = session.latest().number;
    session.set_format(format);
    expect(wait_for_pair(&session, number), std::string("format ") + format);
    if (format[0] == '\0') continue;
    check::expect_equal(check::format_of(session.latest().input.get()), format, "format");
  }
}

void test_presets(const std::string& folder) {
  Tested tested;
  tuner::Session& session = tested.session;
  check::set_number(&session, "sigma", 3.25);
  expect(session.save_preset("mine"), "save a preset");
  check::set_number(&session, "sigma", 1);
  expect(session.load_preset("mine"), "load a preset");
  expect(tuner::get_number(session.element(), check::find(session, "sigma")) == 3.25, "its value");
  const std::vector<std::string> names = session.preset_names();
  expect(std::find(names.begin(), names.end(), "mine") != names.end(), "name of the preset");
  expect(!session.load_preset("none"), "load a missing preset");
  expect_contains(tested.error, "Choose one");
  for (const char* name : {"", "a]b", "[a", "a\nb", "a\tb", "_presets_"}) {
    tested.error.clear();
    expect(!session.save_preset(name), "save as \"" + std::string(name) + '"');
    expect_contains(tested.error, "Enter another name");
  }
  expect(session.preset_names() == names, "these names add no preset");

  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit full = {100, limit.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &full);
  expect(!session.save_preset("second"), "save on a full disk");
  setrlimit(RLIMIT_FSIZE, &limit);
  std::ifstream file(folder + "/gstreamer-1.0/presets/GstCudaCanny.prs");
  const std::string kept((std::istreambuf_iterator<char>(file)), {});
  expect_contains(kept, "[mine]");
}

/// Each error leaves a session that works.
void test_errors(const std::string& folder) {
  Tested tested;
  tuner::Session& session = tested.session;
  const auto expect_error = [&](const std::string& text, const std::string& advice) {
    tested.error.clear();
    session.open(text);
    expect(wait_for([&] { return !tested.error.empty(); }), text + " gives an error");
    expect_contains(tested.error, advice);
  };
  const std::string broken = folder + "/broken.mp4";
  std::ofstream(broken) << std::string(4096, 'x');
  const std::string sound = folder + "/sound.wav";
  check::run_pipeline("audiotestsrc num-buffers=20 ! wavenc ! filesink location=\"" + sound + "\"");
  expect_error("/no/such/file", "There is no file");
  expect_error("camera:/dev/no-camera", "Connect one");
  expect_error("camera:/dev/null", "Connect one");
  expect_error(broken, "text file. Check that it is a video");
  expect_error(sound, "It contains no video. Check that it is a video");
  expect_error("nothing://here", "open another file");
  expect(!session.player().is_playing(), "an error pauses");
  session.open("pattern:smpte");
  expect(session.player().is_playing(), "the source after it plays");
  expect_error(broken, "Check that it is a video");
  session.player().set_playing(true);
  session.player().step();
  tested.open_paused("pattern:ball");

  // 16 bits are for input only, and an overlay has the format of the input.
  tested.error.clear();
  check::set_number(&session, "output", 1);
  session.set_format("RGBA64_LE");
  expect(wait_for([&] { return !tested.error.empty(); }), "an overlay of 16 bits");
  expect_contains(tested.error, "Change a setting");
  const std::uint64_t number = session.latest().number;
  session.on_open = [&] { tested.error.clear(); };
  check::set_number(&session, "output", 0);
  expect(tested.error.empty(), "another setting hides the error");
  expect(wait_for_pair(&session, number), "another setting starts the element again");
}

/// A source whose frames wait for an element that failed can be closed before the main loop runs.
void test_failed_element() {
  Tested tested;
  tuner::Session& session = tested.session;
  session.open("pattern:ball");
  expect(wait_for_pair(&session, 0), "a pattern plays");
  check::set_number(&session, "output", 1);
  session.set_format("RGBA64_LE");
  g_usleep(G_USEC_PER_SEC);  // more frames than wait for the element
  session.open("pattern:smpte");
  expect(wait_for([&] { return !tested.error.empty(); }), "the element's error is reported");
}

tuner::SampleRef new_frame() {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 64 * 48, nullptr);
  gst_buffer_memset(buffer, 0, 0, 64 * 48);
  GstCaps* caps =
      gst_caps_from_string("video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1");
  tuner::SampleRef frame(gst_sample_new(buffer, caps, nullptr, nullptr));
  gst_buffer_unref(buffer);
  gst_caps_unref(caps);
  return frame;
}

/// Frames come from another thread, also while the element stops and starts.
void test_restarts() {
  tuner::Edges edges;
  const tuner::SampleRef frame = new_frame();
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t number = edges.latest().number;
    std::thread player([&] {
      g_usleep(6 * i);  // a restart takes some milliseconds
      edges.add(tuner::SampleRef(gst_sample_ref(frame.get())));
    });
    edges.restart();
    player.join();
    const auto is_computed = [&] { return edges.latest().number > number && !edges.is_busy(); };
    if (!expect(wait_for(is_computed),
                "restart " + std::to_string(i) + " computes the latest frame"))
      return;
  }
}

/// While frames come faster than they can be shown, the window is drawn nevertheless.
void test_fast_frames() {
  tuner::Edges edges;
  edges.on_pair = [&] {
    edges.refresh();
    while (edges.is_busy()) g_usleep(100);
  };
  bool is_drawn = false;
  const auto draw = +[](gpointer data) -> gboolean {
    *static_cast<bool*>(data) = true;
    return G_SOURCE_REMOVE;
  };
  edges.add(new_frame());
  while (edges.is_busy()) g_usleep(100);
  g_idle_add_full(G_PRIORITY_HIGH_IDLE + 20, draw, &is_drawn, nullptr);  // as GDK_PRIORITY_REDRAW
  expect(wait_for([&] { return is_drawn; }), "the window is drawn between two frames");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) g_error("usage: session FOLDER");
  const std::string folder = argv[1];
  g_mkdir_with_parents(argv[1], 0755);
  g_setenv("XDG_DATA_HOME", argv[1], TRUE);
  g_unlink((folder + "/gstreamer-1.0/presets/GstCudaCanny.prs").c_str());
  gst_init(nullptr, nullptr);
  const std::string video = check::write_video(folder, kFrames);
  test_playing(video);
  test_steps(video);
  test_still(check::write_still(folder), video);
  test_settings();
  test_formats();
  test_presets(folder);
  test_errors(folder);
  test_failed_element();
  test_restarts();
  test_fast_frames();
  return check::finish();
}
