// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks of arguments.
#include "argument.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace mex {
namespace {

std::string format(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}

bool is_scalar(const mxArray* array) {
  return (mxIsNumeric(array) || mxIsLogical(array)) && !mxIsComplex(array) && !mxIsSparse(array) &&
         mxGetNumberOfElements(array) == 1;
}

/// False for NaN.
bool is_within(double value, double minimum, double maximum) {
  return value >= minimum && value <= maximum;
}

std::string range(const char* kind, double minimum, double maximum) {
  return std::string(kind) + " from " + format(minimum) + " to " + format(maximum);
}

}  // namespace

std::string describe(const mxArray* array) {
  std::string text;
  const mwSize* sizes = mxGetDimensions(array);
  for (mwSize i = 0; i < mxGetNumberOfDimensions(array); ++i) {
    text += (i > 0 ? "x" : "") + std::to_string(sizes[i]);
  }
  text += mxIsSparse(array) ? " sparse array of " : " array of ";
  return text + (mxIsComplex(array) ? "complex " : "") + mxGetClassName(array);
}

bool is_text(const mxArray* array) {
  return mxIsChar(array) && mxGetM(array) <= 1 &&
         text_of(array).size() == mxGetNumberOfElements(array);
}

std::string text_of(const mxArray* array) {
  char* characters = mxArrayToString(array);
  const std::string text = characters != nullptr ? characters : "";
  mxFree(characters);
  return text;
}

void Argument::fail(const std::string& needed) const {
  std::string found = "a " + describe(array_);
  if (is_text()) found = '"' + text_of(array_) + '"';
  if (is_scalar(array_)) found = format(mxGetScalar(array_));
  throw Error{"value", name_ + " must be " + needed + ", but is " + found};
}

double Argument::number(double minimum, double maximum) const {
  const double value = scalar();
  if (!is_within(value, minimum, maximum)) fail(range("a number", minimum, maximum));
  return value;
}

double Argument::integer(double minimum, double maximum) const {
  const double value = scalar();
  if (!is_within(value, minimum, maximum) || value != std::floor(value)) {
    fail(range("an integer", minimum, maximum));
  }
  return value;
}

bool Argument::flag() const {
  const double value = scalar();
  if (value != 0.0 && value != 1.0) fail("true or false");
  return value != 0.0;
}

std::string Argument::text() const {
  if (!is_text()) fail("a text");
  return text_of(array_);
}

/// The number, or NaN, which no range has, if the argument is none.
double Argument::scalar() const {
  return is_scalar(array_) ? mxGetScalar(array_) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace mex
