// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists settings.
#include "settings.h"

#include <cctype>

#include "named_params.h"

namespace quality {

std::vector<Setting> rated_settings() {
  std::vector<Setting> settings;
  // With a sigma of 4, gradients stay below the default thresholds. Those of operators are the
  // defaults, times the gain of the operator over that of Sobel's.
  for (const char* name : {"default",
                           "sigma=0",
                           "sigma=1",
                           "sigma=2",
                           "sigma=4 low-threshold=20 high-threshold=60",
                           "operator=sobel-5 low-threshold=600 high-threshold=1800",
                           "operator=sobel-7 low-threshold=8000 high-threshold=24000",
                           "operator=scharr low-threshold=200 high-threshold=600",
                           "operator=prewitt low-threshold=37.5 high-threshold=112.5",
                           "operator=kroon low-threshold=1187.5 high-threshold=3562.5",
                           "operator=roberts low-threshold=12.5 high-threshold=37.5",
                           "operator=robinson low-threshold=50 high-threshold=150",
                           "operator=kirsch low-threshold=187.5 high-threshold=562.5",
                           "threshold-mode=relative",
                           "threshold-mode=quantile",
                           "threshold-mode=otsu",
                           "threshold-mode=median",
                           "norm=l1",
                           "thin-edges=false",
                           "hysteresis-passes=1",
                           "min-length=20"})
    settings.push_back({name, bench::params_of(name)});
  return settings;
}

std::vector<Setting> opencv_settings() {
  const auto setting = [](const char* name, const char* text) {
    return Setting{name, bench::params_of(text)};
  };
  return {setting("default", ""), setting("sigma=0 norm=l1", "sigma=0 norm=l1"),
          setting("sigma=4", "sigma=4 low-threshold=20 high-threshold=60"),
          setting("sobel-5", "operator=sobel-5 low-threshold=600 high-threshold=1800"),
          setting("sobel-7", "operator=sobel-7 low-threshold=8000 high-threshold=24000")};
}

std::string key_of(const std::string& name) {
  std::string key;
  for (const char c : name) key += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return key;
}

}  // namespace quality
