#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the SHA-256 of the edge maps of videos, made in this process, or of the gray frames of a file, or of
their times and durations.

    expected.py detect|decode|times VIDEO...

A line has the sum, the number of frames and the video's name. A frame counts with the pixels of its rows.
"""
import hashlib
import pathlib
import sys

import gi
import numpy as np

gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import Gst, GstApp, GstVideo  # noqa: E402, F401

LINES = {'detect': 'uridecodebin name=source caps=video/x-raw(ANY) expose-all-streams=false ! videoconvert '
                   '! cudacanny backend=cpu sigma=2 ! video/x-raw,format=GRAY8 ! appsink name=sink sync=false',
         'decode': 'uridecodebin name=source ! video/x-raw,format=GRAY8 ! appsink name=sink sync=false'}
LINES['times'] = LINES['decode']


def pixels(sample):
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    buffer = sample.get_buffer()
    meta = GstVideo.buffer_get_video_meta(buffer)
    stride = meta.stride[0] if meta else info.stride[0]
    rows = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)
    return np.lib.stride_tricks.as_strided(rows, (info.height, info.width), (stride, 1)).tobytes()


def times(sample):
    buffer = sample.get_buffer()
    return f'{buffer.pts} {buffer.duration}\n'.encode()


def sum_of(what, path):
    pipeline, part = Gst.parse_launch(LINES[what]), times if what == 'times' else pixels
    pipeline.get_by_name('source').set_property('uri', path.absolute().as_uri())
    sink, total, frames = pipeline.get_by_name('sink'), hashlib.sha256(), 0
    pipeline.set_state(Gst.State.PLAYING)
    while sample := sink.try_pull_sample(10 * Gst.SECOND):
        total.update(part(sample))
        frames += 1
    pipeline.set_state(Gst.State.NULL)
    return total.hexdigest(), frames


Gst.init(None)
sys.stdout.reconfigure(errors='backslashreplace')
for name in sys.argv[2:]:
    print(*sum_of(sys.argv[1], pathlib.Path(name)), name)
