#!/usr/bin/env python3
"""A run that commit ecced29 wrote, when models were on LibTorch, can still be used: its checkpoint is taken up,
and its model predicts what it predicted then. check_old_run.py PROGRAM"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
GRAPH = ["--edges", str(HERE / "signed_edges.csv"), "--nodes", str(HERE / "signed_nodes.csv")]


def dsnn(program, *arguments):
    result = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"dsnn {' '.join(arguments)}: {result.stderr}")


def rows(path):
    return [line.split(",") for line in path.read_text().splitlines()]


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        run, predictions = pathlib.Path(folder) / "run", pathlib.Path(folder) / "p.csv"
        shutil.copytree(HERE / "old_run", run)
        metrics = run / "split-0" / "metrics.csv"
        before = metrics.read_text()
        dsnn(program, "train", *GRAPH, "--config", str(run / "config.toml"), "--splits", "0", "--out", str(run), "--resume")
        if metrics.read_text() != before:
            sys.exit("a finished run was trained again")
        arithmetic = json.loads((run / "result.json").read_text())["arithmetic"]
        if arithmetic != 1:
            sys.exit(f"a run from before versions were kept has arithmetic {arithmetic}, expected 1")
        dsnn(program, "predict", str(run), *GRAPH, "-o", str(predictions))
        ours, theirs = rows(predictions), rows(HERE / "old_predictions.csv")
        if len(ours) != len(theirs) or ours[0] != theirs[0]:
            sys.exit("predictions are of other nodes or classes")
        for a, b in zip(ours[1:], theirs[1:]):
            same = a[:2] == b[:2] and all(abs(float(x) - float(y)) < 1e-5 for x, y in zip(a[2:], b[2:]))
            if not same:
                sys.exit(f"predicted {a}, expected {b}")
    print(f"{len(ours) - 1} predictions agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
