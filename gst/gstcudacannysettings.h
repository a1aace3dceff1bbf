// SPDX-License-Identifier: LGPL-2.1-or-later
/// The properties of "cudacanny": their descriptions, and what they say.
#pragma once

#include <gst/gst.h>

#include "canny.h"

/// Numbers of the properties.
enum GstCudaCannyProperty : guint {
  GST_CUDA_CANNY_PROP_0,
  GST_CUDA_CANNY_PROP_LOW_THRESHOLD,
  GST_CUDA_CANNY_PROP_HIGH_THRESHOLD,
  GST_CUDA_CANNY_PROP_SIGMA,
  GST_CUDA_CANNY_PROP_HYSTERESIS_PASSES,
  GST_CUDA_CANNY_PROP_NORM,
  GST_CUDA_CANNY_PROP_BACKEND,
  GST_CUDA_CANNY_PROP_CUDA_DEVICE_ID,
  GST_CUDA_CANNY_PROP_N_THREADS,
  GST_CUDA_CANNY_PROP_FRAMES_IN_FLIGHT,
  GST_CUDA_CANNY_PROP_STATS,
};

/// What the properties say.
struct GstCudaCannySettings {
  canny::Params params;
  canny::Options options;
  guint frames_in_flight = 0;  ///< 0 = the element's choice
  bool started = false;  ///< what is read at a start has been read, a change waits for the next
  guint warned = 0;      ///< bit n: property n was set too late, and a warning said so

  /// False if there is no such property to set.
  bool set(guint id, const GValue* value);
  /// False if there is no such property, or if it is "stats".
  bool get(guint id, GValue* value) const;
  /// Whether the property was set that waits for the next start, for the first time since the last.
  bool is_first_late_set(const GParamSpec* pspec);
};

/// Installs all properties.
void gst_cuda_canny_settings_install(GObjectClass* klass);
