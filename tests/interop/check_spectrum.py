"""`dsnn spectrum` against numpy.linalg.eigvalsh of the matrix that `dsnn laplacian` writes."""
import numpy as np

import formulas
from program import ProgramTest


class SpectrumTest(ProgramTest):
    def check(self, graph, *options, count, which="both", tolerance=1e-10):
        matrix = self.laplacian(graph, *options)
        path = self.folder / "eigen.npz"
        result = self.json_of("spectrum", graph, *options, "-k", count, "--which", which,
                              "-o", path)
        expected = np.linalg.eigvalsh(matrix)
        if which == "smallest" or (which == "both" and 2 * count < len(expected)):
            chosen = expected[:count]
            if which == "both":
                chosen = np.concatenate([chosen, expected[-count:]])
            expected = chosen
        elif which == "largest":
            expected = expected[-count:]
        with np.load(path) as saved:
            values, vectors = saved["eigenvalues"], saved["eigenvectors"]
            residuals = saved["residuals"]
        self.assertEqual(values.dtype, np.float64)
        self.assertEqual(vectors.dtype, np.complex128)
        self.assertEqual(values.tolist(), result["eigenvalues"])
        self.assertEqual(residuals.tolist(), result["residuals"])
        self.assertEqual(result["size"], len(matrix))
        self.assert_close(values, expected, tolerance)
        num_nodes = self.json_of("info", graph)["nodes"]
        self.assertEqual(vectors.shape, (len(values), num_nodes, len(matrix) // num_nodes))
        vectors = vectors.reshape(len(values), -1)
        self.assert_close(vectors.conj() @ vectors.T, np.eye(len(values)), 1e-8)
        errors = np.linalg.norm(matrix @ vectors.T - vectors.T * values, axis=0)
        scale = max(1, np.abs(matrix).max())
        self.assertLess(errors.max(initial=0), 1e-8 * scale)
        self.assertLess(np.abs(errors - residuals).max(initial=0), 1e-10 * scale)
        return result

    def test_whole_spectra(self):
        for kind in ("unit", "weighted", "signed"):
            arcs, weights = formulas.random_graph(self.random, 30, 60, kind)
            graph = self.write_graph(arcs, weights, num_nodes=33)
            for options in ((), ("--q", 0.1, "--normalise", "exact"),
                            ("--normalise", "augmented", "--low-pass"),
                            ("--sheaf", "magnetic", "--q", 0.2), ("--sheaf", "sign-magnetic"),
                            ("--low-pass", "--high-pass")):
                result = self.check(graph, *options, count=1000)
                self.assertEqual(result["method"], "dense")

    def test_ends(self):
        arcs, weights = formulas.random_graph(self.random, 50, 120, "signed")
        graph = self.write_graph(arcs, weights)
        for which in ("smallest", "largest", "both"):
            self.check(graph, count=7, which=which)

    def test_maps(self):
        arcs, weights = formulas.random_graph(self.random, 20, 50, "weighted")
        a = formulas.adjacency(20, arcs, weights)
        maps = self.random.normal(size=(len(formulas.half_edges(a)), 3, 3))
        path = self.folder / "maps.npz"
        np.savez(path, maps=maps)
        self.check(self.write_graph(arcs, weights, num_nodes=20), "--maps", path, count=1000)

    def test_lanczos(self):
        # Larger than what is solved as a dense matrix; five components, so a kernel of dimension 5.
        blocks = [formulas.random_graph(self.random, 110, 500, "unit")[0] + 110 * block
                  for block in range(5)]
        graph = self.write_graph(np.concatenate(blocks), num_nodes=550)
        for options in (("--q", 0), ("--q", 0.25), ("--q", 0, "--normalise", "exact")):
            for which in ("smallest", "largest"):
                result = self.check(graph, *options, count=8, which=which, tolerance=1e-8)
                self.assertEqual(result["method"], "lanczos")
