"""Datasets from arrays and files."""

import types

import numpy as np
import pytest

import dsnn

EDGES = [(0, 1), (1, 2), (2, 3)]


def test_dense_features_of_any_kind(random):
    x = random.normal(size=(4, 3))
    for form in (x, x.astype(np.float32), np.asfortranarray(x), x.tolist(), x[::-1][::-1]):
        data = dsnn.Dataset(EDGES, form)
        np.testing.assert_array_equal(data.features, x.astype(np.float32))


def test_sparse_features():
    sparse = pytest.importorskip("scipy.sparse")
    x = sparse.random(4, 50, 0.2, "csr", random_state=1)
    data = dsnn.Dataset(EDGES, x.tocoo())
    assert abs(data.features - x.astype(np.float32)).max() == 0


def test_tables():
    pandas = pytest.importorskip("pandas")
    features = pandas.DataFrame({"age": [1, 2, 3, 4], "size": [0.5, 1, 2, 3]})
    labels = pandas.Series(["x", None, "y", "x"])
    data = dsnn.Dataset(EDGES, features, labels)
    assert data.feature_names == ["age", "size"]
    assert data.labels.tolist() == [0, -1, 1, 0] and data.label_names == ["x", "y"]


def test_labels():
    assert dsnn.Dataset(EDGES, None, [0, 2, -1, -5]).labels.tolist() == [0, 2, -1, -1]
    data = dsnn.Dataset(EDGES, None, np.array([1.0, np.nan, 0, 1]))
    assert data.labels.tolist() == [1, -1, 0, 1] and data.num_classes == 2


def test_splits():
    data = dsnn.Dataset(EDGES, "degrees", [0, 1, 0, 1])
    masks = [np.array(m, bool) for m in ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1])]
    for given in (
        tuple(masks),
        [tuple(masks)],
        ([0], [1], [2, 3]),
        {"train": [0], "val": [1], "test": [2, 3]},
        [dsnn.Split(*masks)],
    ):
        data.set_splits(given)
        assert len(data.splits) == 1
        for part, mask in zip(data.splits[0], masks):
            np.testing.assert_array_equal(part, mask)
    drawn = data.draw_splits(3, train=0.5, validation=0.5, seed=4).splits
    assert len(drawn) == 3 and drawn[0].train.sum() == 2
    assert data.draw_splits(2, per_class=(1, 1)).splits[1].validation.sum() == 2


def test_files(tmp_path, random):
    data = dsnn.Dataset(EDGES, random.normal(size=(4, 2)), ["a", "b", "a", "b"], ([0], [1], [2, 3]))
    data.save(tmp_path / "data.npz")
    again = dsnn.datasets.load(tmp_path / "data.npz")
    np.testing.assert_array_equal(again.features, data.features)
    assert again.label_names == ["a", "b"]
    (tmp_path / "edges.csv").write_text("source,target\nx,y\ny,z\n")
    (tmp_path / "nodes.csv").write_text("id,label,age\nx,1,3\ny,0,4\nz,1,5\n")
    csv = dsnn.Dataset.from_csv(tmp_path / "edges.csv", tmp_path / "nodes.csv")
    assert csv.node_ids == ["x", "y", "z"] and csv.feature_names == ["age"] and csv.notes


def test_data_of_pyg_without_pyg(random):
    data = types.SimpleNamespace(
        edge_index=np.array(EDGES).T,
        num_nodes=4,
        x=random.normal(size=(4, 2)),
        y=np.array([0, 1, 1, 0]),
        train_mask=np.array([1, 0, 0, 0], bool),
        val_mask=np.array([0, 1, 0, 0], bool),
        test_mask=np.array([0, 0, 1, 1], bool),
    )
    made = dsnn.Dataset.from_pyg(data)
    assert made.num_classes == 2 and made.splits[0].test.tolist() == [False, False, True, True]


def test_description(communities):
    told = communities.describe()
    assert told["classes"] == 3 and told["splits"] == 10
    assert 0 <= told["statistics"]["homophily"]["edge"] <= 1


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: dsnn.Dataset(EDGES, np.ones((3, 2))), r"shape \(3, 2\), expected \[4, columns\]"),
        (lambda: dsnn.Dataset(EDGES, np.ones(4)), "features have shape"),
        (lambda: dsnn.Dataset(EDGES, "degree"), "expected degrees or degree-buckets"),
        (lambda: dsnn.Dataset(EDGES, None, [0, 1]), "labels: there are 2, expected 4"),
        (lambda: dsnn.Dataset(EDGES, None, [0.5, 1, 1, 1]), "got fractions"),
        (lambda: dsnn.Dataset(EDGES, None, [0, 1, 1, 1], ([0], [7], [1])), "splits have node 7"),
        (lambda: dsnn.Dataset(EDGES, label_names=["a"]), "label_names"),
        (lambda: dsnn.Dataset(EDGES).draw_splits(), "there are no labels"),
        (lambda: dsnn.datasets.load("no-such-dataset"), "no-such-dataset"),
        (lambda: dsnn.Dataset.from_csv("a.csv", colour="red"), "there is no option 'colour'"),
    ],
)
def test_mistakes(make, sentence):
    with pytest.raises(dsnn.Error, match=sentence):
        make()
