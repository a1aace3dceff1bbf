// SPDX-License-Identifier: LGPL-2.1-or-later
/// A GstAllocator over canny::HostMemory.
#include "gstcudacannyhostallocator.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "canny/canny.h"

namespace {

/// A page-locked block, or a part of one.
struct Memory {
  GstMemory parent;
  canny::HostMemory block;  ///< empty for a part
  guint8* data;             ///< at offset 0
};

constexpr char kMemoryType[] = "cudacanny-page-locked";

}  // namespace

struct GstCudaCannyHostAllocator {
  GstAllocator parent;
  gint cuda_device;
};

struct GstCudaCannyHostAllocatorClass {
  GstAllocatorClass parent_class;
};

G_DEFINE_TYPE(GstCudaCannyHostAllocator, gst_cuda_canny_host_allocator, GST_TYPE_ALLOCATOR)

/// The first address in `block` that is aligned by the mask `align`.
static guint8* align_up(guint8* block, gsize align) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  return block + (((address + align) & ~align) - address);
}

static GstMemory* gst_cuda_canny_host_allocator_alloc(GstAllocator* allocator, gsize size,
                                                      GstAllocationParams* params) noexcept {
  const gint device = reinterpret_cast<GstCudaCannyHostAllocator*>(allocator)->cuda_device;
  const gsize maxsize = size + params->prefix + params->padding;
  const gsize align = params->align | gst_memory_alignment;
  canny::HostMemory block;
  const canny::Status status = canny::HostMemory::allocate(maxsize + align, device, &block);
  if (!status.ok()) {
    GST_WARNING_OBJECT(allocator, "using pageable memory: %s", status.message().c_str());
    return gst_allocator_alloc(nullptr, size, params);
  }
  auto* memory = new (std::nothrow) Memory{};
  if (memory == nullptr) return gst_allocator_alloc(nullptr, size, params);
  memory->block = std::move(block);
  memory->data = align_up(memory->block.data(), align);
  gst_memory_init(GST_MEMORY_CAST(memory), params->flags, allocator, nullptr, maxsize, align,
                  params->prefix, size);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED) std::memset(memory->data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED) {
    std::memset(memory->data + params->prefix + size, 0, params->padding);
  }
  return GST_MEMORY_CAST(memory);
}

static void gst_cuda_canny_host_allocator_free(GstAllocator*, GstMemory* memory) noexcept {
  delete reinterpret_cast<Memory*>(memory);
}

static gpointer gst_cuda_canny_host_memory_map(GstMemory* memory, gsize, GstMapFlags) noexcept {
  return reinterpret_cast<Memory*>(memory)->data;
}

static void gst_cuda_canny_host_memory_unmap(GstMemory*) noexcept {}

static GstMemory* gst_cuda_canny_host_memory_share(GstMemory* memory, gssize offset,
                                                   gssize size) noexcept {
  GstMemory* whole = memory->parent != nullptr ? memory->parent : memory;
  const gsize shared = size < 0 ? memory->size - gsize(offset) : gsize(size);
  auto* part = new (std::nothrow) Memory{};
  if (part == nullptr) return nullptr;
  part->data = reinterpret_cast<Memory*>(memory)->data;
  gst_memory_init(GST_MEMORY_CAST(part),
                  static_cast<GstMemoryFlags>(GST_MINI_OBJECT_FLAGS(whole) |
                                              GST_MINI_OBJECT_FLAG_LOCK_READONLY),
                  memory->allocator, whole, memory->maxsize, memory->align,
                  memory->offset + gsize(offset), shared);
  return GST_MEMORY_CAST(part);
}

static void gst_cuda_canny_host_allocator_class_init(GstCudaCannyHostAllocatorClass* klass) {
  klass->parent_class.alloc = gst_cuda_canny_host_allocator_alloc;
  klass->parent_class.free = gst_cuda_canny_host_allocator_free;
}

static void gst_cuda_canny_host_allocator_init(GstCudaCannyHostAllocator* self) {
  self->parent.mem_type = kMemoryType;
  self->parent.mem_map = gst_cuda_canny_host_memory_map;
  self->parent.mem_unmap = gst_cuda_canny_host_memory_unmap;
  self->parent.mem_share = gst_cuda_canny_host_memory_share;
}

GstAllocator* gst_cuda_canny_host_allocator_new(gint cuda_device) {
  auto* allocator = static_cast<GstCudaCannyHostAllocator*>(
      g_object_new(gst_cuda_canny_host_allocator_get_type(), nullptr));
  allocator->cuda_device = cuda_device;
  return GST_ALLOCATOR(gst_object_ref_sink(allocator));
}

bool gst_cuda_canny_host_memory_is_page_locked(const GstMemory* memory) {
  return memory->allocator != nullptr && memory->allocator->mem_type == kMemoryType;
}
