// SPDX-License-Identifier: LGPL-2.1-or-later
/// Shared parts of the suite "inflight": frames at their times, and upstream's latency.
#pragma once

#include <vector>

#include "fixture.h"

namespace inflight {

inline constexpr GstClockTime kFrame = GST_SECOND / 30;
inline constexpr int kCounts[] = {0, 1, 2, 3, 8};

/// Tests run once for each backend and each of kCounts.
check::Flight flight_of(int loop);

#define COUNT_TEST(name)                                                  \
  NUMBERED_TEST(name, check::kBackends* std::size(inflight::kCounts),     \
                const check::Flight test = inflight::flight_of(__i__);    \
                if (!check::skip(#name, test.backend)) name##_body(test), \
                const check::Flight& test)

check::Layout layout_of_tests();

int repeats();

GstBuffer* picture_at(GstClockTime time);

/// Upstream's answer to a latency query.
struct Latency {
  gboolean live;
  GstClockTime min;
  GstClockTime max;
};

inline constexpr Latency kNotLive = {FALSE, 0, GST_CLOCK_TIME_NONE};
inline constexpr Latency kLive = {TRUE, 10 * GST_MSECOND, 500 * GST_MSECOND};

/// Makes upstream give this answer, from the start on.
void set_upstream(check::Element& element, const Latency& latency);

struct NotLiveElement : check::Element {
  explicit NotLiveElement(int backend, int frames = kDefault) : Element(backend, frames) {
    set_upstream(*this, kNotLive);
  }
};

/// The element's answer to a latency query.
Latency query_latency(check::Element& element);

void start(check::Element& element);

/// The times of `count` frames, the first at `first`.
std::vector<GstClockTime> times_from(GstClockTime first, int count);

void push_all(check::Element& element, const std::vector<GstClockTime>& times);

/// Pulls and compares frames one by one.
void check_outputs(check::Element& element, const std::vector<GstClockTime>& times,
                   const check::Format& format = check::kRgb);

void push_and_check(check::Element& element, const std::vector<GstClockTime>& times);

void start_with_three_frames(check::Element& element);

}  // namespace inflight
