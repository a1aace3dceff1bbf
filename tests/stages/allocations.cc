// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests HostMemory and DeviceMemory: what they refuse, their bytes, and who owns them.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "canny/canny.h"
#include "harness.h"

namespace {

using canny::Backend;
using canny::DeviceMemory;
using canny::HostMemory;
using canny::Status;
using canny::StatusCode;

constexpr int kWidth = 203, kHeight = 121;
constexpr std::size_t kBytes = kWidth * kHeight;

harness::Tally tally;

// Makes a detector on CUDA for frames of kWidth x kHeight.
Status make_detector(canny::Detector* detector) {
  canny::Options options;
  options.backend = Backend::kCuda;
  const Status status = canny::Detector::create(options, detector);
  return status.ok() ? detector->set_size(kWidth, kHeight) : status;
}

// `absence` says why CUDA can't be used, or is OK.
template <class Memory>
void test_refusals(const std::string& kind, const Status& absence) {
  Memory memory;
  const auto refuse = [&](std::size_t bytes, int device, StatusCode code, const char* part) {
    tally.expect(absence.ok() ? Backend::kCuda : Backend::kCpu, kind + ": " + part,
                 Memory::allocate(bytes, device, &memory), code, part);
  };
  refuse(0, -1, StatusCode::kInvalidOptions, "bytes 0");
  refuse(1, -2, StatusCode::kInvalidOptions, "cuda_device -2");
  tally.expect(Backend::kCpu, kind + " nowhere", Memory::allocate(1, -1, nullptr),
               StatusCode::kInvalidOptions, "memory is null");
  if (absence.ok())
    refuse(1, 1000, StatusCode::kDeviceOutOfRange, "1000");
  else
    refuse(1, -1, absence.code(), absence.message().c_str());
}

// `write` writes bytes to the memory, and `read` reads them back.
template <class Memory, class Write, class Read>
void test_owners(const std::string& kind, Write write, Read read) {
  Memory first, second;
  for (Memory* memory : {&first, &second}) {
    tally.expect(Backend::kCuda, kind, Memory::allocate(kBytes, -1, memory), StatusCode::kOk);
    write(*memory, memory == &first ? 7 : 9);
  }
  Memory moved = std::move(first);
  const auto has = [&](const Memory& memory, std::uint8_t value) {
    return memory.size() == kBytes && read(memory) == std::vector<std::uint8_t>(kBytes, value);
  };
  tally.count(Backend::kCuda, kind + " that was moved from",
              first.data() == nullptr && first.size() == 0 ? "" : "is still there");
  tally.count(Backend::kCuda, kind + " that was moved", has(moved, 7) ? "" : "has other bytes");
  moved = std::move(second);
  tally.count(Backend::kCuda, kind + " that was assigned", has(moved, 9) ? "" : "has other bytes");
  tally.expect(Backend::kCuda, kind + " of another size", Memory::allocate(1, -1, &moved),
               StatusCode::kOk);
  tally.count(Backend::kCuda, kind + " of another size",
              moved.size() == 1 ? "" : "has its old size");
}

void test_host_memory() {
  test_owners<HostMemory>(
      "page-locked memory",
      [](const HostMemory& memory, std::uint8_t value) {
        for (std::size_t i = 0; i < memory.size(); ++i) memory.data()[i] = value;
      },
      [](const HostMemory& memory) {
        return std::vector<std::uint8_t>(memory.data(), memory.data() + memory.size());
      });
}

// A detector fills device memory, as nobody else could here.
void test_device_memory() {
  canny::Detector detector;
  tally.expect(Backend::kCuda, "a detector", make_detector(&detector), StatusCode::kOk);
  const std::vector<std::uint8_t> pixels(kBytes);
  DeviceMemory edges;
  tally.expect(Backend::kCuda, "memory of the output", DeviceMemory::allocate(kBytes, -1, &edges),
               StatusCode::kOk);
  test_owners<DeviceMemory>(
      "device memory",
      [&](const DeviceMemory& memory, std::uint8_t value) {
        const canny::Fill fill = {{memory.data(), kWidth}, kWidth, kHeight, value};
        const canny::ConstFrame input = {pixels.data(), kWidth, kWidth, kHeight};
        canny::Frame output = {edges.data(), kWidth, kWidth, kHeight};
        output.memory = canny::Memory::kDevice;
        output.fills = &fill;
        output.fill_count = 1;
        tally.expect(Backend::kCuda, "a frame with a fill",
                     detector.detect({}, input, output, nullptr), StatusCode::kOk);
      },
      [](const DeviceMemory& memory) {
        std::vector<std::uint8_t> bytes(memory.size());
        tally.expect(Backend::kCuda, "read()", memory.read(bytes.data()), StatusCode::kOk);
        return bytes;
      });
  DeviceMemory memory;
  tally.count(Backend::kCuda, "no device", memory.cuda_device() == -1 ? "" : "has a number");
  tally.expect(Backend::kCuda, "memory of the detector's device",
               DeviceMemory::allocate(1, detector.info().cuda_device, &memory), StatusCode::kOk);
  tally.count(Backend::kCuda, "its device",
              memory.cuda_device() == detector.info().cuda_device ? "" : "is another one");
  tally.expect(Backend::kCuda, "read() to null", memory.read(nullptr), StatusCode::kInvalidOptions,
               "null");
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  std::uint8_t byte = 0;
  tally.expect(Backend::kCpu, "read() of none", DeviceMemory().read(&byte),
               StatusCode::kInvalidOptions, "no device memory");
  if (!options.cuda) return tally.summary();
  canny::Detector detector;
  const Status cuda = make_detector(&detector);
  test_refusals<HostMemory>("page-locked memory", cuda);
  test_refusals<DeviceMemory>("device memory", cuda);
  if (cuda.ok()) {
    test_host_memory();
    test_device_memory();
  } else {
    tally.skip(Backend::kCuda, cuda.message());
  }
  return tally.summary();
}
