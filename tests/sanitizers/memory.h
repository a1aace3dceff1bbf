// SPDX-License-Identifier: LGPL-2.1-or-later
// Comes first in each source for MemorySanitizer, which libstdc++ is built without.
#pragma once

#include <bits/c++config.h>

// Sources instantiate the templates of strings and streams, rather than call the library's.
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#if __has_feature(memory_sanitizer)  // not while Meson tries the compiler
#include <sanitizer/msan_interface.h>

#include <locale>

namespace memory_sanitizer {

// The library compares tables of characters of its own when a stream first needs them.
inline const char kSpace = [] {
  __msan_scoped_disable_interceptor_checks();
  const char space = std::use_facet<std::ctype<char>>(std::locale::classic()).widen(' ');
  __msan_scoped_enable_interceptor_checks();
  return space;
}();

}  // namespace memory_sanitizer
#endif
