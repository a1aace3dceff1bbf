// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads regions of interest: of a text, and of a buffer's metas.
#include "region.h"

#include <gst/video/video.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "detections.h"

// ---- of a text ----

static constexpr std::size_t kMaxRectangles = 65536;
static constexpr gint kMaxMargin = 16384;

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
  std::vector<canny::Rectangle> rectangles;
  std::string_view rest = text;
  bool is_valid = true;
  do {
    if (rectangles.size() == kMaxRectangles)
      return "There are more than " + std::to_string(kMaxRectangles) + " rectangles.";
    is_valid = take_rectangle(&rest, &rectangles.emplace_back());
  } while (is_valid && take(&rest, ';'));
  if (!is_valid || !rest.empty()) {
    return '"' + std::string(text) +
           "\" is not a list of rectangles. Write x,y,w,h in pixels, with w and h of at least 1, "
           "and ; between two rectangles, such as 0,0,320,240;-8,300,64,48.";
  }
  roi->rectangles = std::make_shared<const std::vector<canny::Rectangle>>(std::move(rectangles));
  return {};
}

std::string gst_cuda_canny_roi_parse(const gchar* text, GstCudaCannyRoiMargin* margin) {
  std::string_view rest = text;
  gint number = 0;
  const bool is_valid = take_integer(&rest, 0, &number) && number <= kMaxMargin;
  const bool is_percent = is_valid && take(&rest, '%');
  if (!is_valid || !rest.empty()) {
    return '"' + std::string(text) + "\" is not a margin. Write pixels or per cent from 0 to " +
           std::to_string(kMaxMargin) + ", such as 8 or 10%.";
  }
  margin->number = number;
  margin->is_percent = is_percent;
  return {};
}

// ---- of a buffer ----

static int to_position(guint number) { return static_cast<gint32>(number); }

/// Lengths beyond those of an int reach beyond every frame.
static int to_length(guint number) { return static_cast<int>(MIN(number, guint{G_MAXINT})); }

static void read_regions(GstBuffer* buffer, GQuark type,
                         std::vector<canny::Rectangle>* rectangles) {
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<const GstVideoRegionOfInterestMeta*>(meta);
    if (type != 0 && region->roi_type != type) continue;
    rectangles->push_back({to_position(region->x), to_position(region->y), to_length(region->w),
                           to_length(region->h)});
  }
}

/// Widens a box in one direction. All that lies beyond the largest frame may go.
static void widen(const GstCudaCannyRoiMargin& margin, int* begin, int* length) {
  const gint64 more =
      margin.is_percent ? (gint64{*length} * margin.number + 99) / 100 : gint64{margin.number};
  const gint64 end = gint64{*begin} + *length + more;
  constexpr gint64 kMost = canny::kMaxSide;
  *begin = static_cast<int>(CLAMP(*begin - more, -kMost, kMost));
  *length = static_cast<int>(CLAMP(end, -kMost, kMost)) - *begin;
}

static void read_metas(GstBuffer* buffer, const GstCudaCannyRoiSettings& settings,
                       std::vector<canny::Rectangle>* rectangles) {
  const gchar* name = settings.type.text();
  const GQuark type = g_quark_try_string(name);  // 0 for null
  if (name != nullptr && type == 0) return;      // no meta can have it
  read_regions(buffer, type, rectangles);
  gst_cuda_canny_detections_read(buffer, type, static_cast<gfloat>(settings.min_confidence),
                                 rectangles);
  for (canny::Rectangle& each : *rectangles) {
    if (settings.margin.number == 0 || each.width < 1 || each.height < 1) continue;
    widen(settings.margin, &each.x, &each.width);
    widen(settings.margin, &each.y, &each.height);
  }
}

bool gst_cuda_canny_region_read(GstBuffer* buffer, const GstCudaCannyRoiSettings& settings,
                                std::vector<canny::Rectangle>* rectangles, canny::Region* region) {
  rectangles->clear();
  if (settings.mode == GstCudaCannyRoiMode::kMeta) read_metas(buffer, settings, rectangles);
  const std::vector<canny::Rectangle>* all = rectangles;
  if (settings.roi.rectangles != nullptr) {
    all = settings.roi.rectangles.get();
    if (!rectangles->empty()) {
      rectangles->insert(rectangles->end(), all->begin(), all->end());
      all = rectangles;
    }
  }
  region->rectangles = all->data();
  region->rectangle_count = all->size();
  return settings.roi.rectangles != nullptr || settings.mode == GstCudaCannyRoiMode::kMeta;
}
