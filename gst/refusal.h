// SPDX-License-Identifier: LGPL-2.1-or-later
/// Explains why the element refuses the caps of its input.
#pragma once

#include <gst/base/gstbasetransform.h>

/// From now on, posts an error for each caps event that the element or downstream does not accept.
/// The error states the caps and which element to put where. Call once.
void gst_cuda_canny_explain_refusals(GstBaseTransform* trans);
