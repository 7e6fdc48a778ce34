"""Operators in torch's dispatcher and compiler (torch 2.4 and newer)."""

import shutil

import pytest

import dsnn

torch = pytest.importorskip("torch", reason="torch is not installed")
if not hasattr(torch.library, "register_autograd"):
    pytest.skip("torch is older than 2.4", allow_module_level=True)

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch_cases import ARCS, NODES, cases, edge_index  # noqa: E402

import dsnn.torch as dt  # noqa: E402
from dsnn.torch import _bridge  # noqa: E402

CASES = cases()


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()


class Calls(TorchDispatchMode):
    """Records all calls of operators of dsnn."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "dsnn":
            self.found.append((func, args))
        return func(*args, **(kwargs or {}))


def calls():
    """One forward and one backward call of each operator, by name."""
    found = {}
    for case in CASES:
        tensors = [t.detach().clone().requires_grad_() for t in case.tensors]
        with Calls() as recorded:
            case.function(*tensors).sum().backward()
        for func, args in recorded.found:
            found.setdefault(func._schema.name, (func, args))
    return found


FOUND = calls()


def test_all_operators_are_there():
    for name in _bridge.SPECS:
        if name != "function":
            assert f"dsnn::{name}" in FOUND
            assert f"dsnn::{name}_backward" in FOUND


@pytest.mark.parametrize("name", sorted(FOUND))
def test_opcheck(name):
    func, args = FOUND[name]
    has_gradient = not name.endswith("_backward")  # there is no second derivative
    given = [
        a.detach().clone().requires_grad_(a.is_floating_point() and has_gradient)
        if isinstance(a, torch.Tensor)
        else a
        for a in args
    ]
    torch.library.opcheck(func, tuple(given))


@pytest.mark.parametrize("maps", ["diag", "orth", "gen"])
def test_opcheck_of_the_middle_of_a_layer(maps):
    model = dt.DSNN(5, 4, maps=maps, channels=2, stalk_dim=2)
    options = model.options.sheaf
    x = torch.randn(2, NODES, 2, 2, requires_grad=True)
    ends = torch.randn(NODES, options.num_ends, requires_grad=True)
    charge = torch.tensor(0.2, requires_grad=True)
    for weights in (None, torch.rand(len(ARCS)) + 0.5):
        given = (x, ends, charge, edge_index(), weights, options.text())
        torch.library.opcheck(torch.ops.dsnn.learned_diffusion.default, given)
        wanted = (True, True, True)
        tensors = tuple(None if t is None else t.detach() for t in given[:5])
        torch.library.opcheck(
            torch.ops.dsnn.learned_diffusion_backward.default,
            (*tensors, torch.randn(x.shape), *wanted, options.text()),
        )


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_dispatched_as_direct(case):
    """The operators of torch.library give the same results as the Function of eager mode."""
    direct = [t.detach().clone().requires_grad_() for t in case.tensors]
    expected = case.function(*direct)
    expected.sum().backward()
    tensors = [t.detach().clone().requires_grad_() for t in case.tensors]
    with Calls():
        y = case.function(*tensors)
        y.sum().backward()
    assert torch.equal(y, expected)
    assert all(torch.equal(a.grad, b.grad) for a, b in zip(tensors, direct))


def test_no_second_derivative():
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    with Calls():
        (grad,) = torch.autograd.grad((dt.unit_rows(x) ** 3).sum(), x, create_graph=True)
        with pytest.raises(dsnn.Error, match="unit_rows: there is no second derivative"):
            grad.sum().backward()


def gradients(model, *arguments):
    model.zero_grad()
    y = model(*arguments)
    (y**2).sum().backward()
    return [y, *(p.grad.clone() for p in model.parameters())]


@pytest.mark.parametrize("maps", ["diag", "orth", "gen"])
@pytest.mark.parametrize("where", ["graph", "edge_index", "weights"])
def test_compiled_model_without_graph_breaks(maps, where):
    torch.manual_seed(1)
    options = {"learner": "pooled", "diagonal": "drop"} if maps == "gen" else {}
    model = dt.DSNN(5, 4, maps=maps, q="learn", channels=4, dropout=0.0, **options)
    x = torch.randn(NODES, 5)
    arguments = {
        "graph": (x, dt.graph(edge_index(), NODES)),
        "edge_index": (x, edge_index()),
        "weights": (x, edge_index(), torch.rand(len(ARCS)) + 0.5),
    }[where]
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    expected = gradients(model, *arguments)
    model_grads = gradients(compiled, *arguments)
    for a, b in zip(model_grads, expected):
        torch.testing.assert_close(a, b)


def test_compiled_model_takes_other_edges():
    torch.manual_seed(2)
    model = dt.DirectedSheafConv(5, 4)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    x = torch.randn(NODES, 5)
    for _ in range(3):
        edges = torch.randint(0, NODES, (2, 9))
        torch.testing.assert_close(compiled(x, edges), model(x, edges))
        edges[0, 0] = (edges[0, 0] + 1) % NODES
        torch.testing.assert_close(compiled(x, edges), model(x, edges))


def test_compiled_model_takes_other_graphs():
    model = dt.DirectedSheafConv(5, 4)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    for nodes in (6, 7, 7, 9):
        x, graph = torch.randn(nodes, 5), dt.graph(torch.randint(0, nodes, (2, 9)), nodes)
        torch.testing.assert_close(compiled(x, graph), model(x, graph))


def test_compiled_dropout_has_new_seeds():
    model = dt.DSNN(5, 4, channels=4, dropout=0.5)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    x = torch.randn(NODES, 5)
    first, second = compiled(x, edge_index()), compiled(x, edge_index())
    assert not torch.equal(first, second)
    assert torch.isfinite(first).all()
    assert torch.equal(compiled(x, edge_index(), seed=3), model(x, edge_index(), seed=3))


@pytest.mark.skipif(shutil.which("g++") is None, reason="no compiler")
def test_inductor():
    torch.manual_seed(3)
    graph = dt.graph(edge_index(), NODES)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = dt.DirectedSheafConv(5, 8, stalk_dim=2)
            self.second = dt.DirectedSheafConv(8, 3, maps="gen")

        def forward(self, x, where):
            return self.second(self.first(x, where).relu(), where)

    model = Net()
    compiled = torch.compile(model, fullgraph=True)
    x = torch.randn(NODES, 5)
    for where in (graph, edge_index()):
        for a, b in zip(gradients(compiled, x, where), gradients(model, x, where)):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_compiled_function():
    graph = dt.graph(edge_index(), NODES)

    @torch.compile(fullgraph=True, backend="aot_eager")
    def energy(x, maps, charge):
        y = dt.sheaf_diffusion(x, maps, graph, charge=charge, family="general")
        return (x * y).sum()

    x = torch.randn(2, NODES, 2, 3)
    maps = torch.randn(graph.num_half_edges, 2, 2, requires_grad=True)
    charge = torch.tensor(0.1, requires_grad=True)
    energy(x, maps, charge).backward()
    found = maps.grad.clone(), charge.grad.clone()
    maps.grad = charge.grad = None
    y = dt.sheaf_diffusion(x, maps, graph, charge=charge, family="general")
    (x * y).sum().backward()
    torch.testing.assert_close(found, (maps.grad, charge.grad))


def test_mistakes_within_a_compiled_model():
    compiled = torch.compile(dt.DSNN(5, 4), fullgraph=True, backend="aot_eager")
    with pytest.raises(Exception, match="linear: "):
        compiled(torch.ones(NODES, 3), edge_index())
