# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors, and the help on arguments."""
import inspect
import re
import typing
import unittest

import numpy as np

import cudacanny
from pictures import check_refusals, opencv, picture


class Stated:
    """An array by its interface, of which some members differ."""

    def __init__(self, array, **members):
        self.__array_interface__ = {**array.__array_interface__, **members}


class Errors(unittest.TestCase):
    gray, color = picture((9, 7)), picture((9, 7, 3))

    def tearDown(self):  # later calls work
        np.testing.assert_array_equal(cudacanny.canny(self.color, 20, 60), opencv(self.color, 20, 60))

    def test_settings(self):
        gray = self.gray
        canny, detector = cudacanny.canny, cudacanny.Detector
        check_refusals(self, (
            (ValueError, 'low -1.000000 is outside 0..1000000',
             lambda: canny(gray, -1, 5)),
            (ValueError, 'high nan is outside', lambda: canny(gray, 1, float('nan'))),
            (ValueError, 'sigma 20.5', lambda: canny(gray, sigma=20.5)),
            (ValueError, 'hysteresis_passes 65', lambda: canny(gray, hysteresis_passes=65)),
            (ValueError, 'hysteresis_passes -1 is outside 0..4294967295',
             lambda: canny(gray, hysteresis_passes=-1)),
            (ValueError, 'min_length 65536 is outside 0..65535',
             lambda: canny(gray, min_length=65536)),
            (ValueError, f'edge_color {1 << 70} is outside 0..4294967295',
             lambda: canny(gray, edge_color=1 << 70)),
            (ValueError, 'edge_color must be #rrggbb, #aarrggbb, 0xaarrggbb or one of aqua, black,',
             lambda: canny(gray, edge_color='oragne')),
            (ValueError, 'edge_color 256 is outside 0..255', lambda: canny(gray, edge_color=(0, 256, 0))),
            (TypeError, 'edge_color must be (red, green, blue) or (red, green, blue, alpha), but is (1, 2)',
             lambda: canny(gray, edge_color=(1, 2))),
            (TypeError, "edge_color must be (red, green, blue) or (red, green, blue, alpha), but is b'red'",
             lambda: canny(gray, edge_color=b'red')),
            (TypeError, 'hysteresis_passes must be an integer, but is 1.5',
             lambda: canny(gray, hysteresis_passes=1.5)),
            (TypeError, 'thin_edges must be True or False, but is \'no\'',
             lambda: canny(gray, thin_edges='no')),
            (ValueError, 'norm must be one of "l1", "l2", but is "l3"',
             lambda: canny(gray, norm='l3')),
            (TypeError, "norm must be a string, but is 2", lambda: canny(gray, norm=2)),
            (TypeError, "norm must be a string, but is b'l2'", lambda: canny(gray, norm=b'l2')),
            (TypeError, "sigma must be a number, but is 'soft'",
             lambda: canny(gray, sigma='soft')),
            (TypeError, 'there is no setting blur; the settings are low, high, threshold_mode',
             lambda: detector().detect(gray, blur=2)),
            (ValueError, 'order must be one of "rgb", "bgr", but is \'gbr\'',
             lambda: canny(gray, order='gbr'))))

    def test_images(self):
        gray, color = self.gray, self.color
        canny = cudacanny.canny
        check_refusals(self, (
            (ValueError, 'image must be of bool, uint8, uint16, float16, float32 or bfloat16, but is of '
             'float64; image.astype(numpy.float32) converts it if white is 1',
             lambda: canny(gray / 255)),
            *((ValueError, f'is of {name}; numpy.clip(image, 0, 255).astype(numpy.uint8) converts it if white is 255',
               lambda name=name: canny(gray.astype(name))) for name in ('int8', 'int16', 'int32', 'uint32')),
            (TypeError, 'image is None; cv2.imread() returns that', lambda: canny(None)),
            (ValueError, 'but has (9, 7, 2)', lambda: canny(color[..., :2])),
            (ValueError, 'but has (7,)', lambda: canny(gray[0])),
            (ValueError, 'image must have 1x1 to 16384x16384 pixels, but has 7x0', lambda: canny(gray[:0])),
            (ValueError, 'image must have 1x1 to 16384x16384 pixels, but has 16385x1',
             lambda: canny(np.broadcast_to(np.uint8(0), (1, 16385)))),
            (ValueError, 'image must have 1x1 to 16384x16384 pixels, but has 1048576x1048576',
             lambda: canny(np.broadcast_to(np.uint8(0), (1 << 20, 1 << 20)))),
            *((ValueError, 'image has a shape, strides or an address beyond 64 bits',
               lambda members=members: canny(Stated(gray, **members)))
              for members in ({'shape': (1 << 70, 7)}, {'strides': (1 << 70, 1)},
                              {'data': (1 << 70, False)})),
            (ValueError, 'edges has a shape, strides or an address beyond 64 bits',
             lambda: cudacanny.contours(Stated(gray, shape=(1 << 70, 7)))),
            (TypeError, 'image must be an array of bool, uint8, uint16, ', lambda: canny('a.jpg'))))

    def test_outs(self):
        gray, color = self.gray, self.color
        canny = cudacanny.canny
        read_only = np.empty((9, 7), np.uint8)
        read_only.flags.writeable = False
        check_refusals(self, (
            (ValueError, 'out is read-only', lambda: canny(gray, out=read_only)),
            (TypeError, 'out must be a numpy.ndarray or an array in device memory, but is a list',
             lambda: canny(gray, out=[])),
            (ValueError, "out must have each pixel's bytes side by side",
             lambda: canny(gray, out=np.empty((9, 14), np.uint8)[:, ::2])),
            (ValueError, '9x7', lambda: canny(gray, out=np.empty((7, 9), np.uint8))),
            (ValueError, 'overlap', lambda: canny(gray, out=gray)),
            (ValueError, 'out of uint16 must have the shape (height, width), but has (9, 7, 3)',
             lambda: canny(gray, out=np.empty((9, 7, 3), np.uint16))),
            (ValueError, 'output "overlay" needs an image of uint8',
             lambda: canny(picture((9, 7), np.uint16), output='overlay')),
            (ValueError, 'output "masked" needs an image of uint8',
             lambda: canny(gray.astype(np.float32), output='masked')),
            (ValueError, 'output "masked" needs an out of the shape (9, 7, 3), but it has (9, 7)',
             lambda: canny(color, output='masked', out=np.empty((9, 7), np.uint8))),
            (ValueError, 'out must have the byte order of this machine, but is of >u2',
             lambda: canny(gray, out=np.empty((9, 7), '>u2'))),
            (TypeError, 'map() has no argument out',
             lambda: cudacanny.Detector().map([gray], contours_out=None, out=[gray]))))

    def test_regions_and_masks(self):
        gray = self.gray
        canny = cudacanny.canny
        check_refusals(self, (
            (ValueError, 'regions has rectangles (x, y, width, height), but (1, 2, 3) is none',
             lambda: canny(gray, regions=[(1, 2, 3)])),
            (ValueError, 'regions has rectangles (x, y, width, height), but 1 is none',
             lambda: canny(gray, regions=(1, 2, 3, 4))),
            (TypeError, 'regions must be rectangles (x, y, width, height), but is 5', lambda: canny(gray, regions=5)),
            (ValueError, 'four integers of 32 bits, (x, y, width, height), but has 1.5',
             lambda: canny(gray, regions=np.full((1, 4), 1.5, np.float32))),
            (ValueError, 'there are both regions and a mask; use one of them',
             lambda: canny(gray, regions=[], mask=np.ones((9, 7), bool))),
            (ValueError, 'a region is four integers of 32 bits',
             lambda: canny(gray, regions=[(1, 2, 3, 1 << 40)])),
            (ValueError, 'mask has the shape (7, 9), but the image is 9 rows of 7 pixels',
             lambda: canny(gray, mask=np.ones((7, 9), bool))),
            (ValueError, 'mask must be of bool or uint8', lambda: canny(gray, mask=gray / 2))))

    def test_devices(self):
        detector = cudacanny.Detector
        check_refusals(self, (
            (ValueError, 'backend must be one of "auto", "cuda", "cpu", "opencl", but is "gpu"',
             lambda: detector(backend='gpu')),
            (ValueError, 'threads 1025 is outside 0..1024', lambda: detector(threads=1025)),
            (ValueError, 'threads -1 is outside', lambda: detector(threads=-1)),
            (TypeError, "cuda_device must be an integer, but is 'first'",
             lambda: detector(cuda_device='first')),
            (TypeError, 'threads must be an integer, but is [2]', lambda: cudacanny.canny(self.gray, threads=[2])),
            (TypeError, 'opencl_device must be a string, but is 0', lambda: detector(opencl_device=0)),
            (RuntimeError, 'OpenCL', lambda: detector(backend='opencl', opencl_device='no such device')),
            (ValueError, 'frames_in_flight 9 is outside 1..8',
             lambda: detector(frames_in_flight=9))))


class Help(unittest.TestCase):
    def names_in(self, **wrong):
        with self.assertRaises((TypeError, ValueError)) as caught:
            cudacanny.Detector().detect(picture((9, 7)), **wrong)
        return str(caught.exception)

    def parameters(self):
        names = list(inspect.signature(cudacanny.canny).parameters)
        keywords = typing.get_type_hints(cudacanny.canny)[names.pop()]
        return names + list(typing.get_args(keywords)[0].__annotations__)

    def test_every_argument_is_explained(self):
        arguments = inspect.getdoc(cudacanny.canny).split('Returns:\n')[0]
        for name in self.parameters():
            self.assertRegex(arguments, rf'(?m)^    {name}: ')

    def test_every_setting_is_an_argument(self):
        settings = self.names_in(unknown=1).split('the settings are ')[1].split(', ')
        self.assertLessEqual(set(settings), set(self.parameters()))

    def test_every_choice_is_named(self):
        for setting in ('norm', 'operator', 'color_mode', 'luma_depth', 'threshold_mode', 'output'):
            for choice in re.findall('"([^"]*)"', self.names_in(**{setting: 'none'}))[:-1]:
                self.assertIn(f'"{choice}"', cudacanny.canny.__doc__)

    def test_types(self):
        for function in (cudacanny.canny, cudacanny.Detector.detect, cudacanny.Detector.submit):
            hints = typing.get_type_hints(function)
            self.assertIn('return', hints)


if __name__ == '__main__':
    unittest.main()
