# SPDX-License-Identifier: LGPL-2.1-or-later
"""Edges as chains of points, beside those of OpenCV's findContours."""
import contextlib
import unittest

import cv2
import numpy as np

import cudacanny
from pictures import check_refusals, on_each_backend, picture

RING = np.array([[0, 1, 1, 0],
                 [1, 0, 0, 1],
                 [0, 1, 1, 0]], np.uint8)


def points_of(chains):
    return [tuple(point) for chain in chains for point in chain.tolist()]


def edge_pixels(edges):
    rows, columns = np.nonzero(edges)
    return set(zip(columns.tolist(), rows.tolist()))


class Contours(unittest.TestCase):
    def test_each_edge_pixel_is_in_one_chain_of_neighbors(self):
        for seed in range(5):
            edges = cudacanny.canny(picture((121, 203), seed=seed), 10, 30, backend='cpu')
            chains = cudacanny.contours(edges)
            points = points_of(chains)
            self.assertGreater(len(points), 100)
            self.assertEqual(len(points), len(set(points)))
            self.assertEqual(set(points), edge_pixels(edges))
            for chain in chains:
                steps = np.abs(np.diff(chain, axis=0))
                self.assertTrue((steps.max(axis=1) == 1).all())

    def test_opencv_finds_no_other_pixels(self):
        edges = cudacanny.canny(picture((121, 203)), 10, 30, backend='cpu')
        found = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0]
        self.assertLessEqual(set(points_of([chain[:, 0] for chain in found])),
                             set(points_of(cudacanny.contours(edges))))

    def test_a_ring(self):
        chain, = cudacanny.contours(RING)
        np.testing.assert_array_equal(chain, [[1, 0], [2, 0], [3, 1], [2, 2], [1, 2], [0, 1]])
        self.assertEqual(cv2.contourArea(chain), 4)  # OpenCV takes the array as it is
        for dtype in (np.int32, np.int16, np.uint16):  # the last two are for contours_out
            self.assertIs(cudacanny.is_closed(chain.astype(dtype)), True)
        for points in (chain[:1], chain[:2], chain[:4]):
            self.assertIs(cudacanny.is_closed(points), False)

    def test_arrays(self):
        expected = cudacanny.contours(RING)
        wide = np.repeat(np.repeat(RING, 2, axis=0), 3, axis=1) * 9
        for edges in (RING * 255, RING.astype(bool), wide[::2, ::3], np.asfortranarray(RING)):
            np.testing.assert_array_equal(cudacanny.contours(edges), expected)
        upwards = cudacanny.contours(RING[::-1])
        np.testing.assert_array_equal(upwards, expected)  # the ring is symmetric
        self.assertEqual(cudacanny.contours(np.zeros((7, 9), np.uint8)), [])
        chain, = expected
        self.assertEqual((chain.dtype, chain.shape), (np.int32, (6, 2)))
        del expected
        chain += 1  # the memory lives as long as a chain

    def test_short_chains(self):
        edges = cudacanny.canny(picture((121, 203)), 10, 30, backend='cpu')
        all_chains = cudacanny.contours(edges)
        long_chains = cudacanny.contours(edges, min_points=20)
        self.assertLess(len(long_chains), len(all_chains))
        kept = [chain for chain in all_chains if len(chain) >= 20]
        self.assertEqual(points_of(long_chains), points_of(kept))

    def test_more_points_than_there_may_be(self):
        with self.assertWarnsRegex(RuntimeWarning, 'contours are cut at 16777216 points'):
            chains = cudacanny.contours(np.full((4097, 4096), 255, np.uint8))
        self.assertEqual(sum(len(chain) for chain in chains), 1 << 24)

    def test_refusals(self):
        contours, detector = cudacanny.contours, cudacanny.Detector(contours=1)
        image, points, ends = picture((21, 23)), np.zeros((99, 2), np.uint16), np.zeros(9, np.uint32)
        room = np.zeros((21, 23, 3), np.uint8)
        part = room.reshape(-1)[:1200]

        def detect(*arrays, by=detector):
            return lambda: by.detect(image, out=room, contours_out=arrays)

        check_refusals(self, (
            *((ValueError, 'edges must be of bool or uint8', lambda edges=edges: contours(edges))
              for edges in (np.zeros((4, 4, 3), np.uint8), np.zeros((4, 4)), np.zeros(4, np.uint8))),
            (ValueError, 'edges must have 1x1 to 16384x16384 pixels, but has 0x1', lambda: contours(RING[:1, :0])),
            (ValueError, 'edges must have 1x1 to 16384x16384 pixels, but has 4x0', lambda: contours(RING[:0])),
            (ValueError, 'min_points -1 is outside 0..4294967295', lambda: contours(RING, -1)),
            (TypeError, 'min_points must be an integer, but is 1.5', lambda: contours(RING, 1.5)),
            (ValueError, 'contours -1 is outside', lambda: cudacanny.Detector(contours=-1)),
            (TypeError, "contour_precision must be True or False, but is 'no'",
             lambda: cudacanny.Detector(contours=1, contour_precision='no')),
            *((ValueError, 'contours_out needs a Detector with contours=N and without contour_precision',
               detect(points, ends, by=cudacanny.Detector(**options)))
              for options in ({}, {'contours': 1, 'contour_precision': True})),
            *((ValueError, 'contours_out, points, must be contiguous, of uint16 and', detect(bad, ends))
              for bad in (points[::2], points.astype(np.uint32), points[:, :1], points.ravel(), points[:0],
                          points.astype('>u2'))),
            *((ValueError, 'contours_out, ends, must be contiguous, of uint32 and', detect(points, bad))
              for bad in (ends[:, None], ends[:0], ends.astype(float))),
            *((TypeError, 'contours_out, ends, must be an array, but is a', detect(points, bad))
              for bad in (ends[0], [0] * 9)),
            *((ValueError, 'contours_out has an array that overlaps the other one or out', detect(*arrays))
              for arrays in ((part.view(np.uint16).reshape(-1, 2), ends), (points, part.view(np.uint32)),
                             (points, points.view(np.uint32).ravel()))),
            (TypeError, 'contours_out must be two arrays', detect(points)),
            (TypeError, 'contours_out must be two arrays', lambda: detector.submit(image, contours_out=3)),
            (TypeError, 'map() has no argument contours_out',
             lambda: detector.map([image], contours_out=(points, ends)))))


@on_each_backend
class OfDetectors:
    def test_chains_of_frames_in_flight(self):
        detector = cudacanny.Detector(backend=self.backend, frames_in_flight=3, contours=5)
        images = [picture((121, 203), seed=seed) for seed in range(7)]
        found = []

        def wait():
            detector.wait()
            found.append(detector.contours)

        for image in images:
            if detector.in_flight == 3:
                wait()
            detector.submit(image, 10, 30, output='overlay')
        while detector.in_flight:
            wait()
        for image, chains in zip(images, found, strict=True):
            edges = cudacanny.canny(image, 10, 30, backend='cpu')
            self.assertEqual(points_of(chains), points_of(cudacanny.contours(edges, 5)))

    def test_out(self):
        image = picture((121, 203))
        detector = cudacanny.Detector(backend=self.backend, frames_in_flight=2, contours=5)
        edges = detector.detect(image, 10, 30)
        chains = detector.contours
        for points, ends in ((9000, 2000), (100, 2000), (9000, 7)):
            out = np.full((points, 2), 7, np.uint16), np.full(ends, 7, np.int32)
            has_room = (points, ends) == (9000, 2000)
            with contextlib.nullcontext() if has_room else self.assertWarnsRegex(RuntimeWarning, 'contours are cut at'):
                detector.submit(image, 10, 30, contours_out=out)
                np.testing.assert_array_equal(detector.wait(), edges)
            counts = min(points, sum(map(len, chains))), min(ends, len(chains))
            self.assertEqual(detector.contours, counts)
            np.testing.assert_array_equal(out[0][:counts[0]], np.concatenate(chains)[:points])
            np.testing.assert_array_equal(out[1][:counts[1]], np.cumsum([len(chain) for chain in chains])[:ends])
            self.assertTrue((out[0][counts[0]:] == 7).all() and (out[1][counts[1]:] == 7).all())

    def test_positions(self):
        y, x = np.mgrid[:96, :96]
        distance = (x - 45.3) * np.cos(0.3) + (y - 50.2) * np.sin(0.3)  # of a line
        image = np.clip(128 + 100 * distance, 60, 190).astype(np.uint8)
        detector = cudacanny.Detector(backend=self.backend, contours=9, contour_precision=True)
        edges = detector.detect(image)
        self.assertEqual(points_of(detector.contours), points_of(cudacanny.contours(edges, 9)))
        self.assertEqual(len(detector.contours), len(detector.contour_positions))
        for chain, positions in zip(detector.contours, detector.contour_positions, strict=True):
            self.assertEqual((positions.dtype, positions.shape), (np.float64, chain.shape))
            np.testing.assert_array_equal(positions * 256, np.rint(positions * 256))
            self.assertLessEqual(abs(positions - chain).max(), 0.5)
        self.assertLess(self.error_of(detector.contour_positions), 0.06)
        self.assertGreater(self.error_of(detector.contours), 0.2)
        detector.detect(image, output='gradient')
        self.assertEqual(detector.contour_positions, [])

    @staticmethod
    def error_of(chains):
        """The root of the mean square of the distances from the line."""
        x, y = np.concatenate([chain[8:-8] for chain in chains]).T
        return np.sqrt(np.mean(((x - 45.3) * np.cos(0.3) + (y - 50.2) * np.sin(0.3)) ** 2))

    def test_without_edges(self):
        detector = cudacanny.Detector(backend=self.backend, contours=1)
        image = picture((61, 83))
        detector.detect(image, 10, 30)
        self.assertTrue(detector.contours)
        detector.detect(image, output='gradient')
        self.assertEqual(detector.contours, [])
        other = cudacanny.Detector(backend=self.backend)
        other.detect(image, 10, 30)
        self.assertIsNone(other.contours)
        self.assertIsNone(detector.contour_positions)
