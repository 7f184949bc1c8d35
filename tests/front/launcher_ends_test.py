"""How ranks join a job of the launcher, and how they end: `launcher_ends_test.py GONDWANA RANK_PROGRAM`."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from job_case import WATCHDOG, run_tests, take_path
from launcher_case import LauncherCase
from processes import busy_processors, children_of, has_address_sanitizer, read_proc

RANK = ""


# A program that needs a processor for some seconds.
COMPUTES = "import sys, time\nwhile time.process_time() < float(sys.argv[1]): pass"


class LauncherEndsTest(LauncherCase):
    # Joining.

    def test_ranks_that_join_share_memory(self):
        for ranks in (1, 2, 7):
            self.assertEqual(
                self.run_job("-n", str(ranks), RANK, "join", "running", "share", "finalize"), (0, "", ""))

    def test_a_rank_may_join_again_until_it_runs(self):
        status, _, err = self.run_job("-n", "2", "sh", "-c",
                                      '"$0" join exit\\ 0; exec "$0" join running share finalize', RANK)
        self.assertEqual((status, err), (0, ""))

    def test_a_rank_may_join_after_another_that_took_nothing(self):
        status, _, err = self.run_job("-n", "3", "sh", "-c",
                                      '"$0" join_half; exec "$0" join running share finalize', RANK)
        self.assertEqual((status, err), (0, ""))

    def test_a_rank_may_not_join_again_after_it_ran(self):
        status, _, err = self.run_job("-n", "1", "sh", "-c",
                                      '"$0" join running finalize; exec "$0" join running finalize', RANK)
        self.assertEqual(status, 1)
        self.assertIn("rank 0 asked to join the job a second time", err)

    def test_a_global_exit_gives_the_status_of_the_job(self):
        status, _, err = self.run_job("-n", "3", "sh", "-c",
                                      'if [ $GONDWANA_RANK = 1 ]; then exec "$0" join running "global_exit 42" '
                                      '"sleep 100"; else exec "$0" join running "wait shmem_barrier_all"; fi', RANK)
        self.assertEqual((status, err), (42, ""))

    def test_a_status_after_finalize_ends_nobody(self):
        status, _, err = self.run_job("-n", "2", "sh", "-c",
                                      'exec "$0" join running share finalize "exit $GONDWANA_RANK"', RANK)
        self.assertEqual((status, err), (1, ""))

    def test_the_others_do_not_wait_for_a_rank_that_ended_unjoined(self):
        status, _, err = self.run_job("-n", "2", "sh", "-c",
                                      '[ $GONDWANA_RANK = 1 ] || exec "$0" join running "wait shmem_init"', RANK)
        self.assertEqual(status, 1)
        self.assertRegex(err, r"rank 1 .*before it joined the job")

    def test_a_program_that_calls_no_door_may_end_with_0(self):
        script = '[ $GONDWANA_RANK = 1 ] && exit 0; exec "$0" join_half'
        status, out, err = self.run_job("-n", "3", "sh", "-c", script, RANK)
        self.assertEqual((status, out), (0, ""))
        self.assertEqual(err, "gondwana run: ranks 0, 2 ended without a call of shmem_init or gex_Client_Init\n")
        script = '[ $GONDWANA_RANK = 1 ] && exit 7; exec "$0" join_half'
        self.assertEqual(self.run_job("-n", "3", "sh", "-c", script, RANK)[0], 7)

    def test_a_program_of_another_runtime_is_named(self):
        other = str(Path(RANK).parent / "launcher_other")
        status, out, err = self.run_job("-n", "3", other)
        self.assertEqual((status, out), (0, "of 1\n" * 3))
        self.assertRegex(err, r"^gondwana run: ranks 0-2 were each a job of their own: \S+ is linked with libmpi\.so, "
                              r"which does not know this launcher; .*\n$")
        self.assertEqual(self.run_job("-n", "1", other), (0, "of 1\n", ""))

    def test_a_rank_that_joins_later_does_not_wait_for_one_that_called_no_door(self):
        script = '[ $GONDWANA_RANK = 1 ] && exec "$0" join_half; sleep 0.3; exec "$0" join "wait shmem_init"'
        status, _, err = self.run_job("-n", "2", "sh", "-c", script, RANK)
        self.assertEqual(status, 1)
        self.assertIn("rank 1 ended before it joined the job, which rank 0 has joined", err)

    def test_the_others_do_not_wait_for_a_rank_that_left_without_finalize(self):
        status, _, err = self.run_job("-n", "2", "sh", "-c",
                                      'if [ $GONDWANA_RANK = 1 ]; then exec "$0" join running share; fi; '
                                      'exec "$0" join running share "wait shmem_barrier_all"', RANK)
        self.assertEqual(status, 1)
        self.assertRegex(err, r"rank 1 .* ended with status 0 and without finalizing, by _exit or in another "
                              r"program that it ran \(exec\), outside any blocking call")

    def run_apart(self, ranks, last_steps, others):
        """After all have joined, the last rank takes the last steps, and the others take theirs."""
        joined = "join running share"
        return self.run_job("-n", str(ranks), "sh", "-c",
                            f'if [ $GONDWANA_RANK = {ranks - 1} ]; then exec "$0" {joined} {last_steps}; '
                            f'else exec "$0" {joined} {others}; fi', RANK)

    def test_a_rank_that_replaces_its_program_ends_the_job(self):
        for call in ("shmem_barrier_all", "shmem_set_lock", "shmem_wait_until"):
            status, _, err = self.run_apart(3, '"exec sleep"', f'"wait {call}"')
            self.assertEqual(status, 1)
            self.assertRegex(err, r"rank 2 on host \S+ \(pid \d+\) replaced its program \(exec\) "
                                  r"outside any blocking call; the other 2 ranks are ended")
            self.assertIn(f"ranks 0, 1 wait in {call}", err)

    def test_a_rank_may_replace_its_program_before_it_runs_and_after_it_left(self):
        status, _, err = self.run_job("-n", "2", "sh", "-c", '"$0" join_half; "$0" "exec true"; '
                                      'exec "$0" join running share finalize "exec true"', RANK)
        self.assertEqual((status, err), (0, ""))

    def test_a_rank_that_closes_its_descriptors_is_still_the_same_program(self):
        self.assertEqual(self.run_apart(2, 'close_all "sleep 3" finalize', '"sleep 3" finalize'), (0, "", ""))

    def test_ranks_that_wait_for_one_that_waits_in_exit_are_told(self):
        for call in ("shmem_set_lock", "shmem_wait_until"):
            status, _, err = self.run_apart(3, '"leave_in exit"', f'"wait {call}"')
            self.assertEqual(status, 1)
            self.assertIn("rank 2 has called exit and waits for the others to finalize; no remaining rank can "
                          "continue, and all are ended", err)
            self.assertIn(f"rank 2 waits in exit; ranks 0, 1 wait in {call}", err)

    def test_ranks_that_wait_for_one_that_finalizes_are_told(self):
        for call in ("shmem_finalize", "ARMCI_Finalize"):
            status, _, err = self.run_apart(3, f'"leave_in {call}"', '"wait shmem_set_lock"')
            self.assertEqual(status, 1)
            self.assertIn("rank 2 finalizes its interface and waits for the others; no remaining rank can "
                          "continue, and all are ended", err)
            self.assertIn(f"rank 2 waits in {call}; ranks 0, 1 wait in shmem_set_lock", err)

    def test_ranks_that_wait_after_one_has_left_and_ended_are_told(self):
        status, _, err = self.run_apart(3, "finalize", '"wait shmem_finalize"')
        self.assertEqual(status, 1)
        self.assertIn("rank 2 has ended; no remaining rank can continue", err)

    def test_a_rank_in_exit_waits_for_one_that_computes(self):
        status, _, err = self.run_job("-n", "2", "--timeout", "4", "sh", "-c",
                                      'if [ $GONDWANA_RANK = 1 ]; then exec "$0" join running share "leave_in exit"; '
                                      'else exec "$0" join running share "sleep 1000"; fi', RANK)
        self.assertEqual(status, 124, err)

    # Deaths.

    def run_under_a_shell(self, last_steps, afterwards):
        """Rank 1 takes the last steps instead of waiting; then its shell continues."""
        return self.run_job("-n", "3", "bash", "-c",
                            'wait="wait shmem_barrier_all"; [ $GONDWANA_RANK = 1 ] && wait="$1"; '
                            '"$0" join running share put\\ 5 "$wait"; eval "$2"', RANK, last_steps, afterwards)

    def test_the_end_of_a_job_hangs_up_on_nobody(self):
        # A separate session with a stopped process, as in a batch job.
        script = 'sleep 1000 & kill -STOP $!; "$@"; echo survived; kill -KILL $!'
        ended = subprocess.run(
            ["sh", "-c", script, "sh", *self.command(), "-n", "2", "true"], start_new_session=True,
            env=self.environment(), capture_output=True, text=True, timeout=WATCHDOG, check=False)
        self.assertEqual((ended.returncode, ended.stdout), (0, "survived\n"))

    def test_a_program_killed_under_a_shell_that_lives_on_ends_the_job(self):
        for last, how in [("raise 9", "killed"), ("exit 0", "left")]:
            with self.subTest(how):
                status, _, err = self.run_under_a_shell(last, "sleep 1000")
                self.assertEqual(status, 1)
                told, waiting = [line for line in err.splitlines() if line.startswith("gondwana run: ")]
                self.assertRegex(told, r"rank 1 on host \S+ \(pid \d+\) ended without finalizing, outside any "
                                       r"blocking call, after 5 puts; the process that started it \(pid \d+\) "
                                       r"lives on; the other 2 ranks are ended$")
                self.assertEqual(waiting, "gondwana run: ranks 0, 2 wait in shmem_barrier_all")

    def test_a_shell_that_ends_with_its_program_tells_the_signal(self):
        status, _, err = self.run_under_a_shell("raise 9", "exit $?")
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertRegex(err, r"rank 1 .* ended with status 137, as if by SIGKILL, outside any blocking call")

    def test_a_shell_that_gets_no_processor_may_still_tell_the_signal(self):
        with busy_processors(3):
            status, _, err = self.run_under_a_shell("raise 9", f"{sys.executable} -c '{COMPUTES}' 0.7; exit 137")
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertIn("ended with status 137, as if by SIGKILL", err)

    def test_a_rank_that_gets_no_processor_may_still_end_as_it_likes(self):
        script = f"trap \"{sys.executable} -c '{COMPUTES}' 1.6; exit 5\" TERM; echo ready; while :; do sleep 0.01; done"
        job = self.start_ready(1, "bash", "-c", script)
        with busy_processors(3):
            job.send_signal(signal.SIGTERM)
            job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 5)

    def test_a_shell_may_live_on_after_a_program_that_finalized(self):
        script = '"$0" join running share finalize; sleep 1.5'
        self.assertEqual(self.run_job("-n", "2", "bash", "-c", script, RANK), (0, "", ""))

    def test_a_death_tells_the_call_and_who_waits(self):
        job = self.start_ready(4, RANK, "join", "running", "share", "say ready", "wait shmem_barrier_all")
        ranks = {pid: read_proc(pid, "environ") for pid in children_of(self.guardian_of(job))}
        victim = next(pid for pid, text in ranks.items() if b"GONDWANA_RANK=2\0" in text)
        time.sleep(0.1)  # the ranks print before they wait
        os.kill(victim, signal.SIGSEGV)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGSEGV)
        first, second = err.splitlines()
        self.assertRegex(first, rf"rank 2 on host \S+ \(pid {victim}\) was killed by SIGSEGV \(Segmentation "
                                r"fault.*\) in shmem_barrier_all, waiting for \d+\.\d s; the other 3 ranks are ended$")
        self.assertEqual(second, "gondwana run: ranks 0, 1, 3 wait in shmem_barrier_all")

    def test_a_death_outside_a_call_tells_the_counters(self):
        status, _, err = self.run_job("-n", "1", RANK, "join", "running", "put 12", "raise 6")
        self.assertEqual(status, 128 + signal.SIGABRT)
        self.assertIn("outside any blocking call, after 12 puts\n", err)

    def test_nothing_survives_a_killed_rank(self):
        job = self.start_ready(3, RANK, "ignore 15", "orphan", "say ready", "sleep 1000")
        os.kill(children_of(self.guardian_of(job))[0], signal.SIGKILL)
        job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)

    def test_what_was_written_before_a_death_arrives(self):
        _, out, _ = self.run_job("-n", "1", RANK, "say last words", "raise 9")
        self.assertEqual(out, "last words\n")

    def test_an_orphan_that_holds_the_output_does_not_hold_the_job(self):
        status, out, _ = self.run_job("-n", "2", RANK, "orphan", "say done")
        self.assertEqual((status, out), (0, "done\ndone\n"))

    def kill_and_expect_nobody(self, pick, *words):
        job = self.start_ready(4, *words)
        os.kill(pick(job), signal.SIGKILL)
        self.assertTrue(self.nobody_left())
        _, err = job.communicate(timeout=WATCHDOG)
        return job.returncode, err

    def test_nobody_survives_the_launcher(self):
        for words in ([RANK, "say ready", "sleep 1000"], [RANK, "ignore 15", "orphan", "say ready", "sleep 1000"],
                      ["bash", "-c", '"$0" "say ready" "sleep 1000"', RANK],
                      ["bash", "-c", '"$0" "say ready" "sleep 1000"; true', RANK]):
            self.kill_and_expect_nobody(lambda job: job.pid, *words)

    def test_nobody_survives_the_guardian(self):
        for words in ([RANK, "say ready", "sleep 1000"], [RANK, "ignore 15", "orphan", "say ready", "sleep 1000"],
                      ["bash", "-c", '"$0" "say ready" "sleep 1000"; true', RANK]):
            status, err = self.kill_and_expect_nobody(self.guardian_of, *words)
            self.assertEqual(status, 128 + signal.SIGKILL)
            self.assertRegex(err, r"the guardian of the job \(pid \d+\) was killed by SIGKILL; all ranks were ended")

    def kill_at_once(self, *pids):
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.assertTrue(self.nobody_left())

    def test_nobody_survives_launcher_and_guardian_killed_at_once(self):
        for words in ([RANK, "say ready", "sleep 1000"],
                      ["bash", "-c", '"$0" "say ready" "sleep 1000"; true', RANK],
                      # Children in separate sessions, one of them an orphan.
                      ["bash", "-c", 'setsid sleep 1000 & (setsid sleep 1000 &); "$0" "say ready" "sleep 1000"; true',
                       RANK]):
            job = self.start_ready(4, *words)
            self.kill_at_once(job.pid, self.guardian_of(job))
            job.communicate(timeout=WATCHDOG)

    def test_a_job_ends_well_without_its_sweeper(self):
        job = self.start_ready(2, RANK, "say ready", "sleep 1", "exit 3")
        os.kill(self.sweeper_of(job), signal.SIGKILL)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 3)
        self.assertIn("ended with status 3", err)
        self.assertRegex(err, r"the sweeper of the job \(pid \d+\) was killed; the job continues, but")

    def test_a_guardian_that_is_told_to_end_ends_the_job_in_order(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            job = self.start_ready(2, RANK, "say ready", "sleep 1000")
            os.kill(self.guardian_of(job), number)
            job.communicate(timeout=WATCHDOG)
            self.assertEqual(job.returncode, 128 + number)

    def test_a_signal_to_the_whole_group_counts_once(self):
        # A second one would kill the ranks at once.
        script = "trap 'sleep 0.5; echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done"
        job = self.start("-n", "2", "bash", "-c", script, start_new_session=True)
        self.assertEqual([job.stdout.readline() for _ in range(2)], ["ready\n"] * 2)
        os.killpg(job.pid, signal.SIGTERM)
        out, _ = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, out), (5, "bye\n" * 2))

    def test_nobody_survives_without_proc(self):
        if has_address_sanitizer(self.command()[0]):
            self.skipTest("AddressSanitizer needs /proc")
        place = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /proc && exec "$0" "$@"']
        if subprocess.run([*place, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("/proc cannot be hidden here")
        job = self.begin([*place, *self.command(), "-n", "2", "bash", "-c",
                          'if [ $GONDWANA_RANK = 1 ]; then sleep 1; exit 3; fi; sleep 1000; true'],
                         env=self.environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.close, job)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 3, err)
        self.assertTrue(self.nobody_left())


if __name__ == "__main__":
    RANK = take_path(2)
    run_tests()
