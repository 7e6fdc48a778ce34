"""Directed graphs, created from arrays and from the types of other packages."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional

import numpy as np

from dsnn import _arrays, _library
from dsnn._library import Error, GraphSizes, Handle, check, lib


class HalfEdges(NamedTuple):
    """The half-edges of a graph, sorted by (owner, neighbour): compressed sparse rows.

    This is the order of restriction maps and of all other arrays over half-edges.
    """

    offsets: np.ndarray
    """[nodes + 1], the index of each node's first half-edge"""
    neighbours: np.ndarray
    """[half-edges]"""
    reverses: np.ndarray
    """[half-edges], the index of the reverse half-edge"""
    orientations: np.ndarray
    """[half-edges], 1 if only owner -> neighbour exists, -1 if only the reverse, 0 if both"""
    weights: np.ndarray
    """[half-edges], the weight of owner -> neighbour; 0 if there is no such arc"""


class _Arcs(NamedTuple):
    sources: Any
    targets: Any
    weights: Any = None
    num_nodes: Optional[int] = None
    node_ids: Optional[list[str]] = None


class Graph:
    """A directed graph on nodes 0 .. n-1; weights may be negative.

    `edges` is one of

    - an array [2, m], sources above targets, as PyG's `edge_index`, or [m, 2]; [2, 2] is [2, m]
    - a list of pairs (source, target), or a tuple of two vectors (sources, targets)
    - a SciPy sparse matrix or array, whose entry (u, v) is the weight of the arc u -> v
    - a pandas DataFrame with columns `source` and `target` (otherwise the first two) and optionally
      `weight`; nodes may have any names
    - a NetworkX graph; an undirected edge becomes two arcs
    - PyG's `Data`, or anything else with an `edge_index`
    - another Graph

    Nodes with names are numbered in order of appearance; `node_ids` has the names. `weights`, one
    for each arc, replaces weights in `edges`; `weights=False` ignores those. Integer arrays of 32
    or 64 bits are read without a copy, with any strides. Other packages are not imported.

    Self-loops are left out; weights of duplicate arcs are added.

    >>> import numpy as np
    >>> Graph(np.array([[0, 1, 2], [1, 2, 0]]))
    Graph(3 nodes, 3 arcs)
    >>> Graph([(0, 1), (1, 2)], weights=[0.5, -1.0], num_nodes=4)
    Graph(4 nodes, 2 arcs, weighted)
    """

    _handle: Handle
    node_ids: Optional[list[str]]
    """The names of the nodes; None if they have none."""

    def __init__(self, edges: Any, num_nodes: Optional[int] = None, *, weights: Any = None) -> None:
        arcs = _arcs_of(edges, keeps_weights=weights is not False)
        if weights is not None and weights is not False:
            arcs = arcs._replace(weights=weights)
        if num_nodes is None:
            num_nodes = arcs.num_nodes
        sources = _arrays.whole_numbers(arcs.sources, "sources")
        targets = _arrays.whole_numbers(arcs.targets, "targets")
        values = None if arcs.weights is None else _arrays.numbers(arcs.weights, "weights")
        if values is not None and values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if num_nodes is not None and not isinstance(num_nodes, (int, np.integer)):
            raise Error(f"num_nodes is {num_nodes!r}, expected a whole number")
        if num_nodes is not None and num_nodes < 0:
            raise Error(f"num_nodes is {num_nodes}, expected 0 or more")
        self._handle = _library.new_handle(
            lib.dsnn_graph_close,
            lib.dsnn_graph_create,
            -1 if num_nodes is None else min(int(num_nodes), 2**62),
            _arrays.reference(sources),
            _arrays.reference(targets),
            _arrays.reference(values),
        )
        self.node_ids = arcs.node_ids
        self._sizes = self._get_sizes()

    @classmethod
    def _from_handle(cls, handle: Handle, node_ids: Optional[list[str]] = None) -> Graph:
        self = cls.__new__(cls)
        self._handle = handle
        self.node_ids = node_ids
        self._sizes = self._get_sizes()
        return self

    def _get_sizes(self) -> GraphSizes:
        sizes = GraphSizes()
        check(lib.dsnn_graph_get_sizes(self._handle.value, ctypes.byref(sizes)))
        return sizes

    def close(self) -> None:
        """Frees the memory. Using the graph afterwards raises Error."""
        self._handle.close()

    def __repr__(self) -> str:
        weighted = ", weighted" if self.is_weighted else ""
        return f"Graph({self.num_nodes} nodes, {self.num_arcs} arcs{weighted})"

    def __copy__(self) -> Graph:
        return self  # graphs do not change

    def __deepcopy__(self, memo: Any) -> Graph:
        return self

    def __reduce__(self) -> Any:
        edge_index, weights = self.arcs()
        return _restored, (edge_index, self.num_nodes, weights, self.node_ids)

    @property
    def num_nodes(self) -> int:
        """The number of nodes."""
        return int(self._sizes.num_nodes)

    @property
    def num_arcs(self) -> int:
        """The number of different arcs u -> v."""
        return int(self._sizes.num_arcs)

    @property
    def num_edges(self) -> int:
        """The number of edges: unordered pairs of nodes with at least one arc."""
        return int(self._sizes.num_edges)

    @property
    def num_half_edges(self) -> int:
        """The number of half-edges: twice the number of edges."""
        return int(self._sizes.num_half_edges)

    @property
    def is_weighted(self) -> bool:
        """Whether arcs have weights."""
        return bool(self._sizes.is_weighted)

    @property
    def dropped(self) -> dict[str, int]:
        """The numbers of self-loops, duplicates and arcs of weight 0 that were left out.

        >>> Graph([(0, 0), (0, 1), (0, 1)]).dropped
        {'self_loops': 1, 'duplicates': 1, 'zero_weight': 0}
        """
        return {
            "self_loops": int(self._sizes.num_self_loops),
            "duplicates": int(self._sizes.num_duplicates),
            "zero_weight": int(self._sizes.num_zero_weight),
        }

    def arcs(self) -> tuple[np.ndarray, Optional[np.ndarray]]:
        """The arcs [2, arcs], sorted by (source, target), and their weights or None.

        >>> Graph([(1, 2), (0, 1)]).arcs()[0]
        array([[0, 1],
               [1, 2]])
        """
        arcs = np.empty((2, self.num_arcs), np.int32)
        weights = np.empty(self.num_arcs) if self.is_weighted else None
        check(
            lib.dsnn_graph_get_arcs(
                self._handle.value,
                self.num_arcs,
                _arrays.pointer(arcs[0]),
                _arrays.pointer(arcs[1]),
                _arrays.pointer(weights),
            )
        )
        return arcs.astype(np.int64), weights

    def half_edges(self) -> HalfEdges:
        """The half-edges, sorted by (owner, neighbour).

        >>> Graph([(0, 1), (1, 2)]).half_edges().neighbours
        array([1, 0, 2, 1], dtype=int32)
        """
        count = self.num_half_edges
        made = HalfEdges(
            np.empty(self.num_nodes + 1, np.int64),
            np.empty(count, np.int32),
            np.empty(count, np.int64),
            np.empty(count, np.int8),
            np.empty(count),
        )
        check(
            lib.dsnn_graph_get_half_edges(
                self._handle.value, self.num_nodes, count, *(_arrays.pointer(a) for a in made)
            )
        )
        return made

    def reversed(self) -> Graph:
        """A new graph with all arcs reversed."""
        handle = _library.new_handle(
            lib.dsnn_graph_close, lib.dsnn_graph_reversed, self._handle.value
        )
        return Graph._from_handle(handle, self.node_ids)

    def symmetrised(self) -> Graph:
        """A new graph with both arcs of each edge.

        >>> Graph([(0, 1), (1, 2)]).symmetrised()
        Graph(3 nodes, 4 arcs)
        """
        handle = _library.new_handle(
            lib.dsnn_graph_close, lib.dsnn_graph_symmetrised, self._handle.value
        )
        return Graph._from_handle(handle, self.node_ids)

    def to_scipy(self) -> Any:
        """The adjacency matrix as SciPy's CSR; entry (u, v) is for the arc u -> v."""
        from scipy import sparse

        (sources, targets), weights = self.arcs()
        values = np.ones(self.num_arcs) if weights is None else weights
        n = self.num_nodes
        return sparse.csr_matrix((values, (sources, targets)), shape=(n, n))


def as_graph(graph: Any) -> Graph:
    """The graph itself, or `Graph(graph)` for other types."""
    return graph if isinstance(graph, Graph) else Graph(graph)


def _restored(
    edge_index: np.ndarray,
    num_nodes: int,
    weights: Optional[np.ndarray],
    node_ids: Optional[list[str]],
) -> Graph:
    graph = Graph(edge_index, num_nodes, weights=weights)
    graph.node_ids = node_ids
    return graph


def _arcs_of(edges: Any, *, keeps_weights: bool) -> _Arcs:
    if isinstance(edges, Graph):
        edge_index, weights = edges.arcs()
        arcs = _Arcs(edge_index[0], edge_index[1], weights, edges.num_nodes, edges.node_ids)
    elif hasattr(edges, "tocoo") and hasattr(edges, "shape"):
        arcs = _from_scipy(edges)
    elif hasattr(edges, "edge_index"):
        arcs = _from_pyg(edges)
    elif hasattr(edges, "is_directed") and hasattr(edges, "adj"):
        arcs = _from_networkx(edges)
    elif hasattr(edges, "columns") and hasattr(edges, "iloc"):
        arcs = _from_pandas(edges)
    else:
        arcs = _from_arrays(edges)
    return arcs if keeps_weights else arcs._replace(weights=None)


def _from_scipy(matrix: Any) -> _Arcs:
    rows, columns = matrix.shape
    if rows != columns:
        raise Error(f"edges: the matrix has shape {matrix.shape}, expected as many rows as columns")
    coo = matrix.tocoo()
    values = coo.data
    all_one = values.dtype == bool or bool((values == 1).all())
    return _Arcs(coo.row, coo.col, None if all_one else values, rows)


def _from_pyg(data: Any) -> _Arcs:
    edge_index = data.edge_index
    if edge_index is None:
        raise Error("edges: the data has no edge_index")
    arcs = _from_arrays(edge_index)
    weights = getattr(data, "edge_weight", None)
    num_nodes = getattr(data, "num_nodes", None)
    return arcs._replace(weights=weights, num_nodes=None if num_nodes is None else int(num_nodes))


def _from_networkx(graph: Any) -> _Arcs:
    nodes = list(graph.nodes)
    numbers = {node: i for i, node in enumerate(nodes)}
    triples = [(numbers[u], numbers[v], w) for u, v, w in graph.edges(data="weight")]
    sources = np.array([u for u, _, _ in triples], np.int64)
    targets = np.array([v for _, v, _ in triples], np.int64)
    weights = None
    if any(w is not None for _, _, w in triples):
        weights = np.array([1.0 if w is None else float(w) for _, _, w in triples])
    if not graph.is_directed():
        both = sources != targets
        sources, targets = (
            np.concatenate([sources, targets[both]]),
            np.concatenate([targets, sources[both]]),
        )
        weights = None if weights is None else np.concatenate([weights, weights[both]])
    named = nodes != list(range(len(nodes)))
    return _Arcs(
        sources, targets, weights, len(nodes), [str(node) for node in nodes] if named else None
    )


def _from_pandas(frame: Any) -> _Arcs:
    names = list(frame.columns)
    if len(names) < 2:
        raise Error(f"edges: the table has {len(names)} column, expected source and target")
    has_names = "source" in names and "target" in names
    source, target = (
        (frame["source"], frame["target"]) if has_names else (frame.iloc[:, 0], frame.iloc[:, 1])
    )
    weights = frame["weight"].to_numpy() if "weight" in names else None
    pairs = np.stack([source.to_numpy(), target.to_numpy()])
    if pairs.dtype.kind in "iu":
        return _Arcs(pairs[0], pairs[1], weights)
    numbers: dict[Any, int] = {}
    flat = [numbers.setdefault(name, len(numbers)) for name in pairs.T.ravel()]
    arcs = np.array(flat, np.int64).reshape(-1, 2)
    return _Arcs(arcs[:, 0], arcs[:, 1], weights, len(numbers), [str(name) for name in numbers])


def _from_arrays(edges: Any) -> _Arcs:
    if isinstance(edges, tuple) and len(edges) == 2:
        sources, targets = (_arrays.as_numpy(part, "edges") for part in edges)
        if sources.ndim != 1 or targets.ndim != 1:
            raise Error("edges: expected a tuple of two vectors, sources and targets")
        return _Arcs(sources, targets)
    array = _arrays.as_numpy(edges, "edges")
    if array.size == 0 and isinstance(edges, (list, tuple)):
        return _Arcs(np.empty(0, np.int64), np.empty(0, np.int64))
    if array.ndim != 2 or 2 not in array.shape:
        raise Error(f"edges have shape {array.shape}, expected [2, m] or [m, 2]")
    is_rows = array.shape[0] != 2 or (isinstance(edges, (list, tuple)) and array.shape[1] == 2)
    return _Arcs(array[:, 0], array[:, 1]) if is_rows else _Arcs(array[0], array[1])
