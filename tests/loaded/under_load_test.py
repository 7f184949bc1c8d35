"""The busy loops of under_load end with it: `under_load_test.py UNDER_LOAD`."""

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

UNDER_LOAD = ""
WATCHDOG = 60  # seconds: against hangs only


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def niceness(pid: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, pid)


class UnderLoadTest(unittest.TestCase):
    def until(self, holds) -> None:
        end = time.monotonic() + WATCHDOG
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def start(self, *words: str) -> subprocess.Popen:
        process = subprocess.Popen([UNDER_LOAD, *words], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_four_loops_and_two_nice_ones_run_beside_the_command(self):
        process = self.start("sh", "-c", "echo started; exec sleep 60")
        self.assertEqual(process.stdout.readline(), "started\n")
        self.until(lambda: sorted(map(niceness, children(process.pid)))[-2:] == [niceness(0) + 15] * 2)
        usual = [pid for pid in children(process.pid) if niceness(pid) == niceness(0)]
        self.assertEqual(len(usual), 5)  # with the command

    def test_the_loops_end_with_their_parent_whatever_ends_it(self):
        for end in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(end=end):
                process = self.start("sh", "-c", "echo started; exec sleep 60")
                self.assertEqual(process.stdout.readline(), "started\n")
                started = children(process.pid)
                self.assertEqual(len(started), 7)
                process.send_signal(end)
                self.until(lambda: not any(map(is_running, started)))

    def test_the_status_is_that_of_the_command(self):
        for script, expected in {"exit 0": 0, "exit 3": 3, "kill -TERM $$": 143}.items():
            with self.subTest(script):
                self.assertEqual(self.start("sh", "-c", script).wait(WATCHDOG), expected)

    def test_the_loops_end_by_themselves(self):
        process = self.start("-t", "1", "sleep", "60")
        self.until(lambda: len(children(process.pid)) == 7)
        self.until(lambda: len(list(filter(is_running, children(process.pid)))) == 1)


if __name__ == "__main__":
    UNDER_LOAD = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
