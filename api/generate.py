#!/usr/bin/env python3
"""Writes what the tables say: headers, thunks, symbol maps, profiling wrappers, variables.

generate.py          writes the files that changed
generate.py --check  writes nothing; exits 1 and names each file that is not what the table says
"""

import argparse
import re
import sys
from pathlib import Path

import header
import profiler
import table
import thunks
import variables
from gasnet import headers as gasnet_headers


def project_version(root: Path) -> str:
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    match = re.search(r"project\(gondwana VERSION ([0-9.]+)", text)
    if match is None:
        raise ValueError('CMakeLists.txt has no line "project(gondwana VERSION ..."')
    return match[1]


def shmem_files(root: Path) -> dict[Path, str]:
    """Every generated file of the OpenSHMEM door, with its content."""
    api = table.load(root / "api/shmem", project_version(root))
    door = root / "src/front/shmem"
    files = {
        root / "include/shmem.h": header.user_header(api),
        root / "include/pshmem.h": header.profiling_header(api),
        door / "shmem.map": thunks.symbol_map(api),
        door / "generated/handles.cpp": thunks.handles_file(api),
    }
    for section in api.sections:
        files[door / f"generated/{section.name}_thunks.cpp"] = thunks.thunk_file(api, section)
    return files | profiler.files(api, root, root / "tools/profile/generated")


def left_over(files: dict[Path, str]) -> list[Path]:
    """Generated files of an earlier table, which would still be compiled."""
    folders = {path.parent for path in files if path.parent.name == "generated"}
    present = {path for folder in folders for path in folder.glob("*")}
    return sorted(present - set(files))


def check(files: dict[Path, str], root: Path) -> int:
    stale = [p for p, text in files.items() if not p.exists() or p.read_text("utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(root)} is not what api/ says; run python3 api/generate.py")
    unknown = left_over(files)
    for path in unknown:
        print(f"{path.relative_to(root)} is in no API table; remove it")
    return 1 if stale or unknown else 0


def write(files: dict[Path, str]) -> None:
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the generated headers and thunks.")
    parser.add_argument("--check", action="store_true", help="write nothing, name stale files")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    files = shmem_files(root) | gasnet_headers.files(root) | variables.files(root)
    if arguments.check:
        return check(files, root)
    write(files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
