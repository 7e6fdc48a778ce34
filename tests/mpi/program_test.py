#!/usr/bin/env python3
"""The program on a graph in parts: program_test.py DSNN MPIRUN. Errors end all ranks with one sentence."""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

DSNN, MPIRUN = sys.argv[1:3]
SETTINGS = ["--model", "diag-dsnn", "--set", "epochs=10", "--splits", "0"]


def run(*arguments, ranks=0, fails=False):
    command = [DSNN, *map(str, arguments)]
    if ranks:
        command = [MPIRUN, "-n", str(ranks), *command]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if (result.returncode != 0) != fails:
        raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def sentences(result):
    """What dsnn says, without mpirun's own lines."""
    return [line for line in result.stderr.splitlines() if line.startswith("dsnn: ")]


def losses(folder):
    with open(folder / "split-0" / "metrics.csv", encoding="utf-8") as file:
        return [float(row["step_loss"]) for row in csv.DictReader(file)]


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.holder.name)
        cls.graph = cls.dir / "graph.npz"
        run("generate", "dsbm", "-n", 300, "-C", 3, "--alpha-in", 0.05, "--alpha-out", 0.05, "-o", cls.graph)
        cls.parts = cls.dir / "parts"
        run("partition", cls.graph, "-k", 3, "-o", cls.parts)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_trains_like_one_process(self):
        run("train", self.graph, *SETTINGS, "--out", self.dir / "whole")
        result = run("train", self.parts, *SETTINGS, "--out", self.dir / "in-parts", ranks=3)
        self.assertEqual(result.stdout.count("test accuracy"), 1)  # of rank 0
        for a, b in zip(losses(self.dir / "whole"), losses(self.dir / "in-parts"), strict=True):
            self.assertAlmostEqual(a, b, delta=1e-4)
        whole, parts = (json.loads((self.dir / d / "result.json").read_text()) for d in ("whole", "in-parts"))
        self.assertEqual(whole["checksum"], parts["checksum"])
        self.assertEqual(whole["splits"][0]["epochs"], parts["splits"][0]["epochs"])

    def test_a_single_part_needs_no_mpirun(self):
        run("partition", self.graph, "-k", 1, "-o", self.dir / "one")
        self.assertIn("test accuracy", run("train", self.dir / "one", *SETTINGS).stdout)

    def test_wrong_number_of_ranks(self):
        result = run("train", self.parts, *SETTINGS, ranks=2, fails=True)
        self.assertEqual(sentences(result), [f"dsnn: {self.parts}: has 3 parts, but the number of ranks is 2 (mpirun -n 3 ...)"])

    def test_mistakes_are_said_once(self):
        result = run("train", self.parts, "--model", "no-such-model", ranks=3, fails=True)
        self.assertEqual(len(sentences(result)), 1)
        result = run("train", self.parts, "--model", "geomgcn", ranks=3, fails=True)
        self.assertEqual(sentences(result), ["dsnn: graph: is in parts, but geomgcn cannot: it places all nodes in one plane"])

    def test_evaluates_and_predicts_like_one_process(self):
        run("train", self.parts, *SETTINGS, "--out", self.dir / "run", ranks=3)
        whole = json.loads(run("evaluate", self.dir / "run", self.graph, "--json").stdout)
        parts = json.loads(run("evaluate", self.dir / "run", self.parts, "--json", ranks=3).stdout)
        self.assertEqual(parts["dataset"], whole["dataset"])
        self.assertEqual(parts["test_accuracy_mean"], whole["test_accuracy_mean"])
        for graph, ranks in ((self.graph, 0), (self.parts, 3)):
            run("predict", self.dir / "run", graph, "-o", self.dir / f"{ranks}.csv", ranks=ranks)
        rows = [list(csv.DictReader((self.dir / name).read_text().splitlines())) for name in ("0.csv", "3.csv")]
        self.assertEqual(len(rows[0]), 300)
        for a, b in zip(*rows, strict=True):
            self.assertEqual((a["id"], a["label"]), (b["id"], b["label"]))
            for column in ("p_0", "p_1", "p_2"):
                self.assertAlmostEqual(float(a[column]), float(b[column]), delta=2e-6)

    def test_a_rank_that_cannot_write_ends_all(self):
        folder = self.dir / "blocked"
        blocker = folder / "split-0" / "model.npz"
        blocker.mkdir(parents=True)
        result = run("train", self.parts, *SETTINGS, "--out", folder, ranks=3, fails=True)
        self.assertEqual(len(sentences(result)), 1)
        self.assertTrue(sentences(result)[0].startswith(f"dsnn: rank 0: {blocker}: "), result.stderr)
        blocker.rmdir()
        run("train", self.parts, *SETTINGS, "--out", folder, "--resume", ranks=3)
        self.assertEqual(len(losses(folder)), 10)

    def test_a_killed_rank_ends_all(self):
        process = subprocess.Popen(
            [MPIRUN, "-n", "3", DSNN, "train", str(self.parts), "--model", "diag-dsnn", "--set", "epochs=1000000",
             "--set", "patience=1000000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            ranks = []
            deadline = time.time() + 60
            while len(ranks) < 3 and time.time() < deadline:
                time.sleep(0.2)
                children = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid="], capture_output=True, text=True)
                ranks = [int(pid) for pid in children.stdout.split()]
            self.assertEqual(len(ranks), 3)
            time.sleep(1)
            os.kill(ranks[1], signal.SIGKILL)
            self.assertNotEqual(process.wait(timeout=60), 0)
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
