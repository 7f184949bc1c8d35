"""Traces of jobs between two hosts.

two_hosts_trace_test.py GONDWANA EVENTS PACKAGES [--picture FILE]
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
import trace_case
from job_case import run_tests, take_path
from trace_case import read_trace, take_packages
from two_hosts_case import TwoHostsCase

EVENTS = ""
PICTURE = ""
HOSTS = ("--hosts", "host-a:32,host-b:32")


class TwoHostsTraceTest(TwoHostsCase):
    def trace_of_run(self, *words):
        file = f"{self.folder}/end.pftrace"
        status, _, err = self.run_job(*words[:2], "--trace", file, EVENTS, *words[2:])
        self.assertEqual(status, 0, err)
        return file, err

    def check(self, file, said, processes):
        self.assertRegex(said, r"; clocks of the hosts agree to \d+ us")
        with read_trace(file) as trace:
            self.assertEqual(trace.problems, [])
            self.assertEqual(len(trace.processes), processes)
            self.assertTrue(trace.flows)
            for rank in (0, processes - 3):
                self.assertTrue(trace.named("shmem_barrier_all", f"rank {rank}"))

    def test_64_ranks_while_they_run_and_at_the_end(self):
        job = self.start_ready(
            *HOSTS, "--trace", f"{self.folder}/end.pftrace", EVENTS, "loop", ranks=1, program=(),
            env={"GONDWANA_TRACE_SIZE": "64K"},
        )
        file = f"{self.folder}/now.pftrace"
        said = self.hosts.run_on(
            "host-a", [job_case.GONDWANA, "trace", "-o", file], env=self.environment()
        )
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.check(file, said.stdout, 64 + 2)
        job.terminate()
        _, _, err = self.finish(job)
        self.check(f"{self.folder}/end.pftrace", err, 64 + 2)

    def test_two_ranks(self):
        file, said = self.trace_of_run("--hosts", "host-a:1,host-b:1", "play", "10")
        self.check(file, said, 2 + 2)
        if PICTURE:
            take_picture(file)


def take_picture(file):
    """Of some answers, with an arrow."""
    with read_trace(file) as trace:
        start = min(one.begin for one in trace.slices)
        puts = [(put.begin - start) / 1e6 for put in trace.named("shmem_long_p", "rank 0")]
    view = ("--from", str(puts[3] - 0.01), "--until", str(puts[7]))
    script = Path(__file__).with_name("trace_picture.py")
    choice = ("--select", "shmem_long_p", "--height", "520")
    subprocess.run(
        [sys.executable, script, trace_case.PACKAGES, file, PICTURE, *view, *choice], check=True
    )


if __name__ == "__main__":
    if "--picture" in sys.argv:
        place = sys.argv.index("--picture")
        PICTURE = os.path.abspath(sys.argv.pop(place + 1))
        sys.argv.pop(place)
    EVENTS = take_path(2)
    take_packages(2)
    run_tests()
