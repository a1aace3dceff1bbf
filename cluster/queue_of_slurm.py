# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an archive asks Slurm, with Slurm's commands."""
import hashlib
import shlex
import shutil
import subprocess
import sys

import archive


class Refused(Exception):
    """A command of Slurm failed; the text is its message."""


def call(*command):
    """What a command prints."""
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    if result.returncode != 0:
        raise Refused(f'{command[0]}: {result.stderr.strip()}')
    return result.stdout


def require():
    """Ends with a message unless there is a cluster that answers."""
    if not shutil.which('sbatch'):
        print('submit: no sbatch here; run this where jobs are submitted to Slurm, or install slurm-client',
              file=sys.stderr)
        sys.exit(3)
    try:
        call('scontrol', 'ping')
    except Refused as error:
        print(f'submit: Slurm does not answer: {error}', file=sys.stderr)
        sys.exit(3)


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
    return f'edges-{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}'


def submit(options, command):
    """Submits a command and returns the number of the job."""
    return call('sbatch', '--parsable', *options, '--wrap', f'exec {shlex.join(command)}').split(';')[0].strip()


def tasks(folder):
    """{(job, number of the task): state} of the tasks in the queue, RUNNING, PENDING and so on."""
    listed = call('squeue', '-h', '-r', '--name', job_name(folder), '-o', '%F %K %T')
    found = {}
    for line in listed.splitlines():
        job, number, state = line.split()
        if number != 'N/A':
            found[job, int(number)] = state
    return found


def queued_videos(out):
    """{name: state} of the videos whose tasks are in the queue."""
    in_queue, found = tasks(out.folder), {}
    for path in out.submissions():
        submission = archive.read_json(path)
        for job in submission['jobs'] if submission else ():
            for number in range(job['count']):
                if state := in_queue.get((job['job'], number)):
                    found[submission['videos'][job['first'] + number]['name']] = state
    return found
