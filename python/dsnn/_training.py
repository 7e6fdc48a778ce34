"""Training, and trained models."""

from __future__ import annotations

import csv
import os
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from dsnn import _arrays, _library
from dsnn._dataset import Dataset
from dsnn._library import Error, Handle, check, encode, lib
from dsnn._progress import long_call

Path = Union[str, "os.PathLike[str]"]


class Parameter(NamedTuple):
    """A parameter of a model or of its training."""

    name: str
    default: Any
    help: str
    choices: Optional[list[str]] = None
    least: Optional[float] = None
    most: Optional[float] = None


class Model(NamedTuple):
    """The description of a model and its parameters."""

    name: str
    family: str
    title: str
    reference: str
    year: int
    uses_direction: bool
    #: Whether it learns from features how neighbours are combined.
    learns_structure: bool
    #: The time of an epoch on cora with the defaults, relative to that of gcn; 0: not measured.
    relative_cost: float
    parameters: dict[str, Parameter]


def models() -> dict[str, Model]:
    """All models by their names.

    >>> models()["diag-dsnn"].uses_direction
    True
    >>> models()["diag-dsnn"].parameters["select_by"].default
    'accuracy'
    """
    made = {}
    for entry in _library.call_for_json(lib.dsnn_model_list):
        parameters = {p["name"]: Parameter(**p) for p in entry.pop("parameters")}
        made[entry["name"]] = Model(**entry, parameters=parameters)
    return made


def as_dataset(data: Any) -> Dataset:
    """Converts a name, a file or PyG's Data to a Dataset."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, (str, os.PathLike)):
        return Dataset.load(data)
    if hasattr(data, "edge_index"):
        return Dataset.from_pyg(data)
    raise Error(
        f"data is a {type(data).__name__}, expected a Dataset, the name of one, or PyG's Data"
    )


class Run:
    """Trained models in a run folder of `dsnn.train`, `dsnn.fit` or the program.

    >>> data = dsnn.datasets.dsbm(60, 2, alpha_in=0.2, alpha_out=0.2, beta=0.9, seed=1)
    >>> run = dsnn.train(data, "mlp", epochs=3, splits=[0], progress=False)
    >>> run.predict().shape, run.predict_proba().shape
    ((60,), (60, 2))
    """

    def __init__(
        self,
        folder: Path,
        data: Any = None,
        *,
        result: Optional[dict[str, Any]] = None,
        is_temporary: bool = False,
        device: str = "cpu",
    ) -> None:
        self.folder = pathlib.Path(folder)
        self.device = device
        """Where its models run: "cpu", "cuda", "cuda:N" or "auto"."""
        self._data = data
        self._handle: Handle = _library.new_handle(
            lib.dsnn_run_close, lib.dsnn_run_open_on, encode(folder), device.encode()
        )
        self._description: dict[str, Any] = _library.call_for_json(
            lib.dsnn_run_describe, self._handle.value
        )
        self.result: dict[str, Any] = {} if result is None else result
        """The result of the training, as in result.json; empty if the run was opened."""
        if is_temporary:
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def __repr__(self) -> str:
        text = f"Run({self.model} on {self._description['members'][0]['dataset']}"
        if self.test_accuracy is not None:
            text += f", test accuracy {self.test_accuracy:.2f} %"
        return text + ")"

    @property
    def model(self) -> str:
        """The name of the model; for several members, their different names."""
        return ", ".join(dict.fromkeys(member["model"] for member in self.members))

    @property
    def members(self) -> list[dict[str, Any]]:
        """The networks whose probabilities are averaged, often one, with their parameters."""
        return list(self._description["members"])

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters of the (first) model."""
        return dict(self.members[0]["parameters"])

    @property
    def splits(self) -> list[int]:
        """The splits that have a model."""
        return [split["split"] for split in self.members[0]["splits"]]

    @property
    def classes(self) -> np.ndarray:
        """The classes in the order of `predict_proba`: names, or numbers if they have none."""
        names = self._description["label_names"]
        return np.array(names) if names else np.arange(self._description["classes"])

    @property
    def warnings(self) -> list[str]:
        """Warnings about the data and the training."""
        return list(self.result.get("warnings", []))

    @property
    def test_accuracy(self) -> Optional[float]:
        """The mean test accuracy over the splits, in percent; None if it is not known."""
        if "test_accuracy_mean" in self.result:
            return float(self.result["test_accuracy_mean"])
        if "test_accuracy" in self.result:
            return float(self.result["test_accuracy"])
        scores = [s.get("test_accuracy") for s in self.result.get("splits", [])]
        known = [score for score in scores if score is not None]
        return float(np.mean(known)) if known and len(known) == len(scores) else None

    def _dataset(self, data: Any) -> Dataset:
        if data is not None:
            return as_dataset(data)
        if self._data is None:
            kept = self.folder / "data.npz"
            self._data = Dataset.load(kept if kept.exists() else self.members[0]["dataset"])
        return as_dataset(self._data)

    def predict_logits(self, data: Any = None, split: Optional[int] = None) -> np.ndarray:
        """Logits [nodes, classes]; for several members, logarithms of averaged probabilities."""
        dataset = self._dataset(data)
        logits = np.empty((dataset.num_nodes, self._description["classes"]), np.float32)
        check(
            lib.dsnn_run_get_logits(
                self._handle.value,
                -1 if split is None else int(split),
                dataset._handle.value,
                *logits.shape,
                _arrays.pointer(logits),
            )
        )
        return logits

    def predict_proba(self, data: Any = None, split: Optional[int] = None) -> np.ndarray:
        """Probabilities [nodes, classes] for all nodes of `data`, by default the run's dataset."""
        logits = self.predict_logits(data, split).astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        return logits / logits.sum(axis=1, keepdims=True)

    def predict(self, data: Any = None, split: Optional[int] = None) -> np.ndarray:
        """The class of each node: its name, or its number if classes have no names.

        `split` selects the model, by default that with the best validation score.
        """
        return self.classes[self.predict_logits(data, split).argmax(axis=1)]

    def predict_links(
        self, pairs: Any, data: Any = None, split: Optional[int] = None
    ) -> np.ndarray:
        """Probabilities [k, classes] of pairs [k, 2] of nodes, of a run with task="links".

        All arcs of `data`, by default the run's dataset, carry messages. Of two classes, the second
        is that of arcs; of three: arc, reversed arc, neither.
        """
        dataset = self._dataset(data)
        asked = np.ascontiguousarray(pairs, np.int64)
        if asked.ndim != 2 or asked.shape[1] != 2:
            raise Error(f"pairs must have the shape [k, 2] (got {list(asked.shape)})")
        found = np.empty((len(asked), self._description["classes"]), np.float64)
        check(
            lib.dsnn_run_get_links(
                self._handle.value,
                -1 if split is None else int(split),
                dataset._handle.value,
                len(asked),
                _arrays.pointer(asked),
                found.shape[1],
                _arrays.pointer(found),
            )
        )
        return found

    def top_links(
        self, count: int, data: Any = None, split: Optional[int] = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The `count` most probable new arcs from each node: pairs [k, 2], probabilities [k]."""
        dataset = self._dataset(data)
        found = _library.call_for_json(
            lib.dsnn_run_top_links,
            self._handle.value,
            -1 if split is None else int(split),
            dataset._handle.value,
            int(count),
        )
        pairs = np.array([found["sources"], found["targets"]], np.int64).T
        return pairs, np.array(found["probabilities"], np.float64)

    def evaluate(self, data: Any = None) -> list[dict[str, Any]]:
        """The scores of each split's model on the test nodes, or pairs of nodes."""
        dataset = self._dataset(data)
        return list(
            _library.call_for_json(lib.dsnn_run_evaluate, self._handle.value, dataset._handle.value)
        )

    @property
    def history(self) -> Any:
        """Losses and accuracies (in percent) of each epoch of each split.

        A pandas DataFrame if pandas is installed, otherwise a dictionary of arrays.
        """
        columns: dict[str, list[float]] = {}
        for split in self.members[0]["splits"]:
            with open(split["metrics"], newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    columns.setdefault("split", []).append(split["split"])
                    for name, text in row.items():
                        columns.setdefault(name, []).append(float(text or "nan"))
        arrays = {
            name: np.array(values, np.int64 if name in ("split", "epoch") else np.float64)
            for name, values in columns.items()
        }
        try:
            import pandas
        except ImportError:
            return arrays
        return pandas.DataFrame(arrays)

    def report(
        self,
        path: Union[Path, None] = None,
        *,
        data: Any = None,
        compares: bool = True,
        jobs: int = 1,
        progress: Any = None,
    ) -> pathlib.Path:
        """Writes the report of the run (HTML, docs/report.md), and returns its path.

        The report trains models for comparison: an MLP and, for a directed sheaf network, the same
        network without directions. `compares=False` omits the comparison.
        """
        dataset = self._dataset(data)
        options = _library.options(compares=compares, jobs=jobs)
        html = long_call(
            lambda callback: _library.call_for_text(
                lib.dsnn_run_report,
                self._handle.value,
                dataset._handle.value,
                options,
                callback,
                None,
            ),
            progress,
        )
        target = pathlib.Path(path) if path is not None else self.folder / "report.html"
        target.write_text(html, encoding="utf-8")
        return target

    def save(self, folder: Path) -> Run:
        """Copies the run to `folder` and opens the copy. A run without a folder is temporary."""
        shutil.copytree(self.folder, folder)
        return Run(folder, self._data, result=self.result, device=self.device)

    def close(self) -> None:
        """Frees the memory; the folder remains."""
        self._handle.close()


def _work_in(folder: Optional[Path], work: Any, what: str) -> tuple[Any, str, bool]:
    """Calls `work` with the folder, or a temporary one if it is None."""
    is_temporary = folder is None
    place = tempfile.mkdtemp(prefix="dsnn-") if folder is None else os.fspath(folder)
    try:
        return work(str(place)), str(place), is_temporary
    except (KeyboardInterrupt, _library.Cancelled):
        raise KeyboardInterrupt(
            f"stopped; dsnn.{what}(..., folder={str(place)!r}, resume=True) continues"
        ) from None
    except BaseException:
        if is_temporary:
            shutil.rmtree(place, ignore_errors=True)
        raise


def train(
    data: Any,
    model: Optional[str] = None,
    *,
    task: Optional[str] = None,
    splits: Optional[Sequence[int]] = None,
    seed: Optional[int] = None,
    jobs: int = 1,
    threads: Optional[int] = None,
    device: Optional[str] = None,
    members: int = 1,
    folder: Optional[Path] = None,
    resume: bool = False,
    config: Optional[Path] = None,
    progress: Any = None,
    **parameters: Any,
) -> Run:
    """Trains a model on the splits of a dataset.

    `data` is a Dataset, the name or file of one, or PyG's Data; if it has labels but no splits, ten
    are drawn. `model` is a name (`dsnn.models()`), by default "diag-dsnn". Parameters of the model
    and of the training are given by name, such as layers=4, dropout=0.5, epochs=300. `config` is a
    TOML file with initial values, such as a run's config.toml. With task="links", arcs are
    predicted instead of the classes of nodes (docs/tasks.md): link_task="direction",
    decoder="dual", metric="auc" and other parameters of links are given by name.

    The same seed gives the same results as `dsnn train`, bit for bit, for all numbers of `jobs`
    (splits in parallel) and `threads`. With several `members`, the probabilities of that number of
    networks with different seeds are averaged. The run is saved in `folder`, where `resume`
    continues an interrupted one; without a folder it is deleted with the Run. `device` is "cpu"
    (the default), "cuda", "cuda:N" or "auto" (the faster one, measured); the results of a GPU
    differ in their last digits. The models of the Run predict there, too.
    Ctrl-C raises KeyboardInterrupt and keeps the checkpoint.

    `progress` is None (a bar in terminals and notebooks), True, False, or a function that is called
    with a dictionary several times a second.

    >>> data = dsnn.datasets.dsbm(60, 2, alpha_in=0.2, alpha_out=0.2, beta=0.9, seed=1)
    >>> run = dsnn.train(data, "gcn", epochs=5, channels=8, splits=[0, 1], progress=False)
    >>> len(run.history) <= 10
    True
    """
    dataset = as_dataset(data) if task == "links" else _with_splits(as_dataset(data))
    if model is None and config is None:
        model = "diag-dsnn"

    def options(place: Optional[str]) -> bytes:
        return _library.options(
            model=model,
            task=task,
            parameters=parameters,
            config=config,
            splits=None if splits is None else [int(split) for split in splits],
            seed=seed,
            jobs=jobs,
            threads=threads,
            device=device,
            members=members,
            folder=place,
            resume=resume,
        )

    def work(place: str) -> Any:
        return long_call(
            lambda callback: _library.call_for_json(
                lib.dsnn_train, dataset._handle.value, options(place), callback, None
            ),
            progress,
        )

    result, place, is_temporary = _work_in(folder, work, "train")
    return Run(place, dataset, result=result, is_temporary=is_temporary, device=device or "cpu")


def estimate(
    data: Any, model: str = "diag-dsnn", *, seconds: float = 2, **parameters: Any
) -> dict[str, Any]:
    """Estimates a training: number of weights, bytes, programs, and the time of an epoch, which is
    measured by training for `seconds`.

    >>> data = dsnn.datasets.dsbm(60, 2, alpha_in=0.2, alpha_out=0.2, beta=0.9, seed=1)
    >>> estimate(data, "mlp", seconds=0, channels=8, layers=1)["num_weights"] > 0
    True
    """
    dataset = _with_splits(as_dataset(data))
    return dict(
        _library.call_for_json(
            lib.dsnn_train_estimate,
            dataset._handle.value,
            _library.options(model=model, parameters=parameters),
            float(seconds),
        )
    )


def fit(
    data: Any,
    *,
    task: str = "nodes",
    seconds: Optional[float] = None,
    trials: Optional[int] = None,
    members: int = 5,
    split: int = 0,
    seed: int = 0,
    folder: Optional[Path] = None,
    resume: bool = False,
    progress: Any = None,
    **parameters: Any,
) -> Run:
    """Finds good networks for a dataset and averages their probabilities.

    Tries several kinds of models for `seconds` (default 120), or a number of `trials`, with which
    the same seed gives the same networks on every machine. If the dataset has no splits, they are
    drawn: 60/20/20 % of each class for training, validation and testing. `parameters` are fixed in
    all trials; with task="links", those of links and in the trials whose model has them. The other
    arguments are those of `train`.
    """
    dataset = as_dataset(data)
    if task != "links" and not dataset.splits and dataset.labels is not None:
        dataset.draw_splits(split + 1, train=0.6, validation=0.2)

    def work(place: str) -> Any:
        options = _library.options(
            folder=place, task=task, seconds=seconds, trials=trials, members=members, split=split,
            seed=seed, parameters=parameters, resume=resume,
        )  # fmt: skip
        return long_call(
            lambda callback: _library.call_for_json(
                lib.dsnn_fit, dataset._handle.value, options, callback, None
            ),
            progress,
        )

    result, place, is_temporary = _work_in(folder, work, "fit")
    return Run(place, dataset, result=result, is_temporary=is_temporary)


def _with_splits(dataset: Dataset) -> Dataset:
    sizes = dataset._sizes()
    if sizes.num_splits == 0 and sizes.num_labels > 0:
        dataset.draw_splits()
    return dataset
