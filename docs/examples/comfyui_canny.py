# SPDX-License-Identifier: LGPL-2.1-or-later
"""A node for ComfyUI that finds the edges of images."""
import torch

import cudacanny.torch

DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'


class CudaCanny:
    """Takes images and returns their edges, as images and as masks: 1 on edges, 0 elsewhere."""

    CATEGORY = 'image/preprocessors'
    RETURN_TYPES = ('IMAGE', 'MASK')
    FUNCTION = 'detect'

    @classmethod
    def INPUT_TYPES(cls):
        threshold = {'min': 0.0, 'max': 1000.0, 'step': 1.0}
        return {'required': {'image': ('IMAGE',),
                             'low': ('FLOAT', {'default': 50.0, **threshold}),
                             'high': ('FLOAT', {'default': 150.0, **threshold}),
                             'sigma': ('FLOAT', {'default': 1.4, 'min': 0.0, 'max': 20.0, 'step': 0.1})}}

    def detect(self, image, low, high, sigma):
        colors = image.to(DEVICE)[..., :3].contiguous()  # without alpha
        mask = cudacanny.torch.canny(colors, low, high, layout='nhwc', sigma=sigma, dtype=torch.float32)
        mask = mask.to(image.device)
        return mask.unsqueeze(-1).repeat(1, 1, 1, 3), mask


NODE_CLASS_MAPPINGS = {'CudaCanny': CudaCanny}
NODE_DISPLAY_NAME_MAPPINGS = {'CudaCanny': 'Canny edges (cudacanny)'}
