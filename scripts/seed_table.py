#!/usr/bin/env python3
"""Compares test accuracies with the seeds of the search and with other seeds: scripts/seed_table.py DIR, where DIR is
the folder of 'dsnn reproduce table1 --out DIR' and of the same with '--seed 1', '--seed 2', ... Prints Markdown."""
import csv
import pathlib
import statistics
import sys


def means(path):
    """(dataset, model) -> mean accuracy of the trained cells of a table."""
    with open(path, newline="") as file:
        return {(row["dataset"], row["model"]): float(row["ours_mean"]) for row in csv.DictReader(file) if row["ours_mean"]}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    tables = sorted(folder.glob("seed-*/table1.csv"), key=lambda path: int(path.parent.name.split("-")[1]))
    if not tables or not (folder / "table1.csv").exists():
        sys.exit(f"seed_table: {folder}: expected table1.csv and seed-*/table1.csv")
    searched, others = means(folder / "table1.csv"), [means(path) for path in tables]
    cells = [cell for cell in searched if all(cell in other for other in others)]
    if not cells:
        sys.exit(f"seed_table: {folder}: no cell is trained with all seeds yet")
    seeds = [path.parent.name.split("-")[1] for path in tables]
    print("| dataset | model | seed of the search | " + " | ".join(f"seed {seed}" for seed in seeds) + " | mean of these |")
    print("|---|---|---" + "|---" * len(seeds) + "|---|")
    for dataset, model in cells:
        values = [other[dataset, model] for other in others]
        numbers = [searched[dataset, model], *values, sum(values) / len(values)]
        print(f"| {dataset} | {model} | " + " | ".join(f"{number:.2f}" for number in numbers) + " |")
    print()
    kinds = sorted({model.partition("-")[2] or model for _, model in cells})
    for kind in ["", *kinds] if len(kinds) > 1 else [""]:
        these = [cell for cell in cells if not kind or cell[1] == kind or cell[1].partition("-")[2] == kind]
        first = [searched[cell] for cell in these]
        rest = [statistics.mean(other[cell] for other in others) for cell in these]
        line = (f"{'Over' if not kind else 'Of them, over'} {len(these)} cells{kind and ' of ' + kind}: {statistics.mean(first):.2f} "
                f"with the seeds of the search, {statistics.mean(rest):.2f} with the others")
        if len(these) > 1:
            differences = [a - b for a, b in zip(first, rest)]
            error = statistics.stdev(differences) / len(these) ** 0.5
            line += f"; difference {statistics.mean(differences):+.2f}, its standard error over the cells {error:.2f}"
        print(line + ".")


if __name__ == "__main__":
    main()
