"""Jobs on several hosts as users run them: `hosts_launcher_test.py GONDWANA`.

The launcher starts hosts called localhost without ssh. hosts_ssh_test.py tests how other hosts are reached.
"""

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from job_case import SLEEPER, WATCHDOG, JobTest, run_tests
from processes import children_of, command_line, eventually

SILENCE = 4  # seconds until a silent host counts as lost
TWO = ("--hosts", "localhost:2,localhost:2")
GIVE_UP = {"GONDWANA_PEER_TIMEOUT": str(SILENCE)}


class LocalHostsTest(JobTest):
    # Ranks.

    def test_ranks_are_numbered_through_all_hosts(self):
        status, out, err = self.run_job(
            *TWO, "-l", "sh", "-c", "echo $GONDWANA_RANK of $GONDWANA_SIZE"
        )
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(sorted(out.splitlines()), [f"[{rank}] {rank} of 4" for rank in range(4)])

    def test_ranks_fill_the_hosts_in_order_and_hosts_without_any_are_left_out(self):
        status, out, _ = self.run_job(
            "--hosts", "localhost:2,localhost:2,localhost:2", "-n", "3", "--show", "true"
        )
        self.assertEqual(status, 0)
        self.assertEqual(
            out,
            "ranks 0-1 on host localhost: GONDWANA_SIZE=3 true\n"
            "rank 2 on host localhost: GONDWANA_SIZE=3 true\n",
        )

    def test_several_programs_are_spread_over_hosts(self):
        status, out, _ = self.run_job(
            *TWO, "-l", "-n", "3", "echo", "a", ":", "-n", "1", "echo", "b"
        )
        self.assertEqual(status, 0)
        self.assertEqual(sorted(out.splitlines()), ["[0] a", "[1] a", "[2] a", "[3] b"])

    def test_a_file_names_hosts(self):
        path = self.write("hosts", "# two\nlocalhost slots=2  # here\n\nlocalhost:1\n")
        status, out, _ = self.run_job(
            "--hostfile", path, "sh", "-c", "echo $GONDWANA_RANK of $GONDWANA_SIZE"
        )
        self.assertEqual((status, sorted(out.splitlines())), (0, ["0 of 3", "1 of 3", "2 of 3"]))

    def test_one_host_that_is_this_one_needs_no_second_launcher(self):
        status, out, _ = self.run_job(
            "--hosts",
            "localhost:2",
            "sh",
            "-c",
            "echo $GONDWANA_SIZE; exec cat /proc/$PPID/cmdline",
        )
        self.assertEqual(status, 0)
        self.assertEqual(out.count("2\n"), 2)
        self.assertNotIn("--remote-launcher", out)

    def test_wrong_words_give_a_sentence(self):
        bad_slots = self.write("bad_slots", "localhost\nlocalhost slts=2\n")
        twice = self.write("twice", "localhost:2 slots=2\n")
        empty = self.write("empty", "# nobody\n")
        for words, sentence in [
            (["--hosts", "-oProxyCommand=x:2"], 'host -oProxyCommand=x: a name cannot begin with "-"'),
            (["--hosts", "localhost:2,,localhost"], "a host without a name"),
            (["--hosts", "a b:2"], "blanks"),
            (["--hosts", "localhost:x"], "expected a whole number"),
            (["--hosts", "localhost:0"], "expected a whole number"),
            (["--hosts", "fe80::1:4"], "brackets"),
            (
                ["--hosts", "localhost:2", "-n", "3"],
                "the hosts have slots for 2; give them more, such as localhost:3",
            ),
            (["--hosts", "localhost", "--hostfile", bad_slots], "hosts are given twice"),
            (["--hostfile", bad_slots], "bad_slots, line 2: slts=2: expected slots=NUMBER"),
            (["--hostfile", twice], "twice, line 1: host localhost:2: its ranks are given twice"),
            (["--hostfile", empty], "it names no host"),
            (["--hostfile", f"{self.folder}/none"], "cannot read it: No such file"),
            (["--hostfile", "/tmp"], "--hostfile /tmp: cannot read it: it is a directory, not a file"),
            (["--hostfile", "/dev/zero"], "/dev/zero: cannot read it: it is a device, not a file"),
            (["--hosts", ""], '-H,--host,--hosts "": its value is empty'),
            (["--hosts", "localhost,localhost", "--ppn", "2", "-n", "5"], "need 3 hosts, of which 2"),
        ]:
            status, out, err = self.run_job(*words, "true")
            self.assertEqual((status, out), (1, ""), words)
            self.assertIn(sentence, err)

    def test_a_wrong_peer_timeout_gives_a_sentence(self):
        status, _, err = self.run_job(*TWO, "true", env={"GONDWANA_PEER_TIMEOUT": "soon"})
        self.assertEqual(status, 1)
        self.assertIn('GONDWANA_PEER_TIMEOUT "soon": expected a whole number', err)

    def test_a_folder_that_is_gone_is_told(self):
        gone = f"{self.folder}/gone"
        os.mkdir(gone)
        job = self.start(*TWO, "true", cwd=gone, preexec_fn=lambda: os.rmdir(gone))
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 1)
        self.assertIn("cannot change to folder without a name, where the job was started", err)

    # Output and input.

    def test_long_lines_of_two_hosts_are_neither_torn_nor_lost(self):
        script = (
            "import os\n"
            "letter = chr(97 + int(os.environ['GONDWANA_RANK']))\n"
            "for _ in range(20): print(letter * 300000)"
        )
        status, out, _ = self.run_job(*TWO, sys.executable, "-c", script)
        self.assertEqual(status, 0)
        lines = out.splitlines()
        self.assertEqual(len(lines), 80)
        for rank in range(4):
            self.assertEqual(lines.count(chr(97 + rank) * 300000), 20)

    def test_a_slow_reader_gets_every_byte(self):
        job = self.start(*TWO, "seq", "300000", env=GIVE_UP)
        time.sleep(SILENCE + 1)  # all buffers are full; that must not count as silence
        out, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, err), (0, ""))
        self.assertEqual(len(out.splitlines()), 4 * 300000)

    def test_unfinished_last_lines_are_kept_apart(self):
        self.assertEqual(self.run_job(*TWO, "printf", "x")[1], "x\nx\nx\nx")

    def test_standard_error_stays_apart(self):
        _, out, err = self.run_job(*TWO, "-l", "sh", "-c", "echo a; echo b >&2")
        self.assertEqual(sorted(out.splitlines()), [f"[{rank}] a" for rank in range(4)])
        self.assertEqual(sorted(err.splitlines()), [f"[{rank}] b" for rank in range(4)])

    def test_output_goes_to_files_by_the_number_of_the_rank(self):
        folder = f"{self.folder}/new/logs"
        self.assertEqual(
            self.run_job(*TWO, "--output", folder, "sh", "-c", "echo $GONDWANA_RANK"), (0, "", "")
        )
        for rank in range(4):
            self.assertEqual(Path(f"{folder}/rank.{rank}.out").read_text(), f"{rank}\n")

    def test_input_goes_to_the_rank_that_reads(self):
        for reader in ("0", "3"):
            self.assertEqual(
                self.run_job(*TWO, "-l", "--stdin", reader, "cat", input="x\n"),
                (0, f"[{reader}] x\n", ""),
            )
        self.assertEqual(self.run_job(*TWO, "--stdin", "none", "cat", input="x\n"), (0, "", ""))

    def test_much_input_arrives_whole_from_files_and_pipes(self):
        text = "".join(f"{number}\n" for number in range(400000))
        path = self.write("input", text)
        with open(path) as file:
            self.assertEqual(self.run_job(*TWO, "--stdin", "2", "cat", stdin=file), (0, text, ""))
        self.assertEqual(self.run_job(*TWO, "--stdin", "2", "cat", input=text), (0, text, ""))

    def test_a_rank_that_reads_nothing_does_not_hold_the_job(self):
        self.assertEqual(self.run_job(*TWO, "true", input="x" * 1000000), (0, "", ""))

    def test_a_reader_that_leaves_ends_the_job_quietly(self):
        job = self.start(*TWO, "yes")
        self.assertEqual(job.stdout.readline(), "y\n")
        job.stdout.close()
        self.assertEqual(job.wait(timeout=WATCHDOG), 128 + signal.SIGPIPE)
        self.assertEqual(job.stderr.read(), "")

    # The end.

    def test_the_first_status_ends_all_hosts(self):
        status, _, err = self.run_job(
            *TWO, "sh", "-c", "[ $GONDWANA_RANK = 2 ] && exit 7; sleep 1000"
        )
        self.assertEqual(status, 7)
        self.assertRegex(
            err,
            r"^gondwana run: rank 2 on host \S+ \(pid \d+\) ended with status 7 before it "
            r"joined the job; the other 3 ranks are ended\n$",
        )

    def test_a_killed_rank_gives_128_and_the_signal(self):
        status, _, err = self.run_job(
            *TWO, "sh", "-c", "[ $GONDWANA_RANK = 3 ] && kill -SEGV $$; sleep 1000"
        )
        self.assertEqual(status, 128 + signal.SIGSEGV)
        self.assertRegex(err, r"rank 3 on host \S+ \(pid \d+\) was killed by SIGSEGV")

    def test_ranks_that_ignore_the_end_are_killed(self):
        script = "trap '' TERM; [ $GONDWANA_RANK = 0 ] && exit 3; while :; do sleep 0.1; done"
        start = time.monotonic()
        status, _, _ = self.run_job(*TWO, "sh", "-c", script)
        self.assertEqual(status, 3)
        self.assertLess(time.monotonic() - start, 30)  # and not for ever

    def test_a_missing_program_is_told_once(self):
        status, _, err = self.run_job(*TWO, "./nowhere")
        self.assertEqual(status, 127)
        self.assertRegex(err, r"^gondwana run: host \S+: there is no program ./nowhere\n$")

    def test_a_timeout_gives_124(self):
        status, _, err = self.run_job(*TWO, "--timeout", "0.5", "sleep", "1000")
        self.assertEqual((status, err.count("--timeout 0.5 s")), (124, 1))

    def test_signals_are_passed_on(self):
        script = "trap 'echo got; exit 0' USR1; echo ready; while :; do sleep 0.01; done"
        job = self.start_ready(*TWO, program=("sh", "-c", script))
        job.send_signal(signal.SIGUSR1)
        out, _ = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, out), (0, "got\n" * 4))

    def test_a_term_ends_the_job_with_143_and_no_complaint(self):
        job = self.start_ready(*TWO)
        job.send_signal(signal.SIGTERM)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, err), (128 + signal.SIGTERM, ""))

    def test_a_second_interrupt_kills_who_ignores_the_first(self):
        job = self.start_ready(
            *TWO, program=("sh", "-c", "trap '' INT TERM; echo ready; while :; do sleep 0.01; done")
        )
        job.send_signal(signal.SIGINT)
        time.sleep(0.2)  # two equal signals would merge into one
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)

    # Processes that are killed: the launcher, the conductor below it, the remote launchers below
    # that, and below each a sweeper and a guardian.

    def conductor_of(self, job):
        return children_of(job.pid)[0]

    def remote_launchers_of(self, job):
        return [
            pid
            for pid in children_of(self.conductor_of(job))
            if "--remote-launcher" in command_line(pid)
        ]

    def guardian_of(self, remote_launcher):
        sweeper = children_of(remote_launcher)[0]
        return children_of(sweeper)[0]

    def expect_nobody(self):
        self.assertTrue(
            eventually(lambda: not self.marked(), WATCHDOG),
            [command_line(pid) for pid in self.marked()],
        )

    def test_nobody_survives_the_launcher(self):
        job = self.start_ready(*TWO)
        os.kill(job.pid, signal.SIGKILL)
        self.expect_nobody()

    def test_nobody_survives_the_conductor(self):
        job = self.start_ready(*TWO)
        os.kill(self.conductor_of(job), signal.SIGKILL)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)
        self.assertRegex(
            err, r"the conductor of the job \(pid \d+\) was killed by SIGKILL; all ranks were ended"
        )
        self.expect_nobody()

    def test_a_killed_remote_launcher_ends_the_job(self):
        job = self.start_ready(*TWO)
        os.kill(self.remote_launchers_of(job)[1], signal.SIGKILL)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)
        self.assertRegex(err, r"the launcher on host \S+ was killed; its ranks are ended")
        self.expect_nobody()

    def test_an_end_of_one_host_ends_the_job_at_once(self):
        gives_nothing_away = ("sh", "-c", "trap 'exit 0' INT TERM; echo ready; while :; do sleep 0.01; done")
        for name, program in (("TERM", SLEEPER), ("INT", SLEEPER), ("TERM", gives_nothing_away)):
            with self.subTest(name, program=program):
                number = signal.Signals[f"SIG{name}"]
                job = self.start_ready(*TWO, program=program)
                os.kill(self.remote_launchers_of(job)[1], number)
                _, err = job.communicate(timeout=WATCHDOG)
                self.assertEqual(job.returncode, 128 + number)
                self.assertRegex(err, rf"^gondwana run: the launcher on host \S+ has received SIG{name}; the job is ended\n")

    def test_a_signal_to_all_processes_counts_once(self):
        # So do batch systems end a job. A second signal would kill the ranks at once.
        script = "trap 'sleep 0.5; echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done"
        job = self.start_ready(*TWO, program=("bash", "-c", script))
        launchers = self.remote_launchers_of(job)
        for pid in (self.guardian_of(launchers[1]), *launchers, self.guardian_of(launchers[0]), self.conductor_of(job), job.pid):
            os.kill(pid, signal.SIGTERM)
        out, _ = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, out.count("bye")), (128 + signal.SIGTERM, 4))
        self.expect_nobody()

    def test_a_guardian_or_conductor_that_is_told_to_end_ends_the_job_in_order(self):
        for pick in (self.conductor_of, lambda job: self.guardian_of(self.remote_launchers_of(job)[0])):
            job = self.start_ready(*TWO)
            os.kill(pick(job), signal.SIGTERM)
            job.communicate(timeout=WATCHDOG)
            self.assertEqual(job.returncode, 128 + signal.SIGTERM)
            self.expect_nobody()

    def test_a_killed_sweeper_is_told(self):
        job = self.start_ready(*TWO)
        os.kill(children_of(self.remote_launchers_of(job)[1])[0], signal.SIGKILL)
        self.assertRegex(job.stderr.readline(), r"the sweeper of the job \(pid \d+\) on host \S+ was killed; the job continues")
        job.send_signal(signal.SIGTERM)
        job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGTERM)

    def test_a_killed_guardian_ends_the_job(self):
        job = self.start_ready(*TWO)
        os.kill(self.guardian_of(self.remote_launchers_of(job)[1]), signal.SIGKILL)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)
        self.assertRegex(
            err,
            r"the connection to host localhost is lost, .*the guardian of the job \(pid \d+\) "
            r"was killed by SIGKILL; all ranks were ended; the job is ended\n$",
        )
        self.expect_nobody()

    def test_a_remote_launcher_that_stops_counts_as_dead(self):
        job = self.start_ready(*TWO, env=GIVE_UP)
        guardian = self.guardian_of(self.remote_launchers_of(job)[1])
        os.kill(guardian, signal.SIGSTOP)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 1)
        self.assertIn(f"host localhost was silent for {SILENCE} s; it counts as dead", err)
        self.expect_nobody()

    def test_a_conductor_that_stops_is_taken_for_dead_too(self):
        job = self.start_ready(*TWO, env=GIVE_UP)
        conductor = self.conductor_of(job)
        os.kill(conductor, signal.SIGSTOP)

        def ranks():
            return [pid for pid in self.marked() if command_line(pid).startswith("sleep")]

        self.assertTrue(eventually(lambda: not ranks(), WATCHDOG))
        os.kill(conductor, signal.SIGCONT)
        job.communicate(timeout=WATCHDOG)
        self.assertNotEqual(job.returncode, 0)


if __name__ == "__main__":
    run_tests()
