// SPDX-License-Identifier: LGPL-2.1-or-later
// One stream of 1080p as fast as it goes, for a given time.
#include <thread>

#include "loads.h"

namespace load {
namespace {

void play(Stream* stream, double minutes) {
  stream->push(Stream::kEndless);
  std::this_thread::sleep_for(std::chrono::duration<double>(60 * minutes));
  stream->stop();
  stream->wait();
}

}  // namespace

void run_full_speed(Run* run) {
  std::vector<Picture> pictures;
  for (const std::uint64_t seed : {1, 2, 3, 4})
    pictures.push_back(new_picture(kNv12, 1920, 1080, seed));
  run->warm_up_begins();
  Stream stream(run->settings(), pictures, &run->score);
  stream.set_state(GST_STATE_PLAYING);
  play(&stream, run->minutes / 10);
  run->warm_up_ends();
  play(&stream, run->minutes * 9 / 10);
  run->ends();
}

}  // namespace load
