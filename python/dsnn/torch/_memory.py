"""Where results are written.

Large tensors are made from memory that the last ones left, if it fits: the system clears every page
that it hands out, which for a layer is a tenth of its time. And the memory comes from NumPy, which
asks for large pages: rows are gathered from it, which small pages make a quarter slower.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np
import torch
from torch import Tensor

#: Bytes that are kept at most while nobody uses them.
MOST_KEPT = 512 << 20

_LARGE = 4 << 20
_PAGE = 2 << 20
_TYPES: dict[torch.dtype, Any] = {
    torch.float32: np.dtype(np.float32),
    torch.float64: np.dtype(np.float64),
}

# Free memory by its size. Only single steps are taken, which need no lock: a finalizer may run
# within another.
_free: dict[int, list[np.ndarray]] = {}


def _keep(memory: np.ndarray) -> None:
    """Memory that nobody uses any more."""
    if memory.nbytes + kept() > MOST_KEPT:
        release()
    if memory.nbytes <= MOST_KEPT:
        _free.setdefault(memory.nbytes, []).append(memory)


def kept() -> int:
    """Bytes that are kept for the next tensors."""
    return sum(size * len(found) for size, found in list(_free.items()))


def release() -> None:
    """Gives the system back what is kept of tensors that are gone, 512 MB at most."""
    _free.clear()


def new_tensor(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """A tensor to be written; its numbers are any."""
    kind = _TYPES[dtype]
    size = math.prod(shape) * kind.itemsize
    if size < _LARGE:
        return torch.empty(shape, dtype=dtype)
    rounded = -(-size // _PAGE) * _PAGE
    try:
        memory = _free[rounded].pop()
    except (KeyError, IndexError):
        memory = np.empty(rounded, np.uint8)
    numbers = memory[:size].view(kind).reshape(shape)
    weakref.finalize(numbers, _keep, memory).atexit = False
    return torch.from_numpy(numbers)
