# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tasks that local runs on this machine."""
import archive
import queues
from tries import BEGAN


def state_of(work):
    """In Slurm's words."""
    if work.video.is_done or work.video.has_failed():
        return 'COMPLETED'
    # The task of a piece may be joining the video.
    return 'RUNNING' if BEGAN in (work.tries.last_event(), work.video.tries.last_event()) else 'PENDING'


class Queue(queues.Queue):
    """Those of the last submission, while local is at work."""

    def __init__(self, out):
        super().__init__(out)
        with out.submit_lock(0) as is_free:  # local holds it, or submit for a moment
            self.is_looked_after = not is_free
        if self.is_looked_after:
            path = out.submissions()[-1]
            submission = archive.read_state(path, archive.SUBMISSION)
            for number in range(len(submission['todo'])):
                self.add(path, number, queues.Task(state_of(out.work_of(submission, number)), ''))
