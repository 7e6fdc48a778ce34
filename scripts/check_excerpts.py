#!/usr/bin/env python3
"""A code block in docs/*.md after a line <!-- file: PATH --> must be identical to that file."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUOTE = re.compile(r"<!-- file: (\S+) -->\n+```\w*\n(.*?)```", re.S)


def main():
    errors = []
    for path in sorted((ROOT / "docs").glob("*.md")):
        for name, code in QUOTE.findall(path.read_text()):
            if not (ROOT / name).exists() or (ROOT / name).read_text() != code:
                errors.append(f"{path.relative_to(ROOT)}: the block differs from {name}")
    if errors:
        print("\n".join(errors), file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
