# SPDX-License-Identifier: LGPL-2.1-or-later
"""Canny edge detection of arrays, on a GPU (CUDA or OpenCL) or on the CPU.

    import cudacanny
    edges = cudacanny.canny(image, low=50, high=150)

canny() finds the edges of one image. A Detector finds those of a video's frames: it can have several
frames in flight, counts the edge pixels of each, and measures how long the stages of each took.

Arrays may be NumPy's or, without any copy, those of CuPy, PyTorch, Numba and others in the memory of a
CUDA device. An image in device memory gives edges in device memory, in a DeviceArray.

GPU, CPU and OpenCV give the same bytes: canny(image, low, high) is cv2.Canny(blurred, low, high,
L2gradient=True), where blurred is cv2.GaussianBlur(gray, (0, 0), 1.4) of the gray image.
"""
from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

import numpy as np

from . import _arrays, _memory, _native
from ._arrays import DeviceArray
from ._contours import contours, is_closed
from ._settings import Backend, Settings
from ._types import (Arguments, Array, CallArguments, DetectArguments, HostArray, Layout, Order, Regions, Result,
                     StageTimes, SupportsCudaArrayInterface, SupportsDLPack)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ['Canny', 'Detector', 'DeviceArray', 'Result', 'StageTimes', 'canny', 'contours', 'is_closed']
__version__: str = _native.VERSION

_Out = TypeVar('_Out', bound=Array)


@overload
def canny(image: HostArray, low: float | None = ..., high: float | None = ..., *,
          out: None = ..., **arguments: Unpack[Arguments]) -> NDArray[np.uint8]: ...
@overload
def canny(image: DeviceArray, low: float | None = ..., high: float | None = ..., *,
          out: None = ..., **arguments: Unpack[Arguments]) -> DeviceArray: ...
@overload
def canny(image: SupportsDLPack, low: float | None = ..., high: float | None = ..., *,
          out: None = ..., **arguments: Unpack[Arguments]) -> Any: ...
@overload
def canny(image: SupportsCudaArrayInterface, low: float | None = ..., high: float | None = ..., *,
          out: None = ..., **arguments: Unpack[Arguments]) -> DeviceArray: ...
@overload
def canny(image: Sequence[HostArray], low: float | None = ..., high: float | None = ..., *,
          out: None = ..., **arguments: Unpack[Arguments]) -> list[NDArray[np.uint8]]: ...
@overload
def canny(image: Sequence[Array], low: float | None = ..., high: float | None = ..., *,
          out: Iterable[Array] | None = ..., **arguments: Unpack[Arguments]) -> list[Any]: ...
@overload
def canny(image: Array, low: float | None = ..., high: float | None = ..., *,
          out: _Out, **arguments: Unpack[Arguments]) -> _Out: ...
def canny(
    image: Array | Sequence[Array],
    low: float | None = None,
    high: float | None = None,
    *,
    regions: Regions | None = None,
    mask: Array | None = None,
    order: Order = 'rgb',
    layout: Layout | None = None,
    out: Array | Iterable[Array] | None = None,
    stream: Any = None,
    backend: Backend = 'auto',
    cuda_device: int = -1,
    opencl_device: str = '',
    threads: int = 0,
    **settings: Unpack[Settings],
) -> Any:
    """Returns the edges of an image: 255 on edges, 0 elsewhere.

    Each thread keeps the memory of its last image, for up to four choices of backend, device and threads:
    another image of the same size allocates memory only for its edges, and none with out. Several threads
    can call the function at the same time.

    Thresholds have the unit of 8-bit images, for all types. If low is above high, the two are swapped.

    Args:
        image: array of bool, uint8, uint16, float16, float32 or bfloat16 of shape (height, width),
            (height, width, 3) or (height, width, 4), of 1x1 to 16384x16384 pixels. White is True for
            bool and 1 for floats; those outside 0 to 1 count as the nearer of both, NaN as 0. A fourth
            channel is ignored. Rows of any stride are read in place, also with three channels in
            reverse order or in planes, such as those of numpy.moveaxis(planes, 0, -1). Other layouts
            are copied first, as are bool, most colors of uint16, and floats with channels in reverse
            order or a fourth one; in device memory they are refused.
        low: Gradient magnitude that every edge pixel exceeds; unless set, a third of the high threshold,
            or the operator's default. 0 to 1000000; default 50.
        high: Gradient magnitude that a pixel of every edge exceeds; unless set, 3 times the low
            threshold, or the operator's default. 0 to 1000000; default 150.
        threshold_mode: Source of the thresholds: two numbers (absolute), or a measurement in each frame.
            "absolute" | "relative" | "quantile" | "otsu" | "median"; default "absolute".
        high_ratio: Factor for measured thresholds; 0 = relative 0.2, quantile 0.7, otsu 1, median 1.33.
            0 to 16; default 0.
        low_ratio: Ratio of the low to the high measured threshold; 0 = relative 0.25, quantile 0.4, otsu
            and median 0.5. 0 to 1; default 0.
        sigma: Standard deviation of the Gaussian blur in pixels; 0 = no blur. 0 to 20; default 1.4.
        color_mode: Whether the gradient is that of the luma, or the largest one of red, green and blue.
            "luma" | "largest-channel"; default "luma".
        luma_depth: Bits that count in input of more than 8 bits: all of them, or the highest 8. "full" |
            "8"; default "full".
        operator: Operator that computes the gradient; it sets the unit and the defaults of the
            thresholds. "sobel" | "sobel-5" | "sobel-7" | "scharr" | "prewitt" | "kroon" | "roberts" |
            "robinson" | "kirsch"; default "sobel".
        norm: Norm of the gradient: root of the sum of squares (l2) or sum of absolute values (l1). "l1"
            | "l2"; default "l2".
        thin_edges: Whether non-maximum suppression thins the edges. Default True.
        hysteresis_passes: Passes in which edges grow within tiles of 32x32 pixels; 0 = until nothing
            changes. 0 to 64; default 0.
        min_length: Connected pixels below which an edge is removed; 0 = keep all edges. 0 to 65535;
            default 0.
        output: Contents of the output: edges, the input with them (overlay) or only there (masked), or a
            stage. "edges" | "overlay" | "masked" | "gradient" | "suppressed" | "direction" | "classes" |
            "passes" | "luma" | "blurred"; default "edges".
        edge_color: Color of edges in an overlay: 0xAARRGGBB; an alpha of 0xff covers the input. Also a
            text such as "orange" or "#ff8000", or a tuple (red, green, blue). 0 to 4294967295; default
            0xffff0000.
        measure_stages: Whether the times of the stages and numbers of pixels are measured, which takes
            time. Default False.
        regions: rectangles (x, y, width, height) in pixels; only pixels in one of them may be edges.
            Default: the whole image.
        mask: instead of regions, an array of bool or uint8 of shape (height, width); only pixels
            where it is not 0 may be edges.
        order: order of the channels of image and out, "rgb" or, as in OpenCV, "bgr".
        layout: axes of a batch of images in one array: "nhw", "nhwc" or "nchw", for number, height,
            width and channels. Default: one image, or a list of images of any sizes. Regions and the
            mask hold for each image.
        out: array to write to, which must not overlap the image: any type of an image of shape (height,
            width), uint8 of shape (height, width, 3 or 4), or floats of shape (height, width, 3). Edges
            are 1 in floats. With channels, "direction" and "passes" are in color. "overlay" and
            "masked" need the image's shape, and planes if the image has planes. Default: a new array, for
            "overlay" and "masked" like the image, otherwise uint8 of shape (height, width): a DeviceArray
            if the image is in device memory, else a numpy.ndarray. An image in device memory with channels
            in reverse order has no default for "overlay" and "masked". For a list of images, an array for each.
        stream: for arrays in device memory, the CUDA stream in which they are used: a handle, 0 or 1 for
            the legacy default stream, or an object with __cuda_stream__(). The device begins after the
            work in this stream, and later work in it finds the edges complete. Default: the stream
            that an array states, for DLPack the legacy default stream.
        backend: "auto": a usable GPU, else the CPU; "cuda", "opencl" or "cpu".
        cuda_device: number of the CUDA device, -1 = that of an image with DLPack, or the first usable
            one.
        opencl_device: number of the OpenCL device in the order of clinfo -l, or a part of its name;
            '' = the first GPU.
        threads: threads of the CPU backend, 0 to 1024; 0 = one for each core.

    Returns:
        out, or the new array. A batch gives an array of shape (number, height, width), or of the
        batch's shape for "overlay" and "masked"; a list of images gives a list. After an error, the
        contents of out are undefined.

    Raises:
        ValueError: an argument is out of range, or an array has another type, shape or layout.
        BufferError: an array of another library does not share its memory.
        TypeError: an argument is of another type.
        MemoryError: there is not enough memory on the host or the GPU.
        RuntimeError: backend="cuda" or "opencl" without a usable device, or a device that failed.

    Source:
        J. Canny, "A computational approach to edge detection", PAMI 1986; hysteresis in passes: Luo
        and Duraiswami, "Canny edge detection on NVIDIA CUDA", CVPRW 2008.
    """
    images: Any = image
    outs: Any = out
    regions = _repeatable(regions)
    arguments: Any = {'regions': regions, 'mask': mask, 'order': order, 'stream': stream, **settings}
    is_list = layout is None and _arrays.is_list(images)
    if cuda_device == -1:
        cuda_device = _memory.cuda_device_of(images[0] if is_list and images else images)
    detector = _detector(backend=backend, cuda_device=cuda_device, opencl_device=opencl_device, threads=threads,
                         frames_in_flight=8 if is_list else 1)
    try:
        if is_list:
            outs = [None] * len(images) if out is None else out
            if not hasattr(outs, '__iter__') or len(outs := list(outs)) != len(images):
                raise ValueError(f'out must have an array for each of the {len(images)} images')
            return list(detector._in_turn(zip(images, outs), low, high, **arguments))
        if layout is None:
            return detector.detect(images, low, high, out=outs, **arguments)
        whole, batch, pairs = _arrays.batch(images, layout, out, stream, settings.get('output'),
                                            detector._cuda_device)
        for each, to in pairs:
            if batch.images > 1:
                try:
                    detector._native.detect(_arrays.call(each, regions, mask, order, to, stream,
                                                         {'low': low, 'high': high, **settings},
                                                         detector._cuda_device, batch))
                    break
                except _arrays.NotInPlace:
                    batch = _arrays.Batch()
            detector.detect(each, low, high, out=to, **arguments)
        return whole
    except BaseException as error:
        if isinstance(error, RuntimeError) or detector.in_flight:  # a device that failed, or an interrupt
            _kept.detector.cache_clear()  # the next call starts again
        raise


def Canny(image: Array, threshold1: float, threshold2: float, edges: HostArray | None = None,
          apertureSize: int = 3, L2gradient: bool = False) -> NDArray[np.uint8]:
    """Returns the edges that cv2.Canny() finds, with its arguments: a replacement without a blur.

    Args:
        image: array of uint8 of shape (height, width) or, in the order of OpenCV, (height, width, 3), in host
            memory.
        threshold1, threshold2: the two thresholds, in any order.
        edges: array for the edges, used only if it is of uint8 and has the shape (height, width); also the image.
        apertureSize: side of the Sobel operator: 3, 5 or 7.
        L2gradient: True for magnitudes that are roots of sums of squares, False for sums of absolute values.

    Returns:
        edges, or a new array: 255 on edges, 0 elsewhere.

    Raises:
        As canny(), and TypeError for gradients in place of an image.
    """
    if np.ndim(threshold1) or np.ndim(threshold2):
        raise TypeError('Canny() takes an image, not its gradients: Canny(image, threshold1, threshold2)')
    if apertureSize not in _OPERATORS:
        raise ValueError(f'apertureSize must be 3, 5 or 7, but is {apertureSize!r}')
    image = _arrays.pixels_of('image', np.asarray(image))
    if image.dtype != np.uint8 or image.shape[2:] not in ((), (3,)):
        raise ValueError(f'image must be of uint8 and have 1 or 3 channels, but is of {image.dtype} and has the '
                         f'shape {image.shape}')
    is_out = isinstance(edges, np.ndarray) and edges.dtype == np.uint8 and edges.shape == image.shape[:2]
    if is_out and np.may_share_memory(image, edges):
        image = image.copy()
    low, high = (min(max(threshold, 0), _native.MAX_THRESHOLD) for threshold in (threshold1, threshold2))
    settings: Settings = {'sigma': 0, 'color_mode': 'largest-channel', 'operator': _OPERATORS[apertureSize],
                          'norm': 'l2' if L2gradient else 'l1'}
    return canny(image, low, high, out=edges if is_out else None, order='bgr', **settings)


_OPERATORS: dict[int, Any] = {3: 'sobel', 5: 'sobel-5', 7: 'sobel-7'}


class Detector:
    """Finds edges in one frame after another, and keeps its memory between frames of one size.

        with cudacanny.Detector(frames_in_flight=3) as detector:
            for edges in detector.map(images, low=50, high=150):
                show(edges)

    map() calls submit() and wait(). One thread may call submit() while another calls wait(); other calls take turns.
    """

    contours: list[NDArray[np.int32]] | tuple[int, int] | None = None
    """Chains of points, as contours() returns them, of the last frame that detect() or wait() returned in any
    thread; with contours_out, how many points and chains these arrays got. None unless the argument contours is
    set. Frames whose output is not "edges", "overlay" or "masked" have no chains."""
    contour_positions: list[NDArray[np.float64]] | None = None
    """Likewise, where the edge is at each point of contours: columns and rows of float64, in 1/256 pixel; None unless
    the argument contour_precision is set too."""
    components: NDArray[np.void] | None = None
    """Components, likewise: an array with the fields x, y, width, height (of the box), pixels, strong_pixels, sum_x
    and sum_y (of the pixels' columns and rows). docs/reference/edge-map.md defines them."""
    _numbers: tuple[Any, ...] | None = None

    def __init__(self, *, backend: Backend = 'auto', cuda_device: int = -1, opencl_device: str = '',
                 threads: int = 0, frames_in_flight: int = 1, contours: int = 0, contour_precision: bool = False,
                 components: int = 0) -> None:
        """Starts a backend.

        Args:
            backend: "auto": a usable GPU, else the CPU, which also takes over if the GPU fails;
                "cuda", "opencl" or "cpu".
            cuda_device: number of the CUDA device, -1 = the first usable one.
            opencl_device: as in canny().
            threads: threads of the CPU backend, contours and components, 0 to 1024; 0 = one for each core.
            frames_in_flight: maximum number of frames between submit() and wait(), 1 to 8.
            contours, components: fewest points of the chains, and pixels of the components, in the
                attributes of these names; 0 = none. On a GPU, they need no copy of the output to the
                host. Of more than 65536 components, there are the first, with a RuntimeWarning.
            contour_precision: True fills in contour_positions. The CPU finds them, also for a GPU.

        Raises:
            ValueError, TypeError, MemoryError, RuntimeError: as in canny().
        """
        self._native = _native.Detector(backend, cuda_device, opencl_device, threads,
                                         frames_in_flight, contours, contour_precision, components)
        self._frames_in_flight = frames_in_flight
        self._cuda_device = self.cuda_device

    @overload
    def detect(self, image: HostArray, low: float | None = ..., high: float | None = ..., *,
               out: None = ..., **arguments: Unpack[DetectArguments]) -> NDArray[np.uint8]: ...
    @overload
    def detect(self, image: DeviceArray, low: float | None = ..., high: float | None = ..., *,
               out: None = ..., **arguments: Unpack[DetectArguments]) -> DeviceArray: ...
    @overload
    def detect(self, image: SupportsDLPack, low: float | None = ..., high: float | None = ..., *,
               out: None = ..., **arguments: Unpack[DetectArguments]) -> Any: ...
    @overload
    def detect(self, image: SupportsCudaArrayInterface, low: float | None = ..., high: float | None = ..., *,
               out: None = ..., **arguments: Unpack[DetectArguments]) -> DeviceArray: ...
    @overload
    def detect(self, image: Array, low: float | None = ..., high: float | None = ..., *,
               out: _Out, **arguments: Unpack[DetectArguments]) -> _Out: ...
    def detect(self, image: Array, low: float | None = None, high: float | None = None, *,
               regions: Regions | None = None,
               mask: Array | None = None, order: Order = 'rgb', out: Array | None = None,
               stream: Any = None, contours_out: tuple[Array, Array] | None = None,
               **settings: Unpack[Settings]) -> Any:
        """Returns the edges of an image. No frame may be in flight.

        Args:
            image, low, high, regions, mask, order, out, stream: as in canny().
            contours_out: arrays for the chains, in place of new ones, both in host memory or both in memory of the
                CUDA device: uint16 of shape (number, 2) for all points, one chain after the other, and uint32 of
                shape (number,) for the number of points up to the end of each chain. Signed types will do. They must
                not overlap each other or out. What has no room is left out, with a RuntimeWarning. No work on the
                arrays may be left, and they are complete when the edges are returned. Not with contour_precision.
            settings: those of canny(). measure_stages fills in all times and counts of result.

        Raises:
            RuntimeError: frames are in flight; and as in canny().
        """
        call = _arrays.call(image, regions, mask, order, out, stream,
                            {'low': low, 'high': high, **settings}, self._cuda_device, contours_out=contours_out)
        return self._keep(*self._native.detect(call))

    def submit(self, image: Array, low: float | None = None, high: float | None = None, *,
               regions: Regions | None = None,
               mask: Array | None = None, order: Order = 'rgb', out: Array | None = None,
               stream: Any = None, contours_out: tuple[Array, Array] | None = None,
               **settings: Unpack[Settings]) -> None:
        """Puts an image in flight, with arguments as in detect(), and returns.

        A GPU starts on the image at once, the CPU in wait(). The detector keeps the arrays. Do not
        touch their contents until wait() has returned the edges; only work in the stream of an out in
        device memory may read that array earlier.

        Raises:
            RuntimeError: frames_in_flight images are in flight, or some of another size; and as in
                canny().
        """
        self._native.submit(_arrays.call(image, regions, mask, order, out, stream,
                                         {'low': low, 'high': high, **settings}, self._cuda_device,
                                         contours_out=contours_out))

    def wait(self) -> Any:
        """Waits for the oldest image in flight and returns its edges.

        Raises:
            RuntimeError: no image is in flight, or the device failed.
            MemoryError: there is not enough memory on the host or the GPU.
        """
        return self._keep(*self._native.wait())

    @overload
    def map(self, images: Iterable[HostArray], low: float | None = ..., high: float | None = ...,
            **arguments: Unpack[CallArguments]) -> Iterator[NDArray[np.uint8]]: ...
    @overload
    def map(self, images: Iterable[Array], low: float | None = ..., high: float | None = ...,
            **arguments: Unpack[CallArguments]) -> Iterator[Any]: ...
    def map(self, images: Iterable[Array], low: float | None = None, high: float | None = None,
            **arguments: Any) -> Iterator[Any]:
        """Yields the edges of images, in their order, with frames_in_flight of them in flight.

        After each yield, result, contours and components are those of the same image. map() takes the next image
        from `images` before it waits for those in flight. An image of another size is submitted when
        none is in flight.

        Args:
            images: the images, each as in canny().
            low, high, arguments: as in detect(), for all images, but without out.

        Raises:
            As in detect().
        """
        for name in ('out', 'contours_out'):
            if name in arguments:
                raise TypeError(f'map() has no argument {name}; use submit() and wait()')
        if self.in_flight:
            raise RuntimeError('map() with frames in flight')
        arguments['regions'] = _repeatable(arguments.get('regions'))
        return self._in_turn(((image, None) for image in images), low, high, **arguments)

    def _in_turn(self, pairs: Iterable[tuple[Any, Any]], *thresholds: float | None,
                 **arguments: Any) -> Iterator[Any]:
        """Yields the edges of images, each of which comes with its out."""
        size = None
        try:
            for image, out in pairs:
                image = _memory.take('image', image, _memory.handle_of(arguments.get('stream')))
                new_size = image.layout.shape[:2]
                while self.in_flight and (self.in_flight == self._frames_in_flight or new_size != size):
                    yield self.wait()
                size = new_size
                self.submit(image, *thresholds, out=out, **arguments)
            while self.in_flight:
                yield self.wait()
        finally:
            while self.in_flight:
                with contextlib.suppress(MemoryError, RuntimeError):
                    self.wait()

    def close(self) -> None:
        """Waits for the images in flight, drops their edges and frees the memory. Afterwards, all calls but
        close() raise RuntimeError. A with statement calls close()."""
        self._native.close()

    def __enter__(self) -> Detector:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keep(self, edges: Any, *rest: Any) -> Any:
        self._numbers, self.contours, self.contour_positions, self.components = rest
        return edges

    @property
    def result(self) -> Result | None:
        """Statistics of the last frame that detect() or wait() returned in any thread; None before the first."""
        if self._numbers is None:
            return None
        result = Result(*self._numbers)
        return result._replace(times=StageTimes(*result.times))

    @property
    def in_flight(self) -> int:
        """Number of images in flight."""
        return self._native.in_flight()

    @property
    def backend(self) -> str:
        """The backend in use, "cuda", "opencl" or "cpu"."""
        return self._native.info()[0]

    @property
    def device(self) -> str:
        """Name of the device."""
        return self._native.info()[1]

    @property
    def reason(self) -> str:
        """Why this backend was chosen."""
        return self._native.info()[2]

    @property
    def cuda_device(self) -> int:
        """Number of the CUDA device, -1 on the other backends."""
        return self._native.info()[3]

    @property
    def threads(self) -> int:
        """Largest number of threads for an image, 0 on a device."""
        return self._native.info()[4]

    def __repr__(self) -> str:
        try:
            return f'<cudacanny.Detector on {self.backend}: {self.device}>'
        except RuntimeError:
            return '<cudacanny.Detector, closed>'


def _repeatable(regions: Regions | None) -> Regions | None:
    """Regions for several images, which an iterator would have for the first one alone."""
    return list(regions) if isinstance(regions, Iterator) else regions


class _Kept(threading.local):
    """The detectors of each thread's last calls of canny()."""

    def __init__(self) -> None:
        self.detector = functools.lru_cache(4, typed=True)(lambda **options: Detector(**options))


_kept = _Kept()


def _detector(**options: Any) -> Detector:
    """A detector that this thread keeps."""
    try:
        return _kept.detector(**options)
    except TypeError:  # an option that can't be hashed, such as a list
        pass
    return Detector(**options)  # which says what is wrong with it
