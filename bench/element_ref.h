// SPDX-License-Identifier: LGPL-2.1-or-later
// Owning pointers to GStreamer's reference-counted objects.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace bench {

struct Unref {
  void operator()(GstBuffer* buffer) const { gst_buffer_unref(buffer); }
  void operator()(GstCaps* caps) const { gst_caps_unref(caps); }
  void operator()(GstContext* context) const { gst_context_unref(context); }
  void operator()(GstMessage* message) const { gst_message_unref(message); }
  void operator()(gpointer object) const { gst_object_unref(object); }
};
template <class Object>
using Ref = std::unique_ptr<Object, Unref>;
using Buffers = std::vector<Ref<GstBuffer>>;

/// A row that failed, with a line that says why.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A row that this build or this machine can't run, likewise.
struct NotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bench
