// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the element's tests share: pictures in memory, an element under test, the tally of cases.
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "canny.h"

namespace check {

struct Unref {
  void operator()(void* object) const {
    gst_mini_object_unref(static_cast<GstMiniObject*>(object));
  }
};
/// A reference to a buffer, caps, an event, a message or a query.
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

/// How long a test waits for what must come.
inline constexpr GstClockTime kPatience = 60 * GST_SECOND;

/// A pixel format that the element must take and, but for those that come last, give.
struct Format {
  const char* name;
  canny::PixelFormat pixels;  ///< of the first plane, or of those of the colors
  int bytes;                  ///< of a pixel in a plane
  const char* output;         ///< the format of the output where downstream leaves the choice
};

inline constexpr int kFormatCount = 39;
inline constexpr int kOutputFormatCount = 35;
extern const Format kFormats[kFormatCount];
extern const Format& kRgb;
extern const Format& kGray;
extern const Format& kNv12;

const Format& find_format(const char* name);
const Format& output_of(const Format& format);  ///< where downstream leaves the choice

/// Whether GStreamer's CUDA allocator, which ends the process over other formats, has this one.
bool is_cuda_format(const Format& format);

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

/// The frame in `layout.size` bytes of memory, and the place of a plane's top row there.
canny::Frame frame_of(const Layout& layout, std::uint8_t* data);
struct PlaneLayout {
  gsize offset;
  int stride;
};
PlaneLayout plane_of(const Layout& layout, int plane);

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

/// Where the frame of `caps` is in `buffer`: by its GstVideoMeta, or as the caps imply.
Layout layout_of(GstBuffer* buffer, const GstCaps* caps);
const Format& format_of(const GstCaps* caps);

/// The edges of a frame of `in_caps` are in `out`: how they differ, empty if they do not.
std::string edge_difference(GstBuffer* in, const GstCaps* in_caps, GstBuffer* out,
                            const GstCaps* out_caps, const canny::Params& params);

std::uint64_t count_edges(const std::vector<std::uint8_t>& edges);

// Backends: data-path tests run once on each.
inline constexpr int kBackends = 2;
const char* backend_name(int backend);  ///< "cpu" or "cuda"

/// Counts a case of `test` on the backend. True, and said on stdout, if the backend can't run here
/// and the case is to be skipped; with CANNY_REQUIRE_CUDA=1 that is a failure.
bool skip(const char* test, int backend);

/// As skip() on CUDA, also if there is no element of that name here.
bool skip_without(const char* test, const char* element);

/// Why CUDA can't be used on this machine; empty if it can.
const std::string& no_cuda_reason();

bool is_slow();  ///< CANNY_TEST_SLOW is set: fewer repeats

struct Tally {
  int cases[kBackends] = {};
  int skipped = 0;
};
const Tally& tally();

/// Stops what a test that failed left running; its threads would keep gst-check from going on.
void stop_leftovers();

/// cudacanny between two pads of the test, playing.
class Element {
 public:
  static constexpr int kDefault = -1;  ///< frames in flight as the element has them
  explicit Element(int backend, int frames_in_flight = kDefault);
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
  GstBuffer* wait();                      ///< as pull(), and waits for it
  GstCaps* output_caps() const;           ///< transfer full

  /// The next message of the type (transfer full), null if none.
  GstMessage* pop(GstMessageType type);
  GstMessage* wait(GstMessageType type);  ///< as pop(), and waits for it

 private:
  GstElement* element_;
  GstBus* bus_;
  GstHarness* harness_;
  bool has_segment_ = false;
};

/// Lets everything that enters and leaves an element pass, and keeps copies.
class Watch {
 public:
  explicit Watch(GstElement* element);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::size_t frames() const;                           ///< that left
  bool wait_for_frames(std::size_t count) const;        ///< false if they don't come
  bool wait_for_event(GstEventType type) const;         ///< to leave
  bool wait_for_format(const Format& format) const;     ///< of a frame, to leave
  std::vector<GstClockTime> times_since_flush() const;  ///< PTS of the frames that left

  /// How a frame that left differs from the edges of the one that entered with its PTS, empty if
  /// none does.
  std::string difference(const canny::Params& params = {}) const;

  /// How the order of buffers and serialized events that left differs from that in which they
  /// entered.
  std::string order_difference() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  ///< shared with the probes
  GstPad* pads_[2];               ///< sink, source
  gulong probes_[2];
};

/// A pipeline of gst-launch's language, which stops when it goes out of scope. Tests that judge
/// while it runs would hang when they fail: look first, judge later.
class Pipeline {
 public:
  explicit Pipeline(const std::string& line);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  GstElement* get() const { return pipeline_; }
  GstElement* operator[](const char* name) const;  ///< lives as long as the pipeline has it

  bool reach(GstState state);  ///< sets and waits for it
  std::string wait_for_end();  ///< empty at the end of the stream, else what came instead

 private:
  GstElement* pipeline_;
};

/// Sends frames of several caps and serialized events in turns to the element, and the end of the
/// stream. How what comes out differs from what must, empty if it does not.
std::string mixed_stream_difference(Element& element);

/// The debug details of an error message.
std::string error_details(GstMessage* message);

/// Reads a string or a number of property "stats".
std::string stats_string(GstElement* element, const char* field);
guint64 stats_number(GstElement* element, const char* field);

/// gst_check's loop tests number the backends.
#define add_backend_test(tcase, test) tcase_add_loop_test(tcase, test, 0, check::kBackends)

}  // namespace check

Suite* formats_suite();
Suite* negotiation_suite();
Suite* refusals_suite();
Suite* properties_suite();
Suite* live_suite();
Suite* frames_suite();
Suite* layouts_suite();
Suite* states_suite();
Suite* behaviour_suite();
Suite* pipelines_suite();
Suite* inflight_suite();
Suite* races_suite();
Suite* fallback_suite();
Suite* cudamemory_suite();
