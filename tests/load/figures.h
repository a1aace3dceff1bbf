// SPDX-License-Identifier: LGPL-2.1-or-later
// What a process holds: memory, descriptors and threads, and how much they grew during a load.
#pragma once

#include <array>
#include <string>

namespace load {

inline constexpr int kFigures = 5, kDevice = 4;
extern const char* const kFigureNames[kFigures];

/// Memory (RssAnon), page-locked memory and memory of the device in KiB; open descriptors and
/// threads. -1 if it is not measured.
using Figures = std::array<long, kFigures>;

/// The lowest of several readings, since threads and freed buffers end a little later than the call
/// that ends them.
Figures read_figures(bool with_device);

struct Growth {
  Figures from = {-1, -1, -1, -1, -1}, to = {-1, -1, -1, -1, -1};

  std::string percent(int figure) const;  ///< "-" if it is not measured
  /// Empty if all figures were measured, the device's perhaps not, and none grew by more than 1 %;
  /// memory may also grow by 256 KiB. Without `with_memory` it may grow by any amount.
  std::string failure(bool with_memory) const;
  void add_worst(const Growth& other);  ///< takes each figure that grew more
};

}  // namespace load
