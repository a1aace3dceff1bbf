# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of an archive: what was asked for, what is done, and what was tried.

Below the folder OUT of an archive, NAME.mkv has the edges of the video NAME and NAME.json, its sidecar, says
how they were made. OUT/.archive holds the rest:

    submissions/N.json   settings and videos of submission N, and which of them its tasks take
    tries/NAME.jsonl     a line of JSON for each beginning and each end of an unfinished try
    locks/NAME           locked by the task that works on a video
    submit.lock          locked while videos are submitted
    logs/                what tasks print

All files but locks and tries are written under another name and renamed, so that readers see whole ones, and
a submission never changes. Tasks on several nodes share the folder, whose file system must have locks for
all nodes (NFS has).
"""
import contextlib
import fcntl
import functools
import json
import os
import pathlib
import sys
import time
from urllib.parse import unquote_to_bytes, urlsplit

# Of a try: the task began; the video failed; the time limit came near; the task was told to stop or its node is
# not fit, which does not count as a try. The job that looks after tasks submitted the video again.
BEGAN, FAILED, OUT_OF_TIME, STOPPED, AGAIN = 'began', 'failed', 'out of time', 'stopped', 'again'

# Names of files need not be text.
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(errors='backslashreplace')


def write_text(path, text):
    """Replaces the file, or leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f'{path.name}.{os.uname().nodename}.{os.getpid()}.part')
    with open(part, 'w', encoding='utf-8', errors='backslashreplace') as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def write_json(path, value):
    """Likewise."""
    write_text(path, json.dumps(value, indent=1) + '\n')


def read_json(path):
    """The value of the file, or None if it does not exist or is damaged."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def local_path(uri):
    """The path of a file: URI, or None."""
    parts = urlsplit(uri)
    return pathlib.Path(os.fsdecode(unquote_to_bytes(parts.path))) if parts.scheme == 'file' else None


def fingerprint(uri):
    """Bytes and time of change of a local file, in which a changed file differs; None of other URIs, and of
    files that are not there."""
    path = local_path(uri)
    try:
        stat = path.stat() if path else None
    except OSError:
        return None
    return {'bytes': stat.st_size, 'modified_ns': stat.st_mtime_ns} if stat else None


class Video:
    """A video of a submission, with its settings: properties, encoder, extension, tries. Looks at files once."""

    def __init__(self, archive, source, name, settings):
        self.archive, self.source, self.name, self.settings = archive, source, name, settings

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
        return read_json(self.sidecar_path())

    @functools.cached_property
    def is_done(self):
        """Whether there are whole edges of this source, made with the same settings."""
        made = self.sidecar
        if not isinstance(made, dict) or not self.is_of(made):
            return False
        try:
            return self.edges().stat().st_size == made['edges']['bytes']
        except OSError:
            return False

    # ---- tries ----

    def _tries_path(self):
        return self.archive.state / 'tries' / f'{self.name}.jsonl'

    def note(self, event, reason=None):
        """Records the beginning or the end of a try."""
        path = self._tries_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        line = {'event': event, 'time': time.time(), 'of': self.made_with,
                'host': os.uname().nodename, 'job': os.environ.get('SLURM_JOB_ID')}
        if reason:
            line['reason'] = reason
        # The line before may have been cut off.
        with open(path, 'ab') as file:
            file.write(f'\n{json.dumps(line)}\n'.encode())
            file.flush()
            os.fsync(file.fileno())
        self.events.append(line)

    @functools.cached_property
    def events(self):
        """The tries with this source and these settings. A line that a crash cut off is left out."""
        events = []
        with contextlib.suppress(OSError):
            for line in self._tries_path().read_bytes().split(b'\n'):
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    event = json.loads(line)
                    if self.is_of(event['of']):
                        events.append(event)
        return events

    def _count(self, event):
        return sum(each['event'] == event for each in self.events)

    def last_event(self):
        return self.events[-1]['event'] if self.events else None

    def number_of_tries(self):
        return self._count(BEGAN) - self._count(STOPPED)

    def has_no_tries_left(self):
        """Tasks that die before they begin count too, when they are submitted again."""
        return max(self.number_of_tries(), self._count(AGAIN)) >= self.settings['tries']

    def has_failed(self):
        return not self.is_done and self.has_no_tries_left() and self.last_event() != BEGAN

    def reason(self):
        """Why the last try did not succeed."""
        reasons = [event['reason'] for event in self.events if event.get('reason')]
        return reasons[-1] if reasons else 'the task ended without a word; was it killed?'

    def forget_tries(self):
        self._tries_path().unlink(missing_ok=True)
        self.events.clear()

    def locked(self, seconds):
        """Holds the video's lock; gives whether it could be had within `seconds`."""
        return locked(self.archive.state / 'locks' / self.name, seconds)


@contextlib.contextmanager
def locked(path, seconds):
    """Holds a lock; gives whether it could be had within `seconds`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        end = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    yield False
                    return
                time.sleep(0.5)
        yield True


class Archive:
    """An archive's folder, by whatever path it is named."""

    def __init__(self, folder):
        self.folder = pathlib.Path(os.path.realpath(folder))
        self.state = self.folder / '.archive'

    def submit_lock(self):
        return locked(self.state / 'submit.lock', 600)

    def submissions(self):
        """Paths, the oldest first."""
        return sorted((self.state / 'submissions').glob('[0-9]*.json'))

    def add_submission(self, settings, videos, todo):
        """Writes it under the next number and returns its path. `todo` are the videos that tasks take."""
        numbers = [int(path.stem) for path in self.submissions()]
        path = self.state / 'submissions' / f'{max(numbers, default=0) + 1:06}.json'
        index = {video.name: i for i, video in enumerate(videos)}
        write_json(path, {'settings': settings, 'todo': [index[video.name] for video in todo],
                          'videos': [{'source': video.source, 'name': video.name} for video in videos]})
        return path

    def video_of(self, submission, index):
        video = submission['videos'][index]
        return Video(self, video['source'], video['name'], submission['settings'])

    def videos(self):
        """Every video that was ever asked for, with the settings of the last time, by name."""
        found = {}
        for path in self.submissions():
            if submission := read_json(path):
                for index in range(len(submission['videos'])):
                    video = self.video_of(submission, index)
                    found[video.name] = video
        return dict(sorted(found.items()))
