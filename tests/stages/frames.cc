// SPDX-License-Identifier: LGPL-2.1-or-later
// Paints the input, computes the output with the reference, and compares.
#include "frames.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "canny/frame.h"

namespace frames {
namespace {

using cases::Case;
using harness::GuardedFrame;

GuardedFrame painted_input(const Case& c) {
  reference::Random random(c.seed + 4);
  GuardedFrame input = CaseFrames::blank_input(c);
  input.paint(cases::fill_image(c.fill, c.width, c.height, random), c.seed);
  return input;
}

using canny::View;

// Returns an error unless the number is as expected.
std::string check_number(const char* what, std::uint64_t actual, std::uint64_t expected) {
  return actual == expected ? ""
                            : std::string(what) + " " + std::to_string(actual) + " instead of " +
                                  std::to_string(expected);
}

// Returns an error unless a time is 0 exactly if nothing was to be measured. Copies and stages that
// do nothing may take 1 ns, the least.
std::string check_time(const char* what, std::uint64_t nanoseconds, bool has_stage_times,
                       std::uint64_t least = 1) {
  constexpr std::uint64_t kTooLong = 1000000000000;  // a quarter of an hour
  if (!has_stage_times) return check_number(what, nanoseconds, 0);
  return nanoseconds >= least && nanoseconds < kTooLong
             ? ""
             : std::string(what) + " took " + std::to_string(nanoseconds) + " ns";
}

// The first error, "" if there is none.
std::string first_of(std::initializer_list<std::string> errors) {
  for (const std::string& error : errors)
    if (!error.empty()) return error;
  return "";
}

// The bytes of the pixels that a frame of this view has. Chroma counts only where it is shown.
std::size_t pixel_bytes(canny::ConstFrame frame, View view) {
  if (!shows_input(view)) frame.chroma = {};
  return harness::pixels(frame).size();
}

}  // namespace

canny::Status Detectors::find(const Case& c, canny::Detector** detector) {
  const unsigned threads = backend_ == canny::Backend::kCpu ? c.threads : 0;
  Sized& sized = detectors_[threads];
  *detector = &sized.detector;
  canny::Status status;
  if (sized.width == c.width && sized.height == c.height) return status;
  if (sized.width == 0)
    status = canny::Detector::create(harness::detector_options(backend_, threads), *detector);
  if (status.ok()) status = sized.detector.set_size(c.width, c.height);
  sized.width = status.ok() ? c.width : 0;
  sized.height = c.height;
  return status;
}

void remove_color(const canny::Frame& frame) {
  for (int i = 0; i < chroma_planes(frame); ++i) {
    const canny::Frame rows = chroma_plane(frame, i);
    for (int y = 0; y < rows.height; ++y)
      std::fill_n(rows.data + y * rows.stride_bytes, rows.width, std::uint8_t{128});
  }
}

Picture::Picture(std::uint64_t seed, int width, int height) : bytes_(width, height) {
  reference::Random random(seed);
  bytes_.samples = cases::fill_image(cases::Fill::kBlocks, width, height, random);
}

GuardedFrame CaseFrames::blank_input(const Case& c) {
  GuardedFrame input(c.width, c.height, c.input, c.input_offset, c.input_gap, c.input_bottom_up,
                     c.chroma);
  input.set_region(c.region);
  return input;
}

CaseFrames::CaseFrames(const Case& c) : CaseFrames(c, painted_input(c)) {}

CaseFrames::CaseFrames(const Case& c, GuardedFrame input)
    : params_(c.params),
      input_(std::move(input)),
      input_before_(input_.block()),
      output_(c.width, c.height, c.output, c.output_offset, c.output_gap, c.output_bottom_up,
              c.chroma),
      row_bytes_(canny::row_bytes(c.output, c.width)) {
  GuardedFrame expected = output_;
  expected_numbers_ = reference::render(c.params, input_.const_frame(), expected.frame());
  if (!shows_input(c.params.view)) remove_color(expected.frame());
  expected_ = harness::pixels(expected.const_frame());
}

std::string CaseFrames::check(const GuardedFrame& output, const canny::Result& result) const {
  const std::string d =
      harness::difference(expected_, harness::pixels(output.const_frame()), row_bytes_);
  if (!d.empty()) return d;
  if (!output.intact()) return "wrote outside the output's rows";
  const reference::Limits& limits = expected_numbers_.limits;
  if (result.low_threshold != limits.low || result.high_threshold != limits.high)
    return "used thresholds " + std::to_string(result.low_threshold) + " and " +
           std::to_string(result.high_threshold) + " instead of " + std::to_string(limits.low) +
           " and " + std::to_string(limits.high);
  const std::string wrong = check_numbers(result);
  if (!wrong.empty()) return wrong;
  return input_.block() == input_before_ ? "" : "changed the input";
}

std::string CaseFrames::check(canny::Detector& detector) const {
  GuardedFrame output = output_;
  canny::Result result;
  const canny::Status status =
      detector.detect(params_, input_.const_frame(), output.frame(), &result);
  return status.ok() ? check(output, result) : status.message();
}

std::string CaseFrames::check_numbers(const canny::Result& result) const {
  const View view = params_.view;
  const bool has_stage_times = params_.measure_stages;
  const auto counted = [&](std::uint64_t number) { return has_stage_times ? number : 0; };
  const canny::StageTimes& times = result.times;
  return first_of(
      {check_number("edges:", result.edge_pixels, expected_numbers_.edges),
       check_number("strong pixels:", result.strong_pixels, counted(expected_numbers_.strong)),
       check_number("candidates:", result.candidate_pixels, counted(expected_numbers_.candidates)),
       check_number("components:", result.components, counted(expected_numbers_.components)),
       check_time("front end:", times.front, has_stage_times, 2),
       check_time("hysteresis:", times.hysteresis,
                  has_stage_times && (shows_edges(view) || view == View::kPasses)),
       check_time("output:", times.output,
                  has_stage_times && (shows_edges(view) || view == View::kClasses))});
}

std::string CaseFrames::check_copies(const canny::Result& result, bool is_input_copied,
                                     bool is_output_copied) const {
  const std::size_t input_bytes = pixel_bytes(input_.const_frame(), params_.view);
  const std::size_t output_bytes = pixel_bytes(output_.const_frame(), params_.view);
  const bool has_stage_times = params_.measure_stages;
  return first_of(
      {check_number("uploaded bytes:", result.uploaded_bytes, is_input_copied ? input_bytes : 0),
       check_number("downloaded bytes:", result.downloaded_bytes,
                    is_output_copied ? output_bytes : 0),
       check_time("upload:", result.times.upload, has_stage_times && is_input_copied),
       check_time("download:", result.times.download, has_stage_times && is_output_copied)});
}

}  // namespace frames
