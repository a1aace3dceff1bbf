# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an archive asks Slurm, with Slurm's commands."""
import hashlib
import pathlib
import shlex
import subprocess

import archive

ENDED = ('CANCELLED', 'COMPLETED', 'FAILED', 'TIMEOUT', 'NODE_FAIL', 'OUT_OF_MEMORY', 'BOOT_FAIL', 'DEADLINE')


class Refused(Exception):
    """A command of Slurm failed; the text is its message."""


def call(*command):
    """What a command prints."""
    try:
        result = subprocess.run(command, check=False, capture_output=True, text=True, errors='surrogateescape')
    except FileNotFoundError:
        raise Refused(f'no {command[0]} here; run this where jobs are submitted to Slurm') from None
    if result.returncode != 0:
        raise Refused(f'{command[0]}: {result.stderr.strip()}')
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


class Queue:
    """The jobs of an archive that Slurm knows. Arrays carry their submission and first number as a comment."""

    def __init__(self, out):
        self.out, self.states, self.submissions = out, {}, {}
        self.is_looked_after = False  # whether the job is there that waits for the end of all tasks
        listed = call('squeue', '-h', '-a', '-r', '-t', 'all', '--name', job_name(out.folder), '-o', '%K %T %k')
        for line in listed.splitlines():
            number, state, comment = line.split(' ', 2)
            path, _, first = comment.rpartition(' ')
            if number.isdecimal() and first.isdecimal():
                self._add(pathlib.Path(path), int(first) + int(number), state)
            elif state not in ENDED:
                self.is_looked_after = True

    def _add(self, path, number, state):
        if path not in self.submissions:
            self.submissions[path] = archive.read_json(path)
        submission = self.submissions[path]
        if submission and number < len(submission['todo']):
            video = self.out.video_of(submission, submission['todo'][number])
            # Of several tasks for a video, one that has not ended counts.
            if self.states.get(video.name, (ENDED[0],))[0] in ENDED:
                self.states[video.name] = state, video

    def state(self, name):
        """RUNNING, PENDING and so on, or None if no task of the video is there that has not ended."""
        state = self.states.get(name, (None,))[0]
        return None if state in ENDED else state

    def was_cancelled(self, name):
        return self.states.get(name, (None,))[0] == 'CANCELLED'

    def video(self, name):
        """The video with the settings with which it is in the queue."""
        return self.states[name][1]
