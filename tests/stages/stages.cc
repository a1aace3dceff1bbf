// SPDX-License-Identifier: LGPL-2.1-or-later
// Every stage of every backend against the reference, to the bit.
#include <hwy/targets.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "backend_stages.h"
#include "cases.h"
#include "harness.h"
#include "reference/drawn_masks.h"
#include "reference/masks.h"
#include "reference/reference.h"

namespace {

using cases::Case;
using harness::difference;
using harness::GuardedFrame;
using stages::BackendStages;
using stages::Planes;

// The masks' seeds come after all others.
constexpr std::uint64_t kMaskSeeds = 2 * cases::kFrontSeeds;

harness::Tally tally;

// Instruction sets other than the best one run every kTargetStep-th case.
constexpr std::uint64_t kTargetStep = 5;

// Counts a case whose stages all said "".
void count(const BackendStages& backend, const std::string& what, const std::string& failure) {
  if (failure.empty())
    tally.pass(backend.backend());
  else
    tally.fail(backend.backend(), what + "\n  " + failure);
}

reference::Candidates as_candidates(const Planes& planes, int width, int height) {
  reference::Candidates result{reference::Bytes(width, height), reference::Bytes(width, height)};
  result.candidate.samples = planes.candidate;
  result.strong.samples = planes.strong;
  return result;
}

std::string check_front(BackendStages& backend, const Case& c) {
  reference::Random random(c.seed + 1);
  GuardedFrame frame(c.width, c.height, c.input, c.input_offset, c.input_gap, c.input_bottom_up);
  frame.paint(cases::fill_image(c.fill, c.width, c.height, random), c.seed);
  const auto before = frame.block();

  const auto blurred = reference::blur(reference::luma(frame.const_frame()), c.params.sigma);
  const auto gradient = reference::sobel(blurred);
  const auto expected = reference::suppress(gradient, reference::magnitude(gradient, c.params.norm),
                                            reference::thresholds(c.params));

  canny::Plan plan;
  Planes planes;
  if (canny::Status s = make_plan(c.params, c.input, c.output, &plan); !s.ok()) return s.message();
  if (canny::Status s = backend.front(plan, frame, &planes); !s.ok()) return s.message();
  std::string d = difference(expected.candidate.samples, planes.candidate, c.width);
  if (!d.empty()) return "front, candidate plane: " + d;
  d = difference(expected.strong.samples, planes.strong, c.width);
  if (!d.empty()) return "front, strong plane: " + d;
  return frame.block() == before ? "" : "front changed its input";
}

std::string check_edges(BackendStages& backend, unsigned passes, const Planes& planes,
                        const std::vector<std::uint8_t>& expected, int width) {
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<std::uint8_t> edges;
    if (canny::Status s = backend.hysteresis(passes, planes, &edges); !s.ok()) return s.message();
    const std::string d = difference(expected, edges, width);
    if (!d.empty()) return "hysteresis, " + std::to_string(passes) + " passes: " + d;
  }
  return "";
}

std::string check_hysteresis(BackendStages& backend, const Case& c) {
  reference::Random random(c.seed + 2);
  const auto mask = cases::fill_mask(c.fill, c.width, c.height, random);
  Planes planes;
  for (std::uint8_t pixel : mask) {
    planes.candidate.push_back(pixel > 0);
    planes.strong.push_back(pixel > 1);
  }
  const auto candidates = as_candidates(planes, c.width, c.height);
  const unsigned some = random.between(1, 8);
  for (unsigned passes : {0u, 1u, some, canny::kMaxHysteresisPasses}) {
    const auto expected =
        passes == 0 ? reference::hysteresis(candidates) : reference::hysteresis(candidates, passes);
    const std::string d = check_edges(backend, passes, planes, expected.samples, c.width);
    if (!d.empty()) return d;
  }
  return "";
}

std::string check_store(BackendStages& backend, const Case& c) {
  reference::Random random(c.seed + 3);
  auto edges = cases::fill_mask(c.fill, c.width, c.height, random);
  std::uint64_t expected_count = 0;
  std::vector<std::uint8_t> map;
  for (std::uint8_t& pixel : edges) {
    pixel = pixel > 0;
    expected_count += pixel;
    map.push_back(pixel ? 255 : 0);
  }
  GuardedFrame expected(c.width, c.height, c.output, c.output_offset, c.output_gap,
                        c.output_bottom_up);
  GuardedFrame actual = expected;
  reference::output(map, expected.frame());
  std::uint64_t counted = 0;
  if (canny::Status s = backend.store(edges, &actual, &counted); !s.ok()) return s.message();
  const std::string d =
      difference(harness::pixels(expected.const_frame()), harness::pixels(actual.const_frame()),
                 c.width * canny::bytes_per_pixel(c.output));
  if (!d.empty()) return "store: " + d;
  if (!actual.intact()) return "store wrote outside the rows";
  return counted == expected_count ? ""
                                   : "store counted " + std::to_string(counted) + " edges of " +
                                         std::to_string(expected_count);
}

void run_case(BackendStages& backend, const Case& c) {
  const canny::Status status = backend.set_size(c.width, c.height, c.threads);
  std::string failure = status.message();
  if (failure.empty()) failure = check_front(backend, c);
  if (failure.empty()) failure = check_hysteresis(backend, c);
  if (failure.empty()) failure = check_store(backend, c);
  count(backend, describe(c), failure);
}

void run_drawn_masks(BackendStages& backend) {
  for (const auto& mask : reference::drawn_masks()) {
    const Planes planes{mask.candidates.candidate.samples, mask.candidates.strong.samples};
    std::string failure = backend.set_size(mask.width, mask.height, 2).message();
    for (std::size_t passes = 1; passes < mask.expected.size() && failure.empty(); ++passes)
      failure = check_edges(backend, passes, planes, mask.expected[passes].samples, mask.width);
    if (failure.empty()) failure = check_edges(backend, 0, planes, mask.stable.samples, mask.width);
    count(backend, "drawn mask " + mask.name, failure);
  }
}

// The front end alone, on frames around the sizes that its kernels work in.
void run_front_case(BackendStages& backend, const Case& c) {
  const canny::Status status = backend.set_size(c.width, c.height, c.threads);
  count(backend, describe(c), status.ok() ? check_front(backend, c) : status.message());
}

struct MaskSize {
  int width, height;
};

// Around multiples of what tiles, words and passes measure, and some large ones.
const std::vector<MaskSize>& mask_sizes() {
  static const std::vector<MaskSize> list = [] {
    constexpr int kSmall[] = {31, 32, 33, 34, 63, 64, 65, 66};
    constexpr int kLarge[] = {127, 128, 129, 130, 255, 256, 257, 258};
    std::vector<MaskSize> sizes = {{513, 385}, {1023, 257}, {2000, 1100}, {1999, 1101}};
    for (int a : kSmall) {
      for (int b : kSmall) sizes.push_back({a, b});
      for (int b : kLarge) sizes.insert(sizes.end(), {{a, b}, {b, a}});
    }
    return sizes;
  }();
  return list;
}

// Every mask in every size, the place of the strong pixel in turn.
std::uint64_t mask_cases() { return mask_sizes().size() * masks::kMasks; }

void run_mask_case(BackendStages& backend, std::uint64_t seed) {
  constexpr const char* kStrong[] = {"none strong", "first strong", "middle strong", "last strong"};
  const std::uint64_t index = (seed - kMaskSeeds) % mask_cases();
  const std::uint64_t size = index / masks::kMasks, number = index % masks::kMasks;
  const auto [width, height] = mask_sizes()[size];
  const auto mask = static_cast<masks::Mask>(number);
  const auto strong = static_cast<masks::Strong>((size + number) % std::size(kStrong));
  const auto candidates = masks::draw(mask, width, height, strong);
  const Planes planes{candidates.candidate.samples, candidates.strong.samples};
  std::string failure = backend.set_size(width, height, 2).message();
  for (unsigned passes : {0u, 1u, 3u}) {
    if (!failure.empty()) break;
    const auto expected = reference::hysteresis(candidates, passes);
    failure = check_edges(backend, passes, planes, expected.samples, width);
  }
  count(backend,
        "seed " + std::to_string(seed) + ": mask " + masks::name(mask) + ", " +
            std::to_string(width) + "x" + std::to_string(height) + ", " +
            kStrong[static_cast<int>(strong)],
        failure);
}

void run_one(BackendStages& backend, std::uint64_t seed, int max_side) {
  if (seed >= kMaskSeeds) return run_mask_case(backend, seed);
  run_case(backend, cases::make_case(seed, max_side));
}

void run(BackendStages& backend, const harness::Options& options) {
  if (options.one_case) return run_one(backend, options.seed, options.max_side);
  for (std::uint64_t seed = 0; seed < cases::table_size() + options.cases; seed += options.step)
    run_case(backend, cases::make_case(seed, options.max_side));
  for (std::uint64_t i = 0; i < cases::front_cases(); i += options.step)
    run_front_case(backend, cases::make_case(cases::kFrontSeeds + i, options.max_side));
  run_drawn_masks(backend);
  for (std::uint64_t i = 0; i < mask_cases(); i += options.step)
    run_mask_case(backend, kMaskSeeds + i);
}

// What a machine must run of the CPU backend: its portable target and what its processor has.
#if HWY_ARCH_X86
bool processor_has(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string word; file >> word;)
    if (word == flag) return true;
  return false;
}

std::int64_t required_targets() {
  return HWY_STATIC_TARGET | HWY_SSE4 | HWY_AVX2 | (processor_has("avx512bw") ? HWY_AVX3 : 0);
}
#else
std::int64_t required_targets() { return HWY_STATIC_TARGET; }
#endif

// The CPU backend once for each instruction set that was built and that the machine has: all cases
// with the best one, some with the others.
void run_cpu(harness::Options options) {
  const auto backend = stages::cpu_stages();
  std::int64_t missing = required_targets();
  bool best = true;  // they come in this order
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    std::printf("cpu target %s, every case in %d\n", hwy::TargetName(target),
                static_cast<int>(options.step));
    run(*backend, options);
    if (best) options.step *= kTargetStep;
    best = false;
    missing &= ~target;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  for (; missing != 0; missing &= missing - 1) {
    const std::int64_t target = missing & -missing;
    tally.fail(canny::Backend::kCpu, std::string("target ") + hwy::TargetName(target) +
                                         " was not built, or the processor lacks it");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  if (options.cpu) run_cpu(options);
  if (options.cuda) {
    std::unique_ptr<BackendStages> cuda;
    const canny::Status status = stages::cuda_stages(&cuda);
    if (status.ok())
      run(*cuda, options);
    else
      tally.skip(canny::Backend::kCuda, status.message());
  }
  return tally.summary();
}
