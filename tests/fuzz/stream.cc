// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs operations on the element, and knows which frames it must take.
#include "stream.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check/expected.h"
#include "failure.h"
#include "properties.h"

namespace fuzz {
namespace {

using check::Layout;

constexpr GstClockTime kFrame = GST_SECOND / 30;
constexpr int kMaxWidth = 90, kMaxHeight = 60;

const check::Format& draw_format(Reader& reader, int count) {
  return check::kFormats[reader.between(0, count - 1)];
}

// Rows anywhere in the memory of a buffer.
Layout draw_layout(const Layout& plain, Reader& reader) {
  const int row = check::row_bytes(*plain.format, plain.width);
  const int stride = row + reader.between(0, 40);
  const auto offset = gsize(reader.between(0, 70));
  const gsize last = offset + gsize(stride) * gsize(plain.height - 1);
  const gsize chroma = last + gsize(row) + gsize(reader.between(0, 9));
  const gsize size = chroma + check::chroma_bytes(*plain.format, plain.width, plain.height);
  const bool is_bottom_up = reader.one_in(3);
  return {plain.format,
          plain.width,
          plain.height,
          is_bottom_up ? -stride : stride,
          is_bottom_up ? last : offset,
          size,
          chroma};
}

// The same bytes in several memories.
GstBuffer* split(GstBuffer* buffer, Reader& reader) {
  const gsize size = gst_buffer_get_size(buffer);
  GstBuffer* parts = gst_buffer_new();
  for (gsize begin = 0; begin < size;) {
    const gsize bytes = std::min<gsize>(size - begin, gsize(reader.raw<std::uint16_t>()) + 1);
    GstBuffer* part = gst_buffer_copy_region(buffer, GST_BUFFER_COPY_MEMORY, begin, bytes);
    parts = gst_buffer_append(parts, part);
    begin += bytes;
    if (gst_buffer_n_memory(parts) + 1 >= gst_buffer_get_max_memory() && begin < size) {
      parts = gst_buffer_append(
          parts, gst_buffer_copy_region(buffer, GST_BUFFER_COPY_MEMORY, begin, size - begin));
      break;
    }
  }
  gst_buffer_unref(buffer);
  return parts;
}

// Breaks a frame so that the element must refuse it.
int break_frame(GstBuffer* buffer, const Layout& layout, Reader& reader) {
  GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  const int kind = reader.between(0, 6);
  if (meta == nullptr || kind == 0) {
    const int needed = std::abs(layout.stride) * (layout.height - 1) +
                       canny::row_bytes(layout.format->pixels, layout.width);
    gst_buffer_set_size(buffer, reader.between(0, std::min(needed - 1, 60000)));
    return 0;
  }
  switch (kind) {
    case 1:
      meta->offset[0] = gst_buffer_get_size(buffer) + reader.raw<std::uint64_t>() / 2;
      break;
    case 2:
      meta->stride[0] = 0;
      break;
    case 3:
      meta->format = GST_VIDEO_FORMAT_r210;
      break;
    case 4:
      meta->n_planes = 0;
      break;
    case 5:
      meta->width = guint(reader.between(0, layout.width - 1));
      break;
    default:
      meta->height = guint(reader.between(0, layout.height - 1));
  }
  return kind;
}

void add_metas(GstBuffer* buffer, Reader& reader) {
  const auto number = [&] {
    return reader.one_in(4) ? reader.raw<guint>() : guint(reader.between(0, 100));
  };
  const char* types[] = {"face", "car"};
  for (int left = reader.between(0, 3); left > 0; --left)
    gst_buffer_add_video_region_of_interest_meta(buffer, reader.any(types), number(), number(),
                                                 number(), number());
  for (int left = reader.between(0, 2); left > 0; --left) add_detection(buffer, reader);
  if (reader.one_in(4)) gst_buffer_add_video_crop_meta(buffer)->width = number();
  if (reader.one_in(4)) gst_buffer_add_custom_meta(buffer, "cudacanny");
  if (reader.one_in(4)) {
    const GstBufferFlags flags[] = {GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_DISCONT,
                                    GST_BUFFER_FLAG_CORRUPTED, GST_BUFFER_FLAG_DELTA_UNIT};
    GST_BUFFER_FLAG_SET(buffer, reader.any(flags));
  }
}

GstCaps* draw_caps(Reader& reader) {
  const check::Format& format = draw_format(reader, check::kFormatCount);
  GstCaps* caps = check::new_caps(format, reader.between(1, 300), reader.between(1, 300));
  switch (reader.between(0, 5)) {
    case 0:
      gst_caps_set_simple(caps, "width", G_TYPE_INT, -reader.between(0, 9), nullptr);
      break;
    case 1:
      gst_caps_set_simple(caps, "height", G_TYPE_INT, 16385, nullptr);
      break;
    case 2:
      gst_caps_set_simple(caps, "format", G_TYPE_STRING, "ENCODED", nullptr);
      break;
    case 3:
      gst_structure_set_name(gst_caps_get_structure(caps, 0), "image/jpeg");
      break;
    case 4:
      gst_caps_set_features(caps, 0, gst_caps_features_new("memory:Other", nullptr));
      break;
    default:
      gst_structure_remove_field(gst_caps_get_structure(caps, 0), "format");
  }
  return caps;
}

}  // namespace

Stream::Stream(Reader& reader)
    : element_(gst_element_factory_make("cudacanny", nullptr)), bus_(gst_bus_new()) {
  gst_object_ref_sink(element_);
  gst_util_set_object_arg(G_OBJECT(element_), "backend", "cpu");
  g_object_set(element_, "edge-color", check::kOverlayColor, "n-threads", 1, "frames-in-flight",
               reader.between(0, 4), nullptr);
  gst_element_set_bus(element_, bus_);
  harness_ = gst_harness_new_with_element(element_, "sink", "src");
  gst_harness_set_drop_buffers(harness_, TRUE);
  outputs_ = std::make_unique<Outputs>(element_);
  layout_ = check::plain_layout(check::kRgb, 40, 30);
  send_start();
}

Stream::~Stream() {
  gst_element_set_state(element_, GST_STATE_NULL);
  outputs_.reset();
  gst_harness_teardown(harness_);
  gst_element_set_bus(element_, nullptr);
  gst_object_unref(element_);
  gst_object_unref(bus_);
}

void Stream::send_start() {
  const std::string id = std::to_string(++streams_);
  gst_harness_push_event(harness_, gst_event_new_stream_start(id.c_str()));
  accept(layout_);
  send_segment();
}

void Stream::send_segment() {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(harness_, gst_event_new_segment(&segment));
}

void Stream::accept(const Layout& layout) {
  layout_ = layout;
  send_caps(check::new_caps(*layout.format, layout.width, layout.height));
  is_accepted_ = true;
}

void Stream::send_caps(GstCaps* caps) {
  gst_harness_push_event(harness_, gst_event_new_caps(caps));
  gst_caps_unref(caps);
}

// Whether the element may find no output for the caps.
bool Stream::may_refuse() const {
  return is_restricted_ || shows_input(read_params(element_).view);
}

void Stream::push(Reader& reader) {
  const bool is_plain = !reader.one_in(3);
  const Layout layout = is_plain ? layout_ : draw_layout(layout_, reader);
  GstBuffer* picture = check::new_picture(layout, reader.raw<std::uint16_t>());
  if (reader.one_in(3)) picture = split(picture, reader);
  if (!is_plain || reader.one_in(3)) check::add_meta(picture, layout);
  add_metas(picture, reader);
  const bool is_broken = reader.one_in(12);
  const int kind = is_broken ? break_frame(picture, layout, reader) : 0;
  if (reader.one_in(4) && gst_buffer_n_memory(picture) > 0)
    GST_MINI_OBJECT_FLAG_SET(gst_buffer_peek_memory(picture, 0), GST_MEMORY_FLAG_READONLY);
  GST_BUFFER_PTS(picture) = next_;
  const bool is_shared = reader.one_in(2);
  Owned<GstBuffer> copy(is_shared ? gst_buffer_ref(picture) : gst_buffer_copy_deep(picture));
  const bool might_fail = is_broken || !is_accepted_ || may_refuse();
  const GstFlowReturn flow = gst_harness_push(harness_, picture);
  // Only now the properties that are bound have the values of the frame.
  const bool may_fail = might_fail || may_refuse();
  check_ranges(element_, "push");
  if (!is_broken) add(next_, std::move(copy), layout);
  next_ += kFrame;
  if (flow != GST_FLOW_OK && !may_fail)
    report(std::string("a frame was refused: ") + gst_flow_get_name(flow));
  if (flow == GST_FLOW_OK && !is_accepted_)
    report("a frame was taken after caps that were refused");
  if (flow == GST_FLOW_OK && is_broken && !may_drop_)
    report(std::string("a broken frame was taken: ") + layout.format->name + ", " +
           std::to_string(layout.width) + "x" + std::to_string(layout.height) + ", kind " +
           std::to_string(kind));
  if (flow == GST_FLOW_OK && !may_drop_) outputs_->require_last();
  read_messages(may_fail);
  outputs_->check(false, "push");
}

// Adds a frame that may leave, with the settings that the properties state.
void Stream::add(GstClockTime pts, Owned<GstBuffer> picture, const Layout& layout) {
  std::optional<Rectangles> regions = read_regions(element_, picture.get());
  outputs_->add(
      {pts, std::move(picture), layout, read_params(element_), std::move(regions), false});
}

// Pushes such a frame.
GstFlowReturn Stream::push_plain() {
  GstBuffer* picture = check::new_picture(layout_, 1);
  GST_BUFFER_PTS(picture) = next_;
  Owned<GstBuffer> copy(gst_buffer_ref(picture));
  const GstFlowReturn flow = gst_harness_push(harness_, picture);
  add(next_, std::move(copy), layout_);
  next_ += kFrame;
  return flow;
}

void Stream::set_property(Reader& reader) { set_number(element_, reader); }

void Stream::set_text(Reader& reader) { fuzz::set_text(element_, reader); }

void Stream::set_regions(Reader& reader) { fuzz::set_regions(element_, reader); }

void Stream::bind(Reader& reader) { fuzz::bind(element_, reader); }

void Stream::set_caps(Reader& reader) {
  const check::Format& format = draw_format(reader, check::kFormatCount);
  const bool may_fail = may_refuse();
  accept(check::plain_layout(format, reader.between(1, kMaxWidth), reader.between(1, kMaxHeight)));
  read_messages(may_fail);
}

void Stream::set_any_caps(Reader& reader) {
  send_caps(draw_caps(reader));
  is_accepted_ = false;
  read_messages(true);
}

void Stream::restrict_output(Reader& reader) {
  is_restricted_ = reader.one_in(2);
  GstCaps* caps = gst_caps_new_any();
  if (is_restricted_) {
    gst_caps_unref(caps);
    caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING,
                               draw_format(reader, check::kOutputFormatCount).name, nullptr);
  }
  gst_harness_set_sink_caps(harness_, caps);
}

void Stream::send(Reader& reader) {
  GstStructure* note = gst_structure_new_empty("note");
  GstEvent* event = nullptr;
  switch (reader.between(0, 5)) {
    case 0:
      event = gst_event_new_gap(next_, kFrame);
      break;
    case 1:
      event = gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "title", nullptr));
      break;
    case 2:
      event = gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_copy(note));
      break;
    case 3:
      event = gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, gst_structure_copy(note));
      break;
    case 4:
      event = gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, gst_structure_copy(note));
      break;
    default:
      send_segment();
  }
  gst_structure_free(note);
  if (event != nullptr) gst_harness_push_event(harness_, event);
  read_messages(!is_accepted_ || may_refuse());
}

void Stream::send_upstream(Reader& reader) {
  GstEvent* event = nullptr;
  switch (reader.between(0, 3)) {
    case 0:
      event = gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.0, reader.raw<std::int32_t>(),
                                reader.between(0, 9) * kFrame);
      may_drop_ = true;
      break;
    case 1:
      event = gst_event_new_latency(reader.raw<std::uint32_t>());
      break;
    case 2:
      event = gst_event_new_seek(1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 0,
                                 GST_SEEK_TYPE_NONE, 0);
      break;
    default:
      event = gst_event_new_reconfigure();
  }
  gst_harness_push_upstream_event(harness_, event);
}

void Stream::query(Reader& reader) {
  const Owned<GstCaps> caps(reader.one_in(2) ? draw_caps(reader) : gst_caps_new_any());
  const GstQueryType type = reader.any((const GstQueryType[]){
      GST_QUERY_CAPS, GST_QUERY_ACCEPT_CAPS, GST_QUERY_ALLOCATION, GST_QUERY_LATENCY,
      GST_QUERY_POSITION, GST_QUERY_DRAIN, GST_QUERY_CUSTOM});
  const bool fixed = gst_caps_is_fixed(caps.get());
  GstQuery* query = nullptr;
  if (type == GST_QUERY_CAPS) query = gst_query_new_caps(reader.one_in(2) ? caps.get() : nullptr);
  if (type == GST_QUERY_ACCEPT_CAPS && fixed) query = gst_query_new_accept_caps(caps.get());
  if (type == GST_QUERY_ALLOCATION && fixed)
    query = gst_query_new_allocation(caps.get(), reader.one_in(2));
  if (type == GST_QUERY_LATENCY) query = gst_query_new_latency();
  if (type == GST_QUERY_POSITION) query = gst_query_new_position(GST_FORMAT_TIME);
  if (type == GST_QUERY_DRAIN) query = gst_query_new_drain();
  if (query == nullptr)
    query = gst_query_new_custom(GST_QUERY_CUSTOM, gst_structure_new_empty("question"));
  const bool is_upstream = !GST_QUERY_IS_SERIALIZED(query) && reader.one_in(2);
  gst_pad_peer_query(is_upstream ? harness_->sinkpad : harness_->srcpad, query);
  gst_query_unref(query);
  read_messages(!is_accepted_ || may_refuse());
}

void Stream::flush(Reader& reader) {
  outputs_->release();
  gst_harness_push_event(harness_, gst_event_new_flush_start());
  if (reader.one_in(2)) {
    const GstFlowReturn flow = push_plain();
    if (flow == GST_FLOW_OK) report("a frame was taken during a flush");
  }
  gst_harness_push_event(harness_, gst_event_new_flush_stop(reader.one_in(2)));
  send_segment();
  may_drop_ = false;
  read_messages(true);
}

void Stream::end(Reader& reader) {
  gst_harness_push_event(harness_, gst_event_new_eos());
  outputs_->check(true, "the end of the stream");
  if (reader.one_in(2)) {
    const GstFlowReturn flow = push_plain();
    if (flow != GST_FLOW_EOS) report("a frame was taken after the end of the stream");
  }
  const bool may_fail = may_refuse();
  send_start();
  read_messages(may_fail);
}

void Stream::restart(Reader& reader) {
  outputs_->release();
  gst_element_set_state(element_, reader.one_in(2) ? GST_STATE_NULL : GST_STATE_READY);
  if (reader.one_in(2))
    g_object_set(element_, "frames-in-flight", reader.between(0, 8), "n-threads",
                 reader.between(1, 3), nullptr);
  for (GstPad* pad : {harness_->sinkpad, harness_->srcpad}) {
    gst_pad_set_active(pad, FALSE);
    gst_pad_set_active(pad, TRUE);
  }
  if (gst_element_set_state(element_, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    report("the element does not start again");
  may_drop_ = false;
  const bool may_fail = may_refuse();
  send_start();
  read_messages(may_fail);
}

void Stream::relink(Reader& reader) {
  const bool is_sink = reader.one_in(2);
  GstPad* source = is_sink ? harness_->srcpad : gst_element_get_static_pad(element_, "src");
  GstPad* sink = is_sink ? gst_element_get_static_pad(element_, "sink") : harness_->sinkpad;
  if (!is_sink) outputs_->release();
  gst_pad_unlink(source, sink);
  if (reader.one_in(2)) push_plain();
  // Whatever caps downstream takes by now: without formats in common, the next frame is refused.
  if (gst_pad_link_full(source, sink, GST_PAD_LINK_CHECK_NOTHING) != GST_PAD_LINK_OK)
    report("the pads do not link again");
  gst_object_unref(is_sink ? sink : source);
  if (is_sink) return;
  // Downstream's answer to a frame in between may still wait for upstream.
  flush(reader);
}

void Stream::finish() {
  gst_harness_push_event(harness_, gst_event_new_eos());
  outputs_->check(true, "the end");
  read_messages(true);
}

void Stream::read_messages(bool may_fail) {
  while (const Owned<GstMessage> message{gst_bus_pop(bus_)}) {
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_ERROR || may_fail) continue;
    GError* error = nullptr;
    gst_message_parse_error(message.get(), &error, nullptr);
    report(std::string("an error: ") + error->message);
  }
}

}  // namespace fuzz
