"""The classifier with scikit-learn's interface."""

import numpy as np
import pytest

import dsnn

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from dsnn.sklearn import GraphClassifier

PARAMETERS = {"channels": 8, "epochs": 60, "lr": 0.02}


@pytest.fixture
def data():
    return dsnn.datasets.dsbm(120, 3, alpha_in=0.3, alpha_out=0.02, beta=0.9, seed=2)


@pytest.fixture
def features(data, random):
    noise = random.normal(size=(120, 4)).astype(np.float32)
    return noise + 2 * np.eye(4, dtype=np.float32)[data.labels]


@pytest.mark.parametrize("missing", [-1, np.nan])
def test_unknown_labels(data, features, missing):
    hidden = np.zeros(120, bool)
    hidden[::4] = True
    y = np.where(hidden, missing, data.labels.astype(float))
    if missing == -1:
        y = y.astype(int)
    classifier = GraphClassifier("gcn", parameters=PARAMETERS).fit(features, y, graph=data.graph)
    assert classifier.classes_.tolist() == [0, 1, 2]
    predicted = classifier.predict(features)
    assert (predicted == data.labels)[hidden].mean() > 0.8
    assert classifier.score(features, y) == pytest.approx((predicted == y)[~hidden].mean())
    np.testing.assert_allclose(classifier.predict_proba(features).sum(axis=1), 1)


def test_names(data, features):
    names = np.array(["x", "y", "z"], object)[data.labels]
    names[5] = None
    classifier = GraphClassifier("mlp", parameters=PARAMETERS).fit(features, names, data.graph)
    assert set(classifier.predict()) <= {"x", "y", "z"}


def test_cross_validation(data, features):
    nodes, y = np.arange(120), data.labels
    classifier = GraphClassifier("gcn", graph=data.graph, features=features, parameters=PARAMETERS)
    scores = cross_val_score(classifier, nodes, y, cv=3)
    assert scores.shape == (3,) and scores.mean() > 0.7
    search = GridSearchCV(
        classifier,
        {"parameters": [dict(PARAMETERS, layers=k) for k in (1, 2)], "model": ["mlp", "gcn"]},
        cv=2,
    )
    search.fit(nodes.reshape(-1, 1), y)
    assert search.best_score_ > 0.7 and search.predict(nodes[:5]).shape == (5,)


def test_held_out_labels_are_not_seen(data, features):
    """Labels of other nodes have no influence."""
    nodes = np.arange(0, 120, 2)
    classifier = GraphClassifier("gcn", graph=data.graph, features=features, parameters=PARAMETERS)
    a = classifier.fit(nodes, data.labels[nodes]).predict_proba(np.arange(120))
    full = np.full(120, -1)
    full[nodes] = data.labels[nodes]
    whole = GraphClassifier("gcn", parameters=PARAMETERS).fit(features, full, data.graph)
    np.testing.assert_array_equal(a, whole.predict_proba(features))


def test_auto(data, features):
    classifier = GraphClassifier(trials=2, members=2, parameters={"epochs": 10})
    assert classifier.fit(features, data.labels, data.graph).predict().shape == (120,)


def test_parameters(data, features):
    classifier = GraphClassifier("gcn", graph=data.graph, seed=3)
    assert classifier.get_params()["seed"] == 3
    copy = clone(classifier).set_params(seed=4)
    assert copy.graph is data.graph and copy.seed == 4
    with pytest.raises(NotFittedError):
        classifier.predict(features)


def test_mistakes(data, features):
    with pytest.raises(dsnn.Error, match="there is no graph"):
        GraphClassifier().fit(features, data.labels)
    with pytest.raises(dsnn.Error, match=r"y has shape \(3,\), expected \(120,\)"):
        GraphClassifier().fit(features, [0, 1, 2], data.graph)
    with pytest.raises(dsnn.Error, match="no label is known"):
        GraphClassifier().fit(features, np.full(120, -1), data.graph)
    with pytest.raises(dsnn.Error, match="X must be node numbers"):
        GraphClassifier(graph=data.graph, features=features).fit(features, data.labels)
