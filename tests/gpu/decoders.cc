// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares frames in CUDA memory, from a decoder or an upload, after cudacanny on the GPU with the
/// CPU backend's result for the same frame, repeatedly, while other work keeps the GPU busy.
#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "canny/canny.h"

namespace {

using Hashes = std::vector<std::string>;

constexpr char kUsage[] =
    "usage: decoders [--runs N] [--only TEXT] [--alone] VIDEO...\n"
    "Each VIDEO is an H.264 file in MP4. GST_PLUGIN_PATH leads to cudacanny. --only leaves out "
    "the\n"
    "variants whose printed names lack TEXT, such as 4k.mp4, upload, jpeg or 'queue, 3 in "
    "flight'.\n"
    "--alone leaves the other work on the GPU to other programs.\n";

/// Frames of one kind in CUDA memory.
struct Source {
  std::string name;
  std::string line;     ///< gives NV12 or I420 in CUDA memory
  const char* element;  ///< an element that the line needs
};

/// Keeps the GPU busy from another context until the end of the scope.
class BusyGpu {
 public:
  explicit BusyGpu(bool is_wanted) {
    if (is_wanted) thread_ = std::thread([this] { run(); });
  }
  ~BusyGpu() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  BusyGpu(const BusyGpu&) = delete;
  BusyGpu& operator=(const BusyGpu&) = delete;

  bool failed() const { return failed_; }

 private:
  void run() {
    constexpr int kSide = 6000;
    canny::Options options;
    options.backend = canny::Backend::kCuda;
    canny::Detector detector;
    std::vector<std::uint8_t> in(std::size_t{kSide} * kSide), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::uint8_t(i * 2654435761u >> 24);
    canny::Params params;
    params.sigma = canny::kMaxSigma;
    bool ok =
        canny::Detector::create(options, &detector).ok() && detector.set_size(kSide, kSide).ok();
    while (ok && !stop_) {
      ok = detector
               .detect(params, {in.data(), kSide, kSide, kSide}, {out.data(), kSide, kSide, kSide},
                       nullptr)
               .ok();
    }
    failed_ = !ok;
  }

  std::atomic<bool> stop_{false}, failed_{false};
  std::thread thread_;
};

/// Adds the hash of a frame's planes, without the bytes between rows.
void add_hash(GstElement*, GstBuffer* buffer, GstPad* pad, gpointer data) {
  GstCaps* caps = gst_pad_get_current_caps(pad);
  GstVideoInfo info;
  GstVideoFrame frame;
  GChecksum* sum = g_checksum_new(G_CHECKSUM_MD5);
  if (gst_video_info_from_caps(&info, caps) &&
      gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) {
    for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
      const auto* row = static_cast<const guchar*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
      const gssize bytes =
          GST_VIDEO_FRAME_COMP_WIDTH(&frame, plane) * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, plane);
      for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, plane); ++y) {
        g_checksum_update(sum, row + y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane), bytes);
      }
    }
    gst_video_frame_unmap(&frame);
  }
  static_cast<Hashes*>(data)->push_back(g_checksum_get_string(sum));
  g_checksum_free(sum);
  gst_caps_unref(caps);
}

/// Runs a line to its end and returns the hashes of its frames. If it fails, returns none and sets
/// `*error`.
Hashes run(const std::string& line, std::string* error) {
  Hashes hashes;
  GError* parse_error = nullptr;
  GstElement* pipeline = gst_parse_launch(
      (line + " ! fakesink name=sink sync=false signal-handoffs=true").c_str(), &parse_error);
  if (parse_error != nullptr) {
    *error = parse_error->message;
    g_error_free(parse_error);
    return {};
  }
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  g_signal_connect(sink, "handoff", G_CALLBACK(add_hash), &hashes);
  GstBus* bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus, 60 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (message == nullptr) {
    *error = "no end within a minute";
  } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* failure = nullptr;
    gst_message_parse_error(message, &failure, nullptr);
    *error = failure->message;
    g_error_free(failure);
  }
  if (message != nullptr) gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  return error->empty() ? hashes : Hashes();
}

bool has_element(const char* name) {
  GstElementFactory* factory = gst_element_factory_find(name);
  if (factory != nullptr) gst_object_unref(factory);
  return factory != nullptr;
}

std::vector<Source> sources_of(const std::vector<std::string>& videos) {
  std::vector<Source> sources;
  for (const std::string& video : videos) {
    sources.push_back(
        {video, "filesrc location=" + video + " ! qtdemux ! h264parse ! nvh264dec", "nvh264dec"});
  }
  for (const char* size : {"width=1920,height=1080", "width=3840,height=2160"}) {
    const std::string test =
        std::string(
            "videotestsrc num-buffers=12 pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
            "video/x-raw,format=") +
        "NV12," + size + ",framerate=30/1 ! ";
    sources.push_back({std::string("upload ") + size, test + "cudaupload", "cudaupload"});
    sources.push_back(
        {std::string("jpeg ") + size, test + "videoconvert ! jpegenc ! nvjpegdec", "nvjpegdec"});
  }
  return sources;
}

struct Counts {
  int passed = 0, failed = 0, skipped = 0;
};

/// The number of these frames that differ from the reference.
int count_differences(const Hashes& hashes, const Hashes& reference) {
  int differ =
      int(std::max(hashes.size(), reference.size()) - std::min(hashes.size(), reference.size()));
  for (std::size_t i = 0; i < std::min(hashes.size(), reference.size()); ++i) {
    differ += hashes[i] != reference[i];
  }
  return differ;
}

/// A source with a number of frames in flight, with or without a queue.
struct Variant {
  const Source& source;
  bool has_queue;
  int in_flight;

  std::string name() const {
    return source.name + (has_queue ? ", queue" : "") + ", " + std::to_string(in_flight) +
           " in flight";
  }
  std::string line() const {
    return source.line + " ! video/x-raw(memory:CUDAMemory) ! " + (has_queue ? "queue ! " : "") +
           "cudacanny backend=cuda frames-in-flight=" + std::to_string(in_flight) +
           " ! video/x-raw(memory:CUDAMemory) ! cudadownload";
  }
};

void check_variant(const Variant& variant, const Hashes& reference, int runs, Counts* counts) {
  int wrong_runs = 0;
  int wrong_frames = 0;
  std::string error;
  for (int i = 0; i < runs && error.empty(); ++i) {
    const int differ = count_differences(run(variant.line(), &error), reference);
    wrong_runs += differ > 0;
    wrong_frames += differ;
  }
  std::printf("%s: %d of %d runs, %d frames differ%s%s\n", variant.name().c_str(), wrong_runs, runs,
              wrong_frames, error.empty() ? "" : ": ", error.c_str());
  ++(wrong_runs > 0 || !error.empty() ? counts->failed : counts->passed);
}

void check_source(const Source& source, const std::string& wanted, int runs, Counts* counts) {
  std::vector<Variant> variants;
  for (const bool has_queue : {false, true}) {
    for (const int in_flight : {1, 3, 8}) {
      const Variant variant{source, has_queue, in_flight};
      if (variant.name().find(wanted) != std::string::npos) variants.push_back(variant);
    }
  }
  if (variants.empty()) return;
  if (!has_element(source.element)) {
    std::printf("SKIPPED: %s, for want of %s\n", source.name.c_str(), source.element);
    counts->skipped += static_cast<int>(variants.size());
    return;
  }
  std::string error;
  const Hashes reference = run(source.line +
                                   " ! video/x-raw(memory:CUDAMemory) ! cudadownload ! "
                                   "cudacanny backend=cpu",
                               &error);
  if (reference.empty()) {
    std::printf("FAILED: %s on the CPU: %s\n", source.name.c_str(), error.c_str());
    ++counts->failed;
    return;
  }
  for (const Variant& variant : variants) check_variant(variant, reference, runs, counts);
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  int runs = 20;
  bool is_alone = false;
  std::string wanted;
  std::vector<std::string> videos;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool is_option = argument == "--runs" || argument == "--only";
    if (is_option && i + 1 < argc) {
      if (argument == "--runs") runs = std::atoi(argv[++i]);
      if (argument == "--only") wanted = argv[++i];
    } else if (argument == "--alone") {
      is_alone = true;
    } else {
      videos.push_back(argument);
    }
  }
  if (videos.empty() || videos[0][0] == '-' || runs < 1) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  Counts counts;
  {
    const BusyGpu busy(!is_alone);
    const std::vector<Source> sources = sources_of(videos);
    for (const Source& source : sources) check_source(source, wanted, runs, &counts);
    if (busy.failed()) {
      std::printf("FAILED: the work beside the pipelines\n");
      ++counts.failed;
    }
  }
  std::printf("cpu: 0 cases, cuda: %d cases\n", counts.passed + counts.failed);
  std::printf("%d passed, %d failed, %d skipped\n", counts.passed, counts.failed, counts.skipped);
  return counts.failed > 0 || counts.passed == 0;
}
