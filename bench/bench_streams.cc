// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds how many live streams GPUs hold: streams of which no frame is late.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "arguments.h"
#include "check.h"
#include "element_pictures.h"
#include "element_pipeline.h"
#include "element_source.h"
#include "element_video_checks.h"
#include "options.h"

namespace {

using bench::Buffers;
using bench::Failure;
using bench::Ref;

/// A kind of camera.
struct Camera {
  bench::Size size;
  int frames_per_second;
  std::string video;  ///< H.264, decoded to CUDA memory; without, frames are in system memory
};

struct Options {
  std::vector<Camera> cameras;
  std::string backend = "cuda";
  int devices = 1;
  int streams = 0;  ///< 0: search
  int first = 16;   ///< of a search
  double seconds = 5;
  pictures::Tiles tiles;
};

/// What cameras send again and again.
struct Recording {
  Ref<GstCaps> caps;
  Buffers frames;
};

/// Two pictures, NV12.
Recording paint(const Camera& camera, const pictures::Tiles& tiles) {
  Recording recording;
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_NV12, static_cast<guint>(camera.size.width),
                            static_cast<guint>(camera.size.height));
  recording.caps.reset(gst_video_info_to_caps(&info));
  recording.frames =
      bench::to_buffers(bench::paint_all(camera.size.width, camera.size.height, tiles), info);
  recording.frames.resize(2);
  return recording;
}

/// The frames of a file, still encoded.
Recording read(const std::string& video) {
  Recording recording;
  bench::Pipeline pipeline(bench::describe_source(video) +
                           " ! parsebin ! h264parse config-interval=-1 ! "
                           "video/x-h264,stream-format=byte-stream,alignment=au ! "
                           "fakesink name=sink sync=false");
  pipeline.on_buffer("sink", "sink", [&](GstBuffer* frame) {
    if (recording.frames.empty())
      recording.caps.reset(gst_caps_copy(pipeline.caps("sink", "sink").get()));
    recording.frames.emplace_back(gst_buffer_copy(frame));
    if (!GST_BUFFER_DTS_IS_VALID(frame))
      GST_BUFFER_DTS(recording.frames.back().get()) = GST_BUFFER_PTS(frame);
  });
  pipeline.run(60);
  if (recording.frames.empty()) throw Failure(video + " has no frames");
  return recording;
}

/// A pipeline of one camera.
class Stream {
 public:
  Stream(const Options& options, const Camera& camera, const Recording& recording, int device,
         GstClockTime delay)
      : pipeline_(describe(camera, device)), sink_(pipeline_.named("sink")) {
    const bool is_decoded = !camera.video.empty();
    const bool has_pool = !is_decoded && options.backend == "cuda";
    Buffers frames;
    // Memory can be mapped 255 times at once, so streams can't share it.
    for (const auto& frame : recording.frames)
      frames.emplace_back(has_pool ? gst_buffer_ref(frame.get())
                                   : gst_buffer_copy_deep(frame.get()));
    GstElement* source = bench::new_source(recording.caps.get(), std::move(frames),
                                           has_pool ? bench::Supply::kOffered : bench::Supply::kOwn,
                                           0, {camera.frames_per_second, &begin_, delay});
    pipeline_.add_source(source, is_decoded ? "decoder" : "canny");
    pipeline_.set({options.backend.c_str(), 0, 0, options.backend == "cuda" ? device : -1});
  }

  GstElement* get() const { return pipeline_.get(); }
  bench::Pipeline& pipeline() { return pipeline_; }

  /// Has the camera begin once a frame has come through. Returns whether it has begun.
  bool begin() {
    if (begin_ == GST_CLOCK_TIME_NONE && count().came > 0)
      begin_ = gst_element_get_current_running_time(get()) + GST_SECOND;
    return begin_ != GST_CLOCK_TIME_NONE;
  }

  struct Count {
    guint64 came = 0;  ///< frames that came to the sink, late ones too
    guint64 late = 0;
  };
  Count count() const {
    g_autoptr(GstStructure) stats = nullptr;
    g_object_get(sink_.get(), "stats", &stats, nullptr);
    guint64 shown = 0, dropped = 0;
    gst_structure_get(stats, "rendered", G_TYPE_UINT64, &shown, "dropped", G_TYPE_UINT64, &dropped,
                      nullptr);
    return {shown + dropped, dropped};
  }

  /// Throws the pipeline's error, if there is one. Latency that has changed is distributed again.
  void look() const {
    const Ref<GstBus> bus(gst_element_get_bus(get()));
    constexpr auto kTypes = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_LATENCY);
    while (const Ref<GstMessage> message{gst_bus_pop_filtered(bus.get(), kTypes)}) {
      if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_LATENCY) {
        gst_bin_recalculate_latency(GST_BIN(get()));
        continue;
      }
      g_autoptr(GError) error = nullptr;
      gst_message_parse_error(message.get(), &error, nullptr);
      throw Failure(error->message);
    }
  }

 private:
  /// The sink drops a frame that comes later than the elements' latencies and one period.
  static std::string describe(const Camera& camera, int device) {
    const bool is_decoded = !camera.video.empty();
    const std::string caps = is_decoded ? "video/x-raw(memory:CUDAMemory),format=NV12 ! "
                                        : "video/x-raw,format=GRAY8 ! ";
    const std::string id = device == 0 ? "" : "device" + std::to_string(device);
    return (is_decoded ? "nvh264" + id + "dec name=decoder ! " + caps : "") +
           "cudacanny name=canny ! " + caps +
           "fakesink name=sink sync=true qos=false max-lateness=0 enable-last-sample=false "
           "processing-deadline=" +
           std::to_string(GST_SECOND / static_cast<guint64>(camera.frames_per_second));
  }

  std::atomic<GstClockTime> begin_{GST_CLOCK_TIME_NONE};
  bench::Pipeline pipeline_;
  Ref<GstElement> sink_;
};

/// The streams of one device. Edges of the first are compared with the reference.
class Device {
 public:
  Device(const Options& options, const Camera& camera, const Recording& recording, int id,
         int streams) {
    const GstClockTime period = GST_SECOND / static_cast<guint64>(camera.frames_per_second);
    for (int i = 0; i < streams; ++i)
      streams_.push_back(std::make_unique<Stream>(
          options, camera, recording, id,
          period * static_cast<guint64>(i) / static_cast<guint64>(streams)));
    checks_ = std::make_unique<bench::VideoChecks>(streams_.front()->pipeline());
  }

  const std::vector<std::unique_ptr<Stream>>& streams() const { return streams_; }

  /// All streams share the first one's CUDA context.
  void play() {
    gst_element_set_state(streams_.front()->get(), GST_STATE_READY);
    const Ref<GstContext> context(
        gst_element_get_context(streams_.front()->get(), "gst.cuda.context"));
    for (const auto& stream : streams_) {
      if (context) gst_element_set_context(stream->get(), context.get());
      gst_element_set_state(stream->get(), GST_STATE_PLAYING);
    }
  }

  /// Sources go first: else overloaded streams keep the others from stopping.
  void stop() {
    for (const auto& stream : streams_) gst_element_send_event(stream->get(), gst_event_new_eos());
    for (const auto& stream : streams_) gst_element_set_state(stream->get(), GST_STATE_NULL);
  }

  /// Throws Failure if an edge map is wrong, or none was compared.
  void check() {
    bench::Comparison outputs;
    checks_->compare(&outputs);
    if (outputs.compared == 0) throw Failure("no output was compared");
    if (outputs.wrong > 0) throw Failure("an output differs from the reference");
  }

 private:
  std::vector<std::unique_ptr<Stream>> streams_;
  std::unique_ptr<bench::VideoChecks> checks_;
};

/// What a number of streams did.
struct Trial {
  int streams = 0;
  double seconds = 0;
  guint64 frames = 0, late = 0;  ///< of all streams
  guint64 lost = 0;              ///< that did not come while they should have
  double cores = 0;              ///< that the process kept busy

  bool holds() const { return late + lost == 0; }
  /// Whether at most 1 % of the frames failed.
  bool is_near() const { return 100 * (late + lost) <= frames; }
};

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Plays numbers of streams of one kind of camera.
class Streams {
 public:
  Streams(const Options& options, const Camera& camera)
      : options_(options),
        camera_(camera),
        recording_(camera.video.empty() ? paint(camera, options.tiles) : read(camera.video)) {
    gst_caps_set_simple(recording_.caps.get(), "framerate", GST_TYPE_FRACTION,
                        camera.frames_per_second, 1, nullptr);
  }

  /// Plays that many streams, spread over the devices.
  Trial run(int count) const {
    std::vector<std::unique_ptr<Device>> devices;
    for (int id = 0; id < std::min(options_.devices, count); ++id)
      devices.push_back(
          std::make_unique<Device>(options_, camera_, recording_, id,
                                   (count + options_.devices - 1 - id) / options_.devices));
    for (const auto& device : devices) device->play();
    All all;
    for (const auto& device : devices)
      for (const auto& stream : device->streams()) all.push_back(stream.get());
    begin(all);
    // Until a second passes in which no frame is late, but at most five.
    for (int i = 0; i < 5 && !measure(all, 1).holds(); ++i) {
    }
    const Trial trial = measure(all, options_.seconds);
    for (const auto& device : devices) device->stop();
    for (const auto& device : devices) device->check();
    return trial;
  }

 private:
  using All = std::vector<Stream*>;

  /// Throws the error of a stream that fails meanwhile.
  static void wait(const All& all, double seconds) {
    const bench::Stopwatch watch;
    while (watch.microseconds() < seconds * 1e6) {
      for (const Stream* stream : all) stream->look();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  /// Until all cameras have begun. Throws Failure if a stream shows no frame.
  static void begin(const All& all) {
    constexpr double kMost = 60;  // seconds
    const bench::Stopwatch watch;
    std::size_t begun = 0;
    while (begun < all.size()) {
      if (watch.microseconds() > kMost * 1e6) throw Failure("a stream shows no frame");
      wait(all, 0.1);
      begun = 0;
      for (Stream* stream : all) begun += stream->begin();
    }
    wait(all, 1);
  }

  Trial measure(const All& all, double seconds) const {
    std::vector<Stream::Count> before;
    for (const Stream* stream : all) before.push_back(stream->count());
    const bench::Stopwatch watch;
    const double cpu = cpu_seconds();
    wait(all, seconds);
    Trial trial;
    trial.streams = static_cast<int>(all.size());
    trial.seconds = 1e-6 * watch.microseconds();
    trial.cores = (cpu_seconds() - cpu) / trial.seconds;
    // A stream may have a frame on its way at either end.
    const auto due =
        static_cast<guint64>(std::max(0.0, trial.seconds * camera_.frames_per_second - 2));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Stream::Count after = all[i]->count();
      const guint64 came = after.came - before[i].came;
      trial.frames += came;
      trial.late += after.late - before[i].late;
      if (came < due) trial.lost += due - came;
    }
    return trial;
  }

  const Options& options_;
  const Camera& camera_;
  Recording recording_;
};

void print_head() {
  std::printf("%-14s %-8s %4s %8s %9s %6s %5s %5s\n", "camera", "memory", "GPUs", "streams",
              "frames/s", "cores", "late", "lost");
}

void print(const Options& options, const Camera& camera, const Trial& trial) {
  const std::string name = std::to_string(camera.size.width) + "x" +
                           std::to_string(camera.size.height) + "@" +
                           std::to_string(camera.frames_per_second);
  std::printf("%-14s %-8s %4d %8d %9.1f %6.2f %5llu %5llu %s\n", name.c_str(),
              camera.video.empty() ? "system" : "CUDA", options.devices, trial.streams,
              static_cast<double>(trial.frames) / trial.seconds, trial.cores,
              static_cast<unsigned long long>(trial.late),
              static_cast<unsigned long long>(trial.lost), trial.holds() ? "holds" : "does not");
  std::fflush(stdout);
}

/// Finds the largest number of streams that hold, to 3 %. Returns it, 0 if one is too many.
int search(const Options& options, const Camera& camera, const Streams& streams) {
  int most = 0, too_many = 0, step = options.first;
  const auto play = [&](int count) {
    Trial trial = streams.run(count);
    print(options, camera, trial);
    // Something else on the machine may have held up a few frames.
    if (!trial.holds() && trial.is_near()) print(options, camera, trial = streams.run(count));
    (trial.holds() ? most : too_many) = count;
  };
  while (too_many != 1 && (too_many == 0 || too_many - most > std::max(1, most / 32))) {
    play(too_many == 0 ? most + step : (most + too_many) / 2);
    step *= 2;
  }
  return most;
}

/// Returns whether the streams held.
bool run(const Options& options, const Camera& camera) {
  const Streams streams(options, camera);
  if (options.streams == 0) return search(options, camera, streams) > 0;
  const Trial trial = streams.run(options.streams);
  print(options, camera, trial);
  return trial.holds();
}

/// The rows of chroma are two of luma each.
Camera read_camera(const std::string& text) {
  Camera camera = {};
  int length = 0;
  const auto fits = [](int side) { return side >= 16 && side <= 8192 && side % 4 == 0; };
  if (std::sscanf(text.c_str(), "%4dx%4d@%3d%n", &camera.size.width, &camera.size.height,
                  &camera.frames_per_second, &length) == 3 &&
      fits(camera.size.width) && fits(camera.size.height) && camera.frames_per_second > 0) {
    const std::string rest = text.substr(static_cast<std::size_t>(length));
    if (!rest.empty()) camera.video = rest.substr(1);
    if (rest.empty() || (rest[0] == '=' && rest.size() > 1)) return camera;
  }
  bench::refuse(text, "is not WIDTHxHEIGHT@RATE[=VIDEO], with sides from 16 to 8192 in steps of 4");
}

constexpr char kUsage[] = R"(usage: bench_streams [OPTION]...

Finds how many live streams one process holds: each camera's frames come at their times to an element
cudacanny of its own, and no frame leaves later than the latencies that the elements report and one
period. Streams are spread over GPUs with cuda-device-id.

  --camera WIDTHxHEIGHT@RATE[=VIDEO]
                      NV12 in system memory, or decoded to CUDA memory from an H.264 file of that
                      size; may be repeated (1920x1080@30, 1920x1080@60 and 3840x2160@60)
  --backend cuda|cpu  of the elements (cuda)
  --gpus N            number of GPUs, from 0 on (1)
  --streams N         only this number of streams (0, search)
  --first N           number of streams to begin with (16)
  --seconds S         length of each try (5)
  --tiles FOLDER      tiles made by tests/pictures/tiles (without, drawn shapes)
  --help

Columns: frames/s, of all streams together; cores, which the process kept busy; late and lost, frames
that came late, or not at all. The search goes up from --first, and ends when the largest number that
holds is known to 3 %. Some edges of the first stream of each GPU are compared with the reference.
The exit status is 1 if they differ, or no stream holds, or --streams do not hold, and 2 after a
wrong argument.
)";

Options read_options(int argc, char** argv) {
  Options options;
  bool help = false;
  bench::read_options(
      argc, argv,
      {{"--camera", [&](const std::string& text) { options.cameras.push_back(read_camera(text)); }},
       {"--backend", bench::store(&options.backend)},
       {"--gpus", bench::store(&options.devices, 1, 16)},
       {"--streams", bench::store(&options.streams, 0, 10000)},
       {"--first", bench::store(&options.first, 1, 10000)},
       {"--seconds", bench::store(&options.seconds, 0.5, 3600)},
       {"--tiles", [&](const std::string& text) { options.tiles = pictures::read_tiles(text); }}},
      {{"--help", &help}});
  if (help) std::exit(std::fputs(kUsage, stdout) < 0);
  if (options.backend != "cuda" && options.backend != "cpu")
    bench::refuse(options.backend, "is no backend: --backend cuda or cpu");
  if (options.cameras.empty())
    options.cameras = {{{1920, 1080}, 30, ""}, {{1920, 1080}, 60, ""}, {{3840, 2160}, 60, ""}};
  return options;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = read_options(argc, argv);
  gst_init(nullptr, nullptr);
  print_head();
  bool right = true;
  for (const Camera& camera : options.cameras) {
    try {
      right &= run(options, camera);
    } catch (const Failure& failure) {
      std::printf("FAILED: %s\n", failure.what());
      right = false;
    }
  }
  return right ? 0 : 1;
} catch (const std::invalid_argument& wrong) {
  bench::fail(wrong.what(), 2);
}
