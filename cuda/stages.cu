// SPDX-License-Identifier: LGPL-2.1-or-later
// Cuts the workspace into slots and queues the kernels of a frame in one of them.
#include "cuda/stages.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cuda/check.h"
#include "cuda/output.h"

namespace canny::cuda {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t round_up(std::size_t bytes, std::size_t alignment = kAlignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Cuts memory into consecutive arrays. Without memory it only adds up their sizes.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::uint8_t*>(memory)) {}

  template <class T>
  void take(std::size_t count, T** array) {
    if (memory_ != nullptr) *array = reinterpret_cast<T*>(memory_ + size_);
    size_ += round_up(count * sizeof(T));
  }
  std::size_t bytes() const { return size_; }

 private:
  std::uint8_t* memory_;
  std::size_t size_ = 0;
};

// Takes the memory of a slot except its flags, which come first: planes and components.
void carve_slot(Carver* carver, TilePlane* candidate, TilePlane* strong,
                HysteresisBuffers* buffers) {
  carver->take(candidate->size_words(), &candidate->words);
  carver->take(strong->size_words(), &strong->words);
  Carver other = *carver;
  other.take(candidate->size_words(), &buffers->other);
  carver->take(run_places(*candidate), &buffers->components.of_run);
  carver->take(candidate->tiles(), &buffers->components.count);
  carver->take(forest_nodes(*candidate), &buffers->components.parent);
}

}  // namespace

Stages::~Stages() {
  const DeviceScope scope(device_);
  synchronize();
  for (Slot& slot : slots_) {
    slot.launcher.close();
    if (slot.launcher.stream() != nullptr) cudaStreamDestroy(slot.launcher.stream());
  }
  release();
}

void Stages::synchronize() const {
  for (const Slot& slot : slots_)
    if (slot.launcher.stream() != nullptr) cudaStreamSynchronize(slot.launcher.stream());
  cudaGetLastError();
}

void Stages::release() {
  cudaFree(workspace_);
  cudaGetLastError();
  workspace_ = nullptr;
  workspace_bytes_ = 0;
}

Status Stages::open() {
  const char* kernels = std::getenv("CANNY_CUDA_KERNELS");
  portable_ = device_.compute_capability < kStripCapability ||
              (kernels != nullptr && std::string(kernels) == "portable");
  for (Slot& slot : slots_) {
    cudaStream_t stream;
    CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    slot.launcher.open(stream, !portable_);
  }
  return {};
}

// Cuts the workspace into slot_count_ slots. The images between the portable front end's kernels
// share this memory: row sums (2 bytes a pixel) and luma or blurred pixels (1 byte a pixel). The
// first slot's planes may overlap the row sums, but not the blurred pixels, from which they are
// computed. Returns the bytes that slots and images need.
std::size_t Stages::carve(void* memory, int width, int height) {
  Carver slots(memory);
  slots.take(kMaxFramesInFlight, &counts_);
  for (int i = 0; i < slot_count_; ++i) {
    slots.take(1 + kMaxHysteresisPasses, &slots_[i].hysteresis.grew);
    slots.take(1, &slots_[i].measured);
  }
  Carver images = slots;
  for (int i = 0; i < slot_count_; ++i) {
    Slot& slot = slots_[i];
    slot.candidate = slot.strong = TilePlane{nullptr, width, height};
    carve_slot(&slots, &slot.candidate, &slot.strong, &slot.hysteresis);
  }
  front_buffers_.pitch = static_cast<int>(round_up(width, 4));
  const std::size_t pixels = static_cast<std::size_t>(front_buffers_.pitch) * height;
  // The bytes of one plane. As many row sums, of 2 bytes each, cover both planes.
  const std::size_t plane_bytes = round_up(slots_[0].candidate.size_words() * 4);
  images.take(std::max(pixels, plane_bytes), &front_buffers_.row_blurred);
  images.take(pixels, &front_buffers_.luma);
  front_buffers_.blurred = front_buffers_.luma;
  return std::max(slots.bytes(), images.bytes());
}

// Makes as many slots, of about 1 byte a pixel each, as fit in 3 bytes a pixel plus kSmall.
Status Stages::set_size(int width, int height) {
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  release();
  slot_count_ = portable_ ? 1 : kFrameSlots;
  const std::size_t most = 3 * static_cast<std::size_t>(width) * height + kSmall;
  while (carve(nullptr, width, height) > most && slot_count_ > 1) --slot_count_;
  CANNY_CUDA_TRY(cudaMalloc(&workspace_, carve(nullptr, width, height)));
  workspace_bytes_ = carve(workspace_, width, height);
  return {};
}

Status Stages::front(const Plan& plan, const ConstFrame& input, Slot* slot) {
  const FrontDevice device = front_device();
  const FrontArguments arguments = {plan,         input,          front_buffers_, slot->candidate,
                                    slot->strong, slot->measured, device,         &tap_cache_};
  return cuda::front(arguments, &slot->launcher);
}

Status Stages::run(int slot_number, const Plan& plan, const ConstFrame& input, const Frame& output,
                   unsigned long long* count) {
  Slot* slot = &slots_[slot_number];
  Launcher* launcher = &slot->launcher;
  Edges edges;
  slot->hysteresis.count = count;
  launcher->record();
  CANNY_TRY(front(plan, input, slot));
  CANNY_TRY(cuda::hysteresis(plan.passes, slot->candidate, slot->strong, slot->hysteresis, &edges,
                             launcher));
  CANNY_TRY(cuda::output(edges, output, count, launcher));
  return launcher->submit();
}

Status Stages::front(const Plan& plan, const ConstFrame& input) {
  return front(plan, input, &slots_[0]);
}

Status Stages::hysteresis(unsigned passes, Edges* edges) {
  Slot& slot = slots_[0];
  slot.hysteresis.count = counts_;
  return cuda::hysteresis(passes, slot.candidate, slot.strong, slot.hysteresis, edges,
                          &slot.launcher);
}

Status Stages::output(const Edges& edges, const Frame& output) {
  return cuda::output(edges, output, counts_, &slots_[0].launcher);
}

}  // namespace canny::cuda
