#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the SHA-256 of the edge maps of videos, made in this process, or of the gray frames of a file, or of
their times and durations. A file may be a video, a *.tar of PNG files or a *.pbm.

    expected.py detect|decode|times VIDEO...
    expected.py untimed VIDEO...               the number of frames without times instead of the sum

A line has the sum, the number of frames and the video's name. A frame counts with the pixels of its rows.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile

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
LINES['untimed'] = 'uridecodebin name=source ! appsink name=sink sync=false'
PNG = ('multifilesrc name=source index=1 caps=image/png,framerate=1/1 ! pngdec ! video/x-raw,format=GRAY8 '
       '! appsink name=sink sync=false')


def pixels(sample):
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    buffer = sample.get_buffer()
    meta = GstVideo.buffer_get_video_meta(buffer)
    stride = meta.stride[0] if meta else info.stride[0]
    rows = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)
    return np.lib.stride_tricks.as_strided(rows, (info.height, info.width), (stride, 1)).tobytes()


def times(sample):
    buffer = sample.get_buffer()
    return ' '.join('-' if time == Gst.CLOCK_TIME_NONE else str(time)
                    for time in (buffer.pts, buffer.duration)).encode() + b'\n'


def samples(line, **properties):
    pipeline = Gst.parse_launch(line)
    for key, value in properties.items():
        pipeline.get_by_name('source').set_property(key, value)
    sink = pipeline.get_by_name('sink')
    pipeline.set_state(Gst.State.PLAYING)
    while sample := sink.try_pull_sample(10 * Gst.SECOND):
        yield sample
    pipeline.set_state(Gst.State.NULL)


def parts_of_tar(what, path):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['tar', '-xf', path, '-C', folder], check=True)
        if what == 'decode':
            yield from map(pixels, samples(PNG, location=f'{folder}/%08d.png'))
        else:
            yield from pathlib.Path(folder, 'times.txt').read_bytes().splitlines(keepends=True)


def parts_of_pbm(what, path):
    header = path.read_bytes().split(b'\n', 3)[:3]
    width, height = map(int, header[2].split())
    row, start = (width + 7) // 8, sum(map(len, header)) + 3
    for image in np.fromfile(path, np.uint8).reshape(-1, start + row * height):
        if what == 'decode':
            bits = np.unpackbits(image[start:].reshape(height, row), axis=1, count=width)
            yield (bits * np.uint8(255)).tobytes()
        else:
            yield b' '.join(image[:start].tobytes().split()[2:4]) + b'\n'


def parts_of(what, path):
    if path.suffix in ('.tar', '.pbm'):
        return (parts_of_tar if path.suffix == '.tar' else parts_of_pbm)(what, path)
    part = times if what == 'times' else pixels
    return map(part, samples(LINES[what], uri=path.absolute().as_uri()))


def sum_of(what, path):
    if what == 'untimed':
        found = [sample.get_buffer().pts for sample in samples(LINES[what], uri=path.absolute().as_uri())]
        return found.count(Gst.CLOCK_TIME_NONE), len(found)
    total, frames = hashlib.sha256(), 0
    for part in parts_of(what, path):
        total.update(part)
        frames += 1
    return total.hexdigest(), frames


Gst.init(None)
sys.stdout.reconfigure(errors='backslashreplace')
for name in sys.argv[2:]:
    print(*sum_of(sys.argv[1], pathlib.Path(name)), name)
