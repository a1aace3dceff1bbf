// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of pixel layouts, and the checks of a frame.
#include "canny/frame.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "canny/batch.h"
#include "canny/try.h"

namespace canny {
namespace {

// Floats of `samples` colors in each pixel of `planes` planes.
constexpr PixelLayout floats(SampleType type, int samples, int planes = 1) {
  PixelLayout pixel = {};
  pixel.type = type;
  pixel.bytes = samples * pixel.sample_bytes();
  if (samples > 1) pixel.g = 8 * pixel.sample_bytes(), pixel.b = 2 * pixel.g;
  pixel.edge = type == SampleType::kFloat32   ? 0x3f800000
               : type == SampleType::kFloat16 ? 0x3c00
                                              : 0x3f80;  // 1
  pixel.planes = planes;
  pixel.bits = 16;
  return pixel;
}

// In the order of PixelFormat.
constexpr PixelLayout kLayouts[] = {
    {1, 0, 0, 0, 0xff},                                                           // kGray8
    {3, 0, 1, 2, 0xffffff},                                                       // kRgb
    {3, 2, 1, 0, 0xffffff},                                                       // kBgr
    {4, 0, 1, 2, 0xffffffff, 0xff000000},                                         // kRgbx
    {4, 2, 1, 0, 0xffffffff, 0xff000000},                                         // kBgrx
    {4, 1, 2, 3, 0xffffffff, 0x000000ff},                                         // kXrgb
    {4, 3, 2, 1, 0xffffffff, 0x000000ff},                                         // kXbgr
    {2, 0, 0, 0, 0x80ff, 0x8000, 0, 0, 1, true, 1, 1},                            // kYuy2
    {2, 1, 1, 1, 0xff80, 0x0080, 8, 0, 1, true, 0, 0},                            // kUyvy
    {4, 1, 1, 1, 0x8080ffff, 0x808000ff, 0, 0, 1, true, 2, 3},                    // kAyuv
    {4, 2, 2, 2, 0xffff8080, 0xff008080, 0, 0, 1, true, 1, 0},                    // kVuya
    {2, 11, 5, 0, 0xffff, 0, 0, 6},                                               // kRgb16
    {2, 0, 5, 11, 0xffff, 0, 0, 6},                                               // kBgr16
    {2, 10, 5, 0, 0x7fff, 0, 0, 5},                                               // kRgb15
    {2, 0, 5, 10, 0x7fff, 0, 0, 5},                                               // kBgr15
    {1, 0, 0, 0, 0xff, 0, 0, 0, 3},                                               // kRgbPlanes
    {2, 0, 0, 0, 0xffff, 0, 8, 0, 1, true, -1, -1, 16},                           // kGray16Le
    {2, 0, 0, 0, 0, 0, 0, 0, 1, false, -1, -1, 16, true},                         // kGray16Be
    {2, 0, 0, 0, 0, 0, 2, 0, 1, false, -1, -1, 10},                               // kGray10Le
    {2, 0, 0, 0, 0, 0, 4, 0, 1, false, -1, -1, 12},                               // kGray12Le
    {4, 0, 0, 0, 0, 0, 0, 0, 1, false, -1, -1, 16},                               // kY210Le
    {4, 10, 10, 10, 0, 0, 0, 0, 1, false, -1, -1, 10},                            // kY410Le
    {kV210Bytes, 0, 0, 0, 0, 0, 0, 0, 1, false, -1, -1, 10, false, kV210Pixels},  // kV210
    {4, 0, 10, 20, 0, 0, 0, 0, 1, false, -1, -1, 10},                             // kRgb10a2Le
    {4, 20, 10, 0, 0, 0, 0, 0, 1, false, -1, -1, 10},                             // kBgr10a2Le
    {8, 0, 16, 32, 0, 0, 0, 0, 1, false, -1, -1, 16},                             // kRgbx64Le
    {8, 16, 32, 48, 0, 0, 0, 0, 1, false, -1, -1, 16},                            // kXrgb64Le
    floats(SampleType::kFloat32, 1),                                              // kGrayF32
    floats(SampleType::kFloat16, 1),                                              // kGrayF16
    floats(SampleType::kBfloat16, 1),                                             // kGrayBf16
    floats(SampleType::kFloat32, 3),                                              // kRgbF32
    floats(SampleType::kFloat16, 3),                                              // kRgbF16
    floats(SampleType::kBfloat16, 3),                                             // kRgbBf16
    floats(SampleType::kFloat32, 1, 3),                                           // kRgbPlanesF32
    floats(SampleType::kFloat16, 1, 3),                                           // kRgbPlanesF16
    floats(SampleType::kBfloat16, 1, 3),                                          // kRgbPlanesBf16
};
constexpr int kFormats = std::size(kLayouts);
static_assert(kFormats == static_cast<int>(PixelFormat::kRgbPlanesBf16) + 1);

bool is_known(PixelFormat format) {
  return static_cast<int>(format) >= 0 && static_cast<int>(format) < kFormats;
}

// The limit of CUDA's copies. A product with a height is far from overflow in 64 bits.
constexpr std::int64_t kMaxStrideBytes = (std::int64_t{1} << 31) - 1;

// Rules of single frames and of batches.
constexpr const char kOverlapsInput[] = "overlaps the input frame";
constexpr const char kOverlapsMask[] = "overlaps the mask of the input's region";
constexpr const char kOverlapInBatch[] = "pictures of its batch overlap";

// The frame, and maybe the plane, that a message names.
struct Subject {
  const char* frame;
  const char* plane = "";
};

Status invalid(const Subject& subject, const std::string& rule) {
  return {StatusCode::kInvalidFrame,
          std::string(subject.frame) + " frame" + subject.plane + ": " + rule};
}

template <class Byte>
std::uintptr_t address(const Byte* data) {
  return reinterpret_cast<std::uintptr_t>(data);
}

// The bytes from the lowest to the highest byte of the rows.
template <class Byte>
std::int64_t extent(const BasicFrame<Byte>& frame) {
  return std::int64_t{std::abs(frame.stride_bytes)} * (frame.height - 1) + row_bytes(frame);
}

template <class Byte>
Status check_rows(const Subject& subject, const BasicFrame<Byte>& frame) {
  if (frame.data == nullptr) return invalid(subject, "data is null");
  if (frame.stride_bytes > kMaxStrideBytes || frame.stride_bytes < -kMaxStrideBytes) {
    return invalid(subject, "stride_bytes " + std::to_string(frame.stride_bytes) + " is beyond +-" +
                                std::to_string(kMaxStrideBytes));
  }
  if (std::abs(frame.stride_bytes) < row_bytes(frame)) {
    return invalid(subject, "stride_bytes " + std::to_string(frame.stride_bytes) +
                                " is shorter than a row of " + std::to_string(row_bytes(frame)) +
                                " bytes");
  }
  if (extent(frame) > std::int64_t{PTRDIFF_MAX}) {
    return invalid(subject, "its rows cover " + std::to_string(extent(frame)) +
                                " bytes, more than " + std::to_string(PTRDIFF_MAX));
  }
  return {};
}

template <class Byte>
Status check_chroma(const char* which, const BasicFrame<Byte>& frame) {
  const BasicChroma<Byte>& chroma = frame.chroma;
  const auto is_shift = [](int shift) { return shift >= 0 && shift <= kMaxChromaShift; };
  if (!is_shift(chroma.shift_x) || !is_shift(chroma.shift_y))
    return invalid({which}, "shift_x or shift_y of its chroma is outside 0.." +
                                std::to_string(kMaxChromaShift));
  if (chroma.step_bytes != 1 && chroma.step_bytes != 2) {
    return invalid({which}, "step_bytes " + std::to_string(chroma.step_bytes) +
                                " of its chroma is not 1 or 2");
  }
  if (chroma.v.data == nullptr) return invalid({which, ", V plane"}, "data is null");
  if (chroma.step_bytes == 2) {
    const std::uintptr_t u = address(chroma.u.data), v = address(chroma.v.data);
    if ((u + 1 != v && v + 1 != u) || chroma.u.stride_bytes != chroma.v.stride_bytes)
      return invalid({which}, "U and V of step_bytes 2 are not next to each other");
    return check_rows({which, ", chroma plane"}, chroma_plane(frame, 0));
  }
  CANNY_TRY(check_rows({which, ", U plane"}, chroma_plane(frame, 0)));
  return check_rows({which, ", V plane"}, chroma_plane(frame, 1));
}

template <class Byte>
Status check_frame(const char* which, const BasicFrame<Byte>& frame, int width, int height) {
  if (!is_known(frame.format)) return invalid({which}, "unknown pixel format");
  if (frame.memory != Memory::kHost && frame.memory != Memory::kDevice)
    return invalid({which}, "unknown memory");
  if (frame.width != width || frame.height != height) {
    return invalid({which}, "size " + std::to_string(frame.width) + "x" +
                                std::to_string(frame.height) + " differs from the detector's " +
                                std::to_string(width) + "x" + std::to_string(height));
  }
  constexpr const char* kColors[] = {", red plane", ", green plane", ", blue plane"};
  const int planes = layout(frame.format).planes;
  for (int i = 0; i < planes; ++i)
    CANNY_TRY(check_rows({which, planes == 1 ? "" : kColors[i]}, plane(frame, i)));
  return has_chroma(frame) ? check_chroma(which, frame) : Status();
}

// Whether two planes overlap. Rows may interleave (two fields of one buffer): planes of equal pitch
// may share memory if their rows lie in disjoint columns.
template <class Byte>
bool overlap(const BasicFrame<Byte>& one, const Frame& output) {
  const std::ptrdiff_t pitch = std::abs(one.stride_bytes);
  const std::uintptr_t in = address(lowest_row(one)), out = address(lowest_row(output));
  // Not beyond the end of memory: check_rows() has seen both.
  const auto in_bytes = static_cast<std::uintptr_t>(extent(one));
  const auto out_bytes = static_cast<std::uintptr_t>(extent(output));
  if (in + in_bytes <= out || out + out_bytes <= in) return false;
  if (std::abs(output.stride_bytes) != pitch) return true;
  const std::uintptr_t column = (in < out ? out - in : in - out) % pitch;
  const std::uintptr_t first = in < out ? row_bytes(one) : row_bytes(output);
  const std::uintptr_t second = in < out ? row_bytes(output) : row_bytes(one);
  return column < first || column + second > static_cast<std::uintptr_t>(pitch);
}

Status check_fills(const Frame& output) {
  if (output.fills == nullptr && output.fill_count > 0)
    return invalid({"output"},
                   "fills is null, but fill_count is " + std::to_string(output.fill_count));
  for (std::size_t i = 0; i < output.fill_count; ++i) {
    const Fill& fill = output.fills[i];
    if (fill.row_bytes < 1 || fill.height < 1)
      return invalid({"output", ", fill"}, "size " + std::to_string(fill.row_bytes) + "x" +
                                               std::to_string(fill.height) + " is empty");
    CANNY_TRY(check_rows({"output", ", fill"}, fill_frame(output, i)));
  }
  return {};
}

// What is read or written: the planes of a frame, then the fills of an output.
std::size_t parts_of(const ConstFrame& input) { return plane_count(input); }
ConstFrame part(const ConstFrame& input, std::size_t i) {
  return plane(input, static_cast<int>(i));
}
std::size_t parts_of(const Frame& output) { return plane_count(output) + output.fill_count; }
Frame part(const Frame& output, std::size_t i) {
  const auto planes = static_cast<std::size_t>(plane_count(output));
  return i < planes ? plane(output, static_cast<int>(i)) : fill_frame(output, i - planes);
}

template <class Byte>
bool any_overlap(const BasicFrame<Byte>& one, const Frame& output) {
  for (std::size_t i = 0; i < parts_of(one); ++i)
    for (std::size_t j = 0; j < parts_of(output); ++j)
      if (overlap(part(one, i), part(output, j))) return true;
  return false;
}

Status check_overlap(const ConstFrame& input, const Frame& output) {
  if (any_overlap(input, output)) return invalid({"output"}, kOverlapsInput);
  for (std::size_t i = 0; i < parts_of(output); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(part(output, j), part(output, i)))
        return invalid({"output"}, "its planes overlap");
  return {};
}

Status check_region(const Region& region, const Frame& output) {
  const Subject subject = {"input", ", region"};
  if (region.rectangles == nullptr && region.rectangle_count > 0)
    return invalid(subject, "rectangles is null, but rectangle_count is " +
                                std::to_string(region.rectangle_count));
  if (region.mask.data == nullptr) return {};
  if (region.rectangle_count > 0)
    return invalid(subject, "has rectangles and a mask; use one of them");
  const ConstFrame mask = mask_frame(region, output.width, output.height);
  const Subject of_mask = {"input", ", mask of the region"};
  if (mask.memory != Memory::kHost && mask.memory != Memory::kDevice)
    return invalid(of_mask, "unknown memory");
  CANNY_TRY(check_rows(of_mask, mask));
  return any_overlap(mask, output) ? invalid({"output"}, kOverlapsMask) : Status();
}

// Checks that samples of the input have a place of their own in the output.
Status check_equal_layout(const ConstFrame& input, const Frame& output) {
  if (is_deep(input.format)) {
    return invalid({"input"},
                   "its samples have more than 8 bits; kOverlay and kMasked need 8-bit formats");
  }
  if (input.format != output.format) {
    return invalid(
        {"output"},
        "the pixel format differs from the input's; kOverlay and kMasked need equal ones");
  }
  const auto& in = input.chroma;
  const auto& out = output.chroma;
  const bool is_equal =
      in.step_bytes == out.step_bytes && in.shift_x == out.shift_x && in.shift_y == out.shift_y;
  if (has_chroma(input) == has_chroma(output) && (is_equal || !has_chroma(input))) return {};
  return invalid(
      {"output"},
      "the layout of the chroma differs from the input's; kOverlay and kMasked need equal "
      "step_bytes, shift_x and shift_y, or no chroma");
}

// The bytes that a plane covers, from first to last.
struct Range {
  std::uintptr_t first = std::numeric_limits<std::uintptr_t>::max(), last = 0;

  template <class Byte>
  void add(const BasicFrame<Byte>& rows) {
    const std::uintptr_t lowest = address(lowest_row(rows));
    first = std::min(first, lowest);
    last = std::max(last, lowest + static_cast<std::uintptr_t>(extent(rows)));
  }
  bool overlaps(const Range& other) const { return first < other.last && other.first < last; }
};

template <class Byte>
Range range_of(const BasicFrame<Byte>& frame) {
  Range range;
  for (std::size_t i = 0; i < parts_of(frame); ++i) range.add(part(frame, i));
  return range;
}

// The bytes of all pictures, of which the first one has `range`.
template <class Byte>
Range range_of_all(const BasicFrame<Byte>& frame, Range range) {
  const std::ptrdiff_t last = offset_of_picture(frame, frame.batch.count - 1);
  if (last < 0)
    range.first += last;
  else
    range.last += last;
  return range;
}

// Whether pictures of an output at equal distances overlap: then the first one overlaps another.
bool any_overlap_in_batch(const Frame& output) {
  const Frame first = picture_of(output, 0);
  const Range range = range_of(first);
  for (unsigned i = 1; i < output.batch.count; ++i) {
    const Frame other = picture_of(output, i);
    if (!range_of(other).overlaps(range)) return false;  // nor do those further away
    if (any_overlap(other, first)) return true;
  }
  return false;
}

template <class Byte>
Status check_batch(const char* which, const BasicFrame<Byte>& frame) {
  const BasicBatch<Byte>& batch = frame.batch;
  if (batch.count < 1 || batch.count > kMaxPictures)
    return invalid({which}, "batch.count " + std::to_string(batch.count) + " is outside 1.." +
                                std::to_string(kMaxPictures));
  const std::ptrdiff_t most = PTRDIFF_MAX / static_cast<std::ptrdiff_t>(batch.count);
  if (batch.data == nullptr && batch.count > 1 &&
      (batch.stride_bytes > most || batch.stride_bytes < -most))
    return invalid({which}, "batch.stride_bytes " + std::to_string(batch.stride_bytes) +
                                " is beyond +-" + std::to_string(most));
  if (batch.data == nullptr) return {};
  if (batch.data[0] != frame.data) return invalid({which}, "batch.data[0] is not its data");
  if (std::find(batch.data, batch.data + batch.count, nullptr) == batch.data + batch.count)
    return {};
  return invalid({which}, "an address in batch.data is null");
}

Status check_one(View view, const ConstFrame& input, const Frame& output, int width, int height) {
  CANNY_TRY(check_frame("input", input, width, height));
  CANNY_TRY(check_frame("output", output, width, height));
  CANNY_TRY(check_fills(output));
  if (shows_input(view)) {
    CANNY_TRY(check_equal_layout(input, output));
  }
  if (!is_output(output.format)) return invalid({"output"}, "the pixel format is for input only");
  CANNY_TRY(check_overlap(input, output));
  return input.region == nullptr ? Status() : check_region(*input.region, output);
}

}  // namespace

bool has_colors(PixelFormat format) {
  return is_known(format) && (layout(format).planes == 3 || layout(format).r != layout(format).g);
}

const PixelLayout& layout(PixelFormat format) { return kLayouts[static_cast<int>(format)]; }

bool is_blue_first(const PixelLayout& pixel) {
  const bool have_own_bytes = pixel.planes == 1 && pixel.green_bits == 0 && pixel.bits % 8 == 0;
  return have_own_bytes && pixel.b < pixel.r;
}

PixelLayout in_order_of_channels(PixelLayout pixel) {
  if (is_blue_first(pixel)) std::swap(pixel.r, pixel.b);
  return pixel;
}

bool is_deep(PixelFormat format) { return is_known(format) && layout(format).bits > 8; }

PixelFormat format_of_plane(PixelFormat format) {
  // In the order of SampleType.
  constexpr PixelFormat kGray[] = {PixelFormat::kGray8, PixelFormat::kGrayF32,
                                   PixelFormat::kGrayF16, PixelFormat::kGrayBf16};
  static_assert(std::size(kGray) == static_cast<std::size_t>(SampleType::kBfloat16) + 1);
  return kGray[static_cast<int>(layout(format).type)];
}

bool is_output(PixelFormat format) { return is_known(format) && layout(format).is_output; }

int row_bytes(PixelFormat format, int width) noexcept {
  if (!is_known(format) || width < 1) return 0;
  const PixelLayout& pixel = layout(format);
  const std::int64_t groups = (std::int64_t{width} + pixel.group - 1) / pixel.group;
  const std::int64_t bytes = groups * pixel.bytes;
  return bytes <= std::numeric_limits<int>::max() ? static_cast<int>(bytes) : 0;
}

int bytes_per_pixel(PixelFormat format) noexcept {
  return is_known(format) && layout(format).group == 1 ? layout(format).bytes : 0;
}

int planes(PixelFormat format) noexcept { return is_known(format) ? layout(format).planes : 0; }

void fill_rows(const Frame& plane, std::uint8_t value) {
  for (int y = 0; y < plane.height; ++y)
    std::memset(plane.data + y * plane.stride_bytes, value, row_bytes(plane));
}

Status check_size(int width, int height) {
  if (width >= 1 && width <= kMaxSide && height >= 1 && height <= kMaxSide) return {};
  return {StatusCode::kInvalidSize, "size " + std::to_string(width) + "x" + std::to_string(height) +
                                        " is outside 1x1.." + std::to_string(kMaxSide) + "x" +
                                        std::to_string(kMaxSide)};
}

Status check_edge_map(const ConstFrame& edges) {
  CANNY_TRY(check_size(edges.width, edges.height));
  if (edges.format != PixelFormat::kGray8)
    return invalid({"edge map"}, "the pixel format is not kGray8");
  if (edges.memory != Memory::kHost) return invalid({"edge map"}, "data is not in host memory");
  return check_rows({"edge map"}, edges);
}

Status FrameChecker::check(View view, const ConstFrame& input, const Frame& output, int width,
                           int height) {
  CANNY_TRY(check_batch("input", input));
  CANNY_TRY(check_batch("output", output));
  if (input.batch.count != output.batch.count)
    return invalid({"output"}, "batch.count " + std::to_string(output.batch.count) +
                                   " differs from the input's " +
                                   std::to_string(input.batch.count));
  CANNY_TRY(check_one(view, picture_of(input, 0), picture_of(output, 0), width, height));
  return input.batch.count > 1 ? check_pictures(input, output) : Status();
}

Status FrameChecker::check_pictures(const ConstFrame& input, const Frame& output) {
  const unsigned count = input.batch.count;
  const auto mask_of = [&](unsigned i) {
    return mask_frame(input.region[i], output.width, output.height);
  };
  extents_.clear();
  const auto add = [&](const Range& range, unsigned picture, Use use) {
    extents_.push_back({range.first, range.last, picture, use});
  };
  const Range all = range_of_all(output, range_of(picture_of(output, 0)));
  for (unsigned i = 0; i < count && input.region != nullptr; ++i) {
    CANNY_TRY(check_region(input.region[i], picture_of(output, i)));
    if (input.region[i].mask.data != nullptr) add(range_of(mask_of(i)), i, Use::kMask);
  }
  const auto is_apart = [&](const Extent& mask) {
    return !Range{mask.first, mask.last}.overlaps(all);
  };
  if (input.batch.data == nullptr && output.batch.data == nullptr &&
      !range_of_all(input, range_of(picture_of(input, 0))).overlaps(all) &&
      std::all_of(extents_.begin(), extents_.end(), is_apart))
    return any_overlap_in_batch(output) ? invalid({"output"}, kOverlapInBatch) : Status();
  for (unsigned i = 0; i < count; ++i) {
    add(range_of(picture_of(input, i)), i, Use::kInput);
    add(range_of(picture_of(output, i)), i, Use::kOutput);
  }
  std::sort(extents_.begin(), extents_.end(),
            [](const Extent& a, const Extent& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    for (std::size_t j = i + 1; j < extents_.size() && extents_[j].first < extents_[i].last; ++j) {
      const bool is_first = extents_[i].use == Use::kOutput;
      const Extent &one = extents_[is_first ? i : j], &other = extents_[is_first ? j : i];
      if (one.use != Use::kOutput) continue;
      const Frame written = picture_of(output, one.picture);
      if (other.use == Use::kOutput && any_overlap(picture_of(output, other.picture), written))
        return invalid({"output"}, kOverlapInBatch);
      if (other.use == Use::kInput && any_overlap(picture_of(input, other.picture), written))
        return invalid({"output"}, kOverlapsInput);
      if (other.use == Use::kMask && any_overlap(mask_of(other.picture), written))
        return invalid({"output"}, kOverlapsMask);
    }
  }
  return {};
}

}  // namespace canny
