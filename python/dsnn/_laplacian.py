"""Laplacians of sheaves on a graph, their spectra, and the theorems about them."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional

import numpy as np

from dsnn import _arrays, _library
from dsnn._graph import as_graph
from dsnn._library import Error, check, lib
from dsnn._progress import long_call


class Claim(NamedTuple):
    """A theorem about the directed sheaf Laplacian, and the deviation from it on a graph."""

    label: str
    statement: str
    deviation: float
    tolerance: float
    passed: bool


class Spectrum(NamedTuple):
    """Eigenvalues in ascending order, with eigenvectors."""

    values: np.ndarray
    """[k]"""
    vectors: np.ndarray
    """[k, nodes, stalk dimension], complex; rows are orthonormal"""
    residuals: np.ndarray
    """[k], ||L x - l x||"""


class _Setup:
    """Options of a Laplacian, and its arrays."""

    def __init__(
        self,
        sheaf: Optional[str],
        q: Optional[float],
        normalisation: str,
        maps: Any,
        family: Optional[str],
        low_pass: bool,
        high_pass: bool,
    ) -> None:
        self.options: dict[str, Any] = {
            "sheaf": sheaf,
            "charge": None if q is None else float(q),
            "normalisation": normalisation,
            "low_pass": bool(low_pass),
            "high_pass": bool(high_pass),
        }
        self.real: Optional[np.ndarray] = None
        self.imag: Optional[np.ndarray] = None
        self.stalk_dim = 1 + low_pass + high_pass
        if maps is None:
            if family is not None:
                raise Error("family is given, but there are no maps")
            return
        array = _arrays.as_numpy(maps, "maps")
        if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[1] != array.shape[2]):
            raise Error(
                f"maps have shape {array.shape}, expected [half-edges, d] or [half-edges, d, d]"
            )
        flat = np.ascontiguousarray(array).reshape(-1)
        if flat.dtype.kind == "c":
            flat = flat.astype(np.complex128, copy=False)
            self.real, self.imag = flat.real, flat.imag
        else:
            self.real = _arrays.numbers(flat, "maps")
        if family is None:
            family = "diagonal" if array.ndim == 2 else "general"
        if (family == "diagonal") != (array.ndim == 2):
            raise Error(f"maps of the {family} family cannot have shape {array.shape}")
        self.options.update(stalk_dim=array.shape[1], family=family)
        self.stalk_dim = array.shape[1] + low_pass + high_pass


def laplacian(
    graph: Any,
    sheaf: Optional[str] = None,
    *,
    q: Optional[float] = None,
    normalisation: str = "none",
    maps: Any = None,
    family: Optional[str] = None,
    low_pass: bool = False,
    high_pass: bool = False,
) -> Any:
    """The sheaf Laplacian of a graph as SciPy's CSR, complex and Hermitian.

    - `sheaf`: "trivial" (the default), "magnetic" or "sign-magnetic"
    - `q`: the charge; the phase of a one-way edge is exp(2 pi i q). Default: 1/4
    - `normalisation`: "none", "exact" (D^-1/2 L D^-1/2), "augmented" ((D + I)^-1/2) or "degree"
    - `maps`: your own restriction maps, in the order of `Graph.half_edges`, real or complex:
      [half-edges, d] for diagonal maps, otherwise [half-edges, d, d]
    - `family`: of `maps`, if they are not diagonal: "general" (the default) or "orthogonal"
    - `low_pass`, `high_pass`: additional stalk dimensions with fixed maps

    Row and column u d + i is entry i of the stalk of node u.

    >>> laplacian([(0, 1)], "magnetic", q=0.25).toarray()
    array([[0.5+0.j , 0. -0.5j],
           [0. +0.5j, 0.5+0.j ]])
    """
    from scipy import sparse

    made = as_graph(graph)
    setup = _Setup(sheaf, q, normalisation, maps, family, low_pass, high_pass)
    handle = _library.new_handle(
        lib.dsnn_blocks_close,
        lib.dsnn_laplacian,
        made._handle.value,
        _library.options(**setup.options),
        _arrays.reference(setup.real),
        _arrays.reference(setup.imag),
    )
    rows, columns, count, dim = (
        ctypes.c_int64(),
        ctypes.c_int64(),
        ctypes.c_int64(),
        ctypes.c_int32(),
    )
    check(
        lib.dsnn_blocks_get_sizes(
            handle.value, *(ctypes.byref(size) for size in (rows, columns, count, dim))
        )
    )
    d = dim.value
    offsets = np.empty(rows.value + 1, np.int64)
    places = np.empty(count.value, np.int32)
    values = np.empty((count.value, d, d), np.complex128)
    check(
        lib.dsnn_blocks_get(
            handle.value,
            rows.value,
            count.value,
            *(_arrays.pointer(array) for array in (offsets, places, values)),
        )
    )
    shape = (rows.value * d, columns.value * d)
    if d == 1:
        return sparse.csr_matrix((values.reshape(-1), places, offsets), shape=shape)
    if count.value == 0:
        return sparse.csr_matrix(shape, dtype=np.complex128)
    matrix = sparse.bsr_matrix((values, places, offsets), shape=shape).tocsr()
    matrix.eliminate_zeros()
    return matrix


def spectrum(
    graph: Any,
    sheaf: Optional[str] = None,
    *,
    q: Optional[float] = None,
    normalisation: str = "none",
    k: int = 6,
    which: str = "smallest",
    tolerance: Optional[float] = None,
    maps: Any = None,
    family: Optional[str] = None,
    low_pass: bool = False,
    high_pass: bool = False,
    progress: Any = None,
) -> Spectrum:
    """Eigenvalues at one end or both ends of a Laplacian's spectrum, by a matrix-free method.

    `k` is the number of eigenvalues, `which` "smallest", "largest" or "both" (k at each end); the
    other arguments are those of `laplacian`. Eigenvalues are repeated by their multiplicity.

    >>> spectrum([(0, 1), (1, 2), (2, 0)], q=0, k=3).values.round(6) + 0.0
    array([0., 3., 3.])
    """
    made = as_graph(graph)
    if which == "both":
        parts = (sheaf, q, normalisation, k, tolerance, maps, family, low_pass, high_pass)
        return _both_ends(made, *parts, progress=progress)
    setup = _Setup(sheaf, q, normalisation, maps, family, low_pass, high_pass)
    options = _library.options(**setup.options, which=which, count=k, tolerance=tolerance)
    handle = long_call(
        lambda callback: _library.new_handle(
            lib.dsnn_spectrum_close,
            lib.dsnn_spectrum_compute,
            made._handle.value,
            options,
            _arrays.reference(setup.real),
            _arrays.reference(setup.imag),
            callback,
            None,
        ),
        progress,
    )
    count, size = ctypes.c_int64(), ctypes.c_int64()
    check(lib.dsnn_spectrum_get_sizes(handle.value, ctypes.byref(count), ctypes.byref(size)))
    result = Spectrum(
        np.empty(count.value),
        np.empty((count.value, made.num_nodes, setup.stalk_dim), np.complex128),
        np.empty(count.value),
    )
    check(
        lib.dsnn_spectrum_get(
            handle.value, count.value, size.value, *(_arrays.pointer(part) for part in result)
        )
    )
    return Spectrum(*(part[::-1] for part in result)) if which == "largest" else result


def _both_ends(
    graph: Any,
    sheaf: Optional[str],
    q: Optional[float],
    normalisation: str,
    k: int,
    tolerance: Optional[float],
    maps: Any,
    family: Optional[str],
    low_pass: bool,
    high_pass: bool,
    *,
    progress: Any,
) -> Spectrum:
    def end(which: str, count: int) -> Spectrum:
        return spectrum(
            graph, sheaf, q=q, normalisation=normalisation, k=count, which=which,
            tolerance=tolerance, maps=maps, family=family, low_pass=low_pass, high_pass=high_pass,
            progress=progress,
        )  # fmt: skip

    d = _Setup(sheaf, q, normalisation, maps, family, low_pass, high_pass).stalk_dim
    size = graph.num_nodes * d
    if 2 * k >= size:
        return end("smallest", max(1, size))
    low, high = end("smallest", k), end("largest", k)
    return Spectrum(*(np.concatenate(parts) for parts in zip(low, high)))


def verify(
    graph: Any, *, stalk_dim: int = 3, trials: int = 9, seed: int = 0, progress: Any = None
) -> list[Claim]:
    """Checks the theorems about the Laplacian numerically, on a graph with random sheaves.

    >>> all(claim.passed for claim in verify([(0, 1), (1, 2), (2, 0), (0, 2)]))
    True
    """
    made = as_graph(graph)
    options = _library.options(stalk_dim=stalk_dim, trials=trials, seed=seed)
    result = long_call(
        lambda callback: _library.call_for_json(
            lib.dsnn_verify, made._handle.value, options, callback, None
        ),
        progress,
    )
    return [Claim(**claim) for claim in result["claims"]]
