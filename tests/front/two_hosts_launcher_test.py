"""A job over ssh from one host to another: `two_hosts_launcher_test.py GONDWANA`."""

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
import two_hosts
from job_case import WATCHDOG, run_tests
from processes import children_of, command_line
from two_hosts_case import TwoHostsCase

SILENCE = 4  # seconds until a silent host counts as lost
FAR = ("--hosts", "host-a:2,host-b:2")
GIVE_UP = {"GONDWANA_PEER_TIMEOUT": str(SILENCE)}
SLACK = 10  # seconds: of a busy machine


class TwoHostsTest(TwoHostsCase):
    """Over ssh, from one host to another."""

    def connection_of(self, job):
        """The process of ssh."""
        conductor = children_of(job.command_pid)[0]
        return next(pid for pid in children_of(conductor) if command_line(pid).startswith("ssh"))

    def test_ranks_run_on_both_hosts(self):
        status, out, err = self.run_job(
            *FAR, "-l", "sh", "-c", "echo $GONDWANA_RANK of $GONDWANA_SIZE on $(hostname)"
        )
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(
            sorted(out.splitlines()),
            [
                "[0] 0 of 4 on host-a",
                "[1] 1 of 4 on host-a",
                "[2] 2 of 4 on host-b",
                "[3] 3 of 4 on host-b",
            ],
        )

    def test_ranks_of_the_other_host_alone(self):
        self.assertEqual(
            self.run_job("--hosts", "host-b:2", "hostname"), (0, "host-b\nhost-b\n", "")
        )

    def test_input_goes_to_the_other_host(self):
        text = "".join(f"{number}\n" for number in range(100000))
        self.assertEqual(self.run_job(*FAR, "--stdin", "2", "cat", input=text), (0, text, ""))

    def test_words_arrive_as_they_are(self):
        words = ["a b", "$HOME", "it's", '"', "\\", "", "*"]
        _, out, _ = self.run_job(
            "--hosts", "host-b", sys.executable, "-c", "import sys; print(sys.argv[1:])", *words
        )
        self.assertEqual(out, f"{words}\n")

    def test_a_failing_rank_there_ends_all(self):
        status, _, err = self.run_job(
            *FAR, "sh", "-c", "[ $GONDWANA_RANK = 3 ] && exit 9; sleep 1000"
        )
        self.assertEqual(status, 9)
        self.assertRegex(
            err,
            r"rank 3 on host host-b \(pid \d+\) ended with status 9 .*; "
            r"the other 3 ranks are ended\n$",
        )

    def test_a_failing_rank_here_ends_those_there(self):
        status, _, err = self.run_job(
            *FAR, "sh", "-c", "[ $GONDWANA_RANK = 0 ] && kill -9 $$; sleep 1000"
        )
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertIn("rank 0 on host host-a", err)

    def test_signals_reach_both_hosts(self):
        script = "trap 'echo got; exit 0' USR1; echo ready; while :; do sleep 0.01; done"
        job = self.start_ready(*FAR, program=("sh", "-c", script))
        job.send_signal(signal.SIGUSR1)
        out, _ = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, out), (0, "got\n" * 4))

    def test_a_term_ends_both_hosts(self):
        job = self.start_ready(*FAR)
        job.send_signal(signal.SIGTERM)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, err), (128 + signal.SIGTERM, ""))

    def test_a_killed_ssh_ends_both_hosts(self):
        job = self.start_ready(*FAR)
        os.kill(self.connection_of(job), signal.SIGKILL)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)
        self.assertEqual(
            err,
            "gondwana run: the connection to host host-b is lost, ssh was killed by SIGKILL; "
            "the job is ended\n",
        )

    def test_a_killed_remote_launcher_ends_both_hosts(self):
        job = self.start_ready(*FAR)
        remote_launcher = min(
            pid
            for pid, line in self.hosts.processes("host-b").items()
            if line.startswith(job_case.GONDWANA)
        )
        os.kill(remote_launcher, signal.SIGKILL)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)
        self.assertIn("was killed", err)

    def test_nobody_survives_the_conductor_or_the_launcher(self):
        for pick in (lambda job: job.command_pid, lambda job: children_of(job.command_pid)[0]):
            job = self.start_ready(*FAR)
            os.kill(pick(job), signal.SIGKILL)
            self.expect_nobody()
            job.communicate(timeout=WATCHDOG)

    def test_an_unreachable_host_is_named(self):
        start = time.monotonic()
        status, _, err = self.run_job(
            "--hosts", "host-a:1,192.0.2.9:1", "sleep", "1000", env=GIVE_UP
        )
        self.assertEqual(status, 1)
        self.assertRegex(
            err,
            r"^gondwana run: host 192.0.2.9: ssh cannot connect: ssh: connect to host 192.0.2.9 ",
        )
        self.assertLess(time.monotonic() - start, SILENCE + SLACK)

    def test_a_missing_folder_there_is_told(self):
        folder = f"{self.folder}/only here"
        os.mkdir(folder)
        self.hosts.run_on("host-b", ["mount", "-t", "tmpfs", "tmpfs", self.folder])
        self.addCleanup(self.hosts.run_on, "host-b", ["umount", self.folder])
        status, _, err = self.run_job(*FAR, "sleep", "1000", cwd=folder)
        self.assertEqual(status, 1)
        self.assertIn(f"host host-b: cannot change to folder {folder}", err)

    def lose_the_host(self, fault):
        job = self.start_ready(*FAR, env=GIVE_UP)
        fault()
        start = time.monotonic()
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertLess(time.monotonic() - start, SILENCE + SLACK)
        self.assertEqual(job.returncode, 1)
        # The processes there notice by themselves; the wire still does not work.
        self.expect_nobody(SILENCE + SLACK)
        return err

    def test_a_cut_wire_is_noticed_on_both_sides(self):
        self.assertEqual(
            self.lose_the_host(self.hosts.cut),
            "gondwana run: host host-b was silent for 4 s; it counts as dead and the job "
            "is ended\n",
        )

    def test_a_host_that_vanishes_in_silence_is_noticed_on_both_sides(self):
        self.assertIn(
            "host host-b was silent for 4 s", self.lose_the_host(self.hosts.swallow)
        )

    def test_a_host_that_starts_anew_is_noticed(self):
        self.assertIn(
            "the connection to host host-b is lost, ssh ended with status 255",
            self.lose_the_host(self.hosts.reset),
        )

    def test_lost_packets_do_no_harm(self):
        self.hosts.lose(10)
        status, out, _ = self.run_job(*FAR, "seq", "20000")
        self.assertEqual((status, len(out.splitlines())), (0, 80000))


if __name__ == "__main__":
    if reason := two_hosts.why_not("nft"):
        print(reason)
        sys.exit(77)  # skipped, for CTest
    run_tests()
