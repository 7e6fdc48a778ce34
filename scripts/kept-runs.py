#!/usr/bin/env python3
"""Stores the results behind docs/reproduction.md in results/, one JSON file for each cell
(results/README.md), or restores them.

  scripts/kept-runs.py save DIR       the finished cells of 'dsnn reproduce --out DIR', without weights
  scripts/kept-runs.py restore DIR    the stored cells as run folders, so that 'dsnn reproduce --out DIR' continues from
                                      there; runs that exist in DIR are not changed"""
import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
# Entries of a stored result in addition to those of result.json.
TRAINING, WITHOUT_CLASSES = "training", "without_classes"


def stored_path(cell):
    """Path in results/ of a cell: COLUMN/MODEL or seed-N/DATASET/MODEL."""
    if cell.parts[0].startswith("seed-"):
        table = "seeds"
    else:  # columns of Figure 2 are numbers
        table = "figure2" if cell.parts[0][0].isdigit() else "table1"
    return RESULTS / table / cell.parent / f"{cell.name}.json"


def cell_of(path):
    """The cell of a path in results/."""
    parts = path.relative_to(RESULTS).with_suffix("").parts
    return pathlib.Path(*parts[1:])


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


def config_of(result):
    """config.toml of the run."""
    lines = [f"{key} = {toml_value(result[key])}" for key in ("model", "dataset", "checksum", "seed")]
    return "\n".join([*lines, "", "[parameters]", *(f"{key} = {toml_value(value)}" for key, value in result["parameters"].items())]) + "\n"


def json_text(value):
    return json.dumps(value, indent=2) + "\n"


def write_whole(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    new.rename(path)


def save(runs):
    count = 0
    for path in sorted(runs.rglob("result.json")):
        cell = path.parent.relative_to(runs)
        if cell.parts[0] == "check" or ".old-" in str(cell) or str(cell).endswith(".new"):
            continue
        result = json.loads(path.read_text())
        times, others = path.with_name("times.txt"), path.with_name("without-classes.json")
        if times.exists():
            result[TRAINING] = training_of(times.read_text())
        if others.exists():
            result[WITHOUT_CLASSES] = json.loads(others.read_text())
        write_whole(stored_path(cell), json_text(result))
        count += 1
    return count


def restore(runs):
    count = 0
    for table in ("table1", "figure2", "seeds"):
        for path in sorted((RESULTS / table).rglob("*.json")):
            folder = runs / cell_of(path)
            if folder.exists():
                continue
            result = json.loads(path.read_text())
            new = folder.with_name(folder.name + ".new")  # renamed when it is complete
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(parents=True)
            training = result.pop(TRAINING, [])
            if training:
                lines = (f"{t['seconds']:.3f} {t['jobs']} {t['cores']} {t['commit']} {t['processor']}\n" for t in training)
                (new / "times.txt").write_text("".join(lines))
            if WITHOUT_CLASSES in result:
                (new / "without-classes.json").write_text(json_text(result.pop(WITHOUT_CLASSES)))
            (new / "config.toml").write_text(config_of(result))
            (new / "result.json").write_text(json_text(result))
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
        print(f"kept-runs: {what}: {count} cell{'' if count == 1 else 's'}")


if __name__ == "__main__":
    main()
