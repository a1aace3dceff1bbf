# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer's part: decodes a video or a piece of it, detects edges, encodes them, and reads files back."""
import os
import re
import textwrap
import threading
import time
import warnings

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import GLib, GObject, Gst, GstVideo  # noqa: E402

import archive  # noqa: E402
import images  # noqa: E402
import stops  # noqa: E402
from frames import (BadVideo, Misfit, Span, Sums, period_of, row_layouts, running_time,  # noqa: E402
                    stream_time, valid, with_times)

# Pieces begin to decode this much before their start, so that no frame near it is cut short.
MARGIN = Gst.SECOND
# Seconds that a pipeline may take to stop: less than Slurm's KillWait of 30 s.
TIME_TO_STOP = 20
# On NVIDIA GPUs. The standards of these formats fix each bit of a picture, so that other decoders give the same.
GPU_DECODERS = 'nvh264dec', 'nvh265dec', 'nvvp8dec', 'nvvp9dec', 'nvav1dec'


class BadSettings(Exception):
    pass


class BadNode(Exception):
    """What videos can't be blamed for."""


def prefer_gpu_decoders():
    """Has uridecodebin choose them where they can decode a video; else their rank is that of others."""
    for name in GPU_DECODERS:
        if factory := Gst.ElementFactory.find(name):
            factory.set_rank(Gst.Rank.PRIMARY + 1)


def value_of(element, name):
    """The value of a property; of an enumeration, its nick."""
    value = element.get_property(name)
    return getattr(value, 'value_nick', value)


def is_written(value, text):
    """Whether a text stands for the value of a property that is not a text."""
    if isinstance(value, bool):
        return text.lower() in (('true', 'yes', 't', '1') if value else ('false', 'no', 'f', '0'))
    if isinstance(value, GObject.GEnum) and text in (value.value_nick, value.value_name):
        return True
    try:
        return value == (int(text, 0) if isinstance(value, int) else float(text))
    except (TypeError, ValueError):
        return False


def valid_values(kind, value):
    """The values of a property, which has this one now."""
    if kind.value_type == GObject.TYPE_BOOLEAN:
        return 'true or false'
    if kind.value_type.is_a(GObject.TYPE_ENUM):
        choices = getattr(type(value), '__enum_values__', None)  # PyGObject before 3.52
        return ', '.join(choice.value_nick for choice in (choices.values() if choices else type(value)))
    return f'{kind.minimum:.15g} to {kind.maximum:.15g}'


def set_property(element, name, text):
    """Raises BadSettings, in the words of the element, unless it then has this value: GStreamer may only warn."""
    kind = element.find_property(name)
    if not kind or kind.owner_type == Gst.Object.__gtype__ or not kind.flags & GObject.ParamFlags.WRITABLE:
        raise BadSettings(f'cudacanny has no property "{name}" to set (gst-inspect-1.0 cudacanny lists the properties)')
    is_text = kind.value_type == GObject.TYPE_STRING
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        if is_text:
            element.set_property(name, text)
        else:
            Gst.util_set_object_arg(element, name, text)
    if refused := element.bus.pop_filtered(Gst.MessageType.WARNING):
        raise BadSettings(refused.parse_warning()[0].message)
    if not is_text and not is_written(element.get_property(name), text):
        valid = valid_values(kind, element.get_property(name))
        raise BadSettings(f'could not set property "{name}" to "{text}": {valid} ({kind.blurb})')


def make_detector(settings):
    """The element, with the settings' properties."""
    detector = Gst.ElementFactory.make('cudacanny', 'detector')
    if not detector:
        raise BadNode('GStreamer has no element cudacanny; is GST_PLUGIN_PATH set, here and on the nodes?')
    detector.set_bus(Gst.Bus.new())  # for warnings, until it is in a pipeline
    properties = dict(settings['properties'])
    if not settings['gpus']:
        properties.setdefault('backend', 'cpu')
    if threads := os.environ.get('SLURM_CPUS_PER_TASK'):
        properties.setdefault('n-threads', threads)
    for name, text in properties.items():
        set_property(detector, name, text)
    return detector


def make_encoder(encoder):
    try:
        with warnings.catch_warnings(record=True) as values:  # out of range
            warnings.simplefilter('always')
            # A launch line can't begin with caps.
            made = Gst.parse_bin_from_description(f'identity ! {archive.launch_line(encoder)}', True)
    except GLib.Error as error:
        raise BadSettings(f'--encoder: {error.message}') from None
    if values:
        raise BadSettings(f'--encoder: {values[0].message}')
    return made


def check_encoder_for_pieces(encoder):
    """Raises BadSettings unless the pieces can have the format that the encoder would get."""
    caps = Gst.Caps.from_string(archive.launch_line(encoder).partition('!')[0])
    if not caps or caps.get_size() != 1 or not re.search(r', format=\(string\)\w', caps.to_string()):
        raise BadSettings('--split needs an --encoder that begins with a format: video/x-raw,format=I420')
    make_encoder(archive.encoder_of_pieces(encoder))


def make_sink(file, encoder):
    if encoder in images.FORMS:
        return make_image_sink(images.FORMS[encoder](file))
    sink = Gst.ElementFactory.make('fdsink', 'edges-file')  # names of files need not be text, as filesink's are
    sink.set_property('fd', os.dup(file.fileno()))  # which shut_down() closes
    return sink


def make_image_sink(writer):
    """A sink that has the writer write frames."""
    def attempt(call, *arguments):
        try:
            call(*arguments)
            return Gst.FlowReturn.OK
        except Exception as error:  # pylint: disable=broad-except  # else it would be lost in this thread
            error = GLib.Error.new_literal(Gst.ResourceError.quark(), str(error), Gst.ResourceError.WRITE)
            sink.post_message(Gst.Message.new_error(sink, error, ''))
            return Gst.FlowReturn.ERROR
    sink = Gst.ElementFactory.make('appsink', 'images')
    sink.set_property('sync', False)
    sink.set_property('emit-signals', True)
    sink.connect('new-sample', lambda _: attempt(write_image, writer, sink.emit('pull-sample')))
    sink.connect('eos', lambda _: attempt(writer.finish))
    return sink


def write_image(writer, sample):
    """What an encoder gave, or the pixels without padding, with the time and the duration in nanoseconds."""
    info, buffer = GstVideo.VideoInfo.new_from_caps(sample.get_caps()), sample.get_buffer()
    data = buffer.extract_dup(0, buffer.get_size())
    if info.finfo.format != GstVideo.VideoFormat.ENCODED:
        (offset, stride, row, rows), = row_layouts(info, buffer)
        data = b''.join(data[offset + y * stride:offset + y * stride + row] for y in range(rows))
    sign, at = sample.get_segment().to_running_time_full(Gst.Format.TIME, buffer.pts)
    writer.add((info.width, info.height), data, [str(sign * at) if sign and valid(buffer.pts) is not None else '-',
                            '-' if valid(buffer.duration) is None else str(buffer.duration)])


def add_chain(pipeline, *chain):
    """Adds elements and links each to the next."""
    for element in chain:
        pipeline.add(element)
    for one, other in zip(chain, chain[1:]):
        if not one.link(other):
            raise BadSettings(f'--encoder: {one.get_name()} can\'t be linked to {other.get_name()}')


class Pipeline:
    """Decodes a video or a piece, detects edges, and encodes them to a file."""

    seconds_of_pieces = 0  # work that was done before
    untimed, rate = 0, None  # frames without times, and the frames a second that they got

    def __init__(self, video, file, encoder, piece=None):
        self.sums, self.decoded, self.end, self.length, self.error = Sums(), 0, 0, 0, None
        self.piece, self.span, self.times = piece, piece and Span(piece), []
        self.blocked, self.packets, self.next_time, self.has_container = None, 0, 0, False
        self.pipeline = Gst.Pipeline.new(None)
        self.source = Gst.ElementFactory.make('uridecodebin', 'source')
        self.source.set_property('uri', video.source)
        self.source.set_property('caps', Gst.Caps.from_string('video/x-raw(ANY)'))
        self.source.set_property('expose-all-streams', False)
        self.queue, converter = (Gst.ElementFactory.make(name) for name in ('queue', 'videoconvert'))
        self.detector, self.encoder = make_detector(video.settings), make_encoder(encoder)
        self.values = {name: value_of(self.detector, name) for name in video.settings['properties']}
        self.pipeline.add(self.source)
        add_chain(self.pipeline, self.queue, converter, self.detector, self.encoder, make_sink(file, encoder))
        self.source.connect('pad-added', self._link)
        self.pipeline.connect('deep-element-added', self._look_at_element)
        self._probe(self.queue.get_static_pad('sink'), self._select if piece else self._give_time)
        self._probe(self.detector.get_static_pad('sink'), self._count)
        self._probe(self.detector.get_static_pad('src'), self._sum)

    def _probe(self, pad, function):
        """Calls the function with the pad and each buffer, which is dropped if the function gives False."""
        def call(_, probe):
            try:
                keep = not self.error and function(pad, probe.get_buffer())
            except Exception as error:  # pylint: disable=broad-except  # else it would be lost in this thread
                self.error, keep = error, False
                self.pipeline.get_bus().post(Gst.Message.new_eos(self.pipeline))
            return Gst.PadProbeReturn.OK if keep else Gst.PadProbeReturn.DROP
        pad.add_probe(Gst.PadProbeType.BUFFER, call)

    def _link(self, _, pad):
        sink = self.queue.get_static_pad('sink')
        if sink.is_linked():
            return
        if self.piece and self.piece.start is not None:
            pad.add_probe(Gst.PadProbeType.BLOCK_DOWNSTREAM, self._block)
        pad.link(sink)

    def _block(self, pad, probe):
        """Has run() seek before anything leaves the decoder."""
        if self.blocked is None:
            self.blocked = pad, probe.id
            message = Gst.Message.new_application(self.source, Gst.Structure.new_empty('seek'))
            self.pipeline.get_bus().post(message)
        return Gst.PadProbeReturn.OK

    def _seek(self):
        pad, block = self.blocked
        query = Gst.Query.new_seeking(Gst.Format.TIME)
        if not pad.query(query) or not query.parse_seeking()[1]:
            raise Misfit('its format has no seeks')
        if not pad.send_event(Gst.Event.new_seek(
                1.0, Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, Gst.SeekType.SET,
                max(0, self.piece.start - MARGIN), Gst.SeekType.NONE, -1)):
            raise Misfit(f'seeking to {self.piece.start} ns fails')
        pad.remove_probe(block)

    def _look_at_element(self, _, __, element):
        factory = element.get_factory()
        kinds = set(factory.get_metadata('klass').split('/')) if factory else set()
        self.has_container |= 'Demuxer' in kinds
        if self.piece and {'Decoder', 'Video'} <= kinds:
            self._count_packets(element)

    def _count_packets(self, decoder):
        """Shows that a decoder is at work before the first frame of a piece."""
        def count(*_):
            self.packets += 1
            return Gst.PadProbeReturn.OK
        decoder.get_static_pad('sink').add_probe(Gst.PadProbeType.BUFFER, count)

    def _select(self, pad, buffer):
        if not pad.get_sticky_event(Gst.EventType.SEGMENT, 0):
            return False  # left over from before a seek; pieces that miss a frame do not fit
        belongs = self.span.look(pad, buffer)
        if self.span.is_over:
            pad.send_event(Gst.Event.new_eos())
        return belongs

    def _give_time(self, pad, buffer):
        """A frame without a time, as many elementary streams have, comes after the one before: files need times."""
        period, rate = period_of(pad.get_current_caps())
        if valid(buffer.pts) is None:
            self.untimed, self.rate = self.untimed + 1, rate
            segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
            _, at = segment.position_from_running_time_full(Gst.Format.TIME, self.next_time)
            pad.chain(with_times(buffer, at, period))
            return False
        self.next_time = running_time(pad, buffer) + (valid(buffer.duration) or period)
        return True

    def _count(self, pad, buffer):
        self.decoded += 1
        if (at := stream_time(pad, buffer)) is not None:
            self.end = max(self.end, at + (valid(buffer.duration) or 0))
        return True

    def _sum(self, pad, buffer):
        self.sums.add(pad.get_current_caps(), buffer)
        if self.piece:
            self.times.append((stream_time(pad, buffer), valid(buffer.duration)))
        return True

    def _look(self, message):
        """Asks for the declared length of the video, and seeks when that is possible. Of elementary streams,
        parsers only guess a length."""
        if not self.length and self.has_container:
            has_length, length = self.pipeline.query_duration(Gst.Format.TIME)
            self.length = length if has_length else 0
        if message and message.type == Gst.MessageType.APPLICATION:
            self._seek()

    def run(self, stall):
        """Until the end, or until no frame comes for `stall` seconds. The declared length of the video is in
        self.length, 0 if it has none."""
        try:
            play_to_end(self.pipeline, stall, lambda: self.sums.frames, self._look,
                        lambda: (self.sums.frames, self.sums.frames or self.packets))
            stats = self.detector.get_property('stats')
            self.backend = stats.get_value('backend')
            self.device = stats.get_value('device')
            self.caps = caps_after(self.detector)
            self.packets_caps = caps_after(self.encoder.get_by_name('packets')) if self.piece else None
        finally:
            shut_down(self.pipeline)
        if isinstance(self.error, Misfit):
            raise self.error
        if self.error:
            raise BadVideo(str(self.error))


def caps_after(element):
    """The format that an element gives, as a text, while the pipeline runs; None before the first frame."""
    caps = element.get_static_pad('src').get_current_caps()
    return caps.to_string() if caps else None


def shut_down(pipeline):
    """Stops a pipeline. One whose threads never return is left behind, with its file."""
    if set_state(pipeline, Gst.State.NULL, TIME_TO_STOP) and (sink := pipeline.get_by_name('edges-file')):
        os.close(sink.get_property('fd'))


def set_state(pipeline, state, seconds):
    """Returns whether the pipeline takes the state within `seconds`: opening a file can last for ever."""
    thread = threading.Thread(target=pipeline.set_state, args=(state,), daemon=True)
    thread.start()
    end = time.monotonic() + seconds
    while thread.is_alive() and time.monotonic() < end:
        stops.look()
        thread.join(0.1)
    return not thread.is_alive()


def text_of(message):
    """What a message of an error says. Details may have all bytes of a codec's header."""
    error, debug = message.parse_error()
    details = (debug or '').strip().splitlines()
    text = f'{message.src.get_name()}: {error.message}' + (f' ({details[-1].strip()})' if details else '')
    return textwrap.shorten(text, 500)


def play_to_end(pipeline, stall, frames, look=lambda message: None, progress=None):
    """Raises BadVideo at an error, or if progress(), else frames(), stays the same for `stall` seconds. Calls
    look() with each message of an application, and now and then with None."""
    progress = progress or frames
    if not set_state(pipeline, Gst.State.PLAYING, stall):
        raise BadVideo(f'it could not be opened within {stall} s')
    seen, since = progress(), time.monotonic()
    while True:
        message = pipeline.get_bus().timed_pop_filtered(
            Gst.SECOND // 5, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.APPLICATION)
        stops.look()
        look(message)
        if message is not None and message.type == Gst.MessageType.ERROR:
            raise BadVideo(text_of(message))
        if message is not None and message.type == Gst.MessageType.EOS:
            return
        if progress() != seen:
            seen, since = progress(), time.monotonic()
        elif time.monotonic() - since > stall:
            raise BadVideo(f'no frame came for {stall} s, after {frames()} frames')


def source_of(file):
    """The element that reads an open file. filesrc takes only names that are text. With fdsrc, which can only push,
    GStreamer 1.26 fails to read some small files."""
    return f'filesrc location=/proc/self/fd/{file.fileno()}'


def frames_in(file, encoder, stall):
    """The number of frames in a file, without decoding them."""
    if encoder in images.FORMS:
        file.seek(0)
        try:
            return images.FORMS[encoder].count(file)
        except ValueError as error:
            raise BadVideo(f'the file of edges is damaged: {error}') from None
    pipeline = Gst.parse_launch(f'{source_of(file)} ! parsebin ! fakesink name=sink sync=false')
    frames = 0

    def count(*_):
        nonlocal frames
        frames += 1
        return Gst.PadProbeReturn.OK
    pipeline.get_by_name('sink').get_static_pad('sink').add_probe(Gst.PadProbeType.BUFFER, count)
    try:
        play_to_end(pipeline, stall, lambda: frames)
    except BadVideo as error:
        raise BadVideo(f'the file of edges can\'t be read: {error}') from None
    finally:
        shut_down(pipeline)
    return frames
