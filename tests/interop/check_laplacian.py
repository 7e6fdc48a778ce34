"""`dsnn laplacian`, read by scipy.io.mmread, against the formulas."""
import numpy as np
import scipy.io

import formulas
from program import ProgramTest

KINDS = ["unit", "weighted", "signed"]
NUM_NODES = 23  # some of them isolated


class LaplacianTest(ProgramTest):
    def graphs(self):
        """(file, A) for random graphs of every kind; the last two nodes have no arcs."""
        for kind in KINDS:
            for num_arcs in (5, 40, 150):
                arcs, weights = formulas.random_graph(self.random, NUM_NODES - 2, num_arcs, kind)
                a = formulas.adjacency(NUM_NODES, arcs, weights)
                yield self.write_graph(arcs, weights, num_nodes=NUM_NODES), a

    def test_trivial(self):
        for graph, a in self.graphs():
            for q in (0, 0.1, 0.25, -0.4, 1.3):
                expected = formulas.sheaf_laplacian(a, q)
                self.assert_close(self.laplacian(graph, "--q", q), expected)
            self.assert_close(self.laplacian(graph), formulas.sheaf_laplacian(a, 0.25))

    def test_magnetic(self):
        for graph, a in self.graphs():
            for q in (0, 0.05, 0.25):
                expected = formulas.magnetic(a, q)
                self.assert_close(self.laplacian(graph, "--sheaf", "magnetic", "--q", q), expected)

    def test_sign_magnetic(self):
        for graph, a in self.graphs():
            actual = self.laplacian(graph, "--sheaf", "sign-magnetic")
            self.assert_close(actual, formulas.sign_magnetic(a))

    def test_normalised(self):
        for graph, a in self.graphs():
            for kind in ("exact", "augmented"):
                for options, expected in (
                    (("--q", 0.2), formulas.sheaf_laplacian(a, 0.2)),
                    (("--sheaf", "magnetic", "--q", 0.2), formulas.magnetic(a, 0.2)),
                    (("--sheaf", "sign-magnetic"), formulas.sign_magnetic(a)),
                ):
                    actual = self.laplacian(graph, *options, "--normalise", kind)
                    self.assert_close(actual, formulas.normalised(expected, 1, kind))

    def test_fixed_dimensions(self):
        for graph, a in self.graphs():
            for low_pass, high_pass in ((True, False), (False, True), (True, True)):
                options = ["--low-pass"] * low_pass + ["--high-pass"] * high_pass
                expected = formulas.sheaf_laplacian(a, 0.1, low_pass=low_pass, high_pass=high_pass)
                self.assert_close(self.laplacian(graph, "--q", 0.1, *options), expected)

    def check_maps(self, stored_of, maps_of, charge_options, q):
        """maps_of(stored) is [2m, d, d] of what stored_of(2m) puts into the file."""
        for graph, a in self.graphs():
            stored = stored_of(len(formulas.half_edges(a)))
            maps = maps_of(stored)
            path = self.folder / "maps.npz"
            np.savez(path, maps=stored)
            for low_pass, high_pass in ((False, False), (True, True)):
                fixed = ["--low-pass"] * low_pass + ["--high-pass"] * high_pass
                expected = formulas.sheaf_laplacian(
                    a, q, maps=maps, low_pass=low_pass, high_pass=high_pass
                )
                options = ["--maps", path, *charge_options, *fixed]
                self.assert_close(self.laplacian(graph, *options), expected)
                dim = maps.shape[1] + low_pass + high_pass
                for kind in ("exact", "augmented"):
                    actual = self.laplacian(graph, *options, "--normalise", kind)
                    self.assert_close(actual, formulas.normalised(expected, dim, kind), 1e-9)

    def diagonals(self, stored):
        return np.stack([np.diag(diagonal) for diagonal in stored])

    def test_diagonal_maps(self):
        for d in (1, 3):
            self.check_maps(
                lambda n: self.random.normal(size=(n, d)), self.diagonals, ["--q", 0.15], 0.15
            )

    def test_general_maps(self):
        for d in (1, 3):
            self.check_maps(
                lambda n: self.random.normal(size=(n, d, d)), lambda maps: maps, [], 0.25
            )

    def test_singular_maps(self):
        # Rank one: D is singular, and its inverse is the Moore-Penrose one.
        def rank_one(n):
            column = self.random.integers(1, 3, size=(n, 2, 1))
            return column * np.array([[[1, 2]]])

        self.check_maps(rank_one, lambda maps: maps, ["--q", 0.15], 0.15)

    def test_complex_maps(self):
        def normal(*shape):
            return self.random.normal(size=shape) + 1j * self.random.normal(size=shape)

        self.check_maps(lambda n: normal(n, 2), self.diagonals, [], 0)
        self.check_maps(lambda n: normal(n, 2, 2), lambda maps: maps, ["--q", 0], 0)

    def test_map_types(self):
        graph, a = next(self.graphs())
        size = (len(formulas.half_edges(a)), 2, 2)
        numbers = self.random.integers(-3, 4, size=size)
        expected = formulas.sheaf_laplacian(a, 0.25, maps=numbers)
        for dtype in ("i1", ">i2", "<i8", "<f4", ">f4", ">f8", "<c8", ">c16"):
            path = self.folder / "maps.npz"
            np.savez_compressed(path, maps=np.asfortranarray(numbers.astype(dtype)))
            actual = self.laplacian(graph, "--maps", path)
            if "c" in dtype:
                self.assert_close(actual, formulas.sheaf_laplacian(a, 0, maps=numbers), 0)
            else:
                self.assert_close(actual, expected)

    def test_whole_numbers_are_exact(self):
        arcs, _ = formulas.random_graph(self.random, NUM_NODES, 60, "unit")
        a = formulas.adjacency(NUM_NODES, arcs)
        expected = np.zeros((NUM_NODES, NUM_NODES), dtype=complex)
        for u, v in formulas.half_edges(a):
            expected[u, u] += 1
            expected[u, v] = {0: -1, 1: -1j, -1: 1j}[formulas.orientation(a, u, v)]
        graph = self.write_graph(arcs, num_nodes=NUM_NODES)
        np.testing.assert_array_equal(self.laplacian(graph), expected)

    def test_every_bit_survives(self):
        # One-way edges at q = 0: L_uv = -sqrt(w) sqrt(w), whose last bits are not those of w.
        arcs = np.array([[u, u + 1] for u in range(200)])
        weights = self.random.uniform(size=200) * 10.0 ** self.random.integers(-200, 200, size=200)
        actual = self.laplacian(self.write_graph(arcs, weights), "--q", 0)
        roots = np.sqrt(weights)
        np.testing.assert_array_equal(np.diag(actual, 1), -roots * roots)
        np.testing.assert_array_equal(np.diag(actual, -1), -roots * roots)

    def test_header(self):
        graph, _ = next(self.graphs())
        for q, field, symmetry in ((0.25, "complex", "hermitian"), (0, "real", "symmetric"),
                                   (0.5, "real", "symmetric")):
            self.laplacian(graph, "--q", q)
            rows, cols, _, _, *kinds = scipy.io.mminfo(self.folder / "L.mtx")
            self.assertEqual((rows, cols, *kinds), (NUM_NODES, NUM_NODES, field, symmetry))

    def test_text_and_archive_agree(self):
        for kind in KINDS:
            arcs, weights = formulas.random_graph(self.random, NUM_NODES, 60, kind)
            text = self.folder / "graph.txt"
            table = arcs if weights is None else np.column_stack([arcs, weights])
            np.savetxt(text, table, fmt="%.17g", delimiter=",", header="source,target,weight")
            self.laplacian(text)
            from_text = (self.folder / "L.mtx").read_bytes()
            self.laplacian(self.write_graph(arcs, weights))
            self.assertEqual((self.folder / "L.mtx").read_bytes(), from_text)
