"""Loads the shared library, and declares its functions and errors."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pathlib
import sys
from ctypes import (
    POINTER,
    c_char_p,
    c_double,
    c_float,
    c_int32,
    c_int64,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Optional, Union

API_MAJOR = 1
"""The upper 16 bits of the interface's version that this package needs."""

FLOAT32, FLOAT64, INT32, INT64 = 1, 2, 3, 4
"""Types of the elements of arrays (``dsnn_type``)."""

_INVALID, _CANCELLED, _NO_MEMORY = 1, 3, 4


class Error(ValueError):
    """An error in arguments, data or files; its message is one sentence."""

    __module__ = "dsnn"


class Cancelled(Exception):
    """A progress function cancelled the call."""


class Array(ctypes.Structure):
    """``dsnn_array``: an array that the library reads."""

    _fields_ = [
        ("data", c_void_p),
        ("type", c_int32),
        ("size", c_int64),
        ("stride", c_int64),
    ]


class GraphSizes(ctypes.Structure):
    """``dsnn_graph_sizes``"""

    _fields_ = [
        ("num_nodes", c_int64),
        ("num_arcs", c_int64),
        ("num_edges", c_int64),
        ("num_half_edges", c_int64),
        ("num_self_loops", c_int64),
        ("num_duplicates", c_int64),
        ("num_zero_weight", c_int64),
        ("is_weighted", c_int32),
    ]


class DatasetSizes(ctypes.Structure):
    """``dsnn_dataset_sizes``"""

    _fields_ = [
        ("num_nodes", c_int64),
        ("num_classes", c_int64),
        ("num_splits", c_int64),
        ("num_labels", c_int64),
        ("num_features", c_int64),
        ("num_entries", c_int64),
        ("has_sparse_features", c_int32),
    ]


PROGRESS = ctypes.CFUNCTYPE(c_int32, c_void_p, c_char_p)

_handle = c_void_p
_out = POINTER(c_void_p)
_text = c_char_p
_text_out = POINTER(c_void_p)
_array = POINTER(Array)
_pointer = c_void_p
_progress = [PROGRESS, c_void_p]

_FUNCTIONS: dict[str, list[Any]] = {
    "dsnn_graph_create": [c_int64, _array, _array, _array, _out],
    "dsnn_graph_close": [_handle],
    "dsnn_graph_get_sizes": [_handle, POINTER(GraphSizes)],
    "dsnn_graph_get_arcs": [_handle, c_int64, _pointer, _pointer, _pointer],
    "dsnn_graph_get_half_edges": [_handle, c_int64, c_int64] + [_pointer] * 5,
    "dsnn_graph_reversed": [_handle, _out],
    "dsnn_graph_symmetrised": [_handle, _out],
    "dsnn_matrix_create": [c_int64, _array, _array, _array, _out],
    "dsnn_matrix_close": [_handle],
    "dsnn_operator_list": [_text_out],
    "dsnn_operator_create": [_text, _text, _handle, _handle, _out],
    "dsnn_operator_create_cross_entropy": [_array, _array, _out],
    "dsnn_operator_close": [_handle],
    "dsnn_operator_differentiable": [_handle, POINTER(c_uint64), POINTER(c_uint64)],
    "dsnn_operator_backward_needs": [_handle, c_uint64, POINTER(c_uint64), POINTER(c_uint64)],
    "dsnn_operator_infer": [
        _handle,
        c_int32,
        _pointer,
        c_int64,
        c_int64,
        _pointer,
        POINTER(c_int64),
        POINTER(c_int32),
    ],
    "dsnn_operator_forward": [
        _handle,
        c_int32,
        c_int32,
        c_uint64,
        c_int32,
        _pointer,
        c_int64,
        _pointer,
        c_int32,
        _pointer,
    ],
    "dsnn_operator_backward": [
        _handle,
        c_int32,
        c_int32,
        c_uint64,
        c_int32,
        _pointer,
        c_int64,
        _pointer,
        c_int32,
        _pointer,
        _pointer,
        _pointer,
    ],
    "dsnn_dataset_create": [_text, _handle, _out],
    "dsnn_dataset_load": [_text, _text, *_progress, _out],
    "dsnn_dataset_read_csv": [_text, *_progress, _out],
    "dsnn_dataset_dsbm": [_text, _out],
    "dsnn_dataset_from_originals": [_text, _text, *_progress, _out],
    "dsnn_dataset_save": [_handle, _text, *_progress],
    "dsnn_dataset_close": [_handle],
    "dsnn_dataset_describe": [_handle, _text_out],
    "dsnn_dataset_get_graph": [_handle, _out],
    "dsnn_dataset_get_sizes": [_handle, POINTER(DatasetSizes)],
    "dsnn_dataset_set_features": [_handle, c_int64, _array],
    "dsnn_dataset_set_sparse_features": [_handle, c_int64, _array, _array, _array],
    "dsnn_dataset_set_degree_features": [_handle, _text],
    "dsnn_dataset_get_features": [_handle, c_int64, _pointer, _pointer, _pointer],
    "dsnn_dataset_set_labels": [_handle, c_int64, _array],
    "dsnn_dataset_get_labels": [_handle, c_int64, _pointer],
    "dsnn_dataset_add_split": [_handle, c_int64, _pointer, _pointer, _pointer],
    "dsnn_dataset_clear_splits": [_handle],
    "dsnn_dataset_get_split": [_handle, c_int64, c_int64, _pointer, _pointer, _pointer],
    "dsnn_dataset_draw_splits": [_handle, _text],
    "dsnn_dataset_set_names": [_handle, _text],
    "dsnn_dataset_list": [_text, _text_out],
    "dsnn_model_list": [_text_out],
    "dsnn_train": [_handle, _text, *_progress, _text_out],
    "dsnn_train_estimate": [_handle, _text, c_double, _text_out],
    "dsnn_fit": [_handle, _text, *_progress, _text_out],
    "dsnn_run_open": [_text, _out],
    "dsnn_run_open_on": [_text, _text, _out],
    "dsnn_run_close": [_handle],
    "dsnn_run_describe": [_handle, _text_out],
    "dsnn_run_get_logits": [_handle, c_int32, _handle, c_int64, c_int64, _pointer],
    "dsnn_run_get_links": [
        _handle,
        c_int32,
        _handle,
        c_int64,
        _pointer,
        c_int64,
        _pointer,
    ],
    "dsnn_run_top_links": [_handle, c_int32, _handle, c_int64, _text_out],
    "dsnn_run_evaluate": [_handle, _handle, _text_out],
    "dsnn_run_report": [_handle, _handle, _text, *_progress, _text_out],
    "dsnn_laplacian": [_handle, _text, _array, _array, _out],
    "dsnn_blocks_close": [_handle],
    "dsnn_blocks_get_sizes": [
        _handle,
        POINTER(c_int64),
        POINTER(c_int64),
        POINTER(c_int64),
        POINTER(c_int32),
    ],
    "dsnn_blocks_get": [_handle, c_int64, c_int64, _pointer, _pointer, _pointer],
    "dsnn_spectrum_compute": [_handle, _text, _array, _array, *_progress, _out],
    "dsnn_spectrum_close": [_handle],
    "dsnn_spectrum_get_sizes": [_handle, POINTER(c_int64), POINTER(c_int64)],
    "dsnn_spectrum_get": [_handle, c_int64, c_int64, _pointer, _pointer, _pointer],
    "dsnn_verify": [_handle, _text, *_progress, _text_out],
}

_NAMES = {"darwin": "libdsnn_c.dylib", "win32": "dsnn_c.dll"}


def _path() -> pathlib.Path:
    given = os.environ.get("DSNN_C_LIBRARY")
    if given:
        return pathlib.Path(given)
    return pathlib.Path(__file__).with_name("lib") / _NAMES.get(sys.platform, "libdsnn_c.so")


def _load() -> ctypes.CDLL:
    path = _path()
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(
            f"dsnn: cannot load {path}: {error}; install the package with pip, or set "
            "DSNN_C_LIBRARY to the library of a build"
        ) from error
    library.dsnn_c_api_version.restype = c_uint32
    version = library.dsnn_c_api_version()
    if version >> 16 != API_MAJOR:
        raise ImportError(
            f"dsnn: {path} has version {version >> 16} of the interface, expected {API_MAJOR}; "
            "it belongs to another release than this package"
        )
    for name, arguments in _FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = c_int32
    library.dsnn_last_error.restype = c_char_p
    library.dsnn_last_error.argtypes = []
    library.dsnn_version.restype = c_char_p
    library.dsnn_version.argtypes = []
    library.dsnn_text_free.argtypes = [c_void_p]
    library.dsnn_text_free.restype = None
    return library


lib = _load()


def exception(status: int) -> Exception:
    """The exception for a status other than 0. Call it in the thread of the failed call."""
    sentence = lib.dsnn_last_error().decode("utf-8", "replace")
    if status == _CANCELLED:
        return Cancelled(sentence)
    if status == _NO_MEMORY:
        return MemoryError(sentence)
    return Error(sentence)


def check(status: int) -> None:
    """Raises the exception for a status other than 0."""
    if status != 0:
        raise exception(status)


def encode(text: Union[str, os.PathLike[str]]) -> bytes:
    """A string or path as bytes for the library."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise Error(f"{str(text)!r} contains a zero byte")
    return data


def options(**given: Any) -> bytes:
    """Options as JSON, without those that are None."""
    kept = {name: value for name, value in given.items() if value is not None}
    try:
        return json.dumps(kept, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise Error(f"options: {error}") from error


def _plain(value: Any) -> Any:
    """Converts paths and NumPy's values to types of JSON."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is neither a number nor a string nor a list of these")


def take_text(pointer: c_void_p) -> str:
    """Copies a text of the library, and frees it."""
    try:
        return ctypes.string_at(pointer.value or 0).decode("utf-8", "replace")
    finally:
        lib.dsnn_text_free(pointer)


def take_json(pointer: c_void_p) -> Any:
    """Parses a JSON text of the library, and frees it."""
    return json.loads(take_text(pointer))


class Handle:
    """A handle, closed by `close()` or when its owner is deleted."""

    __slots__ = ("__weakref__", "_close", "value")

    def __init__(self, value: Optional[int], close: Any) -> None:
        self.value = value  # kept after close(): the library detects closed handles
        self._close: Any = close

    def close(self) -> None:
        """Closes the handle. Using it afterwards raises Error."""
        close, self._close = self._close, None
        if close is not None:
            close(self.value)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # the interpreter may be exiting
            self.close()


def new_handle(close: Any, function: Any, *arguments: Any) -> Handle:
    """The handle that a function of the library returns through its last argument."""
    made = c_void_p()
    check(function(*arguments, ctypes.byref(made)))
    return Handle(made.value, close)


def call_for_text(function: Any, *arguments: Any) -> str:
    """The text that a function returns through its last argument."""
    made = c_void_p()
    check(function(*arguments, ctypes.byref(made)))
    return take_text(made)


def call_for_json(function: Any, *arguments: Any) -> Any:
    """The JSON value that a function returns through its last argument."""
    return json.loads(call_for_text(function, *arguments))


__all__ = [
    "PROGRESS",
    "Array",
    "Cancelled",
    "DatasetSizes",
    "Error",
    "GraphSizes",
    "Handle",
    "c_float",
    "c_uint8",
    "call_for_json",
    "call_for_text",
    "check",
    "encode",
    "lib",
    "new_handle",
    "options",
]
