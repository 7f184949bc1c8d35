#!/usr/bin/env python3
"""Counts the instructions of the hot paths with callgrind and compares them with expected.json.

Time depends on the machine and its load; instructions depend on the code and the compiler. So
expected.json has counts for each compiler that wrote them; other compilers are not checked.
Copies, memcpy's and our own, are omitted: their length depends on the C library and on the processor.
"""

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

PATHS = ("p", "g", "put8", "get8", "fetch_add", "put4k", "region")
TIMES = 1000  # as in paths.c
TOLERANCE_INSTRUCTIONS = 2
TOLERANCE_SHARE = 0.05
TIMEOUT_S = 120
SKIPPED = 77  # ctest reports it as "not run"
EXPECTED = Path(__file__).with_name("expected.json")
COPIES = re.compile(r"_*mem(cpy|move|set)|gondwana::(copy_words|\(anonymous namespace\)::move_)")


class CountError(Exception):
    """The counting itself failed; the text gives the reason."""


def self_costs(lines: Iterable[str]) -> Counter[str]:
    """The instructions of each function without its callees, from a callgrind file.

    A name is given once, as `fn=(7) name`, and then only as `fn=(7)`. The line after `calls=`
    holds the cost of the callee, which has its own lines.
    """
    names: dict[str, str] = {}
    costs: Counter[str] = Counter()
    function = ""
    in_call = False
    for text in lines:
        if match := re.match(r"(c?)fn=(\(\d+\))(?: (.*))?", text):
            called, number, name = match.groups()
            if name:
                names[number] = name.strip()
            if not called:
                function = names[number]
        elif text.startswith("calls="):
            in_call = True
        elif re.match(r"[+\-*\d]", text):
            if not in_call:
                costs[function] += int(text.split()[1])
            in_call = False
    return costs


def count(program: Path, path: str) -> dict[str, float]:
    """The instructions of one operation, function by function."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect=run_{path}",
                   f"--callgrind-out-file={out}", str(program.resolve()), path]
        environment = {"PATH": "/usr/bin:/bin", "LD_BIND_NOW": "1", "SHMEM_SYMMETRIC_SIZE": "1M"}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True,
                                  timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise CountError(f"{path}: no end within {TIMEOUT_S} s under valgrind") from error
        if done.returncode != 0 or not out.exists():
            raise CountError(f"{path}: status {done.returncode} under valgrind:\n{done.stderr}")
        costs = self_costs(out.read_text().splitlines())
    return {name: cost / TIMES for name, cost in costs.items()
            if name != f"run_{path}" and not COPIES.match(name)}


def allowed(expected: float) -> float:
    """The maximum number of instructions that passes."""
    return max(expected + TOLERANCE_INSTRUCTIONS, expected * (1 + TOLERANCE_SHARE))


def compare(path: str, counted: dict[str, float], expected: float | None) -> bool:
    """Prints one path, with its functions where it has grown; returns whether it passes."""
    total = round(sum(counted.values()), 1)
    if expected is None:
        print(f"{path:<10} {total:>7}")
        return True
    passed = total <= allowed(expected)
    verdict = "ok" if passed else "TOO MANY"
    if total < expected - TOLERANCE_INSTRUCTIONS:
        verdict = "fewer: write them down by --update"
    print(f"{path:<10} {total:>7}  expected {expected:>7}  {verdict}")
    if not passed:
        for name, instructions in sorted(counted.items(), key=lambda item: -item[1]):
            print(f"    {instructions:>7.1f}  {name}")
    return passed


def main() -> int:
    """Counts, compares or updates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="the built paths program")
    parser.add_argument("--compiler", required=True, help="such as GNU-12")
    parser.add_argument("--update", action="store_true", help="write expected.json instead")
    options = parser.parse_args()
    key = f"{platform.machine()} {options.compiler}"
    everything = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    expected = everything.get(key)
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    if expected is None and not options.update:
        print(f"skipped: expected.json has no counts for {key}; --update would write them")
        return SKIPPED

    try:
        counted = {path: count(options.program, path) for path in PATHS}
    except CountError as error:
        print(error)
        return 1
    known = {} if options.update else expected
    passed = [compare(path, costs, known.get(path)) for path, costs in counted.items()]
    if options.update:
        everything[key] = {path: round(sum(c.values()), 1) for path, c in counted.items()}
        EXPECTED.write_text(json.dumps(everything, indent=2, sort_keys=True) + "\n")
        print(f"{EXPECTED} now has counts for {key}")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
