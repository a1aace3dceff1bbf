# SPDX-License-Identifier: LGPL-2.1-or-later
"""Edges of images of every kind, against OpenCV's."""
import tracemalloc

import cv2
import numpy as np

import cudacanny
from pictures import floats, on_each_backend, opencv, picture, planes

SIZES = [(1, 1), (1, 7), (7, 1), (2, 2), (33, 64), (121, 203)]


@on_each_backend
class Edges:
    def canny(self, *arguments, **settings):
        return cudacanny.canny(*arguments, backend=self.backend, **settings)

    def same(self, actual, expected):
        np.testing.assert_array_equal(actual, expected)

    def test_gray_and_colors_of_every_size(self):
        for size in SIZES:
            for channels in ((), (3,), (4,)):
                for order in ('rgb', 'bgr'):
                    image = picture(size + channels)
                    with self.subTest(shape=image.shape, order=order):
                        self.same(self.canny(image, 20, 60, order=order),
                                  opencv(image, 20, 60, order=order))

    def test_blurs_norms_and_apertures(self):
        image = picture((121, 203))
        for sigma in (0, 0.3, 1.4, 3.0, 8.5):
            for norm in ('l1', 'l2'):
                for operator, aperture, scale in (('sobel', 3, 1), ('sobel-5', 5, 12),
                                                  ('sobel-7', 7, 160)):
                    with self.subTest(sigma=sigma, norm=norm, operator=operator):
                        low, high = 15 * scale, 40 * scale
                        expected = opencv(image, low, high, sigma=sigma, norm=norm,
                                          aperture=aperture)
                        self.assertTrue(sigma > 3 or expected.any())
                        self.same(self.canny(image, low, high, sigma=sigma, norm=norm,
                                             operator=operator), expected)

    def test_default_thresholds_follow_the_operator(self):
        image = picture((121, 203))
        gains = {'sobel': 4, 'sobel-5': 48, 'sobel-7': 640, 'scharr': 16, 'prewitt': 3, 'kroon': 95, 'roberts': 1,
                 'robinson': 4, 'kirsch': 15}
        for operator, gain in gains.items():
            with self.subTest(operator=operator):
                low, high = 12.5 * gain, 37.5 * gain
                expected = self.canny(image, low, high, operator=operator)
                self.assertTrue(expected.any() and not expected.all())
                for thresholds in ((), (None, None), (low,), (None, high)):
                    self.same(self.canny(image, *thresholds, operator=operator), expected)

    def test_largest_channel_of_either_order(self):
        # Few values, so that channels often have equal magnitudes.
        image = np.random.default_rng(7).integers(0, 4, (121, 203, 3), np.uint8) * 20
        expected = cv2.Canny(image, 50, 150)
        self.assertTrue(expected.any())
        for order in ('rgb', 'bgr'):
            with self.subTest(order=order):
                self.same(self.canny(image, 50, 150, sigma=0, norm='l1', order=order,
                                     color_mode='largest-channel'), expected)

    def test_defaults(self):
        image = picture((121, 203), blur=0.8)
        expected = opencv(image, 50, 150)
        self.assertTrue(expected.any())
        self.same(self.canny(image), expected)
        self.same(cudacanny.Detector(backend=self.backend).detect(image), expected)

    def test_a_threshold_follows_the_other(self):
        image = picture((121, 203))
        expected = self.canny(image, 20, 60)
        self.assertTrue(expected.any())
        self.same(self.canny(image, 20), expected)
        self.same(self.canny(image, high=60), expected)
        self.same(self.canny(image, 60, 20), expected)
        self.same(self.canny(image, 20, 80) == expected, opencv(image, 20, 80) == expected)

    def test_layouts_that_are_read_in_place(self):
        large = picture((300, 420, 3))
        gray = picture((300, 420))
        planes = np.ascontiguousarray(np.moveaxis(large, -1, 0))
        for name, image in (
                ('crop', large[7:281, 5:398]), ('upside down', large[::-1]),
                ('reversed channels', large[..., ::-1]), ('rows', large[::3]),
                ('planes', np.moveaxis(planes, 0, -1)),
                ('reversed planes', np.moveaxis(planes[::-1], 0, -1)),
                ('crop of planes', np.moveaxis(planes[:, 3:170, 9:77], 0, -1)),
                ('four channels', np.dstack([large, gray])[2:, 1:]),
                ('gray crop', gray[1:, 3:100]), ('gray, upside down', gray[::-1]),
                ('one row', large[:1]), ('one column', large[:, :1]), ('one pixel', large[:1, :1]),
                ('one row of planes', np.moveaxis(planes[:, :1], 0, -1))):
            for order in ('rgb', 'bgr'):
                with self.subTest(name, order=order):
                    expected = opencv(np.ascontiguousarray(image), 20, 60, order=order)
                    out = np.empty(image.shape[:2], np.uint8)
                    self.canny(image, 20, 60, order=order, out=out)
                    self.same(out, expected)
                    tracemalloc.start()
                    self.canny(image, 20, 60, order=order, out=out)
                    _, peak = tracemalloc.get_traced_memory()
                    tracemalloc.stop()
                    if image.size > 10_000:
                        self.assertLess(peak, 10_000 + image.size // 4)

    def test_layouts_that_are_copied(self):
        large = picture((300, 420, 3))
        gray = picture((300, 420))
        for name, image in (
                ('columns', large[:, ::2]), ('mirrored', large[:, ::-1]),
                ('transposed', gray.T), ('transposed colors', large.transpose(1, 0, 2)),
                ('Fortran order', np.asfortranarray(large)),
                ('part of four channels', np.dstack([gray, large])[..., 1:]),
                ('one row for all', np.broadcast_to(gray[3], (40, 420))),
                ('one color for all', np.broadcast_to(gray[..., None], (300, 420, 3))),
                ('mirrored planes', np.moveaxis(large.transpose(2, 0, 1).copy(), 0, -1)[:, ::-1])):
            with self.subTest(name):
                expected = opencv(np.ascontiguousarray(image), 20, 60)
                self.same(self.canny(image, 20, 60), expected)
                overlay = self.canny(image, 20, 60, output='overlay', edge_color=0xFF000000)
                is_edge = expected.reshape(expected.shape + (1,) * (image.ndim - 2)) == 255
                self.same(overlay, np.where(is_edge, 0, image))
        self.same(self.canny(gray[..., None], 20, 60), opencv(gray, 20, 60))
        mask = np.zeros((300, 840), bool)
        mask[:, :400] = True
        self.assertFalse(self.canny(gray, 20, 60, mask=mask[:, ::2])[:, 200:].any())

    def test_16_bits(self):
        gray = picture((90, 130), np.uint16)
        expected = self.canny(gray, 20, 60)
        self.assertTrue(expected.any())
        self.same(self.canny(gray.astype('>u2'), 20, 60), expected)
        self.same(self.canny(gray[::-1], 20, 60), self.canny(gray[::-1].copy(), 20, 60))
        high = (gray >> 8).astype(np.uint8)
        self.same(self.canny(gray, 20, 60, luma_depth='8'), opencv(high, 20, 60))
        # 8 bits as 16: the same picture, with another rounding of the blur.
        self.same(self.canny(high.astype(np.uint16) << 8, 20, 60, luma_depth='8'),
                  opencv(high, 20, 60))

    def test_16_bits_of_color(self):
        image = picture((90, 130, 4), np.uint16)
        high = (image >> 8).astype(np.uint8)
        for channels in (3, 4):
            for order in ('rgb', 'bgr'):
                with self.subTest(channels=channels, order=order):
                    deep = image[..., :channels]
                    expected = opencv(high[..., :channels], 20, 60, order=order)
                    self.assertTrue(expected.any())
                    self.same(self.canny(deep, 20, 60, order=order, luma_depth='8'), expected)
                    self.same(self.canny(deep.astype('>u2'), 20, 60, order=order),
                              self.canny(deep, 20, 60, order=order))

    def test_bool(self):
        colors = picture((90, 130, 4)) > 128
        for image in (colors[..., 0], colors[::-1, ::2, :3], colors):
            white = 255 * image.astype(np.uint8)
            for settings in ({}, {'order': 'bgr'}, {'output': 'overlay'}):
                with self.subTest(shape=image.shape, settings=settings):
                    expected = self.canny(white, 20, 60, **settings)
                    self.assertTrue(expected.any())
                    self.same(self.canny(image, 20, 60, **settings), expected)
        edges = self.canny(colors[..., :2].transpose(2, 0, 1), 20, 60, layout='nhw')
        self.same(edges, self.canny(255 * colors[..., :2].astype(np.uint8).transpose(2, 0, 1), 20, 60, layout='nhw'))

    def test_floats(self):
        colors = picture((90, 130, 4))
        for dtype in (np.float32, np.float16, 'V2'):
            for image in (colors[..., 0], colors[..., :3], colors, planes(colors[..., :3])):
                for order in ('rgb', 'bgr'):
                    with self.subTest(dtype=dtype, shape=image.shape, order=order):
                        expected = opencv(np.ascontiguousarray(image), 20, 60, order=order)
                        self.assertTrue(expected.any())
                        self.same(self.canny(floats(image, dtype), 20, 60, order=order, luma_depth='8'),
                                  expected)

    def test_floats_of_16_bits(self):
        gray = picture((90, 130), np.uint16)
        expected = self.canny(gray, 20, 60)
        real = (gray / 65535).astype(np.float32)
        self.same(self.canny(real, 20, 60), expected)
        self.same(self.canny(real.astype('>f4'), 20, 60), expected)
        self.same(self.canny(real[::-1], 20, 60), self.canny(gray[::-1], 20, 60))
        real[gray > 40000] = np.inf
        real[gray < 10000] = np.nan
        beyond = np.where(gray > 40000, 65535, np.where(gray < 10000, 0, gray)).astype(np.uint16)
        self.same(self.canny(real, 20, 60), self.canny(beyond, 20, 60))

    def test_outs_of_floats(self):
        image = picture((121, 203, 3))
        edges = opencv(image, 20, 60) == 255
        for dtype, one in ((np.float32, 0x3f800000), (np.float16, 0x3c00), ('V2', 0x3f80)):
            for out in (np.empty((121, 203), dtype), np.empty((121, 203, 3), dtype),
                        np.moveaxis(np.empty((3, 121, 203), dtype), 0, -1)):
                with self.subTest(dtype=dtype, shape=out.shape):
                    self.assertIs(self.canny(image, 20, 60, out=out), out)
                    bits = out.view(f'u{out.itemsize}').reshape(121, 203, -1)
                    for channel in range(bits.shape[2]):
                        self.same(bits[..., channel], edges * np.uint32(one))
        shown = self.canny(image, output='direction', out=np.empty((121, 203, 3), np.float32))
        self.same(shown, self.canny(image, output='direction', out=np.empty((121, 203, 3), np.uint8)) /
                  np.float32(255))

    def test_outputs_of_the_caller(self):
        image = picture((121, 203, 3))
        edges = opencv(image, 20, 60)
        room = np.full((200, 300, 4), 7, np.uint8)
        for name, out in (('gray', np.empty((121, 203), np.uint8)),
                          ('one channel', np.empty((121, 203, 1), np.uint8)),
                          ('crop', room[9:130, 5:208]),
                          ('16 bits', np.empty((121, 203), np.uint16)),
                          ('upside down', np.empty((121, 203), np.uint8)[::-1]),
                          ('colors', np.empty((121, 203, 3), np.uint8)),
                          ('planes', np.moveaxis(np.empty((3, 121, 203), np.uint8), 0, -1))):
            with self.subTest(name):
                self.assertIs(self.canny(image, 20, 60, out=out), out)
                is_edge = (out == np.iinfo(out.dtype).max).reshape(121, 203, -1)
                is_zero = (out == 0).reshape(121, 203, -1)
                colors = min(is_edge.shape[2], 3)
                for channel in range(colors):
                    self.same(is_edge[..., channel], edges == 255)
                    self.same(is_zero[..., channel], edges == 0)
                if out.shape[2:] == (4,):
                    self.assertTrue((out[..., 3] == 255).all())
        outside = np.ones(room.shape, bool)
        outside[9:130, 5:208] = False
        self.assertTrue((room[outside] == 7).all())

    def test_overlay_and_masked(self):
        for order in ('rgb', 'bgr'):
            for name, image in (('packed', picture((61, 83, 3))),
                                ('reversed', picture((61, 83, 3))[..., ::-1]),
                                ('planes', planes(picture((61, 83, 3))))):
                with self.subTest(name, order=order):
                    edges = opencv(image, 20, 60, order=order)[..., None] == 255
                    green_blue = (0, 200, 100) if order == 'rgb' else (100, 200, 0)
                    overlay = self.canny(image, 20, 60, order=order, output='overlay',
                                         edge_color=0xFF00C864)
                    self.same(overlay, np.where(edges, green_blue, image))
                    if name != 'planes':
                        out = np.empty(image.shape, np.uint8)
                        self.assertIs(self.canny(image, 20, 60, order=order, output='overlay',
                                                 edge_color=0xFF00C864, out=out), out)
                        self.same(out, overlay)
                    masked = self.canny(image, 20, 60, order=order, output='masked')
                    self.same(masked, np.where(edges, image, 0))

    def test_stages(self):
        image = picture((61, 83, 3))
        gray = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        self.same(self.canny(image, output='luma'), gray)
        self.same(self.canny(image, output='blurred'), cv2.GaussianBlur(gray, (0, 0), 1.4))
        for output in ('gradient', 'suppressed', 'direction', 'passes'):
            with self.subTest(output):
                shown = self.canny(image, 20, 60, output=output)
                self.assertEqual((shown.shape, shown.dtype), ((61, 83), np.uint8))
                self.assertGreater(len(np.unique(shown)), 2)
                colors = self.canny(image, 20, 60, output=output, out=np.empty_like(image))
                has_colors = (colors != colors[..., :1]).any()
                self.assertEqual(has_colors, output in ('direction', 'passes'))
        classes = self.canny(image, 20, 60, output='classes')
        self.assertEqual(set(np.unique(classes)), {0, 128, 255})
        self.assertTrue((classes[opencv(image, 20, 60) == 255] > 0).all())

    def test_regions(self):
        image = picture((121, 203))
        whole = self.canny(image, 20, 60)
        mask = np.zeros((121, 203), bool)
        mask[10:60, 20:90] = mask[50:100, 80:140] = True
        regions = [(20, 10, 70, 50), [80, 50, 60, 50]]
        expected = self.canny(image, 20, 60, regions=regions)
        self.assertTrue(0 < expected.sum() < whole.sum())
        self.assertFalse(expected[~mask].any())
        self.same(self.canny(image, 20, 60, regions=np.array(regions)), expected)
        self.same(self.canny(image, 20, 60, mask=mask), expected)
        self.same(self.canny(image, 20, 60, mask=mask * np.uint8(3)), expected)
        doubled = np.repeat(mask, 2, axis=1)
        self.same(self.canny(image, 20, 60, mask=doubled[:, ::2]), expected)
        self.same(self.canny(image, 20, 60, mask=mask[::-1].copy()[::-1]), expected)
        self.same(self.canny(image, 20, 60, regions=[(-5, -5, 1000, 1000)]), whole)
        self.assertFalse(self.canny(image, 20, 60, regions=[]).any())

    def test_measured_thresholds_are_those_of_the_result(self):
        image = picture((121, 203))
        detector = cudacanny.Detector(backend=self.backend)
        for mode in ('relative', 'quantile', 'otsu', 'median'):
            with self.subTest(mode):
                edges = detector.detect(image, threshold_mode=mode)
                self.assertTrue(edges.any())
                result = detector.result
                self.assertTrue(0 < result.low < result.high)
                self.assertEqual(result.edge_pixels, np.count_nonzero(edges))
                self.same(detector.detect(image, result.low, result.high), edges)

    def test_short_edges_and_passes(self):
        image = picture((121, 203))
        edges = self.canny(image, 20, 60)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(edges, connectivity=8)
        long = np.isin(labels, [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= 30])
        self.assertTrue(long.any())
        self.assertLess(long.sum(), np.count_nonzero(edges))
        self.same(self.canny(image, 20, 60, min_length=30) == 255, long)
        grown = [np.count_nonzero(self.canny(image, 2, 60, hysteresis_passes=n))
                 for n in (1, 2, 64, 0)]
        self.assertEqual(grown, sorted(grown))
        self.assertLess(grown[0], grown[1])
