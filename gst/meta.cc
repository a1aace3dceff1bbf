// SPDX-License-Identifier: LGPL-2.1-or-later
/// Registers the meta and fills its structure.
#include "meta.h"

#include <algorithm>

namespace {

constexpr char kName[] = "cudacanny";

/// The structure of the buffer's meta, with this field alone. The buffer has a meta already if it
/// was copied from the input, or if its pool left one there.
GstStructure* renew(GstBuffer* output, guint64 serial) {
  GstCustomMeta* meta = gst_buffer_get_custom_meta(output, kName);
  if (meta == nullptr) meta = gst_buffer_add_custom_meta(output, kName);
  GstStructure* structure = gst_custom_meta_get_structure(meta);
  gst_structure_remove_all_fields(structure);
  gst_structure_set(structure, "settings-serial", G_TYPE_UINT64, serial, nullptr);
  return structure;
}

void set_thresholds(GstStructure* structure, double low, double high) {
  gst_structure_set(structure, "low", G_TYPE_DOUBLE, low, "high", G_TYPE_DOUBLE, high, nullptr);
}

/// Sets the field to the numbers that write(numbers) writes. False without memory, of which
/// g_bytes_new() would end the process.
template <class Number, class Write>
bool set_bytes(GstStructure* structure, const char* field, gsize count, Write write) {
  auto* numbers = g_try_new(Number, count);
  if (numbers == nullptr && count > 0) return false;
  write(numbers);
  g_autoptr(GBytes) bytes = g_bytes_new_take(numbers, count * sizeof(Number));
  gst_structure_set(structure, field, G_TYPE_BYTES, bytes, nullptr);
  return true;
}

template <class Number>
bool set_copy(GstStructure* structure, const char* field, const Number* numbers, gsize count) {
  return set_bytes<Number>(structure, field, count,
                           [&](Number* copy) { std::copy_n(numbers, count, copy); });
}

bool set_contours(GstStructure* structure, const canny::Contours& contours) {
  return set_copy(structure, "contour-points", contours.points(), contours.point_count()) &&
         (contours.offsets() == nullptr ||
          set_copy(structure, "contour-offsets", contours.offsets(), contours.point_count())) &&
         set_copy(structure, "contour-ends", contours.ends(), contours.size()) &&
         set_bytes<guint8>(structure, "contour-closed", contours.size(), [&](guint8* closed) {
           for (gsize i = 0; i < contours.size(); i++) closed[i] = contours[i].is_closed();
         });
}

/// Sets the field to what numbers_of(component, to) writes for each component, `count` numbers.
template <class Number, class NumbersOf>
bool set_each(GstStructure* structure, const char* field, const canny::Components& components,
              gsize count, NumbersOf numbers_of) {
  return set_bytes<Number>(structure, field, count * components.size(), [&](Number* to) {
    for (const canny::Component& each : components) {
      numbers_of(each, to);
      to += count;
    }
  });
}

bool set_components(GstStructure* structure, const canny::Components& components) {
  using canny::Component;
  const auto boxes = [](const Component& each, guint16* to) {
    to[0] = each.x, to[1] = each.y, to[2] = each.width, to[3] = each.height;
  };
  const auto pixels = [](const Component& each, guint32* to) { *to = each.pixels; };
  const auto strong = [](const Component& each, guint32* to) { *to = each.strong_pixels; };
  const auto sums = [](const Component& each, guint64* to) {
    to[0] = each.sum_x, to[1] = each.sum_y;
  };
  return set_each<guint16>(structure, "component-boxes", components, 4, boxes) &&
         set_each<guint32>(structure, "component-pixels", components, 1, pixels) &&
         set_each<guint32>(structure, "component-strong-pixels", components, 1, strong) &&
         set_each<guint64>(structure, "component-sums", components, 2, sums);
}

}  // namespace

/// Without tags, filters that make a new buffer keep it.
void gst_cuda_canny_meta_register() {
  static const gchar* no_tags[] = {nullptr};
  if (gst_meta_get_info(kName) != nullptr) return;  // an application was first
  gst_meta_register_custom(kName, no_tags, nullptr, nullptr, nullptr);
}

bool gst_cuda_canny_meta_set(GstBuffer* output, const GstCudaCannyFrameSettings& settings,
                             const canny::Result& result, const canny::Contours* contours,
                             const canny::Components* components) {
  GstStructure* structure = renew(output, settings.serial);
  set_thresholds(structure, result.low_threshold, result.high_threshold);
  gst_structure_set(structure, "edge-pixels", G_TYPE_UINT64, guint64{result.edge_pixels}, nullptr);
  return (contours == nullptr || set_contours(structure, *contours)) &&
         (components == nullptr || set_components(structure, *components));
}

void gst_cuda_canny_meta_set_unfinished(GstBuffer* output,
                                        const GstCudaCannyFrameSettings& settings) {
  GstStructure* structure = renew(output, settings.serial);
  const canny::Params& params = settings.params;
  if (params.threshold_mode != canny::ThresholdMode::kAbsolute) return;
  const auto [low, high] = std::minmax(params.low_threshold, params.high_threshold);
  set_thresholds(structure, low, high);
}
