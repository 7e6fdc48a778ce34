"""Published datasets, and random graphs."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import http.client
import os
import pathlib
import shutil
import tarfile
import urllib.parse
import urllib.request
import zlib
from typing import Any, Optional, Union

from dsnn import _library
from dsnn._dataset import Dataset
from dsnn._library import Error, lib
from dsnn._progress import long_call, make_display

Path = Union[None, str, "os.PathLike[str]"]


def dsbm(
    nodes: int,
    communities: int,
    *,
    alpha_in: float,
    alpha_out: float,
    beta: float = 0.5,
    seed: int = 0,
) -> Dataset:
    """Draws a graph of the directed stochastic block model.

    Nodes of one community are joined with probability `alpha_in`, others with `alpha_out`; an edge
    between communities i < j runs from i to j with probability `beta`. The labels are the
    communities, the feature of a node is its degree, and there are ten splits, 80/5/15 %.

    >>> dsbm(100, 5, alpha_in=0.1, alpha_out=0.08, beta=0.2, seed=3)
    Dataset(100 nodes, 429 arcs, 1 features, 5 classes, 10 splits)
    """
    options = _library.options(
        nodes=nodes,
        communities=communities,
        alpha_in=float(alpha_in),
        alpha_out=float(alpha_out),
        beta=float(beta),
        seed=seed,
    )
    return Dataset._from_handle(
        _library.new_handle(lib.dsnn_dataset_close, lib.dsnn_dataset_dsbm, options)
    )


def load(what: Union[str, os.PathLike[str]], *, data_dir: Path = None, **options: Any) -> Dataset:
    """Loads a dataset from a file or folder, or by its name.

    A name is searched in `data_dir`, in the folder `$DSNN_DATA`, and in the cache, where `fetch`
    saves datasets.
    """
    return Dataset.load(what, data_dir=data_dir, **options)


def known(data_dir: Path = None) -> dict[str, dict[str, Any]]:
    """The published datasets: sizes, origin, faults, and where their files are.

    >>> known()["cora"]["classes"]
    7
    """
    made = _library.call_for_json(lib.dsnn_dataset_list, _library.options(data_dir=data_dir))
    return {entry["name"]: entry for entry in made["datasets"]}


def fetch(
    name: str,
    *,
    folder: Path = None,
    mirror: Optional[str] = None,
    force: bool = False,
    progress: Any = None,
) -> Dataset:
    """Downloads the original files of a dataset, checks and converts them, and returns the dataset.

    It is saved as `<name>.npz` in `folder`, by default the library's cache, where `load` finds it.
    An existing file is loaded instead, unless `force` is true. `mirror` replaces scheme and host in
    all addresses. Original files that already exist in `<folder>/downloads/<name>` are not
    downloaded.
    """
    listed = _library.call_for_json(lib.dsnn_dataset_list, _library.options(data_dir=folder))
    entries = {entry["name"]: entry for entry in listed["datasets"]}
    if name not in entries:
        near = difflib.get_close_matches(name, entries, 1)
        raise Error(f"unknown dataset '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    if not listed["folder"]:
        raise Error("there is no folder for datasets: set HOME or XDG_CACHE_HOME, or give a folder")
    target = pathlib.Path(listed["folder"]) / f"{name}.npz"
    if target.exists() and not force:
        return load(target)
    sources = entries[name]["sources"]
    if not sources:
        raise Error(f"{name}: cannot be fetched, as it has no public original; copy it to {target}")
    downloads = target.parent / "downloads" / name
    downloads.mkdir(parents=True, exist_ok=True)
    show = make_display(progress) if not callable(progress) else None
    tell = progress if callable(progress) else show.show if show is not None else _ignore
    try:
        for i, source in enumerate(sources):
            path = downloads / source["file"]
            if not path.exists():
                tell({"stage": f"downloading {path.name}", "done": i, "total": len(sources)})
                _download(source["url"], path, mirror)
            _check(source, path)
            if entries[name]["source_kind"] == "linqs":
                _unpack(path, downloads)
    finally:
        if show is not None:
            show.close()
    handle = long_call(
        lambda callback: _library.new_handle(
            lib.dsnn_dataset_close,
            lib.dsnn_dataset_from_originals,
            _library.encode(name),
            _library.encode(downloads),
            callback,
            None,
        ),
        progress,
    )
    Dataset._from_handle(handle).save(target, progress=progress)
    shutil.rmtree(downloads)
    with contextlib.suppress(OSError):  # another dataset is being fetched
        downloads.parent.rmdir()
    return load(target)


def _ignore(message: dict[str, Any]) -> None:
    pass


def _download(url: str, path: pathlib.Path, mirror: Optional[str]) -> None:
    """Downloads to a file that is renamed when it is complete."""
    if mirror is not None:
        if not mirror.startswith(("http://", "https://")):
            raise Error(
                f"the mirror '{mirror}' is not an address, expected http://HOST or https://HOST"
            )
        url = mirror.rstrip("/") + urllib.parse.urlsplit(url).path
    part = path.with_name(path.name + ".part")
    try:
        with urllib.request.urlopen(url, timeout=30) as answer, open(part, "wb") as file:
            shutil.copyfileobj(answer, file)
    except (OSError, http.client.HTTPException) as error:
        raise Error(
            f"{url}: cannot be downloaded ({error}); without a network, copy it to {path.parent}"
        ) from error
    part.replace(path)


def _check(source: dict[str, Any], path: pathlib.Path) -> None:
    size = path.stat().st_size
    problem = None
    if source["bytes"] is not None and size != source["bytes"]:
        problem = f"has {size} bytes, expected {source['bytes']}"
    elif source["sha256"] is not None:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest != source["sha256"]:
            problem = f"has the SHA-256 {digest}, expected {source['sha256']}"
    if problem is not None:
        raise Error(f"{path}: {problem}; remove it to download it again")


def _unpack(archive: pathlib.Path, folder: pathlib.Path) -> None:
    """Extracts the files of an archive without their folders; links are ignored."""
    most = 1 << 30
    try:
        with tarfile.open(archive) as members:
            for member in members:
                name = pathlib.PurePosixPath(member.name).name
                if not member.isfile() or not name or name.startswith(".") or member.size > most:
                    continue
                if (folder / name) == archive:
                    continue
                content = members.extractfile(member)
                if content is not None:
                    with open(folder / name, "wb") as file:
                        shutil.copyfileobj(content, file)
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise Error(f"{archive}: cannot be unpacked: {error}") from error
