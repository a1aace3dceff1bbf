// SPDX-License-Identifier: LGPL-2.1-or-later
// The files that the rows of launch lines read.
#pragma once

#include <string>

#include "element_rows.h"

namespace bench {

/// A folder for temporary files, removed in the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const char* name) const;

 private:
  std::string path_;
};

/// A film that bench_element made.
struct Film {
  std::string path;
  std::string encoder;
  int megabits = 0;  ///< a second
};

bool has_element(const char* name);
/// Throws NotRun if GStreamer has no element of this name.
void require_element(const char* name, const char* package);

/// Encodes H.264: the camera moves down a picture. Throws NotRun if an element is missing.
Film make_film(const Setup& setup, const Folder& folder);

/// Writes the first frame of the film as a PNG file and returns its path.
std::string make_picture(const Setup& setup, const Folder& folder);

}  // namespace bench
