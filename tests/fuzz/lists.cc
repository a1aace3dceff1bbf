// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares chains and components with the reference.
#include "lists.h"

#include <cstring>

#include "reference/components.h"
#include "reference/contours.h"

namespace fuzz {

Lists::Lists(unsigned pictures, Reader& reader) {
  if (reader.one_in(4)) {
    least_points_ = static_cast<unsigned>(reader.between(0, 9));
    has_offsets_ = reader.one_in(2);
    contours_.resize(pictures);
    for (canny::Contours& each : contours_) {
      each.set_min_points(least_points_);
      each.set_precision(has_offsets_);
    }
  }
  if (reader.one_in(4)) {
    least_pixels_ = static_cast<unsigned>(reader.between(0, 9));
    components_.resize(pictures);
    components_[0].set_min_pixels(least_pixels_);
  }
}

void Lists::add_to(canny::Frame* output) {
  if (!contours_.empty()) output->contours = contours_.data();
  if (!components_.empty()) output->components = components_.data();
}

std::string Lists::check(unsigned i, const canny::Params& params,
                         const canny::ConstFrame& input) const {
  if (contours_.empty() && components_.empty()) return "";
  const reference::Candidates candidates = reference::front(params, input);
  reference::Bytes edges(input.width, input.height);
  if (shows_edges(params.view)) edges = reference::edges_of(params, candidates);
  if (!contours_.empty()) {
    const std::string wrong = check_chains(i, params, input, edges.samples);
    if (!wrong.empty()) return wrong;
  }
  if (components_.empty()) return "";
  const auto expected = reference::components(edges, candidates.strong, least_pixels_);
  const canny::Components& actual = components_[i];
  const bool is_equal =
      actual.size() == expected.size() &&
      (expected.empty() ||
       std::memcmp(actual.data(), expected.data(), sizeof expected[0] * expected.size()) == 0);
  return is_equal ? "" : "wrong components";
}

std::string Lists::check_chains(unsigned i, const canny::Params& params,
                                const canny::ConstFrame& input,
                                const std::vector<std::uint8_t>& edges) const {
  const canny::Contours& contours = contours_[i];
  const reference::Response response =
      has_offsets_ ? reference::respond(params, input) : reference::Response();
  std::size_t chains = 0;
  for (const auto& expected : reference::contours(edges, input.width, input.height)) {
    if (expected.size() < least_points_) continue;
    if (chains == contours.size()) return "too few chains";
    const canny::Chain chain = contours[chains++];
    if (chain.size != expected.size() || chain.is_closed() != reference::is_closed(expected) ||
        (chain.offsets != nullptr) != has_offsets_)
      return "a wrong chain";
    for (std::size_t j = 0; j < chain.size; ++j) {
      const auto [x, y] = expected[j];
      if (chain.points[j].x != x || chain.points[j].y != y) return "a wrong point of a chain";
      if (!has_offsets_) continue;
      const reference::Offset offset = reference::offset(params, response, x, y);
      if (chain.offsets[j].x != offset.x || chain.offsets[j].y != offset.y) return "a wrong offset";
    }
  }
  return chains == contours.size() ? "" : "too many chains";
}

}  // namespace fuzz
