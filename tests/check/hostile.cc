// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs the element on buffers, metas and settings that no well-behaved neighbor sends.
#include "hostile.h"

#include <algorithm>

#include "presetfolder.h"

namespace hostile {

static GstMemory* wrap(paged::Block* block, gsize size, GstMemoryFlags flags) {
  return gst_memory_new_wrapped(flags, block->data(), size, 0, size, block,
                                [](gpointer data) { delete static_cast<paged::Block*>(data); });
}

GstMemory* new_paged(gsize size, paged::Block::At at, GstMemoryFlags flags) {
  return wrap(new paged::Block(size, at), size, flags);
}

GstBuffer* move_to_pages(GstBuffer* buffer, paged::Block::At at, GstMemoryFlags flags) {
  const auto bytes = check::read_bytes(buffer);
  gst_buffer_unref(buffer);
  auto* block = new paged::Block(bytes.size(), at);
  std::copy(bytes.begin(), bytes.end(), block->data());
  GstBuffer* moved = gst_buffer_new();
  gst_buffer_append_memory(moved, wrap(block, bytes.size(), flags));
  return moved;
}

static std::string refusal_difference(check::Element& element, GstFlowReturn flow) {
  if (flow != GST_FLOW_ERROR) return std::string("flow ") + gst_flow_get_name(flow);
  const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
  if (told.domain == 0) return "no error";
  if (check::Owned<GstMessage>(element.pop(GST_MESSAGE_ERROR)) != nullptr) return "two errors";
  const bool is_right = told.is(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT) &&
                        told.text.find("An input buffer does not match its caps.") == 0;
  return is_right ? "" : "error '" + told.text + "'";
}

std::string push_difference(check::Element& element, GstBuffer* input, const check::Layout& layout,
                            const std::optional<Edges>& edges) {
  if (edges) return check::push_difference(element, input, layout, *edges);
  const std::string wrong = refusal_difference(element, element.push(input));
  const check::Owned<GstBuffer> output(element.pull());
  return wrong.empty() && output != nullptr ? "a frame was pushed" : wrong;
}

}  // namespace hostile

int main(int argc, char** argv) {
  const check::PresetFolder folder;
  hostile::save_broken_presets();
  gst_check_init(&argc, &argv);
  // An application may know the meta before it loads the plugin.
  static const gchar* no_tags[] = {nullptr};
  if (gst_meta_get_info("cudacanny") == nullptr)
    gst_meta_register_custom("cudacanny", no_tags, nullptr, nullptr, nullptr);
  return check::run();
}
