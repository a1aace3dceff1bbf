# SPDX-License-Identifier: LGPL-2.1-or-later
"""Edges as chains of points."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _native

if TYPE_CHECKING:
    from numpy.typing import NDArray


def contours(edges: Any, min_points: int = 1) -> list[NDArray[np.int32]]:
    """Returns the edges of an edge map as chains of points.

    Each point is one of the 8 neighbors of the point before it, and each edge pixel is in one chain,
    exactly once. The chains depend on the edge map alone; docs/reference/edge-map.md defines them.

    Args:
        edges: array of uint8 or bool of shape (height, width), of 1x1 to 16384x16384 pixels, whose
            edges are not 0, such as canny() returns. A DeviceArray is copied to the host. Rows of any
            stride are read in place.
        min_points: chains of fewer points are left out, 0 to 4294967295.

    Returns:
        A list of arrays of int32 of shape (points, 2) with columns x and y, as OpenCV's functions take
        them, in the order of the topmost, then leftmost point of each. All are views of one array.

    Raises:
        ValueError: an argument is out of range, or the array has another type or shape.
        TypeError: an argument is of another type.
        MemoryError: there is not enough memory.

    Warns:
        RuntimeWarning: the edges have more than 16777216 points. The chain that reaches this limit ends
            there, and no other follows.
    """
    return _native.contours(_arrays.edge_map(edges), min_points)


def is_closed(chain: NDArray[np.integer[Any]]) -> bool:
    """Whether a chain, an array of integers of shape (points, 2), is closed: it has three points or more, and the last
    one is a neighbor of the first one."""
    return len(chain) > 2 and bool(np.ptp(chain[[0, -1]], axis=0).max() == 1)
