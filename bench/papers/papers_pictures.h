// SPDX-License-Identifier: LGPL-2.1-or-later
// Two photographs of any size: a portrait, and one full of edges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"
#include "tiles.h"

namespace papers {

enum class Content {
  kPortrait,  ///< in place of Lena
  kBusy,      ///< in place of Mandrill
};

class Pictures {
 public:
  /// Takes the tiles chelsea (a cat) and gravel from a folder of tests/pictures/tiles; drawn
  /// pictures with an empty name.
  explicit Pictures(const std::string& folder);

  /// A tight RGB picture. A tile is scaled down to a size that it covers; a larger picture consists
  /// of copies of it, flipped at random. The drawn pictures are shapes and noise.
  std::vector<std::uint8_t> paint(Content content, bench::Size size) const;

  /// The pictures in a few words.
  std::string text() const;

 private:
  pictures::Tiles tiles_;  // one for each Content, or none
};

}  // namespace papers
