// SPDX-License-Identifier: LGPL-2.1-or-later
// The chains and components of a frame's edges, drawn from a fuzzer's bytes and compared with the
// reference.
#pragma once

#include <string>
#include <vector>

#include "canny/canny.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "reader.h"

namespace fuzz {

/// What a frame of one or more pictures gets beside its pixels.
class Lists {
 public:
  Lists(unsigned pictures, Reader& reader);

  void add_to(canny::Frame* output);

  /// Returns an error unless picture i has the chains and components of its edges; "" if it has.
  std::string check(unsigned i, const canny::Params& params, const canny::ConstFrame& input) const;

 private:
  std::string check_chains(unsigned i, const canny::Params& params, const canny::ConstFrame& input,
                           const std::vector<std::uint8_t>& edges) const;

  unsigned least_points_ = 0, least_pixels_ = 0;
  bool has_offsets_ = false;
  std::vector<canny::Contours> contours_;
  std::vector<canny::Components> components_;  // of each picture, or none
};

}  // namespace fuzz
