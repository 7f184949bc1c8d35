"""Reads #include lines and finds the file each one means."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

# The folders in which the build searches includes, after the folder of the file itself.
SEARCHED = ("src", "include", "tests", "tools", "tools/gondwana", "bench", "examples")


def includes(root: Path, file: str) -> Iterator[tuple[int, str]]:
    """The line number and name of every include of `file`, a path relative to `root`."""
    text = (root / file).read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1] or match[2]


def resolve(root: Path, file: str, name: str) -> str | None:
    """The file of the repository that `file` includes as `name`; None: a header of the system."""
    for folder in (str(PurePosixPath(file).parent), *SEARCHED):
        path = normpath(f"{folder}/{name}")
        if not path.startswith("..") and (root / path).is_file():
            return path
    return None
