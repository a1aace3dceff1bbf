# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command cudacanny, which writes the edges of pictures in files."""
from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, NoReturn

from ._settings import OPTIONS, SETTINGS, Table

IN_FOLDERS = ('.avif', '.bmp', '.gif', '.jp2', '.jpeg', '.jpg', '.pbm', '.pgm', '.png', '.pnm', '.ppm', '.tif',
              '.tiff', '.webp')
BESIDE = '-edges'
MOST_AT_ONCE = 16  # pictures, which may be large

DESCRIPTION = '''Write the edges of pictures, found with Canny's algorithm on a GPU or on the CPU. Without -o, the
edges of photo.jpg go to photo-edges.png in the same folder.'''
NOTES = '''The command overwrites existing files, but never a picture that it reads. In a folder, it skips hidden
files and, without -o, files named like photo-edges.png. Pillow or, without Pillow, OpenCV reads and writes the
files: the first picture of each, upright and without transparency. A JSON file has the form {"width": 640,
"height": 480, "chains": [[[x, y], ...], ...]}. The exit status is 0 if all pictures succeeded, 1 if one failed, 2
for wrong arguments.'''


class Job(NamedTuple):
    """A picture to read and the file for its edges; - is standard input or output."""

    source: str
    target: str


Failure = tuple[str, ...]  # a name and a reason, or one of them


def printable(text: str) -> str:
    """The text, escaped if a terminal could obey it."""
    return text if text.isprintable() else ascii(text)


def write_message(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        mute()  # else Python tries again at its end, and changes the exit status


def mute() -> None:
    """Drops all further messages."""
    sys.stderr = open(os.devnull, 'w', encoding='utf-8')


def say(*parts: str) -> None:
    write_message(': '.join(('cudacanny', *map(printable, parts))) + '\n')


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def integer(text: str) -> int:
    return int(text, 0)


def region(text: str) -> list[int]:
    return [int(number) for number in text.split(',')]


def parser() -> Parser:
    """The arguments, of which the manual is made too."""
    arguments = Parser('cudacanny', '%(prog)s [OPTION...] PICTURE...', DESCRIPTION, NOTES, allow_abbrev=False)
    files = arguments.add_argument_group('files')
    files.add_argument('pictures', nargs='*', metavar='PICTURE',
                       help='A file, a folder with pictures, or - for standard input')
    files.add_argument('-o', dest='to', metavar='FILE|FOLDER',
                       help='Where the edges go: a file if the name has an extension, else a folder; - for standard '
                            'output')
    files.add_argument('-r', '--recursive', action='store_true', help='Also take pictures from subfolders')
    files.add_argument('--format', metavar='EXTENSION',
                       help='Format to write (default: the extension of FILE, or png)')
    files.add_argument('--contours', dest='format', choices=('json', 'svg'),
                       help='Write the edges as chains of points, in this format')
    files.add_argument('--min-points', type=integer, default=1, metavar='INT',
                       help='Leave out chains of fewer points (default 1)')
    files.add_argument('--contour-precision', action='store_true',
                       help='Write the places of points in 1/256 pixel')
    files.add_argument('-v', '--verbose', action='store_true',
                       help='Print the device, and statistics of each picture')
    edges = arguments.add_argument_group('edges')
    add_table(edges, SETTINGS)
    edges.add_argument('--regions', type=region, action='append', metavar='X,Y,WIDTH,HEIGHT',
                       help='Rectangle in pixels to find edges in; repeat for more (default: the whole picture)')
    add_table(arguments.add_argument_group('devices'), OPTIONS)
    return arguments


def add_table(group: Any, table: Table) -> None:
    """An option for each row, whose value the module checks."""
    types = {float: float, int: integer, str: str}
    for name, (kind, meaning) in table.items():
        how: dict[str, Any] = {'action': argparse.BooleanOptionalAction}
        if isinstance(kind, tuple):
            how = {'metavar': '{' + ','.join(kind) + '}'}
        elif kind is not bool:
            how = {'type': types[kind], 'metavar': kind.__name__.upper()}
        group.add_argument('--' + name.replace('_', '-'), default=argparse.SUPPRESS, help=meaning.replace('%', '%%'),
                           **how)


def parse(options: Parser) -> argparse.Namespace:
    words = sys.argv[1:]
    end = words.index('--') if '--' in words else len(words)
    arguments = options.parse_intermixed_args(words[:end])
    arguments.pictures += words[end + 1:]
    if not arguments.pictures:
        options.error('the following arguments are required: PICTURE')
    if arguments.to == '':
        options.error('argument -o: the name is empty; name a file or a folder')
    extension = os.path.splitext(arguments.to)[1] if arguments.to and is_file(arguments.to) else ''
    arguments.format = (arguments.format or extension or 'png').lstrip('.').lower()
    return arguments


def is_file(to: str) -> bool:
    """Whether the argument of -o names a file."""
    if to == '-':
        return True
    return not (to.endswith('/') or os.path.isdir(to)) and (os.path.exists(to) or bool(os.path.splitext(to)[1]))


def identity(name: str) -> tuple[int, int] | None:
    """What the names of one file have in common."""
    try:
        status = os.stat(0 if name == '-' else name)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def is_special(name: str) -> bool:
    """Whether the name is that of a pipe, a device or the like."""
    return os.path.exists(name) and not os.path.isfile(name)


def pictures_in(folder: str, arguments: argparse.Namespace, failures: list[Failure]) -> Iterator[str]:
    """The names of the pictures in a folder, but not edges from an earlier run."""
    own = arguments.to and identity(arguments.to)

    def fail(error: OSError) -> None:
        failures.append((error.filename, error.strerror))

    for inner, folders, names in os.walk(folder, onerror=fail):
        folders[:] = sorted(name for name in folders if arguments.recursive and not name.startswith('.')
                            and not (own and identity(os.path.join(inner, name)) == own))
        for name in sorted(names):
            path = os.path.join(inner, name)
            stem, extension = os.path.splitext(name)
            is_beside = arguments.to is None and stem.endswith(BESIDE)
            is_picture = extension.lower() in IN_FOLDERS and not name.startswith('.') and not is_beside
            if is_picture and not is_special(path):
                yield path


def target_of(name: str, relative: str, arguments: argparse.Namespace) -> str:
    """The file for the edges of a picture. `relative` is its name in the folder of the arguments."""
    if arguments.to is None:
        return name if name == '-' else f'{os.path.splitext(name)[0]}{BESIDE}.{arguments.format}'
    if is_file(arguments.to):
        return arguments.to
    return os.path.join(arguments.to, f'{os.path.splitext(relative)[0]}.{arguments.format}')


def jobs_of(arguments: argparse.Namespace, failures: list[Failure]) -> Iterator[Job]:
    """Failures are those of folders."""
    for name in arguments.pictures:
        if not os.path.isdir(name):
            yield Job(name, target_of(name, os.path.basename(name), arguments))
            continue
        earlier = len(failures)
        pictures = list(pictures_in(name, arguments, failures))
        if not pictures and len(failures) == earlier:
            failures.append((name, 'no pictures'))
        for picture in pictures:
            yield Job(picture, target_of(picture, os.path.relpath(picture, name), arguments))


def conflict_in(jobs: list[Job]) -> str | None:
    """Why the jobs can't all be done."""
    pictures = {identity(job.source) for job in jobs} - {None}
    sources: dict[str, str] = {}
    for source, target in jobs:
        if target == '-' and os.isatty(1):
            return 'standard output is a terminal; name a file with -o'
        if target != '-' and identity(target) in pictures:
            return f'{target} is a picture to read and can\'t have the edges of {source}'
        path = os.path.realpath(target)
        if path in sources:
            return f'{target} can\'t have the edges of both {sources[path]} and {source}'
        sources[path] = source
    return None


unfinished: set[str] = set()  # names of files
creating = threading.RLock()  # held while a name is added and its file created


def descriptor_of(name: str) -> int | None:
    """The number of the open file that - or a name like /dev/stdout means."""
    if name == '-':
        return 1
    while os.path.islink(name) and os.path.exists(name):  # not so in a circle of links
        folder, last = os.path.split(name)
        if os.path.realpath(folder) == os.path.realpath('/proc/self/fd'):
            return int(last)
        name = os.path.join(folder, os.readlink(name))
    return None


def take_access(descriptor: int, former: os.stat_result) -> None:
    """Gives a file the owner and the permissions of another, as far as this user may and the file system has them."""
    with contextlib.suppress(OSError):
        os.fchown(descriptor, former.st_uid, former.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, former.st_mode & 0o777)


def write(name: str, data: bytes) -> None:
    """Writes a file, or, after an error, nothing."""
    descriptor = descriptor_of(name)
    if descriptor is not None or is_special(name):
        with open(name if descriptor is None else descriptor, 'wb', closefd=descriptor is None) as stream:
            stream.write(data)
        return
    name = os.path.realpath(name)
    former = os.stat(name) if os.path.exists(name) else None
    temporary = os.path.join(os.path.dirname(name), f'.cudacanny-{secrets.token_hex(8)}')
    try:
        with creating:
            unfinished.add(temporary)
            created = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if former else 0o666)
        with open(created, 'wb') as file:
            if former:
                take_access(created, former)
            file.write(data)
        os.replace(temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        unfinished.discard(temporary)


def end_with_signal(number: int, frame: Any) -> None:
    """Ends the program at once as the signal does, without unfinished files."""
    # No other file is created from here on. The main thread, where this runs, never writes: it waits only for others
    # and, when a second signal comes meanwhile, not for itself.
    creating.acquire()
    for name in list(unfinished):
        with contextlib.suppress(OSError):
            os.unlink(name)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)  # the signal does not end process 1 of a container


def read(name: str) -> bytes:
    with open(0 if name == '-' else name, 'rb', closefd=name != '-') as file:
        return file.read()


def write_edges(job: Job, edges_of: Callable[[bytes], tuple[bytes, str]], is_verbose: bool) -> Failure | None:
    name = job.source
    try:
        data, statistics = edges_of(read(name))
        name = job.target
        write(name, data)
    except Exception as error:  # libraries raise what they like for odd files
        return name, getattr(error, 'strerror', None) or str(error) or type(error).__name__
    if is_verbose:
        say(job.source, statistics)
    return None


def show_progress(done: int, count: int) -> None:
    bar = '#' * (30 * done // count)
    write_message(f'\r[{bar:30}] {done}/{count}' if done < count else '\r\x1b[K')


def start(arguments: argparse.Namespace) -> Any:
    """The Edges that the arguments ask for."""
    from . import _pictures  # not above: the manual is made without NumPy
    given = vars(arguments)
    options, settings = ({name: given[name] for name in names if name in given}
                         for names in (OPTIONS, (*SETTINGS, 'regions')))
    return _pictures.Edges(options, settings, arguments.format, arguments.min_points,
                           arguments.contour_precision)


def run(arguments: argparse.Namespace, options: Parser) -> list[Failure]:
    failures: list[Failure] = []
    jobs = list(jobs_of(arguments, failures))
    if conflict := conflict_in(jobs):
        options.error(conflict)
    try:
        edges = start(arguments)
    except (TypeError, ValueError) as error:
        options.error(str(error))
    if arguments.verbose:
        say(str(edges))
    if arguments.to and not is_file(arguments.to):
        for folder in {os.path.dirname(job.target) for job in jobs}:
            os.makedirs(folder, exist_ok=True)
    with ThreadPoolExecutor(min(MOST_AT_ONCE, len(os.sched_getaffinity(0)))) as pool:
        ended = pool.map(lambda job: write_edges(job, edges.of, arguments.verbose), jobs)
        for done, failure in enumerate(ended, 1):
            if failure:
                failures.append(failure)
            if len(jobs) > 1 and sys.stderr.isatty() and not arguments.verbose:
                show_progress(done, len(jobs))
    return failures


def main() -> int:
    if sys.stderr is None:
        mute()  # before a picture gets the number 2, to which libraries print
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end_with_signal)
    options = parser()
    arguments = parse(options)
    try:
        failures = run(arguments, options)
    except ImportError:
        failures = [('no Pillow and no OpenCV for Python', 'install python3-pil or python3-opencv')]
    except OSError as error:
        failures = [(error.filename, error.strerror)]
    except (MemoryError, RuntimeError) as error:
        failures = [(str(error),)]
    for failure in failures:
        say(*failure)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
