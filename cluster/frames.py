# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of a video: their pixels, their times, and which of them belong to a piece."""
import hashlib

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import Gst, GstVideo  # noqa: E402

# Frames a second, numerator and denominator, of videos that do not say.
FRAME_RATE = 25, 1


class BadVideo(Exception):
    pass


class Misfit(Exception):
    """The video can't be made in pieces."""


def row_layouts(info, buffer):
    """(offset, stride, bytes of a row, rows) of each plane. Raises BadVideo if pixels have no bytes of their own."""
    meta = GstVideo.buffer_get_video_meta(buffer)
    strides, offsets = (meta.stride, meta.offset) if meta else (info.stride, info.offset)
    layouts, format_info = {}, info.finfo
    if format_info.flags & GstVideo.VideoFormatFlags.TILED or 0 in format_info.pixel_stride[:format_info.n_components]:
        raise BadVideo(f'the format {format_info.name} has no rows of whole pixels; have --encoder take another one')
    for component in range(format_info.n_components):
        plane = format_info.plane[component]
        columns, rows = -(-info.width // 2 ** format_info.w_sub[component]), \
            -(-info.height // 2 ** format_info.h_sub[component])
        row = columns * format_info.pixel_stride[component]
        layouts.setdefault(plane, (offsets[plane], strides[plane], row, rows))
    return [layouts[plane] for plane in sorted(layouts)]


def hash_frame(info, buffer, *hashes):
    """Adds the pixels of a frame, row by row and without padding."""
    is_mapped, mapped = buffer.map(Gst.MapFlags.READ)
    if not is_mapped:
        raise BadVideo('a frame can\'t be read')
    try:
        view = memoryview(mapped.data)
        for offset, stride, row, rows in row_layouts(info, buffer):
            step, times = (row * rows, 1) if stride == row else (row, rows)
            for y in range(times):
                for each in hashes:
                    each.update(view[offset + y * stride:offset + y * stride + step])
    finally:
        buffer.unmap(mapped)


def stream_time(pad, buffer):
    """The time of a frame in the video, in nanoseconds, or None."""
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
    sign, value = segment.to_stream_time_full(Gst.Format.TIME, buffer.pts)
    return sign * value if sign and buffer.pts != Gst.CLOCK_TIME_NONE else None


def running_time(pad, buffer):
    """The time since the beginning, which files get; in nanoseconds."""
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
    sign, value = segment.to_running_time_full(Gst.Format.TIME, buffer.pts)
    return sign * value


def with_times(buffer, at, duration):
    """A copy, as others may have the buffer too, which shares its memory."""
    flags = Gst.BufferCopyFlags
    copy = buffer.copy_region(flags.FLAGS | flags.META | flags.MEMORY, 0, buffer.get_size())
    copy.pts, copy.duration = at, duration
    return copy


def period_of(caps):
    """(nanoseconds from one frame to the next, frames a second as a text)."""
    info = GstVideo.VideoInfo.new_from_caps(caps)
    frames, seconds = (info.fps_n, info.fps_d) if info.fps_n > 0 else FRAME_RATE
    return Gst.SECOND * seconds // frames, f'{frames / seconds:.5g}'


def valid(time_or_none):
    return None if time_or_none == Gst.CLOCK_TIME_NONE else time_or_none


class Sums:
    """What a sidecar says about the frames that leave the detector."""

    def __init__(self):
        self.frames, self.edge_pixels, self.hash = 0, 0, hashlib.sha256()
        self.caps = self.info = None

    def _set_caps(self, caps):
        """Not all encoders refuse frames that change their size."""
        info, old = GstVideo.VideoInfo.new_from_caps(caps), self.info
        if old and (old.width, old.height, old.finfo.format) != (info.width, info.height, info.finfo.format):
            raise BadVideo(f'the size of the frames changes, from {old.width}x{old.height} to '
                           f'{info.width}x{info.height} pixels')
        self.caps, self.info = caps, info

    def add(self, caps, buffer, *hashes):
        if not self.caps or not caps.is_equal(self.caps):
            self._set_caps(caps)
        meta = buffer.get_custom_meta('cudacanny')
        if meta:
            self.edge_pixels += meta.get_structure().get_value('edge-pixels')
        self.frames += 1
        hash_frame(self.info, buffer, self.hash, *hashes)


class Span:
    """The frames of a piece among those that are decoded, up to the first frame of the next piece."""

    def __init__(self, piece):
        self.start, self.end = piece.start, piece.end
        self.first = self.next = self.last_time = self.offset = None
        self.is_over = False

    def look(self, pad, buffer):
        """Whether the frame belongs to the piece. The last call is that of the first frame after it."""
        at = stream_time(pad, buffer)
        if at is None:
            raise Misfit('a frame has no time')
        if self.offset is None:
            self.offset = at - running_time(pad, buffer)
        if self.last_time is not None and at < self.last_time:
            raise Misfit(f'the times of frames go back, from {self.last_time} to {at} ns')
        self.last_time = at
        if self.start is not None and at < self.start:
            return False
        self.is_over = self.end is not None and at >= self.end
        if self.is_over:
            self.next = self._mark(pad, buffer, at)
            return False
        if buffer.has_flags(Gst.BufferFlags.CORRUPTED):
            raise Misfit('a decoder calls a frame damaged')
        self.first = self.first or self._mark(pad, buffer, at)
        return True

    @staticmethod
    def _mark(pad, buffer, at):
        total = hashlib.sha256()
        try:
            hash_frame(GstVideo.VideoInfo.new_from_caps(pad.get_current_caps()), buffer, total)
        except BadVideo as problem:
            raise Misfit(f'a frame can\'t be compared: {problem}') from None
        return {'time': at, 'sha256': total.hexdigest()}
