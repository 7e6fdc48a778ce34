#!/usr/bin/env python3
"""Trains every model for 20 epochs and compares what it wrote with golden.csv.

golden.csv was written by commit ecced29, whose models ran on LibTorch. Where all arithmetic was our own
then, metrics.csv must be the same to the last byte (its hash is in the file); where LibTorch's
elementwise functions took part, losses must agree within 1e-5.

  check_golden.py PROGRAM            checks the instruction set that DSNN_SIMD names
  check_golden.py PROGRAM --write    appends this program's numbers to golden.csv (all counted as not exact)
"""
import csv
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
LOSSES = ("step_loss", "train_loss", "val_loss", "test_loss")
TOLERANCE = 1e-5
SKIPPED = 77


def graphs():
    yield "signed", ["--edges", str(HERE / "signed_edges.csv"), "--nodes", str(HERE / "signed_nodes.csv")]
    data = os.environ.get("DSNN_DATA", "")
    if data and (pathlib.Path(data) / "texas.npz").exists():
        yield "texas", ["texas"]


def metrics(program, graph, model, settings, folder):
    """metrics.csv of one training, as text."""
    command = [program, "train", *graph, "--model", model, "--splits", "0", "--seed", "3", "--threads", "1",
               "--set", "epochs=20", "--out", str(folder)]
    for setting in settings:
        command += ["--set", setting]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return (folder / "split-0" / "metrics.csv").read_text()


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def last_losses(text):
    last = list(csv.DictReader(text.splitlines()))[-1]
    return [float(last[name]) for name in LOSSES]


def trainings(program):
    """(graph, model, settings, text of metrics.csv) of all that is trained."""
    with tempfile.TemporaryDirectory() as folder:
        for number, line in enumerate((HERE / "settings.txt").read_text().splitlines()):
            model, *settings = line.split()
            for name, graph in graphs():
                out = pathlib.Path(folder) / f"{number}-{name}"
                yield name, model, " ".join(settings), metrics(program, graph, model, settings, out)


def main():
    program, level = sys.argv[1], os.environ.get("DSNN_SIMD", "")
    flag = {"avx512": "avx512bw", "avx2": "avx2"}.get(level)
    if flag and flag not in pathlib.Path("/proc/cpuinfo").read_text().split():
        print(f"this processor has no {level}")
        return SKIPPED
    path = HERE / "golden.csv"
    if "--write" in sys.argv:
        with path.open("a") as file:
            writer = csv.writer(file, lineterminator="\n")
            for name, model, settings, text in trainings(program):
                losses = [f"{loss:.9g}" for loss in last_losses(text)]
                writer.writerow([level, name, model, settings, 0, digest(text), *losses])
        return 0
    with path.open() as file:
        golden = {(r["simd"], r["graph"], r["model"], r["settings"]): r for r in csv.DictReader(file)}
    if not any(key[0] == level for key in golden):
        print(f"no golden numbers for DSNN_SIMD='{level}'")
        return SKIPPED
    count, wrong = 0, []
    for name, model, settings, text in trainings(program):
        expected = golden[level, name, model, settings]
        what = f"{model} {settings} on {name}"
        count += 1
        if expected["exact"] == "1" and digest(text) != expected["hash"]:
            wrong.append(f"{what}: metrics.csv differs")
        for loss_name, loss in zip(LOSSES, last_losses(text)):
            if not abs(loss - float(expected[loss_name])) <= TOLERANCE:
                wrong.append(f"{what}: {loss_name} is {loss}, expected {expected[loss_name]}")
    print("\n".join(wrong + [f"{count} trainings, {len(wrong)} differences"]))
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
