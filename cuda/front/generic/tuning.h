// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the multipass kernels, of those for any operator and of those that count.
#pragma once

namespace canny::cuda {

// Suppression: the tile that a block of kSuppressThreads turns into bits.
inline constexpr int kSuppressWidth = 224;
inline constexpr int kSuppressHeight = 16;
inline constexpr int kSuppressThreads = 256;
// Responses of any operator: the tile of a block of kResponseThreads.
inline constexpr int kResponseWidth = 224;
inline constexpr int kResponseHeight = 18;
inline constexpr int kPairResponseHeight = 30;  // of operators two of whose gradients are one word
inline constexpr int kDeepResponseHeight = 12;  // of deep samples, whose magnitudes have 64 bits
inline constexpr int kResponseThreads = 256;
// Counting: a thread takes 4 columns of kCountRows rows. Threads of a block for magnitudes of 3x3
// operators; those for luma are kLumaThreads.
inline constexpr int kCountThreads = 128;
inline constexpr int kCountRows = 24;

}  // namespace canny::cuda
