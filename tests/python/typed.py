# SPDX-License-Identifier: LGPL-2.1-or-later
"""A user's program with types. tests/python/types runs main(), and expects that mypy refuses exactly the lines that
say so."""
from collections.abc import Iterator
from typing import Any, assert_type

import cudacanny
import numpy as np
from numpy.typing import NDArray


class Tensor:
    """An array of a library with DLPack, in host or device memory."""

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None) -> object:
        raise NotImplementedError

    def __dlpack_device__(self) -> tuple[int, int]:
        raise NotImplementedError


class OnDevice:
    """An array of a library without DLPack."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        raise NotImplementedError


def main() -> None:
    image: NDArray[np.uint8] = (np.indices((90, 120)).prod(0) % 251).astype(np.uint8)
    edges = cudacanny.canny(image, 50, 150, operator='sobel-5', mask=image > 9, order='bgr', backend='cpu')
    assert_type(edges, NDArray[np.uint8])
    assert_type(cudacanny.canny(image, edge_color=(255, 0, 0), out=edges), NDArray[np.uint8])
    images: list[NDArray[np.uint8]] = [image, image]
    assert_type(cudacanny.canny(images), list[NDArray[np.uint8]])
    batch: NDArray[np.uint8] = np.stack(images)
    assert_type(cudacanny.canny(batch, layout='nhw', threads=1), NDArray[np.uint8])
    assert_type(cudacanny.Canny(image, 50, 150, L2gradient=True), NDArray[np.uint8])
    assert_type(cudacanny.contours(edges, min_points=20), list[NDArray[np.int32]])
    assert_type(cudacanny.is_closed(cudacanny.contours(edges)[0]), bool)
    with cudacanny.Detector(backend='cpu', frames_in_flight=3) as detector:
        assert_type(detector.detect(image, threshold_mode='otsu', norm='l1'), NDArray[np.uint8])
        assert_type(detector.map([image], regions=[(0, 0, 9, 9)]), Iterator[NDArray[np.uint8]])
        if detector.result:
            assert_type(detector.result.high, float)
            assert_type(detector.result.times.front, int)


def on_device(array: cudacanny.DeviceArray, tensor: Tensor, on_device: OnDevice) -> None:
    detector = cudacanny.Detector(backend='cuda')
    assert_type(cudacanny.canny(array), cudacanny.DeviceArray)
    assert_type(cudacanny.canny(on_device), cudacanny.DeviceArray)
    assert_type(cudacanny.canny(on_device, out=tensor), Tensor)
    assert_type(detector.detect(array, stream=1), cudacanny.DeviceArray)
    edges: NDArray[np.uint8] = cudacanny.canny(tensor)
    on_gpu: cudacanny.DeviceArray = detector.detect(tensor, out=None)
    detector.submit(tensor, out=edges)
    assert_type(cudacanny.canny([on_gpu, tensor]), list[Any])


def refused(image: NDArray[np.uint8]) -> None:
    detector = cudacanny.Detector(backend='gpu')  # refused
    detector = cudacanny.Detector(operator='sobel')  # refused
    cudacanny.canny('photo.jpg')  # refused
    cudacanny.canny(image, '50')  # refused
    cudacanny.canny(image, low=image)  # refused
    cudacanny.canny(image, operator='sobel5')  # refused
    cudacanny.canny(image, norm='L2')  # refused
    cudacanny.canny(image, color_mode='gray')  # refused
    cudacanny.canny(image, luma_depth=8)  # refused
    cudacanny.canny(image, threshold_mode='mean')  # refused
    cudacanny.canny(image, output='edge')  # refused
    cudacanny.canny(image, sigma='1.4')  # refused
    cudacanny.canny(image, min_length=1.5)  # refused
    cudacanny.canny(image, backend='gpu')  # refused
    cudacanny.canny(image, order='gbr')  # refused
    cudacanny.canny(image, layout='hwn')  # refused
    cudacanny.canny(image, apertureSize=3)  # refused
    cudacanny.canny(image).shapes  # refused
    detector.detect(image, layout='nhw')  # refused
    detector.submit(image, operator='sobel5')  # refused
    detector.map([image], out=image)  # refused
    detector.result.high  # refused
    cudacanny.contours(image, '20')  # refused


if __name__ == '__main__':
    main()
