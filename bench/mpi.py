#!/usr/bin/env python3
"""Graphs in parts compared with one process: time, memory and messages of an epoch, as JSON.

bench/mpi.py [BUILD] [--nodes 100000] [--ranks 2] [--epochs 5] [--method metis] > mpi.json

The graph is a block model with about ten edges a node. docs/scale.md explains the numbers.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def output_of(*command):
    return subprocess.run([str(each) for each in command], check=True, stdout=subprocess.PIPE, text=True,
                          env=os.environ | ENVIRONMENT).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/release")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--method", default="metis")
    parser.add_argument("--model", default="diag-dsnn")
    parser.add_argument("--mpirun", default="mpirun")
    arguments = parser.parse_args()
    program, bench = f"{arguments.build}/dsnn", f"{arguments.build}/bench/mpi_bench"
    communities, n = 8, arguments.nodes
    # Nine of ten edges are within a community.
    inside, outside = 18 * communities / n, 2 / n * communities / (communities - 1)
    with tempfile.TemporaryDirectory() as folder:
        graph, parts = f"{folder}/graph.npz", f"{folder}/parts"
        output_of(program, "generate", "dsbm", "-n", n, "-C", communities, "--alpha-in", inside,
                  "--alpha-out", outside, "-o", graph)
        partition = json.loads(output_of(program, "partition", graph, "-k", arguments.ranks, "--method",
                                         arguments.method, "--model", arguments.model, "-o", parts, "--json"))
        whole = [json.loads(output_of(bench, graph, arguments.model, arguments.epochs, threads)) for threads in (1, 2)]
        in_parts = json.loads(output_of(arguments.mpirun, "-n", arguments.ranks, bench, parts, arguments.model,
                                        arguments.epochs))
    ranks = in_parts["ranks"]
    slowest = max(rank["epoch_seconds"] for rank in ranks)
    # What a rank should need: its share of the whole, and its ghosts as if they were nodes of the whole.
    share = [whole[0]["memory"] * (1 / len(ranks) + rank["ghosts"] / n) for rank in ranks]
    result = {
        "model": arguments.model, "partition": partition, "whole": whole, "ranks": ranks,
        "epoch_seconds": slowest,
        "time_compared_with_threads": slowest / whole[1]["epoch_seconds"],
        "memory_compared_with_share": max(rank["memory"] / s for rank, s in zip(ranks, share)),
        "bytes_sent": sum(rank["bytes_sent"] for rank in ranks),
        "rows_sent": sum(rank["rows_sent"] for rank in ranks),
        "messages_sent": sum(rank["messages_sent"] for rank in ranks),
    }
    json.dump(result, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
