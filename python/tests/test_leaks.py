"""Memory and threads do not grow over many small trainings."""

import gc
import os
import tempfile

import numpy as np
import pytest

import dsnn

TRAININGS = int(os.environ.get("DSNN_LEAK_TRAININGS", "600"))


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def small_training(random):
    edges = random.integers(0, 20, (2, 40))
    labels = random.integers(0, 2, 20)
    labels[:4] = [0, 1, 0, 1]
    data = dsnn.Dataset(dsnn.Graph(edges, 20), random.normal(size=(20, 3)), labels)
    data.set_splits(([0, 1], [2, 3], list(range(4, 20))))
    run = dsnn.train(
        data,
        "diag-dsnn",
        epochs=1,
        channels=4,
        threads=1,
        progress=False,
        normalise_features="none",
    )
    run.predict_proba()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="there is no /proc")
def test_trainings(random, monkeypatch):
    if os.access("/dev/shm", os.W_OK):  # faster by ten times than writing runs to the disk
        monkeypatch.setattr(tempfile, "tempdir", "/dev/shm")
    for _ in range(100):
        small_training(random)
    before, threads = resident(), len(os.listdir("/proc/self/task"))
    for _ in range(TRAININGS):
        small_training(random)
    grown = resident() - before
    assert grown < 4e6 + 200 * TRAININGS, f"{grown / TRAININGS:.0f} bytes a training"
    assert len(os.listdir("/proc/self/task")) <= threads + 1


def test_operators(random):
    graph = dsnn.Graph(random.integers(0, 20, (2, 40)), 20)
    left = np.ones((20, 4))

    def use():
        op = dsnn.Operator("sheaf_maps", graph)
        op(left, left)
        with pytest.raises(dsnn.Error):
            op(left)
        dsnn.laplacian(graph, q=0.1)

    for _ in range(200):
        use()
    before = resident()
    for _ in range(2000):
        use()
    assert resident() - before < 4e6
