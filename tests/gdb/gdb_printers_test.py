"""What tools/gdb shows of a job and of a core file: `gdb_printers_test.py GONDWANA HANDLES PROBLEMS
FILE`.

HANDLES is built from handles.c, PROBLEMS from why/problems.c; FILE is the file that gdb loads.
"""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from launcher_case import LauncherCase
from processes import command_line, eventually

HANDLES = ""
PROBLEMS = ""
PRINTERS = ""
WATCHDOG = 60  # seconds: against hangs only
HANDLE_TEXTS = {
    "world": "SHMEM_TEAM_WORLD",
    "none": "SHMEM_TEAM_INVALID",
    "half": r"team \d+: rank 0",
    "shared": "SHMEM_TEAM_SHARED: ranks 0-1",
    "ended": r"team \d+",
    "back": r"team \d{3}: ranks 1, 0",
    "usual": "SHMEM_CTX_DEFAULT",
    "other": r"context \d+",
    "all": "team of 2 ranks, this is 0",
    "no_team": "GEX_TM_INVALID",
    "complete": r"GEX_EVENT_INVALID \(complete\)",
    "idle": "no transfer",
    "transfer": "transfer 7",
    "aggregate": "aggregate 3, transfer 2",
}


@unittest.skipIf(shutil.which("gdb") is None, "gdb is not installed")
class GdbPrinters(LauncherCase):
    def environment(self, more=None):
        return super().environment({"DEBUGINFOD_URLS": "", **(more or {})})

    def gdb(self, *words):
        ended = subprocess.run(["gdb", "-q", "-batch", "-x", PRINTERS, *words], text=True,
                               capture_output=True, timeout=WATCHDOG, check=False,
                               env=self.environment(), stdin=subprocess.DEVNULL)
        self.assertNotIn("Error", ended.stderr)
        return ended.stdout

    def stopped_job(self, *commands):
        """Rank 0 under gdb, stopped where it has its handles; the other waits in a barrier."""
        given = " ".join(f"-ex '{one}'" for one in commands)
        code, out, err = self.run_job(
            "-n", "2", "--gdb", "0", "--gdb-args",
            f"-q -batch -x {PRINTERS} -ex 'break look_at' -ex run {given}", HANDLES)
        self.assertIn("Breakpoint 1, look_at", out, err)
        return code, out

    def assert_handles(self, said):
        for name, text in HANDLE_TEXTS.items():
            self.assertRegex(said, rf"\b{name} = {text}[,}}\n]")

    def test_handles_of_a_rank_are_shown(self):
        code, out = self.stopped_job("print *handles", "print handles->half", "delete", "continue")
        self.assertEqual(code, 0)
        self.assert_handles(out)
        self.assertRegex(out, r"\$2 = team \d+: rank 0\n")

    def test_handles_in_a_core_file_are_shown(self):
        core = f"{self.folder}/core"
        self.stopped_job(f"generate-core-file {core}", "delete", "continue")
        said = self.gdb(HANDLES, core, "-ex", "frame function look_at", "-ex", "print *handles",
                        "-ex", "gondwana waiting")
        self.assert_handles(said)
        self.assertRegex(said, r"thread 1 outside the library, look_at at \S*handles\.c:\d+")

    def test_a_rank_that_waits_and_one_that_computes_are_shown(self):
        job = self.start("-n", "2", PROBLEMS, "loop")
        for _ in range(2):
            self.assertEqual(job.stdout.readline(), "ready\n")
        ranks = [pid for pid in self.marked() if command_line(pid) == f"{PROBLEMS} loop"]
        self.assertEqual(len(ranks), 2)
        for place in (r"waits in shmem_barrier_all, called by main at \S*problems\.c:\d+",
                      r"outside the library, compute_for_ever at \S*problems\.c:\d+"):
            self.assertTrue(eventually(lambda place=place: self.is_said(ranks, place)), place)
        job.terminate()
        job.wait(WATCHDOG)

    def is_said(self, ranks, place):
        said = [self.gdb("-p", str(rank), "-ex", "gondwana waiting") for rank in ranks]
        return any(re.search(rf"(?m)^thread 1 {place}$", one) for one in said)

    def test_without_a_process_it_says_so(self):
        ended = subprocess.run(["gdb", "-q", "-batch", "-x", PRINTERS, "-ex", "gondwana waiting"],
                               capture_output=True, text=True, timeout=WATCHDOG, check=False)
        self.assertIn("no process: attach to a rank, or load a core file", ended.stderr)


if __name__ == "__main__":
    job_case.GONDWANA, HANDLES, PROBLEMS, PRINTERS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
