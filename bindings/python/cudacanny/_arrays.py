# SPDX-License-Identifier: LGPL-2.1-or-later
"""The arrays of a call: their types, shapes and layouts, and new ones for edges."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np

from . import _native
from ._memory import CUDA, Argument, asarray, handle_of, has_dlpack, layout_of, take
from ._types import Array, HostArray, Layout, Order, Regions

_MOST_AXES = 4  # of a batch


class DeviceArray:
    """An array in the memory of a CUDA device, with unknown contents at first.

    It offers __cuda_array_interface__ and DLPack: cupy.asarray(array), torch.from_dlpack(array) and
    numba.cuda.as_cuda_array(array) share its memory, and keep it. numpy.asarray(array) copies it to the
    host. All of these need finished work on the array, as canny(), detect() and wait() leave it.
    Allocating and freeing device memory takes long; the argument out of canny() avoids both.

    Attributes:
        shape: (height, width) or (height, width, 3 or 4), or that of a batch.
        dtype: numpy.uint8, uint16, float16 or float32, in the byte order of this machine, or 'V2' for
            bfloat16.
        cuda_device: number of the CUDA device.
    """

    def __init__(self, shape: Sequence[int], dtype: Any = np.uint8, *,
                 cuda_device: int = -1) -> None:
        """Allocates the array.

        Args:
            shape, dtype: as above, but not the shape of a batch.
            cuda_device: number of the CUDA device, -1 = the first usable one.

        Raises:
            ValueError, TypeError: the shape or the type is not one of those above.
            MemoryError: there is not enough memory on the GPU.
            RuntimeError: there is no usable GPU, or it failed.
        """
        shape = tuple(operator.index(side) for side in shape)
        dtype = np.dtype(dtype)
        pixels_of('array', np.broadcast_to(np.empty((), dtype), shape))
        if not dtype.isnative:
            raise ValueError(f'array must have the byte order of this machine, but is of {dtype}')
        self._allocate(shape, dtype, cuda_device)

    def _allocate(self, shape: tuple[int, ...], dtype: np.dtype[Any], cuda_device: int) -> None:
        self.shape, self.dtype = shape, dtype
        self._strides: tuple[int, ...] | None = None
        self._memory = _native.DeviceMemory(max(math.prod(shape) * dtype.itemsize, 1), cuda_device)

    @classmethod
    def _of_batch(cls, shape: tuple[int, ...], cuda_device: int) -> DeviceArray:
        array = cls.__new__(cls)
        array._allocate(shape, np.dtype(np.uint8), cuda_device)
        return array

    @classmethod
    def in_planes(cls, shape: Sequence[int], *, cuda_device: int = -1) -> DeviceArray:
        """An array of uint8 and shape (height, width, 3 or 4) that has each channel in a plane of its
        own."""
        if len(shape) != 3:
            raise ValueError(f'array in planes must have the shape (height, width, 3 or 4), but has '
                             f'{tuple(shape)}')
        array = cls(shape, cuda_device=cuda_device)
        height, width = array.shape[:2]
        array._strides = (width, 1, height * width)
        return array

    @property
    def cuda_device(self) -> int:
        return self._memory.cuda_device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {'version': 3, 'shape': self.shape, 'typestr': self.dtype.str,
                'data': (self._memory.address, False), 'strides': self._strides, 'stream': None}

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.cuda_device

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """A capsule that shares the memory, on which no work may be left."""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError('a DeviceArray shares its memory, and makes no copy on a device')
        return _native.capsule_of(layout_of('array', self.__cuda_array_interface__, self, _MOST_AXES),
                                  self.cuda_device, self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> HostArray:
        if copy is False:
            raise ValueError('the host needs a copy of a DeviceArray')
        array: HostArray = np.ndarray(self.shape, self.dtype, self._memory.read(), strides=self._strides)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return (f'<cudacanny.DeviceArray of {self.dtype} and shape {self.shape} on CUDA device '
                f'{self.cuda_device}>')


def _check_choice(name: str, value: Any, choices: Any) -> None:
    if value not in get_args(choices):
        names = ', '.join(f'"{choice}"' for choice in get_args(choices))
        raise ValueError(f'{name} must be one of {names}, but is {value!r}')


def is_list(images: Any) -> bool:
    """Whether this is a list of images, not of the rows of one."""
    return isinstance(images, (list, tuple)) and (not images or len(np.shape(images[0])) != 1)


def _of_batch(taken: Argument, layout: str) -> Argument:
    """A batch with the axes number, height, width and, if it has them, channels."""
    if taken.layout.ndim != len(layout):
        raise ValueError(f'{taken.name} must have the axes "{layout}", but has the shape {taken.layout.shape}')
    return taken.laid_out(np.moveaxis(taken.layout, 1, -1) if layout == 'nchw' else taken.layout)


class Batch(NamedTuple):
    """The number of images of a batch, and the bytes from one to the next."""
    images: int = 1
    image_step: int = 0
    out_step: int = 0


class NotInPlace(Exception):
    """The library can't read the images of a batch where they are, or not so many."""


def batch(images: Any, layout: Any, out: Any, stream: Any, output: str | None,
          cuda_device: int) -> tuple[Any, Batch, Iterator[tuple[Any, Any]]]:
    """The array for the edges of a batch, the batch, and its images, each with its part of the array."""
    _check_choice('layout', layout, Layout)
    handle = handle_of(stream)
    image = _of_batch(take('image', images, handle, _MOST_AXES), layout)
    if out is None:
        out = _new_batch(image, layout, output in ('overlay', 'masked'), cuda_device)
    to = _take_out(out, handle, _MOST_AXES)
    to = _of_batch(to, 'nhw' if to.layout.ndim == 3 else 'nhwc' if layout == 'nhw' else layout)
    if len(to.layout) != len(image.layout):
        raise ValueError(f'out must have {len(image.layout)} images, but has {len(to.layout)}')
    return (out, Batch(len(image.layout), image.layout.strides[0], to.layout.strides[0]),
            ((image.laid_out(each), to.laid_out(part)) for each, part in zip(image.layout, to.layout)))


def _new_batch(image: Argument, layout: Layout, shows_image: bool, cuda_device: int) -> HostArray | DeviceArray:
    if shows_image and not image.is_on_device and image.layout.size > 0:
        one = np.empty_like(_readable(image.laid_out(image.layout[0]), False).layout, np.uint8)  # planes stay planes
        out: HostArray = np.ndarray(image.layout.shape, np.uint8, strides=(one.size, *one.strides))
        return np.moveaxis(out, -1, 1) if layout == 'nchw' else out
    shape = image.layout.shape if shows_image else image.layout.shape[:3]
    if shows_image and layout == 'nchw':
        shape = shape[0], shape[3], *shape[1:3]
    return DeviceArray._of_batch(shape, cuda_device) if image.is_on_device else np.empty(shape, np.uint8)


def call(image: Array, regions: Regions | None, mask: Array | None,
         order: Order, out: Array | None, stream: Any, settings: dict[str, Any],
         cuda_device: int, batch: Batch = Batch(), contours_out: tuple[Array, Array] | None = None) -> _native.Call:
    """The call of a detector on this CUDA device, -1 = none. Of a batch, image and out are the first ones."""
    _check_choice('order', order, Order)
    is_bgr = image_is_bgr = order == 'bgr'
    handle = handle_of(stream)
    pixels = take('image', image, handle)
    pixels = pixels.laid_out(pixels_of('image', pixels.layout))
    in_place = pixels.layout
    if pixels.layout.dtype == np.bool_:
        pixels = _black_and_white(pixels)
    if pixels.is_on_device and cuda_device < 0:
        raise ValueError('image is in device memory, but the detector is not on a CUDA device')
    output = settings.get('output')
    shows_image = output in ('overlay', 'masked')
    if pixels.layout.dtype != np.uint8:
        if shows_image:
            raise ValueError(f'output "{output}" needs an image of uint8')
        if _are_floats(pixels.layout.dtype):
            pixels, image_is_bgr = _floats(pixels, is_bgr)
        elif pixels.layout.ndim == 3:
            pixels, image_is_bgr = _four_channels(pixels, is_bgr), False
    pixels = _readable(pixels, image_is_bgr)
    if out is None:
        out = _new_output(pixels, shows_image, cuda_device)
    samples = _out_samples(out, handle)
    if shows_image:
        pixels = _like_output(pixels, samples, is_bgr, output)
    bytes_of_mask = None
    if mask is not None:
        taken = take('mask', mask, handle)
        taken = _readable(taken.laid_out(_bytes('mask', taken.layout)), False)
        pixels = pixels._replace(stream=_common_stream(pixels, taken))
        bytes_of_mask = taken.pixels(False)
    # ctypes takes a microsecond.
    if batch.images > 1 and (pixels.layout.ctypes.data != in_place.ctypes.data or batch.images > _native.MAX_PICTURES):
        raise NotInPlace
    chains = None if contours_out is None else _chains(contours_out, samples.layout, handle)
    return _native.Call(settings, pixels.pixels(image_is_bgr), samples.pixels(is_bgr), out, regions, bytes_of_mask,
                        chains, *batch)


_TYPES = 'uint8, uint16, float16, float32 or bfloat16'

# By kinds of types
_HINTS = {'f': '; image.astype(numpy.float32) converts it if white is 1',
          **dict.fromkeys('iu', '; numpy.clip(image, 0, 255).astype(numpy.uint8) converts it if white is 255')}


def pixels_of(name: str, array: HostArray) -> HostArray:
    """The array without a last axis of one channel."""
    if array.dtype == object and array.ndim == 0 and array.item() is None:
        raise TypeError(f'{name} is None; cv2.imread() returns that for a file that it can\'t read')
    is_image = name == 'image'
    types = f'bool, {_TYPES}' if is_image else _TYPES
    has_floats = _are_floats(array.dtype)
    if array.dtype.kind not in 'buifc' and not has_floats:
        raise TypeError(f'{name} must be an array of {types}')
    has_integers = array.dtype.kind == 'u' and array.dtype.itemsize <= 2
    if not (has_integers or has_floats or is_image and array.dtype == np.bool_):
        hint = _HINTS.get(array.dtype.kind, '') if is_image else ''
        raise ValueError(f'{name} must be of {types}, but is of {array.dtype}{hint}')
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3, 4)):
        raise ValueError(f'{name} must have the shape (height, width), (height, width, 3) or '
                         f'(height, width, 4), but has {array.shape}')
    _check_size(name, array)
    return array[..., 0] if array.shape[2:] == (1,) else array


def _are_floats(dtype: np.dtype[Any]) -> bool:
    """Whether the library has floats of this type. NumPy has no bfloat16; ml_dtypes makes it one of the
    kind 'V', and so do arrays with DLPack."""
    return (dtype.kind == 'f' and dtype.itemsize in (2, 4) or
            dtype.kind == 'V' and dtype.itemsize == 2 and dtype.names is None)


def _check_size(name: str, array: HostArray) -> None:
    height, width = array.shape[:2]
    if not (1 <= height <= _native.MAX_SIDE and 1 <= width <= _native.MAX_SIDE):
        raise ValueError(f'{name} must have 1x1 to {_native.MAX_SIDE}x{_native.MAX_SIDE} pixels, but '
                         f'has {width}x{height}')


def _readable(array: Argument, is_bgr: bool) -> Argument:
    """The array, or a copy if no format of the library has its layout."""
    return array if _native.format_of(array.layout, is_bgr) is not None else array.contiguous()


def _bytes(name: str, array: HostArray) -> HostArray:
    """An array with a byte for each pixel, which is 0 or not."""
    if array.ndim != 2 or array.dtype not in (np.uint8, np.bool_):
        raise ValueError(f'{name} must be of bool or uint8 and have the shape (height, width), but is '
                         f'of {array.dtype} and has {array.shape}')
    return array.view(np.uint8)


def edge_map(edges: Any) -> HostArray:
    """An edge map in host memory, as a layout that the library has."""
    array = _bytes('edges', asarray('edges', edges))
    _check_size('edges', array)
    return _readable(Argument('edges', array), False).layout


def _chains(out: tuple[Array, Array], edges: HostArray, stream: int) -> _native.ChainArrays:
    """Arrays for the points of chains and for their ends, beside that for the edges."""
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError('contours_out must be two arrays, for points and for ends')
    taken = []
    for value, (name, bits, sides) in zip(out, (('points', 16, (2,)), ('ends', 32, ()))):
        name = f'contours_out, {name},'
        if not (isinstance(value, np.ndarray) or has_dlpack(value) or hasattr(value, '__cuda_array_interface__')):
            raise TypeError(f'{name} must be an array, but is a {type(value).__name__}')
        taken.append(take(name, value, stream))
        layout = taken[-1].layout
        if (str(layout.dtype) not in (f'uint{bits}', f'int{bits}') or layout.shape[:1] in ((), (0,)) or
                layout.shape[1:] != sides or not (layout.flags.c_contiguous and layout.flags.writeable)):
            raise ValueError(f'{name} must be contiguous, of uint{bits} and of shape (number{", 2" * len(sides)}), '
                             f'but is of {layout.dtype} and has {layout.shape}')
    if taken[0].is_on_device != taken[1].is_on_device:
        raise ValueError('contours_out must be in host memory or in device memory, not in both')
    points, ends = (each.layout for each in taken)
    if any(np.may_share_memory(*pair) for pair in ((points, ends), (points, edges), (ends, edges))):
        raise ValueError('contours_out has an array that overlaps the other one or out')
    return _native.ChainArrays(*(each.pixels(False) for each in taken))


def _common_stream(image: Argument, mask: Argument) -> int:
    """The stream that orders the work on both."""
    if image.stream and mask.stream and image.stream != mask.stream:
        raise ValueError('image and mask are in different streams; pass the stream that has waited for '
                         'both as stream')
    return image.stream or mask.stream


def _take_out(out: Any, stream: int, most_axes: int = 3) -> Argument:
    taken = take('out', out, stream, most_axes)
    if not (taken.is_on_device or isinstance(out, (np.ndarray, Argument))):
        raise TypeError(f'out must be a numpy.ndarray or an array in device memory, but is a '
                        f'{type(out).__name__}')
    try:
        _, is_read_only = out.__cuda_array_interface__['data']  # DLPack does not say it
    except Exception:  # there is none; PyTorch before 2.5 raises KeyError for types that it can't state
        is_read_only = False
    if not taken.layout.flags.writeable or is_read_only:
        raise ValueError('out is read-only')
    return taken


def _out_samples(out: Any, stream: int) -> Argument:
    taken = _take_out(out, stream)
    samples = pixels_of('out', taken.layout)
    if samples.dtype.kind == 'u' and samples.dtype.itemsize == 2 and samples.ndim == 3:
        raise ValueError(f'out of uint16 must have the shape (height, width), but has '
                         f'{taken.layout.shape}')
    if not samples.dtype.isnative:
        raise ValueError(f'out must have the byte order of this machine, but is of {samples.dtype}')
    return taken.laid_out(samples)


def _like_output(image: Argument, out: Argument, is_bgr: bool, output: Any) -> Argument:
    """The image in the layout of the output, which shows it."""
    if out.layout.shape != image.layout.shape:
        raise ValueError(f'output "{output}" needs an out of the shape {image.layout.shape}, but it '
                         f'has {out.layout.shape}')
    has_same_format = (_native.format_of(out.layout, is_bgr) ==
                       _native.format_of(image.layout, is_bgr))
    if image.is_on_device and not has_same_format:
        raise ValueError(f'output "{output}" of an image in device memory needs an out with its layout: '
                         f'planes or not, and the same order of channels')
    return image if has_same_format else image.contiguous()


def _new_output(image: Argument, shows_image: bool, cuda_device: int) -> HostArray | DeviceArray:
    layout = image.layout
    is_colored = shows_image and layout.ndim == 3
    if image.is_on_device:
        if is_colored and abs(layout.strides[2]) != 1:
            return DeviceArray.in_planes(layout.shape, cuda_device=cuda_device)
        return DeviceArray(layout.shape if shows_image else layout.shape[:2],
                           cuda_device=cuda_device)
    if not shows_image:
        return np.empty(layout.shape[:2], np.uint8)
    out = np.empty_like(layout, subok=False)  # planes stay planes
    is_reversed = is_colored and layout.strides[2] < 0
    return out[..., ::-1] if is_reversed else out


def _black_and_white(image: Argument) -> Argument:
    if image.is_on_device:
        raise ValueError('image of bool must be in host memory; 255 * image.astype(numpy.uint8) or, in PyTorch, '
                         '255 * image.to(torch.uint8) converts it')
    return image.laid_out(np.where(image.layout, np.uint8(255), np.uint8(0)))


def _four_channels(image: Argument, is_bgr: bool) -> Argument:
    """The only order of 16-bit colors that the library has, red first and four channels."""
    layout = image.layout
    if layout.shape[2] == 4 and not is_bgr and layout.dtype == np.dtype('<u2'):
        return image
    if image.is_on_device:
        raise ValueError('image of uint16 in device memory must be gray, or have four channels in the '
                         'order "rgb" and little-endian samples')
    copy = np.zeros((*layout.shape[:2], 4), '<u2')
    copy[..., :3] = layout[..., 2::-1] if is_bgr else layout[..., :3]
    return image.laid_out(copy)


def _floats(image: Argument, is_bgr: bool) -> tuple[Argument, bool]:
    """The image in an order that the library has, and whether this is "bgr": three channels, red first
    if they are side by side, in the byte order of this machine."""
    layout = image.layout[..., :3] if image.layout.ndim == 3 else image.layout
    if _native.format_of(layout, is_bgr) is not None:
        return image.laid_out(layout), is_bgr
    if image.is_on_device:
        raise ValueError('image of floats in device memory must be gray, in planes, or have three channels '
                         'side by side in the order "rgb"')
    if is_bgr and layout.ndim == 3:
        layout = layout[..., ::-1]
    native = layout.dtype.newbyteorder('=') if layout.dtype.kind == 'f' else layout.dtype
    return image.laid_out(np.ascontiguousarray(layout, native)), False
