# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the elements of an array are: one of NumPy, or one that another library offers through DLPack or
__cuda_array_interface__."""
from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._types import HostArray

# Devices of DLPack
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_DEFAULT_STREAM = 1  # the name of the legacy default stream in both protocols


class _Memory:
    """Memory with an array interface, and its owner."""

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        self.__array_interface__ = {**interface, 'version': 3}
        self._owner = owner


def layout_of(name: str, interface: dict[str, Any], owner: Any, most_axes: int) -> HostArray:
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
    return asarray(name, _Memory({'shape': shape, 'typestr': dtype.str,
                                  'data': (address, bool(is_read_only)),
                                  'strides': interface.get('strides')}, owner))


def asarray(name: str, value: Any) -> HostArray:
    """numpy.asarray(), whose OverflowError names neither the argument nor what is too large."""
    try:
        return np.asarray(value)
    except OverflowError:
        raise ValueError(f'{name} has a shape, strides or an address beyond 64 bits') from None


class Argument(NamedTuple):
    """An array, by the name of its parameter."""

    name: str
    layout: HostArray
    is_on_device: bool = False
    stream: int = 0
    """For device memory: the stream that orders the work on it; 0 = none."""

    def laid_out(self, layout: HostArray) -> Argument:
        """The argument with this layout."""
        return self if layout is self.layout else self._replace(layout=layout)

    def contiguous(self) -> Argument:
        """A copy with the elements side by side."""
        if self.is_on_device:
            raise ValueError(f'{self.name} is in device memory, but no format of the library has its '
                             f'layout; pass a contiguous copy of it')
        return self.laid_out(np.ascontiguousarray(self.layout))

    def pixels(self, is_bgr: bool) -> _native.Pixels:
        return _native.Pixels(self.layout, is_bgr, self.is_on_device, self.stream)


def cuda_device_of(value: Any) -> int:
    """Number of the CUDA device that an array is on, -1 = none, or unknown."""
    device: tuple[int, int] = value.__dlpack_device__() if has_dlpack(value) else (CPU, 0)
    return device[1] if device[0] == CUDA else -1


def has_dlpack(value: Any) -> bool:
    return hasattr(value, '__dlpack_device__') and hasattr(value, '__dlpack__')


def handle_of(stream: Any) -> int:
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


def take(name: str, value: Any, stream: int, most_axes: int = 3) -> Argument:
    """Finds the memory of an argument. `stream` is the caller's, 0 if it names none."""
    if isinstance(value, np.ndarray):
        return Argument(name, value)
    if isinstance(value, Argument):
        return value
    if has_dlpack(value):
        return _take_dlpack(name, value, stream or _DEFAULT_STREAM, most_axes)
    interface = getattr(value, '__cuda_array_interface__', None)
    if interface is None:
        return Argument(name, asarray(name, value))
    try:
        if interface.get('mask') is not None:
            raise ValueError('it has a mask')
        stream = stream or handle_of(interface.get('stream'))
        return Argument(name, layout_of(name, interface, value, most_axes), True, stream)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f'{name} has a __cuda_array_interface__ that can\'t be used: {error}') from error


def _take_dlpack(name: str, value: Any, stream: int, most_axes: int) -> Argument:
    kind = value.__dlpack_device__()[0]
    if kind in (CPU, CUDA_HOST):
        capsule, is_on_device = value.__dlpack__(), False
    elif kind in (CUDA, CUDA_MANAGED):
        capsule, is_on_device = value.__dlpack__(stream=stream), True
    else:
        raise ValueError(f'{name} is in the memory of a device that is neither CPU nor CUDA: DLPack '
                         f'calls it {kind}')
    layout = layout_of(name, _native.interface_of(capsule, name, kind), capsule, most_axes)
    return Argument(name, layout, is_on_device, stream if is_on_device else 0)
