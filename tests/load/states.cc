// SPDX-License-Identifier: LGPL-2.1-or-later
// 10,000 times from NULL or READY to PLAYING and back.
#include "loads.h"

namespace load {
namespace {

constexpr std::uint64_t kCycles = 10000;
constexpr std::uint64_t kFrames = 2;  // in each cycle

void cycle(Stream* stream, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    stream->set_state(GST_STATE_PLAYING);
    stream->run(kFrames);
    stream->set_state(i % 2 == 0 ? GST_STATE_NULL : GST_STATE_READY);
  }
  stream->set_state(GST_STATE_NULL);
}

}  // namespace

void run_states(Run* run) {
  std::vector<Picture> pictures;
  for (const std::uint64_t seed : {1, 2, 3}) pictures.push_back(new_picture(kRgb, 160, 120, seed));
  run->warm_up_begins();
  Stream stream(run->settings(), pictures, &run->score);
  cycle(&stream, run->count(kCycles / 10));
  run->warm_up_ends();
  cycle(&stream, run->count(kCycles * 9 / 10));
  run->ends();
}

}  // namespace load
