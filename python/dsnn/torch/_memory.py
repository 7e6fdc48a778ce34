"""Memory for results.

Large tensors reuse memory of earlier ones of the same size: the system clears each page that it
allocates, which takes a tenth of the time of a layer. The memory comes from NumPy, which requests
large pages: gathering rows from small pages takes a quarter longer.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np
import torch
from torch import Tensor

#: The largest number of unused bytes that are kept.
MOST_KEPT = 512 << 20

_LARGE = 4 << 20
_PAGE = 2 << 20
_TYPES: dict[torch.dtype, Any] = {
    torch.float32: np.dtype(np.float32),
    torch.float64: np.dtype(np.float64),
}

# Free memory by size. All operations on it are atomic, without a lock: a finalizer may run within
# another one.
_free: dict[int, list[np.ndarray]] = {}


def _keep(memory: np.ndarray) -> None:
    """Keeps the memory of a deleted tensor for the next ones."""
    if memory.nbytes + kept() > MOST_KEPT:
        release()
    if memory.nbytes <= MOST_KEPT:
        _free.setdefault(memory.nbytes, []).append(memory)


def kept() -> int:
    """The number of bytes that are kept for the next tensors."""
    return sum(size * len(found) for size, found in list(_free.items()))


def release() -> None:
    """Frees the memory of deleted tensors that is kept for new ones, at most 512 MB."""
    _free.clear()


def new_tensor(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """A tensor with uninitialised values."""
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
