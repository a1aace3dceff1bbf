// SPDX-License-Identifier: LGPL-2.1-or-later
/// What all sources of the tests include, compiled once. No guard, as it is no other file's to
/// include.
#include "fixture.h"
