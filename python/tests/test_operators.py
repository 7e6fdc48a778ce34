"""Operators on NumPy arrays, and the time of a call."""

import os
import time

import numpy as np
import pytest

import dsnn


def test_spmm(random):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(20, 30, 0.2, "csr", random_state=3)
    op = dsnn.Operator(
        "spmm", matrix=dsnn.SparseMatrix(matrix.indptr, matrix.indices, matrix.data, num_columns=30)
    )
    x = random.normal(size=(30, 5))
    np.testing.assert_allclose(op(None, x)[0], matrix @ x, atol=1e-13)


def test_sheaf_maps(random):
    graph = dsnn.Graph(random.integers(0, 10, (2, 30)), 10)
    half_edges = graph.half_edges()
    owners = np.repeat(np.arange(10), np.diff(half_edges.offsets))
    left, right = random.normal(size=(2, 10, 4))
    found = dsnn.Operator("sheaf_maps", graph, activation="tanh")(left, right)[0]
    expected = np.tanh(left[owners] + right[half_edges.neighbours])
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_gradients_by_differences(random):
    op = dsnn.Operator("bias_activation", activation="elu")
    x, bias, grad = random.normal(size=(6, 3)), random.normal(size=3), random.normal(size=(6, 3))
    signature = op.signature([x.shape, bias.shape])
    found = [np.empty_like(x), np.empty_like(bias)]
    needs_arguments, needs_results = op.backward_needs([0, 1])
    y = op(x, bias)[0]
    op.backward(
        signature,
        True,
        [a.ctypes.data if i in needs_arguments else None for i, a in enumerate((x, bias))],
        [y.ctypes.data if 0 in needs_results else None],
        [grad.ctypes.data],
        [g.ctypes.data for g in found],
    )
    for array, gradient in zip((x, bias), found):
        for place in np.ndindex(array.shape):
            kept, step = array[place], 1e-6
            array[place] = kept + step
            above = op(x, bias)[0]
            array[place] = kept - step
            below = op(x, bias)[0]
            array[place] = kept
            assert abs(((above - below) * grad).sum() / (2 * step) - gradient[place]) < 1e-8


def test_the_same_bits_for_any_number_of_threads(random):
    graph = dsnn.Graph(random.integers(0, 2000, (2, 20000)), 2000)
    op = dsnn.Operator("sheaf_maps", graph)
    left, right = random.normal(size=(2, 2000, 16)).astype(np.float32)
    one = op(left, right, num_threads=1)[0]
    for threads in (2, 3, 0):
        assert np.array_equal(one, op(left, right, num_threads=threads)[0])


def test_all_operators_are_listed():
    names = {op["name"] for op in dsnn.operators()}
    assert {"sheaf_maps", "scaled_diffusion", "spmm", "cross_entropy", "maximum"} <= names


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: dsnn.Operator("lineer"), "there is no operator 'lineer'; did you mean 'linear'"),
        (lambda: dsnn.Operator("spmm"), "spmm needs a matrix"),
        (lambda: dsnn.Operator("linear", slope=1), "there is no option 'slope'"),
        (lambda: dsnn.Operator("linear").infer([(2, 3), (4, 5)]), r"linear: .*shape \[3, any\]"),
        (lambda: dsnn.Operator("linear").infer([(2, -3)]), "linear"),
        (lambda: dsnn.Operator("multiply").infer([(2**40, 2**40), (1,)]), "too large"),
        (lambda: dsnn.Operator("multiply")(np.ones(2), np.ones(2, np.float32)), "all float32 or"),
        (lambda: dsnn.SparseMatrix([0, 2], [0, 9], num_columns=3), "has column 9, expected 0 to 2"),
    ],
)
def test_mistakes(make, sentence):
    with pytest.raises(dsnn.Error, match=sentence):
        make()


def test_calls_cost_little():
    op = dsnn.Operator("multiply")
    x, y = np.ones((2, 3)), np.empty((2, 3))
    signature = op.signature([x.shape, x.shape])
    pointers = [x.ctypes.data] * 2, [y.ctypes.data]
    best = min(_seconds(lambda: op.forward(signature, True, *pointers)) for _ in range(5))
    assert best < 50e-6  # about 3e-6 on an idle machine


def _seconds(call, count=1000):
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def test_a_forked_child_has_threads_of_its_own(random):
    graph = dsnn.Graph(random.integers(0, 2000, (2, 20000)), 2000)
    op = dsnn.Operator("sheaf_maps", graph)
    left, right = random.normal(size=(2, 2000, 16))
    expected = op(left, right, num_threads=2)[0]
    child = os.fork()
    if child == 0:
        try:
            same = np.array_equal(op(left, right, num_threads=2)[0], expected)
        finally:
            os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
