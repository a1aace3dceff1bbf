#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Moves a region of interest over the frames of a source, so that cudacanny finds edges in it alone:

    regions.py 'SOURCE' 'SINK'

Both are parts of a launch line, such as 'videotestsrc ! video/x-raw,format=GRAY8' and
'videoconvert ! autovideosink'.
"""
import sys

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import GLib, Gst, GstApp, GstVideo

# A buffer is writable if there is one reference to it. In a pad probe there are two, the probe's and
# Python's, so metas can't be attached there. Instead, frames go from one pipeline to another.
FIRST = '{} ! appsink name=frames emit-signals=true sync=false max-buffers=4'
SECOND = 'appsrc name=frames format=time block=true max-buffers=4 ! cudacanny roi-mode=meta ! {}'

# Gst.Buffer.copy() would be another reference.
ALL_OF_A_BUFFER = (Gst.BufferCopyFlags.FLAGS | Gst.BufferCopyFlags.TIMESTAMPS |
                   Gst.BufferCopyFlags.META | Gst.BufferCopyFlags.MEMORY)


class MovingRegion:
    """Attaches a region to each frame, 8 pixels further to the right than that of the last one."""

    def __init__(self, appsink, appsrc):
        self.number = 0
        self.appsrc = appsrc
        appsink.connect('new-sample', self.forward)
        appsink.connect('eos', lambda _: appsrc.end_of_stream())

    def forward(self, appsink):
        sample = appsink.pull_sample()
        self.appsrc.set_caps(sample.get_caps())
        buffer = sample.get_buffer()
        copy = buffer.copy_region(ALL_OF_A_BUFFER, 0, buffer.get_size())  # shares the pixels
        GstVideo.buffer_add_video_region_of_interest_meta(copy, 'region', 8 * self.number, 16, 32, 24)
        self.number += 1
        return self.appsrc.push_buffer(copy)


def run(first, second):
    """Returns the error that ends one of the pipelines, or None at the end of the second one."""
    loop = GLib.MainLoop()
    errors = []

    def end(_, message, pipeline):
        if message.type == Gst.MessageType.ERROR:
            errors.append(message.parse_error()[0].message)
        if errors or (message.type == Gst.MessageType.EOS and pipeline is second):
            loop.quit()

    for pipeline in (second, first):
        bus = pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect('message', end, pipeline)
        pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    for pipeline in (second, first):
        pipeline.set_state(Gst.State.NULL)
    return errors[0] if errors else None


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: regions.py 'SOURCE' 'SINK'")
    Gst.init(None)
    try:
        first = Gst.parse_launch(FIRST.format(sys.argv[1]))
        second = Gst.parse_launch(SECOND.format(sys.argv[2]))
    except GLib.Error as error:
        sys.exit(f'regions.py: {error.message}')
    MovingRegion(first.get_by_name('frames'), second.get_by_name('frames'))
    error = run(first, second)
    if error:
        sys.exit(f'regions.py: {error}')


if __name__ == '__main__':
    main()
