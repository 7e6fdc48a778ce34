"""`dsnn info` on files written by NumPy."""
import itertools

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

import formulas
from program import ProgramTest

NUM_NODES = 40


class NpzTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.arcs, _ = formulas.random_graph(self.random, NUM_NODES, 70, "unit")
        self.a = formulas.adjacency(NUM_NODES, self.arcs)
        self.labels = self.random.integers(-1, 4, size=NUM_NODES)
        self.features = self.random.integers(0, 3, size=(NUM_NODES, 5))
        draws = self.random.random((3, NUM_NODES))
        self.masks = {
            "train_masks": draws < 0.5,
            "val_masks": (draws >= 0.5) & (draws < 0.7),
            "test_masks": draws >= 0.7,
        }

    def arrays(self):
        return dict(edges=self.arcs, node_labels=self.labels, node_features=self.features,
                    **self.masks)

    def check_graph(self, info):
        a = self.a
        either = (a != 0) | (a.T != 0)
        self.assertEqual(info["nodes"], NUM_NODES)
        self.assertEqual(info["arcs"], int(a.sum()))
        self.assertEqual(info["edges"], int(either.sum()) // 2)
        self.assertEqual(info["two_way_edges"], int((a * a.T).sum()) // 2)
        self.assertAlmostEqual(info["reciprocity"], (a * a.T).sum() / a.sum())
        num_loops = int((self.arcs[:, 0] == self.arcs[:, 1]).sum())
        self.assertEqual(info["self_loops_dropped"], num_loops)
        self.assertEqual(info["duplicate_arcs_merged"], len(self.arcs) - num_loops - int(a.sum()))
        for key, degrees in (("degree", either.sum(axis=1)), ("out_degree", a.sum(axis=1)),
                             ("in_degree", a.sum(axis=0))):
            self.assertEqual(info[key]["min"], degrees.min())
            self.assertEqual(info[key]["max"], degrees.max())
            self.assertAlmostEqual(info[key]["mean"], degrees.mean())
        self.assertEqual(info["isolated_nodes"], int((either.sum(axis=1) == 0).sum()))
        for kind in ("weak", "strong"):
            count, of_node = connected_components(scipy.sparse.csr_matrix(a), connection=kind)
            expected = {"count": count, "largest": int(np.bincount(of_node).max())}
            self.assertEqual(info[f"{kind}_components"], expected)

    def check_nodes(self, info):
        known = self.labels[self.labels >= 0]
        self.assertEqual(info["labels"]["class_sizes"], np.bincount(known).tolist())
        self.assertEqual(info["labels"]["unlabelled_nodes"], int((self.labels < 0).sum()))
        same = [
            self.labels[u] == self.labels[v]
            for u, v in formulas.half_edges(self.a)
            if self.labels[u] >= 0 and self.labels[v] >= 0
        ]
        self.assertAlmostEqual(info["labels"]["homophily"]["edge"], np.mean(same))
        self.assertEqual(info["features"]["count"], 5)
        self.assertAlmostEqual(info["features"]["density"], np.mean(self.features != 0))
        self.assertEqual(info["splits"]["count"], 3)
        for key, name in (("train", "train_masks"), ("validation", "val_masks"),
                          ("test", "test_masks")):
            sizes = self.masks[name].sum(axis=1)
            self.assertEqual(info["splits"][key], [sizes.min(), sizes.max()])

    def check(self, save=np.savez, **changed):
        path = self.folder / "data.npz"
        save(path, **{**self.arrays(), **changed})
        info = self.json_of("info", path)
        self.check_graph(info)
        self.check_nodes(info)

    def test_plain_and_compressed(self):
        self.check(np.savez)
        self.check(np.savez_compressed)

    def test_orders(self):
        for save in (np.savez, np.savez_compressed):
            self.check(save, edges=np.asfortranarray(self.arcs),
                       node_features=np.asfortranarray(self.features.astype("f4")),
                       train_masks=np.asfortranarray(self.masks["train_masks"]))
        self.check(edges=np.repeat(self.arcs, 2, axis=0)[::2])  # not contiguous in memory

    def test_types_of_edges(self):
        for order, kind in itertools.product("<>", ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")):
            self.check(edges=self.arcs.astype(order + kind))

    def test_types_of_labels_and_features(self):
        for dtype in ("i1", "<i4", ">i4", ">i8"):
            self.check(node_labels=self.labels.astype(dtype))
        for dtype in ("u1", "<i4", "<i8", "<f4", ">f4", "<f8", ">f8"):
            self.check(node_features=self.features.astype(dtype))
        self.features = self.features > 0
        self.check()

    def test_number_of_nodes(self):
        for number in (NUM_NODES + 5, np.int32(NUM_NODES + 5), np.array([NUM_NODES + 5])):
            info = self.json_of("info", self.write_graph(self.arcs, num_nodes=number))
            self.assertEqual(info["nodes"], NUM_NODES + 5)

    def test_a_single_split(self):
        masks = {name: mask[0] for name, mask in self.masks.items()}
        info = self.json_of("info", self.write_graph(self.arcs, node_labels=self.labels, **masks))
        self.assertEqual(info["splits"]["count"], 1)
        self.assertEqual(info["splits"]["train"][0], masks["train_masks"].sum())

    def test_weights(self):
        weights = self.random.choice([-1, 2, 3], size=len(self.arcs))
        a = formulas.adjacency(NUM_NODES, self.arcs, weights)
        for dtype in ("i1", "<i8", "<f4", ">f4", ">f8"):
            graph = self.write_graph(self.arcs, weights.astype(dtype), num_nodes=NUM_NODES)
            self.assertTrue(self.json_of("info", graph)["weighted"])
            self.assert_close(self.laplacian(graph), formulas.sheaf_laplacian(a, 0.25))

    def test_large_archives(self):
        # Beyond the reader's buffers, and in Fortran order all over the memory.
        arcs = self.random.integers(0, 1000, size=(300_000, 2))
        a = formulas.adjacency(1000, arcs)
        for order in "CF":
            path = self.folder / "large.npz"
            np.savez_compressed(path, edges=np.array(arcs, order=order), num_nodes=1000)
            info = self.json_of("info", path)
            self.assertEqual(info["arcs"], int(a.sum()))
            self.assertEqual(info["out_degree"]["max"], int(a.sum(axis=1).max()))
