// SPDX-License-Identifier: LGPL-2.1-or-later
/// Frames that a CUDA stream has not reached yet. A test holds up the stream as long as it wants,
/// so a missing wait shows every time.
#pragma once

#include "cudapictures.h"

#include <gst/cuda/gstcudaloader.h>
#if GST_CHECK_VERSION(1, 24, 0)
#include <gst/cuda/gstcudastream.h>
#else
/// GStreamer has no streams but the default one, which is null.
struct GstCudaStream;
#endif

#include <future>
#include <memory>

namespace streams {

inline constexpr GstClockTime kFrame = GST_SECOND / 30;

check::Layout layout_of_tests();

#if GST_CHECK_VERSION(1, 24, 0)

using Stream = std::unique_ptr<GstCudaStream, decltype(&gst_cuda_stream_unref)>;

Stream new_stream();

/// A buffer around CUDA memory (transfer full) of such a frame.
check::Owned<GstBuffer> new_buffer_of(GstMemory* memory, const check::Layout& layout);

#endif

/// Holds up the work queued in a stream (null = the default one) from now on, until open().
class Gate {
 public:
  explicit Gate(GstCudaStream* stream);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open();

 private:
  static void wait(void* gate);

  CUstream stream_;
  std::promise<void> opened_;
  bool is_open_ = false;
};

/// Memory with that stream, or with none.
check::Owned<GstBuffer> new_buffer(const check::Layout& layout, GstCudaStream* stream);

/// Queues a copy of all bytes between two buffers of the same layout.
void queue_copy(GstBuffer* from, GstBuffer* to, GstCudaStream* stream);

check::Owned<GstBuffer> new_picture(GstClockTime time);

/// A buffer with a picture, finished.
check::Owned<GstBuffer> new_input(GstClockTime time);

/// Buffers that get a picture each when a stream reaches them. Driver calls that affect all
/// streams, such as allocating and freeing memory, would wait for a stream that is held up, so they
/// come first.
class UnfinishedInputs {
 public:
  explicit UnfinishedInputs(GstCudaStream* stream) : stream_(stream) {}

  void prepare(GstClockTime time);
  /// Queues the last part (transfer full).
  GstBuffer* finish_later();

 private:
  GstCudaStream* stream_;
  check::Owned<GstBuffer> source_, buffer_;
};

/// Fails unless `out` has the edges of the picture of that time.
void judge(GstBuffer* out, GstClockTime time, const char* what);

/// Sends one frame through, which loads the kernels and allocates the pools' memory.
void set_up(check::Element& element, bool to_cuda);

}  // namespace streams
