# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lengths of videos, by which they are cut into pieces."""
import concurrent.futures

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstPbutils', '1.0')
from gi.repository import GLib, Gst, GstPbutils  # noqa: E402

# Seconds for one video, and the number that are looked at together.
LIMIT, AT_ONCE = 15, 4


def length_of(uri):
    """Nanoseconds; None if the video declares no length or has no seeks, and if it can't be read."""
    try:
        info = GstPbutils.Discoverer.new(LIMIT * Gst.SECOND).discover_uri(uri)
    except GLib.Error:
        return None
    length = info.get_duration()
    return length if length and length != Gst.CLOCK_TIME_NONE and info.get_seekable() else None


def of(uris):
    """The lengths, in the order of the videos."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(length_of, uris))
