// SPDX-License-Identifier: LGPL-2.1-or-later
// The tests of the stages, one file per stage.
#pragma once

#include <cstdint>
#include <string>

#include "backend_stages.h"
#include "cases.h"
#include "harness.h"

namespace stages {

/// Runs a stage of a case on a backend of the case's size. Returns a difference from the reference,
/// "" if there is none.
std::string check_front(BackendStages& backend, const cases::Case& c);
std::string check_hysteresis(BackendStages& backend, const cases::Case& c);
std::string check_output(BackendStages& backend, const cases::Case& c);

/// Likewise for all stages of a case together.
std::string check_frame(BackendStages& backend, cases::Case c);

/// Runs and counts hysteresis on drawn masks whose edges are known for every pass.
void run_drawn_masks(BackendStages& backend, harness::Tally* tally);

/// Runs and counts hysteresis on components that touch at corners of words and strips alone.
void run_corner_mask(BackendStages& backend, harness::Tally* tally);

/// The masks' seeds come after all others.
inline constexpr std::uint64_t kMaskSeeds = 2 * cases::kFrontSeeds;

/// The number of cases from kMaskSeeds on: every mask in every size, with each place of the strong
/// pixel in turn.
std::uint64_t mask_cases();

/// Runs and counts hysteresis on one of them.
void run_mask_case(BackendStages& backend, std::uint64_t seed, harness::Tally* tally);

}  // namespace stages
