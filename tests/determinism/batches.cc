// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares batches with their pictures alone, for the settings of the matrix: pixels, numbers,
// chains and the bytes around them, wherever the pictures lie.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "canny/batch.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "device_memory.h"
#include "harness.h"
#include "matrix.h"
#include "runner.h"

namespace {

using canny::Backend;
using canny::Memory;
using canny::Status;
using canny::StatusCode;
using determinism::Frames;

harness::Tally tally;

constexpr unsigned kCounts[] = {1, 2, 7, 64};

// How pictures follow each other in a block of memory.
enum class Order { kForward, kBackward, kAddresses };

// Frames of one layout in one block, with other bytes between them.
class Block {
 public:
  Block(std::size_t frame_bytes, unsigned count, Order order)
      : count_(count), order_(order), size_(frame_bytes), bytes_(count * frame_bytes) {}

  std::size_t place(unsigned i) const {
    if (order_ == Order::kForward) return i * size_;
    if (order_ == Order::kBackward) return (count_ - 1 - i) * size_;
    return std::min(i ^ 1, count_ - 1) == (i ^ 1) ? (i ^ 1) * size_ : i * size_;
  }
  void set(unsigned i, const std::vector<std::uint8_t>& bytes) {
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(place(i)));
  }
  std::vector<std::uint8_t> get(unsigned i) const {
    const auto* first = bytes_.data() + place(i);
    return {first, first + size_};
  }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

  // Adds the other pictures to the first one, in the block or a copy of it.
  template <class Byte>
  void add_batch(canny::BasicFrame<Byte>* first, std::vector<Byte*>* addresses) const {
    const auto size = static_cast<std::ptrdiff_t>(size_);
    first->batch.count = count_;
    first->batch.stride_bytes = order_ == Order::kForward ? size : -size;
    if (order_ != Order::kAddresses) return;
    for (unsigned i = 0; i < count_; ++i)
      addresses->push_back(first->data + place(i) - static_cast<std::ptrdiff_t>(place(0)));
    first->batch.data = addresses->data();
  }

 private:
  const unsigned count_;
  const Order order_;
  const std::size_t size_;
  std::vector<std::uint8_t> bytes_;
};

// A result as numbers; times only tell which stages ran.
std::vector<double> numbers(const canny::Result& result) {
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  return {number(result.edge_pixels),      result.low_threshold,
          result.high_threshold,           number(result.uploaded_bytes),
          number(result.downloaded_bytes), number(result.candidate_pixels),
          number(result.strong_pixels),    number(result.components),
          result.times.front > 0 ? 1. : 0, result.times.hysteresis > 0 ? 1. : 0};
}

constexpr unsigned kLeast = 4;  // pixels of a component

// The pictures of a batch, each with what it gives alone.
class Pictures {
 public:
  Pictures(const cases::Case& c, unsigned count, canny::Detector* alone) : case_(c) {
    for (unsigned i = 0; i < count; ++i) {
      cases::Case own = c;
      own.seed += 1000 * i;
      frames_.emplace_back(own);
      regions_.push_back(region(i));
    }
    for (unsigned i = 0; i < count && status_.ok(); ++i) add_expected(i, alone);
  }

  std::string check(Backend backend, Order order, Memory memory, unsigned reserved,
                    canny::Detector* detector) {
    const auto count = static_cast<unsigned>(frames_.size());
    if (!status_.ok()) return status_.message();
    const Frames& first = frames_[0];
    Block inputs(first.input.block().size(), count, order);
    Block outputs(first.output.block().size(), count, order);
    for (unsigned i = 0; i < count; ++i) {
      inputs.set(i, frames_[i].input.block());
      outputs.set(i, frames_[i].output.block());
    }
    std::unique_ptr<device_memory::Block> device_in, device_out;
    const std::uint8_t* from = inputs.bytes().data();
    std::uint8_t* to = outputs.bytes().data();
    if (memory == Memory::kDevice) {
      device_in = std::make_unique<device_memory::Block>(inputs.bytes());
      device_out = std::make_unique<device_memory::Block>(outputs.bytes());
      from = device_in->data(), to = device_out->data();
    }
    std::vector<const std::uint8_t*> input_data;
    std::vector<std::uint8_t*> output_data;
    canny::ConstFrame input = first.input.const_frame(from + inputs.place(0), memory);
    canny::Frame output = first.output.frame(to + outputs.place(0), memory);
    inputs.add_batch(&input, &input_data);
    outputs.add_batch(&output, &output_data);
    if (case_.region != nullptr) input.region = regions_.data();
    std::vector<canny::Contours> contours(count);
    std::vector<canny::Components> components(count);
    components[0].set_min_pixels(kLeast);
    if (wants_chains()) output.contours = contours.data();
    if (wants_components()) output.components = components.data();

    std::vector<canny::Result> results(count);
    Status status = detector->set_size(case_.width, case_.height, 1, reserved);
    if (status.ok()) status = detector->detect(params(), input, output, results.data());
    if (!status.ok()) return status.message();
    if (device_out != nullptr) outputs.bytes() = device_out->bytes();
    for (unsigned i = 0; i < count; ++i) {
      std::string failure;
      if (outputs.get(i) != expected_[i].block) failure = "other bytes";
      if (numbers(results[i]) != numbers_of(i, memory)) failure = "other numbers";
      if (harness::bytes_of(contours[i], components[i]) != expected_[i].lists)
        failure = "other chains or components";
      if (!failure.empty())
        return describe(case_) + ", picture " + std::to_string(i) + " of " + std::to_string(count) +
               " on " + name(backend) + ": " + failure;
    }
    return "";
  }

 private:
  struct Expected {
    std::vector<std::uint8_t> block;
    canny::Result result;
    std::string lists;  // the bytes of chains and components, if there are any
  };

  // Some of the cases measure stages, too, and get chains.
  canny::Params params() const {
    canny::Params params = case_.params;
    params.measure_stages = case_.seed % 3 == 0;
    return params;
  }
  bool wants_components() const { return case_.seed % 3 != 1; }
  bool wants_chains() const { return case_.seed % 2 == 0 && shows_edges(case_.params.view); }

  // Every other picture has a region that the case does not have.
  canny::Region region(unsigned i) const {
    if (case_.region == nullptr) return {};
    static const canny::Rectangle kLeft = {0, 0, 40, 1 << 14};
    return i % 2 == 0 ? case_.region->region : canny::Region{&kLeft, 1, {}, Memory::kHost};
  }

  void add_expected(unsigned i, canny::Detector* alone) {
    harness::GuardedFrame output = frames_[i].output;
    canny::ConstFrame input = frames_[i].input.const_frame();
    if (case_.region != nullptr) input.region = &regions_[i];
    canny::Frame to = output.frame();
    canny::Contours contours;
    if (wants_chains()) to.contours = &contours;
    canny::Components components;
    components.set_min_pixels(kLeast);
    if (wants_components()) to.components = &components;
    Expected expected;
    status_ = alone->set_size(case_.width, case_.height);
    if (status_.ok()) status_ = alone->detect(params(), input, to, &expected.result);
    expected.block = output.block();
    expected.lists = harness::bytes_of(contours, components);
    expected_.push_back(std::move(expected));
  }

  std::vector<double> numbers_of(unsigned i, Memory memory) const {
    canny::Result result = expected_[i].result;
    if (memory == Memory::kDevice) result.uploaded_bytes = result.downloaded_bytes = 0;
    return numbers(result);
  }

  const cases::Case case_;
  std::vector<Frames> frames_;
  std::vector<canny::Region> regions_;
  std::vector<Expected> expected_;
  Status status_;
};

void test_settings(Backend backend, std::uint64_t step) {
  canny::Detector alone, detector;
  const auto create = [&](unsigned threads, canny::Detector* created) {
    return canny::Detector::create(harness::detector_options(backend, threads), created);
  };
  Status status = create(1, &alone);
  if (status.ok()) status = create(0, &detector);
  if (!status.ok()) return tally.skip(backend, status.message());
  std::uint64_t number = 0;
  for (const matrix::Group& group : matrix::groups()) {
    for (const cases::Case& c : group.cases) {
      if (number++ % step != 0) continue;
      const unsigned count = kCounts[number / step % 4];
      const auto order = static_cast<Order>(number / step % 3);
      const unsigned reserved = number / step % 5 == 0 ? (count + 2) / 3 : count;
      Pictures pictures(c, count, &alone);
      tally.count(backend, group.name + ", host",
                  pictures.check(backend, order, Memory::kHost, reserved, &detector));
      if (backend == Backend::kCuda)
        tally.count(backend, group.name + ", device",
                    pictures.check(backend, order, Memory::kDevice, reserved, &detector));
    }
  }
}

// ---- batches that are refused, and those in flight ----

constexpr int kSide = 40;
constexpr std::size_t kArea = std::size_t{kSide} * kSide;

canny::ConstFrame input_of(const std::uint8_t* data, unsigned count) {
  canny::ConstFrame frame = {data, kSide, kSide, kSide};
  frame.batch = {count, kArea, nullptr};
  return frame;
}
canny::Frame output_of(std::uint8_t* data, unsigned count) {
  canny::Frame frame = {data, kSide, kSide, kSide};
  frame.batch = {count, kArea, nullptr};
  return frame;
}

void test_refusals(canny::Detector& detector) {
  const Backend backend = detector.info().backend;
  std::vector<std::uint8_t> in(4 * kArea), out(7 * kArea);
  const auto refuse = [&](const std::string& part, const canny::ConstFrame& input,
                          const canny::Frame& output) {
    tally.expect(backend, part, detector.detect({}, input, output, nullptr),
                 StatusCode::kInvalidFrame, part);
  };
  const canny::ConstFrame input = input_of(in.data(), 4);
  const canny::Frame output = output_of(out.data(), 4);
  refuse("batch.count 3 differs from the input's 4", input, output_of(out.data(), 3));
  refuse("batch.count 0 is outside", input_of(in.data(), 0), output);
  refuse("batch.count 65536 is outside", input_of(in.data(), 65536), output);
  canny::Contours contours;
  canny::Frame endless = output_of(out.data(), 4000000000);
  canny::Components components;
  endless.contours = &contours;
  endless.components = &components;
  refuse("batch.count 4000000000 is outside", input, endless);

  canny::Frame close = output;
  close.batch.stride_bytes = kArea - 1;
  refuse("pictures of its batch overlap", input, close);
  close.batch.stride_bytes = 0;
  refuse("pictures of its batch overlap", input, close);
  refuse("overlaps the input frame", input_of(out.data() + 3 * kArea, 4), output);
  refuse("overlaps the input frame", input_of(out.data(), 4), output_of(out.data() + 3 * kArea, 4));

  // A mask over the output of another picture.
  std::vector<canny::Region> regions(4);
  for (unsigned i = 0; i < 4; ++i) {
    const std::size_t at = (i + 1) % 4 * kArea;
    regions[i].mask = {out.data() + at, kSide};
  }
  canny::ConstFrame masked = input;
  masked.region = regions.data();
  refuse("overlaps the mask of the input's region", masked, output);
  regions[0] = regions[1] = regions[2] = {};
  refuse("overlaps the mask of the input's region", masked, output);

  // Four times these overflow.
  canny::ConstFrame far = input;
  for (const std::ptrdiff_t stride :
       {PTRDIFF_MAX, PTRDIFF_MIN, PTRDIFF_MIN / 2, PTRDIFF_MAX / 4 + 1, -(PTRDIFF_MAX / 4 + 1)}) {
    const std::string rule = "batch.stride_bytes " + std::to_string(stride) + " is beyond +-";
    far.batch.stride_bytes = close.batch.stride_bytes = stride;
    refuse("input frame: " + rule, far, output);
    refuse("output frame: " + rule, input, close);
  }

  const std::uint8_t* addresses[] = {in.data(), in.data() + kArea, nullptr, in.data()};
  canny::ConstFrame scattered = input;
  scattered.batch.data = addresses;
  refuse("an address in batch.data is null", scattered, output);
  addresses[0] = in.data() + kArea;
  refuse("batch.data[0] is not its data", scattered, output);

  tally.expect(backend, "pictures", detector.set_size(kSide, kSide, 1, 0),
               StatusCode::kInvalidOptions, "pictures 0 is outside 1..65535");
}

// Columns of a mosaic: their rows lie between those of the others. All read the same input.
void test_mosaic(canny::Detector& detector) {
  const Backend backend = detector.info().backend;
  const std::vector<std::uint8_t> in = reference::Random(5).bytes(kArea);
  std::vector<std::uint8_t> out(4 * kArea), alone(kArea);
  canny::ConstFrame input = input_of(in.data(), 4);
  input.batch.stride_bytes = 0;
  canny::Frame output = output_of(out.data(), 4);
  output.stride_bytes = 4 * kSide;
  output.batch.stride_bytes = kSide;
  Status status = detector.set_size(kSide, kSide, 1, 4);
  if (status.ok()) status = detector.detect({}, input, output, nullptr);
  if (status.ok())
    status = detector.detect({}, input_of(in.data(), 1), output_of(alone.data(), 1), nullptr);
  std::string failure = status.message();
  for (std::size_t i = 0; i < out.size() && failure.empty(); ++i)
    if (out[i] != alone[i / (4 * kSide) * kSide + i % kSide]) failure = "other bytes";
  tally.count(backend, "a mosaic", failure);
}

// Batches of several sizes in flight at a time, some of them dropped.
void test_flight(canny::Detector& detector) {
  const Backend backend = detector.info().backend;
  constexpr unsigned kFrames = 3, kMost = 5;
  const std::vector<std::uint8_t> in = reference::Random(6).bytes(kMost * kArea);
  std::vector<std::uint8_t> out[kFrames], alone(in.size());
  Status status = detector.set_size(kSide, kSide, kFrames, 4);
  if (status.ok())
    status =
        detector.detect({}, input_of(in.data(), kMost), output_of(alone.data(), kMost), nullptr);
  std::string failure = status.message();
  for (unsigned i = 0; i < 30 && failure.empty(); ++i) {
    const unsigned count = 1 + i % kMost;
    std::vector<std::uint8_t>& output = out[i % kFrames];
    if (i >= kFrames && i % 7 != 0) {
      const std::size_t bytes = output.size();
      canny::Result results[kMost];
      failure = detector.wait(results).message();
      if (failure.empty() && !std::equal(output.begin(), output.end(), alone.begin()))
        failure = "other bytes";
      for (std::size_t k = 0; k < bytes / kArea && failure.empty(); ++k) {
        const auto first = alone.begin() + static_cast<std::ptrdiff_t>(k * kArea);
        if (results[k].edge_pixels !=
            static_cast<std::uint64_t>(std::count(first, first + kArea, 255)))
          failure = "another number of edges";
      }
    } else if (i >= kFrames) {
      detector.drop();
    }
    output.assign(count * kArea, 7);
    if (failure.empty())
      failure = detector.submit({}, input_of(in.data(), count), output_of(output.data(), count))
                    .message();
  }
  for (unsigned i = 0; i < kFrames; ++i) detector.drop();
  tally.count(backend, "batches in flight", failure);
}

// A thread submits batches that have more parts than one, while another one waits for them.
void test_threads(canny::Detector& detector) {
  const Backend backend = detector.info().backend;
  constexpr unsigned kFrames = 3, kCount = 9, kTurns = 60;
  const std::vector<std::uint8_t> in = reference::Random(7).bytes(kCount * kArea);
  std::vector<std::uint8_t> out[kFrames], alone(in.size());
  for (auto& output : out) output.resize(in.size());
  Status status = detector.set_size(kSide, kSide, kFrames, 2);
  if (status.ok())
    status =
        detector.detect({}, input_of(in.data(), kCount), output_of(alone.data(), kCount), nullptr);
  std::atomic<unsigned> submitted{0}, returned{0};
  std::atomic<bool> has_failed{!status.ok()};
  std::thread waiting([&] {
    for (unsigned i = 0; i < kTurns && !has_failed; ++i) {
      while (submitted == i && !has_failed) std::this_thread::yield();
      if (has_failed) return;
      std::vector<std::uint8_t>& output = out[i % kFrames];
      if (!detector.wait(nullptr).ok() || output != alone) has_failed = true;
      std::fill(output.begin(), output.end(), 7);
      ++returned;
    }
  });
  for (unsigned i = 0; i < kTurns && !has_failed; ++i) {
    while (i - returned == kFrames && !has_failed) std::this_thread::yield();
    if (has_failed) break;
    if (!detector
             .submit({}, input_of(in.data(), kCount), output_of(out[i % kFrames].data(), kCount))
             .ok())
      has_failed = true;
    ++submitted;
  }
  waiting.join();
  while (detector.wait(nullptr).code() != StatusCode::kNotConfigured) {
  }
  tally.count(backend, "a thread that submits and one that waits", has_failed ? "failed" : "");
}

}  // namespace

int main(int argc, char** argv) {
  const auto run = [](Backend backend, canny::Detector& detector, const harness::Options& options) {
    tally.expect(backend, "a size", detector.set_size(kSide, kSide, 1, 4), StatusCode::kOk);
    test_refusals(detector);
    test_mosaic(detector);
    test_flight(detector);
    test_threads(detector);
    test_settings(backend, options.step);
  };
  harness::for_backends(harness::parse(argc, argv, {}), &tally, run, 2);
  return tally.summary();
}
