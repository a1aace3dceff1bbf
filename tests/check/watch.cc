// SPDX-License-Identifier: LGPL-2.1-or-later
/// Sees queries, and copies the data that enters and leaves an element and checks it.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "fixture.h"

namespace check {

namespace {

struct Question {
  GstQueryType type;
  std::function<GstPadProbeReturn(GstQuery*)> answer;

  static GstPadProbeReturn see(GstPad*, GstPadProbeInfo* info, gpointer data) {
    const auto* question = static_cast<const Question*>(data);
    GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
    if (GST_QUERY_TYPE(query) != question->type) return GST_PAD_PROBE_OK;
    return question->answer(query);
  }
};

}  // namespace

gulong on_query(GstPad* pad, GstQueryType type,
                const std::function<GstPadProbeReturn(GstQuery*)>& answer) {
  return gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_BOTH, Question::see,
                           new Question{type, answer},
                           [](gpointer data) { delete static_cast<Question*>(data); });
}

struct Watch::State {
  struct Item {
    Owned<GstBuffer> buffer;  ///< or null
    Owned<GstCaps> caps;      ///< of the buffer
    Owned<GstEvent> event;    ///< or null
  };
  using Items = std::vector<Item>;

  /// The copies of one pad.
  struct Hook {
    std::shared_ptr<State> state;
    Items* items;
  };

  static GstPadProbeReturn keep(GstPad* pad, GstPadProbeInfo* info, gpointer data);
  static std::vector<std::string> describe(const Items& items);

  /// Waits for an item that `is_wanted`. False if the test's patience ends first.
  template <typename Condition>
  bool wait_for(std::size_t count, Condition is_wanted) {
    std::unique_lock<std::mutex> lock(mutex);
    return changed.wait_for(lock, std::chrono::nanoseconds(kPatience), [&] {
      return std::size_t(std::count_if(out.begin(), out.end(), is_wanted)) >= count;
    });
  }

  std::mutex mutex;
  std::condition_variable changed;
  Items in, out;
};

Watch::Watch(GstElement* element) : state_(std::make_shared<State>()) {
  for (int i = 0; i < 2; i++) {
    pads_[i] = gst_element_get_static_pad(element, i == 0 ? "sink" : "src");
    auto* hook = new State::Hook{state_, i == 0 ? &state_->in : &state_->out};
    probes_[i] = gst_pad_add_probe(
        pads_[i],
        GstPadProbeType(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
                        GST_PAD_PROBE_TYPE_EVENT_FLUSH),
        State::keep, hook, [](gpointer data) { delete static_cast<State::Hook*>(data); });
  }
}

Watch::~Watch() {
  for (int i = 0; i < 2; i++) {
    gst_pad_remove_probe(pads_[i], probes_[i]);
    gst_object_unref(pads_[i]);
  }
}

GstPadProbeReturn Watch::State::keep(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto* hook = static_cast<Hook*>(data);
  Item item;
  if (GST_IS_EVENT(GST_PAD_PROBE_INFO_DATA(info))) {
    item.event.reset(gst_event_ref(GST_PAD_PROBE_INFO_EVENT(info)));
  } else {
    item.buffer.reset(gst_buffer_copy_deep(GST_PAD_PROBE_INFO_BUFFER(info)));
    item.caps.reset(gst_pad_get_current_caps(pad));
    if (item.caps == nullptr) return GST_PAD_PROBE_OK;  // the element stops
  }
  const std::lock_guard<std::mutex> lock(hook->state->mutex);
  hook->items->push_back(std::move(item));
  hook->state->changed.notify_all();
  return GST_PAD_PROBE_OK;
}

std::size_t Watch::frames() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return std::size_t(std::count_if(state_->out.begin(), state_->out.end(),
                                   [](const State::Item& item) { return item.buffer != nullptr; }));
}

bool Watch::wait_for_frames(std::size_t count) const {
  return state_->wait_for(count, [](const State::Item& item) { return item.buffer != nullptr; });
}

bool Watch::wait_for_event(GstEventType type) const {
  return state_->wait_for(1, [&](const State::Item& item) {
    return item.event != nullptr && GST_EVENT_TYPE(item.event.get()) == type;
  });
}

bool Watch::wait_for_format(const Format& format) const {
  return state_->wait_for(1, [&](const State::Item& item) {
    return item.buffer != nullptr && &format_of(item.caps.get()) == &format;
  });
}

std::vector<GstClockTime> Watch::times_since_flush() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::vector<GstClockTime> times;
  for (const State::Item& item : state_->out) {
    if (item.buffer != nullptr) {
      times.push_back(GST_BUFFER_PTS(item.buffer.get()));
    } else if (GST_EVENT_TYPE(item.event.get()) == GST_EVENT_FLUSH_STOP) {
      times.clear();
    }
  }
  return times;
}

std::string Watch::difference(const canny::Params& params) const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  auto in = state_->in.begin();
  for (const State::Item& out : state_->out) {
    if (out.buffer == nullptr) continue;
    const GstClockTime time = GST_BUFFER_PTS(out.buffer.get());
    const std::string name = "frame at " + std::to_string(time) + " ns";
    in = std::find_if(in, state_->in.end(), [&](const State::Item& item) {
      return item.buffer != nullptr && GST_BUFFER_PTS(item.buffer.get()) == time;
    });
    if (in == state_->in.end()) return name + " did not enter, or not in this order";
    const std::string differs =
        edge_difference(in->buffer.get(), in->caps.get(), out.buffer.get(), out.caps.get(), params);
    if (!differs.empty()) return name + ": " + differs;
    in++;
  }
  return "";
}

/// Caps differ from side to side.
std::vector<std::string> Watch::State::describe(const Items& items) {
  std::vector<std::string> names;
  for (const Item& item : items) {
    if (item.buffer != nullptr) {
      names.push_back("frame at " + std::to_string(GST_BUFFER_PTS(item.buffer.get())) + " ns");
    } else if (GST_EVENT_IS_SERIALIZED(item.event.get())) {
      GstEvent* event = item.event.get();
      const bool is_plain =
          GST_EVENT_TYPE(event) == GST_EVENT_CAPS || gst_event_get_structure(event) == nullptr;
      gchar* text = is_plain ? nullptr : gst_structure_to_string(gst_event_get_structure(event));
      names.push_back(std::string(GST_EVENT_TYPE_NAME(event)) + " " + (text ? text : ""));
      g_free(text);
    }
  }
  return names;
}

/// Items in flight when the watch began do not count.
std::string Watch::order_difference() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const std::vector<std::string> in = State::describe(state_->in);
  std::vector<std::string> out = State::describe(state_->out);
  if (!in.empty()) out.erase(out.begin(), std::find(out.begin(), out.end(), in.front()));
  for (std::size_t i = 0; i < std::max(in.size(), out.size()); i++) {
    const std::string got = i < out.size() ? out[i] : "nothing";
    const std::string want = i < in.size() ? in[i] : "nothing";
    if (got != want) return "number " + std::to_string(i) + " is " + got + ", expected " + want;
  }
  return "";
}

}  // namespace check
