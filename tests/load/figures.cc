// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the figures from the kernel, after malloc has returned what is free.
#include "figures.h"

#if CANNY_LOAD_CUDA
#include <cuda_runtime_api.h>
#endif
#include <glib.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "memory/growth.h"

namespace load {
namespace {

// Idle threads of GLib's pools leave after 0.5 s.
constexpr int kReadings = 12;
constexpr std::chrono::milliseconds kPause(100);
constexpr long kAllowedKib = 256;  // a few arenas' and stacks' pages
constexpr double kAllowedShare = 0.01;
constexpr bool kIsMemory[kFigures] = {true, true, false, false, true};

long entries(const char* folder) {
  std::error_code error;
  const auto begin = std::filesystem::directory_iterator(folder, error);
  return error ? -1 : long(std::distance(begin, std::filesystem::directory_iterator()));
}

// The memory in use on the current CUDA device, of all processes together; -1 if it can't be read.
long used_device_kib() {
#if CANNY_LOAD_CUDA
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) return static_cast<long>((total - free) / 1024);
#endif
  return -1;
}

Figures read_once(bool with_device) {
  malloc_trim(0);
  return {growth::status_kib("RssAnon"), growth::status_kib("VmLck") + growth::status_kib("VmPin"),
          entries("/proc/self/fd"), entries("/proc/self/task"),
          with_device ? used_device_kib() : -1};
}

double share(long from, long to) { return double(to - from) / double(std::max(from, 1L)); }

bool has_grown(int figure, long from, long to) {
  return share(from, to) > kAllowedShare && (!kIsMemory[figure] || to - from > kAllowedKib);
}

}  // namespace

const char* const kFigureNames[kFigures] = {"memory", "locked", "files", "threads", "device"};

Figures read_figures(bool with_device) {
  // Ends the idle threads that GLib keeps, whose number depends on chance.
  const gint kept = g_thread_pool_get_max_unused_threads();
  g_thread_pool_set_max_unused_threads(0);
  Figures lowest = read_once(with_device);
  for (int reading = 1; reading < kReadings; ++reading) {
    std::this_thread::sleep_for(kPause);
    const Figures figures = read_once(with_device);
    for (int i = 0; i < kFigures; ++i) lowest[i] = std::min(lowest[i], figures[i]);
  }
  g_thread_pool_set_max_unused_threads(kept);
  return lowest;
}

std::string Growth::percent(int figure) const {
  if (from[figure] < 0 || to[figure] < 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", 100 * share(from[figure], to[figure]));
  return text;
}

std::string Growth::failure(bool with_memory) const {
  std::string text;
  for (int i = 0; i < kFigures; ++i) {
    const bool is_measured = from[i] >= 0 && to[i] >= 0;
    if (is_measured && !has_grown(i, from[i], to[i])) continue;
    if (is_measured ? kIsMemory[i] && !with_memory : i == kDevice) continue;
    text += (text.empty() ? "" : ", ") + std::string(kFigureNames[i]);
    text += is_measured ? " grew from " + std::to_string(from[i]) + " to " + std::to_string(to[i]) +
                              (kIsMemory[i] ? " KiB" : "")
                        : " not measured";
  }
  return text;
}

void Growth::add_worst(const Growth& other) {
  for (int i = 0; i < kFigures; ++i) {
    if (from[i] >= 0 && share(from[i], to[i]) >= share(other.from[i], other.to[i])) continue;
    from[i] = other.from[i];
    to[i] = other.to[i];
  }
}

}  // namespace load
