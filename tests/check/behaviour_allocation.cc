// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests allocation: downstream's possible answers, and the offer to upstream.
#include "behaviour.h"

using behaviour::layout_of_tests;
using behaviour::transform;
using check::Element;
using check::Format;
using check::Layout;
using check::Owned;

static check::Suite suite("behaviour");

/// Refuses configurations: all of them, or those with fewer than two buffers, which it corrects.
struct PickyPool {
  GstBufferPool parent;
  bool refuses_all;
};

struct PickyPoolClass {
  GstBufferPoolClass parent_class;
};

static GType picky_pool_get_type();
G_DEFINE_TYPE(PickyPool, picky_pool, GST_TYPE_BUFFER_POOL)

static gboolean picky_pool_set_config(GstBufferPool* pool, GstStructure* config) {
  GstCaps* caps = nullptr;
  guint size = 0, min = 0, max = 0;
  gst_buffer_pool_config_get_params(config, &caps, &size, &min, &max);
  if (reinterpret_cast<PickyPool*>(pool)->refuses_all) return FALSE;
  if (min >= 2) return GST_BUFFER_POOL_CLASS(picky_pool_parent_class)->set_config(pool, config);
  gst_buffer_pool_config_set_params(config, caps, size, 2, max);
  return FALSE;
}

static void picky_pool_class_init(PickyPoolClass* klass) {
  GST_BUFFER_POOL_CLASS(klass)->set_config = picky_pool_set_config;
}

static void picky_pool_init(PickyPool*) {}

static GstBufferPool* new_picky_pool(bool refuses_all) {
  auto* pool = static_cast<PickyPool*>(g_object_new(picky_pool_get_type(), nullptr));
  gst_object_ref_sink(pool);
  pool->refuses_all = refuses_all;
  return &pool->parent;
}

/// `add` adds a pool or similar to the query; the caps need `size` bytes.
struct Answer {
  const char* name;
  void (*add)(GstQuery* query, guint size);
  bool with_memory_params = false;
};

static void add_pool(GstQuery* query, GstBufferPool* pool, guint size, guint min, guint max) {
  gst_query_add_allocation_pool(query, pool, size, min, max);
  gst_object_unref(pool);
}

static GstBufferPool* active_pool(GstCaps* caps, guint size) {
  GstBufferPool* pool = gst_video_buffer_pool_new();
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, size, 0, 0);
  gst_buffer_pool_set_config(pool, config);
  gst_buffer_pool_set_active(pool, TRUE);
  return pool;
}

static void add_active_pool(GstQuery* query, guint size) {
  GstCaps* caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  add_pool(query, active_pool(caps, size), size, 0, 0);
}

static void add_pool_of_other_caps(GstQuery* query, guint size) {
  const Owned<GstCaps> caps(check::new_caps(check::kRgb, 8, 8));
  add_pool(query, active_pool(caps.get(), 192), size, 0, 0);
}

static void add_memory_params(GstQuery* query) {
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  params.align = 63;
  params.prefix = 32;
  params.padding = 96;
  GstAllocator* allocator = gst_allocator_find(GST_ALLOCATOR_SYSMEM);
  gst_query_add_allocation_param(query, allocator, &params);
  gst_object_unref(allocator);
}

static const Answer kAnswers[] = {
    {"none", nullptr},
    {"nothing in it", [](GstQuery*, guint) {}},
    {"a size",
     [](GstQuery* q, guint size) { gst_query_add_allocation_pool(q, nullptr, size, 0, 0); }},
    {"a larger size and minimum",
     [](GstQuery* q, guint size) { gst_query_add_allocation_pool(q, nullptr, size + 999, 3, 0); }},
    {"a smaller size",
     [](GstQuery* q, guint) { gst_query_add_allocation_pool(q, nullptr, 1, 0, 0); }},
    {"a pool",
     [](GstQuery* q, guint size) { add_pool(q, gst_video_buffer_pool_new(), size, 0, 0); }},
    {"a pool of larger buffers",
     [](GstQuery* q, guint size) { add_pool(q, gst_video_buffer_pool_new(), size + 4096, 2, 5); }},
    {"a pool of one buffer",
     [](GstQuery* q, guint size) { add_pool(q, gst_video_buffer_pool_new(), size, 1, 1); }},
    {"a pool without GstVideoMeta",
     [](GstQuery* q, guint size) { add_pool(q, gst_buffer_pool_new(), size, 0, 0); }},
    {"a pool that refuses every config",
     [](GstQuery* q, guint size) { add_pool(q, new_picky_pool(true), size, 0, 0); }},
    {"a pool that corrects its config",
     [](GstQuery* q, guint size) { add_pool(q, new_picky_pool(false), size, 0, 0); }},
    {"an active pool", add_active_pool},
    {"an active pool of other caps", add_pool_of_other_caps},
    {"an allocator and no pool", [](GstQuery* q, guint) { add_memory_params(q); }, true},
    {"an allocator and a pool",
     [](GstQuery* q, guint size) {
       add_memory_params(q);
       add_pool(q, gst_video_buffer_pool_new(), size, 0, 0);
     },
     true},
};

struct Downstream {
  const Answer* answer;
  bool knows_video_meta;
};

static GstPadProbeReturn answer_allocation(const Downstream& downstream, GstQuery* query) {
  if (downstream.answer->add == nullptr) return GST_PAD_PROBE_DROP;
  GstCaps* caps = nullptr;
  GstVideoInfo video;
  gst_query_parse_allocation(query, &caps, nullptr);
  gst_video_info_from_caps(&video, caps);
  downstream.answer->add(query, guint(video.size));
  if (downstream.knows_video_meta) {
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  }
  return GST_PAD_PROBE_HANDLED;
}

/// A pool moves the frame to the beginning of its memory, so the prefix adds to the padding.
static void check_memory_params(GstBuffer* buffer, const char* name) {
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READ));
  const gsize extra = map.memory->maxsize - map.memory->size;
  fail_unless(reinterpret_cast<gsize>(map.data - map.memory->offset) % 64 == 0, "%s: not aligned",
              name);
  fail_unless(extra >= 32 + 96, "%s: prefix and padding of %d", name, int(extra));
  gst_buffer_unmap(buffer, &map);
}

/// A copy without GstVideoMeta, as seen by a downstream that does not know the meta.
static Owned<GstBuffer> bare_copy(GstBuffer* buffer) {
  return Owned<GstBuffer>(gst_buffer_copy_region(buffer, GST_BUFFER_COPY_MEMORY, 0, gsize(-1)));
}

static void check_output(const Downstream& downstream, const Format& format, GstBuffer* in,
                         GstBuffer* out) {
  const Answer& answer = *downstream.answer;
  const Layout layout = check::plain_layout(format, 39, 25);
  const Owned<GstBuffer> bare = bare_copy(out);
  GstBuffer* seen = downstream.knows_video_meta ? out : bare.get();
  fail_unless(gst_buffer_get_size(out) >= layout.size, "%s: too small", answer.name);
  const std::string differs =
      check::difference(seen, layout, check::reference_edges(in, layout, {}));
  fail_unless(differs.empty(), "%s: %s", answer.name, differs.c_str());
  if (answer.with_memory_params) check_memory_params(out, answer.name);
}

ROW_TEST(whatever_downstream_allocates, 2 * std::size(kAnswers)) {
  Downstream downstream{&kAnswers[row / 2], row % 2 != 0};
  for (const Format* format : {&check::kRgb, &check::kNv12, &check::kGray}) {
    const Layout layout = check::plain_layout(*format, 39, 25);
    Element element(backend);
    check::on_query(element.harness()->sinkpad, GST_QUERY_ALLOCATION,
                    [&](GstQuery* query) { return answer_allocation(downstream, query); });
    element.send_caps(layout);
    for (std::uint64_t seed = 0; seed < 3; seed++) {
      const Owned<GstBuffer> picture(check::new_picture(layout, seed));
      fail_unless_equals_int(element.push(gst_buffer_ref(picture.get())), GST_FLOW_OK);
      const Owned<GstBuffer> out(element.wait());
      check_output(downstream, *format, picture.get(), out.get());
    }
  }
}

static GstPadProbeReturn offer_metas(GstQuery* query) {
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  gst_query_add_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, nullptr);
  return GST_PAD_PROBE_HANDLED;
}

/// A buffer from the pool in the query's answer, null if there is none.
static Owned<GstBuffer> acquire(GstQuery* query, GstCaps* caps, GstBufferPool** pool) {
  guint size = 0, min = 0, max = 0;
  *pool = nullptr;
  if (gst_query_get_n_allocation_pools(query) > 0) {
    gst_query_parse_nth_allocation_pool(query, 0, pool, &size, &min, &max);
  }
  if (*pool == nullptr) return nullptr;
  fail_unless(size >= layout_of_tests().size);
  GstStructure* config = gst_buffer_pool_get_config(*pool);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  if (gst_buffer_pool_has_option(*pool, GST_BUFFER_POOL_OPTION_VIDEO_META)) {
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  }
  fail_unless(gst_buffer_pool_set_config(*pool, config));
  fail_unless(gst_buffer_pool_set_active(*pool, TRUE));
  GstBuffer* buffer = nullptr;
  fail_unless_equals_int(gst_buffer_pool_acquire_buffer(*pool, &buffer, nullptr), GST_FLOW_OK);
  return Owned<GstBuffer>(buffer);
}

static void copy_picture(GstBuffer* from, GstBuffer* to, const GstCaps* caps) {
  GstVideoInfo info;
  GstVideoFrame source, target;
  fail_unless(gst_video_info_from_caps(&info, caps));
  fail_unless(gst_video_frame_map(&source, &info, from, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&target, &info, to, GST_MAP_WRITE));
  fail_unless(gst_video_frame_copy(&target, &source));
  gst_video_frame_unmap(&target);
  gst_video_frame_unmap(&source);
}

/// Uses the pool as an upstream element does: fills and sends some of its buffers.
static void check_proposed_pool(Element& element, GstQuery* query, GstCaps* caps) {
  for (std::uint64_t seed = 0; seed < 5; seed++) {
    GstBufferPool* pool = nullptr;
    Owned<GstBuffer> buffer = acquire(query, caps, &pool);
    if (buffer == nullptr) return;
    const Owned<GstBuffer> picture(check::new_picture(layout_of_tests(), seed));
    copy_picture(picture.get(), buffer.get(), caps);
    transform(element, buffer.release());
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
  }
}

BACKEND_TEST(what_upstream_is_offered) {
  const Layout layout = layout_of_tests();
  const Owned<GstCaps> caps(check::new_caps(*layout.format, layout.width, layout.height));
  for (const bool need_pool : {false, true}) {
    Element element(__i__);
    check::on_query(element.harness()->sinkpad, GST_QUERY_ALLOCATION, offer_metas);
    element.send_caps(layout_of_tests());
    transform(element, check::new_picture(layout_of_tests(), 1));
    const Owned<GstQuery> query(gst_query_new_allocation(caps.get(), need_pool));
    fail_unless(gst_pad_peer_query(element.harness()->srcpad, query.get()));
    fail_unless(gst_query_find_allocation_meta(query.get(), GST_VIDEO_META_API_TYPE, nullptr));
    fail_if(gst_query_find_allocation_meta(query.get(), GST_VIDEO_CROP_META_API_TYPE, nullptr));
    const bool on_cuda = check::backend_name(__i__) == std::string("cuda");
    const guint pools = gst_query_get_n_allocation_pools(query.get());
    fail_if(on_cuda && need_pool && pools == 0);
    const Owned<GstCaps> timeless(gst_caps_copy(caps.get()));
    gst_structure_remove_field(gst_caps_get_structure(timeless.get(), 0), "framerate");
    const Owned<GstQuery> same(gst_query_new_allocation(timeless.get(), need_pool));
    fail_unless(gst_pad_peer_query(element.harness()->srcpad, same.get()));
    fail_unless_equals_int(gst_query_get_n_allocation_pools(same.get()), pools);
    if (need_pool) check_proposed_pool(element, query.get(), caps.get());
  }
}

/// Upstream may ask without caps, with caps of anything else, or while the element is stopped.
BACKEND_TEST(nothing_is_offered_for_other_caps) {
  Element element(__i__, layout_of_tests());
  transform(element, check::new_picture(layout_of_tests(), 1));
  for (const char* text :
       {"", "audio/x-raw", "video/x-raw,format=ENCODED,width=39,height=25,framerate=25/1",
        "video/x-raw(memory:CUDAMemory),format=RGB,width=39,height=25,framerate=25/1"}) {
    const Owned<GstCaps> caps(*text != '\0' ? gst_caps_from_string(text) : nullptr);
    const Owned<GstQuery> query(gst_query_new_allocation(caps.get(), TRUE));
    fail_unless(gst_pad_peer_query(element.harness()->srcpad, query.get()), "'%s'", text);
    fail_unless(gst_query_find_allocation_meta(query.get(), GST_VIDEO_META_API_TYPE, nullptr));
    fail_unless(gst_query_get_n_allocation_pools(query.get()) == 0, "a pool for '%s'", text);
    fail_unless(gst_query_get_n_allocation_params(query.get()) == 0, "memory for '%s'", text);
  }
  gst_element_set_state(element.get(), GST_STATE_READY);
  check::on_query(element.harness()->sinkpad, GST_QUERY_ALLOCATION,
                  [](GstQuery*) { return GST_PAD_PROBE_DROP; });
  const Owned<GstQuery> query(gst_query_new_allocation(nullptr, TRUE));
  fail_if(gst_pad_peer_query(element.harness()->srcpad, query.get()));
}

/// Memory of the offered allocator is aligned and has zeros around it, if upstream asks for that.
BACKEND_TEST(memory_of_the_offered_allocator) {
  constexpr gsize kPrefix = 32, kSize = 1000, kPadding = 96;
  const Layout layout = layout_of_tests();
  const Owned<GstCaps> caps(check::new_caps(*layout.format, layout.width, layout.height));
  Element element(__i__, layout);
  transform(element, check::new_picture(layout, 1));
  const Owned<GstQuery> query(gst_query_new_allocation(caps.get(), FALSE));
  fail_unless(gst_pad_peer_query(element.harness()->srcpad, query.get()));
  g_autoptr(GstAllocator) allocator = nullptr;
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  if (gst_query_get_n_allocation_params(query.get()) > 0)
    gst_query_parse_nth_allocation_param(query.get(), 0, &allocator, &params);
  fail_if(check::backend_name(__i__) == std::string("cuda") && allocator == nullptr);
  params.flags = GstMemoryFlags(GST_MEMORY_FLAG_ZERO_PREFIXED | GST_MEMORY_FLAG_ZERO_PADDED);
  params.align = 255;
  params.prefix = kPrefix;
  params.padding = kPadding;
  const Owned<GstMemory> memory(gst_allocator_alloc(allocator, kSize, &params));
  GstMapInfo map;
  fail_unless(gst_memory_map(memory.get(), &map, GST_MAP_WRITE));
  fail_unless(map.size == kSize && map.maxsize >= kSize + kPadding);
  fail_unless(reinterpret_cast<gsize>(map.data - kPrefix) % 256 == 0, "not aligned");
  for (gsize i = 0; i < kPrefix; i++) fail_unless_equals_int(map.data[i - kPrefix], 0);
  for (gsize i = 0; i < kPadding; i++) fail_unless_equals_int(map.data[kSize + i], 0);
  gst_memory_unmap(memory.get(), &map);
}
