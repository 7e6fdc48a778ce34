"""Differentiable operators on tensors. Shapes are those of docs/operators.md."""

from __future__ import annotations

from typing import Any, Optional, Union

import torch
from torch import Tensor

from dsnn.torch import _bridge
from dsnn.torch._structures import options_text

Seed = Union[int, Tensor, None]


def _seed(dropout: float, seed: Seed) -> Optional[Tensor]:
    """The seed of a dropout, by default from torch's generator; None without dropout."""
    if dropout == 0:
        return None
    if seed is None:
        return _bridge.new_seed()
    if isinstance(seed, Tensor):
        return seed
    return torch.tensor(seed & 0x7FFFFFFFFFFFFFFF)


def _dropout_text(dropout: float, merged_planes: bool, place: int, **others: Any) -> str:
    if dropout == 0:
        return options_text(**others)
    return options_text(dropout=dropout, merged_planes=merged_planes, place=place, **others)


# ---- Sheaves ----


def sheaf_maps(left: Tensor, right: Tensor, graph: Any, *, activation: str = "tanh") -> Tensor:
    """Parameters of all restriction maps from two projections of each node [eq:sheaf-maps].

    Half-edge h = (u, v) gets activation(left_u + right_v).

    Args:
        left, right: [nodes, k].
        graph: a `dsnn.Graph`.
        activation: "identity", "tanh", "elu" or "relu".

    Returns:
        [half-edges, k], in the order of `graph.half_edges()`.

    >>> graph = dsnn.torch.graph(torch.tensor([[0, 1], [1, 2]]))
    >>> sheaf_maps(torch.zeros(3, 2), torch.ones(3, 2), graph, activation="relu").shape
    torch.Size([4, 2])
    """
    options = options_text(activation=activation)
    return _bridge.apply_one("sheaf_maps", (left, right), options, graph)


def edge_weights(left: Tensor, right: Tensor, graph: Any) -> Tensor:
    """The learned weight of each edge [eq:learned-weight].

    Args:
        left, right: [nodes].

    Returns:
        [half-edges], with the same value for both half-edges of an edge.

    >>> graph = dsnn.torch.graph(torch.tensor([[0], [1]]))
    >>> edge_weights(torch.zeros(2), torch.zeros(2), graph)
    tensor([0.2500, 0.2500])
    """
    return _bridge.apply_one("edge_weights", (left, right), "", graph)


def orthogonal(params: Tensor, dim: int, *, method: str = "householder") -> Tensor:
    """Orthogonal or unitary matrices from free parameters.

    Args:
        params: [any, p], or [2, any, p] for unitary matrices; p = `num_orthogonal_params(dim)`.
        method: "householder", "cayley", "matrix_exp", or "euler" (dim 1 to 3).

    Returns:
        [any, dim, dim], or [2, any, dim, dim].

    >>> q = orthogonal(torch.tensor([[0.3, -1.0, 2.0]]), 3)
    >>> torch.allclose(q[0] @ q[0].T, torch.eye(3), atol=1e-6)
    True
    """
    options = options_text(dim=dim, method=method)
    return _bridge.apply_one("orthogonal", (params,), options)


def num_orthogonal_params(dim: int, method: str = "householder") -> int:
    """The number of parameters of one matrix.

    >>> num_orthogonal_params(3), num_orthogonal_params(3, "cayley")
    (3, 6)
    """
    return dim * (dim + 1) // 2 if method in ("cayley", "matrix_exp") else dim * (dim - 1) // 2


def scaled_maps(
    maps: Tensor,
    graph: Any,
    *,
    edge_weights: Optional[Tensor] = None,
    family: str = "diagonal",
    normalisation: str = "augmented",
    low_pass: bool = False,
    high_pass: bool = False,
) -> tuple[Tensor, Tensor]:
    """The part of the normalised Laplacian that does not depend on features [eq:scaled-maps].

    Arguments are those of `sheaf_diffusion`.

    Returns:
        The scaled maps, one for each half-edge, and the diagonal blocks, one for each node,
        for `scaled_diffusion`.

    >>> graph = dsnn.torch.graph(torch.tensor([[0], [1]]))
    >>> scaled, diagonal = scaled_maps(torch.ones(2, 1), graph)
    >>> diagonal
    tensor([[0.5000],
            [0.5000]])
    """
    options = options_text(
        family=family, normalisation=normalisation, low_pass=low_pass, high_pass=high_pass
    )
    results = _bridge.apply("scaled_maps", (maps, edge_weights), options, graph)
    return results[0], results[1]


def _charge(charge: Any, x: Any) -> Any:
    """Converts a number to a tensor of the type of x; other values are checked later."""
    if not isinstance(charge, (int, float)) or not isinstance(x, Tensor):
        return charge
    return torch.full((), float(charge), dtype=x.dtype if x.is_floating_point() else None)


def scaled_diffusion(
    x: Tensor,
    scaled: Tensor,
    diagonal: Tensor,
    graph: Any,
    *,
    charge: Union[Tensor, float, None] = None,
) -> Tensor:
    """The product of the Laplacian and features, from results of `scaled_maps` [eq:diffusion].

    Args:
        x: [planes, nodes, dim, channels].

    Returns:
        A tensor of the shape of x.
    """
    arguments = (x, scaled, diagonal, _charge(charge, x))
    return _bridge.apply_one("scaled_diffusion", arguments, "", graph)


def sheaf_diffusion(
    x: Tensor,
    maps: Tensor,
    graph: Any,
    *,
    edge_weights: Optional[Tensor] = None,
    charge: Union[Tensor, float, None] = None,
    family: str = "diagonal",
    normalisation: str = "augmented",
    low_pass: bool = False,
    high_pass: bool = False,
) -> Tensor:
    """(S L S) x for the Laplacian L of a directed sheaf [eq:apply], matrix-free.

    Args:
        x: features, [planes, nodes, dim, channels]: real and imaginary parts, or one plane if
            the maps are real and there is no charge.
        maps: restriction maps in the order of half-edges: [half-edges, dim] for the family
            "diagonal", otherwise [half-edges, dim, dim]; complex maps have a first axis of 2,
            real and imaginary parts.
        graph: a `dsnn.Graph`.
        edge_weights: [half-edges], factors of the maps.
        charge: q, a number or a tensor of one: a one-way edge has the phase exp(2 pi i q).
            None: no phase.
        family: "diagonal", "orthogonal" or "general". Orthogonality is not checked.
        normalisation: "augmented", "exact", "degree" or "none".
        low_pass, high_pass: an additional stalk dimension with fixed maps, which x has and maps
            do not have.

    Returns:
        A tensor of the shape of x.

    >>> graph = dsnn.torch.graph(torch.tensor([[0], [1]]))
    >>> x = torch.tensor([1.0, -1.0]).reshape(1, 2, 1, 1)
    >>> sheaf_diffusion(x, torch.ones(2, 1), graph).flatten()
    tensor([ 1., -1.])
    >>> turned = sheaf_diffusion(torch.cat([x, x]), torch.ones(2, 1), graph, charge=0.25)
    >>> turned.shape
    torch.Size([2, 2, 1, 1])
    """
    scaled, diagonal = scaled_maps(
        maps,
        graph,
        edge_weights=edge_weights,
        family=family,
        normalisation=normalisation,
        low_pass=low_pass,
        high_pass=high_pass,
    )
    return scaled_diffusion(x, scaled, diagonal, graph, charge=charge)


# ---- Layers ----


def stalk_linear(
    x: Tensor,
    left: Optional[Tensor] = None,
    right: Optional[Tensor] = None,
    *,
    dropout: float = 0.0,
    merged_planes: bool = False,
    seed: Seed = None,
    place: int = 0,
) -> Tensor:
    """The weights of a layer [eq:stalk-linear]: left drop(x_u) right for each node u.

    Args:
        x: [planes, nodes, dim, channels].
        left: [dim, dim], or one for each plane, [planes, dim, dim]; None: the identity.
        right: [channels, channels], or [planes, channels, channels]; None: the identity.
        dropout: the probability that a value of x is dropped.
        merged_planes: drop real and imaginary part of a complex number together.
        seed: an integer, or an integer tensor of one value; None: from torch's generator.
        place: the index of the dropout in the model; the same seed gives another mask elsewhere.

    >>> stalk_linear(torch.ones(1, 1, 2, 1), torch.tensor([[1.0, 1.0], [0.0, 1.0]])).flatten()
    tensor([2., 1.])
    """
    options = _dropout_text(dropout, merged_planes, place)
    return _bridge.apply_one("stalk_linear", (x, left, right), options, seed=_seed(dropout, seed))


def stalk_update(x: Tensor, y: Tensor, eps: Tensor, *, activation: str = "relu") -> Tensor:
    """The update of a layer [eq:stalk-update]: diag(1 + eps) x - activation(y).

    Args:
        x, y: [planes, nodes, dim, channels]; with two planes, ReLU keeps complex numbers with a
            real part that is not negative.
        eps: [dim].
        activation: "none", "relu" or "elu".

    >>> stalk_update(torch.ones(1, 1, 1, 2), torch.tensor([[[[2.0, -2.0]]]]), torch.zeros(1))
    tensor([[[[-1.,  1.]]]])
    """
    options = options_text(activation=activation)
    return _bridge.apply_one("stalk_update", (x, y, eps), options)


def linear(x: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    """A linear map of all planes to real values [eq:linear].

    Args:
        x: [rows, inputs] or [planes, rows, inputs].
        weight: [inputs, outputs] or [planes, inputs, outputs].
        bias: [outputs].

    Returns:
        [rows, outputs]

    >>> linear(torch.ones(2, 1, 1), torch.tensor([[[2.0]], [[3.0]]]))
    tensor([[5.]])
    """
    return _bridge.apply_one("linear", (x, weight, bias))


def bias_activation(
    x: Tensor,
    bias: Optional[Tensor] = None,
    *,
    activation: str = "relu",
    dropout: float = 0.0,
    seed: Seed = None,
    place: int = 0,
) -> Tensor:
    """drop(activation(x + bias)) in one pass [eq:bias-activation].

    Args:
        x: [rows, columns].
        bias: [columns].
        activation: "none", "relu" or "elu".

    >>> bias_activation(torch.tensor([[-2.0, 2.0]]), torch.ones(2))
    tensor([[0., 3.]])
    """
    options = _dropout_text(dropout, False, place, activation=activation)
    return _bridge.apply_one("bias_activation", (x, bias), options, seed=_seed(dropout, seed))


def dropout(
    x: Tensor,
    probability: float,
    *,
    merged_planes: bool = False,
    seed: Seed = None,
    place: int = 0,
) -> Tensor:
    """Dropout as a function of the seed alone [eq:dropout]; no mask is stored for the gradient.

    >>> x = torch.ones(1000)
    >>> bool((dropout(x, 0.5, seed=1) == dropout(x, 0.5, seed=1)).all())
    True
    """
    options = _dropout_text(probability, merged_planes, place)
    return _bridge.apply_one("dropout", (x,), options, seed=_seed(probability, seed))


# ---- Sparse matrices ----


def spmm(x: Tensor, matrix: Any, values: Optional[Tensor] = None) -> Tensor:
    """The product of a sparse matrix and a dense one [eq:spmm].

    Args:
        x: [columns, channels], or [planes, columns, channels].
        matrix: a `SparseMatrix`.
        values: [entries] or, if complex, [2, entries]: values instead of the matrix's own,
            with a gradient.

    >>> matrix = dsnn.SparseMatrix([0, 2], [0, 1], num_columns=2)
    >>> spmm(torch.tensor([[1.0], [2.0]]), matrix)
    tensor([[3.]])
    """
    return _bridge.apply_one("spmm", (values, x), "", matrix)


def sparse_linear(
    matrix: Any, weight: Tensor, *, dropout: float = 0.0, seed: Seed = None, place: int = 0
) -> Tensor:
    """The product of sparse features, with dropout, and a weight [eq:sparse-linear].

    Args:
        matrix: a `SparseMatrix` [rows, columns].
        weight: [columns, outputs].

    Returns:
        [rows, outputs]
    """
    options = _dropout_text(dropout, False, place)
    return _bridge.apply_one("sparse_linear", (weight,), options, matrix, _seed(dropout, seed))


def edge_sum(left: Tensor, right: Tensor, matrix: Any) -> Tensor:
    """left_u + right_v for each entry (u, v) of a matrix [eq:edge-sum]: scores of GAT.

    Args:
        left: [rows, k].
        right: [columns, k].

    Returns:
        [entries, k]
    """
    return _bridge.apply_one("edge_sum", (left, right), "", matrix)


def edge_dot(x: Tensor, y: Tensor, matrix: Any, *, heads: int = 1) -> Tensor:
    """x_u . y_v for each entry (u, v) of a matrix and each head [eq:edge-dot].

    Args:
        x: [rows, heads * channels].
        y: [columns, heads * channels].

    Returns:
        [entries, heads]
    """
    return _bridge.apply_one("edge_dot", (x, y), options_text(heads=heads), matrix)


def edge_attention(
    left: Tensor, right: Tensor, weight: Tensor, matrix: Any, *, slope: float = 0.2
) -> Tensor:
    """Scores of GATv2 for several heads [eq:edge-attention].

    Args:
        left: [rows, heads * channels].
        right: [columns, heads * channels].
        weight: [heads, channels].
        slope: the slope of the leaky ReLU.

    Returns:
        [entries, heads]
    """
    options = options_text(slope=slope)
    return _bridge.apply_one("edge_attention", (left, right, weight), options, matrix)


def edge_softmax(scores: Tensor, matrix: Any) -> Tensor:
    """The softmax over the entries of each row, for each head [eq:edge-softmax].

    Args:
        scores: [entries, heads].

    >>> matrix = dsnn.SparseMatrix([0, 2], [0, 1], num_columns=2)
    >>> edge_softmax(torch.zeros(2, 1), matrix).flatten()
    tensor([0.5000, 0.5000])
    """
    return _bridge.apply_one("edge_softmax", (scores,), "", matrix)


def edge_spmm(values: Tensor, x: Tensor, matrix: Any) -> Tensor:
    """The product of a sparse matrix with values for several heads, and x [eq:edge-spmm].

    Args:
        values: [entries, heads].
        x: [columns, heads * channels].

    Returns:
        [rows, heads * channels]
    """
    return _bridge.apply_one("edge_spmm", (values, x), "", matrix)


def neighbour_max(x: Tensor, matrix: Any) -> Tensor:
    """The largest x_v over the entries (u, v) of each row; 0 if it is empty [eq:neighbour-max].

    Args:
        x: [columns, channels].

    Returns:
        [rows, channels]
    """
    return _bridge.apply_one("neighbour_max", (x,), "", matrix)


# ---- Planes and rows ----


def complex_planes(x: Tensor, *, copies_imag: bool = False) -> Tensor:
    """Complex values [2, n, ...] from real ones [n, ...] [eq:planes].

    Imaginary parts are 0, or with `copies_imag` equal to the real parts.
    """
    return _bridge.apply_one("complex_planes", (x,), options_text(copies_imag=copies_imag))


def halves(x: Tensor) -> Tensor:
    """The two halves of each row as planes: from [rows, 2 k] to [2, rows, k]."""
    return _bridge.apply_one("halves", (x,))


def complex_bias_relu(x: Tensor, bias: Tensor) -> Tensor:
    """x + (1 + i) bias, or 0 where its real part is negative. x: [2, rows, k]; bias: [k]."""
    return _bridge.apply_one("complex_bias_relu", (x, bias))


def unit_rows(x: Tensor) -> Tensor:
    """Rows scaled to length 1, except rows of zeros [eq:unit-rows].

    >>> unit_rows(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    return _bridge.apply_one("unit_rows", (x,))


def sum_middle(x: Tensor, factor: float = 1.0) -> Tensor:
    """factor times the sum over the axis before the last. x: [any, any, any]."""
    return _bridge.apply_one("sum_middle", (x,), options_text(factor=factor))


def head_dot(x: Tensor, weight: Tensor) -> Tensor:
    """The dot products of each row's heads and a weight [eq:head-dot].

    Args:
        x: [rows, heads * channels].
        weight: [heads, channels].

    Returns:
        [rows, heads]
    """
    return _bridge.apply_one("head_dot", (x, weight))
