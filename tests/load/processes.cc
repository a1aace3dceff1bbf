// SPDX-License-Identifier: LGPL-2.1-or-later
// 16 processes at once, each with an element of its own.
#include <cstdio>
#include <stdexcept>

#include "loads.h"

namespace load {
namespace {

constexpr int kProcesses = 16;

/// Reads the numbers that a process prints: its frames, and its figures.
bool read_numbers(std::FILE* output, Run* run) {
  unsigned long long pushed = 0, frames = 0, wrong = 0;
  if (std::fscanf(output, "%llu %llu %llu", &pushed, &frames, &wrong) != 3) return false;
  Growth growth;
  for (Figures* figures : {&growth.from, &growth.to})
    for (long& figure : *figures)
      if (std::fscanf(output, "%ld", &figure) != 1) return false;
  run->score.pushed += pushed;
  run->score.frames += frames;
  run->score.wrong += wrong;
  run->growth.add_worst(growth);
  return true;
}

}  // namespace

void run_processes(Run* run, const std::string& program) {
  run->warm_up_begins();
  const std::string command =
      "'" + program + "' process --backend " + run->backend + (run->is_short ? " --short" : "");
  std::FILE* outputs[kProcesses] = {};
  for (std::FILE*& output : outputs) output = popen(command.c_str(), "r");
  int failed = 0;
  for (std::FILE* output : outputs) {
    const bool has_numbers = output != nullptr && read_numbers(output, run);
    const bool has_ended = output != nullptr && pclose(output) == 0;
    if (!has_numbers || !has_ended) ++failed;
  }
  if (failed > 0) throw std::runtime_error(std::to_string(failed) + " processes failed");
}

}  // namespace load
