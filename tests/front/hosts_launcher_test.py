"""Jobs on several hosts as users run them: `hosts_launcher_test.py GONDWANA`.

The launcher starts hosts called localhost without ssh; a stand-in for ssh records its arguments.
two_hosts_launcher_test.py tests real ssh between two hosts.
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
            (["--hosts", "-oProxyCommand=x:2"], 'host -oProxyCommand=x: no name begins with "-"'),
            (["--hosts", "localhost:2,,localhost"], "a host without a name"),
            (["--hosts", "a b:2"], "blanks"),
            (["--hosts", "localhost:x"], "expected a whole number"),
            (["--hosts", "localhost:0"], "expected a whole number"),
            (["--hosts", "fe80::1:4"], "brackets"),
            (
                ["--hosts", "localhost:2", "-n", "3"],
                "the hosts have room for 2; give them more, such as localhost:3",
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
                self.assertRegex(err, rf"^gondwana run: the launcher on host \S+ has got SIG{name}; the job is ended\n")

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
        self.assertRegex(job.stderr.readline(), r"the sweeper of the job \(pid \d+\) on host \S+ was killed; the job goes on")
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
        self.assertIn(f"host localhost has said nothing for {SILENCE} s; it counts as dead", err)
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


class AllocationTest(JobTest):
    """In an allocation of a batch system. A stand-in for srun runs its commands here."""

    def srun(self):
        text = (
            f'#!/bin/sh\necho "$*" >>{self.folder}/srun_words\n'
            'while [ "$1" != -w ]; do shift; done\nshift 2\nexec "$@"\n'
        )
        self.write("srun", text, 0o755)
        return {"PATH": f"{self.folder}:{os.environ['PATH']}"}

    def test_slurm_gives_hosts_and_ranks_and_srun_starts_them(self):
        slurm = {"SLURM_JOB_NODELIST": "elsewhere[1-2]", "SLURM_TASKS_PER_NODE": "2,1"}
        script = ("-l", "sh", "-c", "echo of $GONDWANA_SIZE")
        status, out, err = self.run_job(*script, env={**slurm, **self.srun()})
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(sorted(out.splitlines()), [f"[{rank}] of 3" for rank in range(3)])
        words = Path(f"{self.folder}/srun_words").read_text().splitlines()
        for node, line in zip((1, 2), sorted(words), strict=True):
            self.assertRegex(line, rf"-N1 -n1 .*-w elsewhere{node} \S+ run --remote-launcher$")

    def show(self, *words, **variables):
        status, out, err = self.run_job("--show", *words, "true", env=variables)
        self.assertEqual((status, err), (0, ""))
        return [line.partition(":")[0] for line in out.splitlines()]

    def test_an_allocation_is_the_hosts_unless_others_are_given(self):
        path = self.write("nodes", "a\na\nb\n")
        for variables in ({"PBS_NODEFILE": path}, {"LSB_MCPU_HOSTS": "a 2 b 1"}):
            with self.subTest(**variables):
                expected = ["ranks 0-1 on host a", "rank 2 on host b"]
                self.assertEqual(self.show(**variables), expected)
                expected = ["ranks 0-3 on host a", "rank 4 on host b"]
                self.assertEqual(self.show("-n", "5", **variables), expected)
                expected = ["ranks 0-2 on host a", "ranks 3-5 on host b"]
                self.assertEqual(self.show("--ppn", "3", **variables), expected)
                self.assertEqual(self.show("--hosts", "localhost", **variables), ["rank 0"])

    def test_ranks_on_each_host_are_counted_as_mpirun_does(self):
        hosts = ("--hosts", "a:7,b:7")
        for words in (("-N", "2"), ("-ppn", "2"), ("--npernode=2",), ("--map-by", "ppr:2:node")):
            expected = ["ranks 0-1 on host a", "ranks 2-3 on host b"]
            self.assertEqual(self.show(*hosts, *words), expected, words)
            self.assertEqual(self.show(*hosts, *words, "-n", "1"), ["rank 0 on host a"], words)
        expected = ["ranks 0-6 on host a", "rank 7 on host b"]
        self.assertEqual(self.show(*hosts, "--map-by", "slot:OVERSUBSCRIBE", "-n", "8"), expected)
        self.assertEqual(self.show("--ppn", "2"), ["ranks 0-1"])


class StandInTest(JobTest):
    """With a stand-in for ssh, which runs its commands here."""

    HOSTS = ("--hosts", "localhost:1,elsewhere:1")

    def stand_in(self, before=""):
        text = (
            f"#!/bin/sh\n{before}\n"
            f'while [ "$1" != -- ]; do echo "$1" >>{self.folder}/options; shift; done\n'
            f'shift; echo "$1" >>{self.folder}/host; shift; exec sh -c "$*"\n'
        )
        return {"GONDWANA_SSH": f"{self.write('ssh', text, 0o755)} one two"}

    def test_ssh_is_called_with_options_then_two_dashes_then_the_host(self):
        status, out, err = self.run_job(*self.HOSTS, "-l", "echo", "x", env=self.stand_in())
        self.assertEqual((status, sorted(out.splitlines()), err), (0, ["[0] x", "[1] x"], ""))
        self.assertEqual(Path(f"{self.folder}/host").read_text(), "elsewhere\n")
        options = Path(f"{self.folder}/options").read_text().split()
        self.assertEqual(options[:2], ["one", "two"])
        self.assertIn("-oBatchMode=yes", options)

    def test_words_and_variables_arrive_as_they_are(self):
        words = ["a b", "$HOME", "it's", '"', "\\", "", "*", "\n"]
        script = "import sys, os; print(sys.argv[1:], os.environ['ODD'])"
        _, out, _ = self.run_job(
            *self.HOSTS,
            "-x",
            "ODD=a 'b' $c",
            sys.executable,
            "-c",
            script,
            *words,
            env=self.stand_in(),
        )
        self.assertEqual(out, f"{words} a 'b' $c\n" * 2)

    def test_only_variables_of_ours_and_those_asked_for_go_to_other_hosts(self):
        env = self.stand_in("unset SHMEM_A GASNET_B UPCXX_C FI_D OTHER_E OTHER_F")
        env.update({"SHMEM_A": "1", "GASNET_B": "2", "UPCXX_C": "3", "FI_D": "4"})
        env.update({"OTHER_E": "5", "OTHER_F": "6"})
        _, out, _ = self.run_job(
            *self.HOSTS,
            "-x",
            "OTHER_F",
            "sh",
            "-c",
            "[ $GONDWANA_RANK = 0 ] || echo $SHMEM_A $GASNET_B $UPCXX_C $FI_D $OTHER_E $OTHER_F",
            env=env,
        )
        self.assertEqual(out, "1 2 3 4 6\n")

    def test_nothing_secret_stands_on_a_command_line(self):
        job = self.start_ready(
            *self.HOSTS, "-x", "SECRET=for nobody else", ranks=2, env=self.stand_in()
        )
        lines = [command_line(pid) for pid in self.marked()]
        self.assertTrue(lines)
        self.assertEqual(
            [line for line in lines if "for nobody else" in line and " -x " not in line], []
        )
        job.send_signal(signal.SIGTERM)
        job.communicate(timeout=WATCHDOG)

    def test_what_a_shell_says_at_login_is_quoted(self):
        status, out, err = self.run_job(
            *self.HOSTS, "true", env=self.stand_in("echo Welcome to elsewhere")
        )
        self.assertEqual((status, out), (1, ""))
        self.assertIn(
            "host elsewhere: a message between the hosts of the job is not one of ours: "
            '"Welcome to elsewhere"; does a start file of the shell there print something?',
            err,
        )

    def test_no_connection_tells_what_ssh_said(self):
        consequence = "client_loop: send disconnect: Broken pipe"
        env = self.stand_in(f"echo 'ssh: no route to elsewhere' >&2; echo '{consequence}' >&2; exit 255")
        status, _, err = self.run_job(*self.HOSTS, "sleep", "1000", env=env)
        self.assertEqual(status, 1)
        self.assertEqual(
            err, "gondwana run: host elsewhere: ssh cannot connect: ssh: no route to elsewhere\n"
        )

    def test_a_missing_command_there_gives_advice(self):
        env = {**self.stand_in(), "GONDWANA_REMOTE_PATH": "/no where/gondwana"}
        status, _, err = self.run_job(*self.HOSTS, "sleep", "1000", env=env)
        self.assertEqual(status, 1)
        self.assertRegex(
            err,
            r"host elsewhere: cannot start the remote launcher, ssh ended with status 127: "
            r".*/no where/"
            r"gondwana.*GONDWANA_REMOTE_PATH",
        )

    def test_a_missing_ssh_gives_a_sentence(self):
        status, _, err = self.run_job(*self.HOSTS, "sleep", "1000", env={"GONDWANA_SSH": "/no/ssh"})
        self.assertEqual(status, 1)
        self.assertIn("host elsewhere: cannot run /no/ssh: No such file or directory", err)

    def test_a_silent_ssh_counts_as_dead(self):
        env = {**self.stand_in("exec sleep 1000"), **GIVE_UP}
        status, _, err = self.run_job(*self.HOSTS, "sleep", "1000", env=env)
        self.assertEqual(status, 1)
        self.assertIn("host elsewhere has said nothing for 20 s since ssh was started", err)

    def test_a_folder_that_is_missing_there_is_told(self):
        env = self.stand_in('mv "$PWD" "$PWD.gone"; cd /')
        os.mkdir(f"{self.folder}/work")
        hosts = ("--hosts", "elsewhere:2")
        status, _, err = self.run_job(
            *hosts, "sleep", "1000", env=env, cwd=f"{self.folder}/work"
        )
        self.assertEqual(status, 1)
        self.assertRegex(
            err,
            r"host \S+: cannot change to folder \S+/work, where the job was started: No such file",
        )


if __name__ == "__main__":
    run_tests()
