// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the data that travels with the pixels: timestamps, flags, metas, allocation queries.
#include <set>
#include <string>

#include "fixture.h"

using check::Element;
using check::Layout;
using check::Owned;

static check::Suite suite("frames");

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 33, 21); }

static Owned<GstBuffer> transform(Element& element, GstBuffer* picture) {
  return check::transform(element, picture, layout_of_tests());
}

BACKEND_TEST(timestamps_are_kept) {
  Element element(__i__, layout_of_tests());
  for (const GstClockTime time : {GstClockTime{0}, GstClockTime{12345}, GST_CLOCK_TIME_NONE}) {
    GstBuffer* picture = check::new_picture(layout_of_tests(), 1);
    const GstClockTime dts = GST_CLOCK_TIME_IS_VALID(time) ? time + 7 : time;
    const GstClockTime duration = GST_CLOCK_TIME_IS_VALID(time) ? time + 9 : time;
    GST_BUFFER_PTS(picture) = time;
    GST_BUFFER_DTS(picture) = dts;
    GST_BUFFER_DURATION(picture) = duration;
    const Owned<GstBuffer> output = transform(element, picture);
    fail_unless_equals_uint64(GST_BUFFER_PTS(output.get()), time);
    fail_unless_equals_uint64(GST_BUFFER_DTS(output.get()), dts);
    fail_unless_equals_uint64(GST_BUFFER_DURATION(output.get()), duration);
  }
}

static const guint kFlags[] = {
    0,
    GST_BUFFER_FLAG_GAP,
    GST_BUFFER_FLAG_CORRUPTED,
    GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_CORRUPTED,
    GST_BUFFER_FLAG_LIVE,
    GST_BUFFER_FLAG_DECODE_ONLY,
    GST_BUFFER_FLAG_DISCONT,
    GST_BUFFER_FLAG_RESYNC,
    GST_BUFFER_FLAG_MARKER,
    GST_BUFFER_FLAG_HEADER,
    GST_BUFFER_FLAG_DROPPABLE,
    GST_BUFFER_FLAG_DELTA_UNIT,
    GST_VIDEO_BUFFER_FLAG_INTERLACED,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD,
};

BACKEND_TEST(flags_are_kept) {
  Element element(__i__, layout_of_tests());
  for (const guint flags : kFlags) {
    GstBuffer* picture = check::new_picture(layout_of_tests(), flags);
    GST_BUFFER_FLAG_SET(picture, flags);
    const Owned<GstBuffer> output = transform(element, picture);
    const guint kept = GST_BUFFER_FLAGS(output.get()) & ~guint(GST_BUFFER_FLAG_TAG_MEMORY);
    fail_unless(kept == flags, "flags 0x%x became 0x%x", flags, kept);
  }
}

/// The test's own meta, and whether it holds for the edge map.
struct Meta {
  const char* name;
  const char* tags[4];
  bool kept;
};

static const Meta kMetas[] = {
    {"CannyTestNoTags", {nullptr}, true},
    {"CannyTestVideo", {"video", nullptr}, true},
    {"CannyTestSize", {"size", nullptr}, true},
    {"CannyTestOrientation", {"video", "orientation", nullptr}, true},
    {"CannyTestColorspace", {"colorspace", "video", "size", nullptr}, true},
    {"CannyTestMemory", {"memory", nullptr}, false},
    {"CannyTestVideoMemory", {"video", "memory", nullptr}, false},
    {"CannyTestReference", {"memory-reference", nullptr}, false},
    {"CannyTestAudio", {"audio", nullptr}, false},
    {"CannyTestUnknown", {"video", "of-the-test", nullptr}, false},
};

PLAIN_TEST(metas_are_kept_by_their_tags) {
  Element element(0, layout_of_tests());
  GstBuffer* picture = check::new_picture(layout_of_tests(), 1);
  for (const Meta& meta : kMetas) {
    if (gst_meta_get_info(meta.name) == nullptr) {
      gst_meta_register_custom(meta.name, const_cast<const gchar**>(meta.tags), nullptr, nullptr,
                               nullptr);
    }
    GstCustomMeta* added = gst_buffer_add_custom_meta(picture, meta.name);
    gst_structure_set(gst_custom_meta_get_structure(added), "value", G_TYPE_INT, 42, nullptr);
  }
  const Owned<GstBuffer> output = transform(element, picture);
  for (const Meta& meta : kMetas) {
    GstCustomMeta* found = gst_buffer_get_custom_meta(output.get(), meta.name);
    fail_unless_equals_int(found != nullptr, meta.kept);
    if (found == nullptr) continue;
    int value = 0;
    gst_structure_get_int(gst_custom_meta_get_structure(found), "value", &value);
    fail_unless_equals_int(value, 42);
  }
}

static gboolean initialize_nothing(GstMeta*, gpointer, GstBuffer*) { return TRUE; }

PLAIN_TEST(a_meta_that_can_not_be_transformed) {
  static const gchar* tags[] = {nullptr};
  const GType api = gst_meta_api_type_register("CannyTestFixedAPI", tags);
  const GstMetaInfo* info = gst_meta_register(api, "CannyTestFixed", sizeof(GstMeta),
                                              initialize_nothing, nullptr, nullptr);
  Element element(0, layout_of_tests());
  GstBuffer* picture = check::new_picture(layout_of_tests(), 1);
  gst_buffer_add_meta(picture, info, nullptr);
  const Owned<GstBuffer> output = transform(element, picture);
  fail_unless(gst_buffer_get_meta(output.get(), api) == nullptr);
}

PLAIN_TEST(gstreamers_own_metas) {
  const Layout layout = layout_of_tests();
  Element element(0, layout);
  const Owned<GstBuffer> parent(gst_buffer_new());
  const Owned<GstCaps> reference(gst_caps_new_empty_simple("timestamp/x-test"));
  GstBuffer* picture = check::new_picture(layout, 1);
  gst_buffer_add_reference_timestamp_meta(picture, reference.get(), 77, 1);
  gst_buffer_add_video_region_of_interest_meta(picture, "face", 1, 2, 3, 4);
  gst_buffer_add_video_crop_meta(picture)->x = 5;
  gst_buffer_add_parent_buffer_meta(picture, parent.get());
  // A layout that suits the input and would be wrong for the output.
  gst_buffer_append_memory(picture, gst_allocator_alloc(nullptr, 4096, nullptr));
  check::add_meta(picture, layout)->width = 40;

  const Owned<GstBuffer> owned = transform(element, picture);
  GstBuffer* output = owned.get();
  const auto* timestamp = gst_buffer_get_reference_timestamp_meta(output, reference.get());
  fail_unless(timestamp != nullptr && timestamp->timestamp == 77);
  GstVideoRegionOfInterestMeta* region = gst_buffer_get_video_region_of_interest_meta_id(output, 0);
  fail_unless(region != nullptr && region->w == 3);
  GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(output);
  fail_unless(crop != nullptr && crop->x == 5);
  fail_unless(gst_buffer_get_parent_buffer_meta(output) == nullptr);
  GstVideoMeta* video = gst_buffer_get_video_meta(output);
  fail_unless(video == nullptr || video->width == guint(layout.width));
  fail_unless(gst_buffer_get_n_meta(output, GST_VIDEO_META_API_TYPE) <= 1);
}

PLAIN_TEST(allocation_queries_are_answered_with_video_meta) {
  const Layout layout = layout_of_tests();
  Element element(0, layout);
  const Owned<GstCaps> caps(check::new_caps(*layout.format, layout.width, layout.height));
  const Owned<GstQuery> query(gst_query_new_allocation(caps.get(), TRUE));
  fail_unless(gst_pad_peer_query(element.harness()->srcpad, query.get()));
  fail_unless(gst_query_find_allocation_meta(query.get(), GST_VIDEO_META_API_TYPE, nullptr));
}

BACKEND_TEST(the_input_is_released_as_it_was) {
  Element element(__i__, layout_of_tests());
  const Owned<GstBuffer> picture(check::new_picture(layout_of_tests(), 5));
  const auto before = check::read_bytes(picture.get());
  const Owned<GstBuffer> output = transform(element, gst_buffer_ref(picture.get()));
  fail_unless(before == check::read_bytes(picture.get()));
  fail_unless(gst_buffer_peek_memory(output.get(), 0) != gst_buffer_peek_memory(picture.get(), 0));
  // Neither is still mapped: a mapping for reading would prevent one for writing, and the reverse.
  for (GstBuffer* buffer : {picture.get(), output.get()}) {
    for (const GstMapFlags flags : {GST_MAP_READ, GST_MAP_WRITE}) {
      GstMapInfo map;
      fail_unless(gst_memory_map(gst_buffer_peek_memory(buffer, 0), &map, flags));
      gst_memory_unmap(map.memory, &map);
    }
  }
}
