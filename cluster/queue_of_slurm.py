# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an archive asks Slurm, with Slurm's commands."""
import hashlib
import os
import pathlib
import shlex
import subprocess

from queues import ENDED, Queue as AnyQueue, Task

may_be_missing = False  # then Slurm, if it is not installed, has no nodes and no jobs


class Refused(Exception):
    """A command of Slurm failed; the text is its message."""


def call(*command):
    """What a command prints."""
    try:
        result = subprocess.run(command, check=False, capture_output=True, text=True, errors='surrogateescape')
    except FileNotFoundError:
        if may_be_missing:
            return ''
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


class Queue(AnyQueue):
    """The jobs of an archive that Slurm knows. Arrays carry their submission and first number as a comment."""

    def __init__(self, out):
        super().__init__(out)
        self.how_to_end = f'scancel -n {job_name(out.folder)}'
        listed = call('squeue', '-h', '-a', '-r', '-t', 'all', '--name', job_name(out.folder),
                      '-o', '%K|%T|%r|%k')
        for line in listed.split('\n')[:-1]:
            number, state, reason, comment = line.split('|', 3)
            path, _, first = comment.rpartition(' ')
            if number.isdecimal() and first.isdecimal():
                self.add(pathlib.Path(path), int(first) + int(number), Task(state, reason))
            elif state not in ENDED:
                self.is_looked_after = True
