# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connected edges, beside those of OpenCV's connectedComponentsWithStats."""
import unittest

import cv2
import numpy as np

import cudacanny
from pictures import on_each_backend, picture


def rows_of(components):
    return components.tolist()


def expected(edges, strong, least):
    """The rows of the components in the order of their first pixels."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(edges, connectivity=8)
    firsts = np.unique(labels, return_index=True)[1]
    rows = []
    for label in sorted(range(1, count), key=lambda each: firsts[each]):
        y, x = np.nonzero(labels == label)
        if len(x) < least:
            continue
        rows.append((*stats[label, :4].tolist(), len(x), int(strong[y, x].sum()), int(x.sum()), int(y.sum())))
    return rows


@on_each_backend
class Components:
    def test_components_of_frames_in_flight(self):
        detector = cudacanny.Detector(backend=self.backend, frames_in_flight=3, components=7)
        images = [picture((121, 203), seed=seed) for seed in range(7)]
        found = []
        for _ in detector.map(images, 10, 30, output='overlay'):
            found.append(detector.components)
        for image, components in zip(images, found, strict=True):
            edges = cudacanny.canny(image, 10, 30, backend='cpu')
            strong = cudacanny.canny(image, 10, 30, backend='cpu', output='classes') == 255
            self.assertEqual(rows_of(components), expected(edges, strong, 7))
            self.assertTrue(len(components))

    def test_without_edges(self):
        detector = cudacanny.Detector(backend=self.backend, components=1)
        image = picture((61, 83))
        detector.detect(image, 10, 30)
        self.assertTrue(len(detector.components))
        detector.detect(image, output='gradient')
        self.assertEqual(rows_of(detector.components), [])
        other = cudacanny.Detector(backend=self.backend)
        other.detect(image, 10, 30)
        self.assertIsNone(other.components)


class Limits(unittest.TestCase):
    def test_of_the_argument(self):
        with self.assertRaisesRegex(ValueError, 'components -1 is outside'):
            cudacanny.Detector(components=-1)

    def test_of_the_list(self):
        image = np.zeros((1548, 1536), np.uint8)
        image[2::6, 2::6] = 255
        detector = cudacanny.Detector(backend='cpu', components=1)
        with self.assertWarnsRegex(RuntimeWarning, 'more than 65536 components'):
            detector.detect(image, 10, 10, sigma=0, thin_edges=False)
        self.assertEqual(len(detector.components), 65536)
