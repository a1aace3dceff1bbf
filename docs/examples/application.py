#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pushes frames of NumPy through cudacanny and reads their edges, meta and statistics:

    application.py
"""
import sys

import gi
import numpy as np

gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import Gst, GstApp, GstVideo

WIDTH, HEIGHT, FRAMES = 64, 48, 10
PIPELINE = f'''
  appsrc name=source format=time
    caps=video/x-raw,format=RGB,width={WIDTH},height={HEIGHT},framerate=25/1
  ! cudacanny name=detector low-threshold=50 high-threshold=150 contours=1
  ! video/x-raw,format=GRAY8 ! appsink name=sink sync=false'''


def square(number):
    """A bright square that moves to the right."""
    frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    frame[16:32, 8 + number:24 + number] = 255
    return frame


def buffer_of(frame, number):
    """Rows of RGB start at multiples of 4 bytes, which those of 64 pixels do."""
    buffer = Gst.Buffer.new_wrapped(frame.tobytes())
    buffer.pts = number * Gst.SECOND // 25
    buffer.duration = Gst.SECOND // 25
    return buffer


def array_of(sample):
    """The rows of a frame of GRAY8, which may have bytes at their ends that are no pixels."""
    info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    buffer = sample.get_buffer()
    meta = GstVideo.buffer_get_video_meta(buffer)
    stride, offset = (meta.stride[0], meta.offset[0]) if meta else (info.stride[0], info.offset[0])
    rows = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)
    return np.lib.stride_tricks.as_strided(rows[offset:], (info.height, info.width), (stride, 1))


def chains_of(fields):
    """The edges in the meta of a frame: for each chain, an array with columns x and y."""
    points, ends = (np.frombuffer(fields.get_value(name).get_data() or b'', kind)
                    for name, kind in (('contour-points', 'u2'), ('contour-ends', 'u4')))
    return np.split(points.reshape(-1, 2), ends)[:-1]


def print_meta(_, info):
    """Reads the meta of a buffer that leaves the detector, without changing the buffer."""
    fields = info.get_buffer().get_custom_meta('cudacanny').get_structure()
    print(f'{fields.get_value("edge-pixels")} edge pixels above {fields.get_value("high"):g} '
          f'in {len(chains_of(fields))} chains')
    return Gst.PadProbeReturn.OK


def main():
    Gst.init(None)
    pipeline = Gst.parse_launch(PIPELINE)
    source, detector, sink = map(pipeline.get_by_name, ('source', 'detector', 'sink'))
    detector.get_static_pad('src').add_probe(Gst.PadProbeType.BUFFER, print_meta)
    pipeline.set_state(Gst.State.PLAYING)
    for number in range(FRAMES):
        source.push_buffer(buffer_of(square(number), number))
    source.end_of_stream()
    edges = []
    while sample := sink.try_pull_sample(30 * Gst.SECOND):
        edges.append(array_of(sample))
    error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    stats = detector.get_property('stats')
    print(stats.get_value('backend'), stats.get_value('frames'), 'frames')
    pipeline.set_state(Gst.State.NULL)
    if error:
        sys.exit(f'application.py: {error.parse_error()[0].message}')
    return edges


if __name__ == '__main__':
    main()
