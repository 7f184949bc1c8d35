"""Both doors between two hosts, with faults of the network, the processes and the hosts.

two_hosts_network_test.py GONDWANA PROGRAM_OF_OPENSHMEM PROGRAM_OF_GASNET_EX RANK_TESTS
"""

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import two_hosts
from job_case import WATCHDOG, run_tests, take_path
from processes import has_address_sanitizer
from two_hosts_case import TwoHostsCase

TWO = ("--hosts", "host-a:2,host-b:2")
SILENCE = 3  # seconds until a silent host counts as lost
PROGRAMS = {}  # of each door


class Rounds(TwoHostsCase):
    """The jobs of every door, with programs that print the same."""

    door = ""

    @property
    def program(self):
        return PROGRAMS[self.door]

    def environment(self, more=None):
        return super().environment({"GONDWANA_HEAP_SIZE": "16M", **(more or {})})

    def start_rounds(self, rounds=0, hosts=TWO, ranks=4, **env):
        program = (self.program, str(rounds)) if rounds else (self.program,)
        return self.start_ready(*hosts, ranks=ranks, program=program, env=env)

    def expect_end(self, job, sentence, status=None, timeout=20):
        began = time.monotonic()
        code, _, err = self.finish(job)
        self.assertLess(time.monotonic() - began, timeout)
        self.assertNotEqual(code, 0)
        if status is not None:
            self.assertEqual(code, status)
        self.assertRegex(err, sentence)


class Deaths:
    """The tests of every door: work, and every kind of end."""

    def test_both_hosts_do_what_one_does(self):
        self.assertEqual(self.finish(self.start_rounds(30)), (0, "right\n", ""))

    def test_three_and_one(self):
        hosts = ("--hosts", "host-a:3,host-b:1")
        self.assertEqual(self.finish(self.start_rounds(10, hosts)), (0, "right\n", ""))

    def test_a_rank_that_is_killed(self):
        job = self.start_rounds()
        os.kill(self.find("host-b", self.program), signal.SIGKILL)
        self.expect_end(job, r"rank [23] on host host-b \(pid \d+\) was killed by SIGKILL", 137)

    def test_a_rank_that_breaks(self):
        if has_address_sanitizer(self.program):
            self.skipTest("AddressSanitizer handles the signal")
        job = self.start_rounds()
        os.kill(self.find("host-b", self.program), signal.SIGSEGV)
        self.expect_end(job, r"rank [23] on host host-b \(pid \d+\) was killed by SIGSEGV", 139)

    def test_a_node_agent_that_is_killed(self):
        job = self.start_rounds()
        os.kill(self.find("host-b", "gondwana-agent"), signal.SIGKILL)
        self.expect_end(job, r"the node agent on host host-b \(pid \d+\) was killed by SIGKILL")

    def test_a_launcher_that_is_killed(self):
        job = self.start_rounds()
        job.kill()
        self.finish(job)  # tearDown checks that no process is left

    def test_a_host_that_is_gone_without_a_word(self):
        job = self.start_rounds(GONDWANA_PEER_TIMEOUT=str(SILENCE))
        self.hosts.swallow()
        self.expect_end(job, "host-b")


class Weather:
    """Faults of a wire that do not depend on what it carries."""

    def test_losses_of_a_third_of_all_packets(self):
        # Each retry after a lost message waits longer than the last one: few rounds.
        job = self.start_rounds(2)
        self.hosts.lose(30)
        self.assertEqual(self.finish(job, timeout=180), (0, "right\n", ""))

    def test_a_rank_that_is_stopped_for_a_while(self):
        job = self.start_rounds(200)
        rank = self.find("host-b", self.program)
        os.kill(rank, signal.SIGSTOP)
        time.sleep(5)
        os.kill(rank, signal.SIGCONT)
        self.assertEqual(self.finish(job), (0, "right\n", ""))

    def test_a_wire_that_is_cut(self):
        job = self.start_rounds(GONDWANA_PEER_TIMEOUT=str(SILENCE))
        self.hosts.cut()
        self.expect_end(job, "host-b")

    def test_connections_that_are_reset(self):
        job = self.start_rounds(GONDWANA_PEER_TIMEOUT=str(SILENCE))
        self.hosts.reset()
        self.expect_end(job, "host-b")


class OpenShmem(Deaths, Weather, Rounds):
    door = "OpenSHMEM"

    def test_eight_ranks(self):
        hosts = ("--hosts", "host-a:4,host-b:4")
        self.assertEqual(self.finish(self.start_rounds(10, hosts, 8)), (0, "right\n", ""))

    def test_a_firewall_that_only_ssh_passes(self):
        self.hosts.wall("drop")
        job = self.start(*TWO, self.program, env={"GONDWANA_PEER_TIMEOUT": str(SILENCE)})
        self.expect_end(job, r"ranks .* on host host-[ab] cannot be reached")

    def test_rank_tests_on_three_and_one(self):
        status, out, err = self.run_job(
            *("--hosts", "host-a:3,host-b:1", RANK_TESTS, "--over=processes", "--gtest_brief=1"),
            "--gtest_filter=Ranks.*put*:Ranks.*atomic*:Ranks.*team*",
        )
        self.assertEqual(status, 0, out + err)


class GasnetEx(Deaths, Rounds):
    door = "GASNet-EX"


class GasnetExWeather(Weather, Rounds):
    door = "GASNet-EX"


if __name__ == "__main__":
    if reason := two_hosts.why_not("nft"):
        print(f"skipped: {reason}")
        sys.exit(77)
    PROGRAMS = {"OpenSHMEM": take_path(2), "GASNet-EX": take_path(2)}
    RANK_TESTS = take_path(2)
    run_tests()
