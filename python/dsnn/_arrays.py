"""Converts arrays of NumPy and similar types to those that the library reads."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np

from dsnn import _library
from dsnn._library import Array, Error

_TYPES = {
    np.dtype(np.float32): _library.FLOAT32,
    np.dtype(np.float64): _library.FLOAT64,
    np.dtype(np.int32): _library.INT32,
    np.dtype(np.int64): _library.INT64,
}


def as_numpy(value: Any, what: str) -> np.ndarray:
    """A NumPy array from an array-like object; arrays and CPU tensors are not copied."""
    if isinstance(value, np.ndarray):
        return value
    detach = getattr(value, "detach", None)  # a tensor of torch
    if detach is not None:
        value = detach()
        if hasattr(value, "cpu"):
            value = value.cpu()
    elif hasattr(value, "to_numpy"):  # pandas, polars
        value = value.to_numpy()
    try:
        return np.asarray(value)
    except Exception as error:
        raise Error(f"{what}: {error}") from error


def whole_numbers(value: Any, what: str) -> np.ndarray:
    """An array of 32- or 64-bit integers, without a copy if it is one already."""
    array = as_numpy(value, what)
    if array.dtype in (np.dtype(np.int32), np.dtype(np.int64)):
        return array
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind in "biu":
        if array.dtype == np.uint64 and array.max(initial=0) > np.iinfo(np.int64).max:
            raise Error(f"{what} has {array.max()}, which is too large")
        return array.astype(np.int64)
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = array.astype(np.int64)
        if np.array_equal(whole, array):
            return whole
    raise Error(f"{what} must be whole numbers (got {array.dtype})")


def numbers(value: Any, what: str) -> np.ndarray:
    """An array of a type that the library reads, without a copy if it is one already."""
    array = as_numpy(value, what)
    if array.dtype in _TYPES:
        return array
    if array.dtype.kind == "c":
        raise Error(f"{what} must be real numbers (got {array.dtype})")
    try:
        return array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    except (TypeError, ValueError) as error:
        raise Error(f"{what} must be numbers: {error}") from error


def describe(array: np.ndarray) -> Array:
    """A `dsnn_array` of a vector, without a copy. The array must live until the call returns."""
    if array.ndim != 1 or array.dtype not in _TYPES or not array.dtype.isnative:
        raise Error(f"expected a vector of numbers (got {array.dtype} of shape {array.shape})")
    return Array(array.ctypes.data, _TYPES[array.dtype], array.size, array.strides[0])


def reference(array: Optional[np.ndarray]) -> Any:
    """A pointer to the `dsnn_array` of a vector; NULL for None."""
    return None if array is None else ctypes.byref(describe(array))


def pointer(array: Optional[np.ndarray]) -> Optional[int]:
    """The address of an array that the library writes to; NULL for None."""
    return None if array is None else array.ctypes.data
