// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps exceptions inside the library.
#pragma once

#include <exception>
#include <new>

#include "canny/canny.h"

namespace canny {

/// Runs `call` and turns an exception into a Status. The constant messages are short enough for a
/// std::string to hold without allocating.
template <class Call>
Status guard(Call call) noexcept {
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
