"""Datasets: a graph with features, labels and splits of its nodes."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from dsnn import _arrays, _library
from dsnn._graph import Graph, as_graph
from dsnn._library import DatasetSizes, Error, Handle, check, encode, lib
from dsnn._progress import long_call


class Split(NamedTuple):
    """The training, validation and test nodes: three masks."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


class Dataset:
    """A directed graph with features, labels and splits of its nodes. Only the graph is required.

    - `graph`: a Graph, or any argument that `Graph` accepts
    - `features`: an array [nodes, columns], a SciPy sparse matrix, a pandas DataFrame, or
      "degrees" or "degree-buckets" for features computed from the graph
    - `labels`: classes as integers from 0, with -1 or NaN for unknown labels, or names of classes,
      with None or NaN for unknown labels
    - `splits`: one (train, validation, test) or a list of them; each part is a mask or an array of
      node numbers

    >>> data = Dataset([(0, 1), (1, 2), (2, 3)], "degrees", ["a", "b", "a", None])
    >>> data
    Dataset(4 nodes, 3 arcs, 2 features, 2 classes, 0 splits)
    >>> data.labels, data.label_names
    (array([ 0,  1,  0, -1]), ['a', 'b'])
    """

    _handle: Handle

    def __init__(
        self,
        graph: Any,
        features: Any = None,
        labels: Any = None,
        splits: Any = None,
        *,
        name: str = "dataset",
        node_ids: Optional[Sequence[str]] = None,
        label_names: Optional[Sequence[str]] = None,
        feature_names: Optional[Sequence[str]] = None,
    ) -> None:
        made = as_graph(graph)
        self._handle = _library.new_handle(
            lib.dsnn_dataset_close, lib.dsnn_dataset_create, encode(name), made._handle.value
        )
        if node_ids is None:
            node_ids = made.node_ids
        if features is not None:
            names = self._set_features(features)
            feature_names = names if feature_names is None else feature_names
        if labels is not None:
            class_names = self._set_labels(labels)
            label_names = class_names if label_names is None else label_names
        self._set_names(node_ids=node_ids, label_names=label_names, feature_names=feature_names)
        if splits is not None:
            self.set_splits(splits)

    @classmethod
    def _from_handle(cls, handle: Handle) -> Dataset:
        self = cls.__new__(cls)
        self._handle = handle
        return self

    @classmethod
    def load(
        cls,
        what: Union[str, os.PathLike[str]],
        *,
        data_dir: Union[str, os.PathLike[str], None] = None,
        num_nodes: Optional[int] = None,
        progress: Any = None,
    ) -> Dataset:
        """Loads a dataset from a file or folder, or by the name of a published one.

        The format is recognised by the content: edge lists, .npz, folders of Geom-GCN and of OGB.
        """
        options = _library.options(data_dir=data_dir, num_nodes=num_nodes)
        return cls._from_handle(
            long_call(
                lambda callback: _library.new_handle(
                    lib.dsnn_dataset_close,
                    lib.dsnn_dataset_load,
                    encode(what),
                    options,
                    callback,
                    None,
                ),
                progress,
            )
        )

    @classmethod
    def from_csv(
        cls,
        edges: Union[str, os.PathLike[str]],
        nodes: Union[str, os.PathLike[str], None] = None,
        *,
        progress: Any = None,
        **options: Any,
    ) -> Dataset:
        """Reads a dataset from CSV files; docs/python.md lists the options."""
        text = _library.options(edges=edges, nodes=nodes, **options)
        return cls._from_handle(
            long_call(
                lambda callback: _library.new_handle(
                    lib.dsnn_dataset_close, lib.dsnn_dataset_read_csv, text, callback, None
                ),
                progress,
            )
        )

    @classmethod
    def from_pyg(cls, data: Any, *, name: str = "dataset") -> Dataset:
        """Converts PyG's `Data`: edge_index, x and y, and the three masks if it has them."""
        self = cls(data, getattr(data, "x", None), getattr(data, "y", None), name=name)
        masks = [getattr(data, f"{part}_mask", None) for part in ("train", "val", "test")]
        if all(mask is not None for mask in masks):
            arrays = [_arrays.as_numpy(mask, "mask") for mask in masks]
            columns = [a if a.ndim == 2 else a[:, None] for a in arrays]
            count = max(a.shape[1] for a in columns)
            self.set_splits(
                [tuple(a[:, min(i, a.shape[1] - 1)] for a in columns) for i in range(count)]
            )
        return self

    def __repr__(self) -> str:
        sizes, graph = self._sizes(), self.graph
        return (
            f"Dataset({sizes.num_nodes} nodes, {graph.num_arcs} arcs, {sizes.num_features} "
            f"features, {sizes.num_classes} classes, {sizes.num_splits} splits)"
        )

    def _sizes(self) -> DatasetSizes:
        sizes = DatasetSizes()
        check(lib.dsnn_dataset_get_sizes(self._handle.value, ctypes.byref(sizes)))
        return sizes

    def _set_names(self, **names: Optional[Iterable[str]]) -> None:
        given = {key: [str(n) for n in value] for key, value in names.items() if value is not None}
        check(lib.dsnn_dataset_set_names(self._handle.value, _library.options(**given)))

    def _set_features(self, features: Any) -> Optional[list[str]]:
        handle = self._handle.value
        if isinstance(features, str):
            check(lib.dsnn_dataset_set_degree_features(handle, encode(features)))
            return None
        names = None
        if hasattr(features, "columns") and hasattr(features, "iloc"):
            names = [str(column) for column in features.columns]
        if hasattr(features, "tocsr"):
            csr = features.tocsr()
            csr.sum_duplicates()  # and sorts
            values = _arrays.numbers(csr.data, "features")
            if csr.shape[0] != self._sizes().num_nodes:
                raise Error(
                    f"features have {csr.shape[0]} rows, expected {self._sizes().num_nodes}, one "
                    "for each node"
                )
            check(
                lib.dsnn_dataset_set_sparse_features(
                    handle,
                    csr.shape[1],
                    _arrays.reference(csr.indptr),
                    _arrays.reference(csr.indices),
                    _arrays.reference(values),
                )
            )
            return names
        array = _arrays.numbers(features, "features")
        if array.ndim != 2 or array.shape[0] != self._sizes().num_nodes:
            raise Error(
                f"features have shape {array.shape}, expected [{self._sizes().num_nodes}, columns]"
            )
        flat = np.ascontiguousarray(array).reshape(-1)
        check(lib.dsnn_dataset_set_features(handle, array.shape[1], _arrays.reference(flat)))
        return names

    def _set_labels(self, labels: Any) -> Optional[list[str]]:
        numbers, names = encoded_labels(labels)
        check(
            lib.dsnn_dataset_set_labels(
                self._handle.value,
                -1 if names is None else len(names),
                _arrays.reference(numbers),
            )
        )
        return names

    def set_splits(self, splits: Any) -> None:
        """Replaces the splits: one (train, validation, test) or a list of them.

        >>> data = Dataset([(0, 1), (1, 2)], "degrees", [0, 1, 0])
        >>> data.set_splits(([0], [1], [2]))
        >>> data.splits[0].test
        array([False, False,  True])
        """
        if isinstance(splits, Mapping) or (
            len(splits) == 3 and not isinstance(splits[0], (tuple, Mapping, Split))
        ):
            splits = [splits]
        n = int(self._sizes().num_nodes)
        masks = [_masks(split, n) for split in splits]
        check(lib.dsnn_dataset_clear_splits(self._handle.value))
        for parts in masks:
            check(
                lib.dsnn_dataset_add_split(
                    self._handle.value, n, *(_arrays.pointer(part) for part in parts)
                )
            )

    def draw_splits(
        self,
        count: int = 10,
        *,
        train: Optional[float] = None,
        validation: Optional[float] = None,
        per_class: Optional[tuple[int, int]] = None,
        seed: int = 0,
    ) -> Dataset:
        """Replaces the splits by random ones, and returns the dataset.

        `train` and `validation` are fractions of each class (default 0.48 and 0.32); `per_class`
        has numbers of training and validation nodes of each class instead. The other nodes are for
        testing. The same seed gives the same splits as the program's --split-seed.
        """
        options = _library.options(
            count=count, train=train, validation=validation, per_class=per_class, seed=seed
        )
        check(lib.dsnn_dataset_draw_splits(self._handle.value, options))
        return self

    @property
    def graph(self) -> Graph:
        """The graph, a copy."""
        cached = getattr(self, "_graph", None)
        if cached is None:
            handle = _library.new_handle(
                lib.dsnn_graph_close, lib.dsnn_dataset_get_graph, self._handle.value
            )
            cached = self._graph = Graph._from_handle(handle)
        return cached

    @property
    def num_nodes(self) -> int:
        """The number of nodes."""
        return int(self._sizes().num_nodes)

    @property
    def num_classes(self) -> int:
        """The number of classes."""
        return int(self._sizes().num_classes)

    @property
    def features(self) -> Any:
        """A copy of the features: an array [nodes, columns], SciPy's CSR if sparse, or None."""
        sizes = self._sizes()
        if sizes.num_features == 0:
            return None
        values = np.empty(sizes.num_entries, np.float32)
        offsets = columns = None
        if sizes.has_sparse_features:
            offsets = np.empty(sizes.num_nodes + 1, np.int64)
            columns = np.empty(sizes.num_entries, np.int32)
        check(
            lib.dsnn_dataset_get_features(
                self._handle.value,
                sizes.num_entries,
                _arrays.pointer(values),
                _arrays.pointer(offsets),
                _arrays.pointer(columns),
            )
        )
        shape = (int(sizes.num_nodes), int(sizes.num_features))
        if offsets is None:
            return values.reshape(shape)
        from scipy import sparse

        return sparse.csr_matrix((values, columns, offsets), shape=shape)

    @property
    def labels(self) -> Optional[np.ndarray]:
        """A copy of the labels [nodes], -1 if unknown; None if the dataset has none."""
        count = self._sizes().num_labels
        if count == 0:
            return None
        labels = np.empty(count, np.int64)
        check(lib.dsnn_dataset_get_labels(self._handle.value, count, _arrays.pointer(labels)))
        return labels

    @property
    def splits(self) -> list[Split]:
        """A copy of the splits, as masks."""
        sizes = self._sizes()
        splits = []
        for i in range(sizes.num_splits):
            masks = [np.empty(sizes.num_nodes, bool) for _ in range(3)]
            check(
                lib.dsnn_dataset_get_split(
                    self._handle.value, i, sizes.num_nodes, *(_arrays.pointer(m) for m in masks)
                )
            )
            splits.append(Split(*masks))
        return splits

    def describe(self) -> dict[str, Any]:
        """Sizes, names, notes of the reader, problems of the splits, statistics of the graph.

        >>> Dataset([(0, 1), (1, 0), (1, 2)]).describe()["statistics"]["two_way_edges"]
        1
        """
        return dict(_library.call_for_json(lib.dsnn_dataset_describe, self._handle.value))

    @property
    def name(self) -> str:
        """The name in files, runs and reports."""
        return str(self.describe()["name"])

    @property
    def notes(self) -> list[str]:
        """Notes of the reader about the data and its assumptions."""
        return list(self.describe()["notes"])

    @property
    def label_names(self) -> list[str]:
        """The names of the classes; empty if they have none."""
        return list(self.describe()["label_names"])

    @property
    def node_ids(self) -> list[str]:
        """The names of the nodes; empty if they have none."""
        return list(self.describe()["node_ids"])

    @property
    def feature_names(self) -> list[str]:
        """The names of the feature columns; empty if they have none."""
        return list(self.describe()["feature_names"])

    def save(self, path: Union[str, os.PathLike[str]], *, progress: Any = None) -> None:
        """Writes the dataset as .npz, which the program also reads (docs/files.md)."""
        long_call(
            lambda callback: check(
                lib.dsnn_dataset_save(self._handle.value, encode(path), callback, None)
            ),
            progress,
        )

    def close(self) -> None:
        """Frees the memory. Using the dataset afterwards raises Error."""
        self._handle.close()


def encoded_labels(labels: Any) -> tuple[np.ndarray, Optional[list[str]]]:
    """Labels as numbers, -1 if unknown, and the names of the classes, or None."""
    array = _arrays.as_numpy(labels, "labels")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise Error(f"labels have shape {array.shape}, expected one for each node")
    if array.dtype.kind == "f":
        known = ~np.isnan(array)
        if not np.array_equal(array[known], np.floor(array[known])):
            raise Error("labels must be whole numbers or names (got fractions)")
        return np.where(known, np.where(known, array, 0), -1).astype(np.int64), None
    if array.dtype.kind in "iub":
        return _arrays.whole_numbers(array, "labels"), None
    known = np.array([not _is_missing(label) for label in array.tolist()], bool)
    texts = [str(label) for label in array[known].tolist()]
    names = sorted(set(texts))
    places = {name: i for i, name in enumerate(names)}
    numbers = np.full(array.size, -1, np.int64)
    numbers[known] = [places[text] for text in texts]
    return numbers, names


def _is_missing(label: Any) -> bool:
    return label is None or label != label or label == ""


def _masks(split: Any, num_nodes: int) -> list[np.ndarray]:
    if isinstance(split, Mapping):
        keys = list(split)
        validation = "validation" if "validation" in split else "val"
        if set(keys) != {"train", validation, "test"}:
            raise Error(f"a split has parts {keys}, expected train, validation and test")
        split = (split["train"], split[validation], split["test"])
    if len(split) != 3:
        raise Error(f"a split has {len(split)} parts, expected train, validation and test")
    masks = []
    for part in split:
        array = _arrays.as_numpy(part, "splits")
        if array.dtype == bool:
            if array.shape != (num_nodes,):
                raise Error(f"a mask has shape {array.shape}, expected ({num_nodes},)")
            masks.append(np.ascontiguousarray(array))
            continue
        nodes = _arrays.whole_numbers(array, "splits")
        if nodes.size and (nodes.min() < 0 or nodes.max() >= num_nodes):
            raise Error(
                f"splits have node {nodes[(nodes < 0) | (nodes >= num_nodes)].flat[0]}, expected "
                f"0 to {num_nodes - 1}"
            )
        mask = np.zeros(num_nodes, bool)
        mask[nodes.reshape(-1)] = True
        masks.append(mask)
    return masks
