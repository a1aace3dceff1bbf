// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests random metas against a model of the buffer: right frames where every row lies inside it,
/// errors elsewhere.
#include <algorithm>
#include <climits>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>

#include "hostile.h"
#include "reference/random.h"
#include "reference/reference.h"
#include "shapedpool.h"

using check::Element;
using check::Format;
using check::Layout;
using hostile::Edges;
using paged::Block;
using reference::Random;

static check::Suite suite("hostile_metas");

static constexpr int kWidth = 9;
static constexpr int kHeight = 5;
static constexpr gsize kSize = 700;

/// A number near one of these. It may wrap.
static gsize near_any(std::initializer_list<gsize> numbers, int range, Random& random) {
  const gsize number = numbers.begin()[random.between(0, int(numbers.size()) - 1)];
  return number + gsize(random.between(-range, range));
}

static gsize any_offset(Random& random) {
  switch (random.between(0, 9)) {
    case 0:
      return near_any({0, kSize}, 2, random);
    case 1:
      return near_any({INT_MAX, G_MAXINT64, gsize{1} << 32, G_MAXSIZE}, 70, random);
    default:
      return gsize(random.between(0, int(kSize)));
  }
}

static gint any_stride(int row, Random& random) {
  const int sign = random.between(0, 2) == 0 ? -1 : 1;
  switch (random.between(0, 9)) {
    case 0:
      return random.between(1 - row, row - 1);
    case 1:
      return random.between(0, 1) ? INT_MAX - random.between(0, 2) : INT_MIN + random.between(0, 2);
    case 2:
      return sign * random.between(row, int(kSize));
    default:
      return sign * (row + random.between(0, 12));
  }
}

/// Spoils a part of the meta that is not rows, sometimes. Returns whether it did.
static bool spoil(GstVideoMeta* meta, Random& random) {
  const int numbers[] = {-2, -1, 0, 1, 500, INT_MAX - 1, INT_MAX};
  const int number = numbers[random.between(0, 6)];
  switch (random.between(0, 24)) {
    case 0:
      meta->n_planes = guint(random.between(0, int(meta->n_planes) - 1));
      return true;
    case 1:
      meta->width = guint(random.between(0, kWidth - 1));
      return true;
    case 2:
      meta->height = guint(random.between(0, kHeight - 1));
      return true;
    case 3:
      if (number == meta->format) return false;
      std::memcpy(&meta->format, &number, sizeof number);
      return true;
    case 4:  // larger is no fault
      meta->width = G_MAXUINT - guint(random.between(0, 9));
      meta->height = G_MAXUINT;
      return false;
    default:
      return false;
  }
}

/// Whether rows of `row` bytes lie in kSize bytes. No product overflows.
static bool is_inside(int row, gint64 stride, gsize offset) {
  if (std::abs(stride) < row || offset >= kSize) return false;
  const gint64 first = gint64(offset), last = first + stride * (kHeight - 1);
  return std::min(first, last) >= 0 && std::max(first, last) + row <= gint64(kSize);
}

/// The edges of the frame at the meta's places, or nothing if the element must refuse it.
static std::optional<Edges> model(const Format& format, const GstVideoMeta& meta,
                                  const std::vector<std::uint8_t>& bytes) {
  const GstVideoInfo info = check::info_of(check::plain_layout(format, kWidth, kHeight));
  canny::BasicPlane<const std::uint8_t> rows[3];
  for (int i = 0; i < canny::planes(format.pixels); i++) {
    const int plane = GST_VIDEO_INFO_COMP_PLANE(&info, i);
    const int row = canny::row_bytes(format.pixels, kWidth);
    if (!is_inside(row, meta.stride[plane], meta.offset[plane])) return {};
    rows[i] = {bytes.data() + meta.offset[plane], meta.stride[plane]};
  }
  canny::ConstFrame frame{rows[0].data, rows[0].stride_bytes, kWidth, kHeight, format.pixels};
  frame.green = rows[1];
  frame.blue = rows[2];
  return reference::detect({}, frame);
}

static GstBuffer* new_buffer(const std::vector<std::uint8_t>& bytes, gsize memories) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, bytes.size(), nullptr);
  gst_buffer_fill(buffer, 0, bytes.data(), bytes.size());
  buffer = hostile::move_to_pages(buffer, Block::At::kEnd, GST_MEMORY_FLAG_READONLY);
  return memories == 1 ? buffer : check::split(buffer, memories);
}

struct Counts {
  int right = 0, refused = 0;
};

static void check_meta(Element& element, const Layout& layout, std::uint64_t seed, Counts* counts) {
  Random random(seed);
  const Format& format = *layout.format;
  std::vector<std::uint8_t> bytes(kSize);
  for (std::uint8_t& byte : bytes) byte = std::uint8_t(random.next());
  GstBuffer* buffer = new_buffer(bytes, gsize(random.between(1, 3)));
  GstVideoMeta* meta = check::add_meta(buffer, layout);
  for (guint i = 0; i < meta->n_planes; i++) {
    if (random.between(0, 5) == 0) continue;  // as the caps imply
    meta->offset[i] = any_offset(random);
    meta->stride[i] = any_stride(canny::row_bytes(format.pixels, kWidth), random);
  }
  const std::optional<Edges> edges =
      spoil(meta, random) ? std::optional<Edges>() : model(format, *meta, bytes);
  ++(edges ? counts->right : counts->refused);
  const std::string wrong = hostile::push_difference(element, buffer, layout, edges);
  fail_unless(wrong.empty(), "%s, seed %d: %s", format.name, int(seed), wrong.c_str());
}

BACKEND_TEST(random_metas) {
  const int seeds = check::is_slow() ? 50 : 1000;
  for (const char* name : {"GRAY8", "RGB", "NV12", "GBR", "YUY2", "v210"}) {
    const Layout layout = check::plain_layout(check::find_format(name), kWidth, kHeight);
    Element element(__i__, layout);
    Counts counts;
    for (int seed = 0; seed < seeds; seed++) {
      check_meta(element, layout, std::uint64_t(seed), &counts);
    }
    fail_unless(counts.right > seeds / 20 && counts.refused > seeds / 20,
                "%s: %d right, %d refused", name, counts.right, counts.refused);
  }
}
