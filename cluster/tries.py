# SPDX-License-Identifier: LGPL-2.1-or-later
"""What was tried: a line of JSON for each beginning and each end of a try that made nothing."""
import contextlib
import functools
import json
import os
import time

import files

# The task began; the work failed; the time limit came near; the task was told to stop or its node is not fit,
# which does not count as a try; local saw that it was killed. The job that looks after tasks submitted the work again;
# Slurm refused that.
BEGAN, FAILED, OUT_OF_TIME, STOPPED, KILLED = 'began', 'failed', 'out of time', 'stopped', 'killed'
AGAIN, REFUSED = 'again', 'refused'
# Exit statuses of detect, which task has as well.
TRY_AGAIN, TRY_ELSEWHERE = 75, 76
# A line.
EVENT = {'event': str, 'of': dict, 'reason': (str, None)}


class Tries:
    """The tries of a video or of a piece, as far as it was made of the same with the same settings."""

    def __init__(self, path, work):
        self.path, self.work, self.most = path, work, work.settings['tries']

    def note(self, event, reason=None):
        """Records the beginning or the end of a try."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = {'event': event, 'time': time.time(), 'of': self.work.made_with,
                'host': os.uname().nodename, 'job': os.environ.get('SLURM_JOB_ID')}
        if reason:
            line['reason'] = reason
        files.refuse_link(self.path)
        # The line before may have been cut off.
        with open(self.path, 'ab') as file:
            file.write(f'\n{json.dumps(line)}\n'.encode())
            file.flush()
            os.fsync(file.fileno())
        self.events.append(line)

    @functools.cached_property
    def events(self):
        """A line that a crash cut off is left out."""
        events = []
        with contextlib.suppress(OSError):
            for line in self.path.read_bytes().split(b'\n'):
                with contextlib.suppress(ValueError, RecursionError):
                    event = json.loads(line)
                    if files.fits(event, EVENT) and self.work.is_of(event['of']):
                        events.append(event)
        return events

    def _count(self, event):
        return sum(each['event'] == event for each in self.events)

    def last_event(self):
        return self.events[-1]['event'] if self.events else None

    def number(self):
        return self._count(BEGAN) - self._count(STOPPED)

    def may_follow(self):
        """Whether another try is allowed."""
        return self.number() < self.most

    def have_failed(self):
        """Tasks that die before they begin count too, when they are submitted again."""
        tried = max(self.number(), self._count(AGAIN) - self._count(REFUSED))
        return tried >= self.most and self.last_event() != BEGAN

    def have_fault(self):
        """Whether a try failed by itself."""
        return self._count(FAILED) > 0

    def are_lost(self):
        """Whether the last try ended without an end of its own, or with another one to follow."""
        return self.last_event() not in (None, STOPPED) and not self.have_failed()

    def reason(self):
        """Why the last try did not succeed."""
        if self.last_event() == STOPPED and 'reason' not in self.events[-1]:
            return 'the task was told to stop'
        reasons = [event['reason'] for event in self.events if event.get('reason')]
        return reasons[-1] if reasons else 'the task ended without a word; was it killed?'

    def forget(self):
        self.path.unlink(missing_ok=True)
        self.events.clear()
