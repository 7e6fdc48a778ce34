#!/usr/bin/env python3
"""Metrics of links against scikit-learn's, and against the definitions of the Open Graph Benchmark: check_links.py PROGRAM"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from sklearn.metrics import accuracy_score, average_precision_score, f1_score, roc_auc_score
except ImportError:
    print("skipped: needs NumPy and scikit-learn")
    sys.exit(77)


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def hits(positives, negatives, k):
    """ogb.linkproppred.Evaluator: the share of positives above the k-th best negative."""
    return np.mean(positives > np.sort(negatives)[-k]) if len(negatives) >= k else 1.0


def mrr(positives, negatives):
    """ogb.linkproppred.Evaluator: ranks between the optimistic and the pessimistic one."""
    above = (negatives[None, :] > positives[:, None]).sum(1)
    not_below = (negatives[None, :] >= positives[:, None]).sum(1)
    return np.mean(1 / (1 + (above + not_below) / 2))


def main():
    program = sys.argv[1]
    random = np.random.default_rng(0)
    n = 80
    arcs = np.unique(random.integers(0, n, (900, 2)), axis=0)
    arcs = random.permutation(arcs[arcs[:, 0] != arcs[:, 1]])
    taken = {tuple(arc) for arc in arcs}
    absent = np.array([(u, v) for u in range(n) for v in range(n) if u != v and (u, v) not in taken])
    absent = random.permutation(absent)
    parts = {"train": (arcs[:600], absent[:600]), "val": (arcs[600:680], absent[600:720]),
             "test": (arcs[680:], absent[720:1000])}
    splits = {f"{kind}_{part}": pairs[None] for part, both in parts.items() for kind, pairs in zip(("pos", "neg"), both)}
    features = random.normal(size=(n, 3))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.savez(folder / "all.npz", edges=arcs, node_features=features, **splits)
        np.savez(folder / "messages.npz", edges=parts["train"][0], node_features=features)
        run(program, "train", folder / "all.npz", "--task", "links", "--model", "diag-dsnn", "--set", "epochs=10", "--out",
            folder / "run")
        evaluated = json.loads(run(program, "evaluate", folder / "run", folder / "all.npz", "--json"))["splits"][0]
        positives, negatives = parts["test"]
        pairs = np.concatenate([positives, negatives])
        np.savetxt(folder / "pairs.csv", pairs, fmt="%d", delimiter=",", header="source,target", comments="")
        run(program, "predict", folder / "run", folder / "messages.npz", "--pairs", folder / "pairs.csv", "-o",
            folder / "p.csv")
        p = np.loadtxt(folder / "p.csv", delimiter=",", skiprows=1)[:, 3]
    labels = np.r_[np.ones(len(positives)), np.zeros(len(negatives))]
    up, down = p[:len(positives)], p[len(positives):]
    expected = {"auc": roc_auc_score(labels, p), "ap": average_precision_score(labels, p),
                "accuracy": accuracy_score(labels, p > 0.5), "macro_f1": f1_score(labels, p > 0.5, average="macro"),
                "mrr": mrr(up, down), "hits@20": hits(up, down, 20), "hits@50": hits(up, down, 50),
                "hits@100": hits(up, down, 100)}
    for metric, value in expected.items():
        ours = evaluated[f"test_{metric}"]
        # The file has six decimals, so a few scores may have become equal.
        assert abs(ours - 100 * value) < 0.3, f"{metric}: {ours}, expected {100 * value}"
    print(f"{len(expected)} metrics agree")


main()
