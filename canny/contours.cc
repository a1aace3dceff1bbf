// SPDX-License-Identifier: LGPL-2.1-or-later
// The chains of a frame.
#include "canny/contours.h"

#include "canny/arena.h"
#include "canny/chain_trace.h"
#include "canny/chains.h"
#include "canny/edge_bits.h"
#include "canny/frame.h"
#include "canny/guard.h"
#include "canny/pack.h"
#include "canny/try.h"

namespace canny {

struct Contours::Impl {
  EdgeBits bits;
  Chains chains;
  Tracer tracer;  // of trace()
};

Contours::Contours() noexcept = default;
Contours::~Contours() = default;
Contours::Contours(Contours&&) noexcept = default;
Contours& Contours::operator=(Contours&&) noexcept = default;

void Contours::set_min_points(std::uint32_t points) noexcept { min_points_ = points; }

void Contours::set_precision(bool has_offsets) noexcept { wants_offsets_ = has_offsets; }

void Contours::set_memory(const DeviceChains& memory) noexcept { memory_ = memory; }

void Contours::clear() noexcept {
  if (impl_ != nullptr) impl_->chains.clear();
}

void Contours::reserve(int width, int height, EdgeBits** bits, Chains** chains) {
  clear();
  if (impl_ == nullptr || impl_->bits.width() != width || impl_->bits.height() != height) {
    impl_.reset();  // gives back its memory first
    impl_ = std::make_unique<Impl>();
    impl_->bits.set_size(width, height);
  }
  impl_->chains.min_points = min_points_;
  impl_->chains.wants_offsets = wants_offsets_;
  impl_->chains.memory = memory_;
  *bits = &impl_->bits;
  *chains = &impl_->chains;
}

void Contours::trace_bits(Tracer* tracer, Arena* arena) {
  Chains* chains = &impl_->chains;
  if (!chains->is_traced) tracer->trace(&impl_->bits, chains->min_points, arena, chains);
}

Status Contours::trace(const ConstFrame& edges) noexcept {
  clear();
  Status status = guard([&]() -> Status {
    CANNY_TRY(check_edge_map(edges));
    EdgeBits* bits;
    Chains* chains;
    reserve(edges.width, edges.height, &bits, &chains);
    chains->memory = {};
    for (int y = 0; y < edges.height; ++y)
      pack_row(edges.data + y * edges.stride_bytes, edges.width, bits->row(y));
    Arena one_thread;
    trace_bits(&impl_->tracer, &one_thread);
    return {};
  });
  if (!status.ok()) clear();
  return status;
}

std::size_t Contours::size() const noexcept {
  return impl_ == nullptr ? 0 : impl_->chains.chain_count;
}

bool Contours::is_full() const noexcept {
  if (impl_ == nullptr) return false;
  const Chains& chains = impl_->chains;
  return chains.is_full || (chains.is_for_device() && (chains.points_there() < chains.point_count ||
                                                       chains.chains_there() < chains.chain_count));
}

Chain Contours::operator[](std::size_t i) const noexcept {
  if (points() == nullptr) return {};
  const std::uint32_t first = i == 0 ? 0 : impl_->chains.ends[i - 1];
  const Offset* all = offsets();
  return {points() + first, impl_->chains.ends[i] - first, all == nullptr ? all : all + first};
}

const Point* Contours::points() const noexcept {
  return impl_ == nullptr || impl_->chains.is_for_device() ? nullptr : impl_->chains.points.data();
}

const Offset* Contours::offsets() const noexcept {
  return impl_ == nullptr || !impl_->chains.has_offsets ? nullptr : impl_->chains.offsets.data();
}

std::size_t Contours::point_count() const noexcept {
  return impl_ == nullptr ? 0 : impl_->chains.point_count;
}

const std::uint32_t* Contours::ends() const noexcept {
  return impl_ == nullptr || impl_->chains.is_for_device() ? nullptr : impl_->chains.ends.data();
}

}  // namespace canny
