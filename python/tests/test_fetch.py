"""Fetching datasets from a local server."""

import functools
import hashlib
import http.server
import io
import json
import tarfile
import threading

import numpy as np
import pytest

import dsnn
from dsnn import _library, datasets


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(tmp_path):
    """Serves a folder; yields its address and the folder."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}", folder
        made.shutdown()
        thread.join()


def citations(data):
    """The archive of a citation graph in the layout of the LINQS group."""
    x = np.asarray(data.features, int)
    content = "".join(
        "\t".join([f"p{u}", *map(str, x[u]), f"class{data.labels[u]}"]) + "\n"
        for u in range(data.num_nodes)
    )
    sources, targets = data.graph.arcs()[0]
    cites = "".join(f"p{v}\tp{u}\n" for u, v in zip(sources, targets))
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in (("cora.content", content), ("cora.cites", cites)):
            member = tarfile.TarInfo(f"cora/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("../../evil")
        link.type = tarfile.SYMTYPE
        link.linkname = "/etc/passwd"
        archive.addfile(link)
    return packed.getvalue()


def with_source(monkeypatch, name, archive):
    """Registers an archive as the original of a dataset."""
    original = _library.call_for_json

    def answer(function, *arguments):
        told = original(function, *arguments)
        if function is _library.lib.dsnn_dataset_list:
            for entry in told["datasets"]:
                if entry["name"] == name:
                    entry["sources"][0]["bytes"] = len(archive)
                    entry["sources"][0]["sha256"] = hashlib.sha256(archive).hexdigest()
        return json.loads(json.dumps(told))

    monkeypatch.setattr(_library, "call_for_json", answer)
    source = datasets.known()[name]["sources"][0]
    return source["url"].split("://", 1)[1].split("/", 1)[1]


def test_a_citation_graph(server, tmp_path, monkeypatch):
    address, folder = server
    try:
        cora = datasets.load("cora")
    except dsnn.Error as error:
        pytest.skip(str(error))
    archive = citations(cora)
    path = folder / with_source(monkeypatch, "cora", archive)
    path.parent.mkdir(parents=True)
    path.write_bytes(archive)
    data = datasets.fetch("cora", folder=tmp_path / "data", mirror=address, progress=False)
    assert data.num_classes == 7
    np.testing.assert_array_equal(data.graph.arcs()[0], cora.graph.arcs()[0])
    np.testing.assert_array_equal(data.features.toarray(), cora.features)
    assert [p.name for p in (tmp_path / "data").iterdir()] == ["cora.npz"]
    path.unlink()  # existing files are not downloaded again
    assert datasets.fetch("cora", folder=tmp_path / "data", mirror=address).num_nodes == 2708


def test_another_original(server, tmp_path, monkeypatch):
    address, folder = server
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as packed:
        for name, text in (
            ("cora.content", b"a\t1\t0\tx\nb\t0\t1\ty\n"),
            ("cora.cites", b"a\tb\n"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            packed.addfile(member, io.BytesIO(text))
    path = folder / with_source(monkeypatch, "cora", archive.getvalue())
    path.parent.mkdir(parents=True)
    path.write_bytes(archive.getvalue())
    with pytest.raises(dsnn.Error, match="cora: the originals have 2 nodes, expected 2708"):
        datasets.fetch("cora", folder=tmp_path, mirror=address, progress=False)
    assert not (tmp_path / "cora.npz").exists()


def test_wrong_bytes(server, tmp_path):
    address, folder = server
    source = datasets.known()["texas"]["sources"][0]
    path = folder / source["url"].split("://", 1)[1].split("/", 1)[1]
    path.parent.mkdir(parents=True)
    path.write_bytes(b"something else")
    with pytest.raises(dsnn.Error, match=r"14 bytes|SHA-256 .*remove it to download it again"):
        datasets.fetch("texas", folder=tmp_path, mirror=address, progress=False)


def test_no_network(tmp_path):
    with pytest.raises(dsnn.Error, match=r"cannot be downloaded .* copy it to"):
        datasets.fetch("texas", folder=tmp_path, mirror="http://127.0.0.1:9", progress=False)


@pytest.mark.parametrize(
    ("name", "mirror", "sentence"),
    [
        ("texos", None, "unknown dataset 'texos'; did you mean 'texas'"),
        ("texas", "ftp://here", "the mirror 'ftp://here' is not an address"),
        ("../texas", None, "unknown dataset"),
    ],
)
def test_mistakes(tmp_path, name, mirror, sentence):
    with pytest.raises(dsnn.Error, match=sentence):
        datasets.fetch(name, folder=tmp_path, mirror=mirror, progress=False)
