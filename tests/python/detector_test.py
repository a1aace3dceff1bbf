# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames in flight, threads, memory and results."""
import gc
import pickle
import subprocess
import sys
import threading
import time
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

    def test_map(self):
        sizes = [(61, 83, 3)] * 5 + [(40, 50, 3)] * 3 + [(61, 83)]
        images = [picture(size, seed=seed) for seed, size in enumerate(sizes)]
        for most in (1, 3):
            with self.detector(frames_in_flight=most) as detector:
                counts = []
                for image, edges in zip(images, detector.map(iter(images), 20, high=60)):
                    np.testing.assert_array_equal(edges, opencv(image, 20, 60))
                    counts.append(detector.result.edge_pixels == np.count_nonzero(edges))
                self.assertEqual(counts, [True] * len(images))
                unfinished = detector.map(images)
                next(unfinished)
                if most > 1:
                    with self.assertRaisesRegex(RuntimeError, 'frames in flight'):
                        next(detector.map(images))
                unfinished.close()
                self.assertEqual(detector.in_flight, 0)
                with self.assertRaisesRegex(ValueError, 'sigma'):
                    list(detector.map(images, sigma=-1))

    def test_a_closed_detector(self):
        image = picture((61, 83))
        with self.detector(frames_in_flight=2) as detector:
            detector.submit(image)
            detector.submit(image)
        self.assertEqual(detector.in_flight, 0)
        self.assertEqual(repr(detector), '<cudacanny.Detector, closed>')
        check_refusals(self, (
            (RuntimeError, 'the detector is closed', lambda: detector.detect(image)),
            (RuntimeError, 'the detector is closed', lambda: detector.submit(image)),
            (RuntimeError, 'the detector is closed', lambda: detector.backend),
            (RuntimeError, 'without a frame in flight', detector.wait)))
        detector.close()

    def test_a_detector_closes_while_others_use_it(self):
        image = picture((400, 600))
        for _ in range(10):
            detector = self.detector(frames_in_flight=2)
            errors = []

            def use():
                try:
                    while True:
                        detector.submit(image)
                        np.testing.assert_array_equal(detector.wait(), expected)
                except RuntimeError as error:
                    errors.append(str(error))
            expected = detector.detect(image)
            thread = threading.Thread(target=use)
            thread.start()
            time.sleep(0.005)
            detector.close()
            thread.join()
            self.assertRegex(errors[0], 'closed|without a frame')

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

    def test_the_garbage_collector_sees_a_frame_until_wait_returns(self):
        detector, returned, is_late = self.detector(), [], True
        image, out = picture((400, 600)), np.empty((400, 600), np.uint8)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(60)  # a thread keeps the GIL until it waits

        def wait():
            begins.set()
            returned.append(detector.wait())

        while is_late:
            returned.clear()
            begins, thread = threading.Event(), threading.Thread(target=wait)
            detector.submit(image, out=out)
            thread.start()
            begins.wait()
            while detector.in_flight:
                pass
            is_late = bool(returned)  # else the frame is finished, and wait() needs the GIL
            seen = gc.get_referents(detector._native)
            thread.join()
        self.assertTrue(any(each is out for each in seen))

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

    def test_frames_of_an_interrupted_call_are_not_kept(self):
        first, second = ([picture((61, 83), seed=seed)] * 3 for seed in range(2))
        interrupts = [KeyboardInterrupt, KeyboardInterrupt]  # the second one while frames are dropped

        class Interrupted(cudacanny.Detector):
            def wait(self):
                if interrupts:
                    raise interrupts.pop()
                return super().wait()

        with mock.patch.object(cudacanny, 'Detector', Interrupted):
            with self.assertRaises(KeyboardInterrupt):
                cudacanny.canny(first, 20, 60, backend='cpu', threads=5)
            np.testing.assert_array_equal(cudacanny.canny(second, 20, 60, backend='cpu', threads=5),
                                          [opencv(image, 20, 60) for image in second])

    def test_calls_with_other_options_keep_detectors(self):
        image = picture((61, 83))
        with mock.patch.object(cudacanny, 'Detector', wraps=cudacanny.Detector) as made:
            for threads in (3, 4, 3, 4):
                cudacanny.canny(image, 20, 60, backend='cpu', threads=threads)
                cudacanny.canny([image, image], 20, 60, backend='cpu', threads=threads)
        self.assertEqual(made.call_count, 4)

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


if __name__ == '__main__':
    unittest.main()
