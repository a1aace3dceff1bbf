# SPDX-License-Identifier: LGPL-2.1-or-later
"""The settings as types, for type checkers, and as tables, for the command. tests/docs/settings writes them."""
from typing import Literal, TypedDict

Backend = Literal['auto', 'cuda', 'cpu', 'opencl']


class Settings(TypedDict, total=False):
    """Keyword arguments of canny() and Detector, which help(canny) explains."""

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


# For the command: the type or the choices of each setting, and the sentence of its help.
Table = dict[str, tuple[type | tuple[str, ...], str]]

SETTINGS: Table = {
    'low': (float,
        'Gradient magnitude that every edge pixel exceeds; unless set, a third of the high threshold, or '
        "the operator's default (0 to 1000000; default 50)"),
    'high': (float,
        'Gradient magnitude that a pixel of every edge exceeds; unless set, 3 times the low threshold, or '
        "the operator's default (0 to 1000000; default 150)"),
    'threshold_mode': (('absolute', 'relative', 'quantile', 'otsu', 'median'),
        'Source of the thresholds: two numbers (absolute), or a measurement in each frame (default '
        'absolute)'),
    'high_ratio': (float,
        'Factor for measured thresholds; 0 = relative 0.2, quantile 0.7, otsu 1, median 1.33 (0 to 16; '
        'default 0)'),
    'low_ratio': (float,
        'Ratio of the low to the high measured threshold; 0 = relative 0.25, quantile 0.4, otsu and median '
        '0.5 (0 to 1; default 0)'),
    'sigma': (float,
        'Standard deviation of the Gaussian blur in pixels; 0 = no blur (0 to 20; default 1.4)'),
    'color_mode': (('luma', 'largest-channel'),
        'Whether the gradient is that of the luma, or the largest one of red, green and blue (default luma)'),
    'luma_depth': (('full', '8'),
        'Bits that count in input of more than 8 bits: all of them, or the highest 8 (default full)'),
    'operator': (('sobel', 'sobel-5', 'sobel-7', 'scharr', 'prewitt', 'kroon', 'roberts', 'robinson',
        'kirsch'),
        'Operator that computes the gradient; it sets the unit and the defaults of the thresholds (default '
        'sobel)'),
    'norm': (('l1', 'l2'),
        'Norm of the gradient: root of the sum of squares (l2) or sum of absolute values (l1) (default l2)'),
    'thin_edges': (bool,
        'Whether non-maximum suppression thins the edges (default true)'),
    'hysteresis_passes': (int,
        'Passes in which edges grow within tiles of 32x32 pixels; 0 = until nothing changes (0 to 64; '
        'default 0)'),
    'min_length': (int,
        'Connected pixels below which an edge is removed; 0 = keep all edges (0 to 65535; default 0)'),
    'output': (('edges', 'overlay', 'masked', 'gradient', 'suppressed', 'direction', 'classes', 'passes',
        'luma', 'blurred'),
        'Contents of the output: edges, the input with them (overlay) or only there (masked), or a stage '
        '(default edges)'),
    'edge_color': (str,
        'Color of edges in an overlay: 0xAARRGGBB; an alpha of 0xff covers the input; also #rrggbb or a '
        'name such as orange (default 0xffff0000)'),
    'measure_stages': (bool,
        'Whether the times of the stages and numbers of pixels are measured, which takes time (default '
        'false)'),
}

OPTIONS: Table = {
    'backend': (('auto', 'cuda', 'cpu', 'opencl'),
        'Backend that detects the edges; auto = CUDA if a usable device is found, else OpenCL on a GPU, '
        'else the CPU (default auto)'),
    'cuda_device': (int,
        'Number of the CUDA device; -1 = the first usable one (-1 to 2147483647; default -1)'),
    'opencl_device': (str,
        'Number of the OpenCL device in the order of clinfo -l, or a part of its name; empty = the first '
        'GPU (default empty)'),
    'threads': (int,
        'Number of threads of the CPU backend, and for contours and components; 0 = one for each core (0 to'
        ' 1024; default 0)'),
}
