# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command cudacanny, with Pillow and with OpenCV."""
import contextlib
import inspect
import io
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings
from unittest import mock
from xml.etree import ElementTree

import cv2
import numpy as np

import cudacanny
from cudacanny import __main__ as command
from cudacanny._settings import OPTIONS, SETTINGS, Settings
from pictures import picture

try:
    from PIL import Image
except ImportError:
    Image = None
COMMAND = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'bindings', 'python', 'command')
GRAY, COLOR = picture((121, 203)), picture((90, 120, 3))
NOT_OPTIONS = {'image', 'mask', 'order', 'layout', 'out', 'stream', 'settings'}  # arguments of canny()


def edges_of(image, **settings):
    return cudacanny.canny(image, backend='cpu', **settings)


def turned(jpeg):
    """The file, with the note in EXIF that its picture lies on its side."""
    exif = b'Exif\0\0MM\0*' + struct.pack('>IHHHIHHI', 8, 1, 0x112, 3, 1, 6, 0, 0)
    return jpeg[:2] + b'\xff\xe1' + struct.pack('>H', 2 + len(exif)) + exif + jpeg[2:]


class Case(unittest.TestCase):
    """A case with a folder of its own, in which the command runs."""

    backend = 'cpu'
    missing = ()
    """Modules that the command does not find."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(contextlib.chdir(self.folder))
        self.enterContext(warnings.catch_warnings())
        self.enterContext(mock.patch('signal.signal'))
        self.enterContext(mock.patch.dict(sys.modules, dict.fromkeys(self.missing)))
        sys.modules.pop('cudacanny._pictures', None)  # it looks for these modules again
        vars(cudacanny).pop('_pictures', None)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def save(self, *names_and_content):
        """Writes a picture or the bytes of a file."""
        *names, content = names_and_content
        path = self.path(*names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, np.ndarray):
            if content.ndim == 3:  # RGB
                content = content[..., [2, 1, 0, 3][:content.shape[2]]]
            content = cv2.imencode('.png', content)[1].tobytes()
        with open(path, 'wb') as file:
            file.write(content)

    def load(self, *names):
        image = cv2.imread(self.path(*names), cv2.IMREAD_UNCHANGED)
        return image if image is None or image.ndim == 2 else image[..., ::-1]

    def files(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.folder)
                      for folder, _, names in os.walk(self.folder) for name in names)

    def run_command(self, *arguments, status=0, errors=''):
        """Runs the command in this process."""
        printed = io.StringIO()
        with (contextlib.redirect_stderr(printed),
              mock.patch.object(sys, 'argv', ['cudacanny', '--backend', 'cpu', *arguments])):
            returned = command.main()
        self.assertEqual((returned, printed.getvalue()), (status, errors))

    def start(self, *arguments, status=0, errors='', **how):
        """Runs it in a process of its own and returns standard output."""
        done = subprocess.run([sys.executable, '-m', 'cudacanny', '--backend', 'cpu', *arguments], check=False,
                              timeout=60, **{'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **how})
        self.assertEqual((done.returncode, (done.stderr or b'').decode()), (status, errors))
        return done.stdout


class Pictures:
    def test_kinds_of_files(self):
        self.save('gray.png', GRAY)
        self.save('gray16.png', picture((60, 80), np.uint16))
        self.save('color.png', COLOR)
        self.save('transparent.png', np.dstack([COLOR, GRAY[:90, :120]]))
        jpeg = cv2.imencode('.jpg', COLOR)[1].tobytes()
        self.save('turned.JPG', turned(jpeg))
        self.save('.hidden.png', GRAY)
        self.save('text.txt', b'text')
        self.run_command('.', '-o', 'out', '--low', '5')
        for name, image in (('gray', GRAY), ('gray16', self.load('gray16.png')), ('color', COLOR),
                            ('transparent', COLOR), ('turned', cv2.imread('turned.JPG')[..., ::-1])):
            expected = edges_of(image, low=5)
            self.assertTrue(expected.any() and not expected.all())
            np.testing.assert_array_equal(self.load('out', f'{name}.png'), expected, name)
        self.assertEqual(len(os.listdir(self.path('out'))), 5)

    def test_outputs_in_color(self):
        self.save('gray.png', GRAY)
        self.save('color.png', COLOR)
        for output in ('overlay', 'masked', 'direction', 'passes', 'blurred'):
            self.run_command('gray.png', 'color.png', '-o', output, '--output', output)
        red = self.load('overlay', 'gray.png')[edges_of(GRAY) > 0]
        self.assertEqual(np.unique(red, axis=0).tolist(), [[255, 0, 0]])
        np.testing.assert_array_equal(self.load('overlay', 'color.png'), edges_of(COLOR, output='overlay'))
        np.testing.assert_array_equal(self.load('masked', 'color.png'), edges_of(COLOR, output='masked'))
        np.testing.assert_array_equal(self.load('masked', 'gray.png'), edges_of(GRAY, output='masked'))
        for output in ('direction', 'passes'):
            expected = edges_of(GRAY, output=output, out=np.empty((*GRAY.shape, 3), np.uint8))
            self.assertTrue((expected[..., 0] != expected[..., 2]).any())
            np.testing.assert_array_equal(self.load(output, 'gray.png'), expected)
        np.testing.assert_array_equal(self.load('blurred', 'gray.png'), edges_of(GRAY, output='blurred'))

    def test_formats_to_write(self):
        self.save('gray.png', GRAY)
        for extension in ('bmp', 'tif'):
            self.run_command('gray.png', '-o', f'edges.{extension}')
            np.testing.assert_array_equal(self.load(f'edges.{extension}'), edges_of(GRAY))
        self.run_command('gray.png', '--format', 'JPG')
        self.assertLess(abs(self.load('gray-edges.jpg').astype(int) - edges_of(GRAY)).mean(), 3)


@unittest.skipUnless(Image, 'needs python3-pil')
class WithPillow(Pictures, Case):
    def test_kinds_that_only_pillow_writes(self):
        colors = Image.fromarray(COLOR)
        for name, image in (('palette.png', colors.quantize(16)), ('cmyk.jpg', colors.convert('CMYK')),
                            ('bits.tif', colors.convert('1')), ('la.png', colors.convert('LA')),
                            ('big.tif', Image.fromarray(picture((60, 80), np.uint16).astype('>u2'), 'I;16B'))):
            image.save(self.path(name))
        colors.save(self.path('moving.gif'), save_all=True, append_images=[colors.rotate(90)])
        self.run_command('.')
        for name, mode in (('palette.png', 'RGB'), ('cmyk.jpg', 'RGB'), ('bits.tif', 'L'), ('la.png', 'L'),
                           ('moving.gif', 'RGB')):
            with Image.open(self.path(name)) as image:
                expected = edges_of(np.asarray(image.convert(mode)))
            np.testing.assert_array_equal(self.load(name[:-4] + '-edges.png'), expected, name)
        np.testing.assert_array_equal(self.load('big-edges.png'), edges_of(picture((60, 80), np.uint16)))


class WithOpenCV(Pictures, Case):
    missing = ('PIL',)


class WithNeither(Case):
    missing = ('PIL', 'cv2')

    def test_message(self):
        self.save('gray.png', GRAY)
        self.run_command('gray.png', status=1, errors='cudacanny: no Pillow and no OpenCV for Python: install '
                                                      'python3-pil or python3-opencv\n')


class Arguments(Case):
    def refuses(self, message, *arguments):
        errors = io.StringIO()
        with (self.subTest(message), contextlib.redirect_stderr(errors),
              mock.patch.object(sys, 'argv', ['cudacanny', *arguments])):
            with self.assertRaises(SystemExit) as caught:
                command.main()
            self.assertEqual(caught.exception.code, 2)
            self.assertIn(message, errors.getvalue())
            self.assertTrue(errors.getvalue().replace('\n', '').isprintable())

    def test_each_setting_is_an_option(self):
        names = {*inspect.signature(cudacanny.canny).parameters, *Settings.__annotations__} - NOT_OPTIONS
        self.assertEqual(names, {*SETTINGS, *OPTIONS, 'regions'})
        usage = command.parser().format_help()
        for name in names:
            self.assertIn(f'  --{name.replace("_", "-")}', usage)

    def test_settings(self):
        self.save('color.png', COLOR)
        self.run_command('--low', '20', 'color.png', '--high', '40', '--sigma', '2', '--norm', 'l1', '-o', 'edges.png',
                         '--operator', 'scharr', '--color-mode', 'largest-channel', '--no-thin-edges',
                         '--hysteresis-passes', '2', '--min-length', '9', '--output', 'overlay', '--edge-color',
                         '#00ff00', '--regions', '0,0,60,50', '--regions', '70,40,30,30', '--threads', '1')
        expected = edges_of(COLOR, low=20, high=40, sigma=2, norm='l1', operator='scharr', thin_edges=False,
                            color_mode='largest-channel', hysteresis_passes=2, min_length=9, output='overlay',
                            edge_color=0xff00ff00, regions=[(0, 0, 60, 50), (70, 40, 30, 30)])
        self.assertTrue((expected != COLOR).any())
        np.testing.assert_array_equal(self.load('edges.png'), expected)

    def test_refusals(self):
        self.save('a.png', GRAY)
        self.save('b', 'a.png', GRAY)
        os.link(self.path('a.png'), self.path('link.png'))
        os.symlink('a.png', self.path('c-edges.png'))
        self.save('c.png', GRAY)
        for message, *arguments in (
                ('the following arguments are required: PICTURE',),
                ('argument -o: the name is empty', 'b/a.png', '-o', ''),
                ('sigma 99.000000 is outside 0..20', 'a.png', '--sigma', '99'),
                ('norm must be one of "l1", "l2", but is "\\x1b"', 'a.png', '--norm', '\x1b'),
                ('argument --low: invalid float value', 'a.png', '--low', 'x'),
                ('edge_color must be #rrggbb, ', 'a.png', '--edge-color', 'reddish'),
                ('threads 5000 is outside 0..1024', 'a.png', '--threads', '5000'),
                ('regions has rectangles (x, y, width, height), but [1, 2, 3] is none', 'a.png', '--regions', '1,2,3'),
                ('min_points -1 is outside', 'a.png', '--min-points', '-1'),
                ('unrecognized arguments: --sig', 'a.png', '--sig', '2'),
                ('no picture can be written as "xyz"', 'a.png', '-o', 'edges.xyz'),
                ('svg files have edges, but no output "overlay"', 'a.png', '-o', 'a.svg', '--output', 'overlay'),
                ('a.png is a picture to read', 'a.png', '-o', './a.png'),
                ('link.png is a picture to read', 'a.png', '-o', 'link.png'),
                ('c-edges.png is a picture to read', 'c.png', 'a.png'),
                ('b/a.png is a picture to read', 'b/a.png', 'a.png', '-o', 'b'),
                ('out/a.png can\'t have the edges of both a.png and b/a.png', 'a.png', 'b/a.png', '-o', 'out'),
                ('out.png can\'t have the edges of both', 'a.png', 'b', '-o', 'out.png'),
                ('- can\'t have the edges of both', 'a.png', 'b', '-o', '-')):
            self.refuses(message, *arguments)
        with mock.patch('os.isatty'):
            self.refuses('standard output is a terminal', 'a.png', '-o', '-')
        self.assertEqual(self.files(), ['a.png', 'b/a.png', 'c-edges.png', 'c.png', 'link.png'])
        np.testing.assert_array_equal(self.load('a.png'), GRAY)

    def test_device_that_is_missing(self):
        self.save('a.png', GRAY)
        failed = mock.patch('cudacanny._native.Detector', side_effect=RuntimeError('no\x1b device'))
        with failed:
            self.run_command('a.png', status=1, errors="cudacanny: 'no\\x1b device'\n")


class Files(Case):
    def test_folders(self):
        for name in ('a.png', 'b.PNG', 'inner/a.png', 'inner/.trash/a.png', 'inner/edges/a.png'):
            self.save('photos', name, GRAY)
        for _ in range(2):  # edges are no pictures the second time
            self.run_command('photos')
        self.assertEqual(self.files()[:4], [f'photos/{name}' for name in
                                            ('a-edges.png', 'a.png', 'b-edges.png', 'b.PNG')])
        self.assertFalse(os.path.exists(self.path('photos', 'inner', 'a-edges.png')))
        os.unlink(self.path('photos', 'a-edges.png'))
        os.unlink(self.path('photos', 'b-edges.png'))
        for _ in range(2):
            self.run_command('-r', 'photos', '-o', 'photos/inner/edges/')
        self.assertEqual(sorted(name for name in self.files() if 'edges/' in name),
                         [f'photos/inner/edges/{name}' for name in ('a.png', 'b.png', 'inner/a.png')])

    def test_folder_with_a_pipe(self):
        self.save('photos', 'a.png', GRAY)
        os.symlink('a.png', self.path('photos', 'link.png'))
        os.symlink('none', self.path('photos', 'broken.png'))
        os.mkfifo(self.path('photos', 'pipe.png'))  # reading it would wait for a writer
        self.start('photos', '-o', 'out', status=1, errors='cudacanny: photos/broken.png: No such file or directory\n')
        self.assertEqual(sorted(os.listdir(self.path('out'))), ['a.png', 'link.png'])

    def test_failures_are_named_at_the_end(self):
        odd = os.fsdecode(b'line\n\xff.png')
        for name in ('-a.png', odd, 'z.png'):
            self.save(name, GRAY)
        self.save('broken.png', b'no picture')
        self.save('empty.png', b'')
        os.mkdir(self.path('folder'))
        reader = 'Pillow' if Image else 'OpenCV'
        output = self.start('--', odd, 'none\x1b.png', 'broken.png', '-a.png', 'folder', 'empty.png', 'z.png', status=1,
                            errors='cudacanny: folder: no pictures\n'
                                   "cudacanny: 'none\\x1b.png': No such file or directory\n"
                                   f'cudacanny: broken.png: not a picture that {reader} reads\n'
                                   f'cudacanny: empty.png: not a picture that {reader} reads\n')
        self.assertEqual(output, b'')
        for name in ('-a-edges.png', 'z-edges.png', os.fsdecode(b'line\n\xff-edges.png')):
            with open(self.path(name), 'rb') as file:
                edges = cv2.imdecode(np.frombuffer(file.read(), np.uint8), cv2.IMREAD_UNCHANGED)
            np.testing.assert_array_equal(edges, edges_of(GRAY))

    def test_standard_input_and_output(self):
        self.save('gray.png', GRAY)
        with open(self.path('gray.png'), 'rb') as file:
            data = self.start('-', stdin=file)
        edges = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
        np.testing.assert_array_equal(edges, edges_of(GRAY))
        self.run_command('gray.png', '-o', '/dev/null')
        self.run_command('gray.png', '-o', 'no/edges.png', status=1,
                         errors='cudacanny: no/edges.png: No such file or directory\n')
        with open('/dev/full', 'wb') as full:
            self.start('gray.png', '-o', '-', stdout=full, status=1,
                       errors='cudacanny: -: No space left on device\n')
        reading, writing = os.pipe()
        os.close(reading)
        self.start('gray.png', '-o', '-', stdout=writing, status=1, errors='cudacanny: -: Broken pipe\n')
        os.close(writing)

    def test_names_of_open_files(self):
        self.save('gray.png', GRAY)
        os.symlink('/dev/stdout', self.path('link'))
        for name in ('-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', 'link'):
            with self.subTest(name), open(self.path('all'), 'w+b', buffering=0) as file:
                file.write(b'first')
                self.start('gray.png', '-o', name, '--contours', 'svg', stdout=file)
                file.write(b'last')
                file.seek(0)
                self.assertRegex(file.read(), b'(?s)^first<svg.*</svg>\nlast$')
        os.symlink('circle.png', self.path('circle.png'))
        self.run_command('gray.png', '-o', 'circle.png')
        self.assertTrue(os.path.isfile(self.path('circle.png')))

    def test_messages_that_nobody_gets(self):
        self.save('a.png', GRAY)
        self.save('b.png', GRAY)
        with open('/dev/full', 'wb') as full:
            for how in ({'stderr': full}, {'preexec_fn': lambda: os.close(2)}):
                self.start('-v', 'a.png', 'b.png', **how)
                self.start('a.png', 'b.png', **how)
                self.start('none.png', status=1, **how)

    def test_no_file_is_half_written(self):
        self.save('gray.png', GRAY)
        self.save('gray-edges.png', b'as before')
        self.start('gray.png', status=1, errors='cudacanny: gray-edges.png: File too large\n',
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(self.files(), ['gray-edges.png', 'gray.png'])
        with open(self.path('gray-edges.png'), 'rb') as file:
            self.assertEqual(file.read(), b'as before')

    def test_access_stays(self):
        earlier = []

        def fchmod(file, mode, change=os.fchmod):
            earlier.append((os.fstat(file).st_mode & 0o777, os.fstat(file).st_size))
            change(file, mode)

        self.save('gray.png', GRAY)
        self.run_command('gray.png')
        self.assertEqual(os.stat('gray-edges.png').st_mode, os.stat('gray.png').st_mode)
        os.symlink('gray-edges.png', self.path('link.png'))
        for mode in (0o600, 0o666):
            os.chmod('gray-edges.png', mode)
            with contextlib.suppress(OSError):  # only root may
                os.chown('gray-edges.png', 1234, 2345)
            before = os.stat('gray-edges.png')
            with mock.patch('os.fchmod', fchmod):
                self.run_command('gray.png', '-o', 'link.png')
            after = os.stat('gray-edges.png')
            self.assertNotEqual(after.st_ino, before.st_ino)
            self.assertEqual((after.st_mode, after.st_uid, after.st_gid),
                             (before.st_mode, before.st_uid, before.st_gid))
        self.assertEqual(earlier, 2 * [(0o600, 0)])

    def test_interrupt(self):
        unfinished = self.path('unfinished')
        self.save('unfinished', b'half')
        program = ('import sys; from cudacanny import __main__ as command; command.unfinished.add(sys.argv.pop()); '
                   'command.main()')
        with subprocess.Popen([sys.executable, '-c', program, '-v', '-', '-o', self.path('edges.png'), unfinished],
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stderr.readline()  # it has started, and waits for its input
            process.send_signal(signal.SIGINT)
            self.assertEqual((process.wait(10), process.stderr.read()), (-signal.SIGINT, ''))
        self.assertEqual(self.files(), [])

    def test_interrupt_while_files_are_created(self):
        program = textwrap.dedent('''
            import os, signal, threading, time
            from cudacanny import __main__ as command
            open_file, unlink, is_opening, signals = os.open, os.unlink, threading.Event(), [signal.SIGTERM]

            def start_to_write():
                threading.Thread(target=command.write, args=('edges.png', b'edges'), daemon=True).start()

            def open_late(*arguments):
                is_opening.set()
                time.sleep(.1)
                return open_file(*arguments)

            def unlink_slowly(name):
                if signals:
                    signal.raise_signal(signals.pop())  # ends the program
                start_to_write()
                time.sleep(.5)
                unlink(name)

            os.open, os.unlink, os.replace = open_late, unlink_slowly, lambda *names: time.sleep(60)
            signal.signal(signal.SIGINT, command.end_with_signal)
            signal.signal(signal.SIGTERM, command.end_with_signal)
            start_to_write()
            is_opening.wait()
            signal.raise_signal(signal.SIGINT)''')
        done = subprocess.run([sys.executable, '-c', program], check=False, timeout=10, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGTERM, b''))
        self.assertEqual(self.files(), [])

    def test_progress(self):
        self.save('a.png', GRAY)
        self.save('b.png', GRAY)
        terminal, other = os.openpty()
        self.start('.', stderr=other)
        shown = os.read(terminal, 1000).decode()
        os.close(other)
        os.close(terminal)
        self.assertEqual(shown, f'\r[{15 * "#":30}] 1/2\r\x1b[K')

    def test_verbose(self):
        self.save('a.png', GRAY)
        printed = []
        with mock.patch.object(command, 'say', lambda *parts: printed.append(parts)):
            self.run_command('-v', 'a.png')
        (device,), (name, statistics) = printed
        self.assertRegex(device, '^cpu: .')
        self.assertEqual(name, 'a.png')
        self.assertIn(f'edge_pixels={np.count_nonzero(edges_of(GRAY))}, ', statistics)


class Manual(Case):
    def test_manual(self):
        page = subprocess.run([sys.executable, '-IB', os.path.join(COMMAND, 'manual')], check=True, timeout=60,
                              capture_output=True, text=True).stdout
        self.assertIn('cudacanny \\- write the edges of pictures\n', page)
        for name in (*SETTINGS, *OPTIONS, 'regions'):
            self.assertIn(f'\n\\fB\\-\\-{name.replace("_", chr(92) + "-")}\\fR', page)

    def test_completion(self):
        program = """source "$1"; cudacanny() { cat usage; }
                     COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)); _cudacanny cudacanny; echo "${COMPREPLY[@]}" """
        self.save('usage', command.parser().format_help().encode())
        for words, found in ((['--hi'], '--high --high-ratio'), (['--norm', ''], 'l1 l2'), (['--norm', 'l2'], 'l2'),
                             (['--contours', ''], 'json svg'), (['--low', ''], ''), (['a.png'], '')):
            call = ['bash', '-c', program, '-', os.path.join(COMMAND, 'completion'), 'cudacanny', *words]
            done = subprocess.run(call, check=True, capture_output=True, text=True)
            self.assertEqual((done.stdout, done.stderr), (f'{found}\n', ''))


class Drawings(Case):
    def test_json(self):
        self.save('gray.png', GRAY)
        self.run_command('gray.png', '--contours', 'json', '--min-points', '5')
        with open(self.path('gray-edges.json'), encoding='utf-8') as file:
            read = json.load(file)
        chains = [chain.tolist() for chain in cudacanny.contours(edges_of(GRAY), 5)]
        self.assertGreater(len(chains), 5)
        self.assertEqual(read, {'width': 203, 'height': 121, 'chains': chains})

    def test_precision(self):
        self.save('gray.png', GRAY)
        self.run_command('gray.png', '--contours', 'json', '--min-points', '5', '--contour-precision')
        detector = cudacanny.Detector(contours=5, contour_precision=True)
        detector.detect(GRAY)
        with open(self.path('gray-edges.json'), encoding='utf-8') as file:
            self.assertEqual(json.load(file)['chains'], [chain.tolist() for chain in detector.contour_positions])
        self.run_command('gray.png', '--contours', 'svg', '--contour-precision')
        with open(self.path('gray-edges.svg'), encoding='utf-8') as file:
            self.assertRegex(file.read(), r'<path d="M\d+\.\d+ [\d. ]+Z?"/>')

    def test_svg(self):
        ring = np.zeros((48, 64), np.uint8)
        ring[12:36, 16:48] = 255
        self.save('ring.png', ring)
        self.run_command('ring.png', '-o', 'edges.svg', '--regions', '0,0,64,20', '--regions', '30,34,1,9')
        root = ElementTree.parse(self.path('edges.svg')).getroot()
        self.assertEqual(root.get('viewBox'), '0 0 64 48')
        paths = [path.get('d') for path in root.iter('{http://www.w3.org/2000/svg}path')]
        edges = edges_of(ring, regions=[(0, 0, 64, 20), (30, 34, 1, 9)])
        chains = cudacanny.contours(edges)
        self.assertEqual([path.strip('MZh0 ').split() for path in paths],
                         [[str(number) for number in chain.ravel()] for chain in chains])
        ends = [path.strip('M 0123456789') for path in paths]
        self.assertEqual(ends, ['' if len(chain) > 1 else 'h' for chain in chains])
        self.assertIn('h', ends)
        self.run_command('ring.png', '-o', 'edges.svg')
        with open('edges.svg', encoding='utf-8') as file:
            self.assertRegex(file.read(), r'<path d="M[\d ]+Z"/>')


if __name__ == '__main__':
    unittest.main()
