# SPDX-License-Identifier: LGPL-2.1-or-later
"""cudacanny.torch and the node for ComfyUI, on the CPU and on a GPU."""
import importlib.util
import inspect
import pathlib
import unittest

import numpy as np
import torch

import cudacanny
import cudacanny.torch
import docs_test
from pictures import check_refusals, has_cuda, on_each_backend, picture

HAS_COMPILER = hasattr(torch, 'compile')
NODE = pathlib.Path(__file__).resolve().parents[2] / 'docs/examples/comfyui_canny.py'
NUMBER = 3
DTYPES = torch.uint8, torch.float32, torch.float16, torch.bfloat16


def batch(*shape):
    return torch.from_numpy(np.stack([picture(shape, seed=seed) for seed in range(NUMBER)]))


def images():
    """Tensors with names of layouts."""
    gray, color = batch(61, 83), batch(61, 83, 3)
    planes = color.permute(0, 3, 1, 2).contiguous()
    yield from ((gray[0], None), (color[0], None), (planes[0].permute(1, 2, 0), None))
    yield from ((gray, 'nhw'), (color, 'nhwc'), (planes, 'nchw'))
    yield from ((gray[:, None], 'nchw'), (color.permute(0, 3, 1, 2), 'nchw'), (color[1:, 5:, 7:], 'nhwc'))


def same(actual, expected):
    np.testing.assert_array_equal(actual.cpu().numpy(), expected)


@on_each_backend
class Tensors:
    def canny(self, image, *arguments, **settings):
        image = image.to(self.backend)
        edges = cudacanny.torch.canny(image, *arguments, **settings)
        self.assertEqual(edges.device, image.device)
        return edges

    def test_every_layout(self):
        for image, layout in images():
            for settings in ({}, {'output': 'overlay', 'edge_color': 'lime'}):
                with self.subTest(shape=image.shape, strides=image.stride(), settings=settings):
                    expected = cudacanny.canny(image, 20, 60, layout=layout, backend='cpu', **settings)
                    self.assertTrue(expected.any())
                    same(self.canny(image, 20, 60, layout=layout, **settings), expected)

    def test_every_type(self):
        expected = [cudacanny.canny(image.numpy(), 20, 60, backend='cpu') for image in batch(61, 83)]
        for source in DTYPES:
            image = batch(61, 83)
            image = image if source is torch.uint8 else (image / 255).to(source)
            settings = {} if source is torch.uint8 else {'luma_depth': '8'}
            for target in (None, *DTYPES):
                with self.subTest(source=source, target=target):
                    edges = self.canny(image, 20, 60, layout='nhw', dtype=target, **settings)
                    self.assertEqual(edges.dtype, target or torch.uint8)
                    white = 255 if edges.dtype == torch.uint8 else 1
                    same(edges.float() * (255 / white), expected)
        white = batch(61, 83) > 128
        same(self.canny(white, 20, 60, layout='nhw'),
             cudacanny.canny(255 * white.numpy().astype(np.uint8), 20, 60, layout='nhw', backend='cpu'))

    def test_settings(self):
        color = batch(61, 83, 3)
        mask = torch.zeros((61, 83), dtype=torch.bool)
        mask[10:50, 20:60] = True
        settings = {'operator': 'scharr', 'threshold_mode': 'otsu', 'high_ratio': 0.9, 'sigma': 2,
                    'thin_edges': False, 'min_length': 9, 'norm': 'l1', 'order': 'bgr'}
        expected = cudacanny.canny(color, layout='nhwc', mask=mask.numpy(), backend='cpu', **settings)
        self.assertTrue(expected.any())
        for each in (mask, mask.to(torch.uint8)):
            same(self.canny(color, layout='nhwc', mask=each.to(self.backend), **settings), expected)
        schema = torch.ops.cudacanny.canny.default._schema
        names = {argument.name for argument in schema.arguments}
        self.assertLessEqual(set(inspect.signature(cudacanny.torch.canny).parameters) - {'settings'}, names)
        self.assertLessEqual(set(cudacanny._settings.Settings.__annotations__), names)

    def test_gradients(self):
        image = (batch(61, 83)[0] / 255).to(self.backend).requires_grad_()
        self.assertFalse(self.canny(image, dtype=torch.float32).requires_grad)
        same(torch.ops.cudacanny.canny(image, 20, 60), self.canny(image.detach(), 20, 60).cpu().numpy())

    def test_refusals(self):
        color = batch(61, 83, 3)
        check_refusals(self, (
            (ValueError, 'image must have the axes "nchw", but has the shape (61, 83, 3)',
             lambda: self.canny(color[0], layout='nchw')),
            (ValueError, 'image must have the shape', lambda: self.canny(color)),
            (ValueError, 'sigma 99.000000 is outside', lambda: self.canny(color[0], sigma=99)),
            (ValueError, 'norm must be one of "l1", "l2", but is "l3"', lambda: self.canny(color[0], norm='l3')),
            (ValueError, 'but is of float64', lambda: self.canny(color[0].double())),
            (RuntimeError, 'blur', lambda: self.canny(color[0], blur=2)),
            (RuntimeError, "'sigma'", lambda: self.canny(color[0], sigma='soft'))))

    @unittest.skipUnless(HAS_COMPILER, f'PyTorch {torch.__version__} has no compiler')
    def test_shapes_without_data(self):
        for image, layout in images():
            for settings in ({}, {'output': 'masked'}, {'dtype': torch.float16}):
                with self.subTest(shape=image.shape, strides=image.stride(), settings=settings):
                    edges = cudacanny.torch.canny(image.to(self.backend), layout=layout, **settings)
                    meta = cudacanny.torch.canny(image.to('meta'), layout=layout, **settings)
                    self.assertEqual((meta.shape, meta.stride(), meta.dtype),
                                     (edges.shape, edges.stride(), edges.dtype))

    @unittest.skipUnless(HAS_COMPILER, f'PyTorch {torch.__version__} has no compiler')
    def test_compiled(self):
        def share(image, sigma):
            edges = cudacanny.torch.canny(255 - image, 20, 60, layout='nchw', sigma=sigma, dtype=torch.float32)
            return edges.mean(dim=(1, 2))

        planes = batch(61, 83, 3).permute(0, 3, 1, 2).contiguous().to(self.backend)
        expected = share(planes, 1.4)
        self.assertTrue(expected.min() > 0)
        for backend in ('eager', 'aot_eager'):
            for dynamic in (False, True):
                torch.compiler.reset()
                compiled = torch.compile(share, fullgraph=True, backend=backend, dynamic=dynamic)
                torch.testing.assert_close(compiled(planes, 1.4), expected)
                part = planes[:2, :, 3:, 3:].contiguous()
                torch.testing.assert_close(compiled(part, 1.4), share(part, 1.4))

    @unittest.skipUnless(hasattr(torch.library, 'opcheck'), f'PyTorch {torch.__version__} has no opcheck()')
    def test_the_operator(self):
        for image, layout in images():
            for settings in ({}, {'output': 'overlay'}, {'dtype': torch.float16, 'sigma': 2.0, 'order': 'bgr'}):
                torch.library.opcheck(torch.ops.cudacanny.canny.default, (image.to(self.backend), 20.0, 60.0),
                                      {'layout': layout, **settings})

    def test_examples_of_the_page(self):
        blocks = [block for block in docs_test.examples() if 'cudacanny.torch' in block]
        self.assertEqual(len(blocks), 2)
        if not HAS_COMPILER:
            blocks.pop()
        names = {}
        for block in blocks:
            exec(block.replace('"cuda"', f'"{self.backend}"').replace('=True', '=True, backend="eager"'), names)
        edges = names['edges']
        self.assertEqual((edges.shape, edges.device.type), ((8, 768, 1344), self.backend))
        self.assertTrue(edges.any())
        if HAS_COMPILER:
            share = names['share_of_edges'](names['images'])
            torch.testing.assert_close(share, (edges == 255).float().mean(dim=(1, 2)))

    def test_the_node(self):
        specification = importlib.util.spec_from_file_location('node', NODE)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        node, = module.NODE_CLASS_MAPPINGS.values()
        self.assertEqual(module.NODE_DISPLAY_NAME_MAPPINGS.keys(), module.NODE_CLASS_MAPPINGS.keys())
        inputs = node.INPUT_TYPES()['required']
        self.assertEqual(inputs.pop('image'), ('IMAGE',))
        values = {name: options['default'] for name, (_, options) in inputs.items()}
        for channels in (3, 4):
            images = (batch(61, 83, channels) / 255).to(self.backend)
            results = dict(zip(node.RETURN_TYPES, getattr(node(), node.FUNCTION)(images, **values), strict=True))
            expected = cudacanny.canny(images.cpu()[..., :3].contiguous(), layout='nhwc', backend='cpu') == 255
            self.assertTrue(expected.any())
            same(results['MASK'], expected)
            same(results['IMAGE'], np.stack([expected] * 3, axis=-1))
            self.assertEqual({(edges.dtype, edges.device) for edges in results.values()},
                             {(torch.float32, images.device)})


@unittest.skipUnless(has_cuda(), 'no usable CUDA device')
class Streams(unittest.TestCase):
    backend = 'cuda'

    def test_the_current_stream(self):
        image = batch(1080, 1920)[0]
        expected = cudacanny.canny(image.numpy(), 20, 60, backend='cpu')
        on_device, changed = image.cuda(), torch.zeros_like(image, device='cuda')
        with torch.cuda.stream(torch.cuda.Stream()):
            cudacanny.torch.canny(on_device, 20, 60)  # allocates, which may wait for all streams
            torch.cuda.synchronize()
            torch.cuda._sleep(100_000_000)
            changed.copy_(on_device)
            same(cudacanny.torch.canny(changed, 20, 60), expected)


if __name__ == '__main__':
    unittest.main()
