// SPDX-License-Identifier: LGPL-2.1-or-later
// 10,000 changes of sizes and formats on a running stream.
#include "loads.h"

namespace load {
namespace {

constexpr std::uint64_t kChanges = 10000;

struct Size {
  int width, height;
};
constexpr Size kSizes[] = {{320, 240}, {240, 320}, {160, 120}, {66, 50}, {34, 200}};
constexpr const Format* kFormatsInTurn[] = {&kRgb, &kNv12, &kGray, &kUyvy, &kBgra, &kP010};

}  // namespace

void run_caps(Run* run) {
  std::vector<Picture> pictures;
  for (const Size& size : kSizes)
    for (const Format* format : kFormatsInTurn)
      pictures.push_back(new_picture(*format, size.width, size.height, pictures.size()));
  run->warm_up_begins();
  Stream stream(run->settings(), pictures, &run->score);
  stream.set_state(GST_STATE_PLAYING);
  // The first frame is not a change. With 30 pictures, both parts end with the same one, and the
  // process holds buffers of the same size.
  stream.run(1 + run->count(kChanges / 10));
  run->warm_up_ends();
  stream.run(run->count(kChanges * 9 / 10));
  run->ends();
}

}  // namespace load
