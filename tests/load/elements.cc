// SPDX-License-Identifier: LGPL-2.1-or-later
// 64 elements in one process, each in a pipeline of its own; and one element in its own process.
#include <memory>

#include "loads.h"

namespace load {
namespace {

constexpr std::uint64_t kElements = 64;
constexpr std::uint64_t kFramesOfElement = 200;
constexpr std::uint64_t kFramesOfProcess = 500;
constexpr const Format* kFormats[] = {&kRgb, &kNv12, &kGray, &kBgrx, &kI420, &kYuy2};
constexpr std::uint64_t kFormatCount = std::size(kFormats);

/// Two pictures of each format.
std::vector<std::vector<Picture>> pictures_of_formats() {
  std::vector<std::vector<Picture>> all(kFormatCount);
  for (std::uint64_t i = 0; i < kFormatCount; ++i)
    for (const std::uint64_t seed : {2 * i, 2 * i + 1})
      all[i].push_back(new_picture(*kFormats[i], 320, 240, seed));
  return all;
}

using Streams = std::vector<std::unique_ptr<Stream>>;

void push_to_all(const Streams& streams, std::uint64_t frames) {
  for (const auto& stream : streams) stream->push(frames);
  for (const auto& stream : streams) stream->wait();
}

}  // namespace

void run_elements(Run* run) {
  const auto pictures = pictures_of_formats();
  run->warm_up_begins();
  Streams streams;
  for (std::uint64_t i = 0; i < kElements; ++i) {
    const std::string in_flight = "frames-in-flight=" + std::to_string(i % 4);
    streams.push_back(std::make_unique<Stream>(run->settings(in_flight), pictures[i % kFormatCount],
                                               &run->score));
    streams.back()->set_state(GST_STATE_PLAYING);
  }
  push_to_all(streams, run->count(kFramesOfElement / 10));
  run->warm_up_ends();
  push_to_all(streams, run->count(kFramesOfElement * 9 / 10));
  run->ends();
}

void run_process(Run* run) {
  const std::vector<Picture> pictures = std::move(pictures_of_formats()[0]);
  run->with_device = false;
  run->warm_up_begins();
  Stream stream(run->settings(), pictures, &run->score);
  stream.set_state(GST_STATE_PLAYING);
  stream.run(run->count(kFramesOfProcess / 10));
  run->warm_up_ends();
  stream.run(run->count(kFramesOfProcess * 9 / 10));
  run->ends();
}

}  // namespace load
