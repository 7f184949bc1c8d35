#!/usr/bin/env python3
"""Writes the manual pages from the API tables and from the texts in docs/man.

man.py FOLDER    writes FOLDER/man1, man3, man5 and man7, and removes their earlier content
"""

import argparse
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import generate
import table
import variables
from manual import notes, overview, roff
from manual.family import FamilyWriter
from manual.page import Page, pages_of

TITLE = re.compile(r"# ((?:[\w.+-]+\(\d\)(?:, )?)+) - (.+)")


class Manual:
    """All pages, as a map from the path in the manual's folder to the content."""

    def __init__(self, api: table.Api, listed: variables.Table, version: str, folder: Path):
        self._api = api
        self._variables = listed
        self._version = version
        self.notes = notes.read(folder)
        self.pages = pages_of(api, self.notes)

    def files(self) -> dict[str, str]:
        files = {
            "man7/shmem.7": self._page("shmem", 7, overview.index_lines(self._api, self.pages)),
            "man7/shmem_types.7": self._page("shmem_types", 7, overview.type_lines(self.pages)),
        }
        for page in self.pages:
            files |= self._family(page)
        for page in self.pages:
            for name in page.typed_names:  # a page with this name has precedence
                files.setdefault(f"man3/{name}.3", reference(page.name, 3))
        for path in sorted(self.notes.folder.glob("*.[0-9].md")):
            files |= self._written(path)
        return files

    def _page(self, name: str, number: int, lines: Iterable[str]) -> str:
        is_standard = name.startswith("shmem") and not name.startswith("shmemx_")
        origin = self._api.specification if is_standard else "Gondwana"
        head = (
            r".\" Written by api/man.py from api/ and docs/man; do not edit.",
            f'.TH "{name}" {number} "" "Gondwana {self._version}" "{origin}"',
        )
        return "\n".join([*head, *lines]) + "\n"

    def _family(self, page: Page) -> dict[str, str]:
        near = [
            other.name
            for other in self.pages
            if other is not page and (other.section is page.section or other.wanted & page.wanted)
        ]
        lines = FamilyWriter(self._api, self.notes, page, near).lines()
        return with_aliases(page.names, 3, self._page(page.name, 3, lines))

    def _written(self, path: Path) -> dict[str, str]:
        """The page of a file, which begins with "# name(7), alias(7) - summary"."""
        title, text = path.read_text(encoding="utf-8").split("\n", 1)
        match = TITLE.fullmatch(title)
        names = re.findall(r"([\w.+-]+)\(", match[1]) if match else [""]
        name, number = path.stem[:-2], int(path.stem[-1])
        if names[0] != name:
            raise ValueError(f'{path}: its first line is not "# {name}({number}) - summary"')
        text = variables.with_lists(text, self._variables)
        prose = roff.Prose(self.notes.folder)
        summary = f"{', '.join(names)} \\- {prose.inline(match[2])}"
        page = self._page(name, number, [".SH NAME", summary, *prose.lines(text)])
        return with_aliases(names, number, page)


def with_aliases(names: list[str], number: int, page: str) -> dict[str, str]:
    """The page under its first name, and references to it under the others."""
    files = {f"man{number}/{name}.{number}": reference(names[0], number) for name in names}
    return files | {f"man{number}/{names[0]}.{number}": page}


def reference(name: str, number: int) -> str:
    return f".so man{number}/{name}.{number}\n"


def manual_of(root: Path) -> Manual:
    version = generate.project_version(root)
    api = table.load(root / "api/shmem", version)
    listed = variables.load(root / "api/variables.toml")
    return Manual(api, listed, version, root / "docs/man")


def write(files: dict[str, str], folder: Path) -> None:
    for name in ("man1", "man3", "man5", "man7"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the manual pages.")
    parser.add_argument("folder", type=Path, help="where man1, man3, man5 and man7 go")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    try:
        files = manual_of(root).files()
    except ValueError as problem:
        print(f"man.py: {problem}", file=sys.stderr)
        return 1
    write(files, arguments.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
