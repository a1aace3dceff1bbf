// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests parameters, options and sizes at, next to and far beyond their bounds, alone and together.
// A frame is exact or refused, as a model of the documented ranges says; a refusal writes nothing.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "canny/canny.h"
#include "canny/settings.h"
#include "cases.h"
#include "frames.h"
#include "harness.h"
#include "reference/random.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Params;
using canny::Status;
using canny::StatusCode;
using cases::Case;
using reference::Random;

harness::Tally tally;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sets one member to one of the values around its bounds, and returns whether that is valid.
using Setter = bool (*)(Params* params, Random& random);

bool set_number(double max, double* number, Random& random) {
  const double numbers[] = {0,
                            -0.0,
                            DBL_TRUE_MIN,
                            DBL_MIN,
                            max / 3,
                            std::nextafter(max, 0),
                            max,
                            std::nextafter(max, kInfinity),
                            max + 1,
                            DBL_MAX,
                            kInfinity,
                            -DBL_TRUE_MIN,
                            -1e-9,
                            -1,
                            -DBL_MAX,
                            -kInfinity,
                            kNan,
                            -kNan};
  constexpr int kValid = 7;
  const int i = random.between(0, static_cast<int>(std::size(numbers)) - 1);
  *number = numbers[i];
  return i < kValid;
}

bool set_count(unsigned max, unsigned* count, Random& random) {
  const unsigned counts[] = {0, 1, max, max + 1, max + 256, 1u << 31, UINT_MAX};
  const int i = random.between(0, static_cast<int>(std::size(counts)) - 1);
  *count = counts[i];
  return i < 3;
}

template <class Enum>
bool set_choice(Enum last, Enum* choice, Random& random) {
  const int end = static_cast<int>(last);
  const int wrong[] = {-1, end + 1, 256, 256 + end, 65536, INT_MIN, INT_MAX};
  const bool is_valid = random.between(0, 1) != 0;
  *choice = static_cast<Enum>(is_valid ? random.between(0, end) : wrong[random.between(0, 6)]);
  return is_valid;
}

struct Member {
  const char* name;
  Setter set;
};

// In the order in which the library checks them.
constexpr Member kMembers[] = {
    {"low_threshold",
     [](Params* p, Random& r) { return set_number(canny::kMaxThreshold, &p->low_threshold, r); }},
    {"high_threshold",
     [](Params* p, Random& r) { return set_number(canny::kMaxThreshold, &p->high_threshold, r); }},
    {"sigma", [](Params* p, Random& r) { return set_number(canny::kMaxSigma, &p->sigma, r); }},
    {"hysteresis_passes",
     [](Params* p, Random& r) {
       return set_count(canny::kMaxHysteresisPasses, &p->hysteresis_passes, r);
     }},
    {"high_ratio",
     [](Params* p, Random& r) { return set_number(canny::kMaxHighRatio, &p->high_ratio, r); }},
    {"low_ratio",
     [](Params* p, Random& r) { return set_number(canny::kMaxLowRatio, &p->low_ratio, r); }},
    {"min_length",
     [](Params* p, Random& r) { return set_count(canny::kMaxMinLength, &p->min_length, r); }},
    {"norm", [](Params* p, Random& r) { return set_choice(canny::Norm::kL2, &p->norm, r); }},
    {"gradient_operator",
     [](Params* p, Random& r) {
       return set_choice(canny::Operator::kKirsch, &p->gradient_operator, r);
     }},
    {"color_mode",
     [](Params* p, Random& r) {
       return set_choice(canny::ColorMode::kLargestChannel, &p->color_mode, r);
     }},
    {"luma_depth",
     [](Params* p, Random& r) { return set_choice(canny::LumaDepth::k8, &p->luma_depth, r); }},
    {"threshold_mode",
     [](Params* p, Random& r) {
       return set_choice(canny::ThresholdMode::kMedian, &p->threshold_mode, r);
     }},
    {"view", [](Params* p, Random& r) { return set_choice(canny::View::kBlurred, &p->view, r); }},
};
constexpr int kMemberCount = static_cast<int>(std::size(kMembers));

// Sets some members. Returns the names of those that are invalid.
std::vector<std::string> spoil(Params* params, int count, int first, Random& random) {
  std::vector<std::string> invalid;
  for (int i = 0; i < count; ++i) {
    // Steps of 5 through 13 members reach no member twice.
    const Member& member = kMembers[(first + 5 * i) % kMemberCount];
    if (!member.set(params, random)) invalid.push_back(member.name);
  }
  return invalid;
}

std::string check_refusal(Detector& detector, const Case& c,
                          const std::vector<std::string>& names) {
  const harness::GuardedFrame input(c.width, c.height, c.input, 0, 0, false, c.chroma);
  harness::GuardedFrame output(c.width, c.height, c.output, 0, 0, false, c.chroma);
  const auto before = output.block();
  const Status status = detector.detect(c.params, input.const_frame(), output.frame(), nullptr);
  if (status.code() != StatusCode::kInvalidParams)
    return "code " + std::to_string(static_cast<int>(status.code())) + " for a wrong " + names[0];
  bool is_named = false;
  for (const std::string& name : names)
    is_named = is_named || status.message().find(name + " ") == 0;
  if (!is_named) return "'" + status.message() + "' for a wrong " + names[0];
  if (output.block() != before) return "wrote to the output";
  if (detector.wait(nullptr).code() != StatusCode::kNotConfigured) return "the frame is in flight";
  return "";
}

void test_params(Backend backend, Detector& detector, const harness::Options& options) {
  constexpr int kWidth = 45, kHeight = 39;
  tally.expect(backend, "set_size", detector.set_size(kWidth, kHeight), StatusCode::kOk);
  const std::uint64_t first = options.one_case ? options.seed : 0;
  const std::uint64_t end = options.one_case ? first + 1 : options.cases;
  for (std::uint64_t seed = first; seed < end; seed += options.step) {
    Random random(seed);
    Case c = cases::make_case(cases::table_size() + seed, kWidth);
    cases::set_size(kWidth, kHeight, &c);
    if (!shows_input(c.params.view)) c.chroma = {};
    c.params.view = canny::View::kEdges;
    const int count = random.between(0, 3);
    const auto invalid = spoil(&c.params, count, static_cast<int>(seed % kMemberCount), random);
    if (shows_input(c.params.view)) c.input = c.output = canny::PixelFormat::kRgbx;
    tally.count(backend, describe(c),
                invalid.empty() ? frames::CaseFrames(c).check(detector)
                                : check_refusal(detector, c, invalid));
  }
}

void test_options(Backend backend) {
  const auto refuse = [&](const canny::Options& options, const char* what) {
    Detector detector;
    tally.expect(backend, what, Detector::create(options, &detector), StatusCode::kInvalidOptions,
                 what);
    tally.expect(backend, "no detector", detector.set_size(8, 8), StatusCode::kNotConfigured);
  };
  for (const unsigned threads : {1025u, 1u << 31, UINT_MAX})
    refuse({backend, -1, threads}, "threads");
  for (const int device : {-2, INT_MIN}) refuse({backend, device, 0}, "cuda_device");
  for (const int number : {-1, 4, 256, INT_MIN, INT_MAX})
    refuse({static_cast<Backend>(number), -1, 0}, "backend");
}

// The ranges of a table of settings: numbers have one, other types have none.
template <typename Object, typename Table>
void test_ranges(Backend backend, const Table& table) {
  const Object object;
  for (const auto& setting : table) {
    const bool has_range = setting.minimum < setting.maximum;
    const bool has_zeros = setting.minimum == 0 && setting.maximum == 0;
    const bool is_right = std::visit(
        [&](auto member) {
          using Type = std::decay_t<decltype(object.*member)>;
          return std::is_arithmetic_v<Type> && !std::is_same_v<Type, bool> ? has_range : has_zeros;
        },
        setting.member);
    tally.count(backend, "the range of " + std::string(setting.name), is_right ? "" : "is wrong");
  }
}

void test_defaults_of_frames(Backend backend) {
  const canny::ConstFrame frame;
  const auto has_no_bytes = [](const auto& part) {
    return part.data == nullptr && part.stride_bytes == 0;
  };
  const bool is_empty = has_no_bytes(frame) && has_no_bytes(frame.chroma.u) &&
                        has_no_bytes(frame.chroma.v) && has_no_bytes(frame.batch) &&
                        frame.batch.count == 1 && frame.width == 0 && frame.height == 0;
  tally.count(backend, "a frame in which nothing is set", is_empty ? "" : "has pixels");
}

void test_info(Backend backend, const canny::Info& info) {
  const auto check = [&](const char* what, bool is_right) {
    tally.count(backend, what, is_right ? "" : "is wrong");
  };
  check("Info::backend", info.backend == backend);
  check("Info::device", !info.device.empty());
  check("Info::reason", !info.reason.empty());
  check("Info::cuda_device", (info.cuda_device >= 0) == (backend == Backend::kCuda));
  check("Info::threads", (info.threads > 0) == (backend == Backend::kCpu));
}

// Programs with the headers of other releases.
void test_versions(Backend backend) {
  const canny::Options options = harness::detector_options(backend);
  for (const unsigned newer : {canny::kVersion + 1, 20304u, UINT_MAX}) {
    Detector detector;
    const std::string version = std::to_string(newer / 10000) + '.' +
                                std::to_string(newer / 100 % 100) + '.' +
                                std::to_string(newer % 100);
    tally.expect(backend, "newer headers", Detector::create(options, &detector, newer),
                 StatusCode::kLibraryTooOld, "than the program's headers, of version " + version);
    tally.expect(backend, "no detector", detector.set_size(8, 8), StatusCode::kNotConfigured);
  }
  for (const unsigned older : {0u, canny::kVersion - 1}) {
    Detector detector;
    tally.expect(backend, "older headers", Detector::create(options, &detector, older),
                 StatusCode::kOk);
  }
}

void test_sizes(Backend backend, Detector& detector) {
  for (const int side : {0, -1, 16385, 65536 + 8, INT_MIN, INT_MAX}) {
    for (const auto& [width, height] : {std::pair{side, 8}, {8, side}, {side, side}})
      tally.expect(backend, "a side", detector.set_size(width, height), StatusCode::kInvalidSize,
                   "outside 1x1..16384x16384");
  }
  for (const unsigned frames : {0u, canny::kMaxFramesInFlight + 1, 1u << 31, UINT_MAX})
    tally.expect(backend, "frames in flight", detector.set_size(8, 8, frames),
                 StatusCode::kInvalidOptions);
}

void run(Backend backend, Detector& detector, const harness::Options& options) {
  test_sizes(backend, detector);
  test_ranges<Params>(backend, canny::kSettings);
  test_ranges<canny::Options>(backend, canny::kOptions);
  test_defaults_of_frames(backend);
  test_info(backend, detector.info());
  test_options(backend);
  test_versions(backend);
  test_params(backend, detector, options);
}

}  // namespace

int main(int argc, char** argv) {
  harness::Options defaults;
  defaults.cases = 4000;
  harness::for_backends(harness::parse(argc, argv, defaults), &tally, run);
  return tally.summary();
}
