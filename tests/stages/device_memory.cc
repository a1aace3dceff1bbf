// SPDX-License-Identifier: LGPL-2.1-or-later
// Device memory and streams, and the status codes of machines without a usable device.
#include "device_memory.h"

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "cuda/device.h"

namespace device_memory {

Exhausted::Exhausted() {
  for (std::size_t bytes = std::size_t{1} << 40; bytes >= std::size_t{16} << 20;) {
    void* block = nullptr;
    if (cudaMalloc(&block, bytes) == cudaSuccess) {
      blocks_.push_back(block);
    } else {
      cudaGetLastError();
      bytes /= 2;
    }
  }
}

Exhausted::~Exhausted() {
  for (void* block : blocks_) cudaFree(block);
}

namespace {

template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  // 11000: the signature of cuCtxCreate before it got more parameters.
  cudaGetDriverEntryPointByVersion(name, &found, 11000, cudaEnableDefault, &result);
  return reinterpret_cast<Function>(found);
}

}  // namespace

CurrentContext::CurrentContext(bool create) {
  if (!create) return;
  CUcontext context = nullptr;
  driver_function<CUresult (*)(CUcontext*, unsigned, CUdevice)>("cuCtxCreate")(&context, 0, 0);
  context_ = context;
}

CurrentContext::~CurrentContext() {
  if (context_ != nullptr)
    driver_function<CUresult (*)(CUcontext)>("cuCtxDestroy")(static_cast<CUcontext>(context_));
}

bool CurrentContext::is_current() const {
  CUcontext current = nullptr;
  driver_function<CUresult (*)(CUcontext*)>("cuCtxGetCurrent")(&current);
  return current == context_;
}

bool synchronize() { return cudaDeviceSynchronize() == cudaSuccess; }

void* small_block() {
  void* block = nullptr;
  cudaMalloc(&block, 4096);
  return block;
}

namespace {

// Ends the program if memory for a test fails.
void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "memory for a test: %s\n", cudaGetErrorString(error));
  std::abort();
}

}  // namespace

Block::Block(const std::vector<std::uint8_t>& bytes) : size_(bytes.size()) {
  require(cudaMalloc(reinterpret_cast<void**>(&data_), size_));
  require(cudaMemcpy(data_, bytes.data(), size_, cudaMemcpyHostToDevice));
  // The copy of a few bytes may still be under way, and no other stream would wait for it.
  require(cudaStreamSynchronize(cudaStreamLegacy));
}

Block::~Block() { cudaFree(data_); }

std::vector<std::uint8_t> Block::bytes() const {
  std::vector<std::uint8_t> bytes(size_);
  require(cudaMemcpy(bytes.data(), data_, size_, cudaMemcpyDeviceToHost));
  return bytes;
}

namespace {

cudaStream_t cast(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

Stream::Stream() {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  stream_ = stream;
}

Stream::~Stream() {
  release();
  synchronize();
  cudaStreamDestroy(cast(stream_));
}

void Stream::hold() {
  released_ = std::promise<void>();
  is_held_ = true;
  const cudaHostFn_t wait = [](void* released) {
    static_cast<std::promise<void>*>(released)->get_future().wait();
  };
  cudaLaunchHostFunc(cast(stream_), wait, &released_);
}

void Stream::release() {
  if (is_held_) released_.set_value();
  is_held_ = false;
}

void Stream::copy(const Block& from, const Block& to) { copy(from, to.data()); }

void Stream::copy(const Block& from, std::uint8_t* to) {
  cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyDefault, cast(stream_));
}

bool Stream::is_done() const { return cudaStreamQuery(cast(stream_)) == cudaSuccess; }

void Stream::synchronize() { cudaStreamSynchronize(cast(stream_)); }

void test_machine_codes(harness::Tally* tally) {
  using canny::StatusCode;
  struct {
    canny::cuda::Machine machine;
    int device;
    StatusCode code;
    const char* message;
  } const table[] = {
      {{0, 13000, 0, "insufficient driver"}, -1, StatusCode::kNoDriver, "no NVIDIA driver"},
      {{11080, 12040, 0, "insufficient driver"}, -1, StatusCode::kDriverTooOld, "CUDA 11.8"},
      {{13000, 13000, 0, ""}, -1, StatusCode::kNoDevice, "no CUDA device"},
      {{13000, 13000, 0, "system not ready"}, -1, StatusCode::kDeviceUnusable, "system not ready"},
      {{13000, 13000, 2, ""}, 2, StatusCode::kDeviceOutOfRange, "0..1"},
      {{13000, 13000, 2, ""}, 1, StatusCode::kOk, ""},
      {{12000, 12080, 1, ""}, -1, StatusCode::kOk, ""},  // minor versions are compatible
  };
  for (const auto& row : table) {
    tally->expect(canny::Backend::kCpu, "machine code",
                  canny::cuda::check_machine(row.machine, row.device), row.code, row.message);
  }
}

}  // namespace device_memory
