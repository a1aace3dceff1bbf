// SPDX-License-Identifier: LGPL-2.1-or-later
// Opens JSON files that the benchmarks wrote.
#pragma once

#include <fstream>
#include <opencv2/core.hpp>
#include <string>

namespace bench {

/// Returns whether the file could be opened and has rows. OpenCV also takes other formats, and
/// prints what it misses.
inline bool open_json(const std::string& path, cv::FileStorage* file) try {
  return std::ifstream(path).get() == '{' && file->open(path, cv::FileStorage::READ) &&
         (*file)["rows"].isSeq();
} catch (const cv::Exception&) {
  return false;
}

}  // namespace bench
