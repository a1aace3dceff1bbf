# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of an archive: what was asked for, what is done, and what was tried.

Below the folder OUT of an archive, NAME.mkv has the edges of the video NAME and NAME.json, its sidecar, says
how they were made. OUT/.archive holds the rest:

    submissions/N.json   settings and videos of submission N, and which of them its tasks take
    submissions/N.rest   the first of these for which Slurm refused a task
    tries/NAME.jsonl     a line of JSON for each beginning and each end of an unfinished try
    pieces/NAME/         of a video that tasks share: K.mkv has the edges of piece K, K.times their times,
                         K.json its record; K.jsonl has the tries
    locks/NAME           locked by the task that works on a video; NAME.K for a piece
    submit.lock          locked while videos are submitted, and while local runs
    logs/                what tasks on Slurm print

All files but locks and tries are written under another name and renamed, so that readers see whole ones, and
a submission never changes. Tasks on several nodes share the folder, whose file system must have locks for
all nodes (NFS has).
"""
import functools
import itertools
import os
import pathlib
import shutil
import sys

from files import fingerprint, locked, read_json, write_json
from tries import STOPPED, Tries

# The next files would take the place of standard streams that are closed, and get warnings of GStreamer.
while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
    pass
os.close(number)
# Names of files need not be text.
for stream in filter(None, (sys.stdout, sys.stderr)):
    stream.reconfigure(errors='backslashreplace')

# Launch lines from edge maps, or frames in colors, to a file without loss.
FFV1 = 'avenc_ffv1 ! matroskamux'
GRAY_FFV1 = f'video/x-raw,format=GRAY8 ! {FFV1}'
LOSSLESS = (FFV1, GRAY_FFV1)
# How many threads encode is no setting: it changes no byte. There are one or four, one for each slice of a frame.
FFV1_ELEMENT = 'avenc_ffv1' if os.environ.get('SLURM_CPUS_PER_TASK') == '1' else 'avenc_ffv1 threads=auto'
# Ready encoders, by their names: the launch line to what images.py writes, and the extension of the files.
READY = {'png': ('video/x-raw,format=GRAY8 ! pngenc', '.tar'),
         # FFV1 has no RGB for pieces.
         'png-rgb': ('video/x-raw,format=BGRA ! videoconvert ! video/x-raw,format=RGB ! pngenc', '.tar'),
         'bits': ('video/x-raw,format=GRAY8 ! identity', '.pbm')}


# What is read from files in JSON, as far as programs rely on it.
NUMBER = int, float
SOURCE_FILE = {'bytes': int}, None
SUBMISSION = {'settings': {'properties': dict, 'encoder': str, 'extension': str, 'tries': int}, 'todo': [(int, [int])],
              'videos': [{'source': str, 'name': str, 'boundaries': ([int], None)}]}
REST = {'from': int}
SHARE = {'host': str, 'device': str, 'frames': int, 'seconds': NUMBER}
SIDECAR = {**SHARE, 'source_file': SOURCE_FILE, 'width': int, 'height': int, 'edge_pixels': int, 'ended': NUMBER,
           'edges': {'file': str, 'bytes': int}, 'shares': ([SHARE], None), 'began': (*NUMBER, None)}
RECORD = {'misfit': str}, {**SHARE, 'source_file': SOURCE_FILE, 'bytes': int, 'edge_pixels': int, 'ended': NUMBER,
                           'frames_end': int, 'length': int}


def read_state(path, shape):
    """The value of a file below OUT/.archive; None if it does not exist."""
    value = read_json(path, shape)
    if value is None and path.exists():
        raise OSError(f'{path} is damaged; remove it, and submit its videos again')
    return value


def launch_line(encoder):
    if encoder in LOSSLESS:
        return encoder.replace('avenc_ffv1', FFV1_ELEMENT)
    return READY[encoder][0] if encoder in READY else encoder


def default_extension(encoder):
    return READY[encoder][1] if encoder in READY else '.mkv'


def encoder_of_pieces(encoder):
    """Pieces are made without loss, in the format with which the encoder's launch line begins, if it does."""
    raw = '' if encoder == FFV1 else f'{launch_line(encoder).partition("!")[0]}! '
    return f'{raw}{FFV1_ELEMENT} name=packets ! matroskamux'


class Video:
    """A video of a submission, with its settings: properties, encoder, extension, tries. Looks at files once.
    Boundaries, in nanoseconds, cut it into pieces."""

    number = None  # which a piece has

    def __init__(self, archive, source, name, settings, boundaries=()):
        self.archive, self.source, self.name, self.settings = archive, source, name, settings
        self.boundaries, self.video = list(boundaries), self
        self.tries = Tries(archive.state / 'tries' / f'{name}.jsonl', self)
        self.pieces = []
        if boundaries:
            ends = itertools.pairwise([None, *boundaries, None])
            self.pieces = [Piece(self, number, *between) for number, between in enumerate(ends)]

    @functools.cached_property
    def made_with(self):
        """What edges depend on, as it is in the sidecar."""
        return {'source': self.source, 'source_file': fingerprint(self.source),
                'properties': self.settings['properties'], 'encoder': self.settings['encoder']}

    def is_of(self, other):
        """Whether something was made with the same. A source that is no longer there has not changed."""
        return all(other.get(key) == value or (key == 'source_file' and value is None)
                   for key, value in self.made_with.items())

    def edges(self):
        return self.archive.folder / f'{self.name}{self.settings["extension"]}'

    def sidecar_path(self):
        return self.archive.folder / f'{self.name}.json'

    @functools.cached_property
    def sidecar(self):
        return read_json(self.sidecar_path(), SIDECAR)

    @functools.cached_property
    def is_done(self):
        """Whether there are whole edges of this source, made with the same settings."""
        made = self.sidecar
        if not made or not self.is_of(made):
            return False
        try:
            return self.edges().stat().st_size == made['edges']['bytes']
        except OSError:
            return False

    def locked(self, seconds):
        """Holds the video's lock; gives whether it could be had within `seconds`."""
        return locked(self.archive.state / 'locks' / self.name, seconds)

    # ---- pieces ----

    def folder_of_pieces(self):
        return self.archive.state / 'pieces' / self.name

    def can_be_joined(self):
        """Whether all pieces are made, or one says that the video can't be made in pieces."""
        records = [piece.record for piece in self.pieces]
        return bool(records) and (all(records) or any('misfit' in record for record in filter(None, records)))

    def remove_pieces(self):
        shutil.rmtree(self.folder_of_pieces(), ignore_errors=True)

    def work(self):
        """What tasks have to do: the video, or the pieces that are not made. Any piece's task joins them."""
        if self.can_be_joined():
            return self.pieces[:1]
        return [piece for piece in self.pieces if not piece.record] or [self]

    # ---- tries of the video and its pieces ----

    def _all(self):
        return [self, *self.pieces]

    def has_failed(self):
        return not self.is_done and any(each.tries.have_failed() for each in self._all())

    def was_tried(self):
        return any(each.tries.events for each in self._all())

    def number_of_tries(self):
        return max(each.tries.number() for each in self._all())

    def reason(self):
        """Why the last try did not succeed."""
        failed = [each for each in self._all() if each.tries.have_failed()]
        tried = [each for each in self._all() if each.tries.events]
        of = (failed or tried or [self])[0]
        return of.tries.reason() if of is self else f'{of.title()}: {of.tries.reason()}'

    def forget_tries(self, of_all):
        """Of all, or of those that were told to stop."""
        for each in self._all():
            if of_all or each.tries.last_event() == STOPPED:
                each.tries.forget()


class Piece:
    """The frames of a video from `start` on and before `end`, in nanoseconds. The first piece has no start,
    the last one no end."""

    def __init__(self, video, number, start, end):
        self.video, self.number, self.start, self.end = video, number, start, end
        self.settings = video.settings
        self.tries = Tries(self._file('jsonl'), self)

    def _file(self, extension):
        return self.video.folder_of_pieces() / f'{self.number}.{extension}'

    def title(self):
        return f'piece {self.number + 1} of {len(self.video.pieces)}'

    @property
    def name(self):
        return f'{self.video.name}, {self.title()}'

    @functools.cached_property
    def made_with(self):
        return {**self.video.made_with, 'start': self.start, 'end': self.end}

    def is_of(self, other):
        return self.video.is_of(other) and (other.get('start'), other.get('end')) == (self.start, self.end)

    def edges(self):
        return self._file('mkv')

    def times_path(self):
        return self._file('times')

    def record_path(self):
        return self._file('json')

    @functools.cached_property
    def record(self):
        """What is known about a piece that is made, or that can't be, which has the reason as `misfit`; else
        None."""
        record = read_json(self.record_path(), RECORD)
        if not record or not self.is_of(record):
            return None
        try:
            is_whole = 'misfit' in record or (self.edges().stat().st_size == record['bytes']
                                              and self.times_path().is_file())
            return record if is_whole else None
        except OSError:
            return None

    def locked(self, seconds):
        """Holds the piece's lock; gives whether it could be had within `seconds`."""
        return locked(self.video.archive.state / 'locks' / f'{self.video.name}.{self.number}', seconds)


class Archive:
    """An archive's folder, by whatever path it is named."""

    def __init__(self, folder):
        if not str(folder):
            raise OSError('the name of the archive is empty; the current folder is "."')
        self.folder = pathlib.Path(os.path.realpath(folder))
        self.state = self.folder / '.archive'

    def submit_lock(self, seconds=600):
        return locked(self.state / 'submit.lock', seconds)

    def is_local(self):
        """Whether local was the last to be asked for videos."""
        path = self.submissions()[-1:]
        submission = read_state(path[0], SUBMISSION) if path else None
        return bool(submission and submission['settings'].get('local'))

    def submissions(self):
        """Paths, the oldest first."""
        return sorted((self.state / 'submissions').glob('[0-9]*.json'))

    def add_submission(self, settings, videos, todo):
        """Writes it under the next number and returns its path. `todo` has the videos and pieces of tasks."""
        numbers = [int(path.stem) for path in self.submissions()]
        path = self.state / 'submissions' / f'{max(numbers, default=0) + 1:06}.json'
        index = {video.name: i for i, video in enumerate(videos)}
        write_json(path, {
            'settings': settings,
            'todo': [[index[work.video.name], work.number] if isinstance(work, Piece) else index[work.name]
                     for work in todo],
            'videos': [{'source': video.source, 'name': video.name} |
                       ({'boundaries': video.boundaries} if video.boundaries else {}) for video in videos]})
        return path

    def video_of(self, submission, index):
        video = submission['videos'][index]
        return Video(self, video['source'], video['name'], submission['settings'],
                     video.get('boundaries', ()))

    def work_of(self, submission, task):
        """The video or piece that a task takes."""
        index = submission['todo'][task]
        if isinstance(index, int):
            return self.video_of(submission, index)
        return self.video_of(submission, index[0]).pieces[index[1]]

    def refused(self):
        """(file N.rest, video or piece) of each task that Slurm refused and that is to be submitted again."""
        for rest in sorted((self.state / 'submissions').glob('*.rest')):
            submission, refused = read_state(rest.with_suffix('.json'), SUBMISSION), read_state(rest, REST)
            if submission and refused:  # else it has just been submitted
                for number in range(refused['from'], len(submission['todo'])):
                    yield rest, self.work_of(submission, number)

    def videos(self):
        """Every video that was ever asked for, with the settings of the last time, by name."""
        found = {}
        for path in self.submissions():
            if submission := read_state(path, SUBMISSION):
                for index in range(len(submission['videos'])):
                    video = self.video_of(submission, index)
                    found[video.name] = video
        return dict(sorted(found.items()))
