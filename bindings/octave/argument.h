// SPDX-License-Identifier: LGPL-2.1-or-later
// An argument of a call from Octave. It knows its name, so that errors can state it.
#pragma once

#include <mex.h>

#include <string>

namespace mex {

/// Ends a call. Errors are thrown as C++ exceptions, because mexErrMsgIdAndTxt() runs no
/// destructors.
struct Error {
  std::string id;  ///< the identifier without its first part, "cudacanny:"
  std::string message;
};

/// Joins the sizes of an array and its class: "4x5x3 array of double".
std::string describe(const mxArray* array);

/// Whether the array is a char array of at most one row, without null characters.
bool is_text(const mxArray* array);

/// The text of such an array.
std::string text_of(const mxArray* array);

class Argument {
 public:
  Argument(std::string name, const mxArray* array) : name_(std::move(name)), array_(array) {}

  /// A number in minimum..maximum. It may be of any numeric class.
  double number(double minimum, double maximum) const;
  /// Likewise an integer.
  double integer(double minimum, double maximum) const;
  bool flag() const;
  bool is_text() const { return mex::is_text(array_); }
  std::string text() const;

  /// Throws an error that states the name, what it must be, and what it is.
  [[noreturn]] void fail(const std::string& needed) const;

 private:
  double scalar() const;

  std::string name_;
  const mxArray* array_;
};

}  // namespace mex
