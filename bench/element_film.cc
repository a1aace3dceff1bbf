// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes a film and a picture with GStreamer's encoders.
#include "element_film.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "element_source.h"

namespace bench {
namespace {

constexpr int kStep = 2;  // rows from frame to frame

struct Encoder {
  const char* name;
  const char* settings;  // about 40 Mbit/s
};
constexpr Encoder kEncoders[] = {
    {"x264enc", "bitrate=40000 speed-preset=veryfast key-int-max=60"},
    {"openh264enc", "bitrate=40000000 complexity=low gop-size=60"},
};

const Encoder& find_encoder() {
  for (const Encoder& encoder : kEncoders)
    if (has_element(encoder.name)) return encoder;
  throw NotRun(
      "no H.264 encoder: install gstreamer1.0-plugins-ugly (x264enc) or "
      "gstreamer1.0-plugins-bad (openh264enc), or give a --video");
}

/// Returns views of one tall picture, each `kStep` rows below the one before.
Buffers views(const Setup& setup, int count) {
  const Size size = setup.film_size;
  const auto content = setup.tiles.empty() ? pictures::Content::kShapes : pictures::Content::kPhoto;
  const int rows = size.height + kStep * (count - 1);
  const std::vector<std::uint8_t> rgb = pictures::paint(content, size.width, rows, setup.tiles);
  const Ref<GstBuffer> tall(gst_buffer_new_memdup(rgb.data(), rgb.size()));
  Buffers frames;
  const gsize row = gsize{3} * static_cast<gsize>(size.width);
  for (int i = 0; i < count; ++i)
    frames.emplace_back(gst_buffer_copy_region(tall.get(), GST_BUFFER_COPY_MEMORY,
                                               row * static_cast<gsize>(kStep * i),
                                               row * static_cast<gsize>(size.height)));
  return frames;
}

/// Runs frames through the encoder and writes them to the file.
void encode(const Setup& setup, int count, const std::string& encoder, const std::string& path) {
  const Size size = setup.film_size;
  const std::string caps = "video/x-raw,format=RGB,width=" + std::to_string(size.width) +
                           ",height=" + std::to_string(size.height) +
                           ",framerate=" + std::to_string(kFramesPerSecond) + "/1";
  const Ref<GstCaps> parsed(gst_caps_from_string(caps.c_str()));
  g_autofree gchar* quoted = g_strescape(path.c_str(), nullptr);
  Pipeline pipeline("videoconvert name=first ! " + encoder + " ! filesink location=\"" + quoted +
                    "\"");
  pipeline.add_source(new_source(parsed.get(), views(setup, count), Supply::kOwn, count), "first");
  pipeline.run(600);
}

}  // namespace

Folder::Folder() {
  g_autoptr(GError) error = nullptr;
  g_autofree gchar* path = g_dir_make_tmp("bench_element-XXXXXX", &error);
  if (path == nullptr) throw Failure(error->message);
  path_ = path;
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

std::string Folder::path(const char* name) const { return path_ + "/" + name; }

bool has_element(const char* name) {
  return Ref<GstElementFactory>(gst_element_factory_find(name)) != nullptr;
}

void require_element(const char* name, const char* package) {
  if (!has_element(name)) throw NotRun(std::string("no ") + name + ": install " + package);
}

Film make_film(const Setup& setup, const Folder& folder) {
  constexpr double kMostFrames = 240;
  const Encoder& encoder = find_encoder();
  require_element("h264parse", "gstreamer1.0-plugins-bad");
  require_element("matroskamux", "gstreamer1.0-plugins-good");
  const double wanted = Meter::kWarmUp + kFramesPerSecond * setup.seconds;
  const int frames = static_cast<int>(std::min(wanted, kMostFrames));
  Film film{folder.path("film.mkv"), encoder.name};
  encode(setup, frames,
         std::string(encoder.name) + " " + encoder.settings + " ! h264parse ! matroskamux",
         film.path);
  const auto bytes = static_cast<double>(std::filesystem::file_size(film.path));
  film.megabits = static_cast<int>(8e-6 * bytes * kFramesPerSecond / frames);
  return film;
}

std::string make_picture(const Setup& setup, const Folder& folder) {
  require_element("pngenc", "gstreamer1.0-plugins-good");
  const std::string path = folder.path("picture.png");
  encode(setup, 1, "pngenc", path);
  return path;
}

}  // namespace bench
