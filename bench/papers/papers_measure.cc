// SPDX-License-Identifier: LGPL-2.1-or-later
// Times each case with the benchmark of its backend.
#include "papers_measure.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <opencv2/core.hpp>

#include "bench.h"
#include "check.h"
#include "papers_cases.h"
#include "quality/metrics.h"

namespace papers {
namespace {

using Benches = std::vector<std::unique_ptr<bench::Bench>>;

constexpr int kMostReferencePixels = 1 << 20;  ///< above this the reference takes seconds a frame

/// The processor as Linux names it, empty if it does not.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(": ") + 2) + ", ";
  return "";
}

/// The names and versions of a device and its software, and the pictures.
std::string text(const bench::Machine& machine, canny::Backend backend, const Pictures& pictures) {
  std::string result = (backend == canny::Backend::kCpu ? processor() : "") + machine.device;
  if (!machine.driver.empty()) result += ", driver " + machine.driver;
  if (!machine.runtime_cuda.empty()) result += ", CUDA " + machine.runtime_cuda;
  return result + "; " + pictures.text();
}

/// Opens the backends. One that is named must be there.
Benches open(const Settings& settings, const Pictures& pictures, Recording* recording) {
  bench::Options options;
  options.threads = settings.threads;
  options.stages = true;
  options.cpu_budget = settings.quick ? 1e3 : 400e3;
  std::vector<canny::Backend> backends = settings.backends;
  if (backends.empty()) backends = {canny::Backend::kCuda, canny::Backend::kCpu};
  Benches benches;
  for (const canny::Backend backend : backends) {
    bench::Machine machine;
    std::string why;
    auto bench = backend == canny::Backend::kCuda ? open_cuda(options, &machine, &why)
                 : backend == canny::Backend::kOpenCl
                     ? open_opencl(options, settings.opencl_device, &machine, &why)
                     : open_cpu(options, &machine, &why);
    if (!bench && !settings.backends.empty())
      bench::fail(std::string("no backend ") + name(backend) + ": " + why);
    if (!bench) continue;
    recording->machines[name(backend)] = text(machine, backend, pictures);
    benches.push_back(std::move(bench));
  }
  return benches;
}

/// The output that each backend must give: the reference's or, of a large frame, that of the CPU
/// backend, which the tests compare with the reference.
bench::Output expected_of(const Case& each, const canny::ConstFrame& input) {
  if (each.size.width * each.size.height <= kMostReferencePixels)
    return reference::detect(each.params, input);
  canny::Detector detector = bench::open_detector({canny::Backend::kCpu});
  bench::check(detector.set_size(input.width, input.height));
  bench::Output edges(std::size_t{1} * input.width * input.height);
  const canny::Frame output = bench::tight_frame(edges.data(), input.width, input.height,
                                                 canny::PixelFormat::kGray8, canny::Memory::kHost);
  bench::check(detector.detect(each.params, input, output, nullptr));
  return edges;
}

/// Adds the times in microseconds, and figures that follow from them.
void add_times(const Case& each, const bench::Outcome& outcome, Record* record) {
  const auto set = [&](const char* name, double value) {
    record->values[each.variant + name] = value;
  };
  const bench::StageMedians& stages = *outcome.stages;
  const double whole = outcome.times->ev;
  set("whole", whole);
  set("sequence", outcome.times->thr);
  set("ns_pixel", 1e3 * whole / each.size.width / each.size.height);
  set("front", stages.front);
  set("hysteresis", stages.hysteresis);
  set("output", stages.output);
  const double all_stages = stages.front + stages.hysteresis + stages.output;
  set("front_percent", 100 * stages.front / all_stages);
  set("hysteresis_percent", 100 * stages.hysteresis / all_stages);
  set("output_percent", 100 * stages.output / all_stages);
  if (stages.upload > 0) set("with_copies", stages.upload + whole + stages.download);
  const double alone = outcome.alone_us.value_or(whole);
  set("alone", alone);
  set("speedup", alone / whole);
  if (outcome.opencv_us) set("opencv", *outcome.opencv_us);
}

/// Adds the metrics of Song et al. of a gray picture and of its edges.
void add_metrics(const bench::Picture& picture, const bench::Output& edges, Record* record) {
  const auto image = [&](const std::vector<std::uint8_t>& bytes) {
    // OpenCV does not write to it.
    return cv::Mat(record->height, record->width, CV_8UC1, const_cast<std::uint8_t*>(bytes.data()));
  };
  record->values["picture_gradient"] = quality::average_gradient(image(picture.bytes));
  record->values["picture_deviation"] = quality::standard_deviation(image(picture.bytes));
  record->values["edges_gradient"] = quality::average_gradient(image(edges));
  record->values["edges_deviation"] = quality::standard_deviation(image(edges));
}

bench::Picture paint(const Case& each, const Pictures& pictures) {
  return bench::convert(pictures.paint(each.content, each.size), each.size.width, each.size.height,
                        each.format, false);
}

bool have_same_picture(const Case& a, const Case& b) {
  return a.content == b.content && a.size.width == b.size.width && a.size.height == b.size.height &&
         a.format == b.format;
}

/// Measures a case on all backends.
void measure(const Case& each, const bench::Picture& picture, const Benches& benches,
             Recording* recording) {
  const canny::ConstFrame input = picture.frame(picture.bytes.data(), canny::Memory::kHost);
  const bench::Output expected = expected_of(each, input);
  for (const auto& bench : benches) {
    const bench::Outcome outcome = bench->run(picture, each.params, expected);
    if (!outcome.times)
      bench::fail(each.group + ", " + each.row + ": the edges differ from the expected ones");
    Record& record = recording->at(each.group, each.row, name(bench->backend()));
    record.width = input.width;
    record.height = input.height;
    add_times(each, outcome, &record);
    if (each.group == "song") add_metrics(picture, expected, &record);
    std::fprintf(stderr, "%-6s %-4s %-20s %-8s %10.1f us\n", each.group.c_str(),
                 name(bench->backend()), each.row.c_str(), each.variant.c_str(), outcome.times->ev);
  }
}

}  // namespace

void measure(const Settings& settings, Recording* recording) {
  const Pictures pictures(settings.tiles);
  const Benches benches = open(settings, pictures, recording);
  const std::vector<Case> cases = all_cases(settings.quick);
  bench::Picture picture;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i == 0 || !have_same_picture(cases[i - 1], cases[i])) picture = paint(cases[i], pictures);
    measure(cases[i], picture, benches, recording);
  }
  for (const auto& bench : benches) measure_live(settings, bench->backend(), pictures, recording);
}

}  // namespace papers
