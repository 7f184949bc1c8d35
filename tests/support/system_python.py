"""The Python of the system, for tests that need modules which another Python may lack.

Packages of a distribution install for the system's Python alone.
"""

import importlib.util
import os
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"


def has_modules(names: tuple[str, ...]) -> bool:
    return all(importlib.util.find_spec(name) is not None for name in names)


def has_modules_there(*names: str) -> bool:
    """Whether the system's Python has all of them."""
    probe = [SYSTEM_PYTHON, "-c", "import " + ", ".join(names)]
    return (
        os.path.exists(SYSTEM_PYTHON)
        and subprocess.run(probe, capture_output=True, check=False).returncode == 0
    )


def go_on_with(*names: str) -> bool:
    """Starts this program again by the system's Python where only that has all these modules.

    Commands that the program starts then find it first, too. False: neither has all.
    """
    if has_modules(names):
        return True
    is_other = os.path.realpath(SYSTEM_PYTHON) != os.path.realpath(sys.executable)
    if not is_other or not has_modules_there(*names):
        return False
    folder = os.path.dirname(SYSTEM_PYTHON)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ.get('PATH', '')}"}
    os.execve(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv], environment)
