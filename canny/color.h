// SPDX-License-Identifier: LGPL-2.1-or-later
/// \file
/// Colors as texts.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace canny {

/// A color that a name stands for.
struct NamedColor {
  std::string_view name;
  std::uint32_t rgb;
};

/// The color keywords of CSS 2.1, section 4.3.6.
inline constexpr NamedColor kColors[] = {
    {"aqua", 0x00ffff},   {"black", 0x000000},  {"blue", 0x0000ff},   {"fuchsia", 0xff00ff},
    {"gray", 0x808080},   {"green", 0x008000},  {"lime", 0x00ff00},   {"maroon", 0x800000},
    {"navy", 0x000080},   {"olive", 0x808000},  {"orange", 0xffa500}, {"purple", 0x800080},
    {"red", 0xff0000},    {"silver", 0xc0c0c0}, {"teal", 0x008080},   {"white", 0xffffff},
    {"yellow", 0xffff00},
};

/// The forms that color_of() takes, for messages.
inline std::string color_forms() {
  std::string forms = "#rrggbb, #aarrggbb, 0xaarrggbb or one of ";
  for (const NamedColor& each : kColors) {
    if (&each != kColors) forms += ", ";
    forms += each.name;
  }
  return forms;
}

/// Returns the color of a text in a form of color_forms() as 0xAARRGGBB, or nothing. Letters may be
/// upper or lower case.
inline std::optional<std::uint32_t> color_of(std::string_view text) {
  constexpr std::uint32_t kOpaque = 0xff000000;
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  for (const NamedColor& each : kColors)
    if (each.name == lower) return kOpaque | each.rgb;
  const bool has_hash = lower.rfind('#', 0) == 0;
  if (!has_hash && lower.rfind("0x", 0) != 0) return std::nullopt;
  const std::string_view digits = std::string_view(lower).substr(has_hash ? 1 : 2);
  const bool is_opaque = has_hash && digits.size() == 6;
  if (digits.size() != 8 && !is_opaque) return std::nullopt;
  std::uint32_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, number, 16);
  if (error != std::errc() || last != end) return std::nullopt;
  return is_opaque ? kOpaque | number : number;
}

}  // namespace canny
