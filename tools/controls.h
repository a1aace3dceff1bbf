// SPDX-License-Identifier: LGPL-2.1-or-later
/// The controls of all properties.
#pragma once

#include <gtk/gtk.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/control.h"

namespace tuner {

/// Makes a label whose mnemonic leads to a widget. Its letter is one that `used` does not have, as
/// far as possible, and is added there.
GtkWidget* new_label(const std::string& text, GtkWidget* widget, std::string* used);

/// A column of controls: first the live properties, then those that need a start. The property
/// `output` has its control elsewhere.
class Controls {
 public:
  Controls(Session* session, std::string* used_letters);

  GtkWidget* widget() const { return grid_; }
  Control* output() const { return output_.get(); }
  /// Null if there is no such property.
  Control* find(const std::string& name) const;
  void reload();

 private:
  void add_heading(const char* markup);
  void add(Session* session, const Property& property, std::string* used_letters);

  GtkWidget* grid_;
  int rows_ = 0;
  std::unique_ptr<Control> output_;
  std::vector<std::unique_ptr<Control>> controls_;
};

}  // namespace tuner
