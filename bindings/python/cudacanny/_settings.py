# SPDX-License-Identifier: LGPL-2.1-or-later
"""The settings of an edge map as types, for type checkers. tests/docs/settings writes them."""
from typing import Literal, TypedDict


class Settings(TypedDict, total=False):
    """What canny() and Detector take as keywords; help(canny) explains them."""

    threshold_mode: Literal['absolute', 'relative', 'quantile', 'otsu', 'median']
    high_ratio: float
    low_ratio: float
    sigma: float
    color_mode: Literal['luma', 'largest-channel']
    luma_depth: Literal['full', '8']
    operator: Literal['sobel', 'sobel-5', 'sobel-7', 'scharr', 'prewitt', 'kroon', 'roberts', 'robinson',
                      'kirsch']
    norm: Literal['l1', 'l2']
    thin_edges: bool
    hysteresis_passes: int
    min_length: int
    output: Literal['edges', 'overlay', 'masked', 'gradient', 'suppressed', 'direction', 'classes',
                    'passes', 'luma', 'blurred']
    edge_color: int | str | tuple[int, ...]
    measure_stages: bool
