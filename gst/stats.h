// SPDX-License-Identifier: LGPL-2.1-or-later
/// The statistics of "cudacanny".
#pragma once

#include <gst/gst.h>

#include <mutex>
#include <string>

#include "canny/canny.h"

/// The values of property "stats". Any thread may call its functions.
class GstCudaCannyStats {
 public:
  void start(const canny::Info& info);           ///< starts over, on this backend
  void fail_start(const std::string& reason);    ///< starts over, without a backend
  void change_backend(const canny::Info& info);  ///< keeps the counts
  void stop();                                   ///< keeps the counts for later readers

  /// Counts a frame that took `time` ns.
  void count(GstClockTime time, const canny::Result& result);

  GstStructure* to_structure() const;  ///< transfer full

  /// Like to_structure(), for a message at time `now` of the monotonic clock. Null if less than
  /// `interval` ns have passed since the last one or, without one, since the start.
  GstStructure* take_message(GstClockTime interval, GstClockTime now);

 private:
  struct Values {
    canny::Info info = {canny::Backend::kAuto, "", "the element is not started"};
    guint64 frames = 0;          ///< since the last start
    guint64 uploads = 0;         ///< of these, copied to the device
    guint64 downloads = 0;       ///< of these, copied from the device
    GstClockTime last = 0;       ///< ns the last frame took
    GstClockTime total = 0;      ///< ns all frames took
    guint64 uploaded_bytes = 0;  ///< of all frames
    guint64 downloaded_bytes = 0;
    canny::Result result;           ///< of the last frame
    GstClockTime last_message = 0;  ///< when it was taken, at first the start
  };

  GstStructure* new_structure(const char* name) const;

  mutable std::mutex mutex_;
  Values values_;  // under the mutex
};

/// Installs the property "stats" under this id.
void gst_cuda_canny_stats_install(GObjectClass* klass, guint id);
