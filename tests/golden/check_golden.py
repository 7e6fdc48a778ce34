#!/usr/bin/env python3
"""Trains every model for 20 epochs and compares what it wrote with golden.csv.

Every machine with fused multiply-add writes the same metrics.csv to the last byte; its hash is in golden.csv. After a change
that alters bits on purpose, rewrite it on one machine, and check that all instruction sets agree.

  check_golden.py PROGRAM            compares; DSNN_SIMD names the instruction set
  check_golden.py PROGRAM --write    writes golden.csv

configs/defaults/paper.txt has the settings that come before those of settings.txt: defaults may change, these
trainings stay as they are.

A program for another machine runs in an emulator (--launcher "qemu-aarch64 -L SYSROOT"), which is slow: --every N takes
every Nth line of settings.txt, --only REGEX the trainings whose description ("MODEL SETTINGS on GRAPH") it finds. --within X
compares losses alone, and lets them differ by X: for a machine without fused multiply-add.
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
COLUMNS = ("graph", "model", "settings", "hash", *LOSSES)
SKIPPED = 77


def graphs():
    yield "signed", ["--edges", str(HERE / "signed_edges.csv"), "--nodes", str(HERE / "signed_nodes.csv"),
                     "--scale", "none", "--degree-features", "no"]
    data = os.environ.get("DSNN_DATA", "")
    if data and (pathlib.Path(data) / "texas.npz").exists():
        yield "texas", ["texas"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true", help="write golden.csv")
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


def base_settings():
    """{model: settings}"""
    lines = (HERE.parents[1] / "configs" / "defaults" / "paper.txt").read_text().splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines}


def trainings(arguments):
    """(graph, model, settings, text of metrics.csv) of all trainings."""
    program = [*arguments.launcher, arguments.program]
    lines, base = (HERE / "settings.txt").read_text().splitlines(), base_settings()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(0, len(lines), arguments.every):
            model, *settings = lines[number].split()
            for name, graph in graphs():
                if not re.search(arguments.only, description(model, settings, name)):
                    continue
                out = pathlib.Path(folder) / f"{number}-{name}"
                yield name, model, " ".join(settings), metrics(program, graph, model, base[model] + settings, out)


def main():
    arguments, level = parse_arguments(), os.environ.get("DSNN_SIMD", "")
    flag = {"avx512": "avx512bw", "avx2": "avx2"}.get(level)
    if flag and flag not in pathlib.Path("/proc/cpuinfo").read_text().split():
        print(f"this processor has no {level}")
        return SKIPPED
    path = HERE / "golden.csv"
    if arguments.write:
        with path.open("w") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for name, model, settings, text in trainings(arguments):
                losses = [f"{loss:.9g}" for loss in last_losses(text)]
                writer.writerow([name, model, settings, digest(text), *losses])
        return 0
    with path.open() as file:
        golden = {(r["graph"], r["model"], r["settings"]): r for r in csv.DictReader(file)}
    count, wrong = 0, []
    for name, model, settings, text in trainings(arguments):
        expected = golden[name, model, settings]
        what = description(model, settings.split(), name)
        count += 1
        if arguments.within is None:
            if digest(text) != expected["hash"]:
                wrong.append(f"{what}: metrics.csv differs")
            continue
        for loss_name, loss in zip(LOSSES, last_losses(text)):
            if not abs(loss - float(expected[loss_name])) <= arguments.within:
                wrong.append(f"{what}: {loss_name} is {loss}, expected {expected[loss_name]}")
    print("\n".join(wrong + [f"{count} trainings, {len(wrong)} differences"]))
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
