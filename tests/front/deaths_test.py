"""Jobs that continue after the death of ranks: `deaths_test.py GONDWANA SURVIVE ARMCI`."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from job_case import WATCHDOG, JobTest, read_line, run_tests, take_path
from launcher_case import LauncherCase

SURVIVE = ""
ARMCI = ""
ROUNDS = 6  # of tests with random moments


class DeathsTest(LauncherCase):
    def survive(self, ranks, *words, **more):
        return self.run_job("--on-death=continue", "-n", str(ranks), SURVIVE, *words, **more)

    def start_survivors(self, ranks, *words):
        """A job whose ranks are ready, and their processes."""
        options = ("-v", "--on-death=continue", "-n", str(ranks))
        job = JobTest.start_ready(self, *options, ranks=ranks, program=(SURVIVE, *words))
        pids = {}
        while len(pids) < ranks and (line := read_line(job.stderr)):
            if found := re.search(r"rank (\d+) is pid (\d+)", line):
                pids[int(found[1])] = int(found[2])
        return job, pids

    def check_teams(self, out, ranks, dead):
        """All members of a team have printed the same members, and the last team has all that live."""
        teams = defaultdict(set)
        for turn, members in re.findall(r"turn (\d+):((?: \d+)+)", out):
            teams[int(turn)].add(members)
        for turn, members in teams.items():
            self.assertEqual(len(members), 1, f"turn {turn}: {out}")
        living = [rank for rank in range(ranks) if rank not in dead]
        self.assertEqual(teams[max(teams)].pop().split(), [str(rank) for rank in living])
        self.assertEqual(out.count("end\n"), len(living))

    # What a death does.

    def test_a_death_ends_the_job_without_the_option(self):
        status, _, err = self.run_job("-n", "2", SURVIVE, "waits")
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertIn("the other rank is ended", err)

    def test_calls_that_need_a_dead_rank_fail_at_once(self):
        for ranks in (2, 4):
            status, out, err = self.survive(ranks, "calls")
            self.assertEqual((status, out.count("end\n")), (0, ranks - 1), err)
            self.assertRegex(err, rf"rank {ranks - 1} on host \S+ \(pid \d+\) was killed by SIGKILL \(Killed\)")
            self.assertIn(f"; the job continues with {ranks - 1} rank", err)
            self.assertIn(f"1 of {ranks} ranks died, and the job continued: rank {ranks - 1}\n", err)

    def test_arguments_are_checked_as_before(self):
        status, out, err = self.survive(3, "calls", env={"GONDWANA_DEBUG": "yes"})
        self.assertEqual((status, out.count("end\n")), (0, 2), err)

    def test_a_wait_for_a_word_ends_with_a_death_and_waits_again(self):
        for ranks in (3, 8):
            status, out, err = self.survive(ranks, "waits")
            self.assertEqual((status, out.count("end\n")), (0, ranks - 1), err)

    def test_a_lock_of_a_dead_rank_is_not_waited_for(self):
        status, out, err = self.survive(4, "lock")
        self.assertEqual((status, out.count("end\n")), (0, 3), err)

    def test_an_accumulate_of_a_dead_rank_holds_up_nobody(self):
        for _ in range(3):
            status, out, err = self.survive(3, "add")
            self.assertEqual((status, out.count("end\n")), (0, 1), out + err)

    def test_the_variable_has_the_same_effect(self):
        status, out, err = self.run_job("-n", "3", SURVIVE, "waits", env={"GONDWANA_ON_DEATH": "continue"})
        self.assertEqual((status, out.count("end\n")), (0, 2), err)

    def test_the_living_allocate_memory_once_their_team_has_shrunk(self):
        for debug in ("no", "yes"):
            status, out, err = self.survive(3, "memory", env={"GONDWANA_DEBUG": debug})
            self.assertEqual((status, out.count("end\n")), (0, 2), out + err)

    # Agreement.

    def test_ranks_that_die_one_after_the_other_leave_teams_of_the_living(self):
        for ranks in (4, 8):
            for _ in range(ROUNDS):
                status, out, err = self.survive(ranks, "in_calls")
                self.assertEqual((status, out.count(f"end {ranks // 2}\n")), (0, ranks // 2), out + err)

    def test_members_agree_with_kills_at_any_moment(self):
        for ranks, kills in ((4, 2), (8, 5)):
            for seed in range(ROUNDS):
                chance = random.Random(seed)
                dead = chance.sample(range(ranks), kills)
                job, pids = self.start_survivors(ranks, "shrink", str(ranks - kills))
                for rank in dead:
                    time.sleep(chance.choice((0, 0, 0.0002, 0.001, 0.01)) * chance.random())
                    os.kill(pids[rank], signal.SIGKILL)
                out, err = job.communicate(timeout=WATCHDOG)
                self.assertEqual(job.returncode, 0, f"seed {seed}: {out}{err}")
                self.check_teams(out, ranks, dead)
                self.assertIn(f"{kills} of {ranks} ranks died, and the job continued: ranks ", err)

    # The status of the job.

    def test_the_status_is_that_of_the_ranks_that_live(self):
        words = ("sh", "-c", f'{SURVIVE} waits; status=$?; [ $GONDWANA_RANK != 2 ] || exit 5; exit $status')
        status, _, _ = self.run_job("--on-death=continue", "-n", "3", *words)
        self.assertEqual(status, 5)

    def test_a_job_of_which_no_rank_is_left_has_the_status_of_the_first_death(self):
        job, pids = self.start_survivors(2, "tell")
        os.kill(pids[0], signal.SIGKILL)
        os.kill(pids[1], signal.SIGTERM)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertIn(job.returncode, (128 + signal.SIGKILL, 128 + signal.SIGTERM), err)

    def test_a_death_before_all_ranks_run_ends_the_job(self):
        words = ("sh", "-c", f'[ $GONDWANA_RANK = 0 ] && exit 3; exec {SURVIVE} waits')
        status, _, err = self.run_job("--on-death=continue", "-n", "2", *words)
        self.assertEqual(status, 3, err)

    def test_a_program_of_another_api_ends(self):
        status, _, err = self.run_job("--on-death=continue", "-n", "2", ARMCI)
        self.assertNotEqual(status, 0)
        self.assertIn("the other rank is ended", err)

    # Restarts.

    def restart(self, ranks, times, *words, options=(), **more):
        return self.run_job(*options, "--restart", str(times), "-n", str(ranks), SURVIVE, *words, **more)

    def test_a_dead_rank_is_started_again_with_empty_memory(self):
        for ranks in (2, 4):
            status, out, err = self.restart(ranks, 3, "restart")
            self.assertEqual((status, out.count("end\n")), (0, ranks), out + err)
            self.assertIn("; it is started again, restart 1 of 3\n", err)
            self.assertIn("ranks were started again 1 time\n", err)

    def test_its_memory_is_kept_if_asked_for(self):
        for ranks in (2, 3):
            status, out, err = self.restart(ranks, 1, "keep", options=("--keep-memory",))
            self.assertEqual((status, out.count("end\n")), (0, ranks), out + err)

    def test_a_profile_has_a_table_of_each_process_that_ends(self):
        status, out, err = self.restart(2, 3, "restart", options=("--profile",))
        self.assertEqual((status, out.count("end\n")), (0, 2), out + err)
        self.assertEqual(sorted(re.findall(r"gondwana profile: rank (\d), .* since", err)), list("01"), err)

    def test_an_update_makes_a_world_with_the_new_processes(self):
        for ranks, options in ((2, ()), (4, ("--keep-memory",))):
            status, out, err = self.restart(ranks, ranks, "worlds", options=options)
            self.assertEqual((status, out.count("end\n")), (0, ranks), out + err)

    def test_arguments_are_checked_after_a_restart(self):
        status, out, err = self.restart(3, 1, "restart", env={"GONDWANA_DEBUG": "yes"})
        self.assertEqual((status, out.count("end\n")), (0, 3), out + err)

    def test_a_rank_stays_dead_when_all_restarts_are_used_up(self):
        status, out, err = self.restart(3, 2, "often", "2")
        self.assertEqual((status, out.count("end\n")), (0, 2), out + err)
        self.assertIn("; no restart is left; the job continues with 2 ranks\n", err)

    def test_restarts_need_a_job_that_continues(self):
        for options, sentence in (
            (("--keep-memory",), "--keep-memory without --restart"),
            (("--restart", "1", "--on-death", "end"), "--restart with --on-death end"),
            (("--restart", "x"), "--restart"),
        ):
            status, _, err = self.run_job(*options, "true")
            self.assertEqual(status, 1)
            self.assertIn(sentence, err)

    # Tools.

    def test_tools_name_the_dead_rank(self):
        job, pids = self.start_survivors(3, "stay")
        os.kill(pids[1], signal.SIGKILL)
        self.assertEqual([read_line(job.stdout) for _ in range(2)], ["told\n"] * 2)
        said = {}
        for tool in ("why", "ps"):
            command = [self.command()[0], tool, str(job.pid)]
            said[tool] = subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG).stdout
        self.assertIn("rank 1 has died, and the job continues without it; ranks 0, 2 wait in "
                      "shmem_long_wait_until", said["why"])
        self.assertIn(" all wait, 1 dead ", said["ps"])
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(WATCHDOG), 128 + signal.SIGTERM)

    # Refusals.

    def test_another_word_is_refused(self):
        status, _, err = self.run_job("--on-death=maybe", "true")
        self.assertEqual(status, 1)
        self.assertIn("--on-death maybe: expected end or continue", err)


if __name__ == "__main__":
    SURVIVE = take_path(2)
    ARMCI = take_path(2)
    run_tests()
