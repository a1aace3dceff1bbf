# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes one file of a video's pieces, whose frames it decodes once to see that they are whole."""
import hashlib
import itertools
import os
import time

import gi

gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

import archive  # noqa: E402
import pipelines  # noqa: E402
import stops  # noqa: E402
from frames import BadVideo, Misfit, Sums, with_times  # noqa: E402

# Frames that wait for the encoder.
WAITING = 8


def check_fit(records):
    """Raises Misfit unless each piece begins with the very frame that came after the one before."""
    for record in filter(None, records):
        if 'misfit' in record:
            raise Misfit(record['misfit'])
    if not all(records):
        raise Misfit('a piece is missing')
    if any(record['source_file'] != records[0]['source_file'] for record in records):
        raise Misfit('the video changed between the pieces')
    if len({record['caps'] for record in records if record['frames']}) > 1:
        raise Misfit('the format of the frames changes between the pieces')
    for number, (one, other) in enumerate(itertools.pairwise(records), 2):
        expected, found = one['next'], other['first'] or other['next']
        if expected != found:
            raise Misfit(f'the first frame of piece {number} is not the one after piece {number - 1}')


def times_of(piece, offset):
    """(time, duration) of each frame, as they are without pieces."""
    for line in piece.times_path().read_text(encoding='ascii').splitlines():
        at, length = line.split()
        yield int(at) - offset, Gst.CLOCK_TIME_NONE if length == '-' else int(length)


def samples(file, stall, decode):
    """The packets in a Matroska file, or its frames."""
    decoder = f'avdec_ffv1 max-threads={os.environ.get("SLURM_CPUS_PER_TASK", 0)} !' if decode else ''
    pipeline = Gst.parse_launch(f'{pipelines.source_of(file)} ! matroskademux ! '
                                f'{decoder} appsink name=sink sync=false max-buffers={WAITING}')
    sink = pipeline.get_by_name('sink')
    try:
        pipeline.set_state(Gst.State.PLAYING)
        while sample := sink.emit('try-pull-sample', stall * Gst.SECOND):
            stops.look()
            yield sample
        if not sink.get_property('eos'):
            message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            raise Misfit(pipelines.text_of(message) if message else f'a piece gave no frame for {stall} s')
    finally:
        pipelines.shut_down(pipeline)


class Writer:
    """Encodes frames to a file, or puts packets into one."""

    def __init__(self, caps, encoder, file, stall):
        self.stall, self.pipeline = stall, Gst.Pipeline.new(None)
        self.source = Gst.ElementFactory.make('appsrc')
        self.source.set_property('caps', Gst.Caps.from_string(caps))
        self.source.set_property('format', Gst.Format.TIME)
        pipelines.add_chain(self.pipeline, self.source, pipelines.make_encoder(encoder),
                            pipelines.make_sink(file, encoder))
        self.pipeline.set_state(Gst.State.PLAYING)

    def _waiting(self):
        return self.source.get_property('current-level-buffers')

    def push(self, buffer, at, duration):
        self.source.emit('push-buffer', with_times(buffer, at, duration))
        since = time.monotonic()
        while self._waiting() >= WAITING:
            if message := self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR):
                raise BadVideo(pipelines.text_of(message))
            if time.monotonic() - since > self.stall:
                raise BadVideo(f'the encoder took no frame for {self.stall} s')
            stops.look()
            time.sleep(0.002)

    def finish(self):
        self.source.emit('end-of-stream')
        pipelines.play_to_end(self.pipeline, self.stall, self._waiting)

    def close(self):
        pipelines.shut_down(self.pipeline)


class Joined:
    """The whole of a video's pieces. Like a Pipeline, it knows what the sidecar says."""

    untimed = 0  # else they would be misfits

    def __init__(self, video):
        self.pieces, self.records = video.pieces, [piece.record for piece in video.pieces]
        check_fit(self.records)
        self.encoder, self.stall = video.settings['encoder'], video.settings['stall']
        self.sums, self.decoded = Sums(), sum(record['frames'] for record in self.records)
        self.end = max(record['frames_end'] for record in self.records)
        self.length = max(record['length'] for record in self.records)
        self.backend, self.device = (', '.join(sorted({record[key] for record in self.records}))
                                     for key in ('backend', 'device'))
        self.values = self.records[0].get('values')
        self.seconds_of_pieces = sum(record['seconds'] for record in self.records)
        self.sums.edge_pixels = sum(record['edge_pixels'] for record in self.records)
        self.parts = [(piece, record) for piece, record in zip(self.pieces, self.records) if record['frames']]
        if not self.parts:
            raise Misfit('the pieces have no frames')

    def write(self, file):
        """Raises Misfit if a piece is damaged."""
        packets = {record['packets'] for _, record in self.parts}
        can_copy = self.encoder in archive.LOSSLESS and len(packets) == 1
        writer = Writer(packets.pop(), 'matroskamux', file, self.stall) if can_copy else \
            Writer(self.parts[0][1]['caps'], self.encoder, file, self.stall)
        try:
            for piece, record in self.parts:
                self._write_piece(writer, piece, record, decode=not can_copy)
            writer.finish()
        finally:
            writer.close()
        if can_copy:
            frames = samples(file, self.stall, decode=True)
            for piece, record in self.parts:
                for _ in self._summed(itertools.islice(frames, record['frames']), piece, record):
                    pass

    def _write_piece(self, writer, piece, record, decode):
        with open(piece.edges(), 'rb') as file:
            found = samples(file, self.stall, decode)
            found = self._summed(found, piece, record) if decode else found
            times = times_of(piece, self.records[0]['offset'])
            try:
                for sample, (at, duration) in zip(found, times, strict=True):
                    writer.push(sample.get_buffer(), at, duration)
            except ValueError:
                raise Misfit(f'{piece.title()} is damaged: it has another number of frames') from None

    def _summed(self, frames, piece, record):
        """Gives the frames of a piece; raises Misfit after the last if they are not those that were made."""
        total = hashlib.sha256()
        for sample in frames:
            self.sums.add(sample.get_caps(), sample.get_buffer(), total)
            yield sample
        if total.hexdigest() != record['frames_sha256']:
            raise Misfit(f'{piece.title()} is damaged: its frames have another SHA-256')

    def about_pieces(self):
        """What a sidecar says in addition."""
        shares = {}
        for record in self.records:
            share = shares.setdefault((record['host'], record['device']), {
                'host': record['host'], 'device': record['device'], 'pieces': 0, 'frames': 0, 'seconds': 0})
            share['pieces'] += 1
            share['frames'] += record['frames']
            share['seconds'] = round(share['seconds'] + record['seconds'], 3)
        return {'pieces': len(self.records), 'shares': list(shares.values()),
                'began': min(record['ended'] - record['seconds'] for record in self.records)}


def join(video, file):
    """Writes the edges of all pieces to the file, and gives what is known about them."""
    joined = Joined(video)
    joined.write(file)
    return joined
