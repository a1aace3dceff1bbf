// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "canny/status.h"

/// Returns from the enclosing function with a Status unless it is ok.
#define CANNY_TRY(status)                                                                 \
  do {                                                                                    \
    if (::canny::Status canny_status = (status); !canny_status.ok()) return canny_status; \
  } while (false)
