# SPDX-License-Identifier: LGPL-2.1-or-later
"""The videos that an archive is asked for, and their names."""
import os
import pathlib
import re
from urllib.parse import unquote, urlsplit

import files
from usage import fail

EXTENSIONS = set('3gp asf avi divx flv h264 h265 hevc m1v m2ts m2v m4v mj2 mjpeg mkv mov mp4 mpeg mpg mts mxf '
                 'ogg ogm ogv ts vob webm wmv y4m'.split())
# Bytes of a file's name with its extension, which files.part_of() makes longer.
MOST_BYTES = 255 - len('..01234567.part')


def is_uri(text):
    return re.match(r'[A-Za-z][A-Za-z0-9+.-]*://', text) is not None


def files_in(folder):
    """All files below a folder, also through links, in order. Files and folders that begin with a dot are left
    out, and so is a folder that holds itself."""
    def complain(error):
        fail(f'{error.filename}: {error.strerror}')
    seen = set()
    for at, folders, names in os.walk(folder, followlinks=True, onerror=complain):
        real = os.path.realpath(at)
        folders[:] = [] if real in seen else sorted(name for name in folders if not name.startswith('.'))
        if real not in seen:
            yield from (pathlib.Path(at, name) for name in sorted(names) if not name.startswith('.'))
        seen.add(real)


def videos_in(folder, out):
    """[(URI, name)] of a folder's videos, and the number of its other files. What is in `out` is neither."""
    found, others = [], 0
    real = pathlib.Path(os.path.realpath(folder))
    if out in (real, *real.parents):
        fail(f'{out} holds the videos; edges need another folder')
    for path in files_in(folder):
        target = pathlib.Path(os.path.realpath(path))
        if out in target.parents:
            continue
        if path.suffix.lower().lstrip('.') in EXTENSIONS and path.is_file():
            found.append((target.as_uri(), str(path.relative_to(folder))))
        else:
            others += 1
    return found, others


def one_video(text, base):
    """(URI, name) of a path or URI."""
    if is_uri(text):
        try:
            path = unquote(urlsplit(text).path)
        except ValueError:  # as of [
            path = '\0'
        if not text.isprintable() or '\0' in path:
            fail(f'{text!a} is no URI; write all but letters, digits and ./-_~ as %XX, and do not use %00')
        name = pathlib.PurePosixPath(path).name
        if not name or name.startswith('.'):
            fail(f'no name of a video in {text}')
        path = files.local_path(text)
        if path and path.exists() and not path.is_file():
            fail(f'{path} is no regular file')
        return text, name
    path = base / text
    if not path.is_file():
        fail(f'no file {path}')
    return pathlib.Path(os.path.realpath(path)).as_uri(), path.name


def videos_of(inputs, out):
    """[(URI, name)] of all inputs."""
    found = []
    for text in inputs:
        path = pathlib.Path(text)
        if not text:
            fail('the name of an INPUT is empty; the current folder is "."')
        if is_uri(text):
            found.append(one_video(text, path))
        elif path.is_dir():
            videos, others = videos_in(path, out)
            if others:
                files.say(f'{path}: {others} files are no videos by their names, or no regular files, and are left out')
            if not videos:
                fail(f'no videos in {path}')
            found += videos
        elif path.suffix == '.txt' and path.is_file():
            lines = path.read_text(encoding='utf-8', errors='surrogateescape').split('\n')
            found += [one_video(line.strip(), path.parent) for line in lines
                      if line.strip() and not line.startswith('#')]
        else:
            found.append(one_video(text, pathlib.Path()))
    by_name = {}
    for uri, name in found:
        if by_name.setdefault(name, uri) != uri:
            fail(f'{by_name[name]} and {uri} would both be {out / name}; submit them to different folders')
    return list(dict.fromkeys(found))


def refuse_names(names, extension):
    """Ends with a message if a file of a video would have too long a name, or that of a folder of other videos."""
    folders = {str(folder): name for name in names for folder in pathlib.PurePath(name).parents}
    for name in sorted(names):
        if len(os.fsencode(os.path.basename(name))) > MOST_BYTES - max(len(extension), len('.json')):
            fail(f'{name}: the name is too long for the files of its edges; give it a shorter one, or a link to it')
        for file in (name, f'{name}{extension}', f'{name}.json', f'{name}.jsonl'):
            if file in folders:
                fail(f'{file} would be a file of {name} and the folder of {folders[file]}; '
                     'submit one of them to another folder')
