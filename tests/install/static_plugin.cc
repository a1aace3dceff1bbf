// SPDX-License-Identifier: LGPL-2.1-or-later
/// Registers the plugin that the program is linked with, and detects the edges of a drawn square.

#include <gst/check/gstharness.h>
#include <gst/gst.h>

G_BEGIN_DECLS
GST_PLUGIN_STATIC_DECLARE(cudacanny);
G_END_DECLS

static constexpr int kWidth = 64;
static constexpr int kHeight = 48;

static bool is_registered() {
  GstElementFactory* factory = gst_element_factory_find("cudacanny");
  if (factory == nullptr) return false;
  gst_object_unref(factory);
  return true;
}

/// White in columns 16..47 and rows 12..35 of a black frame.
static GstBuffer* square() {
  guint8* pixels = static_cast<guint8*>(g_malloc0(kWidth * kHeight));
  for (int y = 12; y < 36; ++y) {
    for (int x = 16; x < 48; ++x) pixels[y * kWidth + x] = 255;
  }
  return gst_buffer_new_wrapped(pixels, kWidth * kHeight);
}

/// Whether the middle row has the edges of the left and the right side, and no others.
static bool is_right(GstBuffer* edges) {
  GstMapInfo map;
  if (!gst_buffer_map(edges, &map, GST_MAP_READ)) return false;
  int wrong = map.size != kWidth * kHeight;
  for (int x = 0; x < kWidth && wrong == 0; ++x) {
    wrong += map.data[24 * kWidth + x] != (x == 15 || x == 47 ? 255 : 0);
  }
  gst_buffer_unmap(edges, &map);
  return wrong == 0;
}

static bool detects_edges() {
  GstHarness* harness = gst_harness_new_parse("cudacanny backend=cpu sigma=0");
  gst_harness_set_src_caps_str(harness,
                               "video/x-raw,format=GRAY8,width=64,height=48,framerate=1/1");
  GstBuffer* edges = gst_harness_push_and_pull(harness, square());
  const bool right = edges != nullptr && is_right(edges);
  gst_clear_buffer(&edges);
  gst_harness_teardown(harness);
  return right;
}

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  if (is_registered()) {
    g_printerr("GStreamer finds the element without the plugin of this program\n");
    return 1;
  }
  GST_PLUGIN_STATIC_REGISTER(cudacanny);
  if (!is_registered()) {
    g_printerr("the plugin of this program registers no element\n");
    return 1;
  }
  if (!detects_edges()) {
    g_printerr("wrong edges\n");
    return 1;
  }
  return 0;
}
