# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tasks of an archive that are to run, and those that do."""
import re

import archive

ENDED = ('CANCELLED', 'COMPLETED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'PREEMPTED', 'OUT_OF_MEMORY', 'BOOT_FAIL',
         'DEADLINE')
RUNNING = ('RUNNING', 'COMPLETING', 'CONFIGURING')
# Reasons to wait that last until somebody does something, and "job requeued in held state".
HELD = re.compile('held|NeverSatisfied|BadConstraints|Partition(Down|Inactive|NodeLimit|TimeLimit)|'
                  'Invalid(Account|QOS)|JobHoldMaxRequeue', re.IGNORECASE)


class Task:
    """One of an array, with its state, its reason to wait, and the video or piece it takes."""

    def __init__(self, state, reason):
        self.state, self.reason, self.work = state, reason, None
        self.has_ended = state in ENDED


class Queue:
    """The tasks of an archive; none, unless they are added."""

    how_to_end = None  # a command
    is_looked_after = False  # whether something is there that waits for the end of all tasks

    def __init__(self, out):
        self.out, self.tasks, self.submissions = out, {}, {}

    def add(self, path, number, task):
        if path not in self.submissions:
            self.submissions[path] = archive.read_state(path, archive.SUBMISSION)
        submission = self.submissions[path]
        if submission and number < len(submission['todo']):
            task.work = self.out.work_of(submission, number)
            # Of several tasks for the same, one that has not ended counts.
            of_video = self.tasks.setdefault(task.work.video.name, {})
            if getattr(of_video.get(task.work.number), 'has_ended', True):
                of_video[task.work.number] = task

    def tasks_of(self, name):
        """Those of a video and its pieces that have not ended."""
        return [task for task in self.tasks.get(name, {}).values() if not task.has_ended]

    def state(self, name):
        """RUNNING, PENDING and so on, the first if a task runs; None if no task of the video is left."""
        states = [task.state for task in self.tasks_of(name)]
        return next((state for state in states if state in RUNNING), states[0] if states else None)

    def number_that_run(self):
        return sum(task.state in RUNNING for tasks in self.tasks.values() for task in tasks.values())

    def held(self, name):
        """Why none of a video's tasks will start until somebody does something, or None."""
        tasks = self.tasks_of(name)
        if tasks and all(task.state == 'PENDING' and HELD.search(task.reason) for task in tasks):
            return tasks[0].reason
        return None

    def has(self, work):
        """Whether a task that has not ended takes the video, or this piece of it."""
        numbers = {task.work.number for task in self.tasks_of(work.video.name)}
        return bool(numbers if work.number is None else numbers & {None, work.number})

    def was_cancelled(self, work):
        task = self.tasks.get(work.video.name, {}).get(work.number)
        return task is not None and task.state == 'CANCELLED'

    def video(self, name):
        """The video with the settings with which it is in the queue."""
        return self.tasks_of(name)[0].work.video
