# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a command asks of an archive, and what of that is to be made: all of submit and local but the queue."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import archive
import files
import inputs
import usage
from usage import fail

HERE = pathlib.Path(__file__).resolve().parent
MOST = 10 ** 6  # which suffices for all options, and as seconds
OPTIONS = """
An INPUT is a folder, whose videos count, also in folders below; a video; a URI; or a file *.txt with a
path or URI a line. OUT gets, for each video NAME, the edges as NAME.mkv and a sidecar NAME.json. Properties
are those of the element cudacanny.

What is there and whole, made of the same files with the same settings, is not made again. So the same command
goes on after an interruption.

    --encoder png      numbered PNG files in a tar archive, NAME.tar
    --encoder bits     packed bits, 8 pixels a byte, 1 for an edge, in a PBM file, NAME.pbm
    --encoder LINE     launch line from edge maps to the bytes of a file (GRAY8 as FFV1 in Matroska, without
                       loss; frames of output=overlay and output=masked as FFV1 in colors)
    --extension .EXT   of the files of edges (.mkv, or as above)
    --tries N          tries of a video before it counts as failed (3)
    --restarts N       times that a task runs again, also for faults that are no tries, before it ends (20)
    --stall SECONDS    time without a frame after which a try has failed (120)
    --split SECONDS    cut videos longer than 1.5 times that into pieces of about that length, a task each
                       (videos are not cut)
    --retry            try failed videos again
    --dry-run          only list what would be done
    --help             print this text
"""


class Parser(usage.Parser):
    """With the options of submit and local."""

    def __init__(self, text):
        super().__init__(text.strip() + '\n' + OPTIONS)
        self.add_argument('inputs', nargs='*')
        self.add_argument('--encoder')
        self.add_argument('--extension')
        self.add_argument('--tries', type=int, default=3)
        self.add_argument('--restarts', type=int, default=20)
        self.add_argument('--stall', type=int, default=120)
        self.add_argument('--split', type=float)
        self.add_argument('--retry', action='store_true')
        self.add_argument('--cpus', type=int)
        self.add_argument('--gpus', choices=('yes', 'no'))
        self.add_argument('--dry-run', action='store_true')
        self.set_defaults(array=None, sbatch=[])

    def arguments(self, words):
        """The options, and the properties after `--`."""
        words, properties = without_properties(words)
        options = self.parse_args(words)
        for name in ('tries', 'restarts', 'stall', 'cpus', 'at_once', 'array'):
            value = getattr(options, name)
            if value is not None and not 1 <= value <= MOST:
                fail(f'--{name.replace("_", "-")} is {value}, not 1 to {MOST}')
        if options.split is not None and not 0 < options.split < math.inf:
            fail(f'--split is {options.split:g}, not a number of seconds')
        options.encoder = encoder_of(options.encoder, properties)
        options.extension = options.extension or archive.default_extension(options.encoder)
        if not re.fullmatch(r'\.[A-Za-z0-9]+', options.extension) or options.extension == '.json':
            fail(f'--extension: "{options.extension}" is not like .mkv')
        return options, properties


def without_properties(words):
    """The words before `--`, and the properties after it."""
    properties = {}
    if '--' in words:
        words, after = words[:words.index('--')], words[words.index('--') + 1:]
        for word in after:
            name, sign, value = word.partition('=')
            if not sign or not re.fullmatch(r'[A-Za-z][A-Za-z0-9-]*', name):
                fail(f'"{word}" is not PROPERTY=VALUE')
            if not value.isprintable():
                fail(f'{word!a}: a value is a text without control characters')
            properties[name] = value
    return words, properties


def encoder_of(encoder, properties):
    """The encoder, by default FFV1, for these properties."""
    has_colors = properties.get('output') in ('overlay', 'masked')
    if encoder is None:
        return archive.FFV1 if has_colors else archive.GRAY_FFV1
    if encoder == 'bits' and properties.get('output', 'edges') != 'edges':
        fail(f'--encoder bits stores edges, not output={properties["output"]}')
    return 'png-rgb' if encoder == 'png' and has_colors else encoder


def inputs_of(options):
    """The archive, the last of the arguments, and the videos before it."""
    if len(options.inputs) < 2:
        fail(f'INPUT and OUT are needed; {pathlib.Path(sys.argv[0]).name} --help says more')
    *texts, folder = options.inputs
    out = archive.Archive(folder)
    return out, inputs.videos_of(texts, out.folder)


def settings_of(options, properties, has_gpus, cpus):
    """What tasks and later submissions need to know."""
    names = ('encoder', 'extension', 'tries', 'stall', 'restarts', 'at_once', 'array', 'sbatch', 'split')
    settings = {name: getattr(options, name) for name in names}
    return settings | {'properties': properties, 'gpus': has_gpus, 'cpus': cpus}


def check_settings(settings):
    """Ends with a message if a pipeline can't be made with these settings, if GStreamer is here."""
    result = subprocess.run([HERE / 'detect', '--check', json.dumps(settings)], check=False,
                            capture_output=True, text=True)
    if result.returncode == 2:
        fail(result.stderr.strip().removeprefix('cudacanny: '))
    if result.returncode != 0:
        reason = result.stderr.strip().splitlines() or [f'detect ended with {result.returncode}']
        files.say(f'settings are not checked here: {reason[-1]}', file=sys.stderr)


def ask_for_lengths(videos):
    """In nanoseconds; None for videos that are not to be cut."""
    result = subprocess.run([HERE / 'detect', '--lengths'], check=False, capture_output=True, text=True,
                            input=json.dumps([video.source for video in videos]))
    if result.returncode != 0:
        reason = result.stderr.strip().splitlines() or [f'detect ended with {result.returncode}']
        fail(f'--split needs GStreamer and PyGObject here, to know how long videos are: {reason[-1]}')
    return json.loads(result.stdout)


def boundaries_of(length, seconds):
    """Where a video is cut into pieces of equal length, in nanoseconds."""
    if length is None or length <= 1.5 * seconds * 1e9:
        return []
    number = round(length / (seconds * 1e9))
    return [length * i // number for i in range(1, number)]


def cut(videos, settings):
    """The videos, with the boundaries that these settings give them."""
    lengths = ask_for_lengths(videos) if settings['split'] and videos else [None] * len(videos)
    return [archive.Video(video.archive, video.source, video.name, settings,
                          boundaries_of(length, settings['split'])) for video, length in zip(videos, lengths)]


def refuse_others(videos, known, queue):
    """Ends with a message if a name belongs to another video, or is in the queue with other settings."""
    for video in videos:
        if video.name in known and known[video.name].source != video.source:
            fail(f'{video.name} is {known[video.name].source} in this archive, not {video.source}; '
                 'submit it to another folder')
        if queue.state(video.name):
            queued = queue.video(video.name)
            if not video.is_of(queued.made_with) or video.settings['split'] != queued.settings.get('split'):
                fail(f'{video.name} is in the queue with other settings; wait for its end, or '
                     f'{queue.how_to_end}')


def refuse_files(videos, known):
    """Ends with a message if a task would replace a file that no task made."""
    for video in videos:
        for path in (video.sidecar_path(), video.edges()):
            if video.name not in known and not video.sidecar and os.path.lexists(path):
                fail(f'{path} was not made from {video.name}; move it, or choose another OUT')


def submit(out, options, settings, found, queue, start):
    """Has start(settings, videos, todo) take the videos that are not done, nor in the queue. Its value, if it has
    one, is the exit status. The archive is locked."""
    known = out.videos()
    videos = [archive.Video(out, uri, name, settings, known[name].boundaries if name in known else ())
              for uri, name in found]
    inputs.refuse_names({*known, *(video.name for video in videos)}, settings['extension'])
    refuse_others(videos, known, queue)
    done = [video for video in videos if video.is_done]
    waiting = [video for video in videos if not video.is_done and queue.state(video.name)]
    failed = [] if options.retry else [video for video in videos if video.has_failed()]
    others = {video.name for video in (*done, *waiting, *failed)}
    refuse_files([video for video in videos if video.name not in others], known)
    rest = cut([video for video in videos if video.name not in others], settings)
    files.say(f'{len(videos)} videos: {len(done)} done, {len(waiting)} in the queue, {len(failed)} failed, '
              f'{len(rest)} to do')
    for video in failed:
        files.say(f'FAILED: {video.name}: {video.reason()}')
    if options.dry_run:
        for video in rest:
            files.say(f'{video.name}: {len(video.pieces)} pieces' if video.pieces else video.name)
        return int(bool(failed))
    if rest:
        for video in rest:
            video.forget_tries(options.retry)
        by_name = {video.name: video for video in (*videos, *rest)}
        todo = [work for video in rest for work in video.work()]
        return start(settings, list(by_name.values()), todo) or int(bool(failed))
    if any(known[video.name].settings != settings for video in videos):
        out.add_submission(settings, videos, [])
    return int(bool(failed))
