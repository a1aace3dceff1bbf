// SPDX-License-Identifier: LGPL-2.1-or-later
/// Pictures in GStreamer's CUDA memory, and their contexts. Everything here needs a GPU.
#pragma once

#include <gst/cuda/gstcudacontext.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fixture.h"

namespace check {

/// Contexts of device 0, which live as long as the program.
inline constexpr int kCudaContexts = 2;
GstCudaContext* cuda_context(int number);

/// The context that an application gives to elements.
Owned<GstContext> new_shared_context(GstCudaContext* context);

/// The context in `shared`, null if it has none. The caller gets no reference.
GstCudaContext* context_in(GstContext* shared);

GstCaps* new_cuda_caps(const Format& format, int width, int height);  ///< at 30 frames/s

/// A buffer from a new pool of CUDA memory (transfer full). `configure` may add to the pool's
/// configuration.
GstBuffer* new_pool_buffer(GstCaps* caps, GstCudaContext* context,
                           const std::function<void(GstStructure*)>& configure = nullptr);

/// A buffer in CUDA memory for such a frame (transfer full).
GstBuffer* new_cuda_buffer(const Layout& layout, GstCudaContext* context);

/// Moves a picture of that layout to a buffer in CUDA memory. It is on the device when this
/// returns.
void fill_cuda_buffer(GstBuffer* buffer, GstBuffer* picture, const Layout& layout);

/// Waits until "stats" counts this many frames. Frames pushed unfinished are counted later.
void wait_for_count(GstElement* element, guint64 frames);

/// The context of the buffer's memory, null if it is not CUDA memory.
GstCudaContext* context_of(GstBuffer* buffer);

/// All bytes of a buffer in CUDA memory, as on the device, with its GstVideoMeta. A map would give
/// only the bytes that GStreamer downloads. It omits some from planes that begin in the middle of a
/// row, such as the second chroma plane in I420 of an odd height.
Owned<GstBuffer> device_bytes(GstBuffer* buffer);

/// The context that a pad ("sink" or "src") of the element returns, null if there is none.
GstCudaContext* told_context(GstElement* element, const char* pad);

/// Makes downstream accept only frames in CUDA memory, of this format or (null) of any.
void want_cuda(const Element& element, const Format* format);

/// Sends pictures through an element and checks its output. Every frame has a different picture,
/// and the default settings.
class Pictures {
 public:
  /// `name` begins the message of a failure.
  explicit Pictures(Element& element, std::string name = "")
      : element_(element), name_(std::move(name)) {}

  /// Sets the layout of the next pictures, in CUDA or in system memory. Sends the caps.
  void set_layout(const Layout& layout, bool in_cuda);

  /// Pushes the next picture in memory of the context, or in system memory if it is null.
  void push(GstCudaContext* context);
  /// Pushes the next picture in this buffer (transfer full).
  void push_in(GstBuffer* buffer);
  void push(int count, GstCudaContext* context);

  /// Waits for the oldest picture's edges, which must be in memory of the context, or in system
  /// memory if it is null. They must have `format`; null means the element's own choice. Returns
  /// their buffer.
  Owned<GstBuffer> check(GstCudaContext* context, const Format* format = nullptr);
  void check(int count, GstCudaContext* context, const Format* format = nullptr);

  /// Drops the pictures that came out and those still to come.
  void forget();

 private:
  struct Sent {
    GstClockTime time;
    Layout layout;
    std::vector<std::uint8_t> edges;
  };

  std::string describe(const Sent& sent) const;

  Element& element_;
  std::string name_;
  Layout layout_ = {};
  GstClockTime time_ = 0;
  std::deque<Sent> sent_;
};

}  // namespace check
