# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the Python programs of docs/examples, which use the element."""
import os
import subprocess
import sys
import tempfile
import unittest

import cv2
import numpy as np

import cudacanny
from pictures import opencv, picture

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'examples')


def run(name, *arguments):
    return subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *arguments], timeout=60,
                          capture_output=True, text=True, check=False)


class Examples(unittest.TestCase):
    def succeeds(self, *command):
        done = run(*command)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout

    def test_application(self):
        frame = np.zeros((48, 64, 3), np.uint8)
        frame[16:32, 8:24] = 255
        edges = opencv(frame, 50, 150)
        edge_pixels, chains = np.count_nonzero(edges), len(cudacanny.contours(edges))
        lines = self.succeeds('application.py').splitlines()
        self.assertEqual(lines[:-1], 10 * [f'{edge_pixels} edge pixels above 150 in {chains} chains'])
        self.assertRegex(lines[-1], '^(cpu|cuda|opencl) 10 frames$')

    def test_regions(self):
        with tempfile.TemporaryDirectory() as folder:
            edges = os.path.join(folder, 'edges')
            self.succeeds('regions.py', 'videotestsrc pattern=zone-plate kx2=20 ky2=20 num-buffers=5 '
                          '! video/x-raw,format=GRAY8,width=128,height=48',
                          f'video/x-raw,format=GRAY8 ! filesink location={edges}')
            frames = np.fromfile(edges, np.uint8).reshape(-1, 48, 128)
        self.assertEqual(len(frames), 5)
        for number, frame in enumerate(frames):
            region = np.zeros(frame.shape, bool)
            region[16:40, 8 * number:8 * number + 32] = True
            self.assertTrue(frame[region].any())
            self.assertFalse(frame[~region].any())

    def test_regions_end_where_a_pipeline_ends(self):
        source = 'videotestsrc ! video/x-raw,format=GRAY8,width=128,height=48'
        self.succeeds('regions.py', source, 'identity eos-after=5 ! fakesink')
        for first, second, message in (
                (source, 'identity error-after=5 ! fakesink', 'Failed after iterations'),
                ('filesrc location=/nothing ! decodebin', 'fakesink', 'Resource not found'),
                (source, 'nothing', 'no element "nothing"')):
            done = run('regions.py', first, second)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f'^regions.py: {message}')

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, size in enumerate(((121, 203), (48, 64), (121, 203))):
                cv2.imwrite(os.path.join(folder, f'photo-{number:03}.jpg'), picture(size))
            self.succeeds('pictures.py', os.path.join(folder, 'photo-%03d.jpg'),
                          os.path.join(folder, 'edges-%03d.png'), 'low-threshold=20', 'sigma=1')
            self.assertEqual(len(os.listdir(folder)), 6)
            for number in range(3):
                photo, edges = (cv2.imread(os.path.join(folder, name), cv2.IMREAD_UNCHANGED)
                                for name in (f'photo-{number:03}.jpg', f'edges-{number:03}.png'))
                self.assertTrue(edges.any())
                np.testing.assert_array_equal(edges, opencv(photo, 20, 60, sigma=1))
        done = run('pictures.py', '%d.jpg', '%d.png', 'blur=1')
        self.assertEqual((done.returncode, done.stderr),
                         (1, 'pictures.py: no property "blur" in element "cudacanny"\n'))
        done = run('pictures.py', '/nothing/%d.jpg', '/nothing/%d.png')
        self.assertEqual((done.returncode, done.stderr), (1, 'pictures.py: Error while reading from file "/nothing/0.jpg".\n'))
