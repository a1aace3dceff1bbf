// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the stages of the OpenCL kernels with the reference, on every OpenCL device of this
// machine, or on the one that the environment variable CANNY_TEST_OPENCL_DEVICE names; and names
// devices that do not exist.
#include "stages/stages.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "opencl/stages.h"
#include "reference/reference.h"

namespace {

using canny::Status;
using canny::StatusCode;
using canny::opencl::Buffer;
using canny::opencl::Device;
using canny::opencl::Image;
using canny::opencl::Number;
using canny::opencl::Numbers;
using cases::Case;
using stages::Planes;

constexpr auto kOpenCl = canny::Backend::kOpenCl;

harness::Tally tally;

// The planes of a frame in a buffer that has all bytes of its block.
Image image_of(const harness::GuardedFrame& frame, const Buffer& buffer) {
  return image_of(frame.const_frame(), buffer, frame.block().data());
}

bool is_set(std::uint8_t byte) { return byte != 0; }

class OpenClStages final : public stages::BackendStages {
 public:
  Status open(const Device& device) { return stages_.open(device); }

  canny::Backend backend() const override { return kOpenCl; }

  Status set_size(int width, int height, unsigned, unsigned) override {
    width_ = width;
    height_ = height;
    return stages_.set_size(width, height);
  }

  Status front(const canny::Plan& plan, const harness::GuardedFrame& frame,
               Planes* planes) override {
    Buffer input, region;
    CANNY_TRY(write(frame.block(), &input));
    CANNY_TRY(front().prepare(plan));
    CANNY_TRY(front().run(plan, image_of(frame, input), region_of(frame, &region)));
    *planes = {{width_, height_}, {width_, height_}};
    CANNY_TRY(unpack(front().candidate(), &planes->candidate.samples));
    return unpack(front().strong(), &planes->strong.samples);
  }

  Status hysteresis(unsigned passes, const Planes& planes,
                    std::vector<std::uint8_t>* edges) override {
    return hysteresis(passes, 0, planes, edges);
  }
  Status hysteresis(unsigned passes, unsigned min_length, const Planes& planes,
                    std::vector<std::uint8_t>* edges) {
    CANNY_TRY(pack(planes.candidate.samples, &front().candidate()));
    CANNY_TRY(pack(planes.strong.samples, &front().strong()));
    CANNY_TRY(reset_numbers());
    CANNY_TRY(stages_.hysteresis().run(front().candidate(), front().strong(), passes, min_length,
                                       numbers_));
    CANNY_TRY(unpack(stages_.hysteresis().edges(), edges));
    std::uint64_t counted = 0;
    CANNY_TRY(read_edges(&counted));
    if (counted == static_cast<std::uint64_t>(std::count_if(edges->begin(), edges->end(), is_set)))
      return {};
    return {StatusCode::kDeviceFailure, "wrong number of edges: " + std::to_string(counted)};
  }

  Status output(const std::vector<std::uint8_t>& edges, harness::GuardedFrame* frame,
                std::uint64_t* count) override {
    Buffer block;
    CANNY_TRY(pack(edges, &front().strong()));
    CANNY_TRY(write(frame->block(), &block));
    CANNY_TRY(stages_.output().run(front().strong(), frame->frame(), image_of(*frame, block)));
    CANNY_TRY(reset_numbers());
    CANNY_TRY(stages_.hysteresis().count_pixels(front().strong(), Number::kEdges, numbers_));
    CANNY_TRY(read_edges(count));
    return block.read(stages_.queue(), frame->block().data(), frame->block().size());
  }

  std::size_t workspace_bytes() const override { return 1; }
  Status fill_workspace(const std::vector<std::uint8_t>& bytes) override {
    for (Buffer* plane : {&front().candidate(), &front().strong()})
      CANNY_TRY(plane->fill(stages_.queue(), bytes[0], plane->capacity()));
    return {};
  }

  Status frame(const canny::Plan& plan, const harness::GuardedFrame& input, canny::Memory,
               harness::GuardedFrame* output, canny::Memory, canny::Result* result) override {
    Buffer from, to, inside;
    CANNY_TRY(write(input.block(), &from));
    CANNY_TRY(write(output->block(), &to));
    CANNY_TRY(reset_numbers());
    canny::opencl::StageFrame frame;
    frame.from = image_of(input, from);
    frame.to = image_of(*output, to);
    frame.output = output->frame();
    frame.numbers = &numbers_;
    if (needs_thresholds(plan.view)) frame.region = region_of(input, &inside);
    CANNY_TRY(stages_.run(plan, frame));
    Numbers found;
    CANNY_TRY(numbers_.read(stages_.queue(), &found, sizeof found));
    result->edge_pixels = found[Number::kEdges];
    const bool is_device = front().device_measured() != nullptr;
    const canny::FrameThresholds& thresholds = plan.thresholds(front().measured());
    result->low_threshold = is_device ? found.measured.low_length : thresholds.low;
    result->high_threshold = is_device ? found.measured.high_length : thresholds.high;
    return to.read(stages_.queue(), output->block().data(), output->block().size());
  }

  // These need a backend.
  Status frames(std::vector<stages::Job>&) override {
    return {StatusCode::kBackendNotBuilt, "no frames in flight"};
  }
  Status fail_frame(stages::Failure, const canny::Plan&, const harness::GuardedFrame&) override {
    return {StatusCode::kBackendNotBuilt, "no frames in flight"};
  }

 private:
  Status write(const std::vector<std::uint8_t>& bytes, Buffer* buffer) {
    CANNY_TRY(buffer->reserve(stages_.queue(), bytes.size()));
    return buffer->write(stages_.queue(), bytes.data(), bytes.size());
  }

  // The region of a frame as bits in `buffer`, or null.
  const Buffer* region_of(const harness::GuardedFrame& frame, Buffer* buffer) {
    const canny::ConstFrame at = frame.const_frame();
    if (at.region == nullptr || !pack(reference::inside(at).samples, buffer).ok()) return nullptr;
    return buffer;
  }

  Status reset_numbers() {
    CANNY_TRY(numbers_.reserve(stages_.queue(), sizeof(Numbers)));
    return numbers_.fill(stages_.queue(), 0, sizeof(Numbers));
  }
  Status read_edges(std::uint64_t* edges) const {
    Numbers found;
    CANNY_TRY(numbers_.read(stages_.queue(), &found, sizeof found));
    *edges = found[Number::kEdges];
    return {};
  }

  canny::opencl::Front& front() { return stages_.front(); }
  int words_per_row() const { return (width_ + 31) / 32; }

  // A byte a pixel to words of 32 pixels, row by row.
  Status pack(const std::vector<std::uint8_t>& bytes, Buffer* plane) {
    std::vector<cl_uint> words(words_per_row() * height_);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t x = i % width_, y = i / width_;
      if (bytes[i] != 0) words[y * words_per_row() + x / 32] |= 1u << x % 32;
    }
    CANNY_TRY(plane->reserve(stages_.queue(), words.size() * sizeof words[0]));
    return plane->write(stages_.queue(), words.data(), words.size() * sizeof words[0]);
  }

  // And back. Bits to the right of the last pixel, which must be 0, are added to it.
  Status unpack(const Buffer& plane, std::vector<std::uint8_t>* bytes) {
    std::vector<cl_uint> words(words_per_row() * height_);
    CANNY_TRY(plane.read(stages_.queue(), words.data(), words.size() * sizeof words[0]));
    bytes->assign(width_ * height_, 0);
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < 32 * words_per_row(); ++x)
        (*bytes)[y * width_ + std::min(x, width_ - 1)] +=
            words[y * words_per_row() + x / 32] >> x % 32 & 1;
    return {};
  }

  canny::opencl::Stages stages_;
  Buffer numbers_;
  int width_ = 0, height_ = 0;
};

// Edges that are too short, of random masks.
std::string check_lengths(OpenClStages& backend, const Case& c) {
  reference::Random random(c.seed + 4);
  const auto mask = cases::fill_mask(c.fill, c.width, c.height, random);
  Planes planes{{c.width, c.height}, {c.width, c.height}};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    planes.candidate.samples[i] = mask[i] > 0;
    planes.strong.samples[i] = mask[i] > 1;
  }
  const auto passes = static_cast<unsigned>(random.between(0, 3));
  const auto min_length = static_cast<unsigned>(random.between(2, 40));
  reference::Bytes expected = reference::hysteresis(planes, passes);
  reference::remove_short(min_length, &expected);
  std::vector<std::uint8_t> edges;
  const Status status = backend.hysteresis(passes, min_length, planes, &edges);
  if (!status.ok()) return status.message();
  const std::string d = harness::difference(expected.samples, edges, c.width);
  return d.empty() ? "" : "edges of " + std::to_string(min_length) + " pixels: " + d;
}

void run_case(OpenClStages& backend, std::uint64_t seed, int max_side) {
  if (seed >= stages::kMaskSeeds) return stages::run_mask_case(backend, seed, &tally);
  const Case c = cases::make_case(seed, max_side);
  std::string failure = backend.set_size(c.width, c.height, 1, 1).message();
  if (failure.empty()) failure = stages::check_front(backend, c);
  if (failure.empty()) failure = stages::check_hysteresis(backend, c);
  if (failure.empty()) failure = check_lengths(backend, c);
  if (failure.empty()) failure = stages::check_output(backend, c);
  if (failure.empty()) failure = stages::check_frame(backend, c);
  tally.count(kOpenCl, describe(c), failure);
}

void run(const Device& device, const harness::Options& options) {
  OpenClStages backend;
  if (const Status status = backend.open(device); !status.ok())
    return tally.count(kOpenCl, "open", status.message());
  if (options.one_case) return run_case(backend, options.seed, options.max_side);
  const auto run_from = [&](std::uint64_t first, std::uint64_t cases) {
    for (std::uint64_t i = 0; i < cases; i += options.step)
      run_case(backend, first + i, options.max_side);
  };
  run_from(0, cases::table_size() + options.cases);
  run_from(cases::kFrontSeeds, cases::front_cases());
  run_from(stages::kMaskSeeds, stages::mask_cases());
  stages::run_drawn_masks(backend, &tally);
  stages::run_corner_mask(backend, &tally);
}

// Some devices have no groups of more than 64 items.
void run_small_groups(Device device, harness::Options options) {
  device.group_limit = 64;
  options.step *= 5;
  run(device, options);
}

void check_names(const std::vector<Device>& devices) {
  Device found;
  const auto expect = [&](const std::string& which, StatusCode code, const char* part) {
    tally.expect(kOpenCl, "device \"" + which + "\"", canny::opencl::find_device(which, &found),
                 code, part);
  };
  const auto is_gpu = [](const Device& device) {
    cl_device_type type = 0;
    if (device.library != nullptr)
      device.library->clGetDeviceInfo(device.id, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    return (type & CL_DEVICE_TYPE_GPU) != 0;
  };
  const bool has_gpu = std::any_of(devices.begin(), devices.end(), is_gpu);
  expect("", has_gpu ? StatusCode::kOk : StatusCode::kNoDevice, has_gpu ? "" : "no OpenCL GPU");
  if (has_gpu) tally.count(kOpenCl, "the first GPU", is_gpu(found) ? "" : "it is none");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    expect(std::to_string(i), StatusCode::kOk, "");
    tally.count(kOpenCl, "device by index",
                found.id == devices[i].id ? "" : "another one was found");
    const std::string own_part = devices[i].name.substr(devices[i].name.size() / 2);
    std::string part = own_part;
    for (char& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    expect(part, StatusCode::kOk, "");
    tally.count(kOpenCl, "device by a part of its name",
                found.name.find(own_part) != std::string::npos ? "" : "another one was found");
  }
  // A number is no part of a name.
  for (const std::size_t index : {devices.size(), std::size_t{99}})
    expect(std::to_string(index), StatusCode::kDeviceOutOfRange, "; devices: 0 ");
  expect("no such name", StatusCode::kDeviceOutOfRange, "devices: 0 ");
}

void check_wrong_kernel(const Device& device) {
  canny::opencl::Queue queue;
  canny::opencl::Program program;
  Status status = queue.open(device);
  if (status.ok()) status = program.build(queue, "kernel void k() { nonsense }");
  tally.expect(kOpenCl, "a wrong kernel", status, StatusCode::kDeviceFailure,
               device.text() + ": the driver can't compile the kernels: ");
  tally.count(kOpenCl, "the compiler's message",
              status.message().find("says nothing") == std::string::npos ? "" : status.message());
}

std::vector<Device> devices_to_test() {
  std::vector<Device> devices;
  const Status status = canny::opencl::list_devices(&devices);
  if (devices.empty()) {
    tally.skip(kOpenCl, status.ok() ? "no OpenCL device" : status.message());
    return {};
  }
  check_names(devices);
  const char* name = std::getenv("CANNY_TEST_OPENCL_DEVICE");
  if (name == nullptr) return devices;
  devices.resize(1);
  tally.expect(kOpenCl, "the device to test", canny::opencl::find_device(name, &devices.front()),
               StatusCode::kOk);
  return devices;
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  for (const Device& device : devices_to_test()) {
    std::printf("opencl device: %s\n", device.text().c_str());
    check_wrong_kernel(device);
    run(device, options);
    if (!options.one_case) run_small_groups(device, options);
  }
  return tally.summary();
}
