"""Foreign launchers start ranks on two hosts.

two_hosts_foreign_test.py HOW PROGRAM_OF_OPENSHMEM PROGRAM_OF_GASNET_EX, where HOW is mpirun,
mpiexec.hydra, srun-pmix or srun-pmi2. Exits with status 77 where that launcher is not installed.
"""

import os
import shutil
import signal
import sys
import unittest
from pathlib import Path

import slurm

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import two_hosts
from job_case import take_path
from two_hosts_case import TwoHostsCase

HOW = ""
OPENSHMEM = ""
GASNET_EX = ""
GONE = "the node agent on host {0} has ended"
# Or a rank of the other host reports it when its connections break.
BROKEN = GONE + "|ranks . to . on host {0} cannot be reached"


class Foreign(TwoHostsCase):
    cluster = None

    def command(self):
        return []  # all words are given

    def words(self, on_a, on_b):
        """The words before the program, for `on_a` and `on_b` ranks on the hosts."""
        ranks, hosts = str(on_a + on_b), f"host-a:{on_a},host-b:{on_b}"
        if HOW == "mpirun":
            own = ["--allow-run-as-root", "--map-by", "slot"]
            own += ["--mca", "plm_rsh_agent", self.hosts.ssh]
            for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"):
                own += ["-x", name] if name in os.environ else []
            return ["mpirun", *own, "--host", hosts, "-n", ranks]
        if HOW == "mpiexec.hydra":
            ssh = self.write("ssh", f'#!/bin/sh\nexec {self.hosts.ssh} "$@"\n', 0o755)
            own = ["-launcher", "ssh", "-launcher-exec", ssh]
            return ["mpiexec.hydra", *own, "-hosts", hosts, "-n", ranks]
        places = ",".join(["host-a"] * on_a + ["host-b"] * on_b)
        own = ["-Q", f"--mpi={HOW.removeprefix('srun-')}", "--kill-on-bad-exit", "-m", "arbitrary"]
        return ["srun", *own, "-w", places, "-n", ranks]

    def start_rounds(self, program, rounds=0, on_a=2, on_b=2):
        program = [program, str(rounds)] if rounds else [program]
        return self.start_ready(*self.words(on_a, on_b), ranks=on_a + on_b, program=program)

    def expect_right(self, *arguments, **places):
        status, out, err = self.finish(self.start_rounds(*arguments, **places))
        self.assertEqual((status, out), (0, "right\n"), err)

    def test_ranks_of_both_hosts_are_one_job(self):
        self.expect_right(OPENSHMEM, 10)
        self.expect_right(GASNET_EX, 10)

    def test_hosts_may_have_different_numbers_of_ranks(self):
        self.expect_right(OPENSHMEM, 10, on_a=3, on_b=1)

    def test_a_rank_that_is_killed_ends_the_job(self):
        job = self.start_rounds(OPENSHMEM)
        os.kill(self.find("host-b", OPENSHMEM), signal.SIGKILL)
        self.assertNotEqual(self.finish(job)[0], 0)

    def expect_difference(self, sentence, variable):
        """Set on one host alone, where its ranks and agent start; the launcher ignores it."""
        if HOW != "mpiexec.hydra":
            self.skipTest("tested with mpiexec.hydra")
        only_there = f'[ "$(hostname)" = host-b ] && export {variable}'
        script = self.write("program", f"#!/bin/sh\n{only_there}\nexec {OPENSHMEM} 10\n", 0o755)
        status, _, err = self.finish(self.start(*self.words(2, 2), script))
        self.assertNotEqual(status, 0)
        self.assertRegex(err, sentence)

    def test_hosts_that_send_messages_by_different_ways_are_told(self):
        self.expect_difference("GONDWANA_ROUTE is not the same on host host-[ab] as on this one",
                               "GONDWANA_ROUTE=agent")

    def test_hosts_whose_libfabric_is_set_differently_are_told(self):
        self.expect_difference("host host-[ab] uses tcp;ofi_rxm, .+=20000, this one tcp;ofi"
                               "|host host-[ab] uses tcp;ofi_rxm, .+, this one .+=20000",
                               "FI_OFI_RXM_EAGER_LIMIT=20000")

    def expect_missed(self, sentence, job, *hosts):
        """An endless job ends with its agents, before any process reports them as silent."""
        for agent in [self.find(host, "gondwana-agent") for host in hosts]:
            os.kill(agent, signal.SIGKILL)
        status, _, err = self.finish(job)
        self.assertNotEqual(status, 0)
        self.assertRegex(err, rf"rank \d: .+: ({sentence})")
        self.assertNotIn("silent", err)

    def test_a_node_agent_that_is_killed_is_missed(self):
        self.expect_missed(BROKEN.format("host-b"), self.start_rounds(OPENSHMEM), "host-b")
        self.expect_missed(BROKEN.format("host-b"), self.start_rounds(GASNET_EX), "host-b")

    def test_a_node_agent_that_is_killed_is_missed_by_who_sleeps(self):
        self.expect_missed(GONE.format("host-b"), self.start_rounds(OPENSHMEM, -1), "host-b")

    def test_all_node_agents_that_are_killed_are_missed_by_who_sleeps(self):
        self.expect_missed(
            GONE.format("host-[ab]"), self.start_rounds(OPENSHMEM, -1), *two_hosts.NAMES
        )

    def test_nobody_outlives_a_launcher_that_is_killed(self):
        if HOW.startswith("srun"):
            self.skipTest("srun runs nothing itself")
        job = self.start_rounds(OPENSHMEM)
        job.kill()
        self.finish(job)  # tearDown checks that no process is left


class OfSlurm(Foreign):
    """In a cluster that exists as long as the hosts."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = slurm.Slurm(two_hosts.ADDRESSES, cls.hosts.on)
        cls.addClassCleanup(cls.cluster.stop)
        if reason := cls.cluster.start():
            cls.doClassCleanups()
            skip(reason)

    def environment(self, more=None):
        return super().environment({"SLURM_CONF": self.cluster.environment["SLURM_CONF"]})

    def left_on(self, host):
        """The processes except the daemons."""
        found = super().left_on(host)
        return {pid: line for pid, line in found.items() if "slurm" not in line}


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(77)


def why_not() -> str:
    if HOW.startswith("srun"):
        return two_hosts.why_not() or slurm.why_not()
    return two_hosts.why_not() or ("" if shutil.which(HOW) else f"{HOW} is not installed")


if __name__ == "__main__":
    HOW, OPENSHMEM, GASNET_EX = sys.argv.pop(1), take_path(), take_path()
    if reason := why_not():
        skip(reason)
    case = OfSlurm if HOW.startswith("srun") else Foreign
    unittest.main(defaultTest=case.__name__)
