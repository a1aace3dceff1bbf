# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures in bytes of files, and their edges, for the command. Pillow reads and writes them, or OpenCV where
Pillow is missing."""
from __future__ import annotations

import io
import json
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Detector, _native, contours, is_closed
from ._types import HostArray

try:
    from PIL import Image, ImageOps
except ImportError:
    Image = None
    import cv2
else:
    Image.MAX_IMAGE_PIXELS = _native.MAX_SIDE ** 2 // 2  # it refuses more than twice as many

# Nothing is said about odd files; but chains that are cut are an error.
warnings.simplefilter('ignore')
warnings.filterwarnings('error', 'contours are cut', RuntimeWarning)

ORIENTATION = 0x112  # the tag in EXIF
QUALITY = 95  # of JPEG and WebP


class Edges:
    """Makes files with edges from files with pictures, in several threads at once."""

    def __init__(self, options: dict[str, Any], settings: dict[str, Any], extension: str, min_points: int,
                 is_precise: bool) -> None:
        """Refuses values as Detector, detect() and contours() do. "svg" and "json" are chains of points."""
        self._settings, self._extension, self._min_points = settings, extension, min_points
        self._is_drawing = extension in ('json', 'svg')
        self._is_precise = is_precise and self._is_drawing
        if self._is_precise:
            options = {**options, 'contours': max(min_points, 1), 'contour_precision': True}
        self._detector = Detector(**options)
        self._output = settings.get('output', 'edges')
        self._detecting = threading.Lock()
        edges = self._detector.detect(np.zeros((1, 1), np.uint8), **settings)
        contours(edges, min_points)
        if self._is_drawing and self._output != 'edges':
            raise ValueError(f'{extension} files have edges, but no output "{self._output}"')
        if not self._is_drawing and not can_write(extension):
            raise ValueError(f'no picture can be written as "{extension}"')

    def of(self, data: bytes) -> tuple[bytes, str]:
        """The bytes of a file, and the statistics."""
        image, out = read(data), None
        if self._output == 'overlay' and image.ndim == 2:
            image = np.repeat(image[..., np.newaxis], 3, axis=2)
        if self._output in ('direction', 'passes'):
            out = np.empty((*image.shape[:2], 3), np.uint8)
        with self._detecting:  # result is of the last picture
            edges = self._detector.detect(image, out=out, **self._settings)
            result = self._detector.result
            chains, positions = self._detector.contours, self._detector.contour_positions
        if self._is_drawing:
            chains = chains if self._is_precise else contours(edges, self._min_points)
            return drawing(chains, positions or chains, edges.shape, self._extension), str(result)
        return write(edges, self._extension), str(result)

    def __str__(self) -> str:
        return f'{self._detector.backend}: {self._detector.device} ({self._detector.reason})'


def read(data: bytes) -> HostArray:
    """The first picture of a file, upright, in gray or RGB."""
    return _read_with_pillow(data) if Image else _read_with_opencv(data)


def _read_with_pillow(data: bytes) -> HostArray:
    try:
        image = Image.open(io.BytesIO(data))
    except Image.UnidentifiedImageError:
        raise ValueError('not a picture that Pillow reads') from None
    if image.getexif().get(ORIENTATION, 1) != 1:
        image = ImageOps.exif_transpose(image)
    if image.mode[0] not in 'IF':
        mode = 'L' if image.mode in ('1', 'L', 'LA', 'La') else 'RGB'
        return np.asarray(image if image.mode == mode else image.convert(mode))
    array = np.asarray(image)
    if array.dtype == np.int32 and array.min() >= 0 and array.max() < 1 << 16:
        return array.astype(np.uint16)  # so Pillow 9 reads 16 bits
    return array


def _read_with_opencv(data: bytes) -> HostArray:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_ANYCOLOR | cv2.IMREAD_ANYDEPTH) if data else None
    if image is None:
        raise ValueError('not a picture that OpenCV reads')
    return image if image.ndim == 2 else image[..., ::-1]


def can_write(extension: str) -> bool:
    if Image:
        return Image.registered_extensions().get(f'.{extension}') in Image.SAVE
    return cv2.haveImageWriter(f'.{extension}')


def write(image: HostArray, extension: str) -> bytes:
    """The bytes of a file with the picture."""
    if Image:
        file = io.BytesIO()
        Image.fromarray(image).save(file, Image.registered_extensions()[f'.{extension}'], quality=QUALITY)
        return file.getvalue()
    is_written, data = cv2.imencode(f'.{extension}', image if image.ndim == 2 else image[..., ::-1])
    if not is_written:
        raise ValueError(f'OpenCV can\'t write it as {extension}')
    return data.tobytes()


def drawing(chains: list[HostArray], positions: list[HostArray], shape: tuple[int, int], extension: str) -> bytes:
    """The text of an SVG or JSON file with the positions of the chains of an edge map of this shape."""
    height, width = shape
    if extension == 'svg':
        return '\n'.join(_svg(chains, positions, width, height)).encode()
    values = {'width': width, 'height': height, 'chains': [chain.tolist() for chain in positions]}
    return json.dumps(values, separators=(',', ':')).encode()


def _svg(chains: list[HostArray], positions: list[HostArray], width: int, height: int) -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
    yield '<g transform="translate(.5 .5)" fill="none" stroke="#000" stroke-linecap="round">'
    for chain, places in zip(chains, positions, strict=True):
        end = 'h0' if len(chain) == 1 else 'Z' if is_closed(chain) else ''
        yield f'<path d="M{" ".join(map(str, places.ravel().tolist()))}{end}"/>'
    yield '</g></svg>\n'
