#!/usr/bin/env python3
"""Compile times of a build, from ninja's log: the slowest units, and the sum of each folder."""
import argparse
import collections
import pathlib
import posixpath
import sys

# Precompiled headers of gcc and clang count as units.
SUFFIXES = (".o", ".gch", ".pch")


def source_of(output):
    """src/engine/CMakeFiles/dsnn_learn.dir/__/train/run.cpp.o is compiled from src/train/run.cpp."""
    folder, found, rest = output.partition("CMakeFiles/")
    if not found:
        return output
    name = rest.partition("/")[2].replace("__/", "../")
    return posixpath.normpath(folder + name.removesuffix(".o"))


def folder_of(source):
    """The first two levels of the path, such as src/cli."""
    return "/".join(source.split("/")[:-1][:2]) or "."


def read_log(path):
    """Seconds of the last compilation of each unit."""
    try:
        lines = path.read_text().splitlines()
    except OSError as problem:
        sys.exit(f"build-times: {path}: {problem.strerror}; expected the log of a build with ninja")
    if not lines or not lines[0].startswith("# ninja log v"):
        sys.exit(f"build-times: {path}: not a log of ninja")
    seconds = {}
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("\t")
        try:
            begin, end, output = int(fields[0]), int(fields[1]), fields[3]
        except (IndexError, ValueError):
            sys.exit(f"build-times: {path}:{number}: expected begin, end, time, output and hash, separated by tabs")
        if output.endswith(SUFFIXES) and not output.startswith("/"):  # custom commands are listed by both of their paths
            seconds[output] = (end - begin) / 1000
    return seconds


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Times are wall-clock times of the last compilation of each unit. They equal processor time if each compiler has "
        "its own core: rebuild with no more jobs than cores, nothing else running and no compiler cache.")
    parser.add_argument("build", nargs="?", default="build/release", help="folder of the build (default: build/release)")
    parser.add_argument("-n", "--rows", type=int, default=20, help="number of slowest units to list (default: 20)")
    parser.add_argument("--under", default="", metavar="FOLDER", help="only units in this folder, such as src/cli")
    arguments = parser.parse_args()
    if arguments.rows < 0:
        parser.error(f"--rows is {arguments.rows}, expected 0 or more")

    units = [(seconds, source_of(output)) for output, seconds in read_log(pathlib.Path(arguments.build, ".ninja_log")).items()]
    if arguments.under:
        units = [unit for unit in units if unit[1].startswith(arguments.under.rstrip("/") + "/")]
    for seconds, source in sorted(units, key=lambda unit: (-unit[0], unit[1]))[:arguments.rows]:
        print(f"{seconds:8.1f} s  {source}")
    sums, counts = collections.Counter(), collections.Counter()
    for seconds, source in units:
        sums[folder_of(source)] += seconds
        counts[folder_of(source)] += 1
    if arguments.rows and units:
        print()
    for folder, seconds in sorted(sums.items(), key=lambda item: (-item[1], item[0])):
        print(f"{seconds:8.1f} s  {folder}: {counts[folder]} unit{'s' if counts[folder] > 1 else ''}")
    print(f"{sum(sums.values()):8.1f} s  in total: {len(units)} unit{'' if len(units) == 1 else 's'}")


if __name__ == "__main__":
    main()
