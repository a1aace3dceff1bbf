// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps exceptions inside the library, and the caller's rounding mode outside.
#pragma once

#include <cfenv>
#include <exception>
#include <new>

#include "canny/canny.h"

namespace canny {

/// Rounds to nearest, whatever the caller's mode is.
class RoundingToNearest {
 public:
  RoundingToNearest() { change(FE_TONEAREST); }
  ~RoundingToNearest() { change(of_caller_); }
  RoundingToNearest(const RoundingToNearest&) = delete;
  RoundingToNearest& operator=(const RoundingToNearest&) = delete;

 private:
  void change(int mode) {
    if (of_caller_ != FE_TONEAREST) std::fesetround(mode);
  }

  const int of_caller_ = std::fegetround();
};

/// Runs `call` and turns an exception into a Status. The constant messages are short enough for a
/// std::string to hold without allocating.
template <class Call>
Status guard(Call call) noexcept {
  const RoundingToNearest rounding;
  try {
    try {
      return call();
    } catch (const std::bad_alloc&) {
      return {StatusCode::kOutOfMemory, "out of memory"};
    } catch (const std::exception& e) {
      return {StatusCode::kDeviceFailure, e.what()};
    }
  } catch (...) {
    return {StatusCode::kDeviceFailure, "failed"};
  }
}

}  // namespace canny
