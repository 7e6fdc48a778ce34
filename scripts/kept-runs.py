#!/usr/bin/env python3
"""Stores the results behind docs/reproduction.md in results/, one JSON file for each cell with all its seeds
(results/README.md), or restores them.

  scripts/kept-runs.py save DIR       the finished runs of 'dsnn reproduce --out DIR', without weights; stored runs of other
                                      seeds stay as long as parameters and data are the same
  scripts/kept-runs.py restore DIR    the stored runs as run folders, so that 'dsnn reproduce --out DIR' continues from
                                      there; runs that exist in DIR are not changed"""
import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
# Tables whose runs are in a folder of DIR with the same name. Those of table1 and figure2 are in DIR itself.
OTHERS = ("maps", "as-released", "ensembles", "dirlink", "links")
# What all runs of a cell share, in the order of the file.
SHARED = ("model", "dataset", "checksum", "parameters")
# Entries of a run in addition to those of result.json.
FROM_SEARCH, TRAINING, WITHOUT_CLASSES = "seed_of_the_search", "training", "without_classes"


def table_of(cell):
    """The table of a run's path in DIR, and the rest of the path: [seed-N/]COLUMN/MODEL."""
    if cell.parts[0] in OTHERS:
        return cell.parts[0], pathlib.Path(*cell.parts[1:])
    column = cell.parts[-2]  # a number in Figure 2
    return ("figure2" if column[0].isdigit() else "table1"), cell


def run_path(table, column, model, run):
    """The path of a run in DIR."""
    base = pathlib.Path(table) if table in OTHERS else pathlib.Path()
    return base / ("" if run.get(FROM_SEARCH) else f"seed-{run['seed']}") / column / model


def training_of(text):
    """Sums the times that training records every ten seconds, for each commit, machine and number of jobs."""
    sums = {}
    for line in text.splitlines():
        seconds, jobs, cores, commit, processor = line.split(" ", 4)
        key = (int(jobs), int(cores), commit, processor)
        sums[key] = sums.get(key, 0) + float(seconds)
    return [{"seconds": round(seconds, 3), "jobs": jobs, "cores": cores, "commit": commit, "processor": processor}
            for (jobs, cores, commit, processor), seconds in sums.items()]


def toml_value(value):
    return json.dumps(value) if not isinstance(value, str) else f"'{value}'"


def config_of(stored, run):
    """config.toml of a run."""
    task = {"task": run["task"]} if "task" in run else {}  # links
    head = task | {"model": stored["model"], "dataset": stored["dataset"], "checksum": stored["checksum"], "seed": run["seed"]}
    lines = [f"{key} = {toml_value(value)}" for key, value in head.items()]
    return "\n".join([*lines, "", "[parameters]", *(f"{key} = {toml_value(value)}" for key, value in stored["parameters"].items())]) + "\n"


def json_text(value):
    return json.dumps(value, indent=2) + "\n"


def entry(key, value):
    return f"{json.dumps(key)}: {json.dumps(value)}"


def run_text(run):
    """A run with a line for each split."""
    parts = [entry(key, value) for key, value in run.items() if key != "splits"]
    splits = ",\n      ".join(json.dumps(split) for split in run["splits"])
    return "    {\n      " + ",\n      ".join([*parts, f'"splits": [\n      {splits}]']) + "\n    }"


def stored_text(stored):
    head = ",\n".join("  " + entry(key, stored[key]) for key in SHARED)
    return "{\n" + head + ',\n  "runs": [\n' + ",\n".join(map(run_text, stored["runs"])) + "\n  ]\n}\n"


def write_whole(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.rename(path)


def read_run(path, is_of_search):
    """result.json with times and further scores: what all runs of its cell share, and the rest."""
    result = json.loads(path.read_text())
    shared = {key: result.pop(key) for key in SHARED}
    run = {"seed": result.pop("seed")} | ({FROM_SEARCH: True} if is_of_search else {}) | result
    times, others = path.with_name("times.txt"), path.with_name("without-classes.json")
    if times.exists():
        run[TRAINING] = training_of(times.read_text())
    if others.exists():
        run[WITHOUT_CLASSES] = json.loads(others.read_text())
    return shared, run


def order(entry):
    """New seeds first."""
    _, run = entry
    return run.get(FROM_SEARCH, False), run["seed"]


def joined(entries, target):
    """The content of a stored file: these runs, and those of the present file with other seeds. Those whose parameters or data differ
    from the first's are left out: they belong to an earlier configuration."""
    entries = sorted(entries, key=order)
    shared = entries[0][0]
    if target.exists():
        stored = json.loads(target.read_text())
        seeds = [run["seed"] for _, run in entries]
        entries += [({key: stored[key] for key in SHARED}, run) for run in stored["runs"] if run["seed"] not in seeds]
    return shared | {"runs": [run for other, run in sorted(entries, key=order) if other == shared]}


def save(runs):
    cells, count = {}, 0
    for path in runs.rglob("result.json"):
        cell = path.parent.relative_to(runs)
        if cell.parts[0] == "check" or ".old-" in str(cell) or str(cell).endswith(".new") or cell.name.startswith("member-"):
            continue
        table, cell = table_of(cell)
        target = RESULTS / table / cell.parent.name / f"{cell.name}.json"
        cells.setdefault(target, []).append(read_run(path, not cell.parts[0].startswith("seed-")))
        count += 1
    for target, entries in cells.items():
        write_whole(target, stored_text(joined(entries, target)))
    return count


def restore(runs):
    count = 0
    for table in ("table1", "figure2", *OTHERS):
        for path in sorted((RESULTS / table).rglob("*.json")):
            stored = json.loads(path.read_text())
            for run in stored.pop("runs"):
                folder = runs / run_path(table, path.parent.name, path.stem, run)
                if folder.exists():
                    continue
                new = folder.with_name(folder.name + ".new")  # renamed when it is complete
                shutil.rmtree(new, ignore_errors=True)
                new.mkdir(parents=True)
                (new / "config.toml").write_text(config_of(stored, run))
                training = run.pop(TRAINING, [])
                if training:
                    lines = (f"{t['seconds']:.3f} {t['jobs']} {t['cores']} {t['commit']} {t['processor']}\n" for t in training)
                    (new / "times.txt").write_text("".join(lines))
                if WITHOUT_CLASSES in run:
                    (new / "without-classes.json").write_text(json_text(run.pop(WITHOUT_CLASSES)))
                run.pop(FROM_SEARCH, None)
                (new / "result.json").write_text(json_text(stored | run))
                new.rename(folder)
                count += 1
    return count


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("save", "restore"):
        sys.exit("kept-runs: expected save DIR or restore DIR")
    what, runs = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if what == "save" and not runs.is_dir():
        sys.exit(f"kept-runs: {sys.argv[2]}: no such folder")
    count = save(runs) if what == "save" else restore(runs)
    if what == "save" or RESULTS.is_dir():
        print(f"kept-runs: {what}: {count} run{'' if count == 1 else 's'}")


if __name__ == "__main__":
    main()
