// SPDX-License-Identifier: LGPL-2.1-or-later
/// The element's properties, as controls and texts need them.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

namespace tuner {

enum class Kind { kSwitch, kNumber, kChoice, kColor, kText };

/// A writable property of the element.
struct Property {
  std::string name;
  std::string nick;
  std::string blurb;
  Kind kind = Kind::kText;
  double minimum = 0;
  double maximum = 0;
  double initial = 0;     ///< a choice counts as its place in `choices`; 0 for kText, which is null
  bool is_whole = false;  ///< numbers have no fraction
  bool is_live = false;   ///< a new value counts from the next frame on, else from the next start
  std::vector<std::string> choices;  ///< names of a kChoice
};

/// The writable properties that are the element's own, in the order of their declaration.
std::vector<Property> writable_properties(GstElement* element);

/// A property's value as GStreamer writes it; of a choice, its name.
std::string serialized(GstElement* element, const char* property);

/// The value of a property that is not a kText. A switch is 0 or 1.
double get_number(GstElement* element, const Property& property);
void set_number(GstElement* element, const Property& property, double value);

/// The value in effect: get_number() or, for a ratio of thresholds that is 0, the usual one of the
/// threshold mode.
double effective_number(GstElement* element, const Property& property);

/// The value of a kText; empty stands for null.
std::string get_text(GstElement* element, const Property& property);
void set_text(GstElement* element, const Property& property, const std::string& text);

/// Whether the property is one of the two thresholds. Until it is set, it follows the other one or
/// the operator.
bool is_threshold(const Property& property);

/// The default; of a threshold, with the element's operator.
double default_number(GstElement* element, const Property& property);

/// Sets a number for the user: if the thresholds are the operator's defaults, they follow it.
void edit_number(GstElement* element, const Property& property, double value);

/// Whether the value is the default.
bool is_initial(GstElement* element, const Property& property);

/// The shortest digits that give this number again.
std::string number_text(double value);

/// The value as a launch line spells it, without quotes.
std::string value_text(GstElement* element, const Property& property);

}  // namespace tuner
