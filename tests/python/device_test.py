# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in the memory of a CUDA device."""
import ctypes
import gc
import sys
import unittest
from unittest import mock

import numpy as np

import cudacanny
from device import Both, Capsules, CudaArray, DLPackArray, Driver, Stream
from pictures import check_refusals, floats, has_cuda, picture

KINDS = (CudaArray, DLPackArray, Both)


def edges_on_host(image, *arguments, **settings):
    return cudacanny.canny(image, *arguments, backend='cpu', **settings)


def images():
    """Images of every layout that the library reads in place."""
    gray, color, four = picture((61, 83)), picture((61, 83, 3)), picture((61, 83, 4))
    wide = picture((61, 83), np.uint16)
    yield from (gray, color, four, wide, picture((1, 1)), picture((61, 83, 1)))
    yield from (gray[5:, 7:], gray[::-1], gray[::2], color[:, 3:70], color[..., ::-1], wide[3:, 5:])
    yield picture((61, 83, 4), np.uint16)
    yield np.moveaxis(np.moveaxis(color, -1, 0).copy(), 0, -1)
    for dtype in (np.float32, np.float16, 'V2'):
        for image in (gray, color, np.moveaxis(np.moveaxis(color, -1, 0).copy(), 0, -1)):
            yield floats(image, dtype)
    # The stride along an axis of one element may be any number.
    yield np.ndarray((61, 1, 3), np.uint8, picture((61, 1, 3)), strides=(3, 1, 1))


@unittest.skipUnless(has_cuda(), 'no usable CUDA device')
class OnDevice(unittest.TestCase):
    backend = 'cuda'

    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()

    def same(self, actual, expected):
        np.testing.assert_array_equal(np.asarray(actual), expected)

    def test_every_layout(self):
        for kind in KINDS:
            for image in images():
                with self.subTest(kind=kind.__name__, shape=image.shape, strides=image.strides):
                    edges = cudacanny.canny(kind(self.driver, image), 20, 60)
                    self.assertIsInstance(edges, cudacanny.DeviceArray)
                    self.same(edges, edges_on_host(image, 20, 60))

    def test_contours_out(self):
        image = picture((121, 203))
        detector = cudacanny.Detector(backend='cuda', contours=5)
        detector.detect(image, 10, 30)
        chains = detector.contours
        for kind in KINDS:
            for source in (image, kind(self.driver, image)):
                points = kind(self.driver, np.zeros((9000, 2), np.uint16))
                ends = kind(self.driver, np.zeros(2000, np.uint32))
                detector.detect(source, 10, 30, contours_out=(points, ends))
                counts = sum(map(len, chains)), len(chains)
                self.assertEqual(detector.contours, counts)
                self.same(points.numpy()[:counts[0]], np.concatenate(chains))
                self.same(ends.numpy()[:counts[1]], np.cumsum([len(chain) for chain in chains]))
        with self.assertRaisesRegex(ValueError, 'contours_out must be in host memory or in device memory'):
            detector.detect(image, contours_out=(points, np.zeros(9, np.uint32)))
        on_host = cudacanny.Detector(backend='cpu', contours=5)
        with self.assertRaisesRegex(ValueError, 'contours: device memory needs a detector on a CUDA device'):
            on_host.detect(image, contours_out=(points, ends))

    def test_outs_of_floats(self):
        for dtype in (np.float32, np.float16, 'V2'):
            with self.subTest(dtype=dtype):
                image = floats(picture((61, 83)), dtype)
                out = cudacanny.DeviceArray((61, 83), dtype)
                cudacanny.canny(Both(self.driver, image), 20, 60, out=out)
                expected = np.empty((61, 83), dtype)
                edges_on_host(image, 20, 60, out=expected)
                self.same(np.asarray(out).tobytes(), expected.tobytes())
                self.same(cudacanny.canny(out, 20, 60), edges_on_host(expected, 20, 60))

    def test_orders(self):
        for image in images():
            if image.ndim == 3 and image.dtype == np.uint8:
                with self.subTest(strides=image.strides):
                    self.same(cudacanny.canny(Both(self.driver, image), 20, 60, order='bgr'),
                              edges_on_host(image, 20, 60, order='bgr'))

    def test_out(self):
        image = picture((61, 83))
        expected = edges_on_host(image, 20, 60)
        for kind in KINDS:
            on_device = kind(self.driver, image)
            for out in (kind(self.driver, np.zeros((61, 83), np.uint8)), np.empty((61, 83), np.uint8),
                        kind(self.driver, np.zeros((70, 90), np.uint8)[5:66, 2:85]),
                        cudacanny.DeviceArray((61, 83))):
                for source in (image, on_device):
                    self.assertIs(cudacanny.canny(source, 20, 60, out=out), out)
                    self.same(out.numpy() if isinstance(out, kind) else out, expected)
        wide = kind(self.driver, np.zeros((61, 83), np.uint16))
        cudacanny.canny(image, 20, 60, out=wide)
        self.same(wide.numpy(), expected.astype(np.uint16) * 257)

    def test_outputs_that_show_the_image(self):
        for image in images():
            if image.dtype != np.uint8:
                continue
            for output in ('overlay', 'masked'):
                with self.subTest(output=output, shape=image.shape, strides=image.strides):
                    on_device, out = Both(self.driver, image), Both(self.driver, image)
                    expected = edges_on_host(image, 20, 60, output=output)
                    if image.ndim == 3 and image.strides[2] < 0:
                        with self.assertRaisesRegex(ValueError, 'needs an out with its layout'):
                            cudacanny.canny(on_device, 20, 60, output=output)
                    else:
                        self.same(cudacanny.canny(on_device, 20, 60, output=output), expected)
                    if image.shape[2:] != (1,):
                        cudacanny.canny(on_device, 20, 60, output=output, out=out)
                        self.same(out.numpy(), expected)

    def test_regions_and_masks(self):
        image = picture((61, 83))
        mask = np.zeros((61, 83), bool)
        mask[10:50, 20:60] = True
        expected = edges_on_host(image, 20, 60, mask=mask)
        self.assertTrue(0 < np.count_nonzero(expected) < np.count_nonzero(edges_on_host(image, 20, 60)))
        for kind in KINDS:
            on_device = kind(self.driver, image)
            for source in (image, on_device):
                for each in (mask, kind(self.driver, mask), kind(self.driver, mask.view(np.uint8))):
                    self.same(cudacanny.canny(source, 20, 60, mask=each, backend='cuda'), expected)
            self.same(cudacanny.canny(on_device, 20, 60, regions=[(20, 10, 40, 40)]), expected)

    def warm_up(self, detector, image, **settings):
        """Loads the kernels, and allocates what each of 3 frames needs: both wait for all streams."""
        for _ in range(3):
            detector.submit(image, 20, 60, **settings)
        for _ in range(3):
            detector.wait()

    def run_in_stream(self, kind, source, to, upstream, downstream, **settings):
        """Submits an image that is still being written, and reads the edges before wait()."""
        image = picture((61, 83))
        expected = edges_on_host(image, 20, 60)
        written, read = kind(self.driver, image), kind(self.driver, np.zeros_like(image))
        detector = cudacanny.Detector(backend='cuda', frames_in_flight=3)
        self.warm_up(detector, written, out=read)
        with upstream.held():
            upstream.copy(written, source)
            detector.submit(source, 20, 60, out=to, **settings)
            downstream.copy(to, read)
        downstream.synchronize()
        self.same(read.numpy(), expected)
        self.assertIs(detector.wait(), to)
        self.same(to.numpy(), expected)

    def test_the_stream_of_a_call(self):
        for kind in KINDS:
            stream = Stream(self.driver)
            for named in (stream, stream.handle):
                source, to = (kind(self.driver, np.zeros((61, 83), np.uint8)) for _ in range(2))
                self.run_in_stream(kind, source, to, stream, stream, stream=named)
                if kind is not CudaArray:
                    self.assertEqual((set(source.streams), set(to.streams)), ({stream.handle},) * 2)

    def test_streams_that_arrays_state(self):
        upstream, downstream = Stream(self.driver), Stream(self.driver)
        source = CudaArray(self.driver, np.zeros((61, 83), np.uint8), upstream)
        to = CudaArray(self.driver, np.zeros((61, 83), np.uint8), downstream)
        self.run_in_stream(CudaArray, source, to, upstream, downstream)

    def test_a_producer_orders_its_stream(self):
        stream, zeros = Stream(self.driver), np.zeros((61, 83), np.uint8)
        image = picture((61, 83))
        source, written = DLPackArray(self.driver, zeros, stream), DLPackArray(self.driver, image)
        out = DLPackArray(self.driver, zeros)
        detector = cudacanny.Detector(backend='cuda', frames_in_flight=3)
        self.warm_up(detector, written, out=out)
        with stream.held():
            stream.copy(written, source)
            detector.submit(source, 20, 60, out=out)
        self.assertEqual(source.streams, [1])  # the legacy default stream
        detector.wait()
        self.same(out.numpy(), edges_on_host(image, 20, 60))

    def test_masks_and_streams(self):
        image, mask = picture((61, 83)), np.ones((61, 83), bool)
        expected = edges_on_host(image, 20, 60)
        first, second = Stream(self.driver), Stream(self.driver)
        late = CudaArray(self.driver, np.zeros((61, 83), bool), first)
        written = CudaArray(self.driver, mask)  # to free it would wait for all streams
        detector = cudacanny.Detector(backend='cuda', frames_in_flight=3)
        self.warm_up(detector, image, mask=late)
        with first.held():
            first.copy(written, late)
            detector.submit(image, 20, 60, mask=late)  # the image in host memory has no stream
        self.same(detector.wait(), expected)
        on_device = CudaArray(self.driver, image, second)
        with self.assertRaisesRegex(ValueError, 'image and mask are in different streams'):
            detector.detect(on_device, 20, 60, mask=late)
        self.same(detector.detect(on_device, 20, 60, mask=late, stream=second), expected)

    def test_a_device_array(self):
        image = picture((61, 83, 3))
        edges = cudacanny.canny(Both(self.driver, image), 20, 60)
        expected = edges_on_host(image, 20, 60)
        self.assertEqual((edges.shape, edges.dtype, edges.cuda_device), ((61, 83), np.uint8, 0))
        self.assertIn('(61, 83) on CUDA device 0', repr(edges))
        self.same(np.asarray(edges, np.float32), expected)
        with self.assertRaises(ValueError):
            edges.__array__(copy=False)
        interface = edges.__cuda_array_interface__
        self.assertEqual((interface['shape'], interface['typestr'], interface['version']),
                         ((61, 83), '|u1', 3))
        self.same(cudacanny.canny(edges, 20, 60), edges_on_host(expected, 20, 60))
        planes = cudacanny.DeviceArray.in_planes((61, 83, 3))
        shown = np.moveaxis(np.moveaxis(image, -1, 0).copy(), 0, -1)
        cudacanny.canny(shown, 20, 60, output='overlay', out=planes)
        self.same(planes, edges_on_host(shown, 20, 60, output='overlay'))
        wide = cudacanny.DeviceArray((61, 83), np.uint16)
        self.same(cudacanny.canny(image, 20, 60, out=wide), expected.astype(np.uint16) * 257)

    def test_memory_is_let_go(self):
        image = picture((1080, 1920))
        on_device = Both(self.driver, image)
        edges = cudacanny.canny(on_device, 20, 60)
        counts = sys.getrefcount(on_device), sys.getrefcount(edges)
        capsule = edges.__dlpack__(stream=1)
        self.assertEqual(sys.getrefcount(edges), counts[1] + 1)
        del capsule
        gc.collect()
        free = self.driver.free_bytes()
        for _ in range(50):
            cudacanny.canny(on_device, 20, 60, out=edges)
            cudacanny.canny(on_device, 20, 60).__dlpack__()
        gc.collect()
        self.assertEqual((sys.getrefcount(on_device), sys.getrefcount(edges)), counts)
        self.assertEqual(on_device.capsules.released, 101)
        self.assertLess(free - self.driver.free_bytes(), 20 << 20)

    def test_refusals(self):
        gray, color = picture((61, 83)), picture((61, 83, 3))
        wide = picture((61, 83, 3), np.uint16)
        foreign = CudaArray(self.driver, gray)
        foreign.address, address = gray.ctypes.data, foreign.address
        read_only = Both(self.driver, gray)
        read_only.is_read_only = True
        edges = cudacanny.DeviceArray((61, 83))

        def canny(image, **settings):
            return lambda: cudacanny.canny(image, 20, 60, **settings)

        check_refusals(self, (
            (ValueError, 'image is in device memory, but no format of the library has its layout',
             canny(Both(self.driver, gray[:, ::2]))),
            (ValueError, 'mask is in device memory, but no format',
             canny(gray, backend='cuda', mask=Both(self.driver, np.ones((61, 166), bool)[:, ::2]))),
            (ValueError, 'image of bool must be in host memory; 255 * image.astype(numpy.uint8)',
             canny(Both(self.driver, gray > 90))),
            (ValueError, 'image of uint16 in device memory must be gray, or have four channels',
             canny(Both(self.driver, wide))),
            (ValueError, 'image of floats in device memory must be gray, in planes, or have three',
             canny(Both(self.driver, color.astype(np.float32)), order='bgr')),
            (ValueError, 'but is of float64', canny(DLPackArray(self.driver, gray.astype(float)))),
            (ValueError, 'input frame: data is not in memory of CUDA device 0', canny(foreign)),
            (ValueError, 'out is read-only', canny(gray, out=read_only)),
            (ValueError, 'overlap', canny(edges, out=edges)),
            (ValueError, 'needs an out with its layout', canny(
                Both(self.driver, color), output='overlay',
                out=cudacanny.DeviceArray.in_planes((61, 83, 3)))),
            (ValueError, 'image is in device memory, but the detector is not on a CUDA device',
             canny(edges, backend='cpu')),
            (BufferError, 'makes no copy', lambda: edges.__dlpack__(copy=True)),
            (BufferError, 'makes no copy', lambda: edges.__dlpack__(dl_device=(1, 0))),
            (ValueError, 'output "masked" needs an out of the shape (61, 83, 3)',
             canny(Both(self.driver, color), output='masked', out=edges)),
            (MemoryError, 'memory',
             lambda: [cudacanny.DeviceArray((16384, 16384, 4)) for _ in range(1000)])))
        foreign.address = address
        self.same(cudacanny.canny(color, 20, 60, out=edges), edges_on_host(color, 20, 60))


class HostTensor:
    """An array in host memory with capsules of its own."""

    def __init__(self, array, **changes):
        self.capsules = Capsules(array, array.ctypes.data, 0, **{'device_type': 1, **changes})
        self._array = array

    def __dlpack__(self):
        return self.capsules.new()

    def __dlpack_device__(self):
        return 1, 0


class StatedTensor(HostTensor):
    """States an array in device memory that is not there, with DLPack and the result of a function."""

    def __init__(self, array, interface):
        super().__init__(array, device_type=2)
        self._interface = interface

    def __dlpack__(self, stream):
        return super().__dlpack__()

    def __dlpack_device__(self):
        return 2, 0

    @property
    def __cuda_array_interface__(self):
        return self._interface()


class HostDLPack:
    """An array in host memory that offers DLPack alone."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.device


class NoCapsule(HostDLPack):
    def __dlpack__(self, **arguments):
        return self


class StatedOnly:
    """States an array in device memory that is not there."""

    def __init__(self, **members):
        self.__cuda_array_interface__ = {'version': 3, 'shape': (9, 7), 'typestr': '|u1',
                                         'data': (4096, False), **members}


class WithoutDevice(unittest.TestCase):
    backend = 'cpu'

    def test_host_memory_of_other_libraries(self):
        for image in images():
            if image.dtype.itemsize == 2 and image.ndim == 3:
                continue
            with self.subTest(shape=image.shape, strides=image.strides):
                kind = HostTensor if image.dtype.kind == 'V' else HostDLPack  # NumPy passes on no bfloat16
                np.testing.assert_array_equal(edges_on_host(kind(image), 20, 60),
                                              edges_on_host(image, 20, 60))
        image = picture((61, 83))
        mask = np.zeros((61, 83), np.uint8)
        mask[10:50, 20:60] = 1
        np.testing.assert_array_equal(edges_on_host(image, 20, 60, mask=HostDLPack(mask)),
                                      edges_on_host(image, 20, 60, mask=mask))

    def test_arrays_without_a_shape(self):
        images = [picture((61 + seed % 2, 83), seed=seed) for seed in range(4)]
        expected = [edges_on_host(image, 20, 60) for image in images]
        tensors = [HostTensor(image) for image in images]
        with cudacanny.Detector(backend='cpu', frames_in_flight=3) as detector:
            for edges in edges_on_host(tensors, 20, 60), list(detector.map(tensors, 20, 60)):
                for each, right in zip(edges, expected, strict=True):
                    np.testing.assert_array_equal(each, right)
        self.assertEqual([tensor.capsules.released for tensor in tensors], [2] * 4)

    def test_a_capsule_stays_until_the_frame_is_done(self):
        image = picture((61, 83))
        tensor = HostTensor(image)
        detector = cudacanny.Detector(backend='cpu')
        detector.submit(tensor, 20, 60)
        gc.collect()
        self.assertEqual(tensor.capsules.released, 0)
        np.testing.assert_array_equal(detector.wait(), edges_on_host(image, 20, 60))
        self.assertEqual(tensor.capsules.released, 1)
        with self.assertRaises(ValueError):
            detector.detect(tensor, -1, 60)
        self.assertEqual(tensor.capsules.released, 2)

    def test_stated_arrays(self):
        gray = picture((9, 7))
        check_refusals(self, (
            (ValueError, 'image is in device memory, but the detector is not on a CUDA device',
             lambda: edges_on_host(StatedOnly())),
            (ValueError, 'image of bool must be in host memory; 255 * image.astype(numpy.uint8)',
             lambda: edges_on_host(StatedOnly(typestr='|b1'))),
            (ValueError, 'the CPU backend takes frames and masks in host memory only',
             lambda: edges_on_host(gray, out=StatedOnly())),
            (ValueError, 'the CPU backend takes frames and masks in host memory only',
             lambda: edges_on_host(gray, mask=StatedOnly())),
            (ValueError, "image has a __cuda_array_interface__ that can't be used: it has a mask",
             lambda: edges_on_host(StatedOnly(mask=gray))),
            (ValueError, 'image must have 1x1 to 16384x16384 pixels, but has 7x0',
             lambda: edges_on_host(StatedOnly(shape=(0, 7), data=(0, False)))),
            *((ValueError, f"image has a __cuda_array_interface__ that can't be used: {why}",
               lambda members=members: edges_on_host(StatedOnly(**members)))
              for why, members in (
                  ('image must have the shape', {'shape': (1,) * 70}),
                  ('image must have the shape', {'shape': ()}),
                  ('', {'shape': (9, -7)}), ('', {'shape': None}), ('', {'data': None}),
                  ('', {'strides': (1,)}), ('image has the address 0', {'data': (0, False)}),
                  ('image has the address', {'data': (1 << 70, False)}),
                  ('image has a shape, strides or an address beyond 64 bits', {'shape': (1 << 70, 7)}),
                  ('image has a shape, strides or an address beyond 64 bits',
                   {'strides': (-1 << 70, 1)}),
                  ('stream must be an integer', {'stream': 'x'}),
                  ('stream must be the handle', {'stream': 1 << 70})))))

    def test_arrays_with_dlpack(self):
        gray = picture((9, 7))
        check_refusals(self, (
            (TypeError, 'out must be a numpy.ndarray or an array in device memory',
             lambda: edges_on_host(gray, out=HostDLPack(gray))),
            (ValueError, 'but is of float64', lambda: edges_on_host(HostDLPack(gray.astype(float)))),
            (ValueError, 'neither CPU nor CUDA: DLPack calls it 10',
             lambda: edges_on_host(HostDLPack(gray, (10, 0)))),
            (TypeError, 'image.__dlpack__() must return a new capsule "dltensor"',
             lambda: edges_on_host(NoCapsule(gray))),
            *((error, f'image{why}', lambda changes=changes: edges_on_host(HostTensor(gray, **changes)))
              for error, why, changes in (
                  (ValueError, '.__dlpack__() returned an array on another device',
                   {'device_type': 2}),
                  (ValueError, '.__dlpack__() returned an array without a shape', {'ndim': -1}),
                  (ValueError, '.__dlpack__() returned an array without a shape', {'ndim': 65}),
                  (ValueError, '.__dlpack__() returned an array without a shape',
                   {'shape': ctypes.POINTER(ctypes.c_int64)()}),
                  (ValueError, ' has the address 0', {'data': None}),
                  (ValueError, '.__dlpack__() returned an array with strides beyond 64 bits',
                   {'bits': 16, 'strides': (ctypes.c_int64 * 2)(1 << 62, 1)}),
                  (TypeError, ' must be an array of bool, uint8, ', {'bits': 4}),
                  (TypeError, ' must be an array of bool, uint8, ', {'bits': 24}),
                  (TypeError, ' must be an array of bool, uint8, ', {'lanes': 2}),
                  (TypeError, ' must be an array of bool, uint8, ', {'code': 3, 'bits': 16}),
                  (TypeError, ' must be an array of bool, uint8, ', {'code': 200})))))

    def test_an_empty_batch(self):
        with mock.patch.object(cudacanny._native, 'DeviceMemory') as memory:
            memory.return_value.configure_mock(address=4096, cuda_device=0)
            edges = edges_on_host(StatedOnly(shape=(0, 9, 7), data=(0, False)), layout='nhw')
        self.assertEqual((type(edges), edges.shape), (cudacanny.DeviceArray, (0, 9, 7)))
        memory.assert_called_once_with(1, -1)  # there is no memory of 0 bytes

    def test_outs_that_are_not_written(self):
        gray = picture((9, 7))
        for image, settings in ((gray, {}), (gray[None], {'layout': 'nhw'})):
            zeros = np.zeros_like(image)
            read_only = StatedTensor(zeros, lambda: {'data': (4096, True)})
            unstated = StatedTensor(zeros, lambda: {}['bfloat16'])  # as in PyTorch before 2.5
            check_refusals(self, (
                *((TypeError, 'out must be a numpy.ndarray or an array in device memory, but is a',
                   lambda out=out: edges_on_host(image, out=out, **settings))
                  for out in (list(zeros), HostTensor(zeros))),
                (ValueError, 'out is read-only', lambda: edges_on_host(image, out=read_only, **settings)),
                (ValueError, 'the CPU backend takes frames and masks in host memory only',
                 lambda: edges_on_host(image, out=unstated, **settings))))

    def test_streams_and_new_arrays(self):
        gray = picture((9, 7))
        check_refusals(self, (
            (ValueError, 'stream must be the handle of a CUDA stream',
             lambda: edges_on_host(gray, stream=1 << 70)),
            (ValueError, 'array must have the byte order of this machine',
             lambda: cudacanny.DeviceArray((9, 7), '>u2')),
            (ValueError, 'array in planes must have the shape (height, width, 3 or 4)',
             lambda: cudacanny.DeviceArray.in_planes((9, 7))),
            (TypeError, 'stream must be an integer or have __cuda_stream__(), but is 1.5',
             lambda: edges_on_host(gray, stream=1.5)),
            (ValueError, 'stream must be the handle of a CUDA stream, but is -1',
             lambda: edges_on_host(gray, stream=-1)),
            (ValueError, 'array must have 1x1 to 16384x16384 pixels, but has 7x0',
             lambda: cudacanny.DeviceArray((0, 7))),
            (ValueError, 'array must have the shape', lambda: cudacanny.DeviceArray((8, 9, 7))),
            (ValueError, 'but is of float64', lambda: cudacanny.DeviceArray((9, 7), float)),
            (TypeError, '', lambda: cudacanny.DeviceArray((9, 7.5)))))

    def test_no_such_device(self):
        with self.assertRaises(RuntimeError):
            cudacanny.DeviceArray((9, 7), cuda_device=1000)


if __name__ == '__main__':
    unittest.main()
