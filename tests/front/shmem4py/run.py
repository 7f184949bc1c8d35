"""Runs the whole suite of shmem4py on a number of ranks: `run.py FOLDER RANKS`."""

import os
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
WATCHDOG = 240  # seconds: against hangs only


def main() -> int:
    folder, ranks = Path(sys.argv[1]), int(sys.argv[2])
    suite = next(folder.glob("shmem4py-*/test"), None)
    python = folder / "python"  # written last
    if suite is None or not python.exists():
        print("shmem4py: was not prepared")
        return SKIPPED
    environment = {**os.environ, "PYTHONPATH": str(folder / "site")}
    command = [str(folder / "prefix" / "bin" / "oshrun"), "-n", str(ranks), "--label"]
    command += ["--timeout", str(WATCHDOG), python.read_text(encoding="utf-8"), "-m", "unittest", "discover", "-s"]
    ended = subprocess.run(
        [*command, str(suite)], env=environment, capture_output=True, text=True, check=False
    )
    # Each rank runs every test and prints a summary.
    reports = re.findall(r"Ran (\d+) tests? in", ended.stderr)
    passed = re.findall(r"^\[\d+\] OK", ended.stderr, re.MULTILINE)
    print(f"{ranks} ranks: {len(passed)} passed, tests each: {', '.join(reports)}")
    if ended.returncode == 0 and len(reports) == ranks and len(passed) == ranks:
        return 0
    print(ended.stdout, ended.stderr, sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
