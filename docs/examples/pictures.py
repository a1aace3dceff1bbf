#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the edges of numbered JPEG files, from 0 on, as PNG files with the same numbers:

    pictures.py photo-%03d.jpg edges-%03d.png [NAME=VALUE...]

The pictures may differ in size. Names and values are properties of cudacanny.
"""
import sys

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst

PIPELINE = '''
  multifilesrc name=source caps=image/jpeg,framerate=1/1 ! jpegdec idct-method=islow ! videoconvert
  ! cudacanny {} ! video/x-raw,format=GRAY8 ! pngenc ! multifilesink name=sink'''


def main():
    if len(sys.argv) < 3 or not all('=' in setting for setting in sys.argv[3:]):
        sys.exit('usage: pictures.py photo-%03d.jpg edges-%03d.png [NAME=VALUE...]')
    Gst.init(None)
    try:
        pipeline = Gst.parse_launch(PIPELINE.format(' '.join(sys.argv[3:])))
    except GLib.Error as error:
        sys.exit(f'pictures.py: {error.message}')
    pipeline.get_by_name('source').set_property('location', sys.argv[1])
    pipeline.get_by_name('sink').set_property('location', sys.argv[2])
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(f'pictures.py: {message.parse_error()[0].message}')


if __name__ == '__main__':
    main()
