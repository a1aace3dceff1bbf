# SPDX-License-Identifier: LGPL-2.1-or-later
"""Has every Python whose PYTHONPATH names this folder find a decoder of a GPU, nvvp8dec, that fails at its first
frame."""
import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import GLib, Gst, GstVideo  # noqa: E402

Gst.init(None)


vp8dec = type(Gst.ElementFactory.make('vp8dec'))
assert issubclass(vp8dec, GstVideo.VideoDecoder)


class BrokenDecoder(vp8dec):
    """Has the formats of vp8dec."""

    def do_handle_frame(self, _):
        error = GLib.Error.new_literal(Gst.StreamError.quark(), 'it has no memory', Gst.StreamError.DECODE)
        self.post_message(Gst.Message.new_error(self, error, ''))
        return Gst.FlowReturn.ERROR


# Below vp8dec, so that only a task that prefers it chooses it.
Gst.Element.register(None, 'nvvp8dec', Gst.Rank.SECONDARY, BrokenDecoder)
