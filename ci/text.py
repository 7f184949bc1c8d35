#!/usr/bin/env python3
"""Finds text that does not belong in the repository, words that it does not use (words.py), and
files too long to read.

Each pattern is written so that it does not match itself.
"""

import re
import sys
from collections.abc import Iterator

import words
from tree import CPP_SUFFIXES, ROOT, is_generated, repository_files

STRAY = [
    (r"\bFIX[M]E\b", "say what is wrong in words, in an issue or in a comment"),
    (r"\bTODO[(]now\b", "do it before it is committed"),
    (r"(?<![\w.:/<-])/(?:wor[k]|hom[e]|roo[t]|User[s])/\w", "an absolute path of one machine"),
    (r"^(?:<{7}|>{7}|={7}$)", "a merge left this line behind"),
    (r"[ \t]+$", "white space at the end of a line"),
]
PATTERNS = [(re.compile(pattern), reason) for pattern, reason in STRAY]

DATA = ("tests/fuzz/corpus/",)  # bytes, not text
CODE_SUFFIXES = (*CPP_SUFFIXES, ".py", ".sh")
MAX_LINES = 800


def findings(name: str, text: str) -> Iterator[str]:
    """A sentence for each error in the file."""
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        for pattern, reason in PATTERNS:
            if match := pattern.search(line):
                yield f"{name}:{number}: {match[0]!r}: {reason}"
    if not is_generated(name):
        for number, word, other in words.findings(name, lines):
            yield f"{name}:{number}: {word!r} is not written here: {other}"
    if text and lines[-1]:
        yield f"{name}:{len(lines)}: the last line has no end"
    if name.endswith(CODE_SUFFIXES) and len(lines) > MAX_LINES and not is_generated(name):
        yield f"{name}:1: {len(lines)} lines are more than one idea; split it below {MAX_LINES}"


def main() -> int:
    count = 0
    for name in repository_files():
        content = (ROOT / name).read_bytes()
        if name.startswith(DATA) or b"\0" in content:
            continue
        for finding in findings(name, content.decode("utf-8", errors="replace")):
            print(finding)
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
