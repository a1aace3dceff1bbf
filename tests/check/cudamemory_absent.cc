// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests a build without CUDA memory: no pad supports it.
#include "fixture.h"

static check::Suite suite("cudamemory");

PLAIN_TEST(templates_without_cuda_memory) {
  check::Element element(0);
  for (const char* name : {"sink", "src"}) {
    const check::Owned<GstPad> pad(gst_element_get_static_pad(element.get(), name));
    const check::Owned<GstCaps> caps(gst_pad_get_pad_template_caps(pad.get()));
    for (guint i = 0; i < gst_caps_get_size(caps.get()); i++) {
      fail_if(gst_caps_features_contains(gst_caps_get_features(caps.get(), i), "memory:CUDAMemory"),
              "the %s pad's template has CUDA memory", name);
    }
  }
}
