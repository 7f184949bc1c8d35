"""Jobs that grow and shrink: `roster_test.py GONDWANA GROW ARMCI DOORS`."""

import re
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import WATCHDOG, JobTest, read_line, run_tests, take_path
from launcher_case import LauncherCase
from processes import eventually

GROW = ""
ARMCI = ""
DOORS = ""


def change(*words):
    return subprocess.run([job_case.GONDWANA, *words], capture_output=True, text=True, timeout=WATCHDOG)


def change_from_outside(test, job, *options):
    """Adds ranks 2 and 3, and ends ranks 1 and 3. Returns the answer to a wish that cannot be fulfilled."""
    grown = change("grow", "-n", "2", *options, str(job.pid))
    test.assertEqual((grown.returncode, grown.stdout), (0, "more ranks start, from rank 2 on\n"), grown.stderr)
    test.assertEqual(read_line(job.stdout), "grown\n")
    many = change("grow", "-n", "1", str(job.pid), "--", GROW, "outside")
    test.assertEqual(many.returncode, 1)
    wrong = change("shrink", str(job.pid), "9")
    test.assertIn("rank 9: this job has ranks 0 to 3", wrong.stderr)
    shrunk = change("shrink", str(job.pid), "1,3")
    test.assertEqual((shrunk.returncode, shrunk.stdout), (0, "ranks 1, 3 were asked to leave\n"), shrunk.stderr)
    out, err = job.communicate(timeout=WATCHDOG)
    test.assertEqual((job.returncode, out.count("end\n")), (0, 2), out + err)
    test.assertIn("rank 3 has ended at the request of `gondwana shrink`", err)
    return many


class RosterTest(LauncherCase):
    def grow(self, *words, ranks=2, most=8):
        return self.run_job("--max-ranks", str(most), "-n", str(ranks), GROW, *words)

    def test_new_ranks_are_reached_and_become_part_of_the_world(self):
        status, out, err = self.grow("grow")
        self.assertEqual((status, out.count("end\n")), (0, 5), err)
        self.assertIn("no symmetric heap before its first call of shmemx_team_update", err)

    def test_a_rank_leaves_and_its_number_is_not_used_again(self):
        status, out, err = self.grow("leave")
        self.assertEqual((status, out.count("end\n"), out.count("left\n")), (0, 4, 1), err)

    def test_an_update_without_a_further_team_uses_up_none(self):
        for hosts in ((), ("--hosts", "localhost:1,localhost:1")):
            status, out, err = self.run_job("--max-ranks", "4", "-n", "2", *hosts, GROW, "often")
            self.assertEqual((status, out.count("end\n")), (0, 2), err)

    def test_a_profile_has_a_table_of_each_rank(self):
        status, out, err = self.run_job("--profile", "--max-ranks", "8", "-n", "2", GROW, "leave")
        self.assertEqual((status, out.count("end\n"), out.count("left\n")), (0, 4, 1), err)
        self.assertEqual(sorted(re.findall(r"gondwana profile: rank (\d), .* since", err)), list("01234"), err)
        self.assertRegex(err, r"rank 0, .* since shmem_init began; .*\n.*\n(  .*\n)*  shmem_long_p +1 ")
        status, _, err = self.run_job("--profile=page.html", "--max-ranks", "8", "-n", "2", GROW, "leave")
        self.assertEqual(status, 1)
        self.assertIn("a page is not implemented for a job whose ranks join, die or leave", err)

    def test_ranks_that_die_during_updates_are_left_out_by_all(self):
        for _ in range(3):
            status, out, err = self.run_job("--on-death=continue", "--max-ranks", "6", "-n", "3", GROW, "lose")
            self.assertEqual((status, out.count("end\n")), (0, 4), err)
            self.assertIn("2 of 6 ranks died, and the job continued: ranks 1, 4\n", err)

    def test_an_update_ends_with_any_algorithm_of_barriers(self):
        environment = {"GONDWANA_BARRIER_ALGORITHM": "dissem"}
        for _ in range(3):
            options = ("--on-death=continue", "--max-ranks", "6", "-n", "3")
            status, out, err = self.run_job(*options, GROW, "lose", env=environment)
            self.assertEqual((status, out.count("end\n")), (0, 4), err)

    def test_a_death_while_ranks_join_ends_neither_them_nor_the_job(self):
        status, out, err = self.run_job("--on-death=continue", "--max-ranks", "5", "-n", "2", GROW, "init")
        self.assertEqual((status, out.count("end\n")), (0, 3), out + err)
        self.assertIn("2 of 5 ranks died, and the job continued: ranks 1, 2\n", err)

    def test_a_program_that_does_not_join_is_a_death(self):
        status, out, err = self.run_job("--on-death=continue", "--max-ranks", "3", "-n", "2", GROW, "none")
        self.assertEqual((status, out.count("end\n")), (0, 2), out + err)
        self.assertIn("one of the new PEs has ended before shmem_init", err)

    def test_what_cannot_be_started_is_refused_and_the_job_goes_on(self):
        status, out, err = self.grow("refuse")
        self.assertEqual((status, out.count("end\n")), (0, 2), err)
        self.assertIn("no-such-program", err)
        self.assertIn("the number of PEs must be at least 1", err)
        self.assertIn("99 more ranks: 2 ranks have had a number, and --max-ranks 8 allows no more than 6 others", err)
        self.assertIn("this job runs on one host", err)

    def test_a_job_without_the_option_does_not_grow(self):
        status, out, err = self.run_job("-n", "2", GROW, "refuse")
        self.assertEqual((status, out.count("end\n")), (0, 2), err)
        self.assertIn("start it with `gondwana run --max-ranks`", err)

    def test_wrong_options_are_explained(self):
        status, _, err = self.run_job("--max-ranks", "1", "-n", "2", GROW, "refuse")
        self.assertNotEqual(status, 0)
        self.assertIn("--max-ranks 1: the job starts with 2 ranks", err)
        status, _, err = self.run_job("--max-ranks", "4", "--hosts", "localhost:2", GROW, "refuse")
        self.assertNotEqual(status, 0)
        self.assertIn("--max-ranks: not implemented for a job on one host of --hosts", err)

    # From outside.

    def test_a_user_adds_ranks_and_ends_some(self):
        job = JobTest.start_ready(self, "--max-ranks", "4", "-n", "2", ranks=2, program=(GROW, "outside"))
        many = change_from_outside(self, job)
        self.assertIn("--max-ranks 4 allows no more than 0 others", many.stderr)

    def test_a_rank_that_never_ran_is_listed_as_dead(self):
        options = ("--on-death=continue", "--max-ranks", "3", "-n", "2")
        job = JobTest.start_ready(self, *options, ranks=2, program=(GROW, "outside"))
        self.assertEqual(change("grow", "-n", "1", str(job.pid), "--", "false").returncode, 0)
        self.assertTrue(eventually(lambda: "1 dead" in change("ps", str(job.pid)).stdout))
        self.assertNotIn("starting", change("ps", str(job.pid)).stdout)
        job.terminate()
        job.communicate(timeout=WATCHDOG)

    def test_ranks_that_use_armci_get_no_others_from_outside(self):
        job = JobTest.start_ready(
            self, "--max-ranks", "4", "-n", "2", ranks=2, program=(ARMCI, "waits"), stdin=subprocess.PIPE
        )
        grown = change("grow", "-n", "1", str(job.pid))
        self.assertEqual(grown.returncode, 1)
        self.assertIn("a rank uses GASNet-EX or ARMCI, whose jobs cannot grow", grown.stderr)
        out, err = job.communicate("", timeout=WATCHDOG)
        self.assertEqual(job.returncode, 0, out + err)

    # Other doors, whose jobs cannot grow.

    def test_ranks_that_use_gasnet_or_armci_get_no_others(self):
        for door in ("gasnet", "armci"):
            status, out, err = self.run_job("--max-ranks", "4", "-n", "2", DOORS, door, "before")
            self.assertEqual((status, out.count("end\n")), (0, 2), out + err)
            self.assertIn("shmemx_spawn: a PE uses GASNet-EX or ARMCI, whose jobs cannot grow", err)

    def test_gasnet_and_armci_refuse_a_job_that_has_grown(self):
        for door, call in (("gasnet", "gex_Client_Init"), ("armci", "ARMCI_Init")):
            status, out, err = self.run_job("--max-ranks", "4", "-n", "1", DOORS, door, "after")
            self.assertEqual(status, 1, out + err)
            self.assertIn(f"rank 0: {call}: this job has got more ranks while it runs; only OpenSHMEM programs can", err)

    def test_wrong_words_of_a_user_are_explained(self):
        for words, sentence in (
            (("grow", "-n", "0", "x"), "-n"),
            (("grow", "x"), "-n is missing"),
            (("shrink", "x"), "expected a job and its ranks"),
            (("shrink", "x", "1-"), "ranks"),
            (("grow", "-n", "1", "no-such-job"), "no-such-job"),
        ):
            done = change(*words)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(sentence, done.stderr)


class RosterOnHostsTest(JobTest):
    """Both hosts are this machine, and their ranks reach each other through agents and sockets."""

    def grow(self, *words, slots=1, options=()):
        hosts = f"localhost:{slots},localhost:{slots}"
        return self.run_job("--hosts", hosts, "--max-ranks", "8", *options, GROW, *words)

    def test_new_ranks_are_reached_and_become_part_of_the_world(self):
        status, out, err = self.grow("grow")
        self.assertEqual((status, out.count("end\n")), (0, 5), err)

    def test_a_rank_leaves_and_its_number_is_not_used_again(self):
        status, out, err = self.grow("leave")
        self.assertEqual((status, out.count("end\n"), out.count("left\n")), (0, 4, 1), err)

    def test_what_cannot_be_started_is_refused_and_the_job_goes_on(self):
        status, out, err = self.grow("refuse", "more")
        self.assertEqual((status, out.count("end\n")), (0, 2), err)
        self.assertIn("no-such-program", err)
        self.assertIn("99 more ranks: 2 ranks have had a number, and --max-ranks 8 allows no more than 6 others", err)
        self.assertIn("the ranks of this job reach each other by the loopback network only", err)
        self.assertRegex(err, r"shmemx_spawn: rank 2 on host \S+ \(pid \d+\) ended with status 1 while it joined the job\n")

    def test_ranks_that_die_during_updates_are_left_out_by_all(self):
        status, out, err = self.run_job(
            "--hosts", "localhost:2,localhost:1", "--on-death=continue", "--max-ranks", "6", GROW, "lose"
        )
        self.assertEqual((status, out.count("end\n")), (0, 4), err)
        self.assertIn("2 of 6 ranks died, and the job continued: ranks 1, 4\n", err)

    def test_a_user_adds_ranks_on_a_new_host_and_ends_some(self):
        options = ("--hosts", "localhost:1,localhost:1", "--max-ranks", "4")
        job = self.start_ready(*options, ranks=2, program=(GROW, "outside"))
        change_from_outside(self, job, "--hosts", socket.gethostname())


if __name__ == "__main__":
    GROW = take_path(2)
    ARMCI = take_path(2)
    DOORS = take_path(2)
    run_tests()
