// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs the tests of the element and prints how many cases ran on each backend.
#include "fixture.h"
#include "presets.h"

int main(int argc, char** argv) {
  check::use_own_presets();
  gst_check_init(&argc, &argv);
  const int status = check::run();
  check::remove_own_presets();
  return status;
}
