"""A classifier of nodes with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from dsnn import _arrays
from dsnn._dataset import Dataset
from dsnn._graph import Graph, as_graph
from dsnn._library import Error
from dsnn._training import Run, fit, train


class GraphClassifier(ClassifierMixin, BaseEstimator):
    """Predicts classes of nodes from features and a directed graph.

    There are two ways to use it:

    - `fit(X, y, graph=graph)` takes the features of all nodes and their labels; y is -1, NaN or
      None for unknown labels. `predict(X)` predicts all nodes.
    - For cross-validation, which selects a part of the nodes, graph and features are parameters of
      the classifier, and X has node numbers, [k] or [k, 1]: `fit` uses only the labels of these
      nodes, and `predict` predicts them. An example is GridSearchCV with
      `GraphClassifier(graph=graph, features=features)` and X = np.arange(n).

    Parameters: `model` is a name (`dsnn.models()`), or "auto" for `dsnn.fit`, which averages the
    best of several models, with its `seconds`, `trials` and `members`. `parameters` are those of
    the model and of the training. `validation` is the fraction of the known labels that selects
    the epoch. `seed` and `threads` are those of `dsnn.train`.

    >>> data = dsnn.datasets.dsbm(60, 2, alpha_in=0.2, alpha_out=0.2, beta=0.9, seed=1)
    >>> classifier = GraphClassifier("gcn", parameters={"epochs": 5, "channels": 8})
    >>> y = data.labels.copy()
    >>> y[::3] = -1
    >>> classifier.fit(data.features, y, graph=data.graph).predict(data.features).shape
    (60,)
    """

    def __init__(
        self,
        model: str = "auto",
        *,
        graph: Any = None,
        features: Any = None,
        parameters: Optional[dict[str, Any]] = None,
        validation: float = 0.2,
        seconds: Optional[float] = None,
        trials: Optional[int] = None,
        members: int = 5,
        seed: int = 0,
        threads: Optional[int] = None,
        progress: Any = False,
    ) -> None:
        self.model = model
        self.graph = graph
        self.features = features
        self.parameters = parameters
        self.validation = validation
        self.seconds = seconds
        self.trials = trials
        self.members = members
        self.seed = seed
        self.threads = threads
        self.progress = progress

    def fit(self, X: Any, y: Any, graph: Any = None) -> GraphClassifier:
        """Trains on the nodes with known labels, and returns the classifier."""
        if graph is None:
            graph = self.graph
        if graph is None:
            raise Error("fit: there is no graph; pass it to fit or to the classifier")
        made = as_graph(graph)
        features, nodes = self._features_and_nodes(X, made)
        labels = np.full(made.num_nodes, -1, np.int64)
        labels[nodes], self.classes_ = _numbered(y, len(nodes))
        data = Dataset(made, features, labels, name="nodes")
        data.draw_splits(
            1, train=1 - self.validation, validation=self.validation, seed=int(self.seed)
        )
        parameters = dict(self.parameters or {})
        if self.model == "auto":
            self.run_: Run = fit(
                data,
                seconds=self.seconds,
                trials=self.trials,
                members=self.members,
                seed=self.seed,
                progress=self.progress,
                **parameters,
            )
        else:
            self.run_ = train(
                data,
                self.model,
                seed=self.seed,
                threads=self.threads,
                progress=self.progress,
                **parameters,
            )
        self.graph_ = made
        self.data_ = data
        self._probabilities: Optional[np.ndarray] = None
        return self

    def predict_proba(self, X: Any = None, graph: Any = None) -> np.ndarray:
        """The probabilities of the classes, in the order of `classes_`.

        With another `graph`, X has the features of its nodes.
        """
        check_is_fitted(self, "run_")
        if graph is not None:
            made = as_graph(graph)
            features, nodes = self._features_and_nodes(X, made)
            return self.run_.predict_proba(Dataset(made, features))[nodes]
        nodes = np.arange(self.graph_.num_nodes)
        if X is not None:
            features, nodes = self._features_and_nodes(X, self.graph_)
            if features is not self.features:
                return self.run_.predict_proba(Dataset(self.graph_, features))[nodes]
        if self._probabilities is None:
            self._probabilities = self.run_.predict_proba(self.data_)
        return self._probabilities[nodes]

    def predict(self, X: Any = None, graph: Any = None) -> np.ndarray:
        """The classes of the nodes, with the values of y."""
        places = self.predict_proba(X, graph).argmax(axis=1)
        return np.asarray(self.classes_[places])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on the nodes with known labels."""
        known = _is_known(_arrays.as_numpy(y, "y"))
        if not known.any():
            raise Error("score: no label is known")
        right = self.predict(X)[known] == _arrays.as_numpy(y, "y")[known]
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(np.average(right, weights=weights))

    def _features_and_nodes(self, X: Any, graph: Graph) -> tuple[Any, np.ndarray]:
        """The features of all nodes, and the nodes that X selects."""
        if self.features is None:
            return X, np.arange(graph.num_nodes)
        numbers = _arrays.as_numpy(X, "X")
        if numbers.dtype.kind not in "iu" or numbers.size != numbers.shape[0]:
            raise Error(
                "X must be node numbers, as the classifier has the features "
                f"(got {numbers.dtype} of shape {numbers.shape})"
            )
        nodes = numbers.reshape(-1)
        if nodes.size and (nodes.min() < 0 or nodes.max() >= graph.num_nodes):
            raise Error(f"X has node {nodes.max()}, expected 0 to {graph.num_nodes - 1}")
        return self.features, nodes


def _is_known(y: np.ndarray) -> np.ndarray:
    if y.dtype.kind == "f":
        return ~np.isnan(y) & (y != -1)
    if y.dtype.kind in "iu":
        return np.asarray(y != -1)
    return np.array([label is not None and label == label for label in y.tolist()], bool)


def _numbered(y: Any, expected: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels as numbers, -1 if unknown, and their classes."""
    array = _arrays.as_numpy(y, "y")
    if array.shape != (expected,):
        raise Error(f"y has shape {array.shape}, expected ({expected},)")
    known = _is_known(array)
    if not known.any():
        raise Error("y: no label is known")
    values = array[known]
    if array.dtype.kind == "f" and np.array_equal(values, np.floor(values)):
        values = values.astype(np.int64)
    classes, places = np.unique(values, return_inverse=True)
    numbers = np.full(expected, -1, np.int64)
    numbers[known] = places
    return numbers, classes
