// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream through an element, and what is known of its frames.
#pragma once

#include <gst/check/gstharness.h>

#include <cstdint>
#include <memory>
#include <string>

#include "outputs.h"
#include "reader.h"

namespace fuzz {

/// The element between two pads, playing, with caps and a segment. The operations draw what they do
/// from the reader.
class Stream {
 public:
  explicit Stream(Reader& reader);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void push(Reader& reader);             ///< a frame, whole or broken
  void set_property(Reader& reader);     ///< a number
  void set_text(Reader& reader);         ///< any text as the value of any property
  void set_regions(Reader& reader);      ///< which regions of interest count
  void bind(Reader& reader);             ///< a property to a control source
  void set_caps(Reader& reader);         ///< that the element accepts
  void set_any_caps(Reader& reader);     ///< whether it accepts them or not
  void restrict_output(Reader& reader);  ///< to one format, or ends this
  void send(Reader& reader);             ///< an event downstream
  void send_upstream(Reader& reader);    ///< an event from downstream
  void query(Reader& reader);            ///< either pad
  void flush(Reader& reader);
  void end(Reader& reader);      ///< the stream, and begins another one
  void restart(Reader& reader);  ///< through READY or NULL, maybe with other settings
  void relink(Reader& reader);   ///< one of the pads

  /// Ends the stream and waits for all frames that must come.
  void finish();

 private:
  void send_start();
  void send_segment();
  void send_caps(GstCaps* caps);
  void accept(const check::Layout& layout);
  void add(GstClockTime pts, check::Owned<GstBuffer> picture, const check::Layout& layout);
  GstFlowReturn push_plain();
  bool may_refuse() const;
  void read_messages(bool may_fail);  ///< fails for an error that must not be

  GstElement* element_;
  GstBus* bus_;
  GstHarness* harness_;
  std::unique_ptr<Outputs> outputs_;
  check::Layout layout_;        ///< of the caps
  bool is_accepted_ = false;    ///< the element takes frames of layout_
  bool is_restricted_ = false;  ///< downstream takes one format only
  bool may_drop_ = false;       ///< downstream asked for it
  GstClockTime next_ = 0;
  int streams_ = 0;
};

}  // namespace fuzz
