"""What `gondwana ps`, `why` and `top` say of jobs between two hosts.

two_hosts_why_test.py GONDWANA PROBLEMS
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
sys.path.insert(0, str(Path(__file__).parent.parent / "front"))
import job_case
import slurm
import two_hosts
import why_test
from job_case import run_tests, take_path
from processes import eventually
from two_hosts_case import TwoHostsCase

PROBLEMS = ""
HOSTS = ("--hosts", "host-a:1,host-b:3")
RANKS = 4


class TwoHostsWhyTest(TwoHostsCase):
    def begin_problem(self, problem):
        job = self.start_ready(
            *HOSTS,
            PROBLEMS,
            problem,
            ranks=RANKS,
            program=(),
            env={"GONDWANA_BCAST_ALGORITHM": "tree"},
        )
        time.sleep(0.3)  # all are where they stay
        return job

    def tool(self, host, *words):
        said = self.hosts.run_on(host, [job_case.GONDWANA, *words], env=self.environment())
        self.assertEqual(said.returncode, 0, said.stderr)
        return said

    def end(self, job):
        for host in two_hosts.NAMES:
            for pid in self.hosts.processes(host):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
        job.terminate()
        self.finish(job)

    def test_the_culprit_on_either_host_is_named_from_either(self):
        for problem in ("loop", "collective", "locks", "stopped", "word"):
            with self.subTest(problem=problem):
                job = self.begin_problem(problem)
                first = [
                    self.tool(host, "why", "--watch", "0.3").stdout.splitlines()[0]
                    for host in two_hosts.NAMES
                ]
                self.end(job)
                for line in first:
                    self.assertRegex(line, "^" + why_test.FIRST_LINES[problem])

    def test_the_place_in_the_program_on_the_other_host(self):
        job = self.begin_problem("loop")
        text = self.tool("host-a", "why", "--watch", "0.3").stdout
        said = json.loads(self.tool("host-a", "why", "--watch", "0.3", "--json").stdout)
        self.end(job)
        self.assertRegex(text, r"\n  rank 3 \(process \d+ on host-b\): compute_for_ever at ")
        self.assertEqual([node["host"] for node in said["hosts"]], ["host-a", "host-b"])
        (place,) = said["places"]
        self.assertEqual((place["rank"], place["host"]), (3, "host-b"))
        self.assertIn("main", [frame["function"] for frame in place["threads"][0]["stack"]])

    def test_the_launcher_names_it_when_time_is_over(self):
        status, out, err = self.run_job("--timeout", "6", *HOSTS, PROBLEMS, "loop")
        self.assertEqual((status, out), (124, "ready\n" * RANKS))
        self.assertRegex(err, r"(?m)^gondwana run: rank 3 keeps the others waiting: ")
        self.assertRegex(err, r"rank 3 \(process \d+ on host-b\): compute_for_ever at ")

    def words_of(self, launcher):
        """The words before the program, by which another launcher starts it on both hosts."""
        if launcher == "mpirun.openmpi":
            return [
                launcher,
                "--allow-run-as-root",
                "--map-by",
                "slot",
                "--mca",
                "plm_rsh_agent",
                self.hosts.ssh,
                "--host",
                "host-a:2,host-b:2",
                "-n",
                "4",
            ]
        ssh = self.write("ssh", f'#!/bin/sh\nexec {self.hosts.ssh} "$@"\n', 0o755)
        return [
            launcher,
            "-launcher",
            "ssh",
            "-launcher-exec",
            ssh,
            "-hosts",
            "host-a:2,host-b:2",
            "-n",
            "4",
        ]

    def test_jobs_of_other_launchers_are_looked_at_on_both_hosts(self):
        for launcher in ("mpirun.openmpi", "mpiexec.hydra"):
            with self.subTest(launcher=launcher):
                if shutil.which(launcher) is None:
                    self.skipTest("not installed")
                job = self.hosts.on(
                    "host-a",
                    [*self.words_of(launcher), PROBLEMS, "loop"],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=self.environment(),
                )
                self.addCleanup(self.close, job)
                for _ in range(RANKS):
                    self.assertEqual(job_case.read_line(job.stdout), "ready\n")
                time.sleep(0.3)
                text = self.tool("host-a", "why", "--watch", "0.3").stdout
                job.terminate()
                job.communicate(timeout=job_case.WATCHDOG)
                self.expect_nobody()
                self.assertRegex(
                    text,
                    r"^rank 3 keeps the others waiting: .*; ranks 0-2 wait in shmem_barrier_all",
                )
                self.assertRegex(
                    text, r"\n  rank 3 \(process \d+ on host-b\): compute_for_ever at "
                )

    def test_one_host_alone(self):
        job = self.begin_problem("loop")
        text = self.tool("host-a", "why", "--here", "--watch", "0.3").stdout
        self.end(job)
        self.assertRegex(text, r"^rank 0 waits, perhaps for ranks on other hosts; ")
        self.assertIn("1 of the 2 nodes of the job was not examined: ", text)

    def test_a_host_out_of_reach_is_a_sentence_and_the_rest_is_shown(self):
        job = self.begin_problem("loop")
        text = self.tool("host-b", "why", "--watch", "0.3", "--hosts", "host-c").stdout
        listed = self.tool("host-b", "ps", "--hosts", "host-c,host-a")
        self.end(job)
        self.assertRegex(text, r"^rank 3 keeps the others waiting: ")
        self.assertIn(
            "1 of the 2 nodes of the job was not examined: host host-c: ssh cannot connect: ", text
        )
        self.assertRegex(listed.stdout, r" host-b,host-a +\S*why_problems loop\n$")
        self.assertRegex(listed.stderr, r"^gondwana ps: host host-c: ssh cannot connect: .*\n$")

    def test_jobs_of_all_hosts_are_listed(self):
        job = self.begin_problem("nothing")
        (here,) = json.loads(self.tool("host-a", "ps", "--json").stdout)
        (both,) = json.loads(self.tool("host-a", "ps", "--json", "--hosts", "host-b").stdout)
        self.end(job)
        self.assertEqual((here["nodes"], here["nodes_here"], here["hosts"]), (2, 1, ["host-a"]))
        self.assertEqual(
            (both["nodes"], both["nodes_here"], both["hosts"]), (2, 2, ["host-a", "host-b"])
        )
        self.assertEqual(both["job"], here["job"])

    def test_the_table_has_the_ranks_of_all_hosts(self):
        job = self.begin_problem("nothing")
        said = json.loads(self.tool("host-b", "top", "--interval", "0.5", "--json").stdout)
        by_node = self.tool("host-a", "top", "--interval", "0.5", "--nodes").stdout.splitlines()
        self.end(job)
        self.assertEqual([rank["rank"] for rank in said["ranks"]], list(range(RANKS)))
        for rank in said["ranks"]:
            self.assertGreater(rank["operations"], 0)  # a barrier every 20 ms
        self.assertEqual([agent["host"] for agent in said["agents"]], ["host-a", "host-b"])
        self.assertRegex(by_node[-4], r" 1 rank from 0 on host-a$")
        self.assertRegex(by_node[-3], r" 3 ranks from 1 on host-b$")
        self.assertRegex(by_node[-1], r"^ +A1 .* agent of node 1 on host-b, ")

    def test_the_page_for_prometheus_has_the_ranks_of_all_hosts(self):
        job = self.begin_problem("nothing")
        words = [job_case.GONDWANA, "top", "--interval", "0.2", "--serve", "127.0.0.1:0"]
        server = self.hosts.on("host-a", words, stdout=subprocess.PIPE, env=self.environment())
        self.addCleanup(self.close, server)
        url = job_case.read_line(server.stdout).strip()
        read = f"import urllib.request as u; print(u.urlopen('{url}').read().decode())"
        page = self.hosts.run_on("host-a", [sys.executable, "-c", read]).stdout
        self.end(job)
        self.assertEqual(server.wait(job_case.WATCHDOG), 0)  # ends with the job
        up = [line for line in page.splitlines() if line.startswith("gondwana_rank_up{")]
        self.assertEqual([line.endswith(" 1") for line in up], [True] * RANKS)
        self.assertEqual([up[0].count('"host-a"'), up[3].count('"host-b"')], [1, 1])

    def test_nothing_stays_on_the_other_host(self):
        job = self.begin_problem("nothing")
        self.tool("host-a", "why", "--watch", "0.1")

        def observers():
            return [line for line in self.hosts.processes("host-b").values() if "observer" in line]

        is_gone = eventually(lambda: not observers())
        left = observers()
        self.end(job)
        self.assertTrue(is_gone, left)


class SlurmTest(TwoHostsCase):
    """No ssh leads to the other host, and the tools run outside of the allocation."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = slurm.Slurm(two_hosts.ADDRESSES, cls.hosts.on)
        cls.addClassCleanup(cls.cluster.stop)
        if reason := cls.cluster.start():
            raise unittest.SkipTest(reason)

    def command(self):
        return ["salloc", "-Q", "-N2", "-n4", job_case.GONDWANA, "run"]

    def environment(self, more=None):
        ours = {"SLURM_CONF": self.cluster.environment["SLURM_CONF"], "GONDWANA_SSH": "auto"}
        return super().environment({**ours, **(more or {})})

    def left_on(self, host):
        return {pid: line for pid, line in super().left_on(host).items() if "slurm" not in line}

    def test_the_other_host_is_reached_by_srun(self):
        job = self.start_ready(PROBLEMS, "loop", ranks=RANKS, program=())
        time.sleep(0.3)
        said = self.hosts.run_on(
            "host-b", [job_case.GONDWANA, "why", "--watch", "0.3"], env=self.environment()
        )
        launcher = [
            pid
            for pid, line in self.left_on("host-a").items()
            if line.startswith(job_case.GONDWANA)
        ]
        os.kill(min(launcher), signal.SIGTERM)  # salloc would take half a minute
        self.finish(job)
        self.assertRegex(
            said.stdout,
            r"^rank 3 keeps the others waiting: .*; ranks 0-2 wait in shmem_barrier_all",
        )


if __name__ == "__main__":
    PROBLEMS = take_path(2)
    if reason := two_hosts.why_not():
        print(f"skipped: {reason}")
        sys.exit(77)
    run_tests()
