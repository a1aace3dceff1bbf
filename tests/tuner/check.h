// SPDX-License-Identifier: LGPL-2.1-or-later
/// Cases of the tuner's tests.
#pragma once

#include <glib.h>

#include <cstdio>
#include <functional>
#include <string>

namespace check {

inline int passed = 0;
inline int failed = 0;

/// Counts a case and prints the failing ones.
inline bool expect(bool is_right, const std::string& what) {
  ++(is_right ? passed : failed);
  if (!is_right) std::printf("FAILED: %s\n", what.c_str());
  return is_right;
}

inline void expect_equal(const std::string& found, const std::string& expected,
                         const std::string& what) {
  expect(found == expected, what + ": found \"" + found + "\", expected \"" + expected + "\"");
}

inline void expect_contains(const std::string& found, const std::string& part) {
  expect(found.find(part) != std::string::npos, "\"" + found + "\" lacks \"" + part + "\"");
}

/// Runs the main loop until the condition holds, for at most 30 s. Whether it holds.
inline bool wait_for(const std::function<bool()>& condition) {
  const gint64 end_us = g_get_monotonic_time() + 30 * G_USEC_PER_SEC;
  while (!condition() && g_get_monotonic_time() < end_us) {
    if (!g_main_context_iteration(nullptr, FALSE)) g_usleep(1000);
  }
  return condition();
}

/// Runs the main loop for half a second. Whether the condition, which holds now, holds all the
/// time.
inline bool stays(const std::function<bool()>& condition) {
  const gint64 end_us = g_get_monotonic_time() + 500 * 1000;
  while (condition() && g_get_monotonic_time() < end_us) {
    if (!g_main_context_iteration(nullptr, FALSE)) g_usleep(1000);
  }
  return condition();
}

/// Prints the sums. Returns the exit status.
inline int finish() {
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace check
