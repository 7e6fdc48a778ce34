#!/usr/bin/env python3
"""Every equation that the code cites as [eq:label] must exist in docs/math.md."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LABEL = re.compile(r"\[eq:([a-z-]+)\]")


def main():
    known = set(LABEL.findall((ROOT / "docs/math.md").read_text()))
    errors = []
    for folder in ("include", "src", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for label in LABEL.findall(line):
                    if label not in known:
                        name = path.relative_to(ROOT)
                        errors.append(f"{name}:{number}: [eq:{label}] is not in docs/math.md")
    if errors:
        print("\n".join(errors), file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
