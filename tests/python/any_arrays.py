# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays of any shape, type and layout: results are those of a contiguous copy, or both are refused.

CANNY_TEST_EXAMPLES sets the number of other examples for each test, instead of the same 300 ones.
"""
import os
import unittest

import numpy as np
from hypothesis import HealthCheck, assume, given, settings, strategies as st

import cudacanny

EXAMPLES = os.environ.get('CANNY_TEST_EXAMPLES')
SETTINGS = settings(max_examples=int(EXAMPLES or 300), derandomize=EXAMPLES is None, database=None, deadline=None,
                    suppress_health_check=list(HealthCheck))
USUAL = ['?', 'u1', '<u2', '>u2', '<f2', '>f2', '<f4', '>f4', 'V2']
OTHERS = ['b', '<i2', '<i4', '<u8', '<f8', 'V3', 'V4', 'c8', 'O', 'S2', 'M8[s]', [('r', 'u1'), ('g', 'u1')]]
SIDES = st.one_of(st.integers(1, 9), st.integers(0, 40))
COLORS = st.sampled_from([(), (3,), (4,)])
STEPS = st.sampled_from([1, 1, 1, 1, -1, 2, -2, 3, 0])


def bytes_of(number, seed):
    return np.random.default_rng(seed).integers(0, 256, number, 'u1')


@st.composite
def views(draw, shape, dtype):
    """(array, the block of bytes that it is in): axes in any order, reversed, with gaps, or repeated."""
    dtype = np.dtype(dtype)
    order = draw(st.permutations(range(len(shape)))) if draw(st.booleans()) else range(len(shape))
    steps = [draw(STEPS) for _ in shape]
    sides = [side * abs(step) or 1 for side, step in zip(shape, steps)]
    sizes = [sides[axis] for axis in order]
    shift, seed = draw(st.integers(0, 3)), draw(st.integers(0, 99))
    if dtype.hasobject:
        return np.full(shape, seed, dtype), None
    block = bytes_of(int(np.prod(sizes)) * dtype.itemsize + shift, seed)
    if dtype == '?':
        block &= 1
    array = np.ndarray(sizes, dtype, block[shift:]).transpose(np.argsort(order))
    array = array[tuple(slice(None, None, step or None) for step in steps)]
    return np.broadcast_to(array, shape) if 0 in steps else array, block


def read_only(array):
    array = array.view()
    array.flags.writeable = False
    return array


def by(*protocols):
    """An object of another library, with these members of the array."""
    return lambda array: type('Foreign', (), {name: property(lambda self, name=name: getattr(array, name))
                                              for name in protocols})()


WRAPPERS = [lambda array: array, read_only, np.ma.masked_array, lambda array: np.ma.masked_array(array, True), memoryview,
            lambda array: array.view(np.recarray), by('__array__'), by('__array_interface__'), by('__array_struct__'),
            by('__dlpack__', '__dlpack_device__')]


@st.composite
def images(draw, shape=None, dtypes=st.one_of(st.sampled_from(USUAL), st.sampled_from(USUAL + OTHERS))):
    """(an array, usually with the shape of an image, or an object that offers one; a contiguous copy)"""
    shape = shape or draw(st.one_of(st.builds(tuple.__add__, st.tuples(SIDES, SIDES), COLORS),
                                    st.lists(st.integers(0, 5), max_size=5).map(tuple)))
    array, _ = draw(views(shape, draw(dtypes)))
    try:
        return draw(st.sampled_from(WRAPPERS))(array), np.ascontiguousarray(array)
    except (BufferError, TypeError, ValueError):
        assume(False)  # NumPy has no such object
        raise


def outcome(call, *arguments, **options):
    """The result, or None of what is refused."""
    try:
        return call(*arguments, **options)
    except (TypeError, ValueError) as error:
        assert str(error), 'an error without a message'
    except BufferError as error:  # NumPy's, for what DLPack lacks
        assert 'DLPack' in str(error), error
    return None


def may_lack_type(image):
    """Whether the array comes by a protocol that lacks some types."""
    return isinstance(image, memoryview) or hasattr(image, '__dlpack__') and not isinstance(image, np.ndarray)


CHOICES = {'order': ['rgb', 'bgr'], 'output': ['edges', 'overlay', 'masked', 'luma', 'direction'], 'sigma': [0, 1.4],
           'color_mode': ['luma', 'largest-channel'], 'low': [0, 20]}
OPTIONS = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in CHOICES.items()})
canny = cudacanny.canny


class AnyArrays(unittest.TestCase):
    def compare(self, actual, expected, may_be_refused=False):
        if actual is None and may_be_refused:
            return
        self.assertEqual(actual is None, expected is None)
        if isinstance(expected, list):
            self.assertEqual(actual, expected)
        elif expected is not None:
            np.testing.assert_array_equal(actual, expected)

    @SETTINGS
    @given(images(), OPTIONS)
    def test_images(self, image, options):
        given_image, copy = image
        before = copy.tobytes()
        self.compare(outcome(canny, given_image, **options), outcome(canny, copy, **options),
                     may_lack_type(given_image))
        self.assertEqual(np.asarray(given_image).tobytes() if hasattr(given_image, '__array__') else before, before)

    @SETTINGS
    @given(st.data(), st.tuples(SIDES, SIDES), OPTIONS)
    def test_masks(self, data, shape, options):
        image = bytes_of(shape + (3,), 1)
        mask, copy = data.draw(images(shape, st.sampled_from(['?', 'u1', 'b', '<u2'])))
        self.compare(outcome(canny, image, mask=mask, **options), outcome(canny, image, mask=copy, **options),
                     may_lack_type(mask))

    @SETTINGS
    @given(st.data(), st.tuples(SIDES, SIDES), COLORS, OPTIONS)
    def test_outputs(self, data, shape, colors, options):
        """Pixels are those of a contiguous output, and no byte beside them changes."""
        image = bytes_of(shape + data.draw(COLORS), 1)
        out, block = data.draw(views(shape + colors, data.draw(st.sampled_from(USUAL))))
        copy, before, whole = np.zeros(out.shape, out.dtype), out.copy(), block.tobytes()
        expected = outcome(canny, image, out=copy, **options)
        actual = outcome(canny, image, out=out, **options)
        if actual is None or expected is None:  # the library has floats in the order "bgr" in planes alone
            return
        self.assertIs(actual, out)
        self.compare(actual, expected)
        out[...] = before
        self.assertEqual(block.tobytes(), whole)

    @SETTINGS
    @given(images(dtypes=st.sampled_from(['?', 'u1', 'b', '<u2'])))
    def test_contours(self, edges):
        actual, expected = (outcome(cudacanny.contours, each) for each in edges)
        self.compare(*((None if each is None else [chain.tolist() for chain in each]) for each in (actual, expected)),
                     may_lack_type(edges[0]))

    @SETTINGS
    @given(st.data(), st.integers(1, 4), st.tuples(SIDES, SIDES), st.sampled_from(['nhw', 'nhwc', 'nchw']), OPTIONS)
    def test_batches(self, data, number, shape, layout, options):
        """A batch has what each of its images has alone."""
        axes = {'n': (number,), 'h': shape[:1], 'w': shape[1:], 'c': (data.draw(st.sampled_from([3, 4])),)}
        batch, _ = data.draw(views(sum((axes[axis] for axis in layout), ()), data.draw(st.sampled_from(USUAL))))
        images_alone = np.moveaxis(batch, 1, -1) if layout == 'nchw' else batch
        alone = [outcome(canny, np.ascontiguousarray(each), **options) for each in images_alone]
        together = outcome(canny, batch, layout=layout, **options)
        if together is not None and layout == 'nchw' and together.ndim == 4:
            together = np.moveaxis(together, 1, -1)
        self.compare(together, None if any(each is None for each in alone) else np.array(alone))
