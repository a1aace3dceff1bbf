# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames in flight, threads, memory, results and errors."""
import gc
import inspect
import pickle
import re
import subprocess
import sys
import threading
import time
import typing
import unittest
import weakref
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import numpy as np

import cudacanny
from pictures import check_refusals, on_each_backend, opencv, picture


@on_each_backend
class Frames:
    def detector(self, **options):
        return cudacanny.Detector(backend=self.backend, **options)

    def test_frames_come_in_order_and_stay_alive(self):
        images = [picture((61, 83, 3), seed=seed) for seed in range(20)]
        expected = [opencv(image, 20, 60) for image in images]
        for most in (1, 3, 8):
            detector = self.detector(frames_in_flight=most)
            edges = []
            for image in images:
                if detector.in_flight == most:
                    edges.append(detector.wait())
                detector.submit(image.copy(), 20, 60)  # only the detector keeps the copy
                gc.collect()
            self.assertEqual(detector.in_flight, most)
            while detector.in_flight:
                edges.append(detector.wait())
            np.testing.assert_array_equal(edges, expected)

    def test_arrays_are_let_go(self):
        image, out = picture((61, 83)), np.empty((61, 83), np.uint8)
        mask = np.ones((61, 83), bool)
        detector = self.detector()
        before = [sys.getrefcount(array) for array in (image, out, mask)]
        for _ in range(3):
            detector.submit(image, 20, 60, out=out, mask=mask)
            self.assertIs(detector.wait(), out)
            detector.detect(image, out=out, mask=mask)
            with self.assertRaises(ValueError):
                detector.submit(image, 20, -1, out=out, mask=mask)
        self.assertEqual([sys.getrefcount(array) for array in (image, out, mask)], before)
        detector.submit(image, out=out)
        del detector  # with a frame in flight
        self.assertEqual([sys.getrefcount(array) for array in (image, out, mask)], before)

    def test_cycles_are_collected(self):
        class Array(np.ndarray):
            pass

        detector = self.detector()
        image, out = (np.ones((61, 83), np.uint8).view(Array) for _ in range(2))
        arrays = weakref.ref(image), weakref.ref(out)
        image.detector = out.detector = detector
        detector.submit(image, out=out)
        gc.collect()
        self.assertEqual(detector.in_flight, 1)
        del detector, image, out
        gc.collect()
        self.assertEqual([array() is None for array in arrays], [True, True])

    def test_sizes_change_between_frames(self):
        detector = self.detector(frames_in_flight=2)
        for size in ((61, 83), (1, 1), (121, 203), (61, 83)):
            image = picture(size)
            np.testing.assert_array_equal(detector.detect(image, 20, 60), opencv(image, 20, 60))
        detector.submit(picture((61, 83)))
        with self.assertRaisesRegex(RuntimeError, 'frames in flight'):
            detector.submit(picture((60, 83)))
        with self.assertRaisesRegex(RuntimeError, 'frames in flight'):
            detector.detect(picture((61, 83)))
        detector.submit(picture((61, 83)))
        with self.assertRaisesRegex(RuntimeError, 'already 2 frames in flight'):
            detector.submit(picture((61, 83)))
        detector.wait()
        detector.wait()
        with self.assertRaisesRegex(RuntimeError, 'without a frame in flight'):
            detector.wait()

    def test_a_refused_frame_is_not_in_flight(self):
        detector = self.detector(frames_in_flight=2)
        image = picture((61, 83))
        detector.submit(image, 20, 60)
        with self.assertRaisesRegex(ValueError, 'sigma'):
            detector.submit(image, sigma=-1)
        self.assertEqual(detector.in_flight, 1)
        np.testing.assert_array_equal(detector.wait(), opencv(image, 20, 60))

    def test_results(self):
        image = picture((121, 203))
        detector = self.detector()
        self.assertIsNone(detector.result)
        edges = detector.detect(image, 20, 60, measure_stages=True)
        result = detector.result
        self.assertEqual(result.edge_pixels, np.count_nonzero(edges))
        self.assertEqual((result.low, result.high), (20, 60))
        self.assertTrue(0 < result.strong_pixels <= result.edge_pixels <= result.candidate_pixels)
        self.assertGreater(result.components, 0)
        self.assertTrue(min(result.times.front, result.times.hysteresis, result.times.output) > 0)
        self.assertEqual(pickle.loads(pickle.dumps(result)), result)
        detector.detect(image, 20, 60)
        self.assertEqual(detector.result.times, (0, 0, 0, 0, 0))
        self.assertEqual(detector.backend, self.backend)
        self.assertEqual(detector.threads > 0, self.backend == 'cpu')
        self.assertEqual(detector.cuda_device >= 0, self.backend == 'cuda')
        self.assertTrue(detector.device and detector.reason)
        self.assertIn(detector.device, repr(detector))

    def test_one_thread_submits_and_one_waits(self):
        images = [picture((61, 83), seed=seed) for seed in range(40)]
        detector = self.detector(frames_in_flight=4)
        free, taken, edges = threading.Semaphore(4), threading.Semaphore(0), []

        def wait():
            for _ in images:
                self.assertTrue(taken.acquire(timeout=60))
                edges.append(detector.wait())
                free.release()

        with ThreadPoolExecutor(1) as pool:
            waiter = pool.submit(wait)
            for image in images:
                self.assertTrue(free.acquire(timeout=60))
                detector.submit(image, 20, 60)
                taken.release()
            waiter.result()
        np.testing.assert_array_equal(edges, [opencv(image, 20, 60) for image in images])

    def test_a_size_changes_while_another_thread_waits(self):
        images = [picture((61 + seed % 3, 83), seed=seed) for seed in range(60)]
        expected = [opencv(image, 20, 60) for image in images]
        detector = self.detector(frames_in_flight=2)
        submitted, edges = threading.Semaphore(0), []

        def wait_for_all():
            for _ in images:
                submitted.acquire()
                edges.append(detector.wait())

        with ThreadPoolExecutor(1) as pool:
            waiter = None
            for image in images:
                while True:
                    try:
                        detector.submit(image, 20, 60)
                        break
                    except RuntimeError as error:  # the other size is still in flight
                        self.assertRegex(str(error), 'frames in flight')
                        # Starts after the first refusal, so that there is one however the threads run.
                        waiter = waiter or pool.submit(wait_for_all)
                        time.sleep(0.0001)
                submitted.release()
            self.assertIsNotNone(waiter)
            waiter.result(60)
        for actual, right in zip(edges, expected, strict=True):
            np.testing.assert_array_equal(actual, right)

    def test_many_threads(self):
        images = [picture((61 + i, 83), seed=i) for i in range(6)]
        shared = self.detector()

        def work(image):
            expected = opencv(image, 20, 60)
            for _ in range(10):
                for edges in (cudacanny.canny(image, 20, 60, backend=self.backend),
                              shared.detect(image, 20, 60)):
                    np.testing.assert_array_equal(edges, expected)

        with ThreadPoolExecutor(len(images)) as pool:
            for done in [pool.submit(work, image) for image in images]:
                done.result()

    def test_what_is_in_flight_can_be_waited_for(self):
        image, out = picture((4, 4)), np.empty((4, 4), np.uint8)
        detector = self.detector(frames_in_flight=2)
        count = 400

        failed = threading.Event()

        def wait():
            waited = 0
            while waited < count and not failed.is_set():
                if detector.in_flight:
                    detector.wait()
                    waited += 1

        with ThreadPoolExecutor(1) as pool:
            waiter = pool.submit(wait)
            submitted = 0
            try:
                while submitted < count and not waiter.done():
                    if detector.in_flight < 2:
                        detector.submit(image, out=out)
                        submitted += 1
                waiter.result(60)
            finally:
                failed.set()
        self.assertEqual(detector.in_flight, 0)


class Interpreter(unittest.TestCase):
    backend = 'cpu'

    def test_a_failed_device_is_not_kept(self):
        image, made = picture((61, 83)), []
        cudacanny.canny(image, backend='cpu', threads=1)

        class Failing(cudacanny.Detector):
            def __init__(self, **options):
                super().__init__(**options)
                made.append(self)

            def detect(self, *arguments, **settings):
                if len(made) == 1:
                    raise RuntimeError('the device failed')
                return super().detect(*arguments, **settings)

        with mock.patch.object(cudacanny, 'Detector', Failing):
            with self.assertRaisesRegex(RuntimeError, 'the device failed'):
                cudacanny.canny(image, 20, 60, backend='cpu', threads=2)
            for _ in range(2):
                np.testing.assert_array_equal(
                    cudacanny.canny(image, 20, 60, backend='cpu', threads=2), opencv(image, 20, 60))
        self.assertEqual(len(made), 2)

    def test_the_interpreter_ends_during_calls(self):
        program = """
import threading, time
import numpy, cudacanny

image = numpy.zeros((61, 83), numpy.uint8)
edges = cudacanny.canny(image, backend="cpu")

class Last:
    def __del__(self, sleep=time.sleep):  # when no other thread gets the GIL
        sleep(0.2)

last = Last()

def loop(function):
    while True:
        function()

def make():
    detector = cudacanny.Detector(backend="cpu", threads=1)
    detector.submit(image)
    detector.wait()

functions = (lambda: cudacanny.canny(image, backend="cpu", threads=1),
             lambda: cudacanny.contours(edges), make)
for function in functions:
    threading.Thread(target=loop, args=(function,), daemon=True).start()
time.sleep(0.1)
"""
        ended = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                               timeout=60)
        self.assertEqual((ended.returncode, ended.stderr), (0, ''))

    def test_other_threads_run_meanwhile(self):
        detector = cudacanny.Detector(backend='cpu', threads=1)
        image = np.zeros((4096, 4096), np.uint8)
        begins = threading.Event()

        def work():
            begins.set()
            detector.detect(image, sigma=20, operator='sobel-7')

        thread = threading.Thread(target=work)
        thread.start()
        begins.wait()
        naps = 0
        while thread.is_alive():
            time.sleep(0.001)
            naps += 1
        self.assertGreater(naps, 10)


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
            (ValueError, 'low_threshold -1.000000 is outside 0..1000000',
             lambda: canny(gray, -1, 5)),
            (ValueError, 'high_threshold nan is outside', lambda: canny(gray, 1, float('nan'))),
            (ValueError, 'sigma 20.5', lambda: canny(gray, sigma=20.5)),
            (ValueError, 'hysteresis_passes 65', lambda: canny(gray, hysteresis_passes=65)),
            (ValueError, 'hysteresis_passes -1 is outside 0..4294967295',
             lambda: canny(gray, hysteresis_passes=-1)),
            (ValueError, 'min_length 65536 is outside 0..65535',
             lambda: canny(gray, min_length=65536)),
            (ValueError, f'edge_color {1 << 70} is outside 0..4294967295',
             lambda: canny(gray, edge_color=1 << 70)),
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
            (ValueError, 'image must be of uint8 or uint16, but is of float64; '
             '(255 * image).astype(numpy.uint8) converts it if white is 1',
             lambda: canny(gray / 255)),
            (ValueError, 'image must be of uint8 or uint16, but is of bool',
             lambda: canny(gray > 5)),
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
            (TypeError, 'image must be an array of uint8 or uint16', lambda: canny(None)),
            (TypeError, 'image must be an array of uint8 or uint16', lambda: canny('a.jpg'))))

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
            (ValueError, 'output "masked" needs an out of the shape (9, 7, 3), but it has (9, 7)',
             lambda: canny(color, output='masked', out=np.empty((9, 7), np.uint8))),
            (ValueError, 'out must have the byte order of this machine, but is of >u2',
             lambda: canny(gray, out=np.empty((9, 7), '>u2')))))

    def test_regions_and_masks(self):
        gray = self.gray
        canny = cudacanny.canny
        check_refusals(self, (
            (ValueError, 'regions has rectangles (x, y, width, height), but (1, 2, 3) is none',
             lambda: canny(gray, regions=[(1, 2, 3)])),
            (ValueError, 'regions has rectangles (x, y, width, height), but 1 is none',
             lambda: canny(gray, regions=(1, 2, 3, 4))),
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
