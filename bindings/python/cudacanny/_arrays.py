# SPDX-License-Identifier: LGPL-2.1-or-later
"""The arrays of a call: where they are, their layouts, and new ones for edges."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np

from . import _native
from ._types import Array, HostArray, Layout, Order, Regions

# Devices of DLPack
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_DEFAULT_STREAM = 1  # the name of the legacy default stream in both protocols
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
        return _CUDA, self.cuda_device

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """A capsule that shares the memory, on which no work may be left."""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError('a DeviceArray shares its memory, and makes no copy on a device')
        return _native.capsule_of(_layout('array', self.__cuda_array_interface__, self, _MOST_AXES),
                                  self.cuda_device, self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> HostArray:
        if copy is False:
            raise ValueError('the host needs a copy of a DeviceArray')
        array: HostArray = np.ndarray(self.shape, self.dtype, self._memory.read(), strides=self._strides)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return (f'<cudacanny.DeviceArray of {self.dtype} and shape {self.shape} on CUDA device '
                f'{self.cuda_device}>')


class _Memory:
    """Memory with an array interface, and its owner."""

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        self.__array_interface__ = {**interface, 'version': 3}
        self._owner = owner


def _layout(name: str, interface: dict[str, Any], owner: Any, most_axes: int) -> HostArray:
    """An array with these addresses, which keeps the owner. Whether NumPy may touch the elements
    depends on where they are."""
    shape, (address, is_read_only) = interface['shape'], interface['data']
    if not 1 <= len(shape) <= most_axes:
        raise ValueError(f'{name} must have the shape (height, width), (height, width, 3) or (height, '
                         f'width, 4), but has {len(shape)} dimensions')
    try:
        dtype = np.dtype(interface['typestr'])
    except TypeError:
        dtype = np.dtype('V1')  # a type that NumPy lacks
    if 0 in shape:  # without an address
        return np.empty([min(side, _native.MAX_SIDE) for side in shape], dtype)
    if not 0 < operator.index(address) < 1 << 64:
        raise ValueError(f'{name} has the address {address}')
    return _asarray(name, _Memory({'shape': shape, 'typestr': dtype.str,
                                   'data': (address, bool(is_read_only)),
                                   'strides': interface.get('strides')}, owner))


def _asarray(name: str, value: Any) -> HostArray:
    """numpy.asarray(), whose OverflowError names neither the argument nor what is too large."""
    try:
        return np.asarray(value)
    except OverflowError:
        raise ValueError(f'{name} has a shape, strides or an address beyond 64 bits') from None


class _Argument(NamedTuple):
    """An argument."""

    name: str
    layout: HostArray
    is_on_device: bool = False
    stream: int = 0
    """For device memory: the stream that orders the work on it; 0 = none."""

    def laid_out(self, layout: HostArray) -> _Argument:
        """The argument with this layout."""
        return self if layout is self.layout else self._replace(layout=layout)

    def contiguous(self) -> _Argument:
        """A copy with the elements side by side."""
        if self.is_on_device:
            raise ValueError(f'{self.name} is in device memory, but no format of the library has its '
                             f'layout; pass a contiguous copy of it')
        return self.laid_out(np.ascontiguousarray(self.layout))

    def pixels(self, is_bgr: bool) -> _native.Pixels:
        return _native.Pixels(self.layout, is_bgr, self.is_on_device, self.stream)


def cuda_device_of(value: Any) -> int:
    """Number of the CUDA device that an array is on, -1 = none, or unknown."""
    device: tuple[int, int] = value.__dlpack_device__() if _has_dlpack(value) else (_CPU, 0)
    return device[1] if device[0] == _CUDA else -1


def _has_dlpack(value: Any) -> bool:
    return hasattr(value, '__dlpack_device__') and hasattr(value, '__dlpack__')


def _handle(stream: Any) -> int:
    """The handle of a stream, 0 for None."""
    if stream is None:
        return 0
    try:
        if hasattr(stream, '__cuda_stream__'):
            _, stream = stream.__cuda_stream__()
        handle = operator.index(stream)
    except (TypeError, ValueError):
        raise TypeError(f'stream must be an integer or have __cuda_stream__(), but is {stream!r}'
                        ) from None
    if not 0 <= handle < 1 << 64:
        raise ValueError(f'stream must be the handle of a CUDA stream, but is {handle}')
    return handle or _DEFAULT_STREAM


def _take(name: str, value: Any, stream: int, most_axes: int = 3) -> _Argument:
    """Finds the memory of an argument. `stream` is the caller's, 0 if it names none."""
    if isinstance(value, np.ndarray):
        return _Argument(name, value)
    if isinstance(value, _Argument):
        return value
    if _has_dlpack(value):
        return _take_dlpack(name, value, stream or _DEFAULT_STREAM, most_axes)
    interface = getattr(value, '__cuda_array_interface__', None)
    if interface is None:
        return _Argument(name, _asarray(name, value))
    try:
        if interface.get('mask') is not None:
            raise ValueError('it has a mask')
        stream = stream or _handle(interface.get('stream'))
        return _Argument(name, _layout(name, interface, value, most_axes), True, stream)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f'{name} has a __cuda_array_interface__ that can\'t be used: {error}') from error


def _take_dlpack(name: str, value: Any, stream: int, most_axes: int) -> _Argument:
    kind = value.__dlpack_device__()[0]
    if kind in (_CPU, _CUDA_HOST):
        capsule, is_on_device = value.__dlpack__(), False
    elif kind in (_CUDA, _CUDA_MANAGED):
        capsule, is_on_device = value.__dlpack__(stream=stream), True
    else:
        raise ValueError(f'{name} is in the memory of a device that is neither CPU nor CUDA: DLPack '
                         f'calls it {kind}')
    layout = _layout(name, _native.interface_of(capsule, name, kind), capsule, most_axes)
    return _Argument(name, layout, is_on_device, stream if is_on_device else 0)


def _check_choice(name: str, value: Any, choices: Any) -> None:
    if value not in get_args(choices):
        names = ', '.join(f'"{choice}"' for choice in get_args(choices))
        raise ValueError(f'{name} must be one of {names}, but is {value!r}')


def is_list(images: Any) -> bool:
    """Whether this is a list of images, not of the rows of one."""
    return isinstance(images, (list, tuple)) and (not images or len(np.shape(images[0])) != 1)


def take_image(image: Any, stream: Any) -> _Argument:
    """An image for call(), with its shape, which not all arrays have."""
    return _take('image', image, _handle(stream))


def _of_batch(taken: _Argument, layout: str) -> _Argument:
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
    handle = _handle(stream)
    image = _of_batch(_take('image', images, handle, _MOST_AXES), layout)
    if out is None:
        out = _new_batch(image, layout, output in ('overlay', 'masked'), cuda_device)
    to = _take_out(out, handle, _MOST_AXES)
    to = _of_batch(to, 'nhw' if to.layout.ndim == 3 else 'nhwc' if layout == 'nhw' else layout)
    if len(to.layout) != len(image.layout):
        raise ValueError(f'out must have {len(image.layout)} images, but has {len(to.layout)}')
    return (out, Batch(len(image.layout), image.layout.strides[0], to.layout.strides[0]),
            ((image.laid_out(each), to.laid_out(part)) for each, part in zip(image.layout, to.layout)))


def _new_batch(image: _Argument, layout: Layout, shows_image: bool, cuda_device: int) -> HostArray | DeviceArray:
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
    handle = _handle(stream)
    pixels = _take('image', image, handle)
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
        taken = _take('mask', mask, handle)
        taken = _readable(taken.laid_out(_bytes('mask', taken.layout)), False)
        pixels = pixels._replace(stream=_common_stream(pixels, taken))
        bytes_of_mask = taken.pixels(False)
    # ctypes takes a microsecond.
    if batch.images > 1 and (pixels.layout.ctypes.data != in_place.ctypes.data or batch.images > _native.MAX_PICTURES):
        raise NotInPlace
    return _native.Call(settings, pixels.pixels(image_is_bgr), samples.pixels(is_bgr), out, regions,
                        bytes_of_mask, None if contours_out is None else _chains(contours_out, handle), *batch)


_TYPES = 'uint8, uint16, float16, float32 or bfloat16'

# By kinds of types
_HINTS = {'f': '; image.astype(numpy.float32) converts it if white is 1',
          'i': '; numpy.clip(image, 0, 255).astype(numpy.uint8) converts it if white is 255',
          'u': '; numpy.clip(image, 0, 255).astype(numpy.uint8) converts it if white is 255'}


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


def _readable(array: _Argument, is_bgr: bool) -> _Argument:
    """The array, or a copy if no format of the library has its layout."""
    return array if _native.format_of(array.layout, is_bgr) is not None else array.contiguous()


def _bytes(name: str, array: HostArray) -> HostArray:
    """An array with a byte for each pixel, which is 0 or not."""
    if array.ndim != 2 or array.dtype not in (np.uint8, np.bool_):
        raise ValueError(f'{name} must be of bool or uint8 and have the shape (height, width), but is '
                         f'of {array.dtype} and has {array.shape}')
    return array.view(np.uint8)


def _chains(out: tuple[Array, Array], stream: int) -> _native.ChainArrays:
    """Arrays for the points of chains and for their ends."""
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError('contours_out must be two arrays, for points and for ends')
    taken = []
    for value, (name, bits, sides) in zip(out, (('points', 16, (2,)), ('ends', 32, ()))):
        name = f'contours_out, {name},'
        if not (isinstance(value, np.ndarray) or _has_dlpack(value) or hasattr(value, '__cuda_array_interface__')):
            raise TypeError(f'{name} must be an array, but is a {type(value).__name__}')
        taken.append(_take(name, value, stream))
        layout = taken[-1].layout
        if (str(layout.dtype) not in (f'uint{bits}', f'int{bits}') or layout.shape[:1] in ((), (0,)) or
                layout.shape[1:] != sides or not (layout.flags.c_contiguous and layout.flags.writeable)):
            raise ValueError(f'{name} must be contiguous, of uint{bits} and of shape (number{", 2" * len(sides)}), '
                             f'but is of {layout.dtype} and has {layout.shape}')
    if taken[0].is_on_device != taken[1].is_on_device:
        raise ValueError('contours_out must be in host memory or in device memory, not in both')
    return _native.ChainArrays(*(each.pixels(False) for each in taken))


def _common_stream(image: _Argument, mask: _Argument) -> int:
    """The stream that orders the work on both."""
    if image.stream and mask.stream and image.stream != mask.stream:
        raise ValueError('image and mask are in different streams; pass the stream that has waited for '
                         'both as stream')
    return image.stream or mask.stream


def _take_out(out: Any, stream: int, most_axes: int = 3) -> _Argument:
    taken = _take('out', out, stream, most_axes)
    if not (taken.is_on_device or isinstance(out, (np.ndarray, _Argument))):
        raise TypeError(f'out must be a numpy.ndarray or an array in device memory, but is a '
                        f'{type(out).__name__}')
    try:
        _, is_read_only = out.__cuda_array_interface__['data']  # DLPack does not say it
    except Exception:  # there is none; PyTorch before 2.5 raises KeyError for types that it can't state
        is_read_only = False
    if not taken.layout.flags.writeable or is_read_only:
        raise ValueError('out is read-only')
    return taken


def _out_samples(out: Any, stream: int) -> _Argument:
    taken = _take_out(out, stream)
    samples = pixels_of('out', taken.layout)
    if samples.dtype.kind == 'u' and samples.dtype.itemsize == 2 and samples.ndim == 3:
        raise ValueError(f'out of uint16 must have the shape (height, width), but has '
                         f'{taken.layout.shape}')
    if not samples.dtype.isnative:
        raise ValueError(f'out must have the byte order of this machine, but is of {samples.dtype}')
    return taken.laid_out(samples)


def _like_output(image: _Argument, out: _Argument, is_bgr: bool, output: Any) -> _Argument:
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


def _new_output(image: _Argument, shows_image: bool, cuda_device: int) -> HostArray | DeviceArray:
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


def _black_and_white(image: _Argument) -> _Argument:
    if image.is_on_device:
        raise ValueError('image of bool must be in host memory; 255 * image.astype(numpy.uint8) or, in PyTorch, '
                         '255 * image.to(torch.uint8) converts it')
    return image.laid_out(np.where(image.layout, np.uint8(255), np.uint8(0)))


def _four_channels(image: _Argument, is_bgr: bool) -> _Argument:
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


def _floats(image: _Argument, is_bgr: bool) -> tuple[_Argument, bool]:
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
