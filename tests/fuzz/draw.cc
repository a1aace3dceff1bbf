// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws geometry and regions.
#include "draw.h"

#include "reference/reference.h"

namespace fuzz {
namespace {

constexpr int kMaxGap = 67, kMaxOffset = 15;

int draw_gap(Reader& reader) { return reader.one_in(2) ? reader.between(0, kMaxGap) : 0; }

harness::Chroma draw_chroma(Reader& reader) {
  return {reader.between(1, 2), reader.between(0, canny::kMaxChromaShift),
          reader.between(0, canny::kMaxChromaShift)};
}

void set_mask(int width, int height, Reader& reader, harness::RegionMemory* memory) {
  const std::ptrdiff_t stride = width + reader.between(0, 9);
  memory->mask.assign(static_cast<std::size_t>(stride) * (height - 1) + width, 0);
  const bool is_bottom_up = reader.one_in(2);
  std::uint8_t* top = memory->mask.data() + (is_bottom_up ? stride * (height - 1) : 0);
  memory->region.mask = {top, is_bottom_up ? -stride : stride};
  const Reader::Bytes bytes = reader.bytes(static_cast<std::size_t>(reader.between(0, 64)));
  for (std::size_t i = 0; bytes.size > 0 && i < memory->mask.size(); ++i)
    memory->mask[i] = bytes.data[i % bytes.size];
}

std::shared_ptr<const harness::RegionMemory> draw_region(int width, int height, Reader& reader) {
  auto memory = std::make_shared<harness::RegionMemory>();
  if (reader.one_in(3)) {
    set_mask(width, height, reader, memory.get());
    return memory;
  }
  const int count = reader.one_in(16) ? reader.between(0, 300) : reader.between(0, 4);
  for (int i = 0; i < count; ++i) {
    const auto number = [&](int most) {
      return reader.one_in(8) ? reader.raw<int>() : reader.between(-2, most);
    };
    memory->rectangles.push_back({number(width), number(height), number(width), number(height)});
  }
  memory->region.rectangles = memory->rectangles.data();
  memory->region.rectangle_count = memory->rectangles.size();
  return memory;
}

}  // namespace

canny::PixelFormat draw_format(Reader& reader) {
  return static_cast<canny::PixelFormat>(reader.between(0, static_cast<int>(cases::kLastInput)));
}

cases::Case draw_case(int width, int height, Reader& reader) {
  cases::Case c;
  c.width = width;
  c.height = height;
  c.input = draw_format(reader);
  c.output = reader.one_in(2) ? c.input : draw_format(reader);
  c.input_offset = reader.between(0, kMaxOffset);
  c.output_offset = reader.between(0, kMaxOffset);
  c.input_gap = draw_gap(reader);
  c.output_gap = draw_gap(reader);
  c.input_bottom_up = reader.one_in(4);
  c.output_bottom_up = reader.one_in(4);
  c.params = draw_params(reader);
  const bool has_chroma = c.input == canny::PixelFormat::kGray8 && c.input == c.output;
  if (has_chroma && reader.one_in(2)) c.chroma = draw_chroma(reader);
  if (reader.one_in(4)) c.region = draw_region(width, height, reader);
  return c;
}

bool has_valid_formats(const cases::Case& c) {
  if (!cases::is_output(c.output)) return false;
  return !shows_input(c.params.view) || (c.input == c.output && !reference::is_deep(c.input));
}

}  // namespace fuzz
