"""Datasets that many papers use, and random ones."""

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
    """A graph of the directed stochastic block model.

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
    """A dataset from a file or folder, or by its name.

    A plain name is looked for in `data_dir`, in the folder that DSNN_DATA names, and in the cache;
    `fetch` puts it there.
    """
    return Dataset.load(what, data_dir=data_dir, **options)


def known(data_dir: Path = None) -> dict[str, dict[str, Any]]:
    """The datasets that the library knows: sizes, origin, faults, and where they are.

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
    """Downloads the public originals of a dataset, checks them, and keeps the dataset made of them.

    It is kept as `<name>.npz` in `folder`, by default the library's cache, where `load` finds it.
    One that is there already is taken as it is, unless `force` says otherwise. `mirror` takes the
    place of scheme and host in all addresses. Originals that were put into
    `<folder>/downloads/<name>` by hand are used.
    """
    listed = _library.call_for_json(lib.dsnn_dataset_list, _library.options(data_dir=folder))
    entries = {entry["name"]: entry for entry in listed["datasets"]}
    if name not in entries:
        near = difflib.get_close_matches(name, entries, 1)
        raise Error(
            f"'{name}' is no dataset that is known here"
            + (f"; did you mean '{near[0]}'?" if near else "")
        )
    if not listed["folder"]:
        raise Error("there is no folder for datasets: set HOME or XDG_CACHE_HOME, or name one")
    target = pathlib.Path(listed["folder"]) / f"{name}.npz"
    if target.exists() and not force:
        return load(target)
    sources = entries[name]["sources"]
    if not sources:
        raise Error(f"{name}: cannot be fetched, as it has no public original; put {target} there")
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
    with contextlib.suppress(OSError):  # others are being fetched
        downloads.parent.rmdir()
    return load(target)


def _ignore(message: dict[str, Any]) -> None:
    pass


def _download(url: str, path: pathlib.Path, mirror: Optional[str]) -> None:
    """Into a file that has its name when it is complete."""
    if mirror is not None:
        if not mirror.startswith(("http://", "https://")):
            raise Error(
                f"the mirror '{mirror}' is no address, expected http://HOST or https://HOST"
            )
        url = mirror.rstrip("/") + urllib.parse.urlsplit(url).path
    part = path.with_name(path.name + ".part")
    try:
        with urllib.request.urlopen(url, timeout=30) as answer, open(part, "wb") as file:
            shutil.copyfileobj(answer, file)
    except (OSError, http.client.HTTPException) as error:
        raise Error(
            f"{url}: cannot be downloaded ({error}); without a network, put it into {path.parent}"
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
        raise Error(f"{path}: {problem}; remove it to download it anew")


def _unpack(archive: pathlib.Path, folder: pathlib.Path) -> None:
    """The files of an archive, by their names alone: no paths, no links."""
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
