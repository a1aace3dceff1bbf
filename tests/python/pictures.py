# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures, OpenCV's edges of them, and what test cases share."""
import glob
import os
import sys
import unittest

import cv2
import numpy as np

import cudacanny


def picture(shape, dtype=np.uint8, seed=1, blur=2.0):
    """A picture of soft blobs, which has edges of all directions."""
    noise = np.random.default_rng(seed).random(shape, np.float32)
    soft = cv2.GaussianBlur(noise, (0, 0), blur) if blur else noise
    soft -= soft.min()
    soft /= max(float(soft.max()), 1e-6)
    return (soft.reshape(shape) * np.iinfo(dtype).max).astype(dtype)


def planes(image):
    """The same picture, with each of its channels in a plane."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(image, -1, 0)), 0, -1)


def mosaic(folder, height, width):
    """A picture of photographs, from the tiles of tests/pictures/tiles."""
    names = sorted(glob.glob(os.path.join(folder, 'tile*.ppm')))
    if not names:
        sys.exit(f'no tiles in {folder}; tests/pictures/tiles makes them')
    tiles = [cv2.cvtColor(cv2.imread(name), cv2.COLOR_BGR2RGB) for name in names]
    columns, rows = -(-width // 512), -(-height // 512)
    lines = [np.hstack([tiles[(y * columns + x) % len(tiles)] for x in range(columns)])
             for y in range(rows)]
    return np.ascontiguousarray(np.vstack(lines)[:height, :width])


def opencv(image, low, high, *, sigma=1.4, norm='l2', aperture=3, order='rgb'):
    """The edges that OpenCV finds."""
    if image.ndim == 3:
        codes = {('rgb', 3): cv2.COLOR_RGB2GRAY, ('bgr', 3): cv2.COLOR_BGR2GRAY,
                 ('rgb', 4): cv2.COLOR_RGBA2GRAY, ('bgr', 4): cv2.COLOR_BGRA2GRAY}
        image = cv2.cvtColor(np.ascontiguousarray(image), codes[order, image.shape[2]])
    if sigma:
        image = cv2.GaussianBlur(image, (0, 0), sigma)
    return cv2.Canny(image, low, high, apertureSize=aperture, L2gradient=norm == 'l2')


def floats(image, dtype):
    """The image over 255, in the same layout; 'V2' is bfloat16."""
    exact = (image / 255).astype(np.float32)
    if dtype != 'V2':
        return exact.astype(dtype)
    return (exact.view(np.uint32) + 0x8000 >> 16).astype(np.uint16).view('V2')


def check_refusals(case, refusals):
    """Fails unless each call raises its error with its message: (error, message, call)."""
    for error, message, call in refusals:
        with case.subTest(message):
            with case.assertRaises(error) as caught:
                call()
            case.assertIn(message, str(caught.exception))


def has_cuda():
    try:
        cudacanny.Detector(backend='cuda')
    except RuntimeError:
        return False
    return True


def on_each_backend(case):
    """Makes two test cases of a class: on the CPU, and on a GPU."""
    module = __import__(case.__module__)
    for backend in ('cpu', 'cuda'):
        each = type(f'{case.__name__}On{backend.capitalize()}', (case, unittest.TestCase),
                    {'backend': backend, '__module__': case.__module__})
        if backend == 'cuda' and not has_cuda():
            each = unittest.skip('no usable CUDA device')(each)
        setattr(module, each.__name__, each)
    return case
