#!/usr/bin/env python3
"""Trains every model for 20 epochs and compares what it wrote with golden.csv.

golden.csv was written by commit ecced29, whose models ran on LibTorch. Where all arithmetic was our own
then, metrics.csv must be the same to the last byte (its hash is in the file); where LibTorch's
elementwise functions took part, losses must agree within 1e-5.

  check_golden.py PROGRAM            checks the instruction set that DSNN_SIMD names
  check_golden.py PROGRAM --write    appends this program's numbers to golden.csv (all counted as not exact)

A program for another machine runs in an emulator (--launcher "qemu-aarch64 -L SYSROOT"), which is slow: --every N takes
every Nth line of settings.txt, --only REGEX the trainings whose description ("MODEL SETTINGS on GRAPH") it finds. --within X
compares losses alone, and lets them differ by X: its last bits may be others.
"""
import argparse
import csv
import hashlib
import os
import pathlib
import re
import shlex
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


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true", help="append to golden.csv")
    parser.add_argument("--launcher", metavar="COMMAND", type=shlex.split, default=[], help="what the program is run with")
    parser.add_argument("--every", metavar="N", type=int, default=1, help="every Nth line of settings.txt")
    parser.add_argument("--only", metavar="REGEX", type=re.compile, default="", help="trainings that match")
    parser.add_argument("--within", metavar="X", type=float, help="compare losses alone, within X")
    arguments = parser.parse_args()
    if arguments.every < 1:
        parser.error(f"--every is {arguments.every}, expected at least 1")
    return arguments


def description(model, settings, name):
    return " ".join([model, *settings, "on", name])


def metrics(program, graph, model, settings, folder):
    """metrics.csv of one training, as text; the program is a command's first words."""
    command = [*program, "train", *graph, "--model", model, "--splits", "0", "--seed", "3", "--threads", "1",
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


def trainings(arguments):
    """(graph, model, settings, text of metrics.csv) of all that is trained."""
    program = [*arguments.launcher, arguments.program]
    lines = (HERE / "settings.txt").read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(0, len(lines), arguments.every):
            model, *settings = lines[number].split()
            for name, graph in graphs():
                if not re.search(arguments.only, description(model, settings, name)):
                    continue
                out = pathlib.Path(folder) / f"{number}-{name}"
                yield name, model, " ".join(settings), metrics(program, graph, model, settings, out)


def main():
    arguments, level = parse_arguments(), os.environ.get("DSNN_SIMD", "")
    flag = {"avx512": "avx512bw", "avx2": "avx2"}.get(level)
    # An emulated program is compared with the numbers of that instruction set, whatever the machine has.
    if flag and not arguments.launcher and flag not in pathlib.Path("/proc/cpuinfo").read_text().split():
        print(f"this processor has no {level}")
        return SKIPPED
    path = HERE / "golden.csv"
    if arguments.write:
        with path.open("a") as file:
            writer = csv.writer(file, lineterminator="\n")
            for name, model, settings, text in trainings(arguments):
                losses = [f"{loss:.9g}" for loss in last_losses(text)]
                writer.writerow([level, name, model, settings, 0, digest(text), *losses])
        return 0
    with path.open() as file:
        golden = {(r["simd"], r["graph"], r["model"], r["settings"]): r for r in csv.DictReader(file)}
    if not any(key[0] == level for key in golden):
        print(f"no golden numbers for DSNN_SIMD='{level}'")
        return SKIPPED
    tolerance = TOLERANCE if arguments.within is None else arguments.within
    count, wrong = 0, []
    for name, model, settings, text in trainings(arguments):
        expected = golden[level, name, model, settings]
        what = description(model, settings.split(), name)
        count += 1
        if expected["exact"] == "1" and arguments.within is None and digest(text) != expected["hash"]:
            wrong.append(f"{what}: metrics.csv differs")
        for loss_name, loss in zip(LOSSES, last_losses(text)):
            if not abs(loss - float(expected[loss_name])) <= tolerance:
                wrong.append(f"{what}: {loss_name} is {loss}, expected {expected[loss_name]}")
    print("\n".join(wrong + [f"{count} trainings, {len(wrong)} differences"]))
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
