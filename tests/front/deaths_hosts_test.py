"""Jobs on two hosts that continue after deaths: `deaths_hosts_test.py GONDWANA SURVIVE`.

Both hosts are this machine, and their ranks reach each other through agents and sockets."""

import os
import random
import re
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from job_case import WATCHDOG, JobTest, read_line, run_tests, take_path
from processes import children_of, command_line

SURVIVE = ""
TWO = ("--hosts", "localhost:2,localhost:2", "--on-death=continue")


class DeathsOnHostsTest(JobTest):
    def survive(self, *words, **more):
        return self.run_job(*TWO, SURVIVE, *words, **more)

    def start_survivors(self, *words, options=()):
        """A job whose ranks are ready, and their processes."""
        job = self.start_ready("-v", *TWO, *options, ranks=4, program=(SURVIVE, *words))
        pids = {}
        while len(pids) < 4 and (line := read_line(job.stderr)):
            if found := re.search(r"rank (\d+) on host \S+ is pid (\d+)", line):
                pids[int(found[1])] = int(found[2])
        return job, pids

    def guardian_of(self, rank_pid):
        return int(Path(f"/proc/{rank_pid}/stat").read_text().rsplit(")", 1)[1].split()[1])

    def agent_of(self, rank_pid):
        agents = [p for p in children_of(self.guardian_of(rank_pid)) if "gondwana-agent" in command_line(p)]
        self.assertEqual(len(agents), 1)
        return agents[0]

    def check_teams(self, out, living):
        """All members of a team have printed the same members, and the last team has all that live."""
        teams = defaultdict(set)
        for turn, members in re.findall(r"turn (\d+):((?: \d+)+)", out):
            teams[int(turn)].add(members)
        for turn, members in teams.items():
            self.assertEqual(len(members), 1, f"turn {turn}: {out}")
        self.assertEqual(teams[max(teams)].pop().split(), [str(rank) for rank in living])
        self.assertEqual(out.count("end\n"), len(living))

    def check_end(self, job, living, sentence):
        out, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 0, out + err)
        self.check_teams(out, living)
        self.assertRegex(err, sentence)
        self.assertIn("of 4 ranks died, and the job continued: rank", err)

    def test_a_death_ends_the_job_without_the_option(self):
        status, _, err = self.run_job(*TWO[:2], SURVIVE, "waits")
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertIn("the other 3 ranks are ended", err)

    def test_calls_that_need_a_dead_rank_fail_at_once(self):
        status, out, err = self.survive("calls")
        self.assertEqual((status, out.count("end\n")), (0, 3), err)
        self.assertRegex(err, r"rank 3 on host \S+ \(pid \d+\) was killed by SIGKILL \(Killed\)")
        self.assertIn("; the job continues with 3 ranks", err)
        self.assertIn("1 of 4 ranks died, and the job continued: rank 3\n", err)

    def test_waits_end_with_a_death_and_wait_again(self):
        status, out, err = self.survive("waits")
        self.assertEqual((status, out.count("end\n")), (0, 3), err)

    def test_ranks_that_die_in_calls_of_the_others_leave_teams_of_the_living(self):
        status, out, err = self.survive("in_calls", env={"GONDWANA_ROUTE": "agent"})
        self.assertEqual((status, out.count("end 2\n")), (0, 2), out + err)

    def test_the_living_allocate_memory_once_their_team_has_shrunk(self):
        status, out, err = self.survive("memory")
        self.assertEqual((status, out.count("end\n")), (0, 3), out + err)

    def test_members_agree_with_kills_at_any_moment(self):
        for seed in range(2):
            chance = random.Random(seed)
            dead = chance.sample(range(4), 2)
            job, pids = self.start_survivors("shrink", "2")
            for rank in dead:
                time.sleep(chance.choice((0, 0.001, 0.01)) * chance.random())
                os.kill(pids[rank], signal.SIGKILL)
            living = [rank for rank in range(4) if rank not in dead]
            self.check_end(job, living, "; the job continues with 2 ranks")

    def test_a_host_whose_agent_dies_is_lost(self):
        job, pids = self.start_survivors("shrink", "2")
        os.kill(self.agent_of(pids[2]), signal.SIGKILL)
        sentence = r"the node agent on host \S+ \(pid \d+\) was killed by SIGKILL; the job continues with 2"
        self.check_end(job, [0, 1], sentence)

    def test_teams_that_have_lost_a_member_give_their_numbers_back(self):
        status, out, err = self.survive("teams", ranks=4)
        self.assertEqual((status, out.count("end\n")), (0, 3), out + err)

    # Restarts.

    def restart(self, times, *words, options=(), **more):
        options = (*TWO[:2], "--restart", str(times), *options)
        return self.run_job(*options, SURVIVE, *words, **more)

    def test_a_dead_rank_is_started_again_with_empty_memory(self):
        status, out, err = self.restart(3, "restart")
        self.assertEqual((status, out.count("end\n")), (0, 4), out + err)
        self.assertIn("; it is started again, restart 1 of 3\n", err)
        self.assertIn("ranks were started again 1 time\n", err)

    def test_its_memory_is_kept_if_asked_for(self):
        status, out, err = self.restart(1, "keep", options=("--keep-memory",), env={"GONDWANA_ROUTE": "agent"})
        self.assertEqual((status, out.count("end\n")), (0, 4), out + err)

    def test_an_update_makes_a_world_with_the_new_processes(self):
        status, out, err = self.restart(4, "worlds")
        self.assertEqual((status, out.count("end\n")), (0, 4), out + err)

    def test_a_rank_stays_dead_when_all_restarts_are_used_up(self):
        status, out, err = self.restart(2, "often", "2")
        self.assertEqual((status, out.count("end\n")), (0, 3), out + err)
        self.assertIn("; no restart is left; the job continues with 3 ranks\n", err)

    # Nodes that take the place of lost ones.

    def lose_node(self, process_of, rank, sentence):
        """All PEs go round, and the ranks of the node whose agent or guardian dies go on, on another node."""
        job, pids = self.start_survivors("rounds", "500", options=("--restart", "8"))
        os.kill(process_of(pids[rank]), signal.SIGKILL)
        out, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, out.count("end\n")), (0, 4), out + err)
        self.assertRegex(err, sentence + "; its ranks are started again, restarts 1 to 2 of 8\n")
        self.assertIn("ranks were started again 2 times\n", err)

    def test_the_ranks_of_a_lost_guardian_are_started_again(self):
        self.lose_node(self.guardian_of, 0, r"the connection to host localhost is lost, .*")

    def test_the_ranks_of_a_lost_agent_are_started_again(self):
        self.lose_node(self.agent_of, 2, r"the node agent on host \S+ \(pid \d+\) was killed by SIGKILL")

    def test_a_host_whose_guardian_dies_is_lost(self):
        job, pids = self.start_survivors("shrink", "2")
        os.kill(self.guardian_of(pids[0]), signal.SIGKILL)
        self.check_end(job, [2, 3], r"the connection to host localhost is lost, .*; the job continues with 2 ranks")


if __name__ == "__main__":
    SURVIVE = take_path(2)
    run_tests()
