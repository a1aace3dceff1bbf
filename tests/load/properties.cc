// SPDX-License-Identifier: LGPL-2.1-or-later
// 100,000 changes of properties by 8 threads while frames run. Each thread switches one property
// between two values, so every frame has the map of one of 2^8 settings.
#include <stdexcept>
#include <thread>

#include "loads.h"
#include "random.h"

namespace load {
namespace {

constexpr std::uint64_t kChanges = 100000;
constexpr std::uint64_t kChangesPerFrame = 20;

struct Switch {
  const char* property;
  const char* values[2];
  void (*set)(canny::Params* params, int value);
};

const Switch kSwitches[] = {
    {"low-threshold", {"30", "60"}, [](auto* p, int v) { p->low_threshold = v ? 60 : 30; }},
    {"high-threshold", {"120", "180"}, [](auto* p, int v) { p->high_threshold = v ? 180 : 120; }},
    {"sigma", {"0.75", "1.5"}, [](auto* p, int v) { p->sigma = v ? 1.5 : 0.75; }},
    {"norm",
     {"l2", "l1"},
     [](auto* p, int v) { p->norm = v ? canny::Norm::kL1 : canny::Norm::kL2; }},
    {"operator",
     {"sobel", "prewitt"},
     [](auto* p, int v) {
       p->gradient_operator = v ? canny::Operator::kPrewitt : canny::Operator::kSobel;
     }},
    {"thin-edges", {"true", "false"}, [](auto* p, int v) { p->thin_edges = v == 0; }},
    {"hysteresis-passes", {"0", "1"}, [](auto* p, int v) { p->hysteresis_passes = unsigned(v); }},
    {"min-length", {"0", "12"}, [](auto* p, int v) { p->min_length = v ? 12 : 0; }},
};
constexpr int kThreads = int(std::size(kSwitches));

/// Bit i is the value of switch i.
canny::Params params_of(unsigned values) {
  canny::Params params;
  for (int i = 0; i < kThreads; ++i) kSwitches[i].set(&params, int(values >> i & 1));
  return params;
}

std::vector<canny::Params> all_params() {
  std::vector<canny::Params> all;
  for (unsigned values = 0; values < 1u << kThreads; ++values) all.push_back(params_of(values));
  return all;
}

void set(GstElement* element, const Switch& property, int value) {
  gst_util_set_object_arg(G_OBJECT(element), property.property, property.values[value]);
}

/// Changes one property at random, no faster than frames come out. Returns its last value.
int change(GstElement* element, const Switch& property, std::uint64_t count, std::uint64_t seed,
           const Score& score) {
  reference::Random random(seed);
  const std::uint64_t first = score.frames;
  int value = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    while ((score.frames - first + 1) * kChangesPerFrame < i * kThreads)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    value = random.between(0, 1);
    set(element, property, value);
  }
  return value;
}

/// Returns the last values.
unsigned change_all(Stream* stream, std::uint64_t count, const Score& score) {
  int values[kThreads] = {};
  std::vector<std::thread> threads;
  stream->push(Stream::kEndless);
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      values[i] = change(stream->element(), kSwitches[i], count / kThreads, count + i, score);
    });
  for (std::thread& thread : threads) thread.join();
  stream->stop();
  stream->wait();
  unsigned bits = 0;
  for (int i = 0; i < kThreads; ++i) bits |= unsigned(values[i]) << i;
  return bits;
}

}  // namespace

void run_properties(Run* run) {
  std::vector<Picture> pictures;
  pictures.push_back(new_picture(kRgb, 160, 120, 1, all_params()));
  run->warm_up_begins();
  Stream stream(run->settings(), pictures, &run->score);
  for (const Switch& property : kSwitches) set(stream.element(), property, 0);
  stream.set_state(GST_STATE_PLAYING);
  change_all(&stream, run->count(kChanges / 10), run->score);
  run->warm_up_ends();
  const unsigned last = change_all(&stream, run->count(kChanges * 9 / 10), run->score);
  // Now all changes are over, and the frames have exactly one setting.
  pictures[0].right = {expected_checksum(pictures[0], params_of(last))};
  stream.run(8);
  run->ends();
  if (stream.different() < (run->is_short ? 2 : 64))
    throw std::runtime_error("only " + std::to_string(stream.different()) + " different maps");
}

}  // namespace load
