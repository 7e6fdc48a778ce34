"""Graphs from all types that they can be created from."""

import copy
import pickle
import sys
import types

import numpy as np
import pytest

import dsnn
from dsnn import _arrays

ARCS = np.array([[0, 1, 2, 2], [1, 2, 0, 3]])


def same(graph, other):
    (a, x), (b, y) = graph.arcs(), other.arcs()
    return (
        graph.num_nodes == other.num_nodes
        and np.array_equal(a, b)
        and ((x is None and y is None) or np.array_equal(x, y))
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64, float])
@pytest.mark.parametrize(
    "layout",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: np.asfortranarray(a),
        lambda a: np.ascontiguousarray(a.T),
        lambda a: np.repeat(a, 3, axis=1)[:, ::3],
        lambda a: a[:, ::-1],
        lambda a: (a[0], a[1]),
        lambda a: [tuple(pair) for pair in a.T.tolist()],
    ],
)
def test_arrays_of_any_layout(layout, dtype):
    assert same(dsnn.Graph(layout(ARCS.astype(dtype))), dsnn.Graph(ARCS))


def test_arrays_are_not_copied():
    for dtype in (np.int32, np.int64):
        array = ARCS.astype(dtype)
        part = _arrays.whole_numbers(array[0], "sources")
        assert np.shares_memory(part, array)


def test_misaligned_arrays_are_read_right():
    raw = np.zeros(4 * 8 + 1, np.uint8)
    view = raw[1:].view(np.int64)
    view[:] = [0, 1, 2, 2]
    assert same(dsnn.Graph((view, ARCS[1])), dsnn.Graph(ARCS))


def test_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.coo_matrix((np.ones(4), (ARCS[0], ARCS[1])), shape=(5, 5))
    for form in (matrix, matrix.tocsr(), matrix.tocsc(), sparse.csr_array(matrix)):
        graph = dsnn.Graph(form)
        assert same(graph, dsnn.Graph(ARCS, 5)) and not graph.is_weighted
    weighted = dsnn.Graph(2 * matrix)
    assert weighted.is_weighted and (weighted.to_scipy() != 2 * matrix).nnz == 0
    assert not dsnn.Graph(2 * matrix, weights=False).is_weighted
    with pytest.raises(dsnn.Error, match=r"shape \(2, 3\), expected as many rows as columns"):
        dsnn.Graph(sparse.csr_matrix((2, 3)))


def test_networkx():
    networkx = pytest.importorskip("networkx")
    directed = networkx.DiGraph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    graph = dsnn.Graph(directed)
    assert same(graph, dsnn.Graph(ARCS)) and graph.node_ids == ["a", "b", "c", "d"]
    directed["a"]["b"]["weight"] = -2
    assert dsnn.Graph(directed).arcs()[1].tolist() == [-2, 1, 1, 1]
    undirected = dsnn.Graph(networkx.path_graph(3))
    assert undirected.num_arcs == 4 and undirected.node_ids is None


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"weight": [1.0, 2, 3, 4], "target": ARCS[1], "source": ARCS[0]})
    assert same(dsnn.Graph(frame), dsnn.Graph(ARCS, weights=[1.0, 2, 3, 4]))
    named = pandas.DataFrame({"from": ["x", "y"], "to": ["y", "z"]})
    graph = dsnn.Graph(named)
    assert graph.node_ids == ["x", "y", "z"] and graph.num_arcs == 2


class Tensor:
    """The methods of a tensor that Graph uses."""

    def __init__(self, array):
        self.array = array

    def detach(self):
        return self

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        return self.array


def test_data_of_pyg_without_pyg():
    data = types.SimpleNamespace(edge_index=Tensor(ARCS), num_nodes=6)
    assert same(dsnn.Graph(data), dsnn.Graph(ARCS, 6))
    data.edge_weight = Tensor(np.arange(1, 5))
    assert dsnn.Graph(data).is_weighted


def test_nothing_is_imported_that_is_not_given():
    import subprocess

    code = (
        "import sys, dsnn; dsnn.Graph([(0, 1)]); dsnn.Dataset([(0, 1)], [[1.0], [2]], [0, 1]);"
        "print([m for m in ('scipy', 'pandas', 'networkx', 'torch', 'sklearn') "
        "if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_half_edges(random):
    graph = dsnn.Graph(random.integers(0, 30, (2, 100)), 30)
    half_edges = graph.half_edges()
    (sources, targets), _ = graph.arcs()
    arcs = set(zip(sources.tolist(), targets.tolist()))
    owners = np.repeat(np.arange(30), np.diff(half_edges.offsets))
    for h in range(graph.num_half_edges):
        u, v, back = owners[h], half_edges.neighbours[h], half_edges.reverses[h]
        assert owners[back] == v and half_edges.neighbours[back] == u
        there, here = (u, v) in arcs, (v, u) in arcs
        assert half_edges.orientations[h] == int(there) - int(here)
        assert half_edges.weights[h] == int(there)


def test_other_graphs():
    graph = dsnn.Graph(ARCS)
    assert same(graph.reversed().reversed(), graph)
    assert graph.symmetrised().num_arcs == 8
    assert copy.deepcopy(graph) is graph
    weighted = dsnn.Graph(ARCS, weights=[1, 2, 3, 4])
    assert same(pickle.loads(pickle.dumps(weighted)), weighted)
    assert same(dsnn.Graph(weighted), weighted)


def test_closed_graphs_are_errors():
    graph = dsnn.Graph(ARCS)
    graph.close()
    graph.close()
    with pytest.raises(dsnn.Error, match="the graph is closed or not a valid handle"):
        graph.arcs()


@pytest.mark.parametrize(
    ("edges", "options", "sentence"),
    [
        (np.zeros((3, 4), int), {}, r"edges have shape \(3, 4\), expected \[2, m\] or \[m, 2\]"),
        (np.zeros((2, 2, 2), int), {}, "edges have shape"),
        (np.array([[0.5], [1]]), {}, "sources must be whole numbers"),
        (np.array([[np.nan], [1]]), {}, "sources must be whole numbers"),
        (np.array([["a"], ["b"]]), {}, "sources must be whole numbers"),
        (np.array([[0], [2**40]]), {}, "targets: entry 0 is 1099511627776, expected"),
        (ARCS, {"num_nodes": 2}, "graph: arc 1 has node 2, expected 0 to 1"),
        (ARCS, {"num_nodes": -1}, "num_nodes is -1"),
        (ARCS, {"weights": [1.0]}, "weights: there are 1, expected 4"),
        (ARCS, {"weights": [1, 2, 3, np.inf]}, "weight"),
        (([0, 1], [1]), {}, "targets: there are 1, expected 2"),
        (None, {}, "edges have shape"),
    ],
)
def test_mistakes(edges, options, sentence):
    with pytest.raises(dsnn.Error, match=sentence):
        dsnn.Graph(edges, **options)
