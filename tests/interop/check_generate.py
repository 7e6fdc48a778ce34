"""`dsnn generate dsbm`, read by numpy.load."""
import numpy as np

from program import ProgramTest

NUM_NODES = 210
NUM_COMMUNITIES = 4


class GenerateTest(ProgramTest):
    def generate(self, seed):
        path = self.folder / f"dsbm{seed}.npz"
        self.run_dsnn("generate", "dsbm", "-n", NUM_NODES, "-C", NUM_COMMUNITIES, "--alpha-in", 0.1,
                      "--alpha-out", 0.08, "--beta", 0.2, "--seed", seed, "-o", path)
        return path

    def test_arrays(self):
        with np.load(self.generate(1)) as data:
            arrays = dict(data)
        types = {name: (array.dtype.str, array.ndim) for name, array in arrays.items()}
        self.assertEqual(types, {
            "num_nodes": ("<i8", 0), "edges": ("<i8", 2), "node_features": ("<f4", 2),
            "node_labels": ("<i8", 1), "train_masks": ("|b1", 2), "val_masks": ("|b1", 2),
            "test_masks": ("|b1", 2),
        })
        edges, labels = arrays["edges"], arrays["node_labels"]
        self.assertEqual(arrays["num_nodes"], NUM_NODES)
        self.assertEqual(np.bincount(labels).tolist(), [53, 53, 52, 52])
        self.assertTrue((np.diff(labels) >= 0).all())
        self.assertTrue((edges[:, 0] != edges[:, 1]).all())
        self.assertEqual(len(np.unique(np.sort(edges, axis=1), axis=0)), len(edges))
        degrees = np.bincount(edges.ravel(), minlength=NUM_NODES)
        self.assertEqual(arrays["node_features"].tolist(), degrees[:, None].tolist())

    def test_splits(self):
        with np.load(self.generate(2)) as data:
            labels = data["node_labels"]
            masks = [data[name] for name in ("train_masks", "val_masks", "test_masks")]
        self.assertTrue((sum(mask.astype(int) for mask in masks) == 1).all())
        for mask, share in zip(masks[:2], (0.80, 0.05)):
            self.assertEqual(mask.shape, (10, NUM_NODES))
            for label in range(NUM_COMMUNITIES):
                expected = np.round(share * (labels == label).sum())
                self.assertEqual(mask[:, labels == label].sum(axis=1).tolist(), [expected] * 10)
        self.assertEqual(len(np.unique(masks[0], axis=0)), 10)

    def test_seeds(self):
        first = self.generate(3).read_bytes()
        self.assertEqual(self.generate(3).read_bytes(), first)
        self.assertNotEqual(self.generate(4).read_bytes(), first)
