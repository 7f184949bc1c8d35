"""What `gondwana why` says of jobs with problems: `why_test.py GONDWANA PROBLEMS MPIRUN`."""

import ctypes
import json
import os
import re
import signal
import sys
import time
import unittest
from ctypes.util import find_library
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import why_case
from job_case import WATCHDOG
from processes import eventually
from why_case import TWO_NODES, WhyCase, run_tests

LOOKS = 10  # at most, while a rank still works: on a busy machine it may not be where it stays

SOME = os.environ.get("WHY_PROBLEMS", "").split()  # all of these where there are none

# What the first line of the report begins with, for problems that are alike on one node and on two.
FIRST_LINES = {
    "locks": r"ranks 0, 1 wait for each other, and none can continue: rank 0 in shmem_set_lock on "
    r"locks\+8 for rank 1, rank 1 in shmem_set_lock on locks for rank 0",
    "collective": r"rank 3 is in shmem_barrier_all of the world team, but ranks 0-2 are in "
    r"shmem_int_broadcast of the world team: all members must call the same collectives in the same order; "
    r"run again with -x GONDWANA_DEBUG=yes: it names the call$",
    "loop": r"rank 3 keeps the others waiting: it computes in the program, without a call of the "
    r"library in the \d.* that it was watched; ranks 0-2 wait in shmem_barrier_all for ",
    "stopped": r"rank 3 is stopped by a signal: kill -CONT \d+ resumes it; ranks 0-2 wait in ",
    "word": r"rank 3 waits in shmem_int_wait_until on word, which is 5, until it is 7; no rank is left "
    r"to write there: all others wait too; ranks 0-2 wait in shmem_barrier_all",
    "heap": r"rank 3 waits in shmem_int_wait_until_any on heap\+0x[0-9a-f]+, which are 0, 0, 0, 0, until one of "
    r"the 4 is at least 7; no rank is left to write there: all others wait too; ranks 0-2 wait in shmem_barrier_all",
    "test": r"rank 3 keeps the others waiting: it polls, calling shmem_int_test again and again, in ",
    "get": r"rank 3 keeps the others waiting: it calls (?:shmem_int_g|the library) again and again, perhaps as a poll, in ",
    "sleep": r"rank 3 keeps the others waiting: it sleeps in the program, in \w*nanosleep, without ",
    "team": r"rank 3 is in shmem_team_sync of team \d+, but ranks 0-2 are in shmem_team_sync "
    r"of the world team",
    "inbox": r"rank 3 keeps the others waiting: it computes .*; rank 0 waits in gex_AM_RequestMedium",
    "message": r"rank 3 waits in GASNET_BLOCKUNTIL for something that no rank is left to do: "
    r"all others wait too; rank 3 waits in GASNET_BLOCKUNTIL for \d.*, ranks 0-2 wait in shmem_barrier_all",
    "slow": r"rank 3 is slower than the others: it waited \d+ % .*, others [4-9]\d %",
    "oversubscribed": r"4 ranks share 1 processor of .* and wait for it: each runs \d+ % of the time",
    "members": r"ranks 0, 2 wait for each other, and none can continue: rank 0 in shmem_set_lock on "
    r"locks for rank 2, rank 2 in shmem_team_sync for the others of team \d+",
    "nothing": r"no rank keeps the others waiting",
}


class WhyTest(WhyCase):
    def check(self, problem, env=None, first_line=None):
        first_line = first_line or FIRST_LINES[problem]
        before = ("taskset", "-c", "0") if problem == "oversubscribed" else ()
        job = self.begin_problem(problem, *before, env=env)
        watch = () if problem in ("slow", "oversubscribed") else ("--watch", "0.3")
        for _ in range(LOOKS):
            first = self.why(job, *watch).splitlines()[0]
            if re.match(first_line, first) or not re.search(r"\bworks?\b", first):
                break
        self.end(job)
        self.assertRegex(first, "^" + first_line)

    def test_the_first_line_names_the_culprit_on_one_node(self):
        for problem in SOME or FIRST_LINES:
            with self.subTest(problem=problem):
                self.check(problem)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_the_first_line_names_the_culprit_on_two_nodes(self):
        for problem in SOME or FIRST_LINES:
            with self.subTest(problem=problem):
                self.check(problem, TWO_NODES)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_the_reason_follows_the_end_of_the_time_with_several_hosts(self):
        job = self.start("--hosts", "localhost:2,localhost:2", "--timeout", "5", why_case.PROBLEMS, "loop")
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 124)
        self.assertRegex(err, r"(?s)^gondwana run: the job runs longer than --timeout 5 s; .*\n"
                              r"gondwana run: rank 3 keeps the others waiting: ")

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_the_reason_follows_an_interrupt_or_a_quit_with_several_hosts(self):
        for number in (signal.SIGINT, signal.SIGQUIT):
            job = self.start_ready_with(("--hosts", "localhost:2,localhost:2", why_case.PROBLEMS, "loop"), None)
            time.sleep(1)  # all are where they stay
            job.send_signal(number)
            _, err = job.communicate(timeout=WATCHDOG)
            self.assertEqual(job.returncode, 128 + number)
            self.assertRegex(err, "^gondwana run: rank 3 keeps the others waiting: ")

    def test_the_reason_follows_the_end_of_the_time_on_one_host(self):
        status, _, err = self.run_job("--timeout", "2", "-n", "4", why_case.PROBLEMS, "loop")
        self.assertEqual(status, 124)
        self.assertRegex(err, r"(?s)^gondwana run: the job runs longer than --timeout 2 s; .*\n"
                              r"gondwana run: rank 3 keeps the others waiting: it computes ")

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_ranks_that_start_are_told_at_the_end_of_the_time(self):
        script = 'if [ $GONDWANA_RANK = 1 ]; then sleep 100; fi; exec "$0" loop'
        status, _, err = self.run_job("--timeout", "2", "--hosts", "localhost:1,localhost:1", "sh", "-c", script, why_case.PROBLEMS)
        self.assertEqual(status, 124)
        self.assertRegex(err, r"(?m)^gondwana run: rank 0 is still starting$")
        self.assertRegex(err, r"(?m)^job [0-9a-f]{8}, 2 ranks of \S+ loop$")

    def test_registered_buffers_and_copies_of_devices_are_named(self):
        slow = {"GONDWANA_EMULATED_DEVICES": "1", "GONDWANA_EMULATED_BANDWIDTH": "10K"}
        self.check("buffer", slow, r"rank 3 waits in shmem_int_wait_until on registered buffer\+0x40, which is 0, until it is 7")
        for copy in ("device", "quiet"):
            self.check(copy, slow, r"rank 3 keeps the others waiting: it waits for a copy to or from a device; ranks 0-2 wait in ")

    def test_a_rank_that_has_died_before_its_launcher_saw_it(self):
        job = self.begin_problem("loop")
        said = json.loads(self.why(job, "--json"))
        os.kill(self.guardian_of(job), signal.SIGSTOP)
        os.kill(said["seen"][3]["process"], signal.SIGKILL)
        self.assertTrue(
            eventually(
                lambda: "rank 3 has ended without leaving the job" in self.why(job).splitlines()[0]
            )
        )
        self.end(job)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_node_that_does_not_run(self):
        job = self.begin_problem("nothing", env=TWO_NODES)
        said = json.loads(self.why(job, "--json"))
        for rank in said["seen"][2:]:
            os.kill(rank["process"], signal.SIGSTOP)
        time.sleep(0.2)
        first = self.why(job).splitlines()[0]
        self.end(job)
        self.assertRegex(first, r"^ranks 2, 3 \(all of node 1\) are stopped by a signal: ")

    def test_the_place_in_the_program_is_named_with_file_and_line(self):
        job = self.begin_problem("loop")
        text = self.why(job)
        said = json.loads(self.why(job, "--json"))
        self.end(job)
        self.assertRegex(
            text, r"\n  rank 3 \(process \d+\): compute_for_ever at .*problems\.c:\d+\n"
        )
        functions = [frame["function"] for frame in said["places"][0]["stack"]]
        self.assertIn("main", functions)
        self.assertEqual(said["culprits"], [3])
        self.assertEqual(said["seen"][0]["wait"]["call"], "shmem_barrier_all")
        self.assertGreater(said["seen"][3]["computed"], 0.2)

    def test_a_word_is_shown_with_its_value(self):
        job = self.begin_problem("word")
        text = self.why(job, "--watch", "0.3")
        said = json.loads(self.why(job, "--json", "--watch", "0.1"))
        self.end(job)
        self.assertRegex(text, r"(?m)^  3 .*waits in shmem_int_wait_until on word, which is 5, until it is 7$")
        self.assertRegex(text, r"(?m)^  to find out which rank wrote there last, run the job with -x GONDWANA_TRACE=yes$")
        wait = said["seen"][3]["wait"]
        self.assertEqual((wait["value"], wait["until"]), (5, "it is 7"))

    def test_a_traced_job_tells_which_rank_wrote_a_word_last(self):
        job = self.begin_problem("word", "-x", "GONDWANA_TRACE=yes", cwd=self.folder)
        text = self.why(job, "--watch", "0.3")
        self.end(job)
        self.assertRegex(
            text,
            r"(?m)^  the last write to word of rank 3: rank 1, shmem_int_p at problems\.c:\d+ in "
            r"word_that_nobody_writes, [\d.]+ m?s ago$",
        )

    def test_a_loop_of_the_program_is_named_with_its_place(self):
        job = self.begin_problem("plain")
        text = self.why(job, "--watch", "0.3")
        self.end(job)
        self.assertRegex(text, "^" + FIRST_LINES["loop"])
        self.assertRegex(
            text,
            r"(?m)^  rank 3 .*: poll_by_itself at .*problems\.c:\d+\n"
            r"    every sample found it in a short loop there(, which reads word)?; if the loop waits for a write of another ",
        )

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_an_agent_that_is_stopped_is_named(self):
        job = self.begin_problem("loop", env=TWO_NODES)
        (agent,) = [pid for pid in self.marked() if "agent" in Path(f"/proc/{pid}/comm").read_text()][:1]
        os.kill(agent, signal.SIGSTOP)
        first = self.why(job, "--watch", "0.3").splitlines()[0]
        os.kill(agent, signal.SIGCONT)
        self.end(job)
        self.assertRegex(first, rf"^the agent of node \d on host \S+ \(process {agent}\) is stopped by a "
                                rf"signal: kill -CONT {agent} resumes it; ranks ")

    def test_all_threads_that_run_the_program_are_named(self):
        job = self.begin_problem("thread")
        text = self.why(job, "--watch", "0.3")
        said = json.loads(self.why(job, "--watch", "0.3", "--json"))
        self.end(job)
        self.assertRegex(
            text,
            r"\n  rank 3 \(process \d+\): endless_loop_in_thread at .*problems\.c:\d+\n"
            r"  rank 3 \(process \d+, thread \d+ why_problems\): compute_for_ever at ",
        )
        (place,) = said["places"]
        self.assertEqual(place["threads"][0]["thread"], place["process"])
        functions = [
            [frame["function"] for frame in thread["stack"]] for thread in place["threads"]
        ]
        self.assertTrue(any("compute_in_thread" in stack for stack in functions), functions)

    def test_what_forbids_to_read_a_stack_is_said(self):
        job = self.begin_problem("loop")
        pid = json.loads(self.why(job, "--json", "--watch", "0.1"))["seen"][3]["process"]
        ptrace, seize, detach = ctypes.CDLL(None).ptrace, 0x4206, 17
        ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        if ptrace(seize, pid, None, None) != 0:
            self.end(job)
            self.skipTest("may not trace")
        text = self.why(job, "--watch", "0.3")
        os.kill(pid, signal.SIGSTOP)  # only a thread that has stopped can be left
        os.waitpid(pid, 0x40000000)  # __WALL
        ptrace(detach, pid, None, None)
        self.end(job)
        self.assertRegex(text, "^" + FIRST_LINES["loop"])
        self.assertRegex(
            text,
            rf"cannot be read: .*Operation not permitted; .*; a program started with "
            rf"GONDWANA_BACKTRACE=yes prints its stack and continues after kill -URG {pid}\n",
        )

    def test_ranks_that_do_the_same_are_one_line(self):
        job = self.begin_problem("loop")
        text = self.why(job)
        self.end(job)
        self.assertRegex(text, r"(?m)^  0-2 +\d.* s +\d+ %  waits in shmem_barrier_all$")
        self.assertRegex(text, r"(?m)^  3 +\d+ %  is in the program$")


if __name__ == "__main__":
    run_tests()
