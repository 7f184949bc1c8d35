#!/usr/bin/env python3
"""Runs clang-tidy on the C and C++ files that changed; with --all, on every file.

Changed means: since the branch left the upstream branch, or, where there is none or nothing left
it, in the last commit; and in the working tree. Needs build/tidy/compile_commands.json, which
`cmake --preset tidy` writes; nothing is compiled. Generated sources are left out.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from includes import includes, resolve
from tree import CPP_SUFFIXES, ROOT, git, is_generated, repository_files

CLANG_TIDY = "clang-tidy-19"
BUILD = ROOT / "build" / "tidy"
# Not include/: the standards chose those names.
HEADERS = f"^{ROOT}/(src|tools|tests|examples|bench)/"
FINDING = re.compile(r"\n(?=\S+:\d+:\d+: (?:error|warning): )")
PARALLEL = 2
LIMIT_S = 90  # for what changed, so that a change of everything does not block CI
# Paths through one function that the analyzer follows; with its default, a quarter of a million, it
# takes half of the time and finds no more here.
ANALYZER = ["-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000"]
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's name for a tree without files
CONFIGURATION = ".clang-tidy"  # when it changes, everything may have new findings


def revision(name: str) -> str | None:
    """The commit that `name` means; None where there is no such thing."""
    try:
        command = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]
        return subprocess.run(command, check=True, text=True, capture_output=True).stdout.strip()
    except subprocess.CalledProcessError:
        return None


def merge_base(head: str, other: str) -> str | None:
    try:
        return git("merge-base", head, other).strip()
    except subprocess.CalledProcessError:  # a shallow clone may not reach it
        return None


def base_commit() -> str:
    """What changes are counted from."""
    head = revision("HEAD")
    if head is None:
        return EMPTY_TREE
    for upstream in ("@{upstream}", "origin/HEAD", "origin/main"):
        if (other := revision(upstream)) and (base := merge_base(head, other)) not in (None, head):
            return base
    return revision("HEAD~1") or EMPTY_TREE


def changed_files() -> set[str]:
    """Files of the working tree that differ from the base, and new ones."""
    changed = git("diff", "--name-only", "-z", base_commit()).split("\0")
    untracked = git("ls-files", "-z", "--others", "--exclude-standard").split("\0")
    return set(changed) | set(untracked)


def compiled_files() -> set[str]:
    """The C and C++ files of the repository that the build compiles."""
    database = BUILD / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"tidy: {database} is missing; cmake --preset tidy writes it")
    commands = json.loads(database.read_text(encoding="utf-8"))
    paths = (Path(entry["directory"], entry["file"]).resolve() for entry in commands)
    inside = {str(path.relative_to(ROOT)) for path in paths if path.is_relative_to(ROOT)}
    return {file for file in inside if file.endswith(CPP_SUFFIXES)}


def reached_from(file: str) -> set[str]:
    """`file` and every file of the repository that it includes, at whatever distance."""
    reached, to_read = {file}, [file]
    while to_read:
        current = to_read.pop()
        for _, name in includes(ROOT, current):
            path = resolve(ROOT, current, name)
            if path and path not in reached:
                reached.add(path)
                to_read.append(path)
    return reached


def sources_to_check(changed: set[str], compiled: set[str]) -> list[str]:
    """The changed sources, and for every changed header they miss one source that includes it;
    src/ comes first."""
    chosen = {file for file in compiled & changed if not is_generated(file)}
    headers = {file for file in changed if file.endswith((".h", ".hpp"))}
    reach = {file: reached_from(file) for file in compiled}
    for file in chosen:
        headers -= reach[file]
    # Of two that include as many of them, the one that includes less else.
    while headers:
        best = max(sorted(reach), key=lambda file: (len(reach[file] & headers), -len(reach[file])))
        if not reach[best] & headers:
            break
        chosen.add(best)
        headers -= reach[best]
    return sorted(chosen, key=lambda file: (not file.startswith("src/"), file))


def tidy(file: str, end: float) -> list[str] | None:
    """Findings in the file and in its headers; None: it was too late to begin."""
    if time.monotonic() > end:
        return None
    command = [CLANG_TIDY, "-p", str(BUILD), "--quiet", f"--header-filter={HEADERS}"]
    command += [f"--extra-arg={argument}" for argument in ANALYZER] + [file]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    if done.returncode == 0:
        return []
    if not done.stdout:
        return [done.stderr]
    return FINDING.split(done.stdout.replace(f"{ROOT}/", "").rstrip())


def tidy_in_time(sources: list[str], limit_s: float) -> tuple[int, list[str]]:
    """How many findings there are, each printed once, and the sources it did not get to."""
    end = time.monotonic() + limit_s
    printed: set[str] = set()
    left = []
    with ThreadPoolExecutor(PARALLEL) as pool:
        results = pool.map(lambda file: tidy(file, end), sources)
        for file, findings in zip(sources, results, strict=True):
            if findings is None:
                left.append(file)
                continue
            for finding in findings:
                if finding not in printed:  # many sources include the same header
                    print(finding, flush=True)
                    printed.add(finding)
    return len(printed), left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true", help="every file, not only what changed")
    parser.add_argument("files", nargs="*", help="only these, relative to the repository")
    arguments = parser.parse_args()

    changed = set(arguments.files) or changed_files()
    if arguments.all or CONFIGURATION in changed:
        changed = set(repository_files(*CPP_SUFFIXES))
    sources = sources_to_check(changed, compiled_files())
    print(f"clang-tidy on {len(sources)} sources", flush=True)
    findings, left = tidy_in_time(sources, math.inf if arguments.all else LIMIT_S)
    if left:
        print(f"{len(left)} of them were not looked at, {LIMIT_S} s are over; --all has no limit:")
        print("  " + "\n  ".join(left))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
