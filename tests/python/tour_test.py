# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the lines of docs/start/tour.md, and compares the pictures that they write with those of the page."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import cv2
import numpy as np

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'start')


class Tour(unittest.TestCase):
    def test_pictures(self):
        with open(os.path.join(DOCS, 'tour.md'), encoding='utf-8') as page:
            pictures = re.findall(r'!\[.*\]\(tour/(.*\.png)\)', page.read())
        self.assertGreater(len(pictures), 5)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, os.path.join(DOCS, 'tour', 'update'), folder],
                                  timeout=60, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            self.assertEqual(sorted(os.listdir(folder)), sorted(pictures))
            for name in pictures:
                drawn = cv2.imread(os.path.join(folder, name), cv2.IMREAD_UNCHANGED)
                shown = cv2.imread(os.path.join(DOCS, 'tour', name), cv2.IMREAD_UNCHANGED)
                np.testing.assert_array_equal(drawn, shown, err_msg=name)
