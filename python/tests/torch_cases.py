"""Each function of dsnn.torch on small tensors, and a reference implementation in plain torch.

The plain functions follow docs/math.md and favour readability, not speed.
"""

import math
from typing import Any, Callable, NamedTuple

import torch

import dsnn.torch as dt

NODES, CHANNELS = 6, 3
# One-way edges, a two-way edge, a self-loop, a duplicate arc and a node without edges.
ARCS = [(0, 1), (1, 2), (2, 1), (3, 2), (0, 3), (3, 4), (4, 0), (4, 4), (0, 1)]


class Case(NamedTuple):
    """A function of tensors, the tensors, and the same function in plain torch."""

    name: str
    function: Callable[..., Any]
    plain: Callable[..., Any]
    tensors: list

    def __repr__(self):
        return self.name


def edge_index():
    return torch.tensor(ARCS).T.contiguous()


class PlainGraph:
    """Half-edges, sorted by (owner, neighbour), with orientations and weights."""

    def __init__(self, arcs=ARCS, weights=None, nodes=NODES):
        self.nodes = nodes
        total = {}
        for i, arc in enumerate(arcs):
            if arc[0] != arc[1]:
                total[arc] = total.get(arc, 0.0) + (1.0 if weights is None else weights[i])
        if weights is None:
            total = dict.fromkeys(total, 1.0)
        total = {arc: w for arc, w in total.items() if w != 0}
        self.halves = sorted({(u, v) for u, v in total} | {(v, u) for u, v in total})
        self.owners = torch.tensor([u for u, _ in self.halves])
        self.neighbours = torch.tensor([v for _, v in self.halves])
        self.reverse = torch.tensor([self.halves.index((v, u)) for u, v in self.halves])
        orientations, edge_weights = [], []
        for u, v in self.halves:
            there, back = total.get((u, v)), total.get((v, u))
            if there is None or back is None:
                orientations.append(1 if back is None else -1)
            else:
                orientations.append((abs(there) > abs(back)) - (abs(there) < abs(back)))
            present = [w for w in (there, back) if w is not None]
            edge_weights.append(sum(present) / len(present))
        self.orientations = torch.tensor(orientations, dtype=torch.float64)
        self.edge_weights = torch.tensor(edge_weights, dtype=torch.float64)


def _root(values, normalisation):
    """The inverse square root of eigenvalues [eq:inverse-root]."""
    if normalisation == "augmented":
        return (values + 1) ** -0.5
    there = values > 1e-9
    safe = torch.where(there, values, torch.ones_like(values))
    return torch.where(there, safe**-0.5, torch.zeros_like(values))


def plain_laplacian_product(
    x,
    maps,
    graph,
    edge_weights=None,
    charge=None,
    family="diagonal",
    normalisation="augmented",
    low_pass=False,
    high_pass=False,
):
    """(S L S) x by the dense complex Laplacian [eq:sheaf-laplacian]."""
    planes, n, dim, channels = x.shape
    parts = maps.dim() == (3 if family == "diagonal" else 4)
    f = torch.complex(maps[0], maps[1]) if parts else torch.complex(maps, torch.zeros_like(maps))
    if family == "diagonal":
        f = torch.diag_embed(f)
    if edge_weights is not None:
        f = f * edge_weights[:, None, None]
    learned = f.shape[-1]
    for is_there, of_larger in ((low_pass, -1.0), (high_pass, 1.0)):
        if is_there:
            values = torch.where(graph.owners < graph.neighbours, 1.0, of_larger).to(x.dtype)
            wider = torch.zeros(*f.shape[:1], f.shape[-1] + 1, f.shape[-1] + 1, dtype=f.dtype)
            last = torch.zeros_like(wider)
            last[:, -1, -1] = values
            f = torch.nn.functional.pad(torch.view_as_real(f), (0, 0, 0, 1, 0, 1))
            f = torch.view_as_complex(f.contiguous()) + last
    sizes = graph.edge_weights.abs()
    f = f * sizes.sqrt()[:, None, None]
    q = torch.zeros((), dtype=x.dtype) if charge is None else charge
    angle = 2 * math.pi * q * graph.orientations
    phase = torch.complex(torch.cos(angle), torch.sin(angle)) * graph.edge_weights.sign()
    own = f.conj().transpose(1, 2) @ f
    blocks = [[torch.zeros(dim, dim, dtype=f.dtype) for _ in range(n)] for _ in range(n)]
    for h, (u, v) in enumerate(graph.halves):
        blocks[u][u] = blocks[u][u] + own[h]
        blocks[u][v] = -phase[h] * (f[h].conj().T @ f[graph.reverse[h]])
    laplacian = torch.cat([torch.cat(row, 1) for row in blocks])
    roots = []
    for u in range(n):
        d = blocks[u][u]
        eye = torch.eye(dim, dtype=f.dtype)
        if normalisation == "none":
            roots.append(eye)
        elif normalisation == "degree":
            degree = sizes[graph.owners == u].sum()
            c = learned if family == "general" else 1
            roots.append(eye * (c * degree + 1) ** -0.5)
        else:
            # Blocks are diagonal but for those of general maps, of which fixed dimensions are not.
            full = learned if family == "general" and bool((graph.owners == u).any()) else 0
            root = _root(torch.diagonal(d)[full:].real, normalisation)
            parts = [torch.diag(root).to(f.dtype)]
            if full > 0:
                values, vectors = torch.linalg.eigh(d[:full, :full])
                root = _root(values, normalisation).to(f.dtype)
                parts.insert(0, (vectors * root) @ vectors.conj().T)
            roots.append(torch.block_diag(*parts))
    s = torch.block_diag(*roots)
    z = torch.complex(x[0], x[1] if planes == 2 else torch.zeros_like(x[0]))
    y = (s @ laplacian @ s @ z.reshape(n * dim, channels)).reshape(n, dim, channels)
    return torch.stack([y.real, y.imag]) if planes == 2 else y.real[None]


def _complex(planes):
    return torch.complex(planes[0], planes[1])


def _planes(numbers):
    return torch.stack([numbers.real, numbers.imag])


def _lower(p, dim, has_diagonal):
    """Matrices with parameters [B, p] in the lower triangle, row by row."""
    rows, columns = torch.tril_indices(dim, dim, 0 if has_diagonal else -1)
    lower = torch.zeros(p.shape[0], dim, dim, dtype=p.dtype)
    return lower.index_put((torch.tensor(slice_all(p.shape[0]))[:, None], rows, columns), p)


def slice_all(count):
    return list(range(count))


def plain_orthogonal(params, dim, method):
    is_unitary = params.dim() == 3
    p = _complex(params) if is_unitary else params
    eye = torch.eye(dim, dtype=p.dtype)
    if method == "householder":
        v = _lower(p, dim, False) + eye
        q = eye.expand(p.shape[0], dim, dim)
        for k in range(dim - 1):
            column = v[:, :, k, None]
            dual = column.conj().transpose(1, 2)
            q = q @ (eye - 2 * column @ dual / (dual @ column))
    elif method == "euler":
        q = _rotations(params, dim)
        return _planes(q) if is_unitary else q.real
    else:
        lower = _lower(p, dim, True)
        a = lower - lower.conj().transpose(1, 2)
        q = torch.linalg.solve(eye + a, eye - a) if method == "cayley" else torch.matrix_exp(a)
    return _planes(q) if is_unitary else q


def _rotations(params, dim):
    angles, phases = (params[0], params[1]) if params.dim() == 3 else (params, 0 * params)
    q = torch.eye(dim, dtype=torch.complex128).expand(angles.shape[0], dim, dim)
    for k, (i, j) in enumerate([(0, 1), (2, 0), (1, 2)][: 1 if dim == 2 else 3]):
        t, w = angles[:, k], torch.complex(torch.cos(phases[:, k]), torch.sin(phases[:, k]))
        turn = torch.eye(dim, dtype=torch.complex128).repeat(angles.shape[0], 1, 1)
        turn[:, i, i] = torch.cos(t) + 0j
        turn[:, j, j] = torch.cos(t) + 0j
        turn[:, i, j] = -w.conj() * torch.sin(t)
        turn[:, j, i] = w * torch.sin(t)
        q = q @ turn
    return q


def _complex_relu(x):
    return x * (x[0] >= 0) if x.shape[0] == 2 else x * (x >= 0)


def _elu(x):
    return torch.nn.functional.elu(x)


# A 4 x 5 matrix with an empty row and a duplicate entry.
OFFSETS, COLUMNS = [0, 2, 2, 5, 7], [1, 4, 0, 0, 3, 2, 4]
VALUES = [0.5, -1.0, 2.0, 1.5, 0.25, -0.75, 3.0]
ROWS = torch.tensor([0, 0, 2, 2, 2, 3, 3])


def _dense(values):
    dense = torch.zeros(4, 5, dtype=values.dtype)
    return dense.index_put((ROWS, torch.tensor(COLUMNS)), values, accumulate=True)


def _plain_softmax(scores):
    parts = [scores[row == ROWS].softmax(0) for row in range(4)]
    return torch.cat(parts)


def _plain_edge_spmm(values, x, heads):
    x = x.reshape(5, heads, -1)[torch.tensor(COLUMNS)] * values[:, :, None]
    return torch.zeros(4, *x.shape[1:], dtype=x.dtype).index_add(0, ROWS, x).reshape(4, -1)


def _plain_max(x):
    rows = []
    for row in range(4):
        entries = x[torch.tensor(COLUMNS)[row == ROWS]]
        rows.append(entries.max(0)[0] if len(entries) else 0 * x[0])
    return torch.stack(rows)


def cases():
    torch.manual_seed(5)
    graph = dt.graph(edge_index(), NODES)
    plain = PlainGraph()
    u, v, reverse = plain.owners, plain.neighbours, plain.reverse
    count = len(plain.halves)
    matrix = dt.SparseMatrix(OFFSETS, COLUMNS, VALUES, num_columns=5)
    cols = torch.tensor(COLUMNS)

    def r(*shape):
        return torch.randn(*shape, dtype=torch.float64)

    made = []

    def add(name, function, plain_function, *tensors):
        made.append(Case(name, function, plain_function, list(tensors)))

    acts = {"identity": lambda t: t, "tanh": torch.tanh, "elu": _elu, "relu": torch.relu}
    for act, apply in acts.items():
        add(
            f"sheaf_maps {act}",
            lambda left, right, act=act: dt.sheaf_maps(left, right, graph, activation=act),
            lambda left, right, apply=apply: apply(left[u] + right[v]),
            r(NODES, 4),
            r(NODES, 4),
        )
    add(
        "edge_weights",
        lambda left, right: dt.edge_weights(left, right, graph),
        lambda left, right: (
            torch.sigmoid(left[u] + right[v]) * torch.sigmoid(left[u] + right[v])[reverse]
        ),
        r(NODES),
        r(NODES),
    )
    for method in ("householder", "cayley", "matrix_exp", "euler"):
        for dim in (2, 3):
            p = dt.num_orthogonal_params(dim, method)
            for what, shape in (("real", (5, p)), ("unitary", (2, 5, p))):
                add(
                    f"orthogonal {method} {dim} {what}",
                    lambda t, dim=dim, method=method: dt.orthogonal(t, dim, method=method),
                    lambda t, dim=dim, method=method: plain_orthogonal(t, dim, method),
                    r(*shape),
                )

    shapes = {
        "diagonal": (count, 2),
        "general": (count, 2, 2),
        "orthogonal": (count, dt.num_orthogonal_params(3)),
    }
    weights = torch.rand(count, dtype=torch.float64) + 0.5
    weights = weights + weights[reverse]
    for family, shape in shapes.items():
        d = 3 if family == "orthogonal" else 2
        for field in ("real", "phase", "complex"):
            for options in (
                {},
                {"normalisation": "exact"},
                {"normalisation": "degree"},
                {"normalisation": "none"},
                {"low_pass": True, "high_pass": True},
                {"weighted": True},
            ):
                given = dict(options)
                has_weights = given.pop("weighted", False)
                full = d + 2 * given.get("low_pass", False)
                if has_weights and family != "orthogonal" and field == "complex":
                    continue
                tensors = [
                    r(1 if field == "real" else 2, NODES, full, CHANNELS),
                    r(2, *shape) if field == "complex" else r(*shape),
                ]
                if field == "phase":
                    tensors.append(torch.tensor(0.2, dtype=torch.float64))
                if has_weights:
                    tensors.append(weights)

                def run(
                    product,
                    to_maps,
                    x,
                    maps,
                    *rest,
                    family=family,
                    field=field,
                    given=given,
                    where=None,
                ):
                    rest = list(rest)
                    charge = rest.pop(0) if field == "phase" else None
                    edge_weights = rest.pop(0) if rest else None
                    if edge_weights is not None:  # symmetric, also in a finite difference
                        edge_weights = (edge_weights + edge_weights[reverse]) / 2
                    maps = to_maps(maps) if family == "orthogonal" else maps
                    return product(
                        x,
                        maps,
                        where,
                        charge=charge,
                        edge_weights=edge_weights,
                        family=family,
                        **given,
                    )

                def fast(*tensors, run=run):
                    return run(
                        dt.sheaf_diffusion, lambda p: dt.orthogonal(p, 3), *tensors, where=graph
                    )

                def slow(*tensors, run=run):
                    return run(
                        plain_laplacian_product,
                        lambda p: plain_orthogonal(p, 3, "householder"),
                        *tensors,
                        where=plain,
                    )

                add(f"sheaf_diffusion {family} {field} {options}", fast, slow, *tensors)

    for planes in (1, 2):
        for weights_planes in ((), (planes,)):
            add(
                f"stalk_linear {planes} {weights_planes}",
                dt.stalk_linear,
                lambda x, left, right: (
                    left @ x @ right if left.dim() == 2 else left[:, None] @ x @ right[:, None]
                ),
                r(planes, NODES, 3, 4),
                r(*weights_planes, 3, 3),
                r(*weights_planes, 4, 4),
            )
        for act, apply in {"none": lambda t: t, "relu": _complex_relu, "elu": _elu}.items():
            add(
                f"stalk_update {planes} {act}",
                lambda x, y, eps, act=act: dt.stalk_update(x, y, eps, activation=act),
                lambda x, y, eps, apply=apply: (1 + eps)[:, None] * x - apply(y),
                r(planes, NODES, 3, 4),
                r(planes, NODES, 3, 4),
                r(3),
            )
    add("stalk_linear left", dt.stalk_linear, lambda x, m: m @ x, r(2, NODES, 3, 4), r(3, 3))
    add(
        "stalk_linear right",
        lambda x, m: dt.stalk_linear(x, None, m),
        lambda x, m: x @ m,
        r(2, NODES, 3, 4),
        r(4, 4),
    )
    add("linear", dt.linear, lambda x, w, b: x @ w + b, r(7, 3), r(3, 4), r(4))
    add("linear planes", dt.linear, lambda x, w: (x @ w).sum(0), r(2, 7, 3), r(2, 3, 4))
    for act, apply in {"none": lambda t: t, "relu": torch.relu, "elu": _elu}.items():
        add(
            f"bias_activation {act}",
            lambda x, b, act=act: dt.bias_activation(x, b, activation=act),
            lambda x, b, apply=apply: apply(x + b),
            r(7, 3),
            r(3),
        )
    values = torch.tensor(VALUES, dtype=torch.float64)
    add("spmm", lambda x: dt.spmm(x, matrix), lambda x: _dense(values) @ x, r(5, 3))
    add("spmm planes", lambda x: dt.spmm(x, matrix), lambda x: _dense(values) @ x, r(2, 5, 3))
    add(
        "spmm values",
        lambda x, e: dt.spmm(x, matrix, e),
        lambda x, e: _dense(e) @ x,
        r(5, 3),
        r(7),
    )
    add(
        "spmm complex values",
        lambda x, e: dt.spmm(x, matrix, e),
        lambda x, e: _planes(_dense(_complex(e)) @ _complex(x)),
        r(2, 5, 3),
        r(2, 7),
    )
    add(
        "sparse_linear",
        lambda w: dt.sparse_linear(matrix, w),
        lambda w: _dense(values) @ w,
        r(5, 3),
    )
    add(
        "edge_sum",
        lambda left, right: dt.edge_sum(left, right, matrix),
        lambda left, right: left[ROWS] + right[cols],
        r(4, 2),
        r(5, 2),
    )
    add(
        "edge_dot",
        lambda x, y: dt.edge_dot(x, y, matrix, heads=2),
        lambda x, y: (x[ROWS] * y[cols]).reshape(7, 2, 3).sum(2),
        r(4, 6),
        r(5, 6),
    )
    add(
        "edge_attention",
        lambda left, right, w: dt.edge_attention(left, right, w, matrix, slope=0.1),
        lambda left, right, w: (
            torch.nn.functional.leaky_relu((left[ROWS] + right[cols]).reshape(7, 2, 3), 0.1) * w
        ).sum(2),
        r(4, 6),
        r(5, 6),
        r(2, 3),
    )
    add("edge_softmax", lambda s: dt.edge_softmax(s, matrix), _plain_softmax, r(7, 2))
    add(
        "edge_spmm",
        lambda e, x: dt.edge_spmm(e, x, matrix),
        lambda e, x: _plain_edge_spmm(e, x, 2),
        r(7, 2),
        r(5, 6),
    )
    add("neighbour_max", lambda x: dt.neighbour_max(x, matrix), _plain_max, r(5, 3))
    add("complex_planes", dt.complex_planes, lambda x: torch.stack([x, 0 * x]), r(4, 2, 3))
    add(
        "complex_planes copies",
        lambda x: dt.complex_planes(x, copies_imag=True),
        lambda x: torch.stack([x, x]),
        r(4, 2, 3),
    )
    add("halves", dt.halves, lambda x: torch.stack([x[:, :2], x[:, 2:]]), r(5, 4))
    add(
        "complex_bias_relu",
        dt.complex_bias_relu,
        lambda x, b: _complex_relu(x + b),
        r(2, 5, 3),
        r(3),
    )
    add("unit_rows", dt.unit_rows, lambda x: x / x.norm(dim=1, keepdim=True), r(5, 3))
    add("sum_middle", lambda x: dt.sum_middle(x, 0.5), lambda x: 0.5 * x.sum(1), r(5, 3, 2))
    add(
        "head_dot",
        dt.head_dot,
        lambda x, w: (x.reshape(5, 2, 3) * w).sum(2),
        r(5, 6),
        r(2, 3),
    )
    for name, function in {
        "dropout": lambda x: dt.dropout(x, 0.4, seed=3),
        "dropout merged": lambda x: dt.dropout(x, 0.4, seed=3, merged_planes=True),
    }.items():
        # The mask, from ones: entries that are kept are divided by 0.6.
        mask = function(torch.ones(2, 5, 3, dtype=torch.float64))
        add(name, function, lambda x, mask=mask: x * mask, r(2, 5, 3))
    mask = dt.stalk_linear(torch.ones(2, NODES, 3, 4, dtype=torch.float64), dropout=0.5, seed=9)
    add(
        "stalk_linear dropout",
        lambda x, w: dt.stalk_linear(x, w, dropout=0.5, seed=9),
        lambda x, w: w @ (x * mask),
        r(2, NODES, 3, 4),
        r(3, 3),
    )
    return made
