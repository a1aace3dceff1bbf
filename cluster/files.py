# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that several programs use: replaced as a whole, locked, and compared with what they were."""
import contextlib
import fcntl
import json
import os
import pathlib
import secrets
import sys
import time
from urllib.parse import unquote_to_bytes, urlsplit

import stops


def shown(value):
    """A text of one line for terminals and reports. Names of files may have control characters, and need not be
    text."""
    return ''.join(each if each.isprintable() else ascii(each)[1:-1] for each in str(value))


def say(*words, file=None):
    """Prints a line."""
    print(shown(' '.join(map(str, words))), file=file or sys.stdout, flush=True)


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
    try:
        with open(part, 'x', encoding='utf-8', errors='backslashreplace') as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_json(path, value):
    """Likewise."""
    write_text(path, json.dumps(value, indent=1) + '\n')


def fits(value, shape):
    """Whether a value of JSON has a shape: a type, None, [the shape of all items], {key: shape} for some keys, or
    a tuple of shapes, one of which it has. Keys that are missing count as null. Numbers have at most 63 bits."""
    if isinstance(shape, tuple):
        return any(fits(value, each) for each in shape)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(fits(value.get(key), each) for key, each in shape.items())
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
    if shape is None:
        return value is None
    return isinstance(value, shape) and (not isinstance(value, (int, float)) or abs(value) < 2 ** 63)


def read_json(path, shape):
    """The value of the file, or None if it does not exist, is damaged or has another shape."""
    try:
        value = json.loads(path.read_bytes())
        return value if fits(value, shape) else None
    except (OSError, ValueError, RecursionError):
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
                stops.look()
                time.sleep(0.5)
        yield True
