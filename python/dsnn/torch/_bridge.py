"""Calls operators of the library with tensors.

An operator is called by `apply`. Where torch has `torch.library` with `register_autograd` (2.4 and
newer), each operator is registered as `dsnn::name` and `dsnn::name_backward`, with rules for
shapes, which `torch.compile` needs; otherwise it is a `torch.autograd.Function`. Both call
`run_forward` and `run_backward`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, NoReturn, Optional

import torch
from torch import Tensor
from torch.nn import Parameter

from dsnn._graph import Graph
from dsnn._library import Error
from dsnn._operators import Operator, SparseMatrix
from dsnn.torch import _structures
from dsnn.torch._memory import new_tensor

Shapes = tuple[Optional[tuple[int, ...]], ...]

#: Whether operators are known to torch's dispatcher and compiler.
HAS_LIBRARY = hasattr(torch.library, "register_autograd")


class Spec(NamedTuple):
    """The properties of all operators of a name."""

    name: str
    arguments: tuple[str, ...]
    num_results: int = 1
    optional: tuple[str, ...] = ()
    within: str = ""  # "graph" or "matrix", if it takes one
    has_seed: bool = False
    #: The number of results, from the first, that have a gradient.
    num_differentiable: int = 1


_ALL = [
    Spec("sheaf_maps", ("left", "right"), within="graph"),
    Spec("edge_weights", ("left", "right"), within="graph"),
    Spec("orthogonal", ("params",)),
    Spec(
        "scaled_maps",
        ("maps", "edge_weights"),
        num_results=4,
        optional=("edge_weights",),
        within="graph",
        num_differentiable=2,
    ),
    Spec(
        "scaled_diffusion",
        ("x", "scaled", "diagonal", "charge"),
        optional=("charge",),
        within="graph",
    ),
    Spec("stalk_linear", ("x", "left", "right"), optional=("left", "right"), has_seed=True),
    Spec("stalk_update", ("x", "y", "eps")),
    Spec("linear", ("x", "weight", "bias"), optional=("bias",)),
    Spec("bias_activation", ("x", "bias"), optional=("bias",), has_seed=True),
    Spec("dropout", ("x",), has_seed=True),
    Spec("spmm", ("values", "x"), optional=("values",), within="matrix"),
    Spec("sparse_linear", ("weight",), within="matrix", has_seed=True),
    Spec("edge_sum", ("left", "right"), within="matrix"),
    Spec("edge_dot", ("x", "y"), within="matrix"),
    Spec("edge_attention", ("left", "right", "weight"), within="matrix"),
    Spec("edge_softmax", ("scores",), within="matrix"),
    Spec("edge_spmm", ("values", "x"), within="matrix"),
    Spec("neighbour_max", ("x",), within="matrix"),
    Spec("complex_planes", ("x",)),
    Spec("halves", ("x",)),
    Spec("complex_bias_relu", ("x", "bias")),
    Spec("unit_rows", ("x",)),
    Spec("sum_middle", ("x",)),
    Spec("function", ("x",)),
    Spec("head_dot", ("x", "weight")),
]
SPECS: dict[str, Spec] = {spec.name: spec for spec in _ALL}


def _operator(spec: Spec, options: str, handle: int) -> Operator:
    return _structures.operator(spec.name, options, _structures.structure(spec.within, handle))


def operator_on(name: str, options: str, graph: Graph) -> Operator:
    """An operator to be called without autograd."""
    spec = SPECS[name]
    handle = _handle_of(name, "graph", graph) if spec.within else 0
    if spec.within:
        _structures.adopt(graph, spec.within, handle)
    return _operator(spec, options, handle)


# ---- Without autograd ----


def _plain(tensor: Tensor) -> Tensor:
    """The tensor as a contiguous one without a lazy negation."""
    return tensor.detach().resolve_neg().contiguous()


def shapes_of(tensors: Sequence[Optional[Tensor]]) -> Shapes:
    return tuple(None if t is None else tuple(t.shape) for t in tensors)


def _addresses(tensors: Sequence[Optional[Tensor]]) -> list[Optional[int]]:
    return [None if t is None else t.data_ptr() for t in tensors]


def _seed_of(seed: Optional[Tensor]) -> int:
    return 0 if seed is None else int(seed.item()) & 0xFFFFFFFFFFFFFFFF


def run_forward(
    op: Operator, seed: Optional[Tensor], arguments: Sequence[Optional[Tensor]]
) -> tuple[Tensor, ...]:
    signature = op.signature(shapes_of(arguments))
    inputs = [None if t is None else _plain(t) for t in arguments]
    dtype = next(t.dtype for t in inputs if t is not None)
    results = tuple(new_tensor(shape, dtype) for shape in signature.result_shapes)
    op.forward(
        signature,
        dtype == torch.float64,
        _addresses(inputs),
        _addresses(results),
        seed=_seed_of(seed),
        num_threads=torch.get_num_threads(),
    )
    return results


def run_backward(
    op: Operator,
    seed: Optional[Tensor],
    shapes: Shapes,
    wanted: int,
    arguments: Sequence[Optional[Tensor]],
    results: Sequence[Optional[Tensor]],
    grads: Sequence[Optional[Tensor]],
) -> list[Optional[Tensor]]:
    """Gradients of the wanted arguments, None for the others."""
    given = [None if g is None else _plain(g) for g in grads]
    inputs = [None if t is None else _plain(t) for t in arguments]
    outputs = [None if t is None else _plain(t) for t in results]
    dtype = next(g.dtype for g in given if g is not None)
    found = [
        new_tensor(shape, dtype) if shape is not None and wanted >> i & 1 else None
        for i, shape in enumerate(shapes)
    ]
    op.backward(
        op.signature(shapes),
        dtype == torch.float64,
        _addresses(inputs),
        _addresses(outputs),
        _addresses(given),
        _addresses(found),
        seed=_seed_of(seed),
        num_threads=torch.get_num_threads(),
    )
    return found


def _wanted(op: Operator, needs: Sequence[bool]) -> int:
    """The arguments that get a gradient, as a bit mask."""
    bits = 0
    for i, is_needed in enumerate(needs):
        if is_needed and op.is_differentiable(i):
            bits |= 1 << i
    return bits


def _needs(op: Operator, wanted: int) -> tuple[Collection[int], Collection[int]]:
    """The arguments and results that the backward pass reads."""
    if wanted == 0:
        return (), ()
    return op.backward_needs([i for i in range(wanted.bit_length()) if wanted >> i & 1])


def _kept(which: Collection[int], tensors: Sequence[Optional[Tensor]]) -> list[Optional[Tensor]]:
    return [t if i in which else None for i, t in enumerate(tensors)]


def fail_second_derivative(name: str) -> NoReturn:
    raise Error(f"{name}: there is no second derivative; use it without create_graph=True")


# ---- As functions of autograd ----


class _Backward(torch.autograd.Function):
    """The backward pass, which has no derivative."""

    @staticmethod
    def forward(ctx: Any, run: Any, name: str, num_grads: int, *tensors: Optional[Tensor]) -> Any:
        ctx.name = name
        return tuple(run(tensors[:num_grads]))

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        fail_second_derivative(ctx.name)


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, name: str, op: Operator, seed: Optional[Tensor], *arguments: Optional[Tensor]
    ) -> Any:
        results = run_forward(op, seed, arguments)
        wanted = _wanted(op, ctx.needs_input_grad[3:])
        of_arguments, of_results = _needs(op, wanted)
        ctx.name, ctx.op, ctx.seed, ctx.wanted = name, op, seed, wanted
        ctx.shapes = shapes_of(arguments)
        ctx.save_for_backward(*_kept(of_arguments, arguments), *_kept(of_results, results))
        count = SPECS[name].num_differentiable
        ctx.mark_non_differentiable(*results[count:])
        return results if len(results) > 1 else results[0]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        saved = ctx.saved_tensors
        count = len(ctx.shapes)
        num_grads = SPECS[ctx.name].num_differentiable

        def run(given: Sequence[Tensor]) -> list[Optional[Tensor]]:
            padded = list(given) + [None] * (SPECS[ctx.name].num_results - num_grads)
            return run_backward(
                ctx.op, ctx.seed, ctx.shapes, ctx.wanted, saved[:count], saved[count:], padded
            )

        if torch.is_grad_enabled():  # with create_graph=True
            found = _Backward.apply(run, ctx.name, num_grads, *grads[:num_grads], *saved)
        else:
            found = run(grads[:num_grads])
        return (None, None, None, *found)


# ---- As operators of torch.library ----


def _encoded(shapes: Shapes) -> list[int]:
    numbers: list[int] = []
    for shape in shapes:
        numbers.extend((-1,) if shape is None else (len(shape), *shape))
    return numbers


def _decoded(numbers: Sequence[int]) -> Shapes:
    shapes: list[Optional[tuple[int, ...]]] = []
    place = 0
    while place < len(numbers):
        rank = int(numbers[place])
        place += 1
        shapes.append(None if rank < 0 else tuple(int(n) for n in numbers[place : place + rank]))
        place += max(rank, 0)
    return tuple(shapes)


def _register(library: Any, spec: Spec) -> None:
    """dsnn::name(arguments, [seed,] options, handle) and dsnn::name_backward."""
    name, count = spec.name, len(spec.arguments)
    num_grads = spec.num_differentiable
    seed_text = "Tensor? seed, " if spec.has_seed else ""
    inputs = "".join(
        f"Tensor{'?' if argument in spec.optional else ''} {argument}, "
        for argument in spec.arguments
    )
    returns = ", ".join(["Tensor"] * spec.num_results)
    library.define(f"{name}({inputs}{seed_text}str options, int handle) -> ({returns})")
    kept = "".join(f"Tensor? {argument}, " for argument in spec.arguments)
    kept += "".join(f"Tensor? result{i}, " for i in range(spec.num_results))
    grads = "".join(f"Tensor grad{i}, " for i in range(num_grads))
    found = ", ".join(["Tensor"] * count)
    library.define(
        f"{name}_backward({kept}{grads}{seed_text}SymInt[] shapes, int wanted, str options, "
        f"int handle) -> ({found})"
    )

    def parts(given: Sequence[Any]) -> tuple[Any, Optional[Tensor], str, int]:
        seed = given[count] if spec.has_seed else None
        return given[:count], seed, given[-2], given[-1]

    def packed(results: Sequence[Any]) -> Any:
        return results[0] if len(results) == 1 else tuple(results)

    def forward(*given: Any) -> Any:
        arguments, seed, options, handle = parts(given)
        return packed(run_forward(_operator(spec, options, handle), seed, arguments))

    def forward_shapes(*given: Any) -> Any:
        arguments, _, options, handle = parts(given)
        shapes = tuple(None if t is None else tuple(int(s) for s in t.shape) for t in arguments)
        like = next(t for t in arguments if t is not None)
        found = _operator(spec, options, handle).infer(shapes)
        return packed([like.new_empty(shape) for shape in found])

    def backward(*given: Any) -> Any:
        arguments, results = given[:count], given[count : count + spec.num_results]
        end = count + spec.num_results + num_grads
        grads = list(given[count + spec.num_results : end])
        seed = given[end] if spec.has_seed else None
        shapes, wanted, options, handle = given[-4:]
        op = _operator(spec, options, handle)
        padded = grads + [None] * (spec.num_results - num_grads)
        found = run_backward(op, seed, _decoded(shapes), wanted, arguments, results, padded)
        return packed([grads[0].new_empty(0) if g is None else g for g in found])

    def backward_shapes(*given: Any) -> Any:
        like = given[count + spec.num_results]
        shapes, wanted = _decoded(given[-4]), given[-3]
        return packed(
            [
                like.new_empty(shape if shape is not None and wanted >> i & 1 else 0)
                for i, shape in enumerate(shapes)
            ]
        )

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        arguments, seed, options, handle = parts(inputs)
        results = (output,) if spec.num_results == 1 else output
        within = _structures.structure(spec.within, handle)
        op = _structures.operator(name, options, within)
        wanted = _wanted(op, ctx.needs_input_grad[:count])
        of_arguments, of_results = _needs(op, wanted)
        ctx.save_for_backward(seed, *_kept(of_arguments, arguments), *_kept(of_results, results))
        ctx.mark_non_differentiable(*results[num_grads:])
        ctx.within, ctx.options, ctx.handle, ctx.wanted = within, options, handle, wanted
        ctx.shapes = _encoded(shapes_of(arguments))

    def differentiate(ctx: Any, *grads: Any) -> Any:
        seed, *saved = ctx.saved_tensors
        seeds = (seed,) if spec.has_seed else ()
        found = backward_op(
            *saved, *grads[:num_grads], *seeds, ctx.shapes, ctx.wanted, ctx.options, ctx.handle
        )
        found = (found,) if count == 1 else found
        rest = (None, None, None) if spec.has_seed else (None, None)
        return (*(g if ctx.wanted >> i & 1 else None for i, g in enumerate(found)), *rest)

    def setup_backward(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    def differentiate_again(ctx: Any, *grads: Any) -> Any:
        fail_second_derivative(name)

    library.impl(name, forward, "CPU")
    library.impl(name + "_backward", backward, "CPU")
    full = f"dsnn::{name}"
    torch.library.register_fake(full, forward_shapes, lib=library)
    torch.library.register_fake(full + "_backward", backward_shapes, lib=library)
    torch.library.register_autograd(full, differentiate, setup_context=setup, lib=library)
    torch.library.register_autograd(
        full + "_backward", differentiate_again, setup_context=setup_backward, lib=library
    )
    backward_op = getattr(torch.ops.dsnn, name + "_backward").default


_TORCH_OPS: dict[str, Any] = {}
if HAS_LIBRARY:
    _Library: Any = torch.library.Library
    library = _Library("dsnn", "DEF")
    for _spec in _ALL:
        _register(library, _spec)
        _TORCH_OPS[_spec.name] = getattr(torch.ops.dsnn, _spec.name).default


# ---- For the functions of this package ----


def check_tensors(
    name: str, arguments: Sequence[tuple[str, Any]], optional: Sequence[str] = ()
) -> None:
    """Raises Error unless all are dense tensors of one type, float32 or float64, on the CPU."""
    dtype = None
    for argument, tensor in arguments:
        if tensor is None and argument in optional:
            continue
        if not isinstance(tensor, Tensor):
            raise Error(f"{name}: {argument} must be a tensor (got {type(tensor).__name__})")
        if tensor.device.type != "cpu":
            raise Error(
                f"{name}: {argument} is on the device '{tensor.device}', and dsnn computes on the "
                "CPU; move it by .cpu()"
            )
        if tensor.layout != torch.strided:
            raise Error(f"{name}: {argument} must be dense (got {tensor.layout})")
        if tensor.dtype != torch.float32 and tensor.dtype != torch.float64:
            raise Error(f"{name}: {argument} must be float32 or float64 (got {tensor.dtype})")
        if dtype is None:
            dtype = tensor.dtype
        elif tensor.dtype != dtype:
            raise Error(f"{name}: {argument} must be {dtype} like the others (got {tensor.dtype})")


def new_seed() -> Tensor:
    """A seed for dropout, from torch's generator."""
    return torch.randint(0, 2**63 - 1, ())


def _handle_of(name: str, kind: str, within: Any) -> int:
    """The handle of a Graph or SparseMatrix. Raises Error if it is closed."""
    if not isinstance(within, _CLASSES[kind]):
        expected = _CLASSES[kind].__name__
        raise Error(f"{name}: {kind} must be a dsnn.{expected} (got {type(within).__name__})")
    if not is_compiling() and within._handle._close is None:
        raise Error(f"{name}: the {kind} is closed")
    handle: int = within._handle.value
    return handle


_CLASSES: dict[str, Any] = {"graph": Graph, "matrix": SparseMatrix}


def is_compiling() -> bool:
    return torch.compiler.is_compiling() if HAS_LIBRARY else False


_num_modes: Any = getattr(torch._C, "_len_torch_dispatch_stack", None)
_transform: Any = getattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack", None)


def _is_plain(tensors: Sequence[Optional[Tensor]]) -> bool:
    """Whether only autograd traces the call: a Function is then twice as fast as torch.ops."""
    if is_compiling() or _num_modes is None or _transform is None:
        return False
    if _num_modes() > 0 or _transform() is not None:
        return False
    return all(t is None or type(t) is Tensor or type(t) is Parameter for t in tensors)


def apply(
    name: str,
    arguments: Sequence[Any],
    options: str = "",
    within: Any = None,
    seed: Optional[Tensor] = None,
) -> Any:
    """Calls an operator. Returns a tensor, or a tuple if there are several results."""
    spec = SPECS[name]
    check_tensors(name, tuple(zip(spec.arguments, arguments)), spec.optional)
    handle = 0
    if spec.within:
        handle = _handle_of(name, spec.within, within)
        if not is_compiling():
            _structures.adopt(within, spec.within, handle)
    if HAS_LIBRARY and not _is_plain(arguments):
        op = _TORCH_OPS[name]
        if spec.has_seed:
            return op(*arguments, seed, options, handle)
        return op(*arguments, options, handle)
    return _Function.apply(name, _operator(spec, options, handle), seed, *arguments)


def apply_one(*arguments: Any, **options: Any) -> Tensor:
    """Calls an operator with one result."""
    result: Tensor = apply(*arguments, **options)
    return result
