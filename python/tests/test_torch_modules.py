"""Modules of dsnn.torch: compared with plain torch, instead of a GCNConv, learning."""

import copy
import io
import pathlib
import pickle

import pytest

import dsnn

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch_cases import (  # noqa: E402
    ARCS,
    NODES,
    PlainGraph,
    _complex_relu,
    edge_index,
    plain_laplacian_product,
    plain_orthogonal,
)

import dsnn.torch as dt  # noqa: E402

# ---- Compared with plain torch ----


def plain_network(model, x, maps, **options):
    """X(t+1) = diag(1 + tanh e) X(t) - relu( L_N (I (x) W1) X(t) W2 ) [eq:sheaf-network]."""
    weights = dict(model.named_parameters())
    family = {"diag": "diagonal", "orth": "orthogonal", "gen": "general"}[maps]
    graph = PlainGraph()
    d = options.get("stalk_dim", 3) + options.get("low_pass", False)
    fixed = {"low_pass": options.get("low_pass", False)}
    f = options.get("channels", 32)
    h = torch.nn.functional.elu(x @ weights["input.weight"] + weights["input.bias"])
    if "second.weight" in weights:
        h = h @ weights["second.weight"] + weights["second.bias"]
    h = h.reshape(-1, d, f)
    h = torch.stack([h, h if options.get("imag_init") == "copy" else torch.zeros_like(h)])
    charge = weights.get("charge")
    if charge is None:
        charge = torch.tensor(options.get("q", 0.25), dtype=x.dtype)
    for t in range(options.get("layers", 2)):
        if t == 0 or not options.get("share_sheaf", False):
            z = h.sum(2) if options.get("learner") == "pooled" else h.reshape(2, -1, d * f)
            ends = (z @ weights[f"layer{t}.learner"]).sum(0)
            has_weights = options.get("edge_weights", maps == "orth")
            k = ends.shape[1] // 2 - has_weights
            left, right = ends[:, :k], ends[:, k : 2 * k]
            act = torch.tanh if options.get("sheaf_act", "tanh") == "tanh" else torch.relu
            params = act(left[graph.owners] + right[graph.neighbours])
            edge_weights = None
            if has_weights:
                a = torch.sigmoid(ends[graph.owners, 2 * k] + ends[graph.neighbours, 2 * k + 1])
                edge_weights = a * a[graph.reverse]
            own = options.get("stalk_dim", 3)
            if maps == "orth":
                params = plain_orthogonal(params, own, options.get("orth_map", "householder"))
            elif maps == "gen":
                params = params.reshape(-1, own, own)
        mixed = h
        if f"layer{t}.left" in weights:
            left = weights[f"layer{t}.left"]
            mixed = (left if left.dim() == 2 else left[:, None]) @ mixed
        if f"layer{t}.right" in weights:
            right = weights[f"layer{t}.right"]
            mixed = mixed @ (right if right.dim() == 2 else right[:, None])
        y = plain_laplacian_product(
            mixed,
            params,
            graph,
            edge_weights,
            charge,
            family,
            options.get("normalise", "augmented"),
            **fixed,
        )
        eps = torch.tanh(weights[f"layer{t}.eps"])
        h = (1 + eps)[:, None] * h - _complex_relu(y)
    return (h.reshape(2, -1, d * f) @ weights["output.weight"]).sum(0) + weights["output.bias"]


OPTIONS = [
    {},
    {"q": "learn", "channels": 4, "stalk_dim": 2, "layers": 3},
    {"low_pass": True, "channels": 3, "share_sheaf": True},
    {"learner": "pooled", "edge_weights": True, "channels": 5, "left_weights": False},
    {"imag_init": "copy", "second_linear": True, "channels": 3, "right_weights": False},
    {"separate_imag_weights": True, "normalise": "degree", "channels": 3, "sheaf_act": "relu"},
    {"q": 0.1, "edge_weights": False, "channels": 3, "layers": 1, "normalise": "exact"},
]


@pytest.mark.parametrize("maps", ["diag", "orth", "gen"])
@pytest.mark.parametrize("options", OPTIONS, ids=[str(o) for o in OPTIONS])
def test_as_plain_torch(maps, options):
    torch.manual_seed(1)
    model = dt.DSNN(5, 4, maps=maps, dropout=0.0, **options).double()
    with torch.no_grad():  # not the initial weights
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    x = torch.randn(NODES, 5, dtype=torch.float64)
    y = model(x, edge_index())
    expected = plain_network(model, x, maps, **options)
    torch.testing.assert_close(y, expected)
    (y**2).sum().backward()
    ours = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    (expected**2).sum().backward()
    for (name, p), mine in zip(model.named_parameters(), ours):
        torch.testing.assert_close(mine, p.grad, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("maps", ["diag", "orth", "gen"])
def test_gradcheck(maps):
    torch.manual_seed(2)
    conv = dt.DirectedSheafConv(3, 2, stalk_dim=2, maps=maps, q="learn").double()
    x = torch.randn(NODES, 3, dtype=torch.float64, requires_grad=True)
    parameters = list(conv.parameters())
    assert torch.autograd.gradcheck(lambda x, *_: conv(x, edge_index()), (x, *parameters))


def test_initial_weights():
    torch.manual_seed(3)
    model = dt.DSNN(40, 4, q="learn")
    assert model.charge == 0.25
    weights = model.state_dict()
    assert torch.equal(weights["layer0.left"], torch.eye(3))
    right = weights["layer1.right"]
    torch.testing.assert_close(right @ right.T, 0.25 * torch.eye(32), atol=1e-5, rtol=0)
    assert torch.equal(weights["layer0.eps"], torch.zeros(3))
    for name, bound in {
        "input.weight": 40**-0.5,
        "input.bias": 40**-0.5,
        "layer0.learner": (2 * 2 * 96) ** -0.5,
        "output.weight": (2 * 96) ** -0.5,
    }.items():
        largest = weights[name].abs().max()
        assert 0.9 * bound < largest <= bound, name


def test_names_of_weights():
    assert [n for n, _ in dt.DSNN(5, 2, q="learn", layers=1).named_parameters()] == [
        "charge",
        "input.weight",
        "input.bias",
        "layer0.learner",
        "layer0.left",
        "layer0.right",
        "layer0.eps",
        "output.weight",
        "output.bias",
    ]


# ---- As modules ----


def test_copies_and_files():
    torch.manual_seed(4)
    model = dt.DSNN(5, 2, maps="gen", q="learn").eval()
    x = torch.randn(NODES, 5)
    expected = model(x, edge_index())
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    other = dt.DSNN(5, 2, maps="gen", q="learn").eval()
    other.load_state_dict(model.state_dict())
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    third = dt.DSNN(5, 2, maps="gen", q="learn").eval()
    third.load_state_dict(torch.load(file))
    for made in [*copies, other, third]:
        assert torch.equal(made(x, edge_index()), expected)


def test_graph_or_edge_index():
    model = dt.DSNN(5, 2).eval()
    x = torch.randn(NODES, 5)
    graph = dsnn.Graph(edge_index().numpy(), NODES)
    assert torch.equal(model(x, graph), model(x, edge_index()))
    with pytest.raises(dsnn.Error, match="edge_weight: a graph has its own weights"):
        model(x, graph, torch.ones(len(ARCS)))


def test_sparse_features():
    model = dt.DSNN(5, 2).eval()
    x = torch.randn(NODES, 5) * (torch.rand(NODES, 5) < 0.5)
    sparse = dt.sparse_matrix(x.to_sparse_csr())
    torch.testing.assert_close(model(sparse, edge_index()), model(x, edge_index()))


def test_dropout_while_training():
    torch.manual_seed(5)
    model = dt.DSNN(5, 2, dropout=0.5, input_dropout=0.2, embed_dropout=0.2)
    x = torch.randn(NODES, 5)
    assert not torch.equal(model(x, edge_index()), model(x, edge_index()))
    assert torch.equal(model(x, edge_index(), seed=1), model(x, edge_index(), seed=1))
    torch.manual_seed(6)
    first = model(x, edge_index())
    torch.manual_seed(6)
    assert torch.equal(model(x, edge_index()), first)
    model.eval()
    assert torch.equal(model(x, edge_index()), model(x, edge_index()))


def test_checkpointing():
    from torch.utils.checkpoint import checkpoint

    torch.manual_seed(7)
    model = dt.DSNN(5, 2, channels=4)
    x = torch.randn(NODES, 5, requires_grad=True)
    grads = []
    for run in (model, lambda x, e: checkpoint(model, x, e, use_reentrant=False)):
        torch.manual_seed(8)
        model.zero_grad()
        run(x, edge_index()).sum().backward()
        grads.append([p.grad.clone() for p in model.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*grads))


def test_parameter_groups():
    model = dt.DSNN(5, 2, q="learn")
    groups = model.parameter_groups(weight_decay=1e-3, sheaf_decay=2e-3)
    assert [group["weight_decay"] for group in groups] == [1e-3, 2e-3, 0.0]
    assert sum(len(group["params"]) for group in groups) == len(list(model.parameters()))
    assert groups[2]["params"][0] is model.charge
    torch.optim.Adam(groups, lr=0.1)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"maps": "orthgonal"}, "maps is 'orthgonal', expected one of .* did you mean"),
        ({"stalk_dim": 0}, "stalk_dim is 0, expected"),
        ({"stalk_dim": 4, "orth_map": "euler"}, "expected 1 to 3 with orth_map euler"),
        ({"q": "fixed"}, "q is 'fixed', expected a number or 'learn'"),
        ({"q": float("nan")}, "q is nan"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"activation": "tanh"}, "activation is 'tanh'"),
        ({"channels": 2.5}, "channels is 2.5"),
    ],
)
def test_mistakes(options, sentence):
    with pytest.raises(dsnn.Error, match=sentence):
        dt.DSNN(5, 2, **options)


def test_mistakes_in_calls():
    conv = dt.DirectedSheafConv(5, 2)
    x = torch.ones(NODES, 5)
    with pytest.raises(dsnn.Error, match=r"edge_index must have shape \[2, arcs\]"):
        conv(x, edge_index().T)
    with pytest.raises(dsnn.Error, match="edge_index must be int64 or int32"):
        conv(x, edge_index().float())
    with pytest.raises(dsnn.Error):
        conv(torch.ones(2, 5), edge_index())  # arcs to nodes that do not exist
    with pytest.raises(dsnn.Error, match="linear"):
        conv(torch.ones(NODES, 4), edge_index())
    with pytest.raises(dsnn.Error, match="edge_weight has no gradient"):
        conv(x, edge_index(), torch.ones(len(ARCS), requires_grad=True))
    with pytest.raises(dsnn.Error, match="one layer"):
        dt.DirectedSheafConv(5, 2, layers=2)
    with pytest.raises(TypeError):
        dt.DSNN(5, 2, stalkdim=3)


# ---- Graphs of an edge_index ----


def test_the_same_edge_index_is_one_graph():
    edges = torch.randint(0, 9, (2, 30))
    graph = dt.graph(edges, 9)
    assert dt.graph(edges, 9) is graph
    assert dt.graph(edges.clone(), 9) is graph
    assert dt.graph(edges, 10) is not graph
    assert dt.graph(edges.int(), 9) is not graph
    edges[0, 0] = (edges[0, 0] + 1) % 9
    assert dt.graph(edges, 9) is not graph


def test_edge_weights_make_other_graphs():
    edges, weights = torch.randint(0, 9, (2, 30)), torch.rand(30)
    graph = dt.graph(edges, 9, weights)
    assert graph.is_weighted
    assert dt.graph(edges, 9, weights) is graph
    assert dt.graph(edges, 9) is not graph
    weights[3] = 2
    assert dt.graph(edges, 9, weights) is not graph


def test_graphs_of_inference_tensors():
    with torch.inference_mode():
        edges = torch.randint(0, 9, (2, 30))
        graph = dt.graph(edges, 9)
        assert dt.graph(edges, 9) is graph
        edges[0, 0] = (edges[0, 0] + 1) % 9
        assert dt.graph(edges, 9) is not graph


def test_few_graphs_are_kept():
    from dsnn.torch import _graphs

    for _ in range(30):
        dt.graph(torch.randint(0, 9, (2, 30)), 9)
    assert len(_graphs._cache) <= 8


# ---- Instead of a GCNConv ----

SCRIPT = """
import torch
import torch.nn.functional as F
{imports}

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GCNConv(16, 32)
        self.conv2 = GCNConv(32, 3)

    def forward(self, x, edge_index):
        x = self.conv1(x, edge_index).relu()
        x = F.dropout(x, p=0.5, training=self.training)
        return self.conv2(x, edge_index)

torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
losses = []
for epoch in range(40):
    model.train()
    optimizer.zero_grad()
    out = model(x, edge_index)
    loss = F.cross_entropy(out[train_mask], y[train_mask])
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
model.eval()
pred = model(x, edge_index).argmax(dim=1)
"""

PLAIN_GCN = """
class GCNConv(torch.nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = torch.nn.Linear(in_channels, out_channels)

    def forward(self, x, edge_index):
        n = x.shape[0]
        loops = torch.arange(n)
        sources, targets = torch.cat([edge_index, torch.stack([loops, loops])], 1)
        degree = torch.zeros(n).index_add(0, targets, torch.ones(len(targets)))
        weight = (degree[sources] * degree[targets]) ** -0.5
        h = self.lin(x)
        return torch.zeros_like(h).index_add(0, targets, h[sources] * weight[:, None])
"""


def with_sheaf_conv(script):
    script = script.replace("GCNConv(16, 32)", "DirectedSheafConv(16, 32, stalk_dim=3)")
    return script.replace("GCNConv(32, 3)", "DirectedSheafConv(32, 3, stalk_dim=3)")


def run(script, **names):
    exec(compile(script, "script", "exec"), names)
    return names


def cyclic_communities(n=300, degree=14, seed=0):
    """Random edges of three communities; those between communities point along a cycle."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % 3
    pairs = torch.randint(0, n, (2, n * degree // 2), generator=generator)
    pairs = pairs[:, pairs[0] != pairs[1]]
    u, v = pairs
    goes_back = (y[u] - y[v]) % 3 == 1
    pairs = torch.where(goes_back, pairs.flip(0), pairs)
    return pairs, y, generator


def test_in_an_existing_script():
    edges, y, generator = cyclic_communities(90)
    x = torch.randn(90, 16, generator=generator)
    x[:, :3] += torch.nn.functional.one_hot(y, 3)
    given = {"x": x, "y": y, "edge_index": edges, "train_mask": torch.arange(90) < 45}
    before = run(SCRIPT.format(imports=PLAIN_GCN), **given)
    after = run(
        with_sheaf_conv(SCRIPT.format(imports="from dsnn.torch import DirectedSheafConv")), **given
    )
    for names in (before, after):
        assert names["losses"][-1] < names["losses"][0]
        assert names["pred"].shape == (90,)
    assert (after["pred"] == y)[:45].float().mean() > 0.9


def test_in_a_script_of_pyg():
    pytest.importorskip("torch_geometric", reason="PyG is not installed")
    edges, y, generator = cyclic_communities(90)
    x = torch.randn(90, 16, generator=generator)
    given = {"x": x, "y": y, "edge_index": edges, "train_mask": torch.arange(90) < 45}
    imports = "from torch_geometric.nn import GCNConv"
    assert run(SCRIPT.format(imports=imports), **given)["pred"].shape == (90,)
    imports = "from dsnn.torch import DirectedSheafConv"
    assert run(with_sheaf_conv(SCRIPT.format(imports=imports)), **given)["pred"].shape == (90,)


def accuracy_of(model, x, edges, y, train, test, epochs=60):
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(epochs):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(x, edges)[train], y[train]).backward()
        optimiser.step()
    model.eval()
    with torch.no_grad():
        return (model(x, edges).argmax(1) == y)[test].float().mean().item()


@pytest.mark.parametrize("maps", ["diag", "orth", "gen"])
def test_learns_from_directions(maps):
    """Half of the nodes have features that show their community; the others are classified.

    Without directions, each community has the same number of edges to all communities, so a GCN
    cannot distinguish them.
    """
    edges, y, generator = cyclic_communities()
    order = torch.randperm(300, generator=generator)
    known, train, test = order[:150], order[150:225], order[225:]
    x = torch.zeros(300, 3)
    x[known] = torch.nn.functional.one_hot(y[known], 3).float()
    torch.manual_seed(0)
    conv = dt.DirectedSheafConv(3, 3, stalk_dim=2, channels=8, maps=maps)
    assert accuracy_of(conv, x, edges, y, train, test) > 0.8

    names = run("import torch\n" + PLAIN_GCN)
    gcn = names["GCNConv"](3, 3)
    both_ways = torch.cat([edges, edges.flip(0)], 1)
    assert accuracy_of(gcn, x, both_ways, y, train, test) < 0.55


def test_example(capsys):
    root = pathlib.Path(__file__).resolve().parents[2]
    run((root / "examples/python/torch_communities.py").read_text())
    assert float(capsys.readouterr().out.split()[-1]) > 0.9
