// SPDX-License-Identifier: LGPL-2.1-or-later
/// Functions shared by the tests of hostile buffers and settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fixture.h"
#include "stages/pages.h"

namespace hostile {

using Edges = std::vector<std::uint8_t>;

/// Memory that ends at, or begins after, a page without access.
GstMemory* new_paged(gsize size, paged::Block::At at, GstMemoryFlags flags = GstMemoryFlags(0));

/// The bytes of `buffer` (transfer full) in such memory.
GstBuffer* move_to_pages(GstBuffer* buffer, paged::Block::At at,
                         GstMemoryFlags flags = GstMemoryFlags(0));

/// Like check::push_difference(). Without edges, the element must refuse the frame, push nothing
/// and post one error that blames the input.
std::string push_difference(check::Element& element, GstBuffer* input, const check::Layout& layout,
                            const std::optional<Edges>& edges);

/// Gives the user presets of broken values.
void save_broken_presets();

}  // namespace hostile
