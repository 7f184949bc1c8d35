#!/usr/bin/env python3
"""Generates code and documents from the tables.

Headers and documents are committed; each build makes variables, thunks, symbol maps and wrappers.

generate.py                 writes the committed files that changed
generate.py --check         writes nothing; exits 1 and names each file that differs from its table
generate.py --build FOLDER  writes the others into FOLDER, and removes files that are in no table
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
from armci import calls as armci
from gasnet import headers as gasnet_headers
from nvshmem import calls as nvshmem


def project_version(root: Path) -> str:
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    match = re.search(r"project\(gondwana VERSION ([0-9.]+)", text)
    if match is None:
        raise ValueError('CMakeLists.txt has no line "project(gondwana VERSION ..."')
    return match[1]


def committed_files(root: Path) -> dict[Path, str]:
    """The files for users and reviewers, with their content."""
    api = table.load(root / "api/shmem", project_version(root))
    headers = {
        root / "include/shmem.h": header.user_header(api),
        root / "include/pshmem.h": header.profiling_header(api),
    }
    headers |= gasnet_headers.files(root) | nvshmem.committed_files(root) | armci.committed_files(root)
    return headers | variables.committed_files(root)


def compiled_files(root: Path, folder: Path) -> dict[Path, str]:
    """The files that only the compiler reads, with their content."""
    api = table.load(root / "api/shmem", project_version(root))
    shmem = folder / "shmem"
    files = {
        shmem / "shmem.map": thunks.symbol_map(api),
        shmem / "handles.cpp": thunks.handles_file(api),
        shmem / "extensions_thunks.cpp": thunks.extension_file(api),
    }
    for section in api.sections:
        files[shmem / f"{section.name}_thunks.cpp"] = thunks.thunk_file(api, section)
    files |= nvshmem.compiled_files(root, folder) | armci.compiled_files(root, folder)
    files |= variables.compiled_files(root, folder / "core/generated")
    return files | profiler.files(api, root, folder / "profile")


def left_over(files: dict[Path, str], folders: set[Path]) -> list[Path]:
    """Generated files of an earlier table. If they stayed, they would be compiled."""
    present = {path for folder in folders for path in folder.glob("*")}
    return sorted(present - set(files))


def check(files: dict[Path, str], root: Path) -> int:
    stale = [p for p, text in files.items() if not p.exists() or p.read_text("utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(root)} is not what api/ says; run python3 api/generate.py")
    folders = {path.parent for path in files if path.parent.name == "generated"}
    unknown = left_over(files, folders)
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
    parser = argparse.ArgumentParser(description="Writes what the tables in api/ say.")
    parser.add_argument("--check", action="store_true", help="write nothing, name stale files")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="write what is compiled")
    arguments = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    if arguments.build is not None:
        files = compiled_files(root, arguments.build)
        write(files)
        for path in left_over(files, {path.parent for path in files}):
            path.unlink()
        return 0
    files = committed_files(root)
    if arguments.check:
        return check(files, root)
    write(files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
