#!/usr/bin/env python3
"""Turns the JSON of a benchmark into a table for a document.

build/release/bench/graph_bench --benchmark_format=json | scripts/bench_table.py
build/release/bench/data_bench --json | scripts/bench_table.py
"""
import json
import sys

SKIPPED = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
           "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit"}


def text(value):
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def main():
    rows = json.load(sys.stdin)["benchmarks"]
    counters = sorted({key for row in rows for key in row} - SKIPPED)
    header = ["benchmark", "time"] + [key.replace("_", " ") for key in counters]
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        cells = [f"`{row['name']}`", f"{row['real_time']:.1f} {row['time_unit']}"]
        cells += [text(row[key]) if key in row else "" for key in counters]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
