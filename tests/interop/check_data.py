"""`dsnn convert` converts files of Python, NumPy and SciPy to arrays that NumPy reads as expected."""
import csv
import gzip
import io

import numpy as np
import scipy.sparse

import formulas
from program import ProgramTest

NUM_NODES = 50
CLASSES = np.array(["Agents", "Datenbanken", "apprentissage é", "機械学習"])


class ConvertTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.arcs, _ = formulas.random_graph(self.random, NUM_NODES, 120, "unit")
        self.arcs = self.arcs[self.arcs[:, 0] != self.arcs[:, 1]]
        self.arcs = np.unique(self.arcs, axis=0)
        self.labels = self.random.integers(0, len(CLASSES), size=NUM_NODES)
        dense = self.random.normal(size=(NUM_NODES, 7)).astype("f4")
        dense[self.random.random(dense.shape) < 0.7] = 0
        self.features = dense

    def convert(self, *arguments):
        """The arrays of the written file."""
        path = self.folder / "out.npz"
        self.run_dsnn("convert", *arguments, "-o", path)
        with np.load(path) as arrays:
            result = {name: arrays[name] for name in arrays}
        return result

    def sparse_of(self, arrays):
        parts = [arrays[f"node_features_{part}"] for part in ("data", "indices", "indptr")]
        return scipy.sparse.csr_matrix(tuple(parts), shape=arrays["node_features_shape"])

    def assert_same(self, actual, expected):
        np.testing.assert_array_equal(actual, expected, err_msg=self.last_command)


class SparseNpzTest(ConvertTest):
    def write_sparse(self, matrix, prefix="node_features_"):
        return self.write_graph(
            self.arcs, num_nodes=NUM_NODES,
            **{prefix + name: getattr(matrix, name) for name in ("data", "indices", "indptr")},
            **{prefix + "shape": np.array(matrix.shape)})

    def test_any_prefix_and_types(self):
        matrix = scipy.sparse.csr_matrix(self.features)
        for prefix in ("node_features_", "node_features.", "attr_", "x.", ""):
            arrays = self.convert(self.write_sparse(matrix, prefix))
            self.assertNotIn("node_features", arrays)
            self.assert_same(self.sparse_of(arrays).toarray(), self.features)
        for index_type in ("i4", "i8", "u2"):
            for dtype in ("f4", "f8", "i4", "?"):
                typed = matrix.astype(dtype)
                typed.indices = typed.indices.astype(index_type)
                typed.indptr = typed.indptr.astype(index_type)
                arrays = self.convert(self.write_sparse(typed))
                self.assert_same(self.sparse_of(arrays).toarray(), self.features.astype(dtype))

    def test_unsorted_rows_and_duplicates(self):
        matrix = scipy.sparse.csr_matrix(
            (np.array([1, 2, 4, 8], "f4"), np.array([3, 0, 3, 1]),
             np.array([0, 3] + [4] * (NUM_NODES - 1))), shape=(NUM_NODES, 5))
        arrays = self.convert(self.write_sparse(matrix))
        self.assert_same(arrays["node_features_indices"], [0, 3, 1])
        self.assert_same(arrays["node_features_data"], [2, 5, 8])

    def test_other_form(self):
        path = self.write_sparse(scipy.sparse.csr_matrix(self.features))
        self.assert_same(self.convert(path, "--form", "dense")["node_features"], self.features)
        dense = self.write_graph(self.arcs, node_features=self.features)
        arrays = self.convert(dense, "--form", "sparse")
        self.assert_same(self.sparse_of(arrays).toarray(), self.features)

    def test_names(self):
        ids = np.array([f"Knoten ü{i}" for i in range(NUM_NODES)])
        for stored in (ids, ids.astype(">U20"), np.char.encode(ids, "utf-8"),
                       np.arange(7, 7 + NUM_NODES)):
            path = self.write_graph(self.arcs, node_ids=stored, node_labels=self.labels,
                                    label_names=CLASSES, num_nodes=NUM_NODES)
            arrays = self.convert(path)
            expected = ids if stored.dtype.kind in "US" else stored.astype(str)
            self.assert_same(arrays["node_ids"], expected)
            self.assert_same(arrays["label_names"], CLASSES)
        # A second time it is the same file.
        again = self.folder / "again.npz"
        self.run_dsnn("convert", self.folder / "out.npz", "-o", again)
        self.assertEqual(again.read_bytes(), (self.folder / "out.npz").read_bytes())


class CsvTest(ConvertTest):
    def write_csv(self, name, rows, delimiter, quoting, pack):
        text = io.StringIO()
        csv.writer(text, delimiter=delimiter, quoting=quoting).writerows(rows)
        data = text.getvalue().encode()
        path = self.folder / name
        path.write_bytes(gzip.compress(data) if pack else data)
        return path

    def test_whatever_the_csv_module_writes(self):
        ids = [f'node "{i}",\n;\t{i}' for i in range(NUM_NODES)]
        colours = np.array(["red", "gr,een", "blue"])[self.random.integers(0, 3, NUM_NODES)]
        nodes = [["id", "colour", *(f"x{j}" for j in range(7)), "topic"]]
        nodes += [[ids[i], colours[i], *map(repr, self.features[i].tolist()),
                   CLASSES[self.labels[i]]] for i in range(NUM_NODES)]
        edges = [["from", "to", "weight"]]
        weights = self.random.normal(size=len(self.arcs))
        edges += [[ids[u], ids[v], repr(w)] for (u, v), w in zip(self.arcs, weights.tolist())]
        for delimiter in ",;\t":
            for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC):
                for pack in (False, True):
                    arrays = self.convert(
                        "--nodes", self.write_csv("n.csv", nodes, delimiter, quoting, pack),
                        "--edges", self.write_csv("e.csv", edges, delimiter, quoting, pack),
                        "--label-column", "topic")
                    self.assert_same(arrays["node_ids"], ids)
                    self.assert_same(arrays["edges"], self.arcs)
                    self.assert_same(arrays["edge_weights"], weights)
                    self.assert_same(arrays["label_names"], np.unique(CLASSES[self.labels]))
                    self.assert_same(arrays["label_names"][arrays["node_labels"]],
                                     CLASSES[self.labels])
                    values, codes = np.unique(colours, return_inverse=True)
                    expected = np.hstack([np.eye(3, dtype="f4")[codes], self.features])
                    self.assert_same(self.sparse_of(arrays).toarray(), expected)
                    self.assert_same(arrays["feature_names"][:3],
                                     [f"colour={value}" for value in values])
                    self.check_splits(arrays)

    def check_splits(self, arrays):
        """Ten of them, 48/32/20 % of each class."""
        masks = [arrays[f"{part}_masks"] for part in ("train", "val", "test")]
        self.assertEqual(masks[0].shape, (10, NUM_NODES))
        self.assertTrue((sum(mask.astype(int) for mask in masks) == 1).all())
        for label in range(arrays["node_labels"].max() + 1):
            of_class = arrays["node_labels"] == label
            k = of_class.sum()
            for mask, share in zip(masks, (0.48, 0.32)):
                expected = int(np.floor(share * k + 0.5))
                self.assert_same(mask[:, of_class].sum(axis=1), [expected] * 10)


class FolderTest(ConvertTest):
    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())

    def write_geom_gcn(self, rows):
        order = self.random.permutation(NUM_NODES)
        lines = [f"{i}\t{','.join(map(str, rows[i]))}\t{self.labels[i]}\n" for i in order]
        self.write("new_data/tiny/out1_node_feature_label.txt",
                   "node_id\tfeature\tlabel\n" + "".join(lines))
        self.write("new_data/tiny/out1_graph_edges.txt",
                   "node_id\tnode_id\n" + "".join(f"{u}\t{v}\n" for u, v in self.arcs))
        masks = self.random.integers(0, 3, size=(10, NUM_NODES))
        (self.folder / "splits").mkdir(exist_ok=True)
        for i, parts in enumerate(masks):
            np.savez_compressed(self.folder / f"splits/tiny_split_0.6_0.2_{i}.npz",
                                train_mask=(parts == 0).astype("u1"), val_mask=parts == 1,
                                test_mask=(parts == 2).astype("i8"))
        return masks

    def test_geom_gcn(self):
        dense = (self.features != 0).astype(int)
        columns = [np.flatnonzero(row) for row in dense]
        for rows in (dense, columns):
            if rows is columns:
                dense[0], columns[0] = 0, []  # a node without any
            masks = self.write_geom_gcn(rows)
            arrays = self.convert(self.folder / "new_data/tiny")
            self.assert_same(arrays["edges"], self.arcs)
            self.assert_same(arrays["node_labels"], self.labels)
            self.assert_same(self.sparse_of(arrays).toarray(), dense)
            for part, name in enumerate(("train_masks", "val_masks", "test_masks")):
                self.assert_same(arrays[name], masks == part)

    def test_ogb(self):
        self.write("ogbn_x/raw/num-node-list.csv.gz", f"{NUM_NODES}\n")
        self.write("ogbn_x/raw/edge.csv.gz", "".join(f"{u},{v}\n" for u, v in self.arcs))
        rows = [",".join(repr(x) for x in row) for row in self.features.tolist()]
        self.write("ogbn_x/raw/node-feat.csv.gz", "\n".join(rows) + "\n")
        self.write("ogbn_x/raw/node-label.csv.gz", "".join(f"{y}\n" for y in self.labels))
        parts = self.random.integers(0, 3, size=NUM_NODES)
        for part, name in enumerate(("train", "valid", "test")):
            self.write(f"ogbn_x/split/time/{name}.csv.gz",
                       "".join(f"{i}\n" for i in np.flatnonzero(parts == part)))
        arrays = self.convert(self.folder / "ogbn_x")
        self.assert_same(arrays["edges"], self.arcs)
        self.assert_same(arrays["node_features"], self.features)
        self.assert_same(arrays["node_labels"], self.labels)
        self.assert_same(arrays["val_masks"], [parts == 1])

    def test_edge_list_with_degrees(self):
        self.write("snap.txt.gz", "# Nodes: 50\n# FromNodeId\tToNodeId\n" +
                   "".join(f"{u}\t{v}\n" for u, v in self.arcs))
        path = self.folder / "snap.txt.gz"
        nodes = ("--num-nodes", NUM_NODES)
        degrees = np.stack([np.bincount(self.arcs[:, i], minlength=NUM_NODES) for i in (0, 1)])
        arrays = self.convert(path, *nodes, "--features", "degrees")
        self.assert_same(arrays["node_features"], degrees.T)
        arrays = self.convert(path, *nodes, "--features", "degree-buckets")
        buckets = np.ceil(np.log2(degrees + 1)).astype(int)
        widths = buckets.max(axis=1) + 1
        expected = np.hstack([np.eye(w)[b] for w, b in zip(widths, buckets)])
        self.assert_same(self.sparse_of(arrays).toarray(), expected)
