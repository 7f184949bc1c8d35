#!/usr/bin/env python3
"""Writes the drawings of docs/ as SVG; --check: prints the files that differ."""

import sys
from pathlib import Path

import memory_drawing
import processes_drawing
import why_drawing

DOCS = Path(__file__).resolve().parent.parent
DRAWINGS = {
    "memory.svg": memory_drawing.draw,
    "processes.svg": processes_drawing.draw,
    "why.svg": why_drawing.draw,
}


def main(arguments: list[str]) -> int:
    status = 0
    for name, draw in DRAWINGS.items():
        path = DOCS / name
        text = draw().svg()
        if arguments != ["--check"]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"docs/{name}: not as docs/drawings/draw.py writes it; run it and commit")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
