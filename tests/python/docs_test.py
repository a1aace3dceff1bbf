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

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'guide', 'python.md')


class Page(unittest.TestCase):
    backend = 'cpu'

    def test_examples(self):
        with open(PAGE, encoding='utf-8') as page:
            blocks = re.findall(r'(?:^    .*\n|^\n(?=    ))+', page.read(), re.MULTILINE)
        blocks = [re.sub('(?m)^    ', '', block) for block in blocks]
        examples = [block for block in blocks if re.search(r'(?m)^(import|from|with|detector|edges) ?', block)
                    and 'torch' not in block]
        self.assertEqual(len(examples), 6)
        images = [picture((61, 83), seed=seed) for seed in range(7)]
        shown = []
        names = {'np': np, 'images': images, 'show': shown.append}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            cv2.imwrite('photo.jpg', picture((121, 203, 3)))
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                for example in examples:
                    exec(example, names)
            expected = opencv(cv2.imread('photo.jpg'), 50, 150, order='bgr')
            np.testing.assert_array_equal(cv2.imread('edges.png', cv2.IMREAD_UNCHANGED), expected)
        np.testing.assert_array_equal(shown, [opencv(image, 50, 150) for image in images])
        self.assertTrue(names['chains'] and min(map(len, names['chains'])) >= 20)
        self.assertGreater(max(names['size']), 5)
        high, edge_pixels = printed.getvalue().split()
        self.assertTrue(float(high) > 0 and int(edge_pixels) > 0)
