// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares frames with the reference.
#include "outputs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "check/expected.h"
#include "failure.h"

namespace fuzz {

namespace {
constexpr std::chrono::seconds kPatience{20};
}

Outputs::Outputs(GstElement* element) : pad_(gst_element_get_static_pad(element, "src")) {
  probe_ = gst_pad_add_probe(pad_, GST_PAD_PROBE_TYPE_BUFFER, note, this, nullptr);
}

Outputs::~Outputs() {
  gst_pad_remove_probe(pad_, probe_);
  gst_object_unref(pad_);
}

GstPadProbeReturn Outputs::note(GstPad* pad, GstPadProbeInfo* info, gpointer outputs) {
  auto* self = static_cast<Outputs*>(outputs);
  const std::lock_guard lock(self->mutex_);
  self->left_.push_back({Owned<GstBuffer>(gst_buffer_ref(GST_PAD_PROBE_INFO_BUFFER(info))),
                         Owned<GstCaps>(gst_pad_get_current_caps(pad))});
  self->changed_.notify_all();
  return GST_PAD_PROBE_OK;
}

void Outputs::add(Sent sent) { sent_.push_back(std::move(sent)); }

void Outputs::require_last() { sent_.back().must_leave = true; }

void Outputs::release() {
  for (Sent& sent : sent_) sent.must_leave = false;
}

bool Outputs::is_any_awaited() const {
  for (const Sent& sent : sent_)
    if (sent.must_leave) return true;
  return false;
}

bool Outputs::take(Left* left, bool waits) {
  std::unique_lock lock(mutex_);
  if (waits) changed_.wait_for(lock, kPatience, [this] { return !left_.empty(); });
  if (left_.empty()) return false;
  *left = std::move(left_.front());
  left_.pop_front();
  return true;
}

void Outputs::check(bool is_complete, const char* when) {
  for (;;) {
    const bool waits = is_complete && is_any_awaited();
    Left left;
    if (take(&left, waits)) {
      compare(left);
    } else if (waits) {
      report(std::string("a frame does not leave: ") + when);
    } else {
      return;
    }
  }
}

void Outputs::compare(const Left& left) {
  const GstClockTime pts = GST_BUFFER_PTS(left.buffer.get());
  while (!sent_.empty() && sent_.front().pts != pts) {
    if (sent_.front().must_leave) report("a frame was lost, or frames changed their order");
    sent_.pop_front();
  }
  if (sent_.empty()) report("a frame left that did not enter, or left twice");
  if (left.caps == nullptr) report("a frame left before its caps");
  const Sent sent = std::move(sent_.front());
  sent_.pop_front();
  const check::Layout out = check::layout_of(left.buffer.get(), left.caps.get());
  if (out.width != sent.layout.width || out.height != sent.layout.height)
    report("a frame has another size");
  canny::Region region;
  if (sent.regions) {
    region.rectangles = sent.regions->data();
    region.rectangle_count = sent.regions->size();
  }
  const check::Expected expected = check::expected_output(
      sent.picture.get(), sent.layout, out, sent.params, sent.regions ? &region : nullptr);
  const std::vector<std::uint8_t> rows = check::rows_in(left.buffer.get(), out);
  if (rows == expected.rows) return;
  const auto first = std::mismatch(rows.begin(), rows.end(), expected.rows.begin()).first;
  const check::Layout& in = sent.layout;
  report(std::string("a frame of ") + in.format->name + ", " + std::to_string(in.width) + "x" +
         std::to_string(in.height) + " at stride " + std::to_string(in.stride) + " and offset " +
         std::to_string(in.offset) + ", is wrong in " + out.format->name + ": byte " +
         std::to_string(first - rows.begin()) + " of its rows, view " +
         std::to_string(static_cast<int>(sent.params.view)));
}

}  // namespace fuzz
