// SPDX-License-Identifier: LGPL-2.1-or-later
/// A GstAllocator over canny::HostMemory.
#include "gstcudacannyhostallocator.h"

#include <cstdint>
#include <cstring>
#include <memory>

#include "canny/canny.h"

struct GstCudaCannyHostAllocator {
  GstAllocator parent;
  gint cuda_device;
};

struct GstCudaCannyHostAllocatorClass {
  GstAllocatorClass parent_class;
};

G_DEFINE_TYPE(GstCudaCannyHostAllocator, gst_cuda_canny_host_allocator, GST_TYPE_ALLOCATOR)

/// Names the block that a memory owns.
static GQuark gst_cuda_canny_host_memory_block() {
  static const GQuark quark = g_quark_from_static_string("cudacanny-page-locked");
  return quark;
}

/// The first address in `block` that is aligned by the mask `align`.
static guint8* align_up(guint8* block, gsize align) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  return block + (((address + align) & ~align) - address);
}

/// System memory, as GStreamer's own allocator makes it, over a block that it owns.
static GstMemory* gst_cuda_canny_host_allocator_alloc(GstAllocator* allocator, gsize size,
                                                      GstAllocationParams* params) noexcept {
  const gint device = reinterpret_cast<GstCudaCannyHostAllocator*>(allocator)->cuda_device;
  const gsize maxsize = size + params->prefix + params->padding;
  const gsize align = params->align | gst_memory_alignment;
  auto block = std::make_unique<canny::HostMemory>();
  const canny::Status status = canny::HostMemory::allocate(maxsize + align, device, block.get());
  if (!status.ok()) {
    GST_WARNING_OBJECT(allocator, "using pageable memory: %s", status.message().c_str());
    return gst_allocator_alloc(nullptr, size, params);
  }
  guint8* data = align_up(block->data(), align);
  // Whatever the flags: both are empty unless upstream wants them.
  std::memset(data, 0, params->prefix);
  std::memset(data + params->prefix + size, 0, params->padding);
  GstMemory* memory =
      gst_memory_new_wrapped(params->flags, data, maxsize, params->prefix, size, nullptr, nullptr);
  gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), gst_cuda_canny_host_memory_block(),
                            block.release(),
                            [](gpointer owned) { delete static_cast<canny::HostMemory*>(owned); });
  return memory;
}

static void gst_cuda_canny_host_allocator_class_init(GstCudaCannyHostAllocatorClass* klass) {
  klass->parent_class.alloc = gst_cuda_canny_host_allocator_alloc;
}

static void gst_cuda_canny_host_allocator_init(GstCudaCannyHostAllocator*) {}

GstAllocator* gst_cuda_canny_host_allocator_new(gint cuda_device) {
  auto* allocator = static_cast<GstCudaCannyHostAllocator*>(
      g_object_new(gst_cuda_canny_host_allocator_get_type(), nullptr));
  allocator->cuda_device = cuda_device;
  return GST_ALLOCATOR(gst_object_ref_sink(allocator));
}

bool gst_cuda_canny_host_memory_is_page_locked(GstMemory* memory) {
  GstMemory* whole = memory->parent != nullptr ? memory->parent : memory;
  return gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(whole),
                                   gst_cuda_canny_host_memory_block()) != nullptr;
}
