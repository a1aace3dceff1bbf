// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads regions of interest: of a text, and of GstVideoRegionOfInterestMeta.
#include "region.h"

#include <gst/video/video.h>

#include <charconv>
#include <string_view>
#include <utility>

// ---- of a text ----

static void skip_blanks(std::string_view* text) {
  text->remove_prefix(MIN(text->find_first_not_of(' '), text->size()));
}

static bool take(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

/// Takes an integer, with blanks around it, off the text.
static bool take_integer(std::string_view* text, int least, int* number) {
  skip_blanks(text);
  const char* const begin = text->data();
  const auto [end, error] = std::from_chars(begin, begin + text->size(), *number);
  if (error != std::errc() || *number < least) return false;
  text->remove_prefix(static_cast<std::size_t>(end - begin));
  skip_blanks(text);
  return true;
}

static bool take_rectangle(std::string_view* text, canny::Rectangle* rectangle) {
  return take_integer(text, G_MININT, &rectangle->x) && take(text, ',') &&
         take_integer(text, G_MININT, &rectangle->y) && take(text, ',') &&
         take_integer(text, 1, &rectangle->width) && take(text, ',') &&
         take_integer(text, 1, &rectangle->height);
}

bool gst_cuda_canny_roi_parse(const gchar* text, GstCudaCannyRoi* roi) {
  roi->content = nullptr;
  if (text == nullptr || *text == '\0') return true;
  GstCudaCannyRoi::Content content = {text, {}};
  std::string_view rest = content.text;
  do {
    if (!take_rectangle(&rest, &content.rectangles.emplace_back())) return false;
  } while (take(&rest, ';'));
  if (!rest.empty()) return false;
  roi->content = std::make_shared<const GstCudaCannyRoi::Content>(std::move(content));
  return true;
}

// ---- of a buffer ----

static int to_position(guint number) { return static_cast<gint32>(number); }

/// Lengths beyond those of an int reach beyond every frame.
static int to_length(guint number) { return static_cast<int>(MIN(number, guint{G_MAXINT})); }

static void read_metas(GstBuffer* buffer, const GstCudaCannyRoiType& type,
                       std::vector<canny::Rectangle>* rectangles) {
  const GQuark quark = type.name != nullptr ? g_quark_try_string(type.name->c_str()) : 0;
  if (type.name != nullptr && quark == 0) return;  // no meta can have it
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<const GstVideoRegionOfInterestMeta*>(meta);
    if (quark != 0 && region->roi_type != quark) continue;
    rectangles->push_back({to_position(region->x), to_position(region->y), to_length(region->w),
                           to_length(region->h)});
  }
}

bool gst_cuda_canny_region_read(GstBuffer* buffer, GstCudaCannyRoiMode mode,
                                const GstCudaCannyRoiType& type, const GstCudaCannyRoi& roi,
                                std::vector<canny::Rectangle>* rectangles) {
  rectangles->clear();
  if (roi.content != nullptr) *rectangles = roi.content->rectangles;
  if (mode == GstCudaCannyRoiMode::kMeta) read_metas(buffer, type, rectangles);
  return roi.content != nullptr || mode == GstCudaCannyRoiMode::kMeta;
}
