"""Runs dsnn, each test in its own folder."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import scipy.io

PATH = None  # set by check_interop.py


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dsnn-interop-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = np.random.default_rng(20240607)

    def run_dsnn(self, *arguments):
        """The standard output of a run that succeeds."""
        words = [str(argument) for argument in arguments]
        self.last_command = " ".join(["dsnn", *words])
        done = subprocess.run([PATH, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""), self.last_command)
        return done.stdout

    def json_of(self, *arguments):
        return json.loads(self.run_dsnn(*arguments, "--json"))

    def write_graph(self, arcs, weights=None, name="graph.npz", **arrays):
        """An .npz in the layout of docs: any further arrays by name."""
        path = self.folder / name
        if weights is not None:
            arrays["edge_weights"] = weights
        np.savez(path, edges=arcs, **arrays)
        return path

    def laplacian(self, graph, *options):
        """The matrix that `dsnn laplacian` writes, as SciPy reads it."""
        path = self.folder / "L.mtx"
        self.run_dsnn("laplacian", graph, *options, "-o", path)
        return scipy.io.mmread(path).toarray()

    def assert_close(self, actual, expected, tolerance=1e-12):
        """The largest difference, relative to the largest number, is within the tolerance."""
        self.assertEqual(np.shape(actual), np.shape(expected), self.last_command)
        scale = max(1, np.abs(expected).max(initial=0))
        worst = np.abs(np.asarray(actual) - expected).max(initial=0) / scale
        self.assertLessEqual(worst, tolerance, self.last_command)
