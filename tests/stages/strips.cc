// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests how the threads of the CPU backend share pieces and strips: with more threads than cores,
// that each piece runs once, that a strip has one owner at a time, and that no border is left open.
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "cpu/threads/bands.h"
#include "cpu/threads/borders.h"
#include "harness.h"

namespace {

using canny::cpu::Bands;
using canny::cpu::Borders;

harness::Tally tally;
int frames = 50;  // of each number of pieces or strips and of threads

template <class Run>
void in_threads(int count, Run run) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([=] { run(i); });
  for (std::thread& thread : threads) thread.join();
}

std::string named(const char* what, int count, int threads) {
  return std::to_string(count) + " " + what + ", " + std::to_string(threads) + " threads";
}

// The pieces that a single thread of a band takes, in order.
std::vector<int> taken(Bands& bands, int band, int count) {
  std::vector<int> pieces;
  while (count-- > 0) pieces.push_back(bands.take(band));
  return pieces;
}

void test_order() {
  Bands bands;
  bands.set_size(3);
  bands.begin(24);
  tally.count(taken(bands, 1, 9) == std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15, 4},
              "a thread takes its band, then the lower half of another one");
  tally.count(taken(bands, 0, 5) == std::vector<int>{0, 1, 2, 3, 20},
              "the thread of that band is left with the upper half");
  tally.count(taken(bands, 2, 5) == std::vector<int>{16, 17, 18, 19, 22},
              "a thread takes over what another one took over");
  bands.begin(2);
  tally.count(taken(bands, 1, 3) == std::vector<int>{0, 1, -1}, "bands may be empty");
}

// Threads that begin late leave their band to others.
void test_pieces(int pieces, int threads) {
  Bands bands;
  bands.set_size(threads);
  std::vector<int> loops(pieces);  // each by one thread per loop
  for (int loop = 0; loop < frames; ++loop) {
    bands.begin(pieces);
    in_threads(threads, [&](int band) {
      for (int piece; (piece = bands.take(band)) >= 0;) ++loops[piece];
    });
  }
  tally.count(loops == std::vector<int>(pieces, frames), named("pieces", pieces, threads));
}

// Each strip counts down how often it changes at its borders. A change of the upper one opens the
// border above, and one of the lower one, the border below.
void test_strips(int strips, int threads) {
  constexpr int kChanges = 5;
  Bands bands;
  Borders borders;
  bands.set_size(threads);
  borders.set_size(strips);
  std::vector<int> changes(strips), joined(strips);  // for the owners of the strips
  std::vector<std::atomic<int>> owners(strips);
  std::atomic<bool> is_right = true;
  for (int frame = 0; frame < frames; ++frame) {
    std::fill(changes.begin(), changes.end(), kChanges);
    std::fill(joined.begin(), joined.end(), 0);
    bands.begin(strips);
    borders.begin();
    const auto own = [&](int strip) {
      if (owners[strip].fetch_add(1) != 0) is_right = false;
    };
    const auto settle = [&](int strip) {
      own(strip);
      int first = strip, last = strip + 1;
      bool changed_first = false, changed_last = false;
      for (;;) {
        for (int i = first; i < last; ++i) --owners[i];
        const int border = borders.give_up(first, last, changed_first, changed_last);
        if (border == 0) return;
        first = border - 1;
        last = border + 1;
        own(first);
        own(border);
        ++joined[border];
        changed_first = changes[first] > 0 && first > 0;
        changed_last = changes[border] > 0 && last < strips;
        if (changed_first) --changes[first];
        if (changed_last) --changes[border];
      }
    };
    in_threads(threads, [&](int band) {
      for (int strip; (strip = bands.take(band)) >= 0;) settle(strip);
    });
    // Each border opens once at first. The inner strips change until none is left.
    for (int border = 1; border < strips; ++border)
      if (joined[border] == 0) is_right = false;
    for (int strip = 1; strip + 1 < strips; ++strip)
      if (changes[strip] != 0) is_right = false;
  }
  tally.count(is_right, named("strips", strips, threads));
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  frames = std::max(2, static_cast<int>(50 / options.step));
  test_order();
  for (const int threads : {1, 2, 5, 16})
    for (const int count : {1, 2, 16, 33, 100}) {
      test_pieces(count, threads);
      test_strips(count, threads);
    }
  return tally.summary();
}
