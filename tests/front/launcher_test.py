"""The launcher as users run it: `launcher_test.py GONDWANA RANK_PROGRAM`."""

import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import WATCHDOG, read_line, run_tests, take_path
from launcher_case import LauncherCase
from processes import children_of, eventually, state_of

RANK = ""


class LauncherTest(LauncherCase):
    # Exit status.

    def test_a_job_that_ends_well_is_silent_and_zero(self):
        self.assertEqual(self.run_job("-n", "4", "true"), (0, "", ""))

    def test_the_status_is_the_first_that_is_not_zero(self):
        status, _, err = self.run_job("-n", "3", "sh", "-c", "[ $GONDWANA_RANK = 1 ] && exit 7; sleep 100")
        self.assertEqual(status, 7)
        self.assertRegex(err, r"^gondwana run: rank 1 on host \S+ \(pid \d+\) ended with status 7 before "
                              r"it joined the job; the other 2 ranks are ended\n$")

    def test_the_status_of_a_killed_rank_is_128_and_the_signal(self):
        status, _, err = self.run_job("-n", "2", RANK, "raise 11")
        self.assertEqual(status, 128 + signal.SIGSEGV)
        self.assertIn("was killed by SIGSEGV (Segmentation fault", err)

    def test_a_timeout_gives_124(self):
        status, _, err = self.run_job("-n", "2", "--timeout", "0.2", "sleep", "100")
        self.assertEqual(status, 124)
        self.assertIn("--timeout 0.2 s", err)

    def test_a_missing_program_gives_127_and_advice(self):
        self.write("heat", "", 0o755)
        status, _, err = self.run_job("-n", "2", "./hea", cwd=self.folder)
        self.assertEqual(status, 127)
        self.assertIn("there is no program ./hea; did you mean ./heat?", err)
        status, _, err = self.run_job("-n", "2", "heat", cwd=self.folder)
        self.assertEqual(status, 127)
        self.assertIn("write ./heat", err)

    def test_a_file_that_cannot_be_run_gives_126(self):
        path = self.write("data", "no program\n")
        status, _, err = self.run_job(path)
        self.assertEqual(status, 126)
        self.assertIn("chmod +x", err)
        if "TSAN_OPTIONS" in os.environ:
            return  # it makes vfork a fork: the child cannot say why exec failed
        os.chmod(path, 0o755)
        status, _, err = self.run_job(path)
        self.assertEqual(status, 126)
        self.assertIn("#!", err)

    def test_wrong_words_give_a_sentence(self):
        for words, sentence in [
            (["--lable", "true"], "--lable is not an option; did you mean --label?"),
            (["--ntasks", "4", "true"], "--ntasks is not an option; did you mean -n N?"),
            (["-env", "A=1", "true"], "-env is not an option; did you mean -x NAME=VALUE?"),
            (["4", "true"], "there is no program 4 in PATH; for 4 ranks write -n 4"),
            (["-n", "0", "true"], '-n "0": expected a whole number'),
            (["-n", "2"], "no program to run"),
            (["--ppn", "2", "-n", "3", "true"], "3 ranks, 2 on each host, need 2 hosts, of which 1 is given"),
            (["--map-by", "node", "true"], "--map-by node: ranks of a host have consecutive numbers"),
            (["--timeout", "5x", "true"], '--timeout "5x": expected a time'),
            (["-n", "", "true"], '-n,--np "": its value is empty'),
            (["--heap", "", "true"], '--heap "": its value is empty'),
            (["--heap", "8q", "true"], '--heap "8q": expected a size'),
            (["--bind-to", "moon", "true"], "--bind-to moon: expected"),
            (["-n", "2", "--stdin", "2", "true"], "this job has ranks 0 to 1"),
            (["-n", "1", "true", ":", "true"], "-n is missing"),
        ]:
            status, out, err = self.run_job(*words)
            self.assertEqual((status != 0, out), (True, ""), words)
            self.assertIn(sentence, err)

    # Words.

    def test_the_version_is_that_of_the_command(self):
        self.assertRegex(self.run_job("--version")[1], r"^gondwana \d+\.\d+")

    def test_a_time_may_have_a_unit(self):
        status, _, err = self.run_job("-n", "1", "--timeout", "0.005m", "sleep", "100")
        self.assertEqual(status, 124)
        self.assertIn("--timeout 0.3 s", err)

    def test_mpirun_spellings_are_understood(self):
        status, out, _ = self.run_job("--oversubscribe", "--allow-run-as-root", "-np", "2", "-wdir", "/",
                                      "sh", "-c", "pwd")
        self.assertEqual((status, out), (0, "/\n/\n"))

    def test_options_end_at_the_program(self):
        status, out, _ = self.run_job("-n1", "echo", "-n", "--label", "x")
        self.assertEqual((status, out), (0, "--label x"))
        status, out, _ = self.run_job("-n1", "--", "echo", "y")
        self.assertEqual((status, out), (0, "y\n"))

    def test_variables_are_set_for_the_program_they_stand_before(self):
        status, out, _ = self.run_job("-l", "-n", "1", "-x", "A=1", "sh", "-c", "echo $A $GONDWANA_SIZE",
                                      ":", "-n", "2", "-x", "A=b c", "sh", "-c", "echo $A $GONDWANA_SIZE")
        self.assertEqual(status, 0)
        self.assertEqual(sorted(out.splitlines()), ["[0] 1 3", "[1] b c 3", "[2] b c 3"])

    def test_a_profile_is_preloaded_before_what_is_preloaded_already(self):
        status, out, err = self.run_job("--show", "-n", "1", "--profile", "-x", "LD_PRELOAD=/a/b.so", "true")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"LD_PRELOAD=\S*/libgondwana_shmem_profile\.so:/a/b\.so ")

    def test_show_runs_nothing(self):
        status, out, _ = self.run_job("--show", "-n", "2", "-x", "A=b c", "touch", f"{self.folder}/f")
        self.assertEqual((status, os.listdir(self.folder)), (0, []))
        self.assertIn("ranks 0-1: GONDWANA_SIZE=2 'A=b c' touch", out)

    def test_bindings_are_reported_and_hold(self):
        status, out, err = self.run_job("-n", "2", "--bind-to", "core", "--report-bindings", "sh", "-c",
                                        "grep Cpus_allowed_list /proc/self/status")
        self.assertEqual(status, 0, err)
        self.assertEqual(len(re.findall(r"rank \d on host \S+ is bound to core \d+", err)), 2)
        self.assertEqual(len(out.splitlines()), 2)

    # Output and input.

    def test_labels_stand_before_each_line(self):
        _, out, _ = self.run_job("-n", "2", "--label", "sh", "-c", "echo a; echo b; printf c")
        for rank in range(2):
            mine = [line[4:] for line in out.splitlines() if line.startswith(f"[{rank}] ")]
            self.assertEqual(mine, ["a", "b", "c"])
        self.assertEqual(len(out.splitlines()), 6)

    def test_times_stand_before_each_line(self):
        _, out, _ = self.run_job("-n", "1", "--timestamp-output", "-l", "echo", "a")
        self.assertRegex(out, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3} \[0\] a\n$")

    def test_long_lines_of_8_ranks_are_neither_torn_nor_lost(self):
        status, out, _ = self.run_job("-n", "8", RANK, "lines 100000")
        self.assertEqual(status, 0)
        lines = out.splitlines()
        for rank in range(8):
            self.assertEqual(lines.count(chr(ord("a") + rank) * 100000), 20)
        self.assertEqual(len(lines), 8 * 20)

    def test_a_slow_reader_gets_every_byte(self):
        job = self.start("-n", "2", RANK, "lines 200000", stderr=subprocess.STDOUT)
        time.sleep(0.3)  # all buffers are full now
        out, _ = job.communicate(timeout=WATCHDOG)
        self.assertEqual(sorted(set(out.splitlines())), ["a" * 200000, "b" * 200000])
        self.assertEqual(len(out), 2 * 20 * 200001)

    def test_unfinished_last_lines_are_kept_apart(self):
        _, out, _ = self.run_job("-n", "2", "printf", "x")
        self.assertEqual(out, "x\nx")

    def test_output_goes_to_files_where_asked(self):
        folder = f"{self.folder}/new/logs"
        status, out, err = self.run_job("-n", "2", "--output", folder, "sh", "-c",
                                        "echo out $GONDWANA_RANK; echo err >&2")
        self.assertEqual((status, out, err), (0, "", ""))
        self.assertEqual(sorted(os.listdir(folder)),
                         ["rank.0.err", "rank.0.out", "rank.1.err", "rank.1.out"])
        with open(f"{folder}/rank.1.out") as file:
            self.assertEqual(file.read(), "out 1\n")

    def test_standard_error_stays_apart(self):
        self.assertEqual(self.run_job("-n", "1", "sh", "-c", "echo a; echo b >&2"), (0, "a\n", "b\n"))

    SAYS = """echo ready; while [ ! -e "$0/go" ]; do sleep 0.01; done
              echo "gondwana: rank $GONDWANA_RANK: no room for it" >&2; echo "word of $GONDWANA_RANK" >&2
              touch "$0/$GONDWANA_RANK"; while [ ! -e "$0/end" ]; do sleep 0.01; done"""

    def errors_of(self, *words, reader):
        """What ranks have said while `reader`, which is to put it together, did not run."""
        for name in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, name))
        job = super(LauncherCase, self).start_ready(*words, program=("sh", "-c", self.SAYS, self.folder))
        os.kill(reader(job), signal.SIGSTOP)
        Path(self.folder, "go").touch()
        self.assertTrue(eventually(lambda: set("0123") <= set(os.listdir(self.folder))))
        time.sleep(0.1)
        os.kill(reader(job), signal.SIGCONT)
        time.sleep(0.3)
        Path(self.folder, "end").touch()
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 0)
        return err.splitlines()

    def test_the_same_error_of_many_ranks_is_one_line_before_others(self):
        hosts = ("--hosts", "localhost:2,localhost:2")
        for words, reader in ((("-n", "4"), self.guardian_of), (hosts, lambda job: children_of(job.pid)[0])):
            first, *others = self.errors_of(*words, reader=reader)
            self.assertEqual(first, "gondwana: ranks 0-3: no room for it")
            self.assertEqual(sorted(others), [f"word of {rank}" for rank in range(4)])
        _, _, err = self.run_job("-l", "-n", "2", "sh", "-c", 'echo "gondwana: rank $GONDWANA_RANK: no room" >&2')
        self.assertEqual(sorted(err.splitlines()),
                         ["[0] gondwana: rank 0: no room", "[1] gondwana: rank 1: no room"])

    def test_long_sentences_are_broken_at_words_on_a_terminal_only(self):
        words = ("--timeout", "0.2", "-n", "1", "sleep", "60")
        _, _, whole = self.run_job(*words)
        ours, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        job = self.start(*words, stderr=terminal)
        os.close(terminal)
        self.addCleanup(os.close, ours)
        job.wait(WATCHDOG)
        lines = os.read(ours, 4096).decode().split("\r\n")
        self.assertEqual(" ".join(line.strip() for line in lines).strip(), whole.strip())
        self.assertGreater(len(lines), 2)
        self.assertLessEqual(max(map(len, lines)), 40)

    def test_input_goes_to_rank_0_only(self):
        _, out, _ = self.run_job("-n", "3", "-l", "cat", input="hello\n")
        self.assertEqual(out, "[0] hello\n")

    def test_input_goes_to_the_rank_asked_for_or_to_none(self):
        self.assertEqual(self.run_job("-n", "2", "-l", "--stdin", "1", "cat", input="x\n")[1], "[1] x\n")
        self.assertEqual(self.run_job("-n", "2", "--stdin", "none", "cat", input="x\n")[1], "")

    def test_a_reader_that_leaves_ends_the_job_quietly(self):
        job = self.start("-n", "2", "yes", stderr=subprocess.PIPE)
        self.assertEqual(job.stdout.readline(), "y\n")
        job.stdout.close()
        self.assertEqual(job.wait(timeout=WATCHDOG), 128 + signal.SIGPIPE)
        self.assertEqual(job.stderr.read(), "")

    def test_a_reader_that_leaves_after_the_ranks_have_ended_ends_the_job(self):
        # Each writes less than its pipe holds, all together more than the launcher reads at once.
        job = self.start("-n", "24", "sh", "-c", "yes | head -c 60000")
        launcher = {job.pid, self.sweeper_of(job), self.guardian_of(job)}
        self.assertTrue(eventually(lambda: set(self.marked()) == launcher))
        job.stdout.close()
        self.assertEqual(job.wait(timeout=WATCHDOG), 128 + signal.SIGPIPE)
        self.assertEqual(job.stderr.read(), "")

    def test_a_full_disk_is_told_once(self):
        with open("/dev/full", "w") as full:
            status, _, err = self.run_job("-n", "2", "sh", "-c", "echo a; echo b", stdout=full)
        self.assertEqual(status, 1)
        self.assertEqual(err.count("No space left on device"), 1)

    def test_a_closed_output_is_told(self):
        command = [job_case.GONDWANA, "run", "-n", "1", "echo", "a"]
        done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True,
                              env=self.environment(), timeout=WATCHDOG, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to the standard output", done.stderr)

    def test_an_error_that_nobody_can_read_keeps_its_status(self):
        for stream in ("2>&-", "2>/dev/full"):
            with self.subTest(stream=stream):
                command = [job_case.GONDWANA, "run", "-n", "1", "/no/such/program"]
                done = subprocess.run(["sh", "-c", f'"$@" {stream}', "sh", *command],
                                      env=self.environment(), timeout=WATCHDOG, check=False)
                self.assertEqual(done.returncode, 127)

    def test_a_prompt_is_shown_on_a_terminal_and_answered(self):
        ours, terminal = pty.openpty()

        def own_terminal():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        job = self.start("-n", "2", "sh", "-c",
                         'if [ $GONDWANA_RANK = 0 ]; then printf "name? "; read name; echo "it is $name"; fi',
                         stdin=terminal, stdout=terminal, stderr=terminal, text=False,
                         start_new_session=True, preexec_fn=own_terminal)
        os.close(terminal)
        self.addCleanup(os.close, ours)
        seen = b""

        def read_until(text):
            nonlocal seen
            while text not in seen:
                self.assertTrue(select.select([ours], [], [], WATCHDOG)[0], seen)
                seen += os.read(ours, 4096)

        read_until(b"name? ")
        os.write(ours, b"Pangaea\n")
        read_until(b"it is Pangaea")
        self.assertEqual(job.wait(timeout=WATCHDOG), 0)

    # Signals.

    def test_signals_are_passed_on(self):
        script = "trap 'echo got; exit 0' USR1; echo ready; while :; do sleep 0.01; done"
        job = self.start_ready(2, "sh", "-c", script)
        job.send_signal(signal.SIGUSR1)
        out, _ = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, out), (0, "got\ngot\n"))

    def test_a_term_ends_the_job_with_143_and_no_complaint(self):
        job = self.start_ready(2, RANK, "say ready", "sleep 1000")
        job.send_signal(signal.SIGTERM)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, err), (128 + signal.SIGTERM, ""))

    HANG = ("-n", "3", "sh", "-c",
            'wait="wait shmem_barrier_all"; [ $GONDWANA_RANK = 1 ] && wait="sleep 1000"; '
            'exec "$0" join running share "say ready" "$wait"')
    WHERE = "gondwana run: ranks 0, 2 wait in shmem_barrier_all; rank 1 is outside any blocking call\n"

    def start_hang(self):
        job = self.start(*self.HANG, RANK)
        self.assertEqual([read_line(job.stdout) for _ in range(3)], ["ready\n"] * 3)
        time.sleep(0.2)  # the ranks print before they wait
        return job

    def test_a_term_tells_where_the_ranks_are(self):
        job = self.start_hang()
        job.send_signal(signal.SIGTERM)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, err), (128 + signal.SIGTERM, self.WHERE))

    def test_a_question_is_answered_and_the_job_goes_on(self):
        job = self.start_hang()
        for _ in range(2):
            job.send_signal(signal.SIGUSR1)
            self.assertEqual(read_line(job.stderr), self.WHERE)
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(timeout=WATCHDOG), 128 + signal.SIGTERM)

    WHY = (r"gondwana run: rank 1 keeps the others waiting: it \w+ in the program, .*; "
           r"ranks 0, 2 wait in shmem_barrier_all for .*\njob ")

    def test_a_timeout_tells_which_rank_keeps_the_others_waiting(self):
        job = self.start("--timeout", "3", *self.HANG, RANK)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 124)
        self.assertRegex(err[err.index("\n") + 1:], "^" + self.WHY)

    def test_a_quit_or_an_interrupt_tells_which_rank_keeps_the_others_waiting(self):
        for number in (signal.SIGQUIT, signal.SIGINT):
            job = self.start_hang()
            job.send_signal(number)
            _, err = job.communicate(timeout=WATCHDOG)
            self.assertRegex(err, "^" + self.WHY)
            self.assertEqual(job.returncode, 128 + number)

    def test_a_second_interrupt_does_not_wait_for_what_is_to_be_told(self):
        job = self.start_hang()
        guardian = self.guardian_of(job)
        os.kill(guardian, signal.SIGSTOP)  # until both have come
        job.send_signal(signal.SIGINT)
        time.sleep(0.1)  # two equal signals would merge into one
        job.send_signal(signal.SIGINT)
        time.sleep(0.1)
        os.kill(guardian, signal.SIGCONT)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertIn(job.returncode, (128 + signal.SIGINT, 128 + signal.SIGKILL))
        self.assertEqual(err, "")

    def test_a_second_interrupt_kills_who_ignores_the_first(self):
        job = self.start_ready(2, RANK, "ignore 2", "ignore 15", "say ready", "sleep 1000")
        job.send_signal(signal.SIGINT)
        time.sleep(0.1)  # two equal signals would merge into one
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)

    def test_stop_and_continue_reach_the_ranks(self):
        job = self.start_ready(1, RANK, "say ready", "sleep 1")
        rank = children_of(self.guardian_of(job))[0]
        job.send_signal(signal.SIGTSTP)
        self.assertTrue(eventually(lambda: state_of(job.pid) == "T" and state_of(rank) == "T"))
        job.send_signal(signal.SIGCONT)
        self.assertEqual(job.wait(timeout=WATCHDOG), 0)

    # Limits.

    def test_ranks_for_which_there_is_no_room_are_refused_before_the_first_starts(self):
        for ranks in (7000, 100_000):
            status, out, err = self.run_job("-n", str(ranks), "echo", "x", preexec_fn=self.limited(4096))
            self.assertEqual((status, out), (1, ""))
            self.assertRegex(err, r"^gondwana run: \d+ ranks .*; no process was started\n$")

    def limited(self, most, what=resource.RLIMIT_NOFILE):
        return lambda: resource.setrlimit(what, (most, most))

    def test_too_few_descriptors_are_refused_with_the_number_that_is_enough(self):
        for words in ([], ["--output", self.folder]):
            def run(most, words=words):
                status, _, err = self.run_job(*words, "-n", "8", RANK, "join", "running", "share", "finalize",
                                              preexec_fn=self.limited(most))
                return status, err

            refusal = r"ranks need (\d+) file descriptors, \d+ are allowed: raise ulimit -n; no process was started\n$"
            status, err = run(20)
            self.assertRegex(err, refusal)
            enough = int(re.search(refusal, err).group(1))
            self.assertEqual(run(enough), (0, ""))
            status, err = run(enough - 1)
            self.assertEqual(status, 1)
            self.assertRegex(err, refusal)

    def test_too_few_descriptors_for_programs_below_shells_give_words(self):
        status, _, err = self.run_job("-n", "8", "sh", "-c", '"$0" join running "wait shmem_init"; true', RANK,
                                      preexec_fn=self.limited(53))
        self.assertEqual(status, 1)
        self.assertIn("raise ulimit -n", err)

    def test_a_limit_of_file_sizes_gives_words(self):
        limit = self.limited(1 << 16, resource.RLIMIT_FSIZE)
        status, _, err = self.run_job("-n", "2", RANK, "join", preexec_fn=limit)
        self.assertEqual(status, 1)
        self.assertRegex(err, r"cannot extend shared memory to .*: .*ulimit -f")

    def test_a_soft_limit_of_file_sizes_does_not_count_for_shared_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, resource.RLIM_INFINITY))

        status, _, err = self.run_job("-n", "2", RANK, "join", "running", "share", "finalize", preexec_fn=limit)
        self.assertEqual((status, err), (0, ""))
        _, out, _ = self.run_job("-n", "1", "sh", "-c", "ulimit -f", preexec_fn=limit)
        self.assertEqual(out, f"{(1 << 16) // 512}\n")

    def test_a_stack_of_64_kib_is_enough(self):
        limit = self.limited(64 << 10, resource.RLIMIT_STACK)
        self.assertEqual(self.run_job("-n", "2", "echo", "x", preexec_fn=limit), (0, "x\nx\n", ""))

    def test_a_smaller_stack_is_refused_before_the_first_process_starts(self):
        for hosts in ([], ["--hosts", "localhost:1,localhost:1"]):
            for size in (48, 24):
                limit = self.limited(size << 10, resource.RLIMIT_STACK)
                self.assertEqual(self.run_job(*hosts, "-n", "2", "echo", "x", preexec_fn=limit),
                                 (1, "", f"gondwana: a stack of {size} KiB is too small: raise ulimit -s to at least 64; no process was started\n"))

    def test_ranks_get_the_limit_of_descriptors_that_the_launcher_had(self):
        soft = min(200, resource.getrlimit(resource.RLIMIT_NOFILE)[1])

        def lower():
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

        _, out, _ = self.run_job("-n", "1", "sh", "-c", "ulimit -n", preexec_fn=lower)
        self.assertEqual(out, f"{soft}\n")

    def test_ranks_inherit_nothing_of_the_launcher_but_their_socket(self):
        _, out, _ = self.run_job("-n", "3", "ls", "/proc/self/fd")
        self.assertEqual(len(out.splitlines()), 3 * 5)  # 0, 1, 2, the socket, and the folder itself

    def test_ranks_start_with_fresh_signals(self):
        job = self.run_job("-n", "1", "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status",
                           preexec_fn=lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN))
        self.assertEqual(job[1].split(), ["SigBlk:", "0" * 16, "SigIgn:", "0" * 16])


if __name__ == "__main__":
    RANK = take_path(2)
    run_tests()
