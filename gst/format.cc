// SPDX-License-Identifier: LGPL-2.1-or-later
/// The table of pixel formats, and the caps made from it.
#include "format.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "device.h"

namespace {

/// Whether GStreamer's CUDA allocator supports a format. It ends the process for others.
enum class Cuda { kNo, kYes };
#if GST_CHECK_VERSION(1, 26, 0)
constexpr Cuda kSince126 = Cuda::kYes;
#else
constexpr Cuda kSince126 = Cuda::kNo;
#endif

/// A video format. `pixels` describes the colors, or the plane that holds the luma. Deep formats,
/// those of more than 8 bits, have a `sibling` of 8 bits: the format of their output if downstream
/// accepts it. The detector does not have those that are unpacked and, except GRAY16_LE, does not
/// write deep ones.
struct Format {
  GstVideoFormat video;
  canny::PixelFormat pixels;
  Cuda cuda;
  GstVideoFormat sibling = GST_VIDEO_FORMAT_UNKNOWN;
  bool is_unpacked = false;

  bool is_of(GstPadDirection pad, canny::Memory memory) const {
    return memory == canny::Memory::kHost || (cuda == Cuda::kYes && is_direct(pad));
  }
  /// Whether the detector reads, or writes, its frames.
  bool is_direct(GstPadDirection pad) const {
    if (is_unpacked) return false;
    return pad == GST_PAD_SINK || !is_deep() || video == GST_VIDEO_FORMAT_GRAY16_LE;
  }
  bool is_deep() const { return sibling != GST_VIDEO_FORMAT_UNKNOWN; }
};

// GStreamer's 16-bit words have the machine's byte order, the detector's are little-endian.
static_assert(G_BYTE_ORDER == G_LITTLE_ENDIAN);

/// All formats, in order of preference for a neighbor that leaves the choice.
constexpr Format kFormats[] = {
    {GST_VIDEO_FORMAT_RGB, canny::PixelFormat::kRgb, Cuda::kYes},
    {GST_VIDEO_FORMAT_BGR, canny::PixelFormat::kBgr, Cuda::kYes},
    {GST_VIDEO_FORMAT_RGBx, canny::PixelFormat::kRgbx, Cuda::kYes},
    {GST_VIDEO_FORMAT_BGRx, canny::PixelFormat::kBgrx, Cuda::kYes},
    {GST_VIDEO_FORMAT_xRGB, canny::PixelFormat::kXrgb, Cuda::kNo},
    {GST_VIDEO_FORMAT_xBGR, canny::PixelFormat::kXbgr, Cuda::kNo},
    {GST_VIDEO_FORMAT_RGBA, canny::PixelFormat::kRgbx, Cuda::kYes},
    {GST_VIDEO_FORMAT_BGRA, canny::PixelFormat::kBgrx, Cuda::kYes},
    {GST_VIDEO_FORMAT_ARGB, canny::PixelFormat::kXrgb, Cuda::kYes},
    {GST_VIDEO_FORMAT_ABGR, canny::PixelFormat::kXbgr, Cuda::kYes},
    {GST_VIDEO_FORMAT_GRAY8, canny::PixelFormat::kGray8, Cuda::kNo},
    {GST_VIDEO_FORMAT_NV12, canny::PixelFormat::kGray8, Cuda::kYes},
    {GST_VIDEO_FORMAT_NV21, canny::PixelFormat::kGray8, Cuda::kYes},
    {GST_VIDEO_FORMAT_I420, canny::PixelFormat::kGray8, Cuda::kYes},
    {GST_VIDEO_FORMAT_YV12, canny::PixelFormat::kGray8, Cuda::kYes},
    {GST_VIDEO_FORMAT_Y42B, canny::PixelFormat::kGray8, Cuda::kYes},
    {GST_VIDEO_FORMAT_Y444, canny::PixelFormat::kGray8, Cuda::kYes},
    {GST_VIDEO_FORMAT_YUY2, canny::PixelFormat::kYuy2, Cuda::kYes},
    {GST_VIDEO_FORMAT_UYVY, canny::PixelFormat::kUyvy, Cuda::kYes},
    {GST_VIDEO_FORMAT_NV16, canny::PixelFormat::kGray8, Cuda::kNo},
    {GST_VIDEO_FORMAT_NV61, canny::PixelFormat::kGray8, Cuda::kNo},
    {GST_VIDEO_FORMAT_NV24, canny::PixelFormat::kGray8, Cuda::kNo},
    {GST_VIDEO_FORMAT_Y41B, canny::PixelFormat::kGray8, Cuda::kNo},
    {GST_VIDEO_FORMAT_YVYU, canny::PixelFormat::kYuy2, Cuda::kNo},
    {GST_VIDEO_FORMAT_VYUY, canny::PixelFormat::kUyvy, Cuda::kNo},
    {GST_VIDEO_FORMAT_AYUV, canny::PixelFormat::kAyuv, Cuda::kNo},
    {GST_VIDEO_FORMAT_VUYA, canny::PixelFormat::kVuya, Cuda::kNo},
    {GST_VIDEO_FORMAT_GBR, canny::PixelFormat::kRgbPlanes, Cuda::kYes},
    {GST_VIDEO_FORMAT_GBRA, canny::PixelFormat::kRgbPlanes, Cuda::kYes},
    {GST_VIDEO_FORMAT_RGBP, canny::PixelFormat::kRgbPlanes, Cuda::kYes},
    {GST_VIDEO_FORMAT_BGRP, canny::PixelFormat::kRgbPlanes, Cuda::kYes},
    {GST_VIDEO_FORMAT_RGB16, canny::PixelFormat::kRgb16, Cuda::kNo},
    {GST_VIDEO_FORMAT_BGR16, canny::PixelFormat::kBgr16, Cuda::kNo},
    {GST_VIDEO_FORMAT_RGB15, canny::PixelFormat::kRgb15, Cuda::kNo},
    {GST_VIDEO_FORMAT_BGR15, canny::PixelFormat::kBgr15, Cuda::kNo},
    {GST_VIDEO_FORMAT_P010_10LE, canny::PixelFormat::kGray16Le, Cuda::kYes, GST_VIDEO_FORMAT_NV12},
    {GST_VIDEO_FORMAT_I420_10LE, canny::PixelFormat::kGray10Le, Cuda::kYes, GST_VIDEO_FORMAT_I420},
    {GST_VIDEO_FORMAT_GRAY16_LE, canny::PixelFormat::kGray16Le, Cuda::kNo, GST_VIDEO_FORMAT_GRAY8},
    {GST_VIDEO_FORMAT_GRAY16_BE, canny::PixelFormat::kGray16Be, Cuda::kNo, GST_VIDEO_FORMAT_GRAY8},
    {GST_VIDEO_FORMAT_P012_LE, canny::PixelFormat::kGray16Le, kSince126, GST_VIDEO_FORMAT_NV12},
    {GST_VIDEO_FORMAT_P016_LE, canny::PixelFormat::kGray16Le, Cuda::kYes, GST_VIDEO_FORMAT_NV12},
    {GST_VIDEO_FORMAT_I420_12LE, canny::PixelFormat::kGray12Le, kSince126, GST_VIDEO_FORMAT_I420},
    {GST_VIDEO_FORMAT_I422_10LE, canny::PixelFormat::kGray10Le, Cuda::kYes, GST_VIDEO_FORMAT_Y42B},
    {GST_VIDEO_FORMAT_I422_12LE, canny::PixelFormat::kGray12Le, Cuda::kYes, GST_VIDEO_FORMAT_Y42B},
    {GST_VIDEO_FORMAT_Y444_10LE, canny::PixelFormat::kGray10Le, kSince126, GST_VIDEO_FORMAT_Y444},
    {GST_VIDEO_FORMAT_Y444_12LE, canny::PixelFormat::kGray12Le, kSince126, GST_VIDEO_FORMAT_Y444},
    {GST_VIDEO_FORMAT_Y444_16LE, canny::PixelFormat::kGray16Le, Cuda::kYes, GST_VIDEO_FORMAT_Y444},
    {GST_VIDEO_FORMAT_Y210, canny::PixelFormat::kY210Le, Cuda::kNo, GST_VIDEO_FORMAT_YUY2},
    {GST_VIDEO_FORMAT_v210, canny::PixelFormat::kV210, Cuda::kNo, GST_VIDEO_FORMAT_UYVY},
    {GST_VIDEO_FORMAT_Y410, canny::PixelFormat::kY410Le, Cuda::kNo, GST_VIDEO_FORMAT_VUYA},
    {GST_VIDEO_FORMAT_RGB10A2_LE, canny::PixelFormat::kRgb10a2Le, Cuda::kYes,
     GST_VIDEO_FORMAT_RGBA},
    {GST_VIDEO_FORMAT_BGR10A2_LE, canny::PixelFormat::kBgr10a2Le, Cuda::kYes,
     GST_VIDEO_FORMAT_BGRA},
    {GST_VIDEO_FORMAT_RGBA64_LE, canny::PixelFormat::kRgbx64Le, Cuda::kNo, GST_VIDEO_FORMAT_RGBA},
    {GST_VIDEO_FORMAT_ARGB64, canny::PixelFormat::kXrgb64Le, Cuda::kNo, GST_VIDEO_FORMAT_ARGB},
};

/// The formats in which the detector reads and writes pictures that GStreamer unpacks to
/// `unpacked`, and the sibling of those that are deep.
struct StandIn {
  GstVideoFormat unpacked, input, output, sibling;
};
constexpr StandIn kStandIns[] = {
    {GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_UNKNOWN},
    {GST_VIDEO_FORMAT_AYUV, GST_VIDEO_FORMAT_AYUV, GST_VIDEO_FORMAT_AYUV, GST_VIDEO_FORMAT_UNKNOWN},
    {GST_VIDEO_FORMAT_ARGB64, GST_VIDEO_FORMAT_ARGB64, GST_VIDEO_FORMAT_ARGB,
     GST_VIDEO_FORMAT_ARGB},
    {GST_VIDEO_FORMAT_AYUV64, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_GRAY16_LE,
     GST_VIDEO_FORMAT_AYUV},
};

/// Null if the pictures can't be unpacked and packed row by row.
const StandIn* find_stand_in(const GstVideoFormatInfo* info) {
  if (info->unpack_func == nullptr || info->pack_func == nullptr || info->pack_lines != 1)
    return nullptr;
  for (const StandIn& stand_in : kStandIns) {
    if (stand_in.unpacked == info->unpack_format) return &stand_in;
  }
  return nullptr;
}

/// kFormats, and the others of this release of GStreamer in the order of their numbers.
std::vector<Format> list_formats() {
  std::vector<Format> formats(std::begin(kFormats), std::end(kFormats));
  guint count = 0;
  const GstVideoFormat* raw = gst_video_formats_raw(&count);
  std::vector<GstVideoFormat> rest(raw, raw + count);
  std::sort(rest.begin(), rest.end());
  for (const GstVideoFormat video : rest) {
    const auto is_video = [video](const Format& format) { return format.video == video; };
    const GstVideoFormatInfo* info = gst_video_format_get_info(video);
    const StandIn* stand_in = find_stand_in(info);
    if (stand_in == nullptr || std::any_of(std::begin(kFormats), std::end(kFormats), is_video))
      continue;
    const bool is_deep = stand_in->sibling != GST_VIDEO_FORMAT_UNKNOWN;
    const bool is_gray = GST_VIDEO_FORMAT_INFO_IS_GRAY(info);
    formats.push_back({video, canny::PixelFormat::kGray8, Cuda::kNo,
                       is_deep && is_gray ? GST_VIDEO_FORMAT_GRAY8 : stand_in->sibling, true});
  }
  return formats;
}

const std::vector<Format>& all_formats() {
  static const std::vector<Format> formats = list_formats();
  return formats;
}

const Format* find(GstVideoFormat video) {
  for (const Format& format : all_formats()) {
    if (format.video == video) return &format;
  }
  return nullptr;
}

bool is_device(const GstCaps* caps, guint index) {
  return gst_caps_features_contains(gst_caps_get_features(caps, index), kCudaMemory);
}

/// The feature of frames in that memory (transfer full), null for none.
GstCapsFeatures* features_of(canny::Memory memory) {
  return memory == canny::Memory::kDevice ? gst_caps_features_new_single(kCudaMemory) : nullptr;
}

/// Caps (transfer full) of the formats of a pad in that memory, without deep ones if
/// `keeps_format`: those that the detector has, those that it lacks, or one after the other.
GstCaps* caps_of_formats(GstPadDirection pad, canny::Memory memory, bool keeps_format,
                         std::initializer_list<bool> are_direct, GstCapsFeatures* features) {
  std::vector<GstVideoFormat> formats;
  for (const bool is_direct : are_direct) {
    for (const Format& format : all_formats()) {
      if (format.is_of(pad, memory) && format.is_direct(pad) == is_direct &&
          !(keeps_format && format.is_deep()))
        formats.push_back(format.video);
    }
  }
  return gst_video_make_raw_caps_with_features(formats.data(), guint(formats.size()), features);
}

/// Restricts `*caps` to those that `wanted` allows, if any; false otherwise.
bool narrow(GstCaps** caps, GstCaps* wanted) {
  g_autoptr(GstCaps) both = gst_caps_intersect_full(*caps, wanted, GST_CAPS_INTERSECT_FIRST);
  if (gst_caps_is_empty(both)) return false;
  gst_caps_replace(caps, both);
  return true;
}

/// Restricts `*caps` to structures whose `field` may be `value`, if any; false otherwise.
bool narrow(GstCaps** caps, const char* field, const char* value) {
  g_autoptr(GstCaps) wanted =
      gst_caps_new_simple("video/x-raw", field, G_TYPE_STRING, value, static_cast<void*>(nullptr));
  gst_caps_set_features(wanted, 0, gst_caps_features_new_any());
  return narrow(caps, wanted);
}

/// Restricts `*caps` to those in that memory, if there are any.
void narrow_memory(canny::Memory memory, GstCaps** caps) {
  g_autoptr(GstCaps) wanted = gst_caps_new_empty_simple("video/x-raw");
  gst_caps_set_features(wanted, 0, features_of(memory));
  narrow(caps, wanted);
}

/// The format that fixating the first structure of `caps` gives.
std::string first_format(const GstCaps* caps) {
  g_autoptr(GstStructure) structure = gst_structure_copy(gst_caps_get_structure(caps, 0));
  gst_structure_fixate_field(structure, "format");
  return gst_structure_get_string(structure, "format");
}

/// Restricts `*outputs` to the input's format or, if that is deep, its sibling; else to GRAY8; else
/// to the first format that the detector writes; else to the first format.
GstVideoFormat narrow_format(GstVideoFormat in, GstCaps** outputs) {
  const Format* format = find(in);
  const bool is_deep = format != nullptr && format->is_deep();
  const char* best = gst_video_format_to_string(is_deep ? format->sibling : in);
  if (!narrow(outputs, "format", best) && !narrow(outputs, "format", "GRAY8")) {
    g_autoptr(GstCaps) direct = caps_of_formats(GST_PAD_SRC, canny::Memory::kHost, false, {true},
                                                gst_caps_features_new_any());
    narrow(outputs, direct);
    narrow(outputs, "format", first_format(*outputs).c_str());
  }
  return gst_video_format_from_string(
      gst_structure_get_string(gst_caps_get_structure(*outputs, 0), "format"));
}

/// RGB, YUV or gray.
GstVideoFormatFlags family(GstVideoFormat format) {
  constexpr auto kFamilies = static_cast<GstVideoFormatFlags>(
      GST_VIDEO_FORMAT_FLAG_RGB | GST_VIDEO_FORMAT_FLAG_YUV | GST_VIDEO_FORMAT_FLAG_GRAY);
  return static_cast<GstVideoFormatFlags>(gst_video_format_get_info(format)->flags & kFamilies);
}

void narrow_to_default_colorimetry(GstVideoFormat format, GstCaps** outputs) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, 1, 1);
  g_autofree gchar* colorimetry = gst_video_colorimetry_to_string(&info.colorimetry);
  narrow(outputs, "colorimetry", colorimetry);
}

/// Restricts `*outputs` to the input's colorimetry (null if it has none) within a family;
/// otherwise, if downstream constrains it, to the output format's default.
void narrow_colorimetry(GstVideoFormat in, const char* colorimetry, GstVideoFormat out,
                        GstCaps** outputs) {
  if (colorimetry != nullptr && family(in) == family(out) &&
      narrow(outputs, "colorimetry", colorimetry)) {
    return;
  }
  if (gst_structure_has_field(gst_caps_get_structure(*outputs, 0), "colorimetry")) {
    narrow_to_default_colorimetry(out, outputs);
  }
}

/// Fixates fields that the input lacks to their defaults: square pixels, progressive.
void fixate_defaults(GstStructure* structure) {
  if (gst_structure_has_field(structure, "pixel-aspect-ratio")) {
    gst_structure_fixate_field_nearest_fraction(structure, "pixel-aspect-ratio", 1, 1);
  }
  if (gst_structure_has_field(structure, "interlace-mode")) {
    gst_structure_fixate_field_string(structure, "interlace-mode", "progressive");
  }
}

}  // namespace

canny::PixelFormat gst_cuda_canny_format_pixels(GstVideoFormat video) {
  const Format* format = find(video);
  g_return_val_if_fail(format != nullptr, canny::PixelFormat::kGray8);
  return format->pixels;
}

GstVideoFormat gst_cuda_canny_format_of_detector(GstVideoFormat video, GstPadDirection pad) {
  const Format* format = find(video);
  g_return_val_if_fail(format != nullptr, video);
  if (format->is_direct(pad)) return video;
  const StandIn* stand_in = find_stand_in(gst_video_format_get_info(video));
  g_return_val_if_fail(stand_in != nullptr, video);
  return pad == GST_PAD_SINK ? stand_in->input : stand_in->output;
}

bool gst_cuda_canny_format_can_keep(GstVideoFormat input, GstVideoFormat output) {
  const Format* format = find(input);
  return input == output && format != nullptr && !format->is_deep();
}

canny::Memory gst_cuda_canny_format_memory(const GstCaps* caps) {
  return is_device(caps, 0) ? canny::Memory::kDevice : canny::Memory::kHost;
}

const char* gst_cuda_canny_format_missing_field(const GstCaps* caps) {
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  for (const auto& [field, type] :
       {std::pair{"format", G_TYPE_STRING}, {"width", G_TYPE_INT}, {"height", G_TYPE_INT}}) {
    if (!gst_structure_has_field_typed(structure, field, type)) return field;
  }
  return nullptr;
}

const char* gst_cuda_canny_format_memory_name(canny::Memory memory) {
  return memory == canny::Memory::kDevice ? "CUDA" : "system";
}

bool GstCudaCannyStream::set(const GstCaps* caps) {
  if (caps == nullptr) {
    *this = GstCudaCannyStream();
    return true;
  }
  memory = gst_cuda_canny_format_memory(caps);
  return gst_video_info_from_caps(&info, caps);
}

GstCaps* gst_cuda_canny_format_template_caps(GstPadDirection pad, bool keeps_format) {
  GstCaps* caps = gst_caps_new_empty();
  for (const canny::Memory memory : {canny::Memory::kDevice, canny::Memory::kHost}) {
    if (memory == canny::Memory::kDevice && !gst_cuda_canny_device_is_built()) continue;
    gst_caps_append(caps,
                    caps_of_formats(pad, memory, keeps_format, {true, false}, features_of(memory)));
  }
  gst_caps_set_simple(caps, "width", GST_TYPE_INT_RANGE, 1, canny::kMaxSide, "height",
                      GST_TYPE_INT_RANGE, 1, canny::kMaxSide, nullptr);
  return caps;
}

GstCaps* gst_cuda_canny_format_transform_caps(GstPadDirection direction, const GstCaps* caps,
                                              bool with_device, bool keeps_format) {
  const GstPadDirection other = direction == GST_PAD_SINK ? GST_PAD_SRC : GST_PAD_SINK;
  g_autoptr(GstCaps) others = gst_caps_new_empty();
  // Own format and memory, own memory, the other memory.
  for (const int step : {0, 1, 2}) {
    for (guint i = 0; i < gst_caps_get_size(caps); i++) {
      const bool on_device = is_device(caps, i) == (step < 2);
      if (!with_device && (is_device(caps, i) || on_device)) continue;
      GstStructure* structure = gst_structure_copy(gst_caps_get_structure(caps, i));
      if (!keeps_format)
        gst_structure_remove_fields(structure, "colorimetry", "chroma-site",
                                    step > 0 ? "format" : nullptr, nullptr);
      others = gst_caps_merge_structure_full(
          others, structure,
          features_of(on_device ? canny::Memory::kDevice : canny::Memory::kHost));
    }
  }
  g_autoptr(GstCaps) possible = gst_cuda_canny_format_template_caps(other, keeps_format);
  return gst_caps_intersect_full(others, possible, GST_CAPS_INTERSECT_FIRST);
}

GstCaps* gst_cuda_canny_format_fixate_caps(const GstCaps* input, GstCaps* outputs) {
  if (gst_caps_is_empty(outputs)) return outputs;
  const GstStructure* in = gst_caps_get_structure(input, 0);
  GstVideoFormat own = gst_video_format_from_string(gst_structure_get_string(in, "format"));
  narrow_memory(gst_cuda_canny_format_memory(input), &outputs);
  GstVideoFormat out = narrow_format(own, &outputs);
  narrow_colorimetry(own, gst_structure_get_string(in, "colorimetry"), out, &outputs);
  outputs = gst_caps_make_writable(gst_caps_truncate(outputs));
  fixate_defaults(gst_caps_get_structure(outputs, 0));
  return gst_caps_fixate(outputs);
}
