#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes videos in one piece and in pieces, in this process, and compares them.

    exact.py exact VIDEO...      pieces have to fit, wherever the video is cut
    exact.py inexact VIDEO...    some do not fit, and the video is made in one piece

Boundaries are times of frames, a nanosecond beside them, between them and after the last one. Then pieces of
the first video are damaged, or made of something else, which a join has to notice, and it is encoded otherwise.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import runpy
import shutil
import subprocess
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
CLUSTER = pathlib.Path(__file__).resolve().parents[2] / 'cluster'
sys.path.insert(0, str(CLUSTER))
import archive  # noqa: E402
import files  # noqa: E402
import images  # noqa: E402
import joining  # noqa: E402
import pipelines  # noqa: E402


def load_detect():
    loader = importlib.machinery.SourceFileLoader('detect', str(CLUSTER / 'detect'))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('detect', loader))
    loader.exec_module(module)
    return module


detect = load_detect()
SETTINGS = {'properties': {'sigma': '2', 'backend': 'cpu'}, 'encoder': archive.GRAY_FFV1, 'extension': '.mkv',
            'tries': 3, 'stall': 10, 'gpus': False}
OTHER_ENCODER = 'video/x-raw,format=GRAY8 ! jpegenc ! matroskamux'
NEVER = 10 ** 18
passed = failed = 0


def check(what, condition, details=''):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print(f'FAILED: {what} {details}')


def run(program, *arguments):
    """Runs a program in this process, which is faster."""
    path, status = str(CLUSTER / program), 0
    sys.argv = [path, *map(str, arguments)]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            runpy.run_path(path, run_name='__main__')
        except SystemExit as end:
            status = end.code or 0
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc()
            status = 1
    return subprocess.CompletedProcess(sys.argv, status, out.getvalue(), errors.getvalue())


def video_of(folder, path, boundaries=(), **settings):
    return archive.Video(archive.Archive(folder), path.as_uri(), path.name, SETTINGS | settings, boundaries)


def made_of_pieces(*arguments, spoil=lambda video: None, **settings):
    """The sidecar, after spoil(video) had the pieces; what each piece has, and times in the file."""
    for piece in video_of(*arguments, **settings).pieces:
        detect.make_piece(piece)
    video = video_of(*arguments, **settings)
    records = [piece.record for piece in video.pieces]
    spoil(video)
    return detect.make_joined(video_of(*arguments, **settings)), records, times_in(video.edges())


def times_in(path):
    with open(path, 'rb') as file:
        return [(sample.get_buffer().pts, sample.get_buffer().duration)
                for sample in joining.samples(file, 10, decode=False)]


def times_of_frames(folder, path):
    """In the video, in nanoseconds."""
    piece = video_of(folder, path, [NEVER]).pieces[0]
    detect.make_piece(piece)
    return [at for at, _ in joining.times_of(piece, 0)]


def cuts(times):
    """Boundaries: of one frame, of none, on a frame, a nanosecond before it, and so on."""
    middle, later, last = times[len(times) // 2], times[len(times) * 3 // 4], times[-1]
    return [[middle], [middle - 1], [middle + 1], [middle, middle + 1], [middle + 1, middle + 2, later],
            [times[1], times[2]], [last], [last + 1], [middle, last + 1, last + 10 ** 9],
            [times[-1] * i // 7 + i for i in range(1, 7)]]


def expected_frames(times, boundaries):
    ends = [-NEVER, *boundaries, NEVER]
    return [sum(one <= at < other for at in times) for one, other in zip(ends, ends[1:])]


def compare(what, made, whole, times, whole_times):
    keys = ('frames', 'edge_pixels', 'frames_sha256', 'width', 'height', 'format', 'warning')
    differ = [key for key in keys if made[key] != whole[key]]
    check(what, not differ, differ)
    check(f'{what}: times', times == whole_times)


def check_cuts(folder, path, is_exact):
    whole_video = video_of(folder / 'whole', path)
    whole = detect.make_whole(whole_video)
    whole_times, notes = times_in(whole_video.edges()), []
    # Frames that do not fit need not have times.
    times = times_of_frames(folder / 'times', path) if is_exact else sorted(at for at, _ in whole_times)
    for boundaries in cuts(times):
        what = f'{path.name} cut at {boundaries}'
        made, records, made_times = made_of_pieces(folder / 'pieces', path, boundaries)
        compare(what, made, whole, made_times, whole_times)
        notes.append(made.get('note'))
        if is_exact:
            check(what, 'note' not in made and made['pieces'] == len(records), made.get('note'))
            shares = made.get('shares', [])
            check(f'{what}: work', made['seconds'] >= sum(share['seconds'] for share in shares) > 0)
            check(f'{what}: shares', sum(share['frames'] for share in shares) == len(times))
            frames = [record['frames'] for record in records]
            check(f'{what}: pieces', frames == expected_frames(times, boundaries))
    check(f'{path.name} has pieces that do not fit', is_exact or any(notes))
    check(f'{path.name}: nothing is left', not list(folder.rglob('*.part')) and
          not list((folder / 'pieces/.archive/pieces').rglob('*.*')))


def check_faults(folder, path):
    """What a join must not take."""
    middle = times_of_frames(folder / 'times', path)
    middle = [middle[len(middle) // 2]]
    whole = detect.make_whole(video_of(folder / 'whole', path))

    def change(key, value):
        def spoil(video):
            piece = video.pieces[1]
            files.write_json(piece.record_path(), piece.record | {key: value})
        return spoil

    def exchange(video):
        shutil.copyfile(video.pieces[0].edges(), video.pieces[1].edges())
        record = video.pieces[1].record_path()
        files.write_json(record, files.read_json(record, dict) | {'bytes': video.pieces[1].edges().stat().st_size})

    def cut_times(video):
        path = video.pieces[1].times_path()
        path.write_text(path.read_text(encoding='ascii').split('\n', 1)[1], encoding='ascii')
    for what, spoil, note in (
            ('other pixels', change('first', {'time': middle[0], 'sha256': ''}), 'is not the one after'),
            ('another time', change('first', None), 'is not the one after'),
            ('another sum', change('frames_sha256', ''), 'SHA-256'),
            ('frames of another piece', exchange, 'is damaged'),
            ('too few times', cut_times, 'is damaged'),
            ('other formats', change('caps', 'video/x-raw'), 'format of the frames changes'),
            ('a missing piece', lambda video: video.pieces[0].edges().unlink(), 'a piece is missing'),
            ('no piece', change('misfit', 'a reason'), 'a reason')):
        for encoder in (archive.GRAY_FFV1, OTHER_ENCODER):
            made, *_ = made_of_pieces(folder / what / encoder[-20:], path, middle, spoil=spoil,
                                      encoder=encoder)
            check(what, note in made.get('note', ''), made.get('note'))
            check(f'{what}: the edges', made['frames_sha256'] == whole['frames_sha256'])


def check_other_encoder(folder, path):
    times = times_of_frames(folder / 'times', path)
    whole_video = video_of(folder / 'whole', path, encoder=OTHER_ENCODER)
    whole = detect.make_whole(whole_video)
    made, _, made_times = made_of_pieces(folder / 'pieces', path, [times[10], times[20]],
                                         encoder=OTHER_ENCODER)
    compare('another encoder', made, whole, made_times, times_in(whole_video.edges()))
    check('another encoder has pieces', made.get('pieces') == 3)


def check_ready_encoder(folder, path, encoder):
    times = times_of_frames(folder / 'times', path)
    settings = {'encoder': encoder, 'extension': '.images', 'properties': SETTINGS['properties'] | {
        'output': 'overlay' if encoder == 'png-rgb' else 'edges'}}
    whole_video, video = (video_of(folder / name, path, **settings) for name in ('whole', 'pieces'))
    whole, ffv1 = detect.make_whole(whole_video), detect.make_whole(video_of(folder / 'ffv1', path))
    for piece in video_of(folder / 'pieces', path, [times[10], times[20]], **settings).pieces:
        detect.make_piece(piece)
    made = detect.make_joined(video_of(folder / 'pieces', path, [times[10], times[20]], **settings))
    check(f'{encoder} has pieces', made.get('pieces') == 3)
    check(f'{encoder}: the edges', made['frames_sha256'] == whole['frames_sha256'])
    check(f'{encoder}: the same in FFV1',
          (whole['frames_sha256'] == ffv1['frames_sha256']) == (encoder != 'png-rgb'))
    data = whole_video.edges().read_bytes()
    check(f'{encoder}: the file of pieces', video.edges().read_bytes() == data)
    file = whole_video.edges()
    for what, damaged in (('a byte is missing', data[:-1]), ('half is missing', data[:len(data) // 2]),
                          ('a byte too many', data + b'P'),
                          ('other images', data.replace(b'IEND', b'IENX').replace(b'P4\n', b'P5\n')),
                          ('nothing', b'')):
        file.write_bytes(damaged)
        with open(file, 'rb') as opened:
            try:
                frames = pipelines.frames_in(opened, encoder, 10)
            except pipelines.BadVideo:
                frames = 0
        check(f'{encoder}: {what}', frames != made['frames'] and (frames == 0 or not damaged), frames)
    with open('/dev/full', 'wb', buffering=0) as full:
        try:
            detect.detect_in(whole_video, full, encoder)
            check(f'{encoder}: a full disk', False)
        except pipelines.BadVideo as error:
            check(f'{encoder}: a full disk', 'No space left' in str(error), error)


def check_packing():
    """Of rows that are no multiple of 8."""
    for width in range(1, 20):
        rows = [[255 * (x * y % 3 == 0) for x in range(width)] for y in range(3)]
        with tempfile.TemporaryFile() as file:
            images.Bits(file).add([width, 3], bytes(pixel for row in rows for pixel in row), ['0', '-'])
            file.seek(0)
            bits = b''.join(file.readlines()[3:])
        size = (width + 7) // 8
        found = [f'{int.from_bytes(bits[y * size:(y + 1) * size], "big"):0{8 * size}b}' for y in range(3)]
        check(f'{width} pixels a row', found == [''.join('01'[pixel == 255] for pixel in row).ljust(8 * size, '0')
                                                 for row in rows], found)


def check_colors(folder, path):
    times = times_of_frames(folder / 'times', path)
    settings = {'encoder': archive.FFV1, 'properties': SETTINGS['properties'] | {'output': 'overlay'}}
    whole_video = video_of(folder / 'whole', path, **settings)
    whole = detect.make_whole(whole_video)
    made, _, made_times = made_of_pieces(folder / 'pieces', path, [times[10], times[20]], **settings)
    compare('frames in colors', made, whole, made_times, times_in(whole_video.edges()))
    check('frames in colors have pieces', made.get('pieces') == 3)


def check_stale(folder, path):
    """Pieces count only for the same video, boundaries and settings."""
    folder.mkdir()
    path = pathlib.Path(shutil.copy(path, folder))
    for piece in video_of(folder, path, [NEVER]).pieces[:1]:
        detect.make_piece(piece)
    check('the same', video_of(folder, path, [NEVER]).pieces[0].record)
    check('others are to do', [work.number for work in video_of(folder, path, [NEVER]).work()] == [1])
    check('other boundaries', not video_of(folder, path, [NEVER + 1]).pieces[0].record)
    check('other settings', not video_of(folder, path, [NEVER], properties={'sigma': '3'}).pieces[0].record)
    check('another encoder', not video_of(folder, path, [NEVER], encoder=OTHER_ENCODER).pieces[0].record)
    os.utime(path, (0, 0))
    check('another source', not video_of(folder, path, [NEVER]).pieces[0].record)


def main():
    pipelines.Gst.init(None)
    paths = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number, path in enumerate(paths):
            check_cuts(folder / str(number), path, sys.argv[1] == 'exact')
        if sys.argv[1] == 'exact':
            check_faults(folder / 'faults', paths[0])
            check_other_encoder(folder / 'encoder', paths[0])
            for encoder in archive.READY:
                check_ready_encoder(folder / encoder, paths[0], encoder)
            check_packing()
            check_colors(folder / 'colors', paths[0])
            check_stale(folder / 'stale', paths[0])
    print(f'{passed} passed, {failed} failed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
