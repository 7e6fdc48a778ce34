#!/usr/bin/env python3
"""Archives of more than 4 GB, and archives that falsely declare more: check_huge_npz.py PROGRAM [unittest options].

The large files are mostly holes and take no disk. Exits with 77, 'skipped', where NumPy is missing.
"""
import gzip
import io
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

SKIPPED = 77
GIB = 1 << 30
MOST_MEMORY = 300 << 20  # of a process that refuses a file

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)

from archive_bytes import DEFLATED, Archive, npy_header  # noqa: E402

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
IS_SANITIZED = "--sanitized" in sys.argv  # then a process has more memory than its data


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def add_array(archive, name, array):
    content = npy(array)
    archive.add(name + ".npy", content, zlib.crc32(content))


def crc_of_zeros(start, count):
    """The checksum of data with checksum `start` followed by `count` zeros, in pieces."""
    zeros = bytes(1 << 24)
    while count > 0:
        start = zlib.crc32(zeros[:min(count, len(zeros))], start)
        count -= len(zeros)
    return start


def available_memory():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable:")) * 1024


class HugeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dsnn-huge-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "graph.npz"

    def run_info(self, *options):
        """Return code, output, errors and most memory of `dsnn info`."""
        with subprocess.Popen([PROGRAM, "info", "--json", str(self.path), *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            output, errors = process.stdout.read(), process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, output, errors, usage.ru_maxrss * 1024

    def info(self):
        """Its output for a file that it reads, and its peak memory; it may report progress."""
        code, output, errors, memory = self.run_info()
        self.assertEqual(code, 0, errors)
        return json.loads(output), memory

    def check_refused(self, *words):
        code, output, errors, memory = self.run_info()
        self.assertEqual((code, output), (1, ""), errors)
        self.assertEqual(errors.strip().count("\n"), 0, errors)
        for word in (self.path.name, *words):
            self.assertIn(word, errors)
        if not IS_SANITIZED:
            self.assertLess(memory, MOST_MEMORY, errors)


class LargeArchiveTest(HugeTest):
    """Files that really are larger than 4 GB."""

    EDGES = np.array([[0, 1], [1, 2], [2, 0], [3, 1]])

    def add_small_arrays(self, archive):
        add_array(archive, "edges", self.EDGES)
        add_array(archive, "node_labels", np.array([0, 1, 2, 1]))
        add_array(archive, "node_features", np.eye(4, 6, dtype=np.float32))

    def check_small_arrays(self):
        info, _ = self.info()
        self.assertEqual((info["nodes"], info["arcs"], info["labels"]["class_sizes"]), (4, 4, [1, 2, 1]), info)

    def test_members_beyond_4_gb(self):
        header = npy_header("|u1", (5 * GIB,))
        with Archive(self.path) as archive:
            archive.add("other.npy", header, checksum=0, hole=5 * GIB)
            self.add_small_arrays(archive)
        self.assertGreater(self.path.stat().st_size, 5 * GIB)
        with np.load(self.path) as saved:  # it is a proper archive
            self.assertEqual(saved["edges"].tolist(), self.EDGES.tolist())
        self.check_small_arrays()

    def test_small_members_in_zip64(self):
        with Archive(self.path, always_zip64=True) as archive:
            self.add_small_arrays(archive)
        with np.load(self.path) as saved:
            self.assertEqual(saved["edges"].tolist(), self.EDGES.tolist())
        self.check_small_arrays()

    def test_as_numpy_writes_to_a_stream(self):
        # numpy.savez opens each member with force_zip64, here also with sizes behind the data.
        class Stream(io.RawIOBase):
            def __init__(self, path):
                super().__init__()
                self.file = open(path, "wb")

            def writable(self):
                return True

            def write(self, content):
                return self.file.write(content)

            def close(self):
                self.file.close()
                super().close()

        for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with Stream(self.path) as stream, zipfile.ZipFile(stream, "w", compression) as archive:
                for name, array in (("edges", self.EDGES), ("node_labels", np.array([0, 1, 2, 1]))):
                    with archive.open(name + ".npy", "w", force_zip64=True) as member:
                        member.write(npy(array))
            self.check_small_arrays()

    def test_features_of_more_than_4_gb(self):
        num_nodes, num_features = 1 << 20, 1100
        size = 4 * num_nodes * num_features
        if IS_SANITIZED or available_memory() < 12 * GIB:
            self.skipTest("needs 12 GB of free memory, and no sanitizer")
        header = npy_header("<f4", (num_nodes, num_features))
        with Archive(self.path) as archive:
            archive.add("node_features.npy", header, crc_of_zeros(zlib.crc32(header), size), hole=size)
            add_array(archive, "edges", self.EDGES)
        info, memory = self.info()
        self.assertEqual((info["nodes"], info["arcs"], info["features"]["count"]), (num_nodes, 4, num_features))
        self.assertLess(memory, 1.1 * size + MOST_MEMORY)


class BombTest(HugeTest):
    """Small files that declare large sizes are refused in one sentence, before memory is allocated."""

    @staticmethod
    def deflate(header, zeros):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed, piece = packer.compress(header), bytes(1 << 24)
        for _ in range(zeros // len(piece)):
            packed += packer.compress(piece)
        return packed + packer.flush()

    def write(self, edges, method, size):
        with Archive(self.path) as archive:
            archive.add("edges.npy", edges, checksum=0, method=method, size=size)

    def test_zip_bomb(self):
        header = npy_header("<i8", (GIB >> 3, 2))
        self.write(self.deflate(header, 2 * GIB), DEFLATED, len(header) + 2 * GIB)
        self.check_refused("edges", "expands", "to 2147483")

    def test_member_that_unpacks_to_more_than_it_says(self):
        header = npy_header("<i8", (2, 2))
        self.write(self.deflate(header, GIB >> 3), DEFLATED, len(header) + 32)
        self.check_refused("edges")

    def test_member_that_says_more_than_deflate_can(self):
        header = npy_header("<i8", (1 << 50, 2))
        self.write(self.deflate(header, 0), DEFLATED, len(header) + (1 << 54))
        self.check_refused("edges", "is damaged")

    def test_stored_member_longer_than_the_file(self):
        header = npy_header("<i8", (1 << 56, 2))
        self.write(header, 0, len(header) + (1 << 60))
        self.check_refused("edges", "is damaged")

    def test_headers_that_promise_too_much(self):
        for extent in ((1 << 31) - 1, 1 << 31, 1 << 40, 1 << 57, (1 << 63) - 1, 1 << 63, 1 << 90):
            for name, header in (("node_labels", npy_header("<i8", (extent,))),
                                 ("node_features", npy_header("<f4", (extent, 8))),
                                 ("node_features", npy_header("<f4", (extent, extent))),
                                 ("node_features", npy_header("<f4", (extent, 0))),
                                 ("edge_weights", npy_header("<f8", (extent,))),
                                 ("num_nodes", npy_header("<i8", (extent,)))):
                with self.subTest(name=name, extent=extent, header=header):
                    with Archive(self.path) as archive:
                        add_array(archive, "edges", np.array([[0, 1], [1, 2]]))
                        archive.add(name + ".npy", header, zlib.crc32(header))
                    self.check_refused()

    def test_masks_of_no_splits_and_all_nodes(self):
        masks = npy_header("|b1", (0, (1 << 31) - 1))
        with Archive(self.path) as archive:
            add_array(archive, "edges", np.array([[0, 1], [1, 2]]))
            for name in ("train_masks", "val_masks", "test_masks"):
                archive.add(name + ".npy", masks, zlib.crc32(masks))
        self.check_refused("2147483647 nodes")

    def test_archive_within_an_archive(self):
        inner = io.BytesIO()
        np.savez_compressed(inner, edges=np.zeros((1000, 2), int))
        with Archive(self.path) as archive:
            for name in ("edges.npy", "edges.npz", "graph.npz"):
                archive.add(name, inner.getvalue(), zlib.crc32(inner.getvalue()))
        self.check_refused("edges", "is not a NumPy array")

    def test_text_bombs(self):
        self.path = self.path.with_name("arcs.txt.gz")
        for line in (b"0 1\n", b"\n", b"#", b"0"):
            with self.subTest(line=line):
                member = gzip.compress(line * ((1 << 24) // len(line)), 6, mtime=0)
                self.path.write_bytes(64 * member)
                self.check_refused("" if line in b"#0" else "expands to more than 500 times")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + [word for word in sys.argv[2:] if word != "--sanitized"])
