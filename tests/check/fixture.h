// SPDX-License-Identifier: LGPL-2.1-or-later
/// Shared parts of the element's tests: an element under test, pipelines, the tally of cases.
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "owned.h"
#include "pictures.h"

namespace check {

/// How long a test waits for an expected event.
inline constexpr GstClockTime kPatience = 60 * GST_SECOND;

// The backends: the CPU, and a device. Tests of the data path run once on each. The device is
// CUDA's, or with CANNY_TEST_DEVICE=opencl in the environment the OpenCL device that
// CANNY_TEST_OPENCL_DEVICE names, or else the first one.
inline constexpr int kBackends = 2;
const char* backend_name(int backend);     ///< "cpu", "cuda" or "opencl"
std::string backend_in_line(int backend);  ///< what follows "backend=" in a launch line
void set_backend(GstElement* element, int backend);

/// Counts a case of `test` on the backend. If the backend can't run here, prints that the case is
/// skipped and returns true; with CANNY_REQUIRE_CUDA=1, or CANNY_REQUIRE_OPENCL=1 on OpenCL, that
/// is a failure.
bool skip(const char* test, int backend);

/// Counts a case as skipped, prints that and returns true if there is no element of that name here.
bool skip_without_element(const char* test, const char* element);

/// Like skip() on CUDA, which the device must be, but also skips if there is no element of that
/// name here.
bool skip_without(const char* test, const char* element);

/// Why CUDA can't be used on this machine, empty if it can.
const std::string& no_cuda_reason();

/// The backend that backend=auto takes on this machine, if CUDA can be used or not.
const char* auto_backend(bool has_cuda);

/// Whether the device under test reads and writes frames in system memory where they are.
bool shares_memory();

bool is_slow();  ///< CANNY_TEST_SLOW is set: fewer repeats

/// A live property of the edges or the output, and its value for these parameters: a number, or the
/// place of a choice in the property's list.
struct LiveProperty {
  const char* name;
  double (*number)(const canny::Params& params);
};
const std::vector<LiveProperty>& live_properties();

/// The tests of one source; the macros below add them. Several sources may belong to a suite.
struct Suite {
  explicit Suite(const char* of, void (*before_each)() = nullptr, void (*after_each)() = nullptr)
      : name(of), set_up(before_each), tear_down(after_each) {
    all().push_back(this);
  }
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  bool add(void (*add_test)(TCase* tcase)) {
    tests.push_back(add_test);
    return true;
  }
  static std::vector<const Suite*>& all();  ///< of the program

  const char* name;
  void (*set_up)();     ///< or null
  void (*tear_down)();  ///< or null
  std::vector<void (*)(TCase* tcase)> tests;
};

/// Runs the suites of a program, or the one that CK_RUN_SUITE names, and prints how many cases ran
/// on each backend. Returns the program's exit status, which tells Meson if every case was skipped.
int run();

/// cudacanny between two pads of the test, playing.
class Element {
 public:
  static constexpr int kDefault = -1;  ///< the element's default number of frames in flight
  explicit Element(int backend, int frames_in_flight = kDefault);
  /// Likewise, and sends the caps of the layout.
  Element(int backend, const Layout& layout, int frames_in_flight = kDefault)
      : Element(backend, frames_in_flight) {
    send_caps(layout);
  }
  ~Element();
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  GstHarness* harness() const { return harness_; }
  GstElement* get() const { return element_; }

  void set_params(const canny::Params& params);  ///< all live properties

  /// Sends the caps (transfer full), and a segment if none has been sent yet. Caps are sticky, so a
  /// refusal shows at the next buffer.
  void send_caps(GstCaps* caps);
  void send_caps(const Layout& layout);
  void send_segment(const GstSegment& segment);
  void send_segment();  ///< of times from 0 on

  GstFlowReturn push(GstBuffer* buffer);  ///< transfer full
  GstBuffer* pull();                      ///< the next output (transfer full), null if none
  GstBuffer* wait();                      ///< like pull(), but waits for it
  GstCaps* output_caps() const;           ///< transfer full

  /// The next message of the type (transfer full), null if none.
  GstMessage* pop(GstMessageType type);
  GstMessage* wait(GstMessageType type);  ///< like pop(), but waits for it

 private:
  GstElement* element_;
  GstBus* bus_;
  GstHarness* harness_;
  bool has_segment_ = false;
};

/// Makes downstream accept only this format.
void want_format(const Element& element, const char* format);

/// Pushes a picture (transfer full). Its output must follow at once: a frame of the same size in
/// this format, by default the one that the element chooses, with these edges. Returns what is
/// wrong, empty if nothing is.
std::string push_difference(Element& element, GstBuffer* picture, const Layout& layout,
                            const std::vector<std::uint8_t>& edges, const Format* out = nullptr);
/// Likewise with the reference's edges.
std::string push_difference(Element& element, GstBuffer* picture, const Layout& layout,
                            const canny::Params& params = {}, const Format* out = nullptr);

/// The output for a picture (transfer full) of the layout, whose edges are compared with the
/// reference.
Owned<GstBuffer> transform(Element& element, GstBuffer* picture, const Layout& layout);

/// The bytes of the output for a picture (transfer none).
std::vector<std::uint8_t> output_bytes(Element& element, GstBuffer* picture);

/// Lets a control source set a property to one value after the other: the value of its number or of
/// the place of a choice, the first at stream time `start`, each next one `step` later.
void control(Element& element, const char* property, GstClockTime start, GstClockTime step,
             const std::vector<double>& values);

/// Calls answer(query) for each query of the type that passes the pad. Returns the number of the
/// probe.
gulong on_query(GstPad* pad, GstQueryType type,
                const std::function<GstPadProbeReturn(GstQuery*)>& answer);

/// Keeps copies of everything that enters and leaves an element.
class Watch {
 public:
  explicit Watch(GstElement* element);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::size_t frames() const;                        ///< that left
  bool wait_for_frames(std::size_t count) const;     ///< false if they don't come
  bool wait_for_event(GstEventType type) const;      ///< to leave
  bool wait_for_format(const Format& format) const;  ///< waits for a frame of the format to leave
  std::vector<GstClockTime> times_since_flush() const;  ///< PTS of the frames that left

  /// Compares each frame that left with the edges of the frame that entered with the same PTS.
  /// Returns a difference, empty if there is none.
  std::string difference(const canny::Params& params = {}) const;

  /// Compares the order in which buffers and serialized events left with the order in which they
  /// entered. Returns a difference, empty if there is none.
  std::string order_difference() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  ///< shared with the probes
  GstPad* pads_[2];               ///< sink, source
  gulong probes_[2];
};

/// A pipeline in gst-launch's language, which stops when it goes out of scope. A test that fails
/// while the pipeline runs would hang: look first, check later.
class Pipeline {
 public:
  explicit Pipeline(const std::string& line);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  GstElement* get() const { return pipeline_; }
  GstElement* operator[](const char* name) const;  ///< valid as long as the pipeline has it

  bool reach(GstState state);  ///< sets and waits for it
  std::string wait_for_end();  ///< empty at the end of the stream, else the error

 private:
  GstElement* pipeline_;
};

/// Sends frames of several caps and serialized events in turn to the element, and the end of the
/// stream. Returns a difference in the output, empty if there is none.
std::string mixed_stream_difference(Element& element);

/// What a message of an error, a warning or an info says.
struct Told {
  GQuark domain = 0;  ///< 0 = there was no message
  gint code = 0;
  std::string text, details;

  bool is(GQuark of, gint number) const { return domain == of && code == number; }
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
  bool has_detail(const std::string& part) const { return details.find(part) != std::string::npos; }
};
Told told_by(GstMessage* message);  ///< transfer full, may be null

/// Reads a property that is a text, "null" if there is none.
std::string text_of(gpointer element, const char* property);

/// Reads a string, an integer or a double of property "stats".
std::string stats_string(GstElement* element, const char* field);
guint64 stats_number(GstElement* element, const char* field);
double stats_double(GstElement* element, const char* field);

/// A backend, and a number of frames in flight.
struct Flight {
  int backend;
  int frames;
};
inline constexpr int kCounts[] = {1, 3, 8};
inline constexpr int kFlights = int(std::size(kCounts)) * kBackends;
inline Flight flight_of(int loop) { return {loop % kBackends, kCounts[loop / kBackends]}; }

/// Begins a function and adds it to the source's `suite` as a test of `count` cases. gst-check
/// numbers the cases (__i__); `call` calls the function, name##_body, for one of them. The rest are
/// its parameters.
#define NUMBERED_TEST(name, count, call, ...)                                           \
  static void name##_body(__VA_ARGS__);                                                 \
  GST_START_TEST(name)                                                                  \
  call;                                                                                 \
  GST_END_TEST                                                                          \
  [[maybe_unused]] static const bool name##_is_added =                                  \
      suite.add([](TCase* tcase) { tcase_add_loop_test(tcase, name, 0, int(count)); }); \
  static void name##_body(__VA_ARGS__)

/// A test of one case, and of several.
#define PLAIN_TEST(test) NUMBERED_TEST(test, 1, test##_body(), )
#define LOOP_TEST(test, count) NUMBERED_TEST(test, count, test##_body(__i__), int __i__)

/// Tests that are skipped where the backend can't run: those of the device, and tests that loop
/// over the backends, over kCounts on each, or over the rows of a table on each.
#define DEVICE_TEST(test, count)                                             \
  NUMBERED_TEST(test, count, if (!check::skip(#test, 1)) test##_body(__i__), \
                [[maybe_unused]] int __i__)
#define BACKEND_TEST(test)                                                                  \
  NUMBERED_TEST(test, check::kBackends, if (!check::skip(#test, __i__)) test##_body(__i__), \
                [[maybe_unused]] int __i__)
#define FLIGHT_TEST(test)                                                                    \
  NUMBERED_TEST(test, check::kFlights, const check::Flight flight = check::flight_of(__i__); \
                if (!check::skip(#test, flight.backend)) test##_body(flight),                \
                const check::Flight& flight)
#define ROW_TEST(test, rows)                                                               \
  NUMBERED_TEST(test, check::kBackends* int(rows), const int backend = __i__ / int(rows);  \
                if (!check::skip(#test, backend)) test##_body(backend, __i__ % int(rows)), \
                int backend, int row)

/// Runs attempt(call) for CUDA call 1, 2, 3 ..., which is to fail; it returns whether a failure
/// showed. Ends when ten in turn did not show: some failures are harmless. How many did.
template <class Attempt>
int fail_each_call(Attempt attempt) {
  constexpr int kCallsAfterTheLast = 10, kMost = 2000;
  int harmed = 0;
  for (int call = 1, unharmed = 0; unharmed < kCallsAfterTheLast; call++) {
    fail_unless(call < kMost, "each of the first %d calls fails", call);
    const bool shows = attempt(call);
    harmed += shows;
    unharmed = shows ? 0 : unharmed + 1;
  }
  return harmed;
}

/// Fails with a text that says what is wrong, unless it is empty.
#define fail_if_wrong(text)                                          \
  do {                                                               \
    const std::string what_is_wrong = (text);                        \
    fail_unless(what_is_wrong.empty(), "%s", what_is_wrong.c_str()); \
  } while (0)

}  // namespace check
