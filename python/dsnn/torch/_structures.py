"""Operators by the handles of their graphs.

Operators of torch take a graph as the number of its handle. The operators of dsnn on a graph are
created once, and kept as long as the graph or a pending backward pass that uses it.
"""

from __future__ import annotations

import json
import threading
import weakref
from typing import Any

from dsnn._operators import Operator

_MOST_FREE_OPERATORS = 512


class Structure:
    """The operators on one graph or matrix."""

    __slots__ = ("__weakref__", "handle", "kind", "operators")

    def __init__(self, kind: str, handle: int) -> None:
        self.kind = kind
        self.handle = handle
        self.operators: dict[tuple[str, str], Operator] = {}


class _Named:
    """A graph or matrix for Operator, of which only the handle is known."""

    def __init__(self, handle: int) -> None:
        self._handle = self
        self.value = handle


_NONE = Structure("", 0)
_lock = threading.RLock()
# All structures in use; those that are kept; finalizers of their owners.
_structures: weakref.WeakValueDictionary[int, Structure] = weakref.WeakValueDictionary()
_kept: dict[int, Structure] = {}
_owned: dict[int, Any] = {}


def _forget(handle: int) -> None:
    with _lock:
        _kept.pop(handle, None)
        _owned.pop(handle, None)


def adopt(owner: Any, kind: str, handle: int) -> None:
    """Keeps the operators on a handle as long as its owner exists."""
    if handle in _owned:
        return
    with _lock:
        structure(kind, handle)
        if handle not in _owned:
            _owned[handle] = weakref.finalize(owner, _forget, handle)


def structure(kind: str, handle: int) -> Structure:
    """The structure of a handle. One without an owner is kept, as a compiled model refers to it."""
    if handle == 0:
        return _NONE
    found = _structures.get(handle)
    if found is None:
        with _lock:
            found = _structures.get(handle)
            if found is None:
                found = _structures[handle] = _kept[handle] = Structure(kind, handle)
    return found


def operator(name: str, options: str, within: Structure) -> Operator:
    """The operator, created at its first use. Raises Error for wrong options."""
    found = within.operators.get((name, options))
    if found is None:
        named = _Named(within.handle)
        found = Operator(
            name,
            named if within.kind == "graph" else None,
            named if within.kind == "matrix" else None,
            **(json.loads(options) if options else {}),
        )
        if within is _NONE and len(within.operators) >= _MOST_FREE_OPERATORS:
            within.operators.clear()
        within.operators[name, options] = found
    return found


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def options_text(**options: Any) -> str:
    """Options as JSON. torch.compile supports this function, but not the module json.

    >>> options_text(dim=3, method="cayley")
    '{"dim": 3, "method": "cayley"}'
    """
    return "{" + ", ".join([f'"{name}": {_value_text(options[name])}' for name in options]) + "}"
