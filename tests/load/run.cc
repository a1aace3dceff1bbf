// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of every load.
#include <algorithm>

#include "loads.h"

namespace load {

std::uint64_t Run::count(std::uint64_t whole) const {
  return is_short ? std::max<std::uint64_t>(whole / 100, 1) : whole;
}

std::string Run::settings(const std::string& more) const {
  return "backend=" + backend + (more.empty() ? "" : " ") + more;
}

void Run::warm_up_begins() { begin = Clock::now(); }

void Run::warm_up_ends() { growth.from = read_figures(with_device && backend == "cuda"); }

void Run::ends() { growth.to = read_figures(with_device && backend == "cuda"); }

std::string no_cuda_reason() {
  const Owned<GstElement> element(gst_element_factory_make("cudacanny", nullptr));
  if (element == nullptr) return "there is no element cudacanny";
  gst_util_set_object_arg(G_OBJECT(element.get()), "backend", "cuda");
  std::string reason;
  if (gst_element_set_state(element.get(), GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE) {
    GstStructure* stats = nullptr;
    g_object_get(element.get(), "stats", &stats, nullptr);
    const char* text = gst_structure_get_string(stats, "reason");
    reason = text != nullptr && *text != 0 ? text : "the element does not start";
    gst_structure_free(stats);
  }
  gst_element_set_state(element.get(), GST_STATE_NULL);
  return reason;
}

}  // namespace load
