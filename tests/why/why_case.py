"""Jobs with planted problems, for tests of what tools say of them: `..._test.py GONDWANA PROBLEMS MPIRUN`."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import WATCHDOG
from launcher_case import LauncherCase

PROBLEMS = ""
MPIRUN = ""
RANKS = 4
TWO_NODES = {"GONDWANA_NODE_RANKS": "2", "GONDWANA_NETWORK": "127.0.0.0/8"}


def tool(*words, env=None):
    return subprocess.run(
        [job_case.GONDWANA, *words],
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
        env={**os.environ, **(env or {})},
    )


class WhyCase(LauncherCase):
    def begin_problem(self, problem, *before, env=None, **more):
        env = {"GONDWANA_BCAST_ALGORITHM": "tree", **(env or {})}
        words = ("-n", str(RANKS), *before, PROBLEMS, problem)
        job = self.start_ready_with(words, env, **more)
        time.sleep(0.3)  # all are where they stay
        return job

    def start_ready_with(self, words, env, **more):
        return super(LauncherCase, self).start_ready(
            *words, program=(), env=env, **{"ranks": RANKS, **more}
        )

    def why(self, job, *words):
        said = tool("why", *words, str(job.pid))
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return said.stdout

    def end(self, job):
        for pid in self.marked():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        job.terminate()
        job.wait(WATCHDOG)
        self.assertTrue(self.nobody_left())


def run_tests():
    """Of the module that was started with these words."""
    global PROBLEMS, MPIRUN
    PROBLEMS, MPIRUN = os.path.abspath(sys.argv.pop(2)), sys.argv.pop(2)
    job_case.run_tests()
