// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs one load on the element and prints its row of the table. tests/load/run starts it.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <thread>

#include "loads.h"

namespace {

using load::Run;

constexpr int kSkipped = 77;
constexpr std::chrono::seconds kPatience(60);

struct Command {
  std::string load;
  Run run;
};

[[noreturn]] void usage() {
  std::fprintf(stderr,
               "usage: load elements|processes|caps|properties|states|full-speed "
               "[--backend cpu|cuda] [--minutes N] [--short]\n");
  std::exit(2);
}

void parse(int argc, char** argv, Command* command) {
  if (argc < 2) usage();
  command->load = argv[1];
  command->run.backend = "cpu";
  for (int i = 2; i < argc; ++i) {
    const std::string key = argv[i];
    if (key == "--short") {
      command->run.is_short = true;
      continue;
    }
    if (++i == argc) usage();
    if (key == "--backend" && (!strcmp(argv[i], "cpu") || !strcmp(argv[i], "cuda")))
      command->run.backend = argv[i];
    else if (key == "--minutes" && std::atof(argv[i]) > 0)
      command->run.minutes = std::atof(argv[i]);
    else
      usage();
  }
}

/// Prints the row, or the numbers that the load `processes` reads, and why the load failed. Returns
/// the exit status.
int report(const Command& command, std::string failure) {
  const Run& run = command.run;
  const unsigned long long pushed = run.score.pushed, frames = run.score.frames,
                           wrong = run.score.wrong;
  const auto lost = static_cast<long long>(pushed - frames);
  if (wrong > 0) failure += (failure.empty() ? "" : ", ") + std::to_string(wrong) + " wrong";
  if (lost != 0) failure += (failure.empty() ? "" : ", ") + std::to_string(lost) + " lost";
  if (command.load == "process") {
    std::printf("%llu %llu %llu", pushed, frames, wrong);
    for (const load::Figures* figures : {&run.growth.from, &run.growth.to})
      for (const long figure : *figures) std::printf(" %ld", figure);
    std::printf("\n");
  } else {
    // A hundredth of a load is over before all memory is allocated once.
    const std::string growth = run.growth.failure(!run.is_short);
    const bool has_ended = failure.empty() || run.growth.to[0] >= 0;
    if (has_ended && !growth.empty()) failure += (failure.empty() ? "" : ", ") + growth;
    std::printf("%-11s %-7s %9llu %6llu %6lld", command.load.c_str(), run.backend.c_str(), frames,
                wrong, lost);
    for (int i = 0; i < load::kFigures; ++i) std::printf(" %8s", run.growth.percent(i).c_str());
    const std::chrono::duration<double> seconds = load::Clock::now() - run.begin;
    std::printf(" %8.1f\n", seconds.count());
  }
  if (!failure.empty())
    std::fprintf(command.load == "process" ? stderr : stdout, "FAILED: %s on %s: %s\n",
                 command.load.c_str(), run.backend.c_str(), failure.c_str());
  std::fflush(stdout);
  return failure.empty() ? 0 : 1;
}

/// Ends the process if no frame comes out for a minute.
void watch(const Command* command) {
  auto last = load::Clock::now();
  std::uint64_t frames = 0;
  for (;;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const std::uint64_t now = command->run.score.frames;
    if (now != frames) last = load::Clock::now();
    frames = now;
    if (load::Clock::now() - last < kPatience) continue;
    std::_Exit(report(*command, "no frame for 60 s"));
  }
}

int run(Command* command, const char* program) {
  static const std::map<std::string, void (*)(Run*)> loads = {
      {"elements", load::run_elements}, {"process", load::run_process},
      {"caps", load::run_caps},         {"properties", load::run_properties},
      {"states", load::run_states},     {"full-speed", load::run_full_speed}};
  if (command->load != "processes" && loads.count(command->load) == 0) usage();
  const std::string reason = command->run.backend == "cuda" ? load::no_cuda_reason() : "";
  if (!reason.empty()) {
    std::printf("SKIPPED: %s on cuda: %s\n", command->load.c_str(), reason.c_str());
    return kSkipped;
  }
  std::string failure;
  try {
    if (command->load == "processes") {
      load::run_processes(&command->run, program);  // each of which watches itself
    } else {
      std::thread(watch, command).detach();
      loads.at(command->load)(&command->run);
    }
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  return report(*command, failure);
}

}  // namespace

int main(int argc, char** argv) {
  // With one arena, free memory in the middle of other arenas does not count as growth.
  mallopt(M_ARENA_MAX, 1);
  static Command command;
  parse(argc, argv, &command);
  gst_init(nullptr, nullptr);
  const int status = run(&command, argv[0]);
  std::fflush(stdout);
  std::_Exit(status);  // the watching thread still runs
}
