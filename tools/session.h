// SPDX-License-Identifier: LGPL-2.1-or-later
/// A source, the element and what is known of its frames, without a window.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/edges.h"
#include "tools/picture.h"
#include "tools/player.h"
#include "tools/property.h"
#include "tools/source.h"
#include "tools/statistics.h"

namespace tuner {

/// All functions belong to the main thread, whose main loop calls the callbacks.
class Session {
 public:
  std::function<void()> on_pair;  ///< pictures and statistics are new
  std::function<void()> on_open;  ///< errors of the source or the settings before are past
  std::function<void(const std::string& text)> on_error;  ///< what happened, and what to do

  Session();
  ~Session();

  /// Whether GStreamer finds the element, without which no other function may be called.
  bool is_valid() const { return edges_.is_valid(); }
  GstElement* element() const { return edges_.element(); }
  const std::vector<Property>& properties() const { return properties_; }

  /// Plays the source of a text (see parse_source()). If there is no such source, leaves the
  /// present one as it is and returns false.
  bool open(const std::string& text);
  /// The format of frames for the element, empty for that of the source.
  void set_format(const std::string& format);
  /// Its on_state is the caller's.
  Player& player() { return player_; }

  /// Call after a change of a property: the frame that is shown is computed again, after a start if
  /// the property needs one.
  void apply(const Property& property);
  /// Gives all properties their defaults.
  void reset();

  /// Loads a preset of the element. On failure, on_error says why.
  bool load_preset(const std::string& name);
  bool save_preset(const std::string& name);
  std::vector<std::string> preset_names() const;

  bool is_busy() { return edges_.is_busy(); }
  Pair latest() { return edges_.latest(); }
  const Picture& input() const { return input_; }
  const Picture& output() const { return output_; }
  const History& history() const { return history_; }
  std::string launch_line() const;

 private:
  void play();
  void compute(bool needs_start);
  void show_pair();
  void report(const std::string& text);

  Edges edges_;
  Player player_;
  std::vector<Property> properties_;
  Source source_;
  std::string format_;
  Picture input_;
  Picture output_;
  History history_;
};

}  // namespace tuner
