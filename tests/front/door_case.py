"""Programs of the OpenSHMEM door, for tests that run them: `..._test.py GONDWANA FOLDER_OF_PROGRAMS`."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from processes import descendants_of, read_proc  # noqa: E402

GONDWANA = ""
PROGRAMS = ""
WATCHDOG = 60  # seconds: against hangs only


def program(name):
    return os.path.join(PROGRAMS, "door_" + name)


def run(ranks, name, *words, **variables):
    return start(["-n", str(ranks)], name, *words, **variables)


def run_on(hosts, name, *words, **variables):
    return start(["--hosts", hosts], name, *words, **variables)


def start(options, name, *words, **variables):
    # AddressSanitizer would turn the SIGSEGV of a rank into another status.
    environment = {**os.environ, "ASAN_OPTIONS": "handle_segv=0:detect_leaks=0", **variables}
    command = [GONDWANA, "run", *options, program(name), *words]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=WATCHDOG, check=False
    )


def wait_for(process, text):
    """Reads lines until one holds the text."""
    for line in process.stdout:
        if text in line:
            return
    raise AssertionError(f'"{text}" never came')


def rank_of_job(launcher, rank):
    mark = b"GONDWANA_RANK=%d" % rank
    for pid in descendants_of(launcher):
        if mark in read_proc(pid, "environ").split(b"\0"):
            return pid
    raise AssertionError("no such rank")


def run_tests():
    """Of the module that was started with the command `gondwana` and the folder."""
    global GONDWANA, PROGRAMS
    PROGRAMS = sys.argv.pop()
    GONDWANA = sys.argv.pop()
    unittest.main("__main__")
