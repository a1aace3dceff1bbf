// SPDX-License-Identifier: LGPL-2.1-or-later
// A stand-in for an NVIDIA driver that supports CUDA 11.0.
extern "C" {

int cuInit(unsigned) { return 0; }

int cuDriverGetVersion(int* version) {
  *version = 11000;
  return 0;
}

}  // extern "C"
