// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads regions of interest: of a text, and of GstVideoRegionOfInterestMeta.
#include "region.h"

#include <gst/video/video.h>

#include <charconv>
#include <string_view>
#include <utility>

// ---- of a text ----

static constexpr std::size_t kMaxRectangles = 65536;

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

std::string gst_cuda_canny_roi_parse(const gchar* text, GstCudaCannyRoi* roi) {
  if (text == nullptr || *text == '\0') return {};
  GstCudaCannyRoi::Content content = {text, {}};
  std::string_view rest = content.text;
  bool is_valid = true;
  do {
    if (content.rectangles.size() == kMaxRectangles)
      return "There are more than " + std::to_string(kMaxRectangles) + " rectangles.";
    is_valid = take_rectangle(&rest, &content.rectangles.emplace_back());
  } while (is_valid && take(&rest, ';'));
  if (!is_valid || !rest.empty()) {
    return '"' + content.text +
           "\" is not a list of rectangles. Write x,y,w,h in pixels, with w and h of at least 1, "
           "and ; between two rectangles, such as 0,0,320,240;-8,300,64,48.";
  }
  roi->content = std::make_shared<const GstCudaCannyRoi::Content>(std::move(content));
  return {};
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
                                std::vector<canny::Rectangle>* rectangles, canny::Region* region) {
  rectangles->clear();
  if (mode == GstCudaCannyRoiMode::kMeta) read_metas(buffer, type, rectangles);
  const std::vector<canny::Rectangle>* all = rectangles;
  if (roi.content != nullptr) {
    all = &roi.content->rectangles;
    if (!rectangles->empty()) {
      rectangles->insert(rectangles->end(), all->begin(), all->end());
      all = rectangles;
    }
  }
  region->rectangles = all->data();
  region->rectangle_count = all->size();
  return roi.content != nullptr || mode == GstCudaCannyRoiMode::kMeta;
}
