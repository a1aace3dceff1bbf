// SPDX-License-Identifier: LGPL-2.1-or-later
/// Explains why caps are refused; upstream learns only "not-negotiated". The element never sees a
/// refused event: GStreamer first asks the pad whether it accepts the caps, and drops the event if
/// not. A bin or a queue asks the next pad first and drops the event itself. A probe on the sink
/// pad sees the question.
#include "refusal.h"

#include <gst/video/video.h>

#include <atomic>
#include <initializer_list>
#include <string>
#include <utility>

#include "element.h"

namespace {

std::string text_of(const GstCaps* caps) {
  g_autofree gchar* text = gst_caps_to_string(caps);
  return text;
}

/// Whether the pad would accept the caps without these fields.
bool fits_without(const GstCaps* caps, std::initializer_list<const char*> fields, GstPad* pad) {
  g_autoptr(GstCaps) taken = gst_pad_get_pad_template_caps(pad);
  g_autoptr(GstCaps) rest = gst_caps_copy(caps);
  for (const char* field : fields) {
    gst_structure_remove_field(gst_caps_get_structure(rest, 0), field);
  }
  return gst_caps_can_intersect(rest, taken);
}

/// The caps' first feature other than system memory, empty if there is none.
std::string memory_of(const GstCaps* caps) {
  const GstCapsFeatures* features = gst_caps_get_features(caps, 0);
  for (guint i = 0; i < gst_caps_features_get_size(features); i++) {
    const std::string feature = gst_caps_features_get_nth(features, i);
    if (feature != GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY) return feature;
  }
  return "";
}

/// Advises how to bring frames with this feature into system memory.
std::string downloader(const std::string& memory) {
  struct Way {
    const char *memory, *element;
  };
  constexpr Way kWays[] = {{kCudaMemory, "cudadownload"},
                           {"memory:GLMemory", "gldownload"},
                           {"memory:DMABuf", "vapostproc or glupload ! gldownload"},
                           {"memory:VAMemory", "vapostproc"},
                           {"memory:VASurface", "vaapipostproc"},
                           {"memory:VulkanImage", "vulkandownload"},
                           {"memory:HIPMemory", "hipdownload"},
                           {"memory:NVMM", "nvvideoconvert"},
                           {GST_CAPS_FEATURE_FORMAT_INTERLACED, "deinterlace"}};
  for (const Way& way : kWays) {
    if (memory == way.memory) return std::string("Put ") + way.element + " before it.";
  }
  return "Put an element before it that outputs system memory.";
}

std::string size_of(const GstStructure* structure) {
  int width = 0, height = 0;
  gst_structure_get(structure, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, nullptr);
  return std::to_string(width) + "x" + std::to_string(height);
}

/// The name of the value of the element's property "output".
std::string output_of(GstElement* element) {
  g_auto(GValue) value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), "output", &value);
  auto* all = static_cast<GEnumClass*>(g_type_class_peek(G_VALUE_TYPE(&value)));
  return g_enum_get_value(all, g_value_get_enum(&value))->value_nick;
}

/// Advises on caps that the sink pad does not accept.
std::string input_advice(const GstCaps* caps, GstPad* pad) {
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  if (!gst_structure_has_name(structure, "video/x-raw")) {
    return std::string("cudacanny accepts raw video, not ") + gst_structure_get_name(structure) +
           ". Put a decoder such as decodebin before it.";
  }
  const std::string memory = memory_of(caps);
  const bool on_device = !memory.empty() &&
                         gst_cuda_canny_may_use_cuda_memory(GST_CUDA_CANNY(GST_PAD_PARENT(pad))) &&
                         fits_without(caps, {"format", "width", "height"}, pad);
  if (!memory.empty() && !on_device) {
    return "cudacanny does not accept video with feature " + memory + " here. " +
           downloader(memory);
  }
  if (const char* field = gst_cuda_canny_format_missing_field(caps)) {
    return std::string("The input's caps have no ") + field +
           ". Add it where they are set, such as in appsrc or a capsfilter.";
  }
  const std::string format = std::string("format ") + gst_structure_get_string(structure, "format");
  const std::string convert = on_device
                                  ? "Put cudaconvert before it, or cudadownload and videoconvert."
                                  : "Put videoconvert before it.";
  if (fits_without(caps, {}, pad)) {
    return "cudacanny does not accept " + format +
           " with output=" + output_of(GST_PAD_PARENT(pad)) + ", which needs 8 bits. " + convert;
  }
  if (fits_without(caps, {"format"}, pad)) {
    return "cudacanny does not accept " + format + (on_device ? " in CUDA memory. " : ". ") +
           convert;
  }
  if (fits_without(caps, {"width", "height"}, pad)) {
    return "cudacanny does not accept frames of " + size_of(structure) + " pixels. Put " +
           (on_device ? "cudascale" : "videoscale") + " before it.";
  }
  return "cudacanny does not accept this video (" + format + "). " + convert;
}

/// Advises on caps whose output downstream does not accept.
std::string output_advice(const GstCaps* downstream) {
  return std::string("The element after cudacanny does not accept its output") +
         (gst_caps_is_empty(downstream) ? "." : " for this video.") +
         " Put videoconvert after cudacanny, or videoscale to change the size.";
}

void post(GstBaseTransform* trans, const GstCaps* caps) {
  GstPad* pad = trans->sinkpad;
  const std::string refused = "refused caps: " + text_of(caps);
  if (!gst_pad_query_accept_caps(pad, const_cast<GstCaps*>(caps))) {
    GST_ELEMENT_ERROR(trans, STREAM, FORMAT, ("%s", input_advice(caps, pad).c_str()),
                      ("%s", refused.c_str()));
    return;
  }
  g_autoptr(GstCaps) downstream = gst_pad_peer_query_caps(trans->srcpad, nullptr);
  GST_ELEMENT_ERROR(trans, CORE, NEGOTIATION, ("%s", output_advice(downstream).c_str()),
                    ("%s, downstream accepts: %s", refused.c_str(), text_of(downstream).c_str()));
}

/// Posts one error per event. The event stays on upstream's pad, which sends it again with each
/// buffer.
class Refusals {
 public:
  explicit Refusals(GstBaseTransform* trans) : trans_(trans) {}

  void tell(GstEvent* event, const GstCaps* caps) {
    const guint32 number = gst_event_get_seqnum(event);
    if (last_told_.exchange(number) != number) post(trans_, caps);
  }

 private:
  GstBaseTransform* const trans_;  ///< its sink pad owns this object
  std::atomic<guint32> last_told_{GST_SEQNUM_INVALID};
};

/// Whether the pad's element passes caps on unchanged, and so refuses what the next pad refuses:
/// the other side of a ghost pad, a queue, a filter that never changes caps such as identity.
bool passes_caps_on(GstPad* pad) {
  if (GST_PAD_IS_PROXY_CAPS(pad)) return true;
  g_autoptr(GstObject) parent = gst_pad_get_parent(pad);
  if (!GST_IS_BASE_TRANSFORM(parent)) return false;
  auto* base = static_cast<GstBaseTransformClass*>(g_type_class_peek(GST_TYPE_BASE_TRANSFORM));
  return GST_BASE_TRANSFORM_GET_CLASS(parent)->transform_caps == base->transform_caps;
}

/// The pad whose caps `source` passes on unchanged (transfer full), null if there is none.
GstPad* before(GstPad* source) {
  g_autoptr(GstIterator) links = gst_pad_iterate_internal_links(source);
  g_auto(GValue) item = G_VALUE_INIT;
  if (links == nullptr || gst_iterator_next(links, &item) != GST_ITERATOR_OK) return nullptr;
  auto* pad = static_cast<GstPad*>(g_value_get_object(&item));
  return passes_caps_on(pad) ? static_cast<GstPad*>(gst_object_ref(pad)) : nullptr;
}

/// The event that is bringing these caps to the pad (transfer full), null if there is none.
GstEvent* find_event(GstPad* sink, const GstCaps* caps) {
  constexpr int kFarthest = 100;  // pads
  g_autoptr(GstPad) pad = static_cast<GstPad*>(gst_object_ref(sink));
  for (int i = 0; i < kFarthest && pad != nullptr; i++) {
    g_autoptr(GstPad) source = gst_pad_get_peer(pad);
    if (source == nullptr) break;
    g_autoptr(GstEvent) event = gst_pad_get_sticky_event(source, GST_EVENT_CAPS, 0);
    if (event != nullptr) {
      GstCaps* current = nullptr;
      gst_event_parse_caps(event, &current);
      if (gst_caps_is_equal(current, caps)) return std::exchange(event, nullptr);
    }
    gst_object_unref(pad);
    pad = before(source);
  }
  return nullptr;
}

void see_event(GstPad* pad, GstEvent* event, Refusals* refusals) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  g_autoptr(GstCaps) possible = gst_pad_query_caps(pad, caps);
  if (gst_caps_is_empty(possible)) refusals->tell(event, caps);
}

/// Ignores questions about caps that nobody has sent: elements also ask in order to choose caps.
void see_answer(GstPad* pad, GstQuery* query, Refusals* refusals) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_ACCEPT_CAPS) return;
  gboolean accepted = TRUE;
  gst_query_parse_accept_caps_result(query, &accepted);
  if (accepted) return;
  GstCaps* caps = nullptr;
  gst_query_parse_accept_caps(query, &caps);
  g_autoptr(GstEvent) event = find_event(pad, caps);
  if (event != nullptr) refusals->tell(event, caps);
}

GstPadProbeReturn see(GstPad* pad, GstPadProbeInfo* info, gpointer data) noexcept {
  auto* refusals = static_cast<Refusals*>(data);
  if ((info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) != 0) {
    see_event(pad, GST_PAD_PROBE_INFO_EVENT(info), refusals);
  } else if ((info->type & GST_PAD_PROBE_TYPE_PULL) != 0) {
    see_answer(pad, GST_PAD_PROBE_INFO_QUERY(info), refusals);
  }
  return GST_PAD_PROBE_OK;
}

}  // namespace

void gst_cuda_canny_explain_refusals(GstBaseTransform* trans) {
  constexpr auto kMask = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                                                      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM);
  gst_pad_add_probe(trans->sinkpad, kMask, see, new Refusals(trans),
                    [](gpointer data) { delete static_cast<Refusals*>(data); });
}
