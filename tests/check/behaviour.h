// SPDX-License-Identifier: LGPL-2.1-or-later
/// Functions shared by the files of the suite "behaviour".
#pragma once

#include "fixture.h"

namespace behaviour {

check::Layout layout_of_tests();

/// The output for `picture`, whose pixels are compared with the reference.
check::Owned<GstBuffer> transform(check::Element& element, GstBuffer* picture);

}  // namespace behaviour
