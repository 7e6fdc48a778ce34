"""Learning on directed graphs with sheaf neural networks.

>>> import dsnn
>>> graph = dsnn.Graph([(0, 1), (1, 2), (2, 0)])
>>> graph
Graph(3 nodes, 3 arcs)

Its parts are imported when they are first used, so that `import dsnn` takes little time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dsnn import datasets as datasets
    from dsnn import sklearn as sklearn
    from dsnn._dataset import Dataset as Dataset
    from dsnn._dataset import Split as Split
    from dsnn._graph import Graph as Graph
    from dsnn._laplacian import Claim as Claim
    from dsnn._laplacian import Spectrum as Spectrum
    from dsnn._laplacian import laplacian as laplacian
    from dsnn._laplacian import spectrum as spectrum
    from dsnn._laplacian import verify as verify
    from dsnn._library import Error as Error
    from dsnn._operators import Operator as Operator
    from dsnn._operators import SparseMatrix as SparseMatrix
    from dsnn._operators import operators as operators
    from dsnn._training import Model as Model
    from dsnn._training import Parameter as Parameter
    from dsnn._training import Run as Run
    from dsnn._training import estimate as estimate
    from dsnn._training import fit as fit
    from dsnn._training import models as models
    from dsnn._training import train as train

    __version__: str

_PLACES = {
    "Claim": "_laplacian",
    "Dataset": "_dataset",
    "Error": "_library",
    "Graph": "_graph",
    "Model": "_training",
    "Operator": "_operators",
    "Parameter": "_training",
    "Run": "_training",
    "SparseMatrix": "_operators",
    "Spectrum": "_laplacian",
    "Split": "_dataset",
    "estimate": "_training",
    "fit": "_training",
    "laplacian": "_laplacian",
    "models": "_training",
    "operators": "_operators",
    "spectrum": "_laplacian",
    "train": "_training",
    "verify": "_laplacian",
}
_MODULES = ("datasets", "sklearn", "torch")

__all__ = ["__version__", *_PLACES, "datasets", "sklearn"]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        value = getattr(importlib.import_module(f"dsnn.{_PLACES[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"dsnn.{name}")
    elif name == "__version__":
        value = importlib.import_module("dsnn._library").lib.dsnn_version().decode()
    else:
        raise AttributeError(f"module 'dsnn' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
