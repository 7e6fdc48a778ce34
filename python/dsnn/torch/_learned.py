"""Diffusion on a sheaf that is learned from features of nodes: a part of a layer.

On a graph it is a sequence of operators. On an `edge_index` within a compiled model, where the
number of edges is not known, it is one operator of torch, `dsnn::learned_diffusion`: it finds the
graph when it runs, and computes the maps again in the backward pass instead of storing them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import torch
from torch import Tensor

from dsnn._graph import Graph
from dsnn.torch import _bridge
from dsnn.torch import _functions as functions
from dsnn.torch._graphs import graph
from dsnn.torch._structures import options_text


class SheafOptions(NamedTuple):
    """The options of a learned sheaf."""

    family: str
    stalk_dim: int
    edge_weights: bool
    activation: str
    orth_map: str
    normalise: str
    low_pass: bool
    high_pass: bool
    keeps_diagonal: bool

    @property
    def num_params(self) -> int:
        """The number of parameters of one map."""
        d = self.stalk_dim
        if self.family == "orthogonal":
            return functions.num_orthogonal_params(d, self.orth_map)
        return d if self.family == "diagonal" else d * d

    @property
    def num_ends(self) -> int:
        """Values per node: left and right arguments of `sheaf_maps` and `edge_weights`."""
        return 2 * (self.num_params + int(self.edge_weights))

    def text(self) -> str:
        return options_text(
            family=self.family,
            stalk_dim=self.stalk_dim,
            edge_weights=self.edge_weights,
            activation=self.activation,
            orth_map=self.orth_map,
            normalise=self.normalise,
            low_pass=self.low_pass,
            high_pass=self.high_pass,
            keeps_diagonal=self.keeps_diagonal,
        )

    def widths(self) -> list[int]:
        k = self.num_params
        return [k, k, 1, 1] if self.edge_weights else [k, k]


class Arcs(NamedTuple):
    """The tensors of a graph, whose values are not known while a model is compiled."""

    edge_index: Tensor
    edge_weight: Optional[Tensor]


Where = Union[Graph, Arcs]


def diffusion(
    x: Tensor, ends: Tensor, charge: Tensor, where: Where, options: SheafOptions
) -> Tensor:
    """(S L S) x for the sheaf of `ends` [n, num_ends] [eq:sheaf-maps]. x: [2, n, D, f]."""
    if isinstance(where, Arcs):
        _bridge.check_tensors("diffusion", (("x", x), ("ends", ends), ("charge", charge)))
        arguments = (x, ends, charge, where.edge_index, where.edge_weight, options.text())
        result: Tensor = torch.ops.dsnn.learned_diffusion(*arguments)
        return result
    parts = torch.split(ends, options.widths(), 1)
    weights = None
    if options.edge_weights:
        weights = functions.edge_weights(parts[2].reshape(-1), parts[3].reshape(-1), where)
    maps = functions.sheaf_maps(parts[0], parts[1], where, activation=options.activation)
    d = options.stalk_dim
    if options.family == "orthogonal":
        maps = functions.orthogonal(maps, d, method=options.orth_map)
    elif options.family == "general":
        maps = maps.reshape(-1, d, d)
    scaled, diagonal = functions.scaled_maps(
        maps,
        where,
        edge_weights=weights,
        family=options.family,
        normalisation=options.normalise,
        low_pass=options.low_pass,
        high_pass=options.high_pass,
    )
    if not options.keeps_diagonal:
        diagonal = torch.zeros_like(diagonal)
    return functions.scaled_diffusion(x, scaled, diagonal, where, charge=charge)


# ---- The same as one operator ----


class _Step:
    """One call of an operator without autograd, and its backward pass."""

    def __init__(self, name: str, options: str, where: Graph, *arguments: Optional[Tensor]) -> None:
        self.op = _bridge.operator_on(name, options, where)
        self.arguments = arguments
        self.results = _bridge.run_forward(self.op, None, arguments)

    def back(self, wanted: Sequence[int], *grads: Tensor) -> list[Optional[Tensor]]:
        bits = sum(1 << i for i in wanted if self.arguments[i] is not None)
        padded = list(grads) + [None] * (len(self.results) - len(grads))
        shapes = _bridge.shapes_of(self.arguments)
        return _bridge.run_backward(
            self.op, None, shapes, bits, self.arguments, self.results, padded
        )


class _Steps:
    """The steps of `diffusion` above, and their backward passes."""

    def __init__(
        self, x: Tensor, ends: Tensor, charge: Tensor, where: Graph, options: SheafOptions
    ) -> None:
        self.options = options
        self.ends = ends
        d = options.stalk_dim
        parts = [part.contiguous() for part in torch.split(ends, options.widths(), 1)]
        self.weights: Optional[_Step] = None
        if options.edge_weights:
            self.weights = _Step(
                "edge_weights", "", where, parts[2].reshape(-1), parts[3].reshape(-1)
            )
        self.maps = _Step(
            "sheaf_maps", options_text(activation=options.activation), where, parts[0], parts[1]
        )
        learned = self.maps.results[0]
        self.orthogonal: Optional[_Step] = None
        if options.family == "orthogonal":
            text = options_text(dim=d, method=options.orth_map)
            self.orthogonal = _Step("orthogonal", text, where, learned)
            learned = self.orthogonal.results[0]
        elif options.family == "general":
            learned = learned.reshape(-1, d, d)
        text = options_text(
            family=options.family,
            normalisation=options.normalise,
            low_pass=options.low_pass,
            high_pass=options.high_pass,
        )
        weights = None if self.weights is None else self.weights.results[0]
        self.scaled = _Step("scaled_maps", text, where, learned, weights)
        scaled, diagonal = self.scaled.results[:2]
        if not options.keeps_diagonal:
            diagonal = torch.zeros_like(diagonal)
        self.diffusion = _Step("scaled_diffusion", "", where, x, scaled, diagonal, charge)

    def result(self) -> Tensor:
        return self.diffusion.results[0]

    def back(self, grad: Tensor, wanted: Sequence[bool]) -> list[Optional[Tensor]]:
        """The gradients of x, ends and charge; None for those not wanted."""
        of_x, of_ends, of_charge = wanted
        keeps_diagonal = self.options.keeps_diagonal
        places = [0] * of_x + [1, 2] * of_ends + [3] * of_charge
        grad_x, grad_scaled, grad_diagonal, grad_charge = self.diffusion.back(places, grad)
        if not of_ends:
            return [grad_x, None, grad_charge]
        if grad_scaled is None or grad_diagonal is None:
            raise AssertionError("gradients that were requested")
        if not keeps_diagonal:
            grad_diagonal = torch.zeros_like(grad_diagonal)
        grad_maps, grad_weights = self.scaled.back([0, 1], grad_scaled, grad_diagonal)
        if self.orthogonal is not None:
            grad_maps = self.orthogonal.back([0], _there(grad_maps))[0]
        found = self.maps.back([0, 1], _there(grad_maps))
        if self.weights is not None:
            columns = self.weights.back([0, 1], _there(grad_weights))
            found += [_there(column).reshape(-1, 1) for column in columns]
        return [grad_x, torch.cat([_there(part) for part in found], 1), grad_charge]


def _there(tensor: Optional[Tensor]) -> Tensor:
    if tensor is None:
        raise AssertionError("a gradient that was requested")
    return tensor


def _graph_of(x: Tensor, edge_index: Tensor, edge_weight: Optional[Tensor]) -> Graph:
    return graph(edge_index, int(x.shape[1]), edge_weight)


def _register(library: Any) -> None:
    inputs = "Tensor x, Tensor ends, Tensor charge, Tensor edge_index, Tensor? edge_weight, "
    library.define(f"learned_diffusion({inputs}str options) -> Tensor")
    library.define(
        f"learned_diffusion_backward({inputs}Tensor grad, bool of_x, bool of_ends, "
        "bool of_charge, str options) -> (Tensor, Tensor, Tensor)"
    )

    def steps(given: Sequence[Any], options: str) -> _Steps:
        x, ends, charge, edge_index, edge_weight = given
        where = _graph_of(x, edge_index, edge_weight)
        return _Steps(x, ends, charge, where, SheafOptions(**json.loads(options)))

    def forward(*given: Any) -> Tensor:
        return steps(given[:5], given[-1]).result()

    def forward_shapes(x: Tensor, *_: Any) -> Tensor:
        return x.new_empty(x.shape)

    def backward(*given: Any) -> tuple[Tensor, ...]:
        grad, wanted = given[5], given[6:9]
        found = steps(given[:5], given[-1]).back(grad, wanted)
        return tuple(grad.new_empty(0) if g is None else g for g in found)

    def backward_shapes(*given: Any) -> tuple[Tensor, ...]:
        grad, wanted = given[5], given[6:9]
        return tuple(
            grad.new_empty(t.shape if is_wanted else 0) for t, is_wanted in zip(given, wanted)
        )

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs[:5])
        ctx.options = inputs[5]
        ctx.wanted = tuple(ctx.needs_input_grad[:3])

    def differentiate(ctx: Any, grad: Tensor) -> Any:
        found = torch.ops.dsnn.learned_diffusion_backward(
            *ctx.saved_tensors, grad, *ctx.wanted, ctx.options
        )
        kept = [g if is_wanted else None for g, is_wanted in zip(found, ctx.wanted)]
        return (*kept, None, None, None)

    functions_of: dict[str, Any] = {
        "learned_diffusion": (forward, forward_shapes, differentiate, setup),
        "learned_diffusion_backward": (
            backward,
            backward_shapes,
            lambda ctx, *grads: _bridge.fail_second_derivative("learned_diffusion"),
            lambda ctx, inputs, output: None,
        ),
    }
    for name, (run, shapes, way_back, set_up) in functions_of.items():
        full = f"dsnn::{name}"
        library.impl(name, run, "CPU")
        torch.library.register_fake(full, shapes, lib=library)
        torch.library.register_autograd(full, way_back, setup_context=set_up, lib=library)


if _bridge.HAS_LIBRARY:
    _register(_bridge.library)
