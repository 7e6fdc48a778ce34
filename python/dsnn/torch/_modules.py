"""Sheaf networks as modules of torch: the models diag-dsnn, orth-dsnn and gen-dsnn."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import torch
from torch import Tensor, nn

from dsnn._graph import Graph
from dsnn._library import Error
from dsnn._operators import SparseMatrix
from dsnn.torch import _bridge, _learned
from dsnn.torch import _functions as functions
from dsnn.torch._graphs import graph

_FAMILIES = {"diag": "diagonal", "orth": "orthogonal", "gen": "general"}

# Indices of the dropouts within a pass.
_INPUT_PLACE, _EMBED_PLACE, _LAYER_PLACES = 1, 2, 10


def _choice(name: str, value: Any, allowed: Sequence[str]) -> str:
    if value in allowed:
        return str(value)
    near = difflib.get_close_matches(str(value), allowed, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise Error(f"{name} is '{value}', expected one of {', '.join(allowed)}{hint}")


def _count(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise Error(f"{name} is {value!r}, expected a whole number of at least {least}")
    return value


def _probability(name: str, value: Any) -> float:
    if not 0 <= value <= 0.99:
        raise Error(f"{name} is {value!r}, expected a number from 0 to 0.99")
    return float(value)


class _Options(NamedTuple):
    """The parameters of a network that its layers need."""

    sheaf: _learned.SheafOptions
    channels: int
    total_dim: int  # including the fixed dimensions
    left_weights: bool
    right_weights: bool
    separate_imag_weights: bool
    is_pooled: bool
    activation: str
    dropout: float
    merged_planes: bool

    @property
    def node_size(self) -> int:
        return self.total_dim * self.channels


def _uniform(parameter: Tensor, inputs: int) -> None:
    bound = 1 / math.sqrt(inputs) if inputs > 0 else 0.0
    nn.init.uniform_(parameter, -bound, bound)


class _Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int, planes: int = 1) -> None:
        super().__init__()
        self.inputs = planes * inputs
        shape = (inputs, outputs) if planes == 1 else (planes, inputs, outputs)
        self.weight = nn.Parameter(torch.empty(shape))
        self.bias = nn.Parameter(torch.empty(outputs))

    def reset_parameters(self) -> None:
        _uniform(self.weight, self.inputs)
        _uniform(self.bias, self.inputs)


def _complex(x: Tensor) -> Tensor:
    """Converts [1, n, D, f] to [2, n, D, f] with imaginary parts of 0."""
    return functions.complex_planes(x.reshape(x.shape[1:]))


class _Layer(nn.Module):
    """X(t+1) = diag(1 + tanh e) X(t) - act( L_N (I (x) W1) X(t) W2 ) [eq:sheaf-network]."""

    def __init__(self, options: _Options, has_learner: bool) -> None:
        super().__init__()
        self.options = options
        d, f = options.total_dim, options.channels
        planes = (2,) if options.separate_imag_weights else ()
        if has_learner:
            inputs = f if options.is_pooled else options.node_size
            self.learner = nn.Parameter(torch.empty(2, inputs, options.sheaf.num_ends))
        if options.left_weights:
            self.left = nn.Parameter(torch.empty(*planes, d, d))
        if options.right_weights:
            self.right = nn.Parameter(torch.empty(*planes, f, f))
        self.eps = nn.Parameter(torch.empty(d))

    def reset_parameters(self) -> None:
        with torch.no_grad():
            if hasattr(self, "learner"):
                _uniform(self.learner, 4 * self.learner.shape[1])
            if hasattr(self, "left"):
                self.left.copy_(torch.eye(self.left.shape[-1]).expand_as(self.left))
            if hasattr(self, "right"):
                for matrix in self.right.reshape(-1, *self.right.shape[-2:]):
                    nn.init.orthogonal_(matrix, 0.5)
            self.eps.zero_()

    def ends(self, x: Tensor, seed: Optional[Tensor], place: int) -> Tensor:
        """Each node's projections for restriction maps: [n, num_ends]. place 0: no dropout."""
        options = self.options
        planes, n, d, f = x.shape
        if options.is_pooled:
            z = functions.sum_middle(x.reshape(planes * n, d, f)).reshape(planes, n, f)
        else:
            z = x.reshape(planes, n, d * f)
        if seed is not None and place > 0 and options.dropout > 0:
            z = functions.dropout(
                z, options.dropout, merged_planes=options.merged_planes, seed=seed, place=place
            )
        return functions.linear(z, self.learner[:planes])

    def forward(
        self,
        x: Tensor,
        ends: Tensor,
        charge: Tensor,
        where: _learned.Where,
        seed: Optional[Tensor],
        place: int,
    ) -> Tensor:
        options = self.options
        mixed = functions.stalk_linear(
            x,
            getattr(self, "left", None),
            getattr(self, "right", None),
            dropout=0.0 if seed is None else options.dropout,
            merged_planes=options.merged_planes,
            seed=seed,
            place=place,
        )
        if x.shape[0] == 1:
            mixed, x = _complex(mixed), _complex(x)
        y = _learned.diffusion(mixed, ends, charge, where, options.sheaf)
        eps = _bridge.apply("function", (self.eps,), '{"function": "tanh"}')
        return functions.stalk_update(x, y, eps, activation=options.activation)


class DSNN(nn.Module):
    """A directed sheaf network [eq:sheaf-network]: diag-dsnn, orth-dsnn or gen-dsnn.

    Inputs and outputs are real; hidden features are complex. Parameters have the names and defaults
    of the command line (`dsnn models diag-dsnn`). Weights have the names, shapes and initial
    distributions of the library.

    Args:
        in_channels: features per node.
        out_channels: outputs per node, such as scores of classes.
        channels: hidden channels f: a node has stalk_dim x f hidden features.
        layers: number of layers.
        stalk_dim: dimension of the learned stalks.
        maps: "diag", "orth" or "gen".
        q: the charge, a number, or "learn".
        edge_weights: learn a weight for each edge; None: only with orthogonal maps.
        Others: see docs/torch.md.

    >>> model = DSNN(5, 2, channels=8)
    >>> edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    >>> model(torch.ones(3, 5), edge_index).shape
    torch.Size([3, 2])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        channels: int = 32,
        layers: int = 2,
        stalk_dim: int = 3,
        maps: str = "orth",
        q: Union[float, str] = 0.25,
        low_pass: bool = False,
        high_pass: bool = False,
        left_weights: bool = True,
        right_weights: bool = True,
        separate_imag_weights: bool = False,
        learner: str = "full",
        sheaf_act: str = "tanh",
        orth_map: str = "householder",
        edge_weights: Optional[bool] = None,
        share_sheaf: bool = False,
        normalise: str = "augmented",
        diagonal: str = "keep",
        imag_init: str = "zero",
        activation: str = "relu",
        input_act: str = "elu",
        second_linear: bool = False,
        input_dropout: float = 0.0,
        embed_dropout: float = 0.0,
        dropout: float = 0.3,
        dropout_planes: str = "separate",
    ) -> None:
        super().__init__()
        self.in_channels = _count("in_channels", in_channels, 0)
        self.out_channels = _count("out_channels", out_channels)
        family = _FAMILIES.get(maps, maps)
        _choice("maps", family, [*_FAMILIES, *_FAMILIES.values()])
        _choice("orth_map", orth_map, ["householder", "cayley", "matrix_exp", "euler"])
        if family == "orthogonal" and orth_map == "euler" and stalk_dim > 3:
            raise Error(f"stalk_dim is {stalk_dim}, expected 1 to 3 with orth_map euler")
        sheaf = _learned.SheafOptions(
            family=family,
            stalk_dim=_count("stalk_dim", stalk_dim),
            edge_weights=family == "orthogonal" if edge_weights is None else bool(edge_weights),
            activation=_choice("sheaf_act", sheaf_act, ["identity", "tanh", "elu", "relu"]),
            orth_map=orth_map,
            normalise=_choice("normalise", normalise, ["augmented", "exact", "degree"]),
            low_pass=bool(low_pass),
            high_pass=bool(high_pass),
            keeps_diagonal=_choice("diagonal", diagonal, ["keep", "drop"]) == "keep",
        )
        activations = ["none", "relu", "elu"]
        self.options = _Options(
            sheaf=sheaf,
            channels=_count("channels", channels),
            total_dim=stalk_dim + int(sheaf.low_pass) + int(sheaf.high_pass),
            left_weights=bool(left_weights),
            right_weights=bool(right_weights),
            separate_imag_weights=bool(separate_imag_weights),
            is_pooled=_choice("learner", learner, ["full", "pooled"]) == "pooled",
            activation=_choice("activation", activation, activations),
            dropout=_probability("dropout", dropout),
            merged_planes=_choice("dropout_planes", dropout_planes, ["separate", "merged"])
            == "merged",
        )
        self.input_act = _choice("input_act", input_act, activations)
        self.input_dropout = _probability("input_dropout", input_dropout)
        self.embed_dropout = _probability("embed_dropout", embed_dropout)
        self.copies_imag = _choice("imag_init", imag_init, ["zero", "copy"]) == "copy"
        size = self.options.node_size
        self.input = _Linear(in_channels, size)
        self.second = _Linear(size, size) if second_linear else None
        self.q: Optional[float] = None
        if q == "learn":
            self.charge = nn.Parameter(torch.empty(()))
        elif isinstance(q, (int, float)) and math.isfinite(q):
            self.q = float(q)
        else:
            raise Error(f"q is {q!r}, expected a number or 'learn'")
        self.num_layers = _count("layers", layers)
        for t in range(layers):
            self.add_module(f"layer{t}", _Layer(self.options, t == 0 or not share_sheaf))
        self.output = _Linear(size, out_channels, planes=2)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialises all weights."""
        self.input.reset_parameters()
        if self.second is not None:
            self.second.reset_parameters()
        if self.q is None:
            nn.init.constant_(self.charge, 0.25)
        for t in range(self.num_layers):
            self._layer(t).reset_parameters()
        self.output.reset_parameters()

    def parameter_groups(
        self, weight_decay: float = 5e-4, sheaf_decay: float = 5e-4
    ) -> list[dict[str, Any]]:
        """Parameter groups for an optimiser with the weight decay of `dsnn train`.

        A learned charge has none.

        >>> model = DSNN(5, 2, q="learn")
        >>> optimiser = torch.optim.Adam(model.parameter_groups(), lr=0.01)
        """
        groups: dict[str, list[Tensor]] = {"model": [], "sheaf": [], "charge": []}
        for name, parameter in self.named_parameters():
            last = name.rsplit(".", 1)[-1]
            group = {"learner": "sheaf", "charge": "charge"}.get(last, "model")
            groups[group].append(parameter)
        decays = {"model": weight_decay, "sheaf": sheaf_decay, "charge": 0.0}
        return [
            {"params": members, "weight_decay": decays[name]}
            for name, members in groups.items()
            if members
        ]

    def _layer(self, t: int) -> _Layer:
        layer: _Layer = getattr(self, f"layer{t}")
        return layer

    def _embed(self, x: Union[Tensor, SparseMatrix], seed: Optional[Tensor]) -> Tensor:
        """X(0): [planes, n, D, f], with one plane if imaginary parts are 0."""
        has_dropout = seed is not None
        dropout = self.input_dropout if has_dropout else 0.0
        if isinstance(x, SparseMatrix):
            x = functions.sparse_linear(
                x, self.input.weight, dropout=dropout, seed=seed, place=_INPUT_PLACE
            )
        else:
            if dropout > 0:
                x = functions.dropout(x, dropout, seed=seed, place=_INPUT_PLACE)
            x = functions.linear(x, self.input.weight)
        x = functions.bias_activation(
            x,
            self.input.bias,
            activation=self.input_act,
            dropout=self.embed_dropout if has_dropout else 0.0,
            seed=seed,
            place=_EMBED_PLACE,
        )
        if self.second is not None:
            x = functions.linear(x, self.second.weight, self.second.bias)
        x = x.reshape(x.shape[0], self.options.total_dim, self.options.channels)
        if self.copies_imag or self.options.separate_imag_weights:
            return functions.complex_planes(x, copies_imag=self.copies_imag)
        return x.reshape(1, *x.shape)

    def forward(
        self,
        x: Union[Tensor, SparseMatrix],
        edge_index: Union[Tensor, Graph],
        edge_weight: Optional[Tensor] = None,
        *,
        seed: Union[int, Tensor, None] = None,
    ) -> Tensor:
        """Computes the outputs [nodes, out_channels].

        Args:
            x: [nodes, in_channels], a tensor or a `SparseMatrix`.
            edge_index: [2, arcs], or a `dsnn.Graph`, which needs no lookup in the cache of graphs.
            edge_weight: [arcs], with an edge_index: weights of arcs. They have no gradient.
            seed: the seed of the dropout; None: from torch's generator.
        """
        where = _where(x, edge_index, edge_weight)
        seeds: Optional[Tensor] = None
        if self.training and max(self.input_dropout, self.embed_dropout, self.options.dropout) > 0:
            seeds = functions._seed(1.0, seed)
        h = self._embed(x, seeds)
        charge = self.charge if self.q is None else torch.full((), self.q, dtype=h.dtype)
        ends = None
        for t in range(self.num_layers):
            layer = self._layer(t)
            if hasattr(layer, "learner"):
                ends = layer.ends(h, seeds, 0 if t == 0 else _LAYER_PLACES + 2 * t)
            h = layer(h, ends, charge, where, seeds, _LAYER_PLACES + 2 * t + 1)
        flat = h.reshape(h.shape[0], h.shape[1], self.options.node_size)
        return functions.linear(flat, self.output.weight, self.output.bias)

    def extra_repr(self) -> str:
        sheaf = self.options.sheaf
        charge = "learn" if self.q is None else self.q
        return (
            f"{self.in_channels}, {self.out_channels}, channels={self.options.channels}, "
            f"layers={self.num_layers}, stalk_dim={sheaf.stalk_dim}, maps={sheaf.family}, "
            f"q={charge}"
        )


def _where(
    x: Union[Tensor, SparseMatrix],
    edge_index: Union[Tensor, Graph],
    edge_weight: Optional[Tensor],
) -> _learned.Where:
    """The graph; or, in a compiled model, the tensors by which it is found at each call."""
    if not isinstance(edge_index, Tensor):
        if edge_weight is not None:
            raise Error("edge_weight: a graph has its own weights; pass an edge_index")
        return edge_index
    if _bridge.is_compiling():
        return _learned.Arcs(edge_index, edge_weight)
    return graph(edge_index, int(x.shape[0]), edge_weight)


class DirectedSheafConv(DSNN):
    """A layer that uses the directions of edges, for use instead of a `GCNConv`.

    It is a `DSNN` with one layer: it embeds the features of each node in a stalk, learns a sheaf
    from them, takes one step of diffusion on it and maps the result to real outputs. It has no
    dropout by default and no activation of its outputs, so it combines with other layers.

    Args:
        in_channels: features per node.
        out_channels: outputs per node.
        stalk_dim: dimension of the stalks.
        channels: hidden channels; None: out_channels.
        maps: "diag", "orth" or "gen".
        q: the charge, a number, or "learn".
        options: others of `DSNN`.

    >>> conv = DirectedSheafConv(16, 32, stalk_dim=3)
    >>> conv(torch.ones(3, 16), torch.tensor([[0, 1, 2], [1, 2, 0]])).shape
    torch.Size([3, 32])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        stalk_dim: int = 3,
        *,
        channels: Optional[int] = None,
        maps: str = "orth",
        q: Union[float, str] = 0.25,
        dropout: float = 0.0,
        **options: Any,
    ) -> None:
        if "layers" in options:
            raise Error("a DirectedSheafConv is one layer; DSNN has several")
        super().__init__(
            in_channels,
            out_channels,
            stalk_dim=stalk_dim,
            channels=out_channels if channels is None else channels,
            layers=1,
            maps=maps,
            q=q,
            dropout=dropout,
            **options,
        )
