// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs the tests of the element and prints how many cases ran on each backend.
#include "fixture.h"
#include "presets.h"

#define SUITE(name) void name##_suite(TCase* tcase);
CANNY_SUITES
#undef SUITE
#define SUITE(name) {#name, name##_suite},

int main(int argc, char** argv) {
  check::use_own_presets();
  gst_check_init(&argc, &argv);
  const int status = check::run({CANNY_SUITES});
  check::remove_own_presets();
  return status;
}
