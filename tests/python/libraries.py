# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays of other libraries on a GPU. CANNY_TEST_LIBRARIES names those that are installed: cupy, jax,
numba, torch."""
import importlib
import os
import unittest

import numpy as np

import cudacanny
from pictures import picture

NAMES = os.environ.get('CANNY_TEST_LIBRARIES', '').split()


def test_of(name):
    """Makes a test from a function of a library, an image and its edges, if the library is named."""
    def decorate(function):
        if name not in NAMES:
            return None

        def test(self):
            library = importlib.import_module(name)
            print(f'{name} {library.__version__}')
            for shape in ((61, 83), (61, 83, 3), (1080, 1920)):
                image = picture(shape)
                function(self, library, image, cudacanny.canny(image, 20, 60, backend='cpu'))

        return test
    return decorate


class Libraries(unittest.TestCase):
    backend = 'cuda'

    @test_of('cupy')
    def test_cupy(self, cupy, image, expected):
        on_device = cupy.asarray(image)
        edges = cupy.asarray(cudacanny.canny(on_device, 20, 60))
        np.testing.assert_array_equal(cupy.asnumpy(edges), expected)
        np.testing.assert_array_equal(cupy.asnumpy(cupy.from_dlpack(
            cudacanny.canny(on_device[::-1], 20, 60))), cudacanny.canny(image[::-1], 20, 60))
        detector = cudacanny.Detector(backend='cuda')
        with cupy.cuda.Stream(non_blocking=True) as stream:
            changed = cupy.zeros_like(on_device)
            out = cupy.empty(expected.shape, cupy.uint8)
            changed[:] = on_device
            detector.submit(changed, 20, 60, out=out, stream=stream)
            count = int(cupy.count_nonzero(out))  # in the stream, before wait()
        self.assertIs(detector.wait(), out)
        self.assertEqual(count, np.count_nonzero(expected))

    @test_of('torch')
    def test_torch(self, torch, image, expected):
        tensor = torch.from_numpy(image).cuda()
        edges = torch.from_dlpack(cudacanny.canny(tensor, 20, 60))
        np.testing.assert_array_equal(edges.cpu().numpy(), expected)
        shared = torch.as_tensor(cudacanny.canny(tensor, 20, 60), device='cuda')
        np.testing.assert_array_equal(shared.cpu().numpy(), expected)
        out = torch.empty(expected.shape, dtype=torch.uint8, device='cuda')
        self.assertIs(cudacanny.canny(tensor, 20, 60, out=out, stream=torch.cuda.current_stream()), out)
        np.testing.assert_array_equal(out.cpu().numpy(), expected)
        if image.ndim == 3:
            planes = tensor.permute(2, 0, 1).contiguous()  # as in batches
            np.testing.assert_array_equal(cudacanny.canny(planes.permute(1, 2, 0), 20, 60), expected)
        on_host = torch.from_numpy(image)
        np.testing.assert_array_equal(cudacanny.canny(on_host, 20, 60), expected)

    @test_of('numba')
    def test_numba(self, numba, image, expected):
        from numba import cuda
        out = cuda.device_array(expected.shape, np.uint8)
        self.assertIs(cudacanny.canny(cuda.to_device(image), 20, 60, out=out), out)
        np.testing.assert_array_equal(out.copy_to_host(), expected)
        edges = cudacanny.canny(cuda.to_device(image), 20, 60)
        np.testing.assert_array_equal(cuda.as_cuda_array(edges).copy_to_host(), expected)

    @test_of('jax')
    def test_jax(self, jax, image, expected):
        edges = jax.dlpack.from_dlpack(cudacanny.canny(jax.device_put(image), 20, 60))
        np.testing.assert_array_equal(np.asarray(edges), expected)


for each in ('cupy', 'jax', 'numba', 'torch'):
    if each not in NAMES:
        delattr(Libraries, f'test_{each}')
