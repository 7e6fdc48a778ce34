"""Functions of dsnn.torch: results, gradients, layouts, errors."""

import gc
import itertools
import threading

import numpy as np
import pytest

import dsnn

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch_cases import (  # noqa: E402
    ARCS,
    NODES,
    PlainGraph,
    cases,
    edge_index,
    plain_laplacian_product,
)

import dsnn.torch as dt  # noqa: E402

CASES = cases()
every_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def leaves(case, dtype=torch.float64):
    return [t.detach().clone().to(dtype).requires_grad_() for t in case.tensors]


@every_case
def test_as_plain_torch(case):
    ours, theirs = leaves(case), leaves(case)
    y, expected = case.function(*ours), case.plain(*theirs)
    torch.testing.assert_close(y, expected, rtol=1e-10, atol=1e-10)
    weight = torch.randn(y.shape, dtype=y.dtype)
    (y * weight).sum().backward()
    (expected * weight).sum().backward()
    for a, b in zip(ours, theirs):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-8, atol=1e-9)


@every_case
def test_gradcheck(case):
    assert torch.autograd.gradcheck(case.function, leaves(case))


@every_case
def test_float32(case):
    y = case.function(*leaves(case, torch.float32))
    assert y.dtype == torch.float32
    torch.testing.assert_close(y.double(), case.function(*leaves(case)), rtol=2e-3, atol=2e-4)


def spread(tensor, how):
    """The same values in another layout."""
    if how == "transposed":
        order = list(range(tensor.dim()))[::-1]
        return tensor.permute(order).contiguous().permute(order)
    if how == "strided":
        wide = torch.full([2 * s + 1 for s in tensor.shape], float("nan"), dtype=tensor.dtype)
        place = tuple(slice(1, None, 2) for _ in tensor.shape)
        wide[place] = tensor
        return wide[place]
    if how == "offset":
        flat = torch.cat([torch.full((1,), float("nan"), dtype=tensor.dtype), tensor.flatten()])
        return flat[1:].view(tensor.shape)
    return torch.complex(torch.zeros_like(tensor), -tensor).conj().imag  # with a lazy negation


@every_case
@pytest.mark.parametrize("how", ["transposed", "strided", "offset", "negated"])
def test_layouts(case, how):
    plain = leaves(case)
    moved = [spread(t.detach(), how).requires_grad_() for t in case.tensors]
    y, expected = case.function(*moved), case.function(*plain)
    assert torch.equal(y, expected)
    weight = torch.randn(y.shape[::-1], dtype=y.dtype).permute(*range(y.dim())[::-1])
    (y * weight).sum().backward()
    (expected * weight).sum().backward()
    for a, b in zip(moved, plain):
        assert torch.equal(a.grad, b.grad)


@every_case
def test_only_wanted_gradients(case):
    full = leaves(case)
    case.function(*full).sum().backward()
    for wanted in itertools.product([False, True], repeat=len(full)):
        some = [t.detach().clone().requires_grad_(w) for t, w in zip(full, wanted)]
        y = case.function(*some)
        assert y.requires_grad == any(wanted)
        if any(wanted):
            y.sum().backward()
        for t, all_of_it, is_wanted in zip(some, full, wanted):
            if is_wanted:
                torch.testing.assert_close(t.grad, all_of_it.grad, rtol=1e-12, atol=1e-13)
            else:
                assert t.grad is None


def test_expanded_gradient():
    x = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
    w = torch.randn(2, 3, dtype=torch.float64)
    dt.head_dot(x, w).backward(torch.ones((), dtype=torch.float64).expand(4, 2))
    torch.testing.assert_close(x.grad, w.flatten().expand(4, 6))


@every_case
def test_no_second_derivative(case):
    tensors = leaves(case)
    y = case.function(*tensors)
    grads = torch.autograd.grad((y**2).sum(), tensors, create_graph=True)
    with pytest.raises(dsnn.Error, match="there is no second derivative"):
        sum(g.sum() for g in grads).backward()


@every_case
def test_same_bits_for_any_number_of_threads(case):
    before = torch.get_num_threads()
    try:
        results = []
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            tensors = leaves(case, torch.float32)
            y = case.function(*tensors)
            y.sum().backward()
            results.append([y, *(t.grad for t in tensors)])
    finally:
        torch.set_num_threads(before)
    for other in results[1:]:
        assert all(torch.equal(a, b) for a, b in zip(results[0], other))


# ---- Compared with the engine ----


def test_bits_of_the_engine():
    torch.manual_seed(3)
    n, d, f = 50, 3, 8
    edges = torch.randint(0, n, (2, 300))
    graph = dt.graph(edges, n)
    x = torch.randn(2, n, d, f)
    maps = torch.randn(graph.num_half_edges, d, d)
    charge = torch.tensor(0.1)
    scale = dsnn.Operator("scaled_maps", graph, family="general")
    diffuse = dsnn.Operator("scaled_diffusion", graph)
    scaled, diagonal = scale(maps.numpy(), None)[:2]
    expected = diffuse(x.numpy(), scaled, diagonal, charge.numpy())[0]
    y = dt.sheaf_diffusion(x, maps, graph, charge=charge, family="general")
    np.testing.assert_array_equal(y.numpy(), expected)


def test_weighted_graph():
    weights = [0.5, -2.0, 1.0, 3.0, -0.25, 1.0, 2.0, 1.0, 1.5]
    graph = dt.graph(edge_index(), NODES, torch.tensor(weights))
    plain = PlainGraph(ARCS, weights)
    torch.manual_seed(2)
    x = torch.randn(2, NODES, 2, 3, dtype=torch.float64)
    maps = torch.randn(len(plain.halves), 2, 2, dtype=torch.float64)
    q = torch.tensor(0.3, dtype=torch.float64)
    for normalisation in ("augmented", "exact", "degree"):
        options = {"charge": q, "family": "general", "normalisation": normalisation}
        torch.testing.assert_close(
            dt.sheaf_diffusion(x, maps, graph, **options),
            plain_laplacian_product(x, maps, plain, **options),
        )


def test_charge_as_a_number():
    graph = dt.graph(edge_index(), NODES)
    x, maps = torch.randn(2, NODES, 2, 3), torch.randn(graph.num_half_edges, 2)
    assert torch.equal(
        dt.sheaf_diffusion(x, maps, graph, charge=0.25),
        dt.sheaf_diffusion(x, maps, graph, charge=torch.tensor(0.25)),
    )


# ---- Dropout ----


def test_dropout_seeds():
    x = torch.ones(100, 20)
    assert torch.equal(dt.dropout(x, 0.3, seed=1), dt.dropout(x, 0.3, seed=torch.tensor(1)))
    assert not torch.equal(dt.dropout(x, 0.3, seed=1), dt.dropout(x, 0.3, seed=2))
    assert not torch.equal(dt.dropout(x, 0.3, seed=1), dt.dropout(x, 0.3, seed=1, place=1))
    torch.manual_seed(4)
    first, second = dt.dropout(x, 0.3), dt.dropout(x, 0.3)
    assert not torch.equal(first, second)
    torch.manual_seed(4)
    assert torch.equal(dt.dropout(x, 0.3), first)
    assert abs((first == 0).float().mean() - 0.3) < 0.05
    assert torch.equal(dt.dropout(x, 0.0), x)


# ---- Errors ----


def test_wrong_shapes_have_the_sentence_of_the_library():
    graph = dt.graph(edge_index(), NODES)
    with pytest.raises(dsnn.Error, match=r"sheaf_maps: right must have shape \[6, 3\]"):
        dt.sheaf_maps(torch.ones(NODES, 3), torch.ones(NODES, 5), graph)
    with pytest.raises(dsnn.Error, match="scaled_maps: maps must have shape"):
        dt.sheaf_diffusion(torch.ones(2, NODES, 3, 4), torch.ones(3, 3), graph)
    with pytest.raises(dsnn.Error, match="did you mean"):
        dt.sheaf_maps(torch.ones(NODES, 3), torch.ones(NODES, 3), graph, activation="tahn")
    with pytest.raises(dsnn.Error, match="family"):
        dt.scaled_maps(torch.ones(3, 3), graph, family='gen"eral\\')


@pytest.mark.parametrize(
    ("tensor", "sentence"),
    [
        (torch.ones(NODES, 3, device="meta"), "is on the device 'meta'"),
        (torch.ones(NODES, 3, dtype=torch.float16), "must be float32 or float64"),
        (torch.ones(NODES, 3, dtype=torch.int64), "must be float32 or float64"),
        (torch.ones(NODES, 3, dtype=torch.float64), "like the others"),
        (torch.ones(NODES, 3).to_sparse(), "must be dense"),
        (np.ones((NODES, 3)), "must be a tensor"),
        (None, "must be a tensor"),
    ],
)
def test_tensors_that_cannot_be_used(tensor, sentence):
    graph = dt.graph(edge_index(), NODES)
    with pytest.raises(dsnn.Error, match=sentence):
        dt.sheaf_maps(torch.ones(NODES, 3), tensor, graph)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_cuda():
    with pytest.raises(dsnn.Error, match=r"move it by \.cpu\(\)"):
        dt.unit_rows(torch.ones(2, 2, device="cuda"))


def test_not_a_graph():
    with pytest.raises(dsnn.Error, match=r"graph must be a dsnn\.Graph \(got Tensor\)"):
        dt.edge_weights(torch.ones(NODES), torch.ones(NODES), edge_index())
    with pytest.raises(dsnn.Error, match=r"matrix must be a dsnn\.SparseMatrix"):
        dt.spmm(torch.ones(5, 1), torch.eye(5))


def test_closed():
    graph = dsnn.Graph(edge_index().numpy(), NODES)
    left = torch.ones(NODES, requires_grad=True)
    y = dt.edge_weights(left, left, graph)
    graph.close()
    with pytest.raises(dsnn.Error, match="edge_weights: the graph is closed"):
        dt.edge_weights(left, left, graph)
    y.sum().backward()  # the closed graph is not needed
    assert left.grad is not None


def test_graph_that_is_gone_on_the_way_back():
    left = torch.ones(NODES, requires_grad=True)
    y = dt.edge_weights(left, left, dsnn.Graph(edge_index().numpy(), NODES))
    gc.collect()
    y.sum().backward()
    assert left.grad is not None


def test_operators_go_with_their_graph():
    from dsnn.torch import _structures

    graph = dsnn.Graph(edge_index().numpy(), NODES)
    dt.edge_weights(torch.ones(NODES), torch.ones(NODES), graph)
    handle = graph._handle.value
    assert handle in _structures._kept
    del graph
    gc.collect()
    assert handle not in _structures._kept
    assert handle not in _structures._structures


def test_no_edges_and_no_nodes():
    graph = dsnn.Graph(np.empty((2, 0), np.int64), 3)
    x = torch.ones(2, 3, 1, 2, requires_grad=True)
    maps = torch.ones(0, 1, requires_grad=True)
    y = dt.sheaf_diffusion(x, maps, graph, charge=0.25)
    assert torch.equal(y, torch.zeros_like(x))
    y.sum().backward()
    assert torch.equal(x.grad, torch.zeros_like(x))
    assert dt.unit_rows(torch.ones(0, 4)).shape == (0, 4)


def test_many_threads_at_once():
    torch.manual_seed(1)
    graph = dt.graph(torch.randint(0, 200, (2, 2000)), 200)
    x, maps = torch.randn(2, 200, 2, 4), torch.randn(graph.num_half_edges, 2)
    expected = dt.sheaf_diffusion(x, maps, graph, charge=0.25)
    wrong = []

    def work():
        for _ in range(30):
            mine = x.clone().requires_grad_()
            y = dt.sheaf_diffusion(mine, maps, graph, charge=0.25)
            y.sum().backward()
            if not torch.equal(y, expected):
                wrong.append(y)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_saves_only_what_is_needed():
    matrix = dt.sparse_matrix(torch.ones(4, 5).to_sparse_csr())
    x, y = torch.randn(4, 3, requires_grad=True), torch.randn(5, 3)
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        dt.edge_dot(x, y, matrix)
    assert [t.shape for t in kept if t is not None] == [y.shape]


def test_sparse_matrices():
    dense = torch.tensor([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]])
    x = torch.randn(3, 2)
    matrix = dt.sparse_matrix(dense.to_sparse_csr())
    torch.testing.assert_close(dt.spmm(x, matrix), dense @ x)
    sparse = pytest.importorskip("scipy.sparse")
    matrix = dt.sparse_matrix(sparse.coo_matrix(dense.numpy()))
    torch.testing.assert_close(dt.spmm(x, matrix), dense @ x)
    with pytest.raises(dsnn.Error, match="must be sparse CSR"):
        dt.sparse_matrix(dense.to_sparse())


# ---- Memory ----


def test_memory_of_large_results():
    from dsnn.torch import _memory

    dt.release_memory()
    x = torch.randn(3000, 500)
    y = dt.unit_rows(x)
    expected, part, place = y.clone(), y[1], y.data_ptr()
    del y
    assert _memory.kept() == 0  # a view still uses it
    assert torch.equal(dt.unit_rows(x), expected)
    assert torch.equal(part, expected[1])
    del part
    assert 0 < _memory.kept() <= _memory.MOST_KEPT
    assert place in (dt.unit_rows(x).data_ptr(), dt.unit_rows(x).data_ptr())
    dt.release_memory()
    assert _memory.kept() == 0


def test_memory_is_not_shared_between_threads():
    x = [torch.randn(1100 + i, 1000) for i in range(4)]
    expected = [dt.unit_rows(t).clone() for t in x]
    wrong = []

    def work(i):
        for _ in range(20):
            if not torch.equal(dt.unit_rows(x[i]), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i % 4,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    dt.release_memory()


def test_random_misuse():
    """Random calls return a result or raise an Error with a message."""
    generator = torch.Generator().manual_seed(11)

    def pick(count):
        return int(torch.randint(0, count, (), generator=generator))

    def spoiled(tensor):
        kind = pick(9)
        if kind == 0:
            return tensor.to([torch.float16, torch.float32, torch.int64, torch.bool][pick(4)])
        if kind == 1:
            return tensor * float("nan")
        if kind == 2:
            return torch.randn([pick(4) for _ in range(pick(5))], dtype=tensor.dtype)
        if kind == 3:
            return [None, 3.0, "x", tensor.numpy(), tensor.to("meta")][pick(5)]
        if kind == 4 and tensor.dim() > 0:
            return tensor.transpose(0, -1)
        if kind == 5:
            return tensor.unsqueeze(0).expand(2, *tensor.shape)
        if kind == 6 and tensor.dim() > 0:
            return tensor.narrow(0, 0, pick(tensor.shape[0] + 1))
        return tensor

    usable = [case for case in CASES if "weighted" not in case.name]
    failed = 0
    for _ in range(3000):
        case = usable[pick(len(usable))]
        given = [spoiled(t.detach().clone()) for t in case.tensors]
        for t in given:
            if isinstance(t, torch.Tensor) and t.is_floating_point() and t.is_leaf:
                t.requires_grad_(pick(2) == 1)
        try:
            y = case.function(*given)
        except dsnn.Error as error:
            assert ": " in str(error) or "edge" in str(error), error
            failed += 1
            continue
        if y.requires_grad:
            y.sum().backward()
    assert 1000 < failed < 3000
