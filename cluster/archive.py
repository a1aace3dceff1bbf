# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of an archive: what was asked for, what is done, and what was tried.

Below the folder OUT of an archive, NAME.mkv has the edges of the video NAME and NAME.json, its sidecar, says
how they were made. OUT/.archive holds the rest:

    submissions/N.json   settings and videos of submission N, and its jobs in Slurm
    tries/NAME           a line of JSON for each beginning and each end of an unfinished try
    locks/NAME           locked by the task that works on a video
    logs/                what tasks print

All files but locks and tries are written under another name and renamed, so that readers see whole ones.
Tasks on several nodes share the folder, whose file system must have locks for all nodes (NFS has).
"""
import contextlib
import fcntl
import json
import os
import pathlib
import time

# Of a try: the task began; the video failed; the time limit passed; the task was told to stop, which does not
# count as a try.
BEGAN, FAILED, OUT_OF_TIME, STOPPED = 'began', 'failed', 'out of time', 'stopped'


def write_text(path, text):
    """Replaces the file, or leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f'{path.name}.{os.getpid()}.part')
    with open(part, 'w', encoding='utf-8') as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def write_json(path, value):
    """Likewise."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + '\n')


def read_json(path):
    """The value of the file, or None if it does not exist or is damaged."""
    try:
        return json.loads(path.read_text(encoding='utf-8'))
    except (OSError, ValueError):
        return None


def local_path(uri):
    """The path of a file: URI, or None."""
    from urllib.parse import unquote, urlsplit
    parts = urlsplit(uri)
    return pathlib.Path(unquote(parts.path)) if parts.scheme == 'file' else None


def fingerprint(uri):
    """Bytes and time of change of a local file, in which a changed file differs; None of other URIs."""
    path = local_path(uri)
    if path is None:
        return None
    try:
        stat = path.stat()
    except OSError:
        return None
    return {'bytes': stat.st_size, 'modified_ns': stat.st_mtime_ns}


class Video:
    """A video of a submission, with its settings: properties, encoder, extension, tries."""

    def __init__(self, archive, source, name, settings):
        self.archive, self.source, self.name, self.settings = archive, source, name, settings

    def edges(self):
        return self.archive.folder / f'{self.name}{self.settings["extension"]}'

    def sidecar(self):
        return read_json(self.archive.folder / f'{self.name}.json')

    def is_done(self):
        """Whether there are whole edges of this source, made with the same settings."""
        made = self.sidecar()
        if made is None or any(made.get(key) != value for key, value in self.made_with().items()):
            return False
        try:
            return self.edges().stat().st_size == made['edges']['bytes']
        except OSError:
            return False

    def made_with(self):
        """What edges depend on, as it is in the sidecar."""
        return {'source': self.source, 'source_file': fingerprint(self.source),
                'properties': self.settings['properties'], 'encoder': self.settings['encoder']}

    # ---- tries ----

    def _tries_path(self):
        return self.archive.state / 'tries' / f'{self.name}.jsonl'

    def note(self, event, reason=None):
        """Records the beginning or the end of a try."""
        path = self._tries_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        line = {'event': event, 'time': time.time(), 'of': self.made_with(),
                'host': os.uname().nodename, 'job': os.environ.get('SLURM_JOB_ID')}
        if reason:
            line['reason'] = reason
        with open(path, 'a', encoding='utf-8') as file:
            file.write(json.dumps(line, ensure_ascii=False) + '\n')
            file.flush()
            os.fsync(file.fileno())

    def _events(self):
        """The tries with this source and these settings. A line that a crash cut off is left out."""
        of, events = self.made_with(), []
        try:
            lines = self._tries_path().read_text(encoding='utf-8').splitlines()
        except OSError:
            return events
        for line in lines:
            with contextlib.suppress(ValueError):
                event = json.loads(line)
                if event['of'] == of:
                    events.append(event)
        return events

    def number_of_tries(self):
        events = [event['event'] for event in self._events()]
        return events.count(BEGAN) - events.count(STOPPED)

    def has_failed(self):
        return not self.is_done() and self.number_of_tries() >= self.settings['tries'] and \
            self._events()[-1]['event'] != BEGAN

    def was_interrupted(self):
        """Whether the last try ended without a word, or is still going on."""
        events = self._events()
        return bool(events) and events[-1]['event'] == BEGAN

    def reason(self):
        """Why the last try did not succeed."""
        reasons = [event['reason'] for event in self._events() if event.get('reason')]
        return reasons[-1] if reasons else 'the task ended without a word; was it killed?'

    def forget_tries(self):
        self._tries_path().unlink(missing_ok=True)

    @contextlib.contextmanager
    def locked(self, seconds):
        """Holds the video's lock; gives whether it could be had within `seconds`."""
        path = self.archive.state / 'locks' / self.name
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
    """An archive's folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).absolute()
        self.state = self.folder / '.archive'

    def submissions(self):
        """Paths, the oldest first."""
        return sorted((self.state / 'submissions').glob('[0-9]*.json'))

    def add_submission(self, submission):
        """Writes it under the next number and returns its path."""
        numbers = [int(path.stem) for path in self.submissions()]
        path = self.state / 'submissions' / f'{max(numbers, default=0) + 1:06}.json'
        write_json(path, submission)
        return path

    def videos_of(self, submission):
        return [Video(self, video['source'], video['name'], submission['settings'])
                for video in submission['videos']]

    def videos(self):
        """Every video that was ever asked for, with the settings of the last time, by name."""
        found = {}
        for path in self.submissions():
            if submission := read_json(path):
                found.update((video.name, video) for video in self.videos_of(submission))
        return dict(sorted(found.items()))
