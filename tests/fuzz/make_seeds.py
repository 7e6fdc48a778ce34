#!/usr/bin/env python3
"""Writes the handmade inputs of the fuzz targets: make_seeds.py FOLDER, which gets a folder for each target.

The rest of tests/fuzz/corpus was found by the fuzzers (scripts/fuzz.sh says how it is kept small).
"""
import gzip
import hashlib
import io
import pathlib
import sys

import numpy as np

NAMES = ["edges", "edge_weights", "node_features", "node_labels", "train_masks", "val_masks", "test_masks",
         "num_nodes", "node_features_data", "node_features_indices", "label_names", "node_ids", "feature_names",
         "node_features_shape", "node_features_indptr"]  # as in npz_fuzz.cpp

EDGES = np.array([[0, 1], [1, 2], [2, 0], [2, 2], [0, 1]])
MASK = np.array([True, False, False])


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def arrays(**members):
    """The members in the format of npz_fuzz.cpp."""
    result = b""
    for name, array in members.items():
        content = array if isinstance(array, bytes) else npy(array)
        result += bytes([NAMES.index(name)]) + len(content).to_bytes(2, "little") + content
    return result


def header(dtype, shape):
    """An array with a header but no data."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def archive(save, **members):
    file = io.BytesIO()
    save(file, **members)
    return file.getvalue()


def npz_seeds():
    nodes = dict(node_features=np.arange(6.0).reshape(3, 2), node_labels=np.array([0, -1, 2]))
    masks = dict(train_masks=MASK, val_masks=np.roll(MASK, 1), test_masks=np.roll(MASK, 2))
    sparse = dict(node_features_data=np.float32([1, 2]), node_features_indices=np.int32([3, 0]),
                  node_features_indptr=np.array([0, 1, 1, 2]), node_features_shape=np.array([3, 4]))
    names = dict(node_ids=np.array(["a", "bé", "c"]), feature_names=np.array([b"x", b"y"]),
                 label_names=np.array(["l", "m", "n"]))
    yield arrays(edges=EDGES, num_nodes=np.int64(3))
    yield arrays(edges=EDGES.astype(">i4"), edge_weights=np.float32([1, -2, 0, 3, 1e-3]), **masks)
    yield arrays(edges=np.asfortranarray(EDGES.astype("u2")), **nodes, **names)
    yield arrays(edges=EDGES, **sparse)
    yield arrays(edges=EDGES, node_labels=np.int8([1, 0, 1]), train_masks=np.array([MASK, ~MASK]),
                 val_masks=np.array([~MASK, MASK]), test_masks=np.array([MASK, MASK]), node_ids=np.array([7, 8, 9]))
    yield arrays(edges=EDGES, edge_weights=np.array([1e308] * 5))
    yield arrays(edges=np.zeros((0, 2), int), num_nodes=np.int64(1 << 24))
    for promise in ((1 << 31) - 1, 1 << 40, (1 << 63) - 1):
        yield arrays(edges=EDGES, node_labels=header("<i8", f"({promise},)"))
        yield arrays(edges=EDGES, node_features=header("<f4", f"({promise}, 0)"))
        yield arrays(edges=EDGES, node_features=header("<f4", f"({promise}, {promise})"))
        yield arrays(edges=EDGES, train_masks=header("|b1", f"(0, {promise})"),
                     val_masks=header("|b1", f"(0, {promise})"), test_masks=header("|b1", f"(0, {promise})"))
        yield arrays(edges=header("<i8", f"({promise}, 2)"))
        yield arrays(edges=EDGES, num_nodes=np.int64(promise))
        yield arrays(edges=EDGES, node_ids=header(f"<U{promise}", "(3,)"))
        yield arrays(edges=EDGES, node_features_data=np.float32([]), node_features_indices=np.int32([]),
                     node_features_indptr=np.array([0]), node_features_shape=np.array([promise, 4]))
    yield archive(np.savez, edges=EDGES, **nodes)
    yield archive(np.savez_compressed, edges=EDGES, **masks)


def edge_list_seeds():
    yield b"0 1\n1 2\n2 0\n"
    yield b"\xef\xbb\xbf# arcs\r\n0,1,0.5\r\n\r\n1\t2 -2e-3 # end\r\n2 , 0 , 7\r\n"
    yield b"0 1 1e308\n0 1 1e308\n"
    yield b"0 1 1\n0 1 -1\n1 1 2\n"
    yield b"0 16777215\n"
    yield b"0 2147483646\n"
    yield b"0 99999999999999999999\n"
    yield b"0 1 nan\n"
    yield gzip.compress(b"0 1\n1 2\n", mtime=0) + gzip.compress(b"3 4\n", mtime=0)
    yield gzip.compress(b"0 1\n" * 1000, mtime=0)[:-9]


def csv_seeds():
    edges = b"source,target,weight\na,b,1.5\nb,c,-2\nc,a,0\n"
    nodes = b"id,label,x,colour,split\na,cat,1,red,train\nb,dog,,blue,val\nc,?,2.5,NA,test\n"
    for bits in (b"\x00", b"\x01", b"\x02", b"\x04", b"\x08", b"\x10", b"\x30", b"\x90", b"\xb1"):
        yield bits + edges + b"\f" + nodes
    yield b"\x00" + b"0 1\n1 2\n"
    yield b"\x00" + b"7;8;0,5\n8;7;1,5\n"
    yield b"\x00" + b'"a ""b""","c\nd"\n"c\nd",e\n'
    yield b"\x01" + edges.replace(b"a", b"\xe4") + b"\f" + nodes.replace(b"a", b"\xe4")
    yield b"\x40" + b"a,b\n" + b"\fid,y,x,s,t\na,1,2,train,val\nb,0,1e39,test,\n"
    yield b"\x01" + b"% c\n0\t1\n1\t5\n" + b"\f0\t1\t0\t0\n1\t0\t0\tx\n"
    yield b"\x00" + gzip.compress(edges, mtime=0) + b"\f" + gzip.compress(nodes, mtime=0)


def geom_gcn_seeds():
    edges = b"node_id\tnode_id\n0\t1\n1\t2\n2\t0\n"
    yield b"node_id\tfeature\tlabel\n0\t1,0,0.5\t0\n2\t0,1,0\t1\n1\t0,0,1\t2\n\f" + edges
    yield b"node_id\tfeature\tlabel\r\n0\t5,931\t0\r\n1\t0\t1\r\n2\t\t4\r\n\f" + edges
    yield b"h\n0\t1e30,2\t0\n1\t3,4\t1\n2\t5,6\t1\n\f" + edges
    yield b"h\n0\t1,1\t0\n1\t0,1\t1\n2\t0,0\t2147483646\n\f" + edges
    masks = archive(np.savez_compressed, train_mask=MASK, val_mask=MASK, test_mask=MASK)
    yield b"h\n0\t1\t0\n1\t0\t1\n2\t1\t1\n\f" + edges + b"\f" + masks


def ogb_seeds():
    edges, features, labels = b"0,1\n1,2\n2,0\n", b"0.5,1\n-2,3e-2\n0,0\n", b"0\nnan\n1\n"
    split, names = [b"0\n", b"1\n", b"2\n"], [b"node idx,paper id\n0,x\n1,y\n2,z\n", b"label idx,name\n0,a\n1,b\n"]
    yield b"\f".join([edges, b"3\n", features, labels, *split, *names])
    yield b"\f".join([edges, b"", features, labels])
    yield b"\f".join([edges, b"16777216\n", b"1," * 200 + b"1\n"])
    yield b"\f".join([edges, b"3\n", b"", b"0\n2147483646\n1\n", b"", b"", b"", b"", names[1]])
    yield b"\f".join([edges, b"16777216\n", b"", b"", *split, names[0]])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for target, seeds in (("npz", npz_seeds()), ("edge_list", edge_list_seeds()), ("csv", csv_seeds()),
                          ("geom_gcn", geom_gcn_seeds()), ("ogb", ogb_seeds())):
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


if __name__ == "__main__":
    main()
