#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes videos whose frames are not at the multiples of a frame's duration, in a folder:

variable.mkv    the times and the durations of frames vary, and some are missing
late.mkv        begins at 5 s
back.mkv        its times go back once
"""
import pathlib
import sys

import gi

gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

FRAMES = ('videotestsrc pattern=ball num-buffers=75 ! video/x-raw,format=I420,width=96,height=64,framerate=25/1 '
          '{} ! appsink name=sink sync=false')
FILE = 'appsrc name=source format=time ! matroskamux ! fdsink name=sink'
# A framerate would set the durations.
JPEG = '! jpegenc ! capssetter caps=image/jpeg,framerate=0/1'
# Encoders, and functions from the number of a frame to its time and duration in milliseconds, or None if the
# frame is missing. Decoders do not let times go back, so one video is raw.
VIDEOS = {
    'variable.mkv': (JPEG, lambda i: None if i % 7 == 5 else (40 * i + i % 3 * 7, 20 + i % 5)),
    'late.mkv': (JPEG, lambda i: (5000 + 40 * i, 40)),
    'back.mkv': ('', lambda i: (40 * (i if i < 45 else i - 20), 40))}


def samples(encoder):
    pipeline = Gst.parse_launch(FRAMES.format(encoder))
    pipeline.set_state(Gst.State.PLAYING)
    while sample := pipeline.get_by_name('sink').emit('try-pull-sample', 10 * Gst.SECOND):
        yield sample
    pipeline.set_state(Gst.State.NULL)


def make(file, encoder, times_of):
    pipeline = Gst.parse_launch(FILE)
    pipeline.get_by_name('sink').set_property('fd', file.fileno())
    source = pipeline.get_by_name('source')
    pipeline.set_state(Gst.State.PLAYING)
    for number, sample in enumerate(samples(encoder)):
        source.set_property('caps', sample.get_caps())
        if times := times_of(number):
            buffer = Gst.Buffer.new_wrapped(sample.get_buffer().extract_dup(0, sample.get_buffer().get_size()))
            buffer.pts, buffer.duration = (time * Gst.MSECOND for time in times)
            source.emit('push-buffer', buffer)
    source.emit('end-of-stream')
    message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message is None or message.type != Gst.MessageType.EOS:
        sys.exit(f'{file.name} could not be made')


Gst.init(None)
for name, arguments in VIDEOS.items():
    with open(pathlib.Path(sys.argv[1], name), 'wb') as output:
        make(output, *arguments)
