// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests frames in flight in the memory and the streams of a CUDA device.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device_memory.h"
#include "flight.h"
#include "frames.h"

namespace flight {
namespace {

using canny::Backend;
using canny::Status;
using canny::StatusCode;
using cases::Case;

constexpr Size kSize = {203, 121};

// A frame in device memory.
struct OnDevice : frames::InFlight {
  explicit OnDevice(const Case& of)
      : InFlight(of), input_block(frames.input().block()), output_block(output.block()) {}

  Status submit(canny::Detector& detector) {
    const canny::Memory device = canny::Memory::kDevice;
    return detector.submit(c.params, frames.input().const_frame(input_block.data(), device),
                           output.frame(output_block.data(), device));
  }

  std::string wait(canny::Detector& detector) {
    const Status status = InFlight::wait(detector);
    if (!status.ok()) return status.message();
    output.block() = output_block.bytes();
    return check();
  }

  const device_memory::Block input_block, output_block;
};

// Frames of many detectors in flight, and so many threads that wait for them that most must sleep.
void run_many_detectors(unsigned count) {
  const Backend backend = Backend::kCuda;
  canny::Options options;
  options.backend = backend;
  std::vector<canny::Detector> detectors;
  for (unsigned i = 0; i < count; ++i)
    detectors.push_back(make_detector(options, kSize, canny::kMaxFramesInFlight));
  std::uint64_t seed = 0;
  for (const unsigned frames : {canny::kMaxFramesInFlight, 1u, canny::kMaxFramesInFlight}) {
    std::vector<std::deque<OnDevice>> flights(detectors.size());
    for (std::size_t i = 0; i < detectors.size(); ++i) {
      for (unsigned n = 0; n < frames; ++n) {
        flights[i].emplace_back(frame_case(seed++, kSize));
        tally.expect(backend, "of many", flights[i].back().submit(detectors[i]), StatusCode::kOk);
      }
    }
    std::vector<std::vector<std::string>> failures(detectors.size());
    std::vector<std::thread> waiters;
    for (std::size_t i = 0; i < detectors.size(); ++i) {
      waiters.emplace_back([&, i] {
        for (OnDevice& frame : flights[i]) {
          std::string failure = frame.wait(detectors[i]);
          if (!failure.empty()) failure = describe(frame.c) + ": " + failure;
          failures[i].push_back(std::move(failure));
        }
      });
    }
    for (std::thread& waiter : waiters) waiter.join();
    for (const auto& of_detector : failures)
      for (const std::string& failure : of_detector)
        tally.count(backend, "one of many detectors", failure);
  }
}

// Detectors take their first frames while another thread, such as one that creates a decoder, waits
// for all work of the context again and again, at least once beside each detector.
void run_beside_waits(unsigned count) {
  std::atomic<bool> is_over{false};
  std::atomic<unsigned> waits{0}, failed_waits{0};
  std::thread waiter([&] {
    for (; !is_over; ++waits) failed_waits += !device_memory::synchronize();
  });
  for (unsigned i = 0; i < count; ++i) {
    canny::Options options;
    options.backend = Backend::kCuda;
    const unsigned earlier_waits = waits;
    canny::Detector detector = make_detector(options, kSize, 3);
    OnDevice frame(frame_case(i, kSize));
    const Status status = frame.submit(detector);
    tally.count(options.backend, "beside waits, " + describe(frame.c),
                status.ok() ? frame.wait(detector) : status.message());
    while (waits == earlier_waits) std::this_thread::yield();
  }
  is_over = true;
  waiter.join();
  tally.count(Backend::kCuda, "waits for the context",
              failed_waits == 0
                  ? ""
                  : std::to_string(failed_waits) + " of " + std::to_string(waits) + " failed");
}

// A frame whose output differs from that of a frame of zeros.
Case case_with_edges() {
  for (std::uint64_t seed = 1;; ++seed) {
    const Case c = frame_case(seed, kSize);
    if (frames::CaseFrames(c).edges() > 100) return c;
  }
}

// An input that is still being written in one stream when it is submitted, and an output that is
// read in another stream before it is done. Neither makes the caller wait, also if the frame
// measures its stages.
void run_streams(unsigned frames_in_flight, bool has_stage_times) {
  Case c = case_with_edges();
  c.params.measure_stages = has_stage_times;
  frames::InFlight frame(c);
  canny::Detector detector = make_detector({}, kSize, frames_in_flight);
  const device_memory::Block picture(frame.frames.input().block()), written(frame.output.block());
  const device_memory::Block in(std::vector<std::uint8_t>(picture.size())),
      out(frame.output.block());
  device_memory::Stream upstream, downstream;
  canny::ConstFrame input = frame.frames.input().const_frame(in.data(), canny::Memory::kDevice);
  canny::Frame edges = frame.output.frame(out.data(), canny::Memory::kDevice);
  // Loading a kernel would wait for all streams, and allocating memory might.
  for (unsigned i = 0; i < frames_in_flight; ++i)
    tally.expect(Backend::kCuda, "of none", detector.detect(frame.c.params, input, edges, nullptr),
                 StatusCode::kOk);
  input.cuda_stream = upstream.handle();
  edges.cuda_stream = downstream.handle();

  upstream.hold();
  upstream.copy(picture, in);
  tally.expect(Backend::kCuda, "of a stream", detector.submit(frame.c.params, input, edges),
               StatusCode::kOk);
  downstream.copy(out, written);
  const bool was_early = downstream.is_done();
  upstream.release();
  downstream.synchronize();
  frame.output.block() = written.bytes();
  tally.expect(Backend::kCuda, "of a stream", frame.wait(detector), StatusCode::kOk);
  tally.count(Backend::kCuda, "streams",
              was_early ? "the output's stream did not wait" : frame.check());
  tally.count(Backend::kCuda, "of device memory",
              frame.frames.check_copies(frame.result, false, false));
}

// An output that earlier work in the input's stream still reads, if the input is in host memory.
void run_host_input_in_stream() {
  frames::InFlight frame(case_with_edges());
  canny::Detector detector = make_detector({}, kSize, 3);
  const device_memory::Block out(frame.output.block()), kept(out.bytes());
  canny::ConstFrame input = frame.input();
  const canny::Frame edges = frame.output.frame(out.data(), canny::Memory::kDevice);
  tally.expect(Backend::kCuda, "of none", detector.detect(frame.c.params, input, edges, nullptr),
               StatusCode::kOk);
  const std::vector<std::uint8_t> before(out.bytes().size(), 1);
  const device_memory::Block old(before);
  device_memory::Stream stream;
  stream.copy(old, out);
  stream.synchronize();
  input.cuda_stream = stream.handle();
  stream.hold();
  stream.copy(out, kept);
  tally.expect(Backend::kCuda, "of host memory and a stream",
               detector.submit(frame.c.params, input, edges), StatusCode::kOk);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // longer than the frame takes
  stream.release();
  stream.synchronize();
  tally.expect(Backend::kCuda, "of host memory and a stream", frame.wait(detector),
               StatusCode::kOk);
  tally.count(Backend::kCuda, "of host memory and a stream",
              kept.bytes() == before ? "" : "the frame did not wait for the stream");
}

// An input in page-locked memory that earlier work in its stream still writes.
void run_page_locked_input_in_stream(unsigned frames_in_flight) {
  frames::InFlight frame(case_with_edges());
  canny::Detector detector = make_detector({}, kSize, frames_in_flight);
  const device_memory::Block picture(frame.frames.input().block());
  canny::HostMemory late;
  tally.expect(Backend::kCuda, "page-locked memory",
               canny::HostMemory::allocate(picture.size(), detector.info().cuda_device, &late),
               StatusCode::kOk);
  if (late.data() == nullptr) return;
  std::fill_n(late.data(), late.size(), std::uint8_t{0});
  canny::ConstFrame input = frame.frames.input().const_frame(late.data(), canny::Memory::kHost);
  tally.expect(Backend::kCuda, "of none",
               detector.detect(frame.c.params, input, frame.output.frame(), nullptr),
               StatusCode::kOk);
  frame.output = frame.frames.output();
  device_memory::Stream stream;
  input.cuda_stream = stream.handle();
  stream.hold();
  stream.copy(picture, late.data());
  tally.expect(Backend::kCuda, "of page-locked memory and a stream",
               detector.submit(frame.c.params, input, frame.output.frame()), StatusCode::kOk);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // longer than the frame takes
  stream.release();
  tally.expect(Backend::kCuda, "of page-locked memory and a stream", frame.wait(detector),
               StatusCode::kOk);
  tally.count(Backend::kCuda, "of page-locked memory and a stream", frame.check());
}

// Fills are written after earlier work in the output's stream and before later work.
void run_fill_in_stream() {
  const Size size = {61, 7};
  const std::size_t bytes = 61 * 7;
  const std::vector<std::uint8_t> zeros(bytes), full(bytes, 128);
  canny::Detector detector = make_detector({}, size, 3);
  const device_memory::Block before(zeros), filled(std::vector<std::uint8_t>(bytes, 1)),
      after(zeros), in(zeros), out(full);
  device_memory::Stream stream;
  const canny::Fill fill = {{filled.data() + 6 * 61, -61}, 61, 7, 128};
  const canny::ConstFrame input = {
      in.data(), 61, 61, 7, canny::PixelFormat::kGray8, canny::Memory::kDevice};
  canny::Frame output = {out.data(), 61, 61, 7, canny::PixelFormat::kGray8, canny::Memory::kDevice};
  output.cuda_stream = stream.handle();
  output.fills = &fill;
  output.fill_count = 1;
  stream.hold();
  stream.copy(before, filled);
  tally.expect(Backend::kCuda, "a fill in a stream", detector.submit({}, input, output),
               StatusCode::kOk);
  stream.copy(filled, after);
  stream.release();
  stream.synchronize();
  tally.expect(Backend::kCuda, "a fill in a stream", detector.wait(nullptr), StatusCode::kOk);
  tally.count(Backend::kCuda, "a fill in a stream", after.bytes() == full ? "" : "wrong bytes");
  tally.count(Backend::kCuda, "a fill in a stream", out.bytes() == zeros ? "" : "edges");

  std::vector<std::uint8_t> in_host(bytes);
  const canny::Fill foreign = {{in_host.data(), 61}, 61, 7, 0};
  output.fills = &foreign;
  tally.expect(Backend::kCuda, "a fill in host memory", detector.submit({}, input, output),
               StatusCode::kInvalidFrame);
}

// A stream of another context is refused, without harm.
void run_foreign_stream() {
  frames::InFlight frame(case_with_edges());
  canny::Detector detector = make_detector({}, kSize, 3);
  const device_memory::Block in(frame.frames.input().block()), out(frame.output.block());
  const canny::ConstFrame input =
      frame.frames.input().const_frame(in.data(), canny::Memory::kDevice);
  const canny::Frame edges = frame.output.frame(out.data(), canny::Memory::kDevice);
  {
    const device_memory::CurrentContext context(true);
    const device_memory::Stream foreign;
    canny::ConstFrame foreign_input = input;
    canny::Frame foreign_edges = edges;
    foreign_input.cuda_stream = foreign_edges.cuda_stream = foreign.handle();
    const auto refuses = [&](const char* what, const Status& status) {
      tally.expect(Backend::kCuda, what, status, StatusCode::kInvalidFrame);
    };
    refuses("a foreign input", detector.submit(frame.c.params, foreign_input, edges));
    refuses("a foreign output", detector.submit(frame.c.params, input, foreign_edges));
  }
  tally.expect(Backend::kCuda, "after them",
               detector.detect(frame.c.params, input, edges, &frame.result), StatusCode::kOk);
  frame.output.block() = out.bytes();
  tally.count(Backend::kCuda, "after them", frame.check());
}

}  // namespace

void run_on_device(const harness::Options& options) {
  if (options.threads) {
    run_many_detectors(options.step == 1 ? 24 : 8);
    run_beside_waits(options.step == 1 ? 200 : 20);
  }
  run_foreign_stream();
  if (!options.held_streams) return;
  for (const bool has_stage_times : {false, true})
    for (unsigned n : {1u, 3u}) run_streams(n, has_stage_times);
  run_host_input_in_stream();
  for (unsigned n : {1u, 3u}) run_page_locked_input_in_stream(n);
  run_fill_in_stream();
}

}  // namespace flight
