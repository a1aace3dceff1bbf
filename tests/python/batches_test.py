# SPDX-License-Identifier: LGPL-2.1-or-later
"""Batches of images in one array, and lists of images, against single images."""
import unittest.mock

import numpy as np

import cudacanny
from device import Both, Driver
from pictures import check_refusals, on_each_backend, picture

NUMBER = 11  # more than are in flight


def pictures(*shape):
    return np.stack([picture(shape, seed=seed) for seed in range(NUMBER)])


@on_each_backend
class Batches:
    def canny(self, image, *arguments, **settings):
        return cudacanny.canny(image, *arguments, backend=self.backend, **settings)

    def kinds(self):
        """Ways to pass an array: on the host, and on a GPU."""
        yield lambda array: array
        if self.backend == 'cuda':
            driver = Driver()
            yield lambda array: Both(driver, array)

    def test_every_layout(self):
        batches = {'nhw': pictures(61, 83), 'nhwc': pictures(61, 83, 3),
                   'nchw': np.ascontiguousarray(np.moveaxis(pictures(61, 83, 3), -1, 1))}
        images = {'nhw': batches['nhw'], 'nhwc': batches['nhwc'], 'nchw': np.moveaxis(batches['nchw'], 1, -1)}
        for layout, batch in batches.items():
            for settings in ({}, {'output': 'overlay', 'edge_color': 'lime'}, {'threshold_mode': 'otsu'}):
                expected = np.stack([cudacanny.canny(image, 20, 60, backend='cpu', **settings)
                                     for image in images[layout]])
                self.assertTrue(expected.any())
                if layout == 'nchw' and expected.ndim == 4:
                    expected = np.moveaxis(expected, -1, 1)
                for take in self.kinds():
                    with self.subTest(layout=layout, settings=settings, take=take):
                        edges = self.canny(take(batch), 20, 60, layout=layout, **settings)
                        np.testing.assert_array_equal(np.asarray(edges), expected)
                        out = take(np.empty(expected.shape, np.uint8))
                        self.assertIs(self.canny(take(batch), 20, 60, layout=layout, out=out, **settings), out)
                        np.testing.assert_array_equal(out.numpy() if hasattr(out, 'numpy') else out, expected)

    def test_parts_of_batches(self):
        batch = pictures(70, 90, 3)
        mask = np.zeros((61, 83), bool)
        mask[:, :40] = True
        for part in (batch[::2, 5:66, 3:86], batch[::-1, 65:4:-1, :83], batch[:1, :61, :83, ::-1]):
            edges = self.canny(part, 20, 60, layout='nhwc', mask=mask, order='bgr')
            expected = [cudacanny.canny(image, 20, 60, mask=mask, order='bgr', backend='cpu') for image in part]
            np.testing.assert_array_equal(edges, expected)
        overlay = self.canny(np.moveaxis(batch, -1, 1), 20, 60, layout='nchw', output='overlay')
        np.testing.assert_array_equal(np.moveaxis(overlay, 1, -1),
                                      self.canny(batch, 20, 60, layout='nhwc', output='overlay'))
        # The library does not write columns, nor the pixels of several images in turn.
        for odd in (np.asfortranarray(batch), np.broadcast_to(batch[0], batch.shape)):
            np.testing.assert_array_equal(
                cudacanny.canny(odd, layout='nhwc', output='overlay', backend='cpu'),
                cudacanny.canny(np.ascontiguousarray(odd), layout='nhwc', output='overlay', backend='cpu'))
        self.assertEqual(self.canny(batch[:0], layout='nhwc').shape, (0, 70, 90))

    def test_batches_in_one_call(self):
        def one_by_one(*_, **__):
            raise AssertionError('the images of a batch were taken one after the other')

        for layout, batch in (('nhw', pictures(20, 30)), ('nhwc', pictures(20, 30, 3)), ('nchw', pictures(3, 20, 30))):
            with unittest.mock.patch.object(cudacanny.Detector, 'detect', one_by_one):
                for take in self.kinds():
                    self.canny(take(batch), layout=layout, regions=[(0, 0, 9, 9)])

    def test_lists(self):
        images = [picture(shape, seed=seed) for seed, shape in enumerate(
            ((61, 83), (61, 83, 3), (20, 30), (61, 83), (1, 1), (61, 83, 4)) * 3)]
        expected = [cudacanny.canny(image, 20, 60, backend='cpu') for image in images]
        for edges in (self.canny(images, 20, 60), self.canny(tuple(images), 20, 60)):
            self.assertEqual(len(edges), len(images))
            for each, right in zip(edges, expected):
                np.testing.assert_array_equal(each, right)
        outs = [np.empty(image.shape[:2], np.uint8) for image in images]
        self.assertEqual(self.canny([]), [])
        for kind in (list, iter):
            edges = self.canny(images, 20, 60, out=kind(outs))
            for each, out, right in zip(edges, outs, expected, strict=True):
                self.assertIs(each, out)
                np.testing.assert_array_equal(out, right)
                out[...] = 7

    def test_regions_hold_for_each_image(self):
        batch, regions = pictures(20, 30), [(3, 4, 9, 9)]
        expected = [cudacanny.canny(image, 5, 15, regions=regions, backend='cpu') for image in batch]
        self.assertTrue(expected[-1].any())
        detector = cudacanny.Detector(backend=self.backend)
        for edges in (self.canny(list(batch), 5, 15, regions=iter(regions)),
                      self.canny(np.asfortranarray(batch), 5, 15, layout='nhw', regions=iter(regions)),  # copied
                      list(detector.map(batch, 5, 15, regions=iter(regions)))):
            np.testing.assert_array_equal(edges, expected)

    def test_refusals(self):
        batch = pictures(61, 83)[:3]
        check_refusals(self, (
            (ValueError, 'layout must be one of "nhw", "nhwc", "nchw", but is \'hwc\'',
             lambda: self.canny(batch, layout='hwc')),
            (ValueError, 'image must have the axes "nhwc", but has the shape (3, 61, 83)',
             lambda: self.canny(batch, layout='nhwc')),
            (ValueError, 'out must have 3 images, but has 2',
             lambda: self.canny(batch, layout='nhw', out=np.empty((2, 61, 83), np.uint8))),
            (ValueError, 'sigma', lambda: self.canny(batch, layout='nhw', sigma=-1)),
            *((ValueError, 'out must have an array for each of the 2 images',
               lambda out=out: self.canny([batch[0]] * 2, out=out)) for out in ([None], 5, iter([]))),
            (ValueError, 'is of float64', lambda: self.canny([batch[0], batch[1] / 255]))))
        np.testing.assert_array_equal(self.canny(batch, layout='nhw')[2], self.canny(batch[2]))
