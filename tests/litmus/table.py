#!/usr/bin/env python3
"""Writes the tables of docs/memory_model.md from the litmus tests; --check: compares them."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parents[1] / "docs" / "memory_model.md"
DOORS = {"shmem": "OpenSHMEM", "gasnet": "GASNet-EX", "armci": "ARMCI"}
HEAD = "| Promise | Clause; relation | Test | Forbidden | Weak, allowed |\n|---|---|---|---|---|\n"


def read(path: Path) -> dict[str, list[str]]:
    """The headers of a test."""
    fields: dict[str, list[str]] = {"name": [path.stem]}
    for line in path.read_text().splitlines():
        key, colon, value = line.partition(":")
        if colon and key.isalpha():
            fields.setdefault(key, []).append(value.strip())
    return fields


def row(test: dict[str, list[str]]) -> str:
    def outcomes(key: str) -> str:
        return "; ".join(f"`{outcome}`" for outcome in test.get(key, []))

    name = test["name"][0]
    relation = "" if test["relation"] == ["none"] else f"; {test['relation'][0]}"
    link = f"[{name}](../tests/litmus/{name}.litmus)"
    cells = (test["promise"][0], test["clause"][0] + relation, link, outcomes("forbidden"), outcomes("allowed"))
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|\n"


def with_tables(page: str) -> str:
    tests = [read(path) for path in sorted(FOLDER.glob("*.litmus"))]
    for door in DOORS:
        begin, end = f"<!-- {door} -->\n", f"<!-- end of {door} -->"
        rows = "".join(row(test) for test in tests if test.get("door", ["shmem"]) == [door])
        before, rest = page.split(begin)
        page = before + begin + HEAD + rows + end + rest.split(end)[1]
    return page


def main() -> int:
    page = PAGE.read_text()
    expected = with_tables(page)
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(expected)
        return 0
    if page != expected:
        print("docs/memory_model.md differs from the tests; run python3 tests/litmus/table.py")
    return 0 if page == expected else 1


if __name__ == "__main__":
    sys.exit(main())
