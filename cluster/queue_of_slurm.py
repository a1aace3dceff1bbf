# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an archive asks Slurm, with Slurm's commands."""
import hashlib
import os
import pathlib
import re
import shlex
import subprocess

import archive

ENDED = ('CANCELLED', 'COMPLETED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'PREEMPTED', 'OUT_OF_MEMORY', 'BOOT_FAIL',
         'DEADLINE')


RUNNING = ('RUNNING', 'COMPLETING', 'CONFIGURING')
# Reasons to wait that last until somebody does something, and "job requeued in held state".
HELD = re.compile('held|NeverSatisfied|BadConstraints|Partition(Down|Inactive|NodeLimit|TimeLimit)|'
                  'Invalid(Account|QOS)|JobHoldMaxRequeue', re.IGNORECASE)


class Refused(Exception):
    """A command of Slurm failed; the text is its message."""


def call(*command):
    """What a command prints."""
    try:
        result = subprocess.run(command, check=False, capture_output=True, text=True, errors='surrogateescape')
    except FileNotFoundError:
        raise Refused(f'no {command[0]} here; run this where jobs are submitted to Slurm') from None
    if result.returncode != 0:
        raise Refused(f'{command[0]}: {result.stderr.strip()}'.replace('\n', '; '))
    return result.stdout


def has_gpus():
    """Whether a node has GPUs, as Slurm counts them."""
    return any(line.startswith('gpu') or ',gpu' in line
               for line in call('sinfo', '-h', '-o', '%G').splitlines())


def cpus_of_smallest_node():
    return min((int(line) for line in call('sinfo', '-h', '-N', '-o', '%c').split()), default=1)


def largest_array():
    """The number of tasks that an array may have."""
    for line in call('scontrol', 'show', 'config').splitlines():
        if line.startswith('MaxArraySize'):
            return max(1, int(line.split('=')[1]))
    return 1


def job_name(folder):
    """The name of all jobs of an archive."""
    return f'edges-{hashlib.sha256(str(folder).encode(errors="surrogateescape")).hexdigest()[:12]}'


def submit(options, command):
    """Submits a command and returns the number of the job."""
    return call('sbatch', '--parsable', *options, '--wrap', f'exec {shlex.join(command)}').split(';')[0].strip()


def wait_for(job, others):
    """Has a job that waits begin after others. Returns whether it still waited."""
    try:
        call('scontrol', 'update', f'JobId={job}', f'Dependency=afterany:{":".join(others)}')
    except Refused:
        return False
    return True


def come_back():
    """Has Slurm run this job again, in two minutes, at most 500 times. Returns its exit status."""
    if int(os.environ.get('SLURM_RESTART_COUNT', 0)) < 500:
        call('scontrol', 'requeue', os.environ['SLURM_JOB_ID'])
    return 3


class Task:
    """One of an array, with its state, its reason to wait, and the video or piece it takes."""

    def __init__(self, state, reason):
        self.state, self.reason, self.work = state, reason, None
        self.has_ended = state in ENDED


def key_of(work):
    """What distinguishes the video and its pieces."""
    return None if work.video is work else work.number


class Queue:
    """The jobs of an archive that Slurm knows. Arrays carry their submission and first number as a comment."""

    def __init__(self, out):
        self.out, self.tasks, self.submissions = out, {}, {}
        self.is_looked_after = False  # whether the job is there that waits for the end of all tasks
        listed = call('squeue', '-h', '-a', '-r', '-t', 'all', '--name', job_name(out.folder),
                      '-o', '%K|%T|%r|%k')
        for line in listed.split('\n')[:-1]:
            number, state, reason, comment = line.split('|', 3)
            path, _, first = comment.rpartition(' ')
            if number.isdecimal() and first.isdecimal():
                self._add(pathlib.Path(path), int(first) + int(number), Task(state, reason))
            elif state not in ENDED:
                self.is_looked_after = True

    def _add(self, path, number, task):
        if path not in self.submissions:
            self.submissions[path] = archive.read_state(path, archive.SUBMISSION)
        submission = self.submissions[path]
        if submission and number < len(submission['todo']):
            task.work = self.out.work_of(submission, number)
            # Of several tasks for the same, one that has not ended counts.
            of_video = self.tasks.setdefault(task.work.video.name, {})
            if getattr(of_video.get(key_of(task.work)), 'has_ended', True):
                of_video[key_of(task.work)] = task

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
        keys = {key_of(task.work) for task in self.tasks_of(work.video.name)}
        return bool(keys & {None, key_of(work)}) if key_of(work) is not None else bool(keys)

    def was_cancelled(self, work):
        task = self.tasks.get(work.video.name, {}).get(key_of(work))
        return task is not None and task.state == 'CANCELLED'

    def video(self, name):
        """The video with the settings with which it is in the queue."""
        return self.tasks_of(name)[0].work.video
