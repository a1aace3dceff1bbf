# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the examples of docs/guide/python.md, one after the other."""
import contextlib
import io
import os
import re
import tempfile
import unittest

import cv2
import numpy as np

from pictures import opencv, picture

FRAMES = 5
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'guide', 'python.md')


def examples():
    """The blocks of Python on the page."""
    with open(PAGE, encoding='utf-8') as page:
        blocks = re.findall(r'(?:^    .*\n|^\n(?=    ))+', page.read(), re.MULTILINE)
    blocks = [re.sub('(?m)^    ', '', block) for block in blocks]
    return [block for block in blocks if re.search(r'(?m)^(import|from|with|detector|edges|@torch) ?', block)]


def write_video(name):
    video = cv2.VideoWriter(name, cv2.VideoWriter.fourcc(*'mp4v'), 25, (203, 121))
    for seed in range(FRAMES):
        video.write(picture((121, 203, 3), seed=seed))
    video.release()
    frames = cv2.VideoCapture(name)
    return [frames.read()[1] for _ in range(FRAMES)]


class Page(unittest.TestCase):
    backend = 'cpu'

    def test_examples(self):
        blocks = [block for block in examples() if 'torch' not in block]
        self.assertEqual(len(blocks), 11)
        images = [picture((61, 83), seed=seed) for seed in range(7)]
        shown = []
        names = {'np': np, 'images': images, 'show': shown.append}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            os.mkdir('photos')
            for name in ('photo.jpg', 'photos/photo.jpg'):
                cv2.imwrite(name, picture((121, 203, 3)))
            frames = write_video('video.mp4')
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                for block in blocks:
                    exec(block, names)
            expected = opencv(cv2.imread('photo.jpg'), 50, 150, order='bgr')
            for name in ('edges.png', 'edges/photo.png'):
                np.testing.assert_array_equal(cv2.imread(name, cv2.IMREAD_UNCHANGED), expected)
            for number, frame in enumerate(frames):
                edges = cv2.imread(f'edges/{number:06}.png', cv2.IMREAD_UNCHANGED)
                np.testing.assert_array_equal(edges, opencv(frame, 50, 150, order='bgr'))
            self.assertEqual(len(os.listdir('edges')), 1 + FRAMES)
        np.testing.assert_array_equal(shown, [opencv(image, 50, 150) for image in images])
        self.assertTrue(names['chains'] and min(map(len, names['chains'])) >= 20)
        self.assertGreater(max(names['size']), 5)
        self.assertGreater(min(names['lengths']), 10)
        high, edge_pixels = printed.getvalue().split()
        self.assertTrue(float(high) > 0 and int(edge_pixels) > 0)
