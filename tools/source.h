// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the tuner plays: a test pattern, a camera, or a file or stream.
#pragma once

#include <string>
#include <vector>

namespace tuner {

enum class SourceKind { kPattern, kCamera, kUri };

struct Source {
  SourceKind kind = SourceKind::kPattern;
  std::string name = "smpte";  ///< of the pattern; the camera's device file; the URI
};

/// Reads `pattern:NAME`, `camera:DEVICE`, a URI or the path of a file. If the text names nothing
/// that exists, returns false and tells in `error` what to do.
bool parse_source(const std::string& text, Source* source, std::string* error);

/// The text that parse_source() reads.
std::string source_text(const Source& source);

/// The elements up to the decoded video, as in a launch line.
std::string source_elements(const Source& source);

/// What to do if the source does not play.
std::string source_advice(const Source& source);

/// The names of the test patterns.
std::vector<std::string> pattern_names();

}  // namespace tuner
