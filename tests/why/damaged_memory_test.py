"""A program damages the memory by which its launcher and tools know the job:
`damaged_memory_test.py GONDWANA PROBLEMS`. What each reader does with any bytes is in
unit_tests, live_memory_test.cpp; here are the commands as users type them."""

import contextlib
import json
import mmap
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import WATCHDOG, run_tests
from launcher_case import LauncherCase
from processes import eventually

PROBLEMS = ""
RANKS = 2
TRIES = 8
FACTS = 64
HEADER = 4096
PARTS = ((FACTS, HEADER), (HEADER, 96 * 1024), (FACTS, None))  # the second: pages of ranks
EDGES = (0, 1, 2**28, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 0x7F7F7F7F7F7F7F7F)


class Scribbler:
    """Writes into control memory until the end of a scope."""

    def __init__(self, memory, seed):
        self.memory = memory
        self.random = random.Random(seed)
        self.whole = self.memory[:HEADER]
        self.is_over = False
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()
        self.memory[:HEADER] = self.whole
        self.memory.close()

    def run(self):
        while not self.is_over:
            # What the node says of itself is well most of the time, or no tool would find the job.
            begin, end = self.random.choice(PARTS) if self.random.randrange(8) else (0, FACTS)
            for _ in range(self.random.randrange(1, 64)):
                place = self.random.randrange(begin, end or len(self.memory) - 8) // 4 * 4
                word = self.random.choice((*EDGES, self.random.randrange(2**64)))
                self.memory[place : place + 8] = word.to_bytes(8, "little")
            time.sleep(0.001)
            self.memory[:FACTS] = self.whole[:FACTS]


class DamagedMemoryTest(LauncherCase):
    def control_memory_of(self, processes):
        for pid in processes:
            for link in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    if "gondwana-control" in os.readlink(link):
                        return os.open(link, os.O_RDWR | os.O_CLOEXEC)
        raise AssertionError("no process holds control memory")

    def tool(self, *words):
        said = subprocess.run([job_case.GONDWANA, *words], capture_output=True, text=True,
                              errors="replace", timeout=WATCHDOG, check=False)
        self.assertIn(said.returncode, (0, 1), (words, said.stderr))
        self.assertNotRegex(said.stdout + said.stderr, r"[\x00-\x08\x0b-\x1f\x7f]", words)
        if said.returncode == 1:
            self.assertRegex(said.stderr, "no job of yours|no events", words)
        self.last = said.stderr
        return said.returncode == 0

    # When it begins the memory may be damaged such that there is no job.
    def use_often(self, *words):
        self.assertGreater(sum(self.tool(*words) for _ in range(TRIES)), 0, (words, self.last))

    def start_stopped(self, *words):
        """A job whose ranks do not act on what is written; and what damages its memory."""
        job = self.start_ready(RANKS, *words, PROBLEMS, "word")
        # By its id: this process holds the memory, too, and is none of the job.
        listed = subprocess.run([job_case.GONDWANA, "ps", "--json"], capture_output=True, check=True)
        (job_id,) = [each["job"] for each in json.loads(listed.stdout)
                     if each["process"] == self.guardian_of(job)]
        descriptor = self.control_memory_of([self.guardian_of(job)])
        memory = mmap.mmap(descriptor, 0)
        os.close(descriptor)
        ranks = [pid for pid in self.marked() if b"why_problems" in
                 Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]]
        for pid in ranks:
            os.kill(pid, signal.SIGSTOP)
        return job, job_id, ranks, memory

    def end(self, job, ranks):
        for pid in ranks:
            os.kill(pid, signal.SIGCONT)
        job.terminate()
        job.wait(WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGTERM)
        self.assertTrue(self.nobody_left())

    def test_tools_come_back_while_memory_is_damaged(self):
        job, job_id, ranks, memory = self.start_stopped("--trace", f"{self.folder}/job.pftrace")
        with Scribbler(memory, seed=7):
            self.use_often("ps")
            self.use_often("why", "--watch", "0.05", job_id)
            self.use_often("top", "--once", "--interval", "0.05", job_id)
            self.use_often("trace", "-o", f"{self.folder}/now.pftrace", job_id)
        self.end(job, ranks)

    def test_what_tools_have_checked_they_do_not_read_again(self):
        job, job_id, ranks, memory = self.start_stopped()
        tools = [
            subprocess.Popen([job_case.GONDWANA, *words, job_id], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
            for words in (("why", "--watch", "0.5"), ("top", "--once", "--interval", "0.5"),
                          ("trace", "--watch", "0.5", "-o", f"{self.folder}/now.pftrace"))
        ]
        for tool in tools:
            maps = Path(f"/proc/{tool.pid}/maps")
            self.assertTrue(eventually(lambda maps=maps: "gondwana-control" in maps.read_text()))
        number_of_ranks = 24  # its place among the facts
        self.assertEqual(memory[number_of_ranks], RANKS)
        memory[number_of_ranks : number_of_ranks + 4] = (2**28).to_bytes(4, "little")
        said = [tool.communicate(timeout=WATCHDOG)[0] for tool in tools]
        self.assertEqual([tool.returncode for tool in tools], [0, 0, 0], said)
        refused = subprocess.run([job_case.GONDWANA, "why", job_id], capture_output=True, text=True,
                                 check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr, "no job of yours .*the program has damaged the memory")
        memory.close()
        self.end(job, ranks)

    def check_guardian(self, *hosts):
        trace = Path(self.folder) / "job.pftrace"
        status, _, err = self.run_job("-n", str(RANKS), *hosts, "--trace", str(trace), PROBLEMS,
                                      "damage")
        self.assertEqual(status, 128 + signal.SIGABRT, err)
        self.assertRegex(err, r"rank 1 on host .* was killed by SIGABRT")
        self.assertNotIn("guardian", err)
        self.assertRegex(err, r"--trace: .* events of 2 ranks in ")
        self.assertGreater(trace.stat().st_size, 0)

    def test_the_guardian_tells_which_rank_ended_and_has_the_trace(self):
        self.check_guardian()


if __name__ == "__main__":
    PROBLEMS = job_case.take_path(2)
    run_tests()
