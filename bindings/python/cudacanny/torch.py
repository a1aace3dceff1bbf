# SPDX-License-Identifier: LGPL-2.1-or-later
"""Canny edge detection of PyTorch's tensors, as an operator that torch.compile() takes without a graph break.

    import cudacanny.torch
    edges = cudacanny.torch.canny(images, 50, 150, layout='nchw')

Graphs contain it as torch.ops.cudacanny.canny. It needs PyTorch 1.13 or newer.
"""
from __future__ import annotations

from typing import Any, Unpack

import torch

from . import canny as _canny
from ._settings import SETTINGS, Settings
from ._types import Layout, Order

__all__ = ['canny']


def canny(image: torch.Tensor, low: float | None = None, high: float | None = None, *, mask: torch.Tensor | None = None,
          order: Order = 'rgb', layout: Layout | None = None, dtype: torch.dtype | None = None,
          **settings: Unpack[Settings]) -> torch.Tensor:
    """Returns the edges of an image or a batch, on its device, computed by the CPU or by CUDA.

    On a CUDA device, the edges are those of the image after the work in the current stream. On the CPU, PyTorch's
    number of threads is used. Edges have no gradient. The setting edge_color is a text.

    Args:
        image, low, high, mask, order, layout, settings: as in cudacanny.canny().
        dtype: type of the edges: uint8 (255 on edges; the default), float16, float32 or bfloat16 (1 on edges).

    Returns:
        A new tensor. It has the strides of the image for "overlay" and "masked", and is contiguous otherwise.

    Raises:
        As cudacanny.canny(), and RuntimeError for a setting of another type or an unknown one.
    """
    if image.dtype == torch.bool:
        image = 255 * image.to(torch.uint8)
    edges: torch.Tensor = torch.ops.cudacanny.canny(image.detach(), low, high, mask=mask, order=order, layout=layout,
                                                    dtype=dtype, **settings)
    return edges


def _schema() -> str:
    settings = (f'{kind.__name__ if isinstance(kind, type) else "str"}? {name}=None'
                for name, (kind, _) in SETTINGS.items() if name not in ('low', 'high'))
    return ('canny(Tensor image, float? low=None, float? high=None, *, Tensor? mask=None, str order="rgb", '
            f'str? layout=None, ScalarType? dtype=None, {", ".join(settings)}) -> Tensor')


def _new_edges(image: torch.Tensor, *_: Any, layout: str | None = None, dtype: torch.dtype | None = None,
               output: str | None = None, **__: Any) -> torch.Tensor:
    if output in ('overlay', 'masked'):
        return torch.empty_like(image, dtype=dtype)
    shape = image.shape[:1] + image.shape[2:] if layout == 'nchw' else image.shape[:3 if layout else 2]
    return image.new_empty(shape, dtype=dtype or torch.uint8)


def _detect(image: torch.Tensor, low: float | None = None, high: float | None = None, *,
            mask: torch.Tensor | None = None, **arguments: Any) -> torch.Tensor:
    edges = _new_edges(image, **arguments)
    if mask is not None and mask.dtype == torch.bool:
        mask = mask.view(torch.uint8)  # older PyTorch shares no bool
    arguments.pop('dtype', None)
    image = image.detach()
    if image.is_cuda:
        with torch.cuda.device_of(image):
            _canny(image, low, high, mask=mask, out=edges, stream=torch.cuda.current_stream().cuda_stream, **arguments)
    else:
        # NumPy has no bfloat16.
        array = edges.view(torch.int16).numpy().view('V2') if edges.dtype == torch.bfloat16 else edges.numpy()
        _canny(image, low, high, mask=mask, out=array, backend='cpu', threads=torch.get_num_threads(), **arguments)
    return edges


_library = torch.library.Library('cudacanny', 'DEF')
_library.define(_schema())
_library.impl('canny', _detect, 'CPU')
_library.impl('canny', _detect, 'CUDA')
_library.impl('canny', _new_edges, 'Meta')
