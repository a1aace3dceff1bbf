# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arguments and results as types."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, Union

import numpy as np

from ._settings import Backend, Settings

Order = Literal['rgb', 'bgr']
Layout = Literal['nhw', 'nhwc', 'nchw']
HostArray = np.ndarray[Any, np.dtype[Any]]


class SupportsCudaArrayInterface(Protocol):
    """An array in device memory, such as CuPy's and Numba's."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


class SupportsDLPack(Protocol):
    """An array in host or device memory, such as a tensor of PyTorch."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


Array = Union[HostArray, SupportsCudaArrayInterface, SupportsDLPack]
Regions = Union[Iterable[Sequence[int]], HostArray]


class CallArguments(Settings, total=False):
    """Keyword arguments of Detector.map()."""

    regions: Regions | None
    mask: Array | None
    order: Order
    stream: Any


class DetectArguments(CallArguments, total=False):
    """Keyword arguments of Detector.detect() but `out`."""

    contours_out: tuple[Array, Array] | None


class Arguments(CallArguments, total=False):
    """Keyword arguments of canny() but `out`."""

    layout: Layout | None
    backend: Backend
    cuda_device: int
    opencl_device: str
    threads: int


class StageTimes(NamedTuple):
    """Times of a frame's stages in nanoseconds: at least 1 for a stage that ran, otherwise 0."""

    upload: int
    """Copies to the GPU; 0 on the CPU."""
    front: int
    """Luma, blur, measured thresholds, gradient and non-maximum suppression."""
    hysteresis: int
    """Hysteresis, and the removal of edges shorter than min_length."""
    output: int
    """Writing the output."""
    download: int
    """Copies from the GPU; 0 on the CPU."""


class Result(NamedTuple):
    """Statistics of a frame. Without the setting measure_stages, the last four are 0."""

    edge_pixels: int
    """Number of edge pixels; 0 if the output is not "edges", "overlay" or "masked"."""
    low: float
    """The smaller threshold; 0 for an output that needs none."""
    high: float
    """The larger threshold; 0 for an output that needs none."""
    uploaded_bytes: int
    """Bytes of pixels copied to the GPU."""
    downloaded_bytes: int
    """Bytes of pixels copied from the GPU."""
    times: StageTimes
    strong_pixels: int
    """Number of pixels above the high threshold."""
    candidate_pixels: int
    """Number of pixels above the low threshold, strong ones included."""
    components: int
    """Number of 8-connected edges."""
