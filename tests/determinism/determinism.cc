// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the SHA-256 sums of frames of all settings with those in sums.txt: on the reference, on
// the CPU with every instruction set and several numbers of threads, and on CUDA and OpenCL with
// every set of kernels.
//
//   determinism [--backend cpu|cuda|opencl|all] [--step N] [--repeat N] [--load] [--no-reference]
//   determinism --pairs [--backend cpu|cuda|opencl|all]
//   determinism --print >tests/determinism/sums.txt
//
// `--step N` runs every N-th group, `--repeat N` all of it N times, `--load` with other detectors
// on all cores meanwhile. `--pairs` compares frames with the reference instead, as few as have
// each pair of values of two settings, and a usual one with each value of each setting.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>

#include "harness.h"
#include "matrix.h"
#include "runner.h"
#include "sums.h"

namespace {

using canny::Backend;
using determinism::Frames;
using determinism::Outcome;
using determinism::Runner;
using determinism::Sum;
using matrix::Group;

harness::Tally tally;

struct Options {
  harness::Options common;
  unsigned long repeat = 1;
  bool load = false, pairs = false, print = false, reference = true;
};

// Takes this program's own options off the command line.
Options parse(int argc, char** argv) {
  Options options;
  std::vector<char*> rest = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string key = argv[i];
    if (key == "--load")
      options.load = true;
    else if (key == "--pairs")
      options.pairs = true;
    else if (key == "--print")
      options.print = true;
    else if (key == "--no-reference")
      options.reference = false;
    else if (key == "--repeat" && i + 1 < argc)
      options.repeat = std::strtoul(argv[++i], nullptr, 10);
    else
      rest.push_back(argv[i]);
  }
  options.common = harness::parse(static_cast<int>(rest.size()), rest.data(), {});
  return options;
}

// The sums in the file, by group.
std::map<std::string, std::string> committed_sums() {
  std::map<std::string, std::string> sums;
  std::istringstream lines(kSums);
  for (std::string line; std::getline(lines, line);)
    if (line.size() > 66) sums[line.substr(66)] = line.substr(0, 64);
  return sums;
}

std::string reference_sum(const Group& group) {
  Sum sum;
  for (const cases::Case& c : group.cases) sum.add(reference_outcome(c, Frames(c)));
  return sum.text();
}

// The sum of a group on a runner, or nothing after an error.
std::optional<std::string> sum_of(const Group& group, const std::vector<Frames>& frames,
                                  Runner& runner) {
  Sum sum;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    Outcome outcome;
    const std::string error = runner.run(group.cases[i], frames[i], &outcome);
    if (!error.empty()) {
      tally.fail(runner.backend(),
                 runner.name() + ", " + describe(group.cases[i]) + "\n  " + error);
      return {};
    }
    sum.add(outcome);
  }
  return sum.text();
}

// How a case differs from the reference, or nothing.
std::string difference(const cases::Case& c, const Frames& frames, Runner& runner) {
  Outcome outcome;
  const std::string error = runner.run(c, frames, &outcome);
  if (!error.empty()) return describe(c) + "\n  " + error;
  const Outcome expected = reference_outcome(c, frames);
  if (outcome == expected) return "";
  const int row_bytes = canny::row_bytes(c.output, c.width);
  const std::string pixels = harness::difference(expected.pixels, outcome.pixels, row_bytes);
  return describe(c) + "\n  " + (pixels.empty() ? "the numbers differ" : pixels);
}

// The first case of a group that differs from the reference.
std::string first_difference(const Group& group, const std::vector<Frames>& frames,
                             Runner& runner) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::string found = difference(group.cases[i], frames[i], runner);
    if (!found.empty()) return found;
  }
  return "no frame differs from the reference now";
}

void check_group(const Group& group, const std::string& expected, bool with_reference,
                 const std::vector<std::unique_ptr<Runner>>& runners) {
  if (with_reference)
    tally.count(Backend::kAuto, "reference, " + group.name,
                reference_sum(group) == expected ? "" : "another sum");
  std::vector<Frames> frames;
  for (const cases::Case& c : group.cases) frames.emplace_back(c);
  for (const auto& runner : runners) {
    const auto sum = sum_of(group, frames, *runner);
    if (!sum) continue;
    tally.count(runner->backend(), runner->name() + ", " + group.name,
                *sum == expected ? "" : first_difference(group, frames, *runner));
  }
}

void check_sums(const Options& options, const std::vector<Group>& groups,
                const std::vector<std::unique_ptr<Runner>>& runners) {
  const auto sums = committed_sums();
  tally.count(Backend::kAuto, "groups",
              sums.size() == groups.size() ? "" : "another number of sums");
  std::optional<determinism::Load> load;
  if (options.load) load.emplace(options.common.cuda);
  for (unsigned long repeat = 0; repeat < options.repeat; ++repeat) {
    for (std::size_t i = 0; i < groups.size(); i += options.common.step) {
      const auto sum = sums.find(groups[i].name);
      const std::string expected = sum != sums.end() ? sum->second : "";
      check_group(groups[i], expected, options.reference && repeat == 0, runners);
    }
  }
}

void check_pairs(const std::vector<std::unique_ptr<Runner>>& runners) {
  for (const cases::Case& c : matrix::pairwise())
    for (const auto& runner : runners)
      tally.count(runner->backend(), runner->name(), difference(c, Frames(c), *runner));
}

std::vector<std::unique_ptr<Runner>> runners_of(const harness::Options& options) {
  std::vector<std::unique_ptr<Runner>> runners;
  if (options.cpu) runners = determinism::cpu_runners();
  const auto add = [&](Backend backend) {
    canny::Detector detector;
    const canny::Status status =
        canny::Detector::create(harness::detector_options(backend), &detector);
    if (!status.ok()) return tally.skip(backend, status.message());
    for (auto& runner : determinism::device_runners(backend)) runners.push_back(std::move(runner));
  };
  if (options.cuda) add(Backend::kCuda);
  if (options.opencl) add(Backend::kOpenCl);
  return runners;
}

void check_coverage() {
  const matrix::Coverage coverage = matrix::coverage();
  tally.count(Backend::kAuto, "pairs of settings",
              coverage.missing == 0 ? ""
                                    : std::to_string(coverage.missing) + " of " +
                                          std::to_string(coverage.pairs) + " pairs are in no case");
  std::printf("%llu pairs of settings\n", static_cast<unsigned long long>(coverage.pairs));
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::vector<Group> groups = matrix::groups();
  if (options.print) {
    for (const Group& group : groups)
      std::printf("%s  %s\n", reference_sum(group).c_str(), group.name.c_str());
    return 0;
  }
  check_coverage();
  // summary() names the kernels that CUDA was told to use.
  const char* const variable = determinism::kernels_variable(Backend::kCuda);
  const char* set = std::getenv(variable);
  const std::string kernels = set != nullptr ? set : "";
  const auto runners = runners_of(options.common);
  if (options.pairs)
    check_pairs(runners);
  else
    check_sums(options, groups, runners);
  if (set != nullptr) setenv(variable, kernels.c_str(), 1);
  if (set == nullptr) unsetenv(variable);
  return tally.summary();
}
