"""Datasets that many papers use, and random ones."""

from __future__ import annotations

import os
from typing import Any, Union

from dsnn import _library
from dsnn._dataset import Dataset
from dsnn._library import lib

Path = Union[None, str, "os.PathLike[str]"]


def dsbm(
    nodes: int,
    communities: int,
    *,
    alpha_in: float,
    alpha_out: float,
    beta: float = 0.5,
    seed: int = 0,
) -> Dataset:
    """A graph of the directed stochastic block model.

    Nodes of one community are joined with probability `alpha_in`, others with `alpha_out`; an edge
    between communities i < j runs from i to j with probability `beta`. The labels are the
    communities, the feature of a node is its degree, and there are ten splits, 80/5/15 %.

    >>> dsbm(100, 5, alpha_in=0.1, alpha_out=0.08, beta=0.2, seed=3)
    Dataset(100 nodes, 429 arcs, 1 features, 5 classes, 10 splits)
    """
    options = _library.options(
        nodes=nodes,
        communities=communities,
        alpha_in=float(alpha_in),
        alpha_out=float(alpha_out),
        beta=float(beta),
        seed=seed,
    )
    return Dataset._from_handle(
        _library.new_handle(lib.dsnn_dataset_close, lib.dsnn_dataset_dsbm, options)
    )


def load(what: Union[str, os.PathLike[str]], *, data_dir: Path = None, **options: Any) -> Dataset:
    """A dataset from a file or folder, or by its name.

    A plain name is looked for in `data_dir`, in the folder that DSNN_DATA names, and in the cache;
    `fetch` puts it there.
    """
    return Dataset.load(what, data_dir=data_dir, **options)


def known(data_dir: Path = None) -> dict[str, dict[str, Any]]:
    """The datasets that the library knows: sizes, origin, faults, and where they are.

    >>> known()["cora"]["classes"]
    7
    """
    made = _library.call_for_json(lib.dsnn_dataset_list, _library.options(data_dir=data_dir))
    return {entry["name"]: entry for entry in made["datasets"]}
