# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that several programs use: replaced as a whole, locked, and compared with what they were."""
import contextlib
import fcntl
import json
import os
import pathlib
import secrets
import time
from urllib.parse import unquote_to_bytes, urlsplit


def refuse_link(path):
    """So that no file elsewhere is changed."""
    if path.is_symlink():
        raise OSError(f'{path} is a symbolic link; remove it')


def part_of(path, token=None):
    """A new name beside this one, to write to and then to rename; or a pattern of such names. They all have the
    same length, so that those of other files do not match."""
    return path.with_name(f'.{path.name}.{token or secrets.token_hex(4)}.part')


def write_text(path, text):
    """Replaces the file, or leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    with open(part, 'x', encoding='utf-8', errors='backslashreplace') as file:
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


@contextlib.contextmanager
def locked(path, seconds):
    """Holds a lock; gives whether it could be had within `seconds`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    refuse_link(path)
    with open(path, 'a', encoding='utf-8') as file:
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
