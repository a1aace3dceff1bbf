# SPDX-License-Identifier: LGPL-2.1-or-later
"""Canny() in place of cv2.Canny()."""
import unittest

import cv2
import numpy as np

import cudacanny
from pictures import check_refusals, picture


class Canny(unittest.TestCase):
    def test_random_calls(self):
        random = np.random.default_rng(23)
        with_edges = 0
        for number in range(2000):
            height, width = random.integers(1, 70, 2)
            shape = (height, width, 3) if random.random() < 0.5 else (height, width)
            # Few values give equal magnitudes, of neighbors and of channels.
            image = (picture(shape, seed=number, blur=random.uniform(0.5, 3)) if random.random() < 0.5 else
                     random.integers(0, random.integers(2, 9), shape, np.uint8) * np.uint8(30))
            aperture = int(random.choice([3, 5, 7]))
            scale = {3: 1, 5: 12, 7: 160}[aperture]
            thresholds = [float(value) for value in random.uniform(-20, 400, 2) * scale]
            arguments = (thresholds, aperture, bool(random.random() < 0.5))
            with self.subTest(number=number, shape=shape, arguments=arguments):
                expected = cv2.Canny(image, *thresholds, apertureSize=aperture, L2gradient=arguments[2])
                actual = cudacanny.Canny(image, *thresholds, apertureSize=aperture, L2gradient=arguments[2])
                np.testing.assert_array_equal(actual, expected)
                with_edges += expected.any()
        self.assertGreater(with_edges, 500)

    def test_edges_are_written_where_they_fit(self):
        image = picture((40, 50))
        expected = cv2.Canny(image, 20, 60)
        in_place = image.copy()
        for source, edges in ((image, np.empty((40, 50), np.uint8)), (in_place, in_place)):
            self.assertIs(cudacanny.Canny(source, 20, 60, edges), edges)
            np.testing.assert_array_equal(edges, expected)
        for other in (np.empty((40, 51), np.uint8), np.empty((40, 50), np.int32)):
            np.testing.assert_array_equal(cudacanny.Canny(image, 20, 60, other, 3, False), expected)

    def test_refusals(self):
        image = picture((40, 50))
        gradient = image.astype(np.int16)
        check_refusals(self, (
            (TypeError, 'takes an image', lambda: cudacanny.Canny(gradient, gradient, 20, 60)),
            (ValueError, 'apertureSize must be 3, 5 or 7, but is 4',
             lambda: cudacanny.Canny(image, 20, 60, apertureSize=4)),
            (ValueError, '1 or 3 channels', lambda: cudacanny.Canny(np.dstack([image] * 4), 20, 60)),
            (ValueError, 'is of int16', lambda: cudacanny.Canny(gradient, 20, 60)),
            (ValueError, 'image must be of uint8 and have',
             lambda: cudacanny.Canny(image.astype(np.uint16), 20, 60)),
            (ValueError, 'but is of bool', lambda: cudacanny.Canny(image > 90, 20, 60)),  # as cv2.Canny()
            (TypeError, 'image is None; cv2.imread() returns that', lambda: cudacanny.Canny(None, 20, 60))))
