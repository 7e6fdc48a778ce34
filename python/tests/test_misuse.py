"""Ten thousand wrong calls: each raises an exception or returns a result; none crashes."""

import ctypes

import numpy as np

import dsnn
from dsnn import _library, _operators

DTYPES = [np.float16, np.float32, np.float64, np.int8, np.int32, np.int64, np.uint64, bool,
          np.complex64, object]  # fmt: skip
ALLOWED = (dsnn.Error, MemoryError, TypeError, OverflowError)


def random_array(random, most_axes=3):
    shape = tuple(random.integers(0, 6, random.integers(0, most_axes + 1)))
    with np.errstate(all="ignore"):
        array = np.asarray(random.normal(size=shape) * 10.0 ** random.integers(-2, 9))
        array = array.astype(DTYPES[random.integers(len(DTYPES))])
    if array.dtype.kind in "fc" and array.size and random.random() < 0.3:
        array.flat[random.integers(array.size)] = random.choice([np.nan, np.inf, -np.inf])
    if array.ndim and random.random() < 0.3:
        array = array[:: random.choice([-1, 2, -2])]
    if random.random() < 0.2:
        array = array.T
    return array


def random_text(random):
    words = ["", "tanh", "trivial", "magnetic", "gcn", "mlp", "{", "\0", "x" * 5000, "\udcff",
             "linear", "spmm", "exact", "degrees"]  # fmt: skip
    return words[random.integers(len(words))]


def calls(random, graph, closed, data, run):
    """A call that is probably wrong."""
    array = random_array(random)
    graphs = [graph, closed, array, None, [(0, 1)]]
    any_graph = graphs[random.integers(len(graphs))]
    kind = random.integers(12)
    if kind == 0:
        return lambda: dsnn.Graph(array, random.integers(-5, 50), weights=random_array(random, 1))
    if kind == 1:
        return lambda: dsnn.Graph(array)
    if kind == 2:
        return lambda: dsnn.laplacian(
            any_graph, q=float(random_array(random, 0)), maps=random_array(random)
        )
    if kind == 3:
        return lambda: dsnn.laplacian(any_graph, random_text(random))
    if kind == 4:
        return lambda: dsnn.Dataset(any_graph, array, random_array(random, 1))
    if kind == 5:
        return lambda: dsnn.spectrum(any_graph, k=int(random.integers(-2, 5)), maps=array)
    if kind == 6:
        splits = [random_array(random, 1) for _ in range(random.integers(2, 5))]
        return lambda: data.set_splits(splits)
    if kind == 7:
        return lambda: run.predict(split=int(random.integers(-3, 9)), data=dsnn.Dataset(any_graph))
    if kind == 8:
        return lambda: dsnn.SparseMatrix(
            random_array(random, 1), random_array(random, 1), num_columns=random.integers(-2, 9)
        )
    if kind == 9:
        return lambda: dsnn.train(data, random_text(random), epochs=float(random.normal()))
    if kind == 10:
        name = dsnn.operators()[random.integers(30)]["name"]
        return lambda: dsnn.Operator(
            name, random.choice([None, graph, closed]), dim=int(random.integers(-2, 5))
        )
    return lambda: random_operator_call(random, graph)


def random_operator_call(random, graph):
    op = OPERATORS[random.integers(len(OPERATORS))]
    count = random.integers(0, 6)
    dtype = random.choice([np.float32, np.float64])
    arguments = []
    for _ in range(count):
        if random.random() < 0.1:
            arguments.append(None)
            continue
        sizes = [0, 1, 2, 3, 4, 6, graph.num_nodes, graph.num_half_edges, 12]
        shape = tuple(random.choice(sizes, random.integers(0, 5)))
        array = random.normal(size=shape).astype(dtype)
        if array.size and random.random() < 0.3:
            array[...] = random.choice([np.nan, np.inf, -1e300, 0])
        arguments.append(array)
    results = op(*arguments, seed=int(random.integers(2**63)), num_threads=int(random.integers(3)))
    backward(random, op, arguments, results, dtype)


def backward(random, op, arguments, results, dtype):
    given = [None if a is None else np.ascontiguousarray(a) for a in arguments]
    signature = op.signature([None if a is None else a.shape for a in given])
    grads = [np.full_like(r, random.choice([1, np.nan, np.inf])) for r in results]
    to = [None if a is None or random.random() < 0.2 else np.empty_like(a) for a in given]

    def pointers(arrays):
        return [None if a is None or random.random() < 0.02 else a.ctypes.data for a in arrays]

    op.backward(
        signature, dtype == np.float64, pointers(given), pointers(results), pointers(grads),
        pointers(to), num_threads=1,
    )  # fmt: skip


GRAPH = dsnn.Graph([(0, 1), (1, 2), (2, 3), (3, 1), (2, 1)], 5)
MATRIX = dsnn.SparseMatrix([0, 2, 3, 3, 6], [0, 1, 1, 0, 2, 3], num_columns=5)


def all_operators():
    made = []
    for entry in dsnn.operators():
        if entry["name"] == "cross_entropy":
            made.append(dsnn.Operator("cross_entropy", labels=[0, 1, 1], nodes=[0, 2]))
            continue
        attributes = [{}]
        if entry["name"] == "orthogonal":
            methods = ("householder", "cayley", "matrix_exp", "euler")
            attributes = [{"dim": d, "method": m} for d in (1, 2, 3) for m in methods]
        elif entry["name"] == "scaled_maps":
            attributes = [
                {"family": family, "normalisation": norm, "low_pass": True}
                for family in ("diagonal", "orthogonal", "general")
                for norm in ("exact", "augmented", "degree", "none")
            ]
        elif entry["name"] == "split":
            attributes = [{"widths": [1, 2]}]
        elif entry["name"] == "edge_dot":
            attributes = [{"heads": 1}, {"heads": 2}]
        for options in attributes:
            made.append(
                dsnn.Operator(
                    entry["name"],
                    GRAPH if entry["takes_graph"] else None,
                    MATRIX if entry["takes_matrix"] else None,
                    **options,
                )
            )
    return made


OPERATORS = all_operators()


def test_ten_thousand_calls(communities):
    random = np.random.default_rng(11)
    closed = dsnn.Graph([(0, 1)])
    closed.close()
    run = dsnn.train(communities, "mlp", splits=[0], epochs=2)
    data = dsnn.Dataset(GRAPH, np.ones((5, 2)), [0, 1, 0, 1, 0])
    refused = 0
    for _ in range(10_000):
        call = calls(random, GRAPH, closed, data, run)
        try:
            with np.errstate(all="ignore"):
                call()
        except ALLOWED as error:
            assert str(error)
            refused += 1
    assert refused > 5000


def fitting_arguments(random, op, dtype):
    """Arguments of valid shapes for an operator."""
    candidates = [FITTING[op.name]] if op.name in FITTING else []
    if op.name == "scaled_maps":
        candidates = [[(H, 3), (H,)], [(H, 3, 3), (H,)]]
    elif op.name == "orthogonal":
        candidates = [[(H, p)] for p in range(7)]
    for shapes in candidates:
        try:
            op.infer(shapes)
        except dsnn.Error:
            continue
        return [None if s is None else random.normal(size=s).astype(dtype) for s in shapes]
    raise AssertionError(f"no arguments fit {op.name}")


H, N, E = GRAPH.num_half_edges, 5, 6
FITTING = {
    "sheaf_maps": [(N, 4), (N, 4)],
    "edge_weights": [(N,), (N,)],
    "scaled_diffusion": [(2, N, 3, 4), (H, 3), (N, 3), ()],
    "stalk_linear": [(2, N, 3, 4), (3, 3), (4, 4)],
    "stalk_update": [(2, N, 3, 4), (2, N, 3, 4), (3,)],
    "linear": [(3, 4), (4, 2), (2,)],
    "bias_activation": [(3, 4), (4,)],
    "dropout": [(3, 4)],
    "spmm": [None, (5, 3)],
    "sparse_linear": [(5, 3)],
    "edge_sum": [(4, 3), (5, 3)],
    "edge_dot": [(4, 4), (5, 4)],
    "edge_attention": [(4, 6), (5, 6), (2, 3)],
    "edge_softmax": [(E, 2)],
    "edge_spmm": [(E, 2), (5, 6)],
    "neighbour_max": [(5, 3)],
    "combine": [(3, 4), (3, 4)],
    "multiply": [(3, 4), (3, 4)],
    "times_number": [(3, 4), (2,)],
    "function": [(3, 4)],
    "maximum": [(3, 4), (3, 4), (3, 4)],
    "softmax": [(7,)],
    "concat": [(3, 4), (3, 1)],
    "split": [(4, 3)],
    "complex_planes": [(3, 4)],
    "halves": [(3, 4)],
    "complex_bias_relu": [(2, 3, 4), (4,)],
    "unit_rows": [(3, 4)],
    "sum_middle": [(3, 4, 2)],
    "head_dot": [(3, 6), (2, 3)],
    "cross_entropy": [(3, 4)],
}


def test_numbers_that_are_none_crash_nothing():
    """Each operator, forward and backward, on NaN, infinities and subnormal values."""
    random = np.random.default_rng(5)
    for op in OPERATORS:
        for dtype in (np.float32, np.float64):
            arguments = fitting_arguments(random, op, dtype)
            for wrong in (np.nan, np.inf, -np.inf, 1e-310, 0, 3e38):
                for array in arguments:
                    if array is not None and array.size:
                        array.flat[random.integers(array.size)] = wrong
                with np.errstate(all="ignore"):
                    results = op(*arguments)
                signature = op.signature([None if a is None else a.shape for a in arguments])
                grads = [np.ones_like(r) for r in results]
                to = [
                    np.empty_like(a) if a is not None and op.is_differentiable(i) else None
                    for i, a in enumerate(arguments)
                ]
                addresses = [
                    [None if a is None else a.ctypes.data for a in arrays]
                    for arrays in (arguments, results, grads, to)
                ]
                op.backward(signature, dtype == np.float64, *addresses)


def test_handles_that_are_none():
    random = np.random.default_rng(3)
    lib = _library.lib
    sizes = _library.GraphSizes()
    for number in [0, 1, 2**63, *random.integers(0, 2**63, 200).tolist()]:
        if number == GRAPH._handle.value:
            continue
        assert lib.dsnn_graph_get_sizes(number, ctypes.byref(sizes)) == 1
        assert lib.dsnn_dataset_close(number) == 1
        assert lib.dsnn_run_close(number) == 1
    # A handle of another kind is invalid, too.
    assert lib.dsnn_matrix_close(GRAPH._handle.value) == 1
    assert lib.dsnn_graph_get_sizes(MATRIX._handle.value, ctypes.byref(sizes)) == 1


def test_closing_what_others_use():
    """An operator keeps its graph until it is closed."""
    graph = dsnn.Graph([(0, 1), (1, 2)])
    op = _operators.Operator("sheaf_maps", graph)
    graph.close()
    assert op(np.ones((3, 2)), np.ones((3, 2)))[0].shape == (4, 2)
