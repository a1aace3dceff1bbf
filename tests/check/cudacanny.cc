// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs the tests of the element and prints how many cases ran on each backend.
#include "fixture.h"
#include "presets.h"

int main(int argc, char** argv) {
  check::use_own_presets();
  gst_check_init(&argc, &argv);
  SRunner* runner = srunner_create(formats_suite());
  srunner_add_suite(runner, depth_suite());
  srunner_add_suite(runner, negotiation_suite());
  srunner_add_suite(runner, outputs_suite());
  srunner_add_suite(runner, refusals_suite());
  srunner_add_suite(runner, properties_suite());
  srunner_add_suite(runner, presets_suite());
  srunner_add_suite(runner, live_suite());
  srunner_add_suite(runner, stats_suite());
  srunner_add_suite(runner, frames_suite());
  srunner_add_suite(runner, metas_suite());
  srunner_add_suite(runner, regions_suite());
  srunner_add_suite(runner, layouts_suite());
  srunner_add_suite(runner, states_suite());
  srunner_add_suite(runner, behaviour_suite());
  srunner_add_suite(runner, pipelines_suite());
  srunner_add_suite(runner, inflight_suite());
  srunner_add_suite(runner, races_suite());
  srunner_add_suite(runner, fallback_suite());
  srunner_add_suite(runner, cudamemory_suite());
  const int status = check::run(runner);
  check::remove_own_presets();
  return status;
}
