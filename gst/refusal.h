// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the element says when it refuses the caps of its input.
#pragma once

#include <gst/base/gstbasetransform.h>

/// From now on, posts an error for each caps event on the sink pad that names no video which the
/// element takes, or none for which it has caps that downstream takes: what they are, and what to
/// put where. To be called once.
void gst_cuda_canny_explain_refusals(GstBaseTransform* trans);
