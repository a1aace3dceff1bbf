// SPDX-License-Identifier: LGPL-2.1-or-later
/// The element "cudacanny".
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstCudaCannyNorm:
 * @GST_CUDA_CANNY_NORM_L2: the root of the sum of squares
 * @GST_CUDA_CANNY_NORM_L1: the sum of absolute values
 *
 * How a gradient is measured.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CUDA_CANNY_NORM_L2,
  GST_CUDA_CANNY_NORM_L1,
} GstCudaCannyNorm;

/**
 * GstCudaCannyBackend:
 * @GST_CUDA_CANNY_BACKEND_AUTO: CUDA where a usable device is found, else the CPU
 * @GST_CUDA_CANNY_BACKEND_CUDA: a CUDA device, or an error
 * @GST_CUDA_CANNY_BACKEND_CPU: the CPU
 *
 * What edges are detected on.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CUDA_CANNY_BACKEND_AUTO,
  GST_CUDA_CANNY_BACKEND_CUDA,
  GST_CUDA_CANNY_BACKEND_CPU,
} GstCudaCannyBackend;

#define GST_TYPE_CUDA_CANNY_NORM (gst_cuda_canny_norm_get_type())
GType gst_cuda_canny_norm_get_type(void);

#define GST_TYPE_CUDA_CANNY_BACKEND (gst_cuda_canny_backend_get_type())
GType gst_cuda_canny_backend_get_type(void);

#define GST_TYPE_CUDA_CANNY (gst_cuda_canny_get_type())
G_DECLARE_FINAL_TYPE(GstCudaCanny, gst_cuda_canny, GST, CUDA_CANNY, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE(cudacanny)

G_END_DECLS
