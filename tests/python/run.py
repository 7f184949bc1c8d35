"""Runs Python with the package of the source tree: `run.py COMMAND LIBRARY RANKS ARGUMENTS...`.

COMMAND is `gondwana`. With 0 ranks, runs one process without it, which may start its own jobs.
Exits with status 77 where no Python with numpy is found.
"""

import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
WATCHDOG = 240  # seconds: against hangs only
PACKAGE = Path(__file__).resolve().parents[2] / "python"


def interpreter() -> str | None:
    """A Python with numpy, first on the PATH or of the system."""
    for python in (sys.executable, "/usr/bin/python3"):
        probe = [python, "-W", "ignore", "-c", "import numpy"]
        if (
            os.path.exists(python)
            and subprocess.run(probe, capture_output=True, check=False).returncode == 0
        ):
            return python
    return None


def main() -> int:
    command, library, ranks, *arguments = sys.argv[1:]
    python = interpreter()
    if python is None:
        print("python: needs a Python with numpy")
        return SKIPPED
    environment = {
        **os.environ,
        "GONDWANA_LIBRARY": library,
        "PYTHONPATH": str(PACKAGE),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    launcher = [command, "run", "-n", ranks, "--timeout", str(WATCHDOG)] if ranks != "0" else []
    whole = [*launcher, python, *arguments]
    return subprocess.run(whole, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
