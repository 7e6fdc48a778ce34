"""Training: the same bits as the program, interruption by Ctrl-C, methods of a run."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dsnn

FAST = {"channels": 8, "epochs": 12, "patience": 12}


def weights(folder, split=0):
    with np.load(pathlib.Path(folder) / f"split-{split}" / "model.npz") as file:
        return {name: file[name] for name in file.files}


def same_weights(a, b, split=0):
    a, b = weights(a, split), weights(b, split)
    return a.keys() == b.keys() and all(a[k].tobytes() == b[k].tobytes() for k in a)


@pytest.mark.parametrize("model", ["diag-dsnn", "gen-nsd", "gcn"])
def test_the_same_bits_as_the_program(tmp_path, program, communities, model):
    communities.save(tmp_path / "data.npz")
    settings = [f"--set={name}={value}" for name, value in FAST.items()]
    subprocess.run(
        [program, "train", tmp_path / "data.npz", "--model", model, "--splits", "0-1", "--seed",
         "5", "--out", tmp_path / "by-program", *settings],
        check=True,
        capture_output=True,
    )  # fmt: skip
    # From the same arrays, without a file.
    data = dsnn.Dataset(
        communities.graph, communities.features, communities.labels, communities.splits
    )
    run = dsnn.train(data, model, seed=5, splits=[0, 1], jobs=2, folder=tmp_path / "here", **FAST)
    for split in (0, 1):
        assert same_weights(tmp_path / "by-program", tmp_path / "here", split)
        metrics = f"split-{split}/metrics.csv"
        assert (tmp_path / "here" / metrics).read_bytes() == (
            tmp_path / "by-program" / metrics
        ).read_bytes()
    other = json.loads((tmp_path / "by-program" / "result.json").read_text())
    for mine, theirs in zip(run.result["splits"], other["splits"]):
        assert mine["test_accuracy"] == theirs["test_accuracy"]
    subprocess.run(
        [program, "predict", tmp_path / "here", tmp_path / "data.npz", "-o", tmp_path / "p.csv"],
        check=True,
        capture_output=True,
    )
    rows = [line.split(",") for line in (tmp_path / "p.csv").read_text().splitlines()[1:]]
    assert [int(row[1]) for row in rows] == run.predict().tolist()
    found = np.array([row[2:] for row in rows], float)
    np.testing.assert_allclose(found, run.predict_proba(), atol=1e-6)


def test_a_run(tmp_path, communities):
    run = dsnn.train(communities, "mlp", splits=[0, 2], **FAST)
    assert run.model == "mlp" and run.splits == [0, 2] and run.parameters["channels"] == 8
    probabilities = run.predict_proba()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (run.predict() == probabilities.argmax(axis=1)).all()
    scores = run.evaluate()
    assert [s["split"] for s in scores] == [0, 2]
    test = communities.splits[2].test
    accuracy = 100 * (run.predict(split=2) == communities.labels)[test].mean()
    assert scores[1]["test_accuracy"] == pytest.approx(accuracy)
    assert run.test_accuracy == pytest.approx(np.mean([s["test_accuracy"] for s in scores]))
    history = run.history
    assert len(history["epoch"]) == 24 and set(history["split"]) == {0, 2}
    temporary = run.folder
    kept = run.save(tmp_path / "kept")
    del run
    assert not temporary.exists()
    np.testing.assert_array_equal(kept.predict_proba(), probabilities)
    again = dsnn.Run(tmp_path / "kept")
    np.testing.assert_array_equal(again.predict_proba(communities), probabilities)


def test_names_of_classes_and_another_graph(communities):
    names = np.array(["red", "green", "blue"])[communities.labels]
    data = dsnn.Dataset(communities.graph, communities.features, names, communities.splits)
    run = dsnn.train(data, "gcn", splits=[0], **FAST)
    assert set(run.predict()) <= {"red", "green", "blue"}
    other = dsnn.Dataset(dsnn.Graph([(0, 1), (1, 2)]), np.ones((3, 1)))
    assert run.predict(other).shape == (3,)


def test_members(tmp_path, communities):
    run = dsnn.train(communities, "mlp", splits=[0], members=2, folder=tmp_path / "run", **FAST)
    assert len(run.members) == 2
    one = [dsnn.Run(tmp_path / "run" / f"member-{i}").predict_proba(communities) for i in (1, 2)]
    np.testing.assert_allclose(run.predict_proba(), np.mean(one, axis=0), atol=1e-6)


def test_fit(communities):
    run = dsnn.fit(communities, trials=3, members=2, epochs=10)
    assert 1 <= len(run.members) <= 2 and len(run.result["trials"]) == 3
    assert run.predict().shape == (120,)


def test_report(tmp_path, communities):
    run = dsnn.train(communities, "mlp", splits=[0, 1], folder=tmp_path / "run", **FAST)
    page = run.report(compares=False)
    assert page == tmp_path / "run" / "report.html"
    assert page.read_text().lstrip().lower().startswith("<!doctype html>")


def test_estimate(communities):
    told = dsnn.estimate(communities, "mlp", seconds=0, channels=4, layers=1)
    assert told["num_weights"] > 0 and "linear" in told["training_program"]


def test_resuming_gives_the_same_bits(tmp_path, communities):
    settings = {"channels": 8, "epochs": 400, "patience": 400}
    dsnn.train(communities, "gcn", splits=[0], folder=tmp_path / "whole", **settings)

    class Enough(Exception):
        pass

    def stop(message):
        raise Enough

    with pytest.raises(Enough):
        dsnn.train(
            communities, "gcn", splits=[0], folder=tmp_path / "cut", progress=stop, **settings
        )
    assert (tmp_path / "cut" / "split-0" / "checkpoint.npz").exists()
    dsnn.train(communities, "gcn", splits=[0], folder=tmp_path / "cut", resume=True, **settings)
    assert same_weights(tmp_path / "whole", tmp_path / "cut")


def test_stopping_one_of_two_leaves_the_other(communities):
    stopped, results = [], []

    def endless():
        def show(message):
            if "epoch" in message:
                raise TimeoutError

        try:
            dsnn.train(communities, "gcn", splits=[0], epochs=10**6, patience=10**6, progress=show)
        except TimeoutError:
            stopped.append(True)

    def other():
        results.append(dsnn.train(communities, "gcn", splits=[0], progress=False, **FAST))

    threads = [threading.Thread(target=endless)] + [
        threading.Thread(target=other) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert stopped == [True] and len(results) == 3


def test_ctrl_c_keeps_the_checkpoint(tmp_path):
    code = f"""
import dsnn
data = dsnn.datasets.dsbm(120, 3, alpha_in=0.1, alpha_out=0.1, beta=0.9, seed=2)
print("ready", flush=True)
try:
    dsnn.train(data, "gcn", splits=[0, 1], jobs=2, epochs=1000000, patience=1000000,
               folder={str(tmp_path / "run")!r})
except KeyboardInterrupt as error:
    print("interrupted", error, flush=True)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert child.stdout.readline().strip() == "ready"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    start = time.perf_counter()
    out, _ = child.communicate(timeout=60)
    assert time.perf_counter() - start < 10
    assert child.returncode == 0 and "interrupted" in out and "resume=True) continues" in out
    assert (tmp_path / "run" / "split-0" / "checkpoint.npz").exists()


def test_a_bar_in_a_terminal():
    import io

    from dsnn._progress import TerminalDisplay

    stream = io.StringIO()
    display = TerminalDisplay(stream)
    display.show({"stage": "reading", "done": 1, "total": 2})
    display.close()
    assert "reading 50 %" in stream.getvalue() and stream.getvalue().endswith("\r\x1b[2K")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"model": "diag-dsn"}, "did you mean 'diag-dsnn'"),
        ({"layer": 3}, "unknown parameter 'layer'; did you mean 'layers'"),
        ({"layers": "many"}, "layers"),
        ({"layers": [1]}, "parameters"),
        ({"splits": [99]}, "99"),
        ({"splits": [0, 0]}, "requested twice"),
        ({"seed": -1}, "seed is -1"),
        ({"jobs": 0}, "jobs is 0"),
        ({"config": "no-such-file.toml"}, "no-such-file.toml"),
    ],
)
def test_mistakes(communities, options, sentence):
    with pytest.raises(dsnn.Error, match=sentence):
        dsnn.train(communities, **{"model": "mlp", **options})


def test_other_mistakes(tmp_path, communities):
    with pytest.raises(dsnn.Error, match="expected a Dataset"):
        dsnn.train(3)
    with pytest.raises(dsnn.Error, match="label"):
        dsnn.train(dsnn.Dataset([(0, 1)], "degrees"), "mlp")
    with pytest.raises(dsnn.Error):
        dsnn.Run(tmp_path)
    dsnn.train(communities, "mlp", splits=[0], folder=tmp_path / "run", **FAST)
    with pytest.raises(dsnn.Error, match="contains a run already"):
        dsnn.train(communities, "mlp", splits=[0], folder=tmp_path / "run", **FAST)


def test_links(tmp_path, program, communities):
    communities.save(tmp_path / "data.npz")
    settings = {"link_task": "existence", "decoder": "inner", "metric": "hits@20", "epochs": 8}
    subprocess.run(
        [program, "train", tmp_path / "data.npz", "--task", "links", "--model", "diag-dsnn",
         "--splits", "0-1", "--out", tmp_path / "by-program"]
        + [f"--set={name}={value}" for name, value in settings.items()],
        check=True,
        capture_output=True,
    )  # fmt: skip
    data = dsnn.Dataset(communities.graph, communities.features)
    run = dsnn.train(
        data, "diag-dsnn", task="links", splits=[0, 1], folder=tmp_path / "here", **settings
    )
    for split in (0, 1):
        assert same_weights(tmp_path / "by-program", tmp_path / "here", split)
    assert run.result["task"] == "links"
    for mine, known in zip(run.evaluate(), run.result["splits"]):
        assert mine["test_hits@20"] == pytest.approx(known["test_hits@20"])
    pairs, p = run.top_links(3)
    assert pairs.shape == (3 * communities.num_nodes, 2)
    np.testing.assert_allclose(run.predict_links(pairs)[:, 1], p)
    assert "val_hits@50" in run.history
    with pytest.raises(dsnn.Error, match="predicts links"):
        run.predict()
    with pytest.raises(dsnn.Error, match="pairs has node"):
        run.predict_links([[0, 10**6]])


def test_fit_links(tmp_path, communities):
    data = dsnn.Dataset(communities.graph, communities.features)
    settings = {"metric": "hits@20", "num_splits": 2}
    run = dsnn.fit(data, task="links", trials=3, members=2, folder=tmp_path / "fit", **settings)
    assert len(run.members) == 2 and len(run.result["trials"]) == 3
    assert run.evaluate()[0]["test_hits@20"] == pytest.approx(run.result["test_score"])
    pairs, p = run.top_links(2)
    np.testing.assert_allclose(run.predict_links(pairs)[:, 1], p)
    # The mean of the members' probabilities.
    members = [dsnn.Run(member["folder"]) for member in run.members]
    mean = np.mean([m.predict_links(pairs, data)[:, 1] for m in members], axis=0)
    np.testing.assert_allclose(mean, p, rtol=1e-6)
    again = dsnn.fit(
        data, task="links", trials=3, members=2, folder=tmp_path / "fit", resume=True, **settings
    )
    assert again.result["test_score"] == run.result["test_score"]


def test_members_of_links(tmp_path, communities):
    data = dsnn.Dataset(communities.graph, communities.features)
    run = dsnn.train(
        data, "gcn", task="links", splits=[0], members=2, folder=tmp_path / "run", epochs=8
    )
    assert len(run.members) == 2
    assert run.evaluate()[0]["test_accuracy"] == pytest.approx(
        run.result["splits"][0]["test_accuracy"]
    )
