#!/usr/bin/env python3
"""Markdown tables from bench/operator_bench's JSON: operator_bench > operators.json; operator_table.py operators.json"""
import json
import sys


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def time_text(seconds):
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "standard input"
    try:
        with open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin as file:
            result = json.load(file)
        machine = result["machine"]
    except OSError as problem:
        sys.exit(f"operator_table: {name}: {problem.strerror}")
    except (ValueError, KeyError, TypeError):
        sys.exit(f"operator_table: {name}: not a complete result of operator_bench")
    libtorch = machine.get("libtorch")  # None: built without it, so there is nothing to compare with
    print(f"{machine['cpu']}, {machine['threads']} threads, {machine['simd']}, "
          + (f"LibTorch {libtorch}\n" if libtorch else "no LibTorch\n"))

    print("Forward and backward of a layer, maps learned:\n")
    head = ["maps", "edges", "dsnn"]
    rows = [[row["family"], row["edges"], time_text(row["fused_seconds"])] for row in result["classical"]]
    if libtorch:
        head += ["classical", "speed-up"]
        for cells, row in zip(rows, result["classical"]):
            cells += [time_text(row["classical_seconds"]), f"{row['speedup']:.1f}x"]
    print(table(head, rows))

    product = "matrix product" if libtorch else "dsnn's own matrix product"
    print(f"Compared with the machine's limit (triad and {product}, measured in the same minute):\n")
    print(table(["maps", "threads", "triad", "random rows", "matrix product", "forward", "of limit",
                 "forward + backward", "of limit"],
                [[row["family"], row["threads"], f"{row['triad_gb_per_s']:.0f} GB/s", f"{row['row_reads_gb_per_s']:.0f} GB/s",
                  f"{row['gemm_gflop_per_s']:.0f} Gflop/s", f"{row['forward_ns_per_half_edge']:.0f} ns, {row['forward_gb_per_s']:.0f} GB/s",
                  f"{row['forward_share_of_limit']:.0%}", f"{row['both_ns_per_half_edge']:.0f} ns",
                  f"{row['both_share_of_limit']:.0%}"] for row in result["limits"]]))
    by_threads = {threads: [row for row in result["limits"] if row["threads"] == threads] for threads in (1, 2)}
    if by_threads[2]:
        print("Two threads compared with one:\n")
        print(table(["maps", "forward", "forward + backward", "triad"],
                    [[one["family"], f"{one['forward_ns_per_half_edge'] / two['forward_ns_per_half_edge']:.2f}x",
                      f"{one['both_ns_per_half_edge'] / two['both_ns_per_half_edge']:.2f}x",
                      f"{two['triad_gb_per_s'] / one['triad_gb_per_s']:.2f}x"]
                     for one, two in zip(by_threads[1], by_threads[2])]))

    print("Nanoseconds per half-edge as graphs grow (forward, forward + backward):\n")
    sizes = sorted({row["edges"] for row in result["growth"]})
    rows = []
    for family in dict.fromkeys(row["family"] for row in result["growth"]):
        cells = [row for row in result["growth"] if row["family"] == family]
        cells.sort(key=lambda row: row["edges"])
        rows.append([family] + [f"{row['forward_ns_per_half_edge']:.0f}, {row['both_ns_per_half_edge']:.0f}"
                                for row in cells])
    print(table(["maps"] + [f"{size} edges" for size in sizes], rows))

    print("Peak memory of forward + backward, next to the memory of three arrays as large as the maps, two as large as "
          "the features, and the blocks of nodes:\n")
    print(table(["maps", "edges", "peak", "arrays", "peak over arrays"],
                [[row["family"], row["edges"], f"{row['peak_extra_bytes'] / 1e6:.0f} MB",
                  f"{row['kept_bytes'] / 1e6:.0f} MB", f"{row['peak_over_kept']:.2f}"] for row in result["memory"]]))


if __name__ == "__main__":
    main()
