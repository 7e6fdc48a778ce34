"""Operators of the engine, called with pointers; `dsnn.torch` uses them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from dsnn import _arrays, _library
from dsnn._library import Error, Handle, check, lib

Shape = tuple[int, ...]


class SparseMatrix:
    """A sparse matrix for operators, in compressed sparse rows.

    >>> matrix = SparseMatrix([0, 2, 3], [0, 2, 1], num_columns=3)
    >>> matrix.shape, matrix.num_entries
    ((2, 3), 3)
    """

    def __init__(
        self, row_offsets: Any, columns: Any, values: Any = None, *, num_columns: int
    ) -> None:
        offsets = _arrays.whole_numbers(row_offsets, "row_offsets")
        cols = _arrays.whole_numbers(columns, "columns")
        vals = None if values is None else _arrays.numbers(values, "values")
        self._handle: Handle = _library.new_handle(
            lib.dsnn_matrix_close,
            lib.dsnn_matrix_create,
            num_columns,
            _arrays.reference(offsets),
            _arrays.reference(cols),
            _arrays.reference(vals),
        )
        self.shape = (offsets.size - 1, num_columns)
        self.num_entries = int(cols.size)

    def close(self) -> None:
        """Frees the memory. Operators that were created with the matrix remain usable."""
        self._handle.close()


class Signature:
    """The encoded shapes of arguments, and the shapes of their results."""

    __slots__ = ("length", "num_arguments", "result_shapes", "shapes")

    def __init__(self, shapes: Any, length: int, count: int, results: list[Shape]) -> None:
        self.shapes = shapes
        self.length = length
        self.num_arguments = count
        self.result_shapes = results


def _bits(numbers: int, count: int) -> frozenset[int]:
    return frozenset(i for i in range(count) if numbers >> i & 1)


class Operator:
    """A function of tensors with its gradient (docs/operators.md).

    >>> linear = Operator("linear")
    >>> linear.infer([(2, 3), (3, 4), None])
    [(2, 4)]
    >>> import numpy as np
    >>> linear(np.ones((2, 3)), np.ones((3, 4)))[0]
    array([[3., 3., 3., 3.],
           [3., 3., 3., 3.]])
    """

    def __init__(self, name: str, graph: Any = None, matrix: Any = None, **attributes: Any) -> None:
        self.name = name
        if name == "cross_entropy":
            labels = _arrays.whole_numbers(attributes.pop("labels"), "labels")
            nodes = _arrays.whole_numbers(attributes.pop("nodes"), "nodes")
            self._handle: Handle = _library.new_handle(
                lib.dsnn_operator_close,
                lib.dsnn_operator_create_cross_entropy,
                _arrays.reference(labels),
                _arrays.reference(nodes),
            )
        else:
            self._handle = _library.new_handle(
                lib.dsnn_operator_close,
                lib.dsnn_operator_create,
                _library.encode(name),
                _library.options(**attributes),
                None if graph is None else graph._handle.value,
                None if matrix is None else matrix._handle.value,
            )
        arguments, results = ctypes.c_uint64(), ctypes.c_uint64()
        check(
            lib.dsnn_operator_differentiable(
                self._handle.value, ctypes.byref(arguments), ctypes.byref(results)
            )
        )
        self._arguments, self._results = arguments.value, results.value
        self._signatures: dict[tuple[Optional[Shape], ...], Signature] = {}

    def close(self) -> None:
        """Frees the memory."""
        self._handle.close()

    def is_differentiable(self, argument: int) -> bool:
        """Whether an argument can have a gradient."""
        return bool(self._arguments >> argument & 1)

    def is_result_differentiable(self, result: int) -> bool:
        """Whether a result can have a gradient."""
        return bool(self._results >> result & 1)

    def backward_needs(self, wanted: Sequence[int]) -> tuple[frozenset[int], frozenset[int]]:
        """The arguments and results that the backward pass reads for the wanted gradients."""
        arguments, results = ctypes.c_uint64(), ctypes.c_uint64()
        bits = sum(1 << i for i in set(wanted))
        check(
            lib.dsnn_operator_backward_needs(
                self._handle.value, bits, ctypes.byref(arguments), ctypes.byref(results)
            )
        )
        return _bits(arguments.value, 64), _bits(results.value, 64)

    def signature(self, shapes: Sequence[Optional[Sequence[int]]]) -> Signature:
        """The signature of arguments of these shapes, None if omitted. Signatures are cached."""
        key = tuple(None if shape is None else tuple(shape) for shape in shapes)
        found = self._signatures.get(key)
        if found is not None:
            return found
        flat: list[int] = []
        for shape in key:
            if shape is None:
                flat.append(-1)
            else:
                flat.append(len(shape))
                flat.extend(int(size) for size in shape)
        numbers = (ctypes.c_int64 * max(1, len(flat)))(*flat)
        room = 64 * 9
        written = (ctypes.c_int64 * room)()
        length, count = ctypes.c_int64(), ctypes.c_int32()
        check(
            lib.dsnn_operator_infer(
                self._handle.value,
                len(key),
                numbers,
                len(flat),
                room,
                written,
                ctypes.byref(length),
                ctypes.byref(count),
            )
        )
        results: list[Shape] = []
        at = 0
        for _ in range(count.value):
            end = at + 1 + written[at]
            results.append(tuple(written[at + 1 : end]))
            at = end
        made = Signature(numbers, len(flat), len(key), results)
        if len(self._signatures) >= 256:
            self._signatures.clear()
        self._signatures[key] = made
        return made

    def infer(self, shapes: Sequence[Optional[Sequence[int]]]) -> list[Shape]:
        """The shapes of the results for arguments of these shapes, None if omitted."""
        return self.signature(shapes).result_shapes

    def forward(
        self,
        signature: Signature,
        is_double: bool,
        arguments: Sequence[Optional[int]],
        results: Sequence[Optional[int]],
        *,
        seed: int = 0,
        num_threads: int = 0,
    ) -> None:
        """Computes results from arguments: addresses of contiguous arrays, None if omitted."""
        status = lib.dsnn_operator_forward(
            self._handle.value,
            _library.FLOAT64 if is_double else _library.FLOAT32,
            num_threads,
            seed,
            signature.num_arguments,
            signature.shapes,
            signature.length,
            (ctypes.c_void_p * len(arguments))(*arguments),
            len(results),
            (ctypes.c_void_p * len(results))(*results),
        )
        if status:
            raise _library.exception(status)

    def backward(
        self,
        signature: Signature,
        is_double: bool,
        arguments: Sequence[Optional[int]],
        results: Sequence[Optional[int]],
        result_grads: Sequence[Optional[int]],
        argument_grads: Sequence[Optional[int]],
        *,
        seed: int = 0,
        num_threads: int = 0,
    ) -> None:
        """Computes the gradients of arguments whose address in argument_grads is not None."""
        count = len(results)
        status = lib.dsnn_operator_backward(
            self._handle.value,
            _library.FLOAT64 if is_double else _library.FLOAT32,
            num_threads,
            seed,
            signature.num_arguments,
            signature.shapes,
            signature.length,
            (ctypes.c_void_p * len(arguments))(*arguments),
            count,
            (ctypes.c_void_p * count)(*results),
            (ctypes.c_void_p * count)(*result_grads),
            (ctypes.c_void_p * len(argument_grads))(*argument_grads),
        )
        if status:
            raise _library.exception(status)

    def __call__(
        self, *arguments: Optional[np.ndarray], seed: int = 0, num_threads: int = 0
    ) -> list[np.ndarray]:
        """Computes the results for NumPy arrays, all of float32 or all of float64."""
        given = [
            None if a is None else np.ascontiguousarray(a).reshape(np.shape(a)) for a in arguments
        ]
        dtypes = {a.dtype for a in given if a is not None}
        if dtypes not in ({np.dtype(np.float32)}, {np.dtype(np.float64)}):
            raise Error(
                f"{self.name}: arguments must be all float32 or all float64 "
                f"(got {', '.join(sorted(str(d) for d in dtypes)) or 'none'})"
            )
        dtype = dtypes.pop()
        signature = self.signature([None if a is None else a.shape for a in given])
        results = [np.empty(shape, dtype) for shape in signature.result_shapes]
        self.forward(
            signature,
            dtype == np.float64,
            [_arrays.pointer(a) for a in given],
            [_arrays.pointer(r) for r in results],
            seed=seed,
            num_threads=num_threads,
        )
        return results


def operators() -> list[dict[str, Any]]:
    """All operators: names, arguments, and whether they take a graph or a matrix.

    >>> [op["name"] for op in operators()][:3]
    ['sheaf_maps', 'edge_weights', 'orthogonal']
    """
    return list(_library.call_for_json(lib.dsnn_operator_list))
