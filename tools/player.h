// SPDX-License-Identifier: LGPL-2.1-or-later
/// The pipeline that plays a source.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <string>

#include "tools/bus.h"
#include "tools/ref.h"
#include "tools/source.h"

namespace tuner {

/// Decodes a source and hands out its frames at their times, in a format that the element takes.
/// All functions belong to the main thread.
class Player {
 public:
  /// Receives each frame, in a thread of the pipeline, for which close() waits.
  std::function<void(SampleRef)> on_frame;
  std::function<void(const std::string& text)> on_error;  ///< playing has ended
  std::function<void()> on_state;                         ///< is_playing() may have changed

  Player();
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Plays the source from its start, or shows its first frame if the player is paused. With an
  /// empty format, frames keep theirs if the element takes it.
  void open(const Source& source, const std::string& format);
  void close();

  /// False before open(), at the end and after an error too. Then the next source plays
  /// nevertheless, unless the user has paused.
  bool is_playing() const { return wants_to_play_ && pipeline_ != nullptr && !has_ended_; }
  void set_playing(bool is_playing);

  /// Pauses and goes on by one frame.
  void step();

  bool is_looping() const { return is_looping_; }
  /// Whether the end leads to the start.
  void set_looping(bool is_looping) { is_looping_ = is_looping; }

 private:
  void hand_out(SampleRef frame);
  bool create_pipeline(const std::string& format);
  void apply_state();
  void rewind();
  void end();
  void end_step(bool is_last);
  void fail(const std::string& text);

  Source source_;
  ElementRef pipeline_;
  ElementRef sink_;
  BusWatch bus_;
  bool wants_to_play_ = true;
  bool is_looping_ = true;
  bool is_live_ = false;              ///< a camera or a network stream without a preroll
  bool has_ended_ = false;            ///< the last frame was shown, and there is no loop
  std::atomic<int> frames_ = 0;       ///< since the start, of prerolls only those of steps
  std::atomic<int> live_steps_ = -1;  ///< frames until a live source is paused, -1 = none
};

}  // namespace tuner
