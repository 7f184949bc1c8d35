"""matplotlib, which draws the pictures of pages: that of this python3, else of the system's."""

import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's packages are for this one


def why_not(what: str) -> str | None:
    """Why `what` cannot be drawn, or None. Starts the script anew by the system's python3 if this
    one has no matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("matplotlib", "numpy"):
            raise
        if os.path.exists(SYSTEM_PYTHON) and sys.orig_argv[0] != SYSTEM_PYTHON:
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", *sys.argv])
        return (
            f"{what} matplotlib for {sys.executable}: install it (Debian: python3-matplotlib; "
            "else pip install matplotlib)"
        )
    return None
