// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the element's tests share: pictures in memory, an element under test, the tally of cases.
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <cstdint>
#include <string>
#include <vector>

#include "canny.h"

namespace check {

/// A pixel format that the element must take and, but for those that come last, give.
struct Format {
  const char* name;
  canny::PixelFormat pixels;  ///< of the first plane
  int bytes;                  ///< of a pixel there
  const char* output;         ///< the format of the output where downstream leaves the choice
};

inline constexpr int kFormatCount = 23;
inline constexpr int kOutputFormatCount = 19;
extern const Format kFormats[kFormatCount];
extern const Format& kRgb;
extern const Format& kGray;
extern const Format& kNv12;

const Format& output_of(const Format& format);  ///< where downstream leaves the choice

/// Where the rows of a frame's first plane are in a block of bytes. Other planes follow each other
/// as the caps imply.
struct Layout {
  const Format* format;
  int width;     ///< pixels
  int height;    ///< pixels
  int stride;    ///< bytes
  gsize offset;  ///< of the top row, bytes
  gsize size;    ///< of the block, bytes
  gsize chroma;  ///< where the second plane begins, bytes; `size` if there is none
};

int row_bytes(const Format& format, int width);                   ///< of the first plane
gsize chroma_bytes(const Format& format, int width, int height);  ///< of all other planes

Layout plain_layout(const Format& format, int width, int height);  ///< as the caps imply
GstVideoFormat video_format(const Format& format);
GstCaps* new_caps(const Format& format, int width, int height);  ///< at 30 frames/s

/// A buffer of `layout.size` bytes with a picture of many edges, which follows from `seed`. The
/// bytes outside the rows are guard bytes.
GstBuffer* new_picture(const Layout& layout, std::uint64_t seed);
GstVideoMeta* add_meta(GstBuffer* buffer, const Layout& layout);

std::vector<std::uint8_t> read_bytes(GstBuffer* buffer);
std::uint8_t guard_byte(gsize index);

/// The edge map of the frame in `buffer`, after the reference.
std::vector<std::uint8_t> reference_edges(GstBuffer* buffer, const Layout& layout,
                                          const canny::Params& params);

/// How `buffer`, with a frame of `format` laid out by its GstVideoMeta or as the caps imply,
/// differs from these edges: the first pixel. Empty if it does not.
std::string difference(GstBuffer* buffer, const Format& format, int width, int height,
                       const std::vector<std::uint8_t>& edges);

std::uint64_t count_edges(const std::vector<std::uint8_t>& edges);

// Backends: data-path tests run once on each.
inline constexpr int kBackends = 2;
const char* backend_name(int backend);  ///< "cpu" or "cuda"

/// Counts a case of `test` on the backend. True, and said on stdout, if the backend can't run here
/// and the case is to be skipped; with CANNY_REQUIRE_CUDA=1 that is a failure.
bool skip(const char* test, int backend);

/// Why CUDA can't be used on this machine; empty if it can.
const std::string& no_cuda_reason();

bool is_slow();  ///< CANNY_TEST_SLOW is set: fewer repeats

struct Tally {
  int cases[kBackends] = {};
  int skipped = 0;
};
const Tally& tally();

/// cudacanny between two pads of the test, playing.
class Element {
 public:
  explicit Element(int backend);
  ~Element();
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  GstHarness* harness() const { return harness_; }
  GstElement* get() const { return element_; }

  void set_params(const canny::Params& params);

  /// Sends the caps (transfer full), and a segment if there was none yet. Caps are sticky: a
  /// refusal shows at the next buffer.
  void send_caps(GstCaps* caps);
  void send_caps(const Layout& layout);
  void send_segment(const GstSegment& segment);

  GstFlowReturn push(GstBuffer* buffer);  ///< transfer full
  GstBuffer* pull();                      ///< the next output (transfer full), null if none
  GstCaps* output_caps() const;           ///< transfer full

  /// The next message of the type (transfer full), null if none.
  GstMessage* pop(GstMessageType type);

 private:
  GstElement* element_;
  GstBus* bus_;
  GstHarness* harness_;
  bool has_segment_ = false;
};

/// Reads a string or a number of property "stats".
std::string stats_string(GstElement* element, const char* field);
guint64 stats_number(GstElement* element, const char* field);

/// gst_check's loop tests number the backends.
#define add_backend_test(tcase, test) tcase_add_loop_test(tcase, test, 0, check::kBackends)

}  // namespace check

Suite* formats_suite();
Suite* negotiation_suite();
Suite* properties_suite();
Suite* live_suite();
Suite* frames_suite();
Suite* layouts_suite();
Suite* states_suite();
