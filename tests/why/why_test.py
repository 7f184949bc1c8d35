"""What `gondwana ps` and `gondwana why` say of jobs: `why_test.py GONDWANA PROBLEMS MPIRUN`."""

import contextlib
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from ctypes.util import find_library
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import WATCHDOG, run_tests
from launcher_case import LauncherCase
from processes import eventually

PROBLEMS = ""
MPIRUN = ""
RANKS = 4
LOOKS = 10  # at most, while a rank still works: on a busy machine it may not be where it stays
TWO_NODES = {"GONDWANA_NODE_RANKS": "2", "GONDWANA_NETWORK": "127.0.0.0/8"}

SOME = os.environ.get("WHY_PROBLEMS", "").split()  # all of these where there are none

# What the first line of the report begins with, for problems that are alike on one node and on two.
FIRST_LINES = {
    "locks": r"ranks 0, 1 wait for each other, and none can go on: rank 0 in shmem_set_lock on "
    r"locks\+8 for rank 1, rank 1 in shmem_set_lock on locks for rank 0",
    "collective": r"rank 3 is in shmem_barrier_all of the world team, but ranks 0-2 are in "
    r"shmem_int_broadcast of the world team: all members must call the same collectives in the same order; "
    r"run again with -x GONDWANA_DEBUG=yes: it names the call$",
    "loop": r"rank 3 keeps the others waiting: it computes in the program, without a call of the "
    r"library in the \d.* that it was watched; ranks 0-2 wait in shmem_barrier_all for ",
    "stopped": r"rank 3 is stopped by a signal: kill -CONT \d+ lets it go on; ranks 0-2 wait in ",
    "word": r"rank 3 waits in shmem_int_wait_until on word for something that no rank is left to do: "
    r"all others wait too; ranks 0-2 wait in shmem_barrier_all",
    "heap": r"rank 3 waits in shmem_int_wait_until_any on heap\+0x[0-9a-f]+ for something that no "
    r"rank is left to do: all others wait too; ranks 0-2 wait in shmem_barrier_all",
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
    "members": r"ranks 0, 2 wait for each other, and none can go on: rank 0 in shmem_set_lock on "
    r"locks for rank 2, rank 2 in shmem_team_sync for the others of team \d+",
    "nothing": r"no rank keeps the others waiting",
}


def tool(*words, env=None):
    return subprocess.run(
        [job_case.GONDWANA, *words],
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
        env={**os.environ, **(env or {})},
    )


class WhyTest(LauncherCase):
    def begin_problem(self, problem, *before, env=None, **more):
        env = {"GONDWANA_BCAST_ALGORITHM": "tree", **(env or {})}
        words = ("-n", str(RANKS), *before, PROBLEMS, problem)
        job = self.start_ready_with(words, env, **more)
        time.sleep(0.3)  # all are where they stay
        return job

    def start_ready_with(self, words, env, **more):
        return super(LauncherCase, self).start_ready(
            *words, program=(), env=env, **{"ranks": RANKS, **more}
        )

    def why(self, job, *words):
        said = tool("why", *words, str(job.pid))
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return said.stdout

    def end(self, job):
        for pid in self.marked():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        job.terminate()
        job.wait(WATCHDOG)
        self.assertTrue(self.nobody_left())

    def check(self, problem, env=None):
        before = ("taskset", "-c", "0") if problem == "oversubscribed" else ()
        job = self.begin_problem(problem, *before, env=env)
        watch = () if problem in ("slow", "oversubscribed") else ("--watch", "0.3")
        for _ in range(LOOKS):
            first = self.why(job, *watch).splitlines()[0]
            if re.match(FIRST_LINES[problem], first) or not re.search(r"\bworks?\b", first):
                break
        self.end(job)
        self.assertRegex(first, "^" + FIRST_LINES[problem])

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
        job = self.start("--hosts", "localhost:2,localhost:2", "--timeout", "5", PROBLEMS, "loop")
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 124)
        self.assertRegex(err, r"(?s)^gondwana run: the job runs longer than --timeout 5 s; .*\n"
                              r"gondwana run: rank 3 keeps the others waiting: ")

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_the_reason_follows_an_interrupt_with_several_hosts(self):
        job = self.start_ready_with(("--hosts", "localhost:2,localhost:2", PROBLEMS, "loop"), None)
        time.sleep(1)  # all are where they stay
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGINT)
        self.assertRegex(err, "^gondwana run: rank 3 keeps the others waiting: ")

    def test_the_reason_follows_the_end_of_the_time_on_one_host(self):
        status, _, err = self.run_job("--timeout", "2", "-n", "4", PROBLEMS, "loop")
        self.assertEqual(status, 124)
        self.assertRegex(err, r"(?s)^gondwana run: the job runs longer than --timeout 2 s; .*\n"
                              r"gondwana run: rank 3 keeps the others waiting: it computes ")

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_ranks_that_start_are_told_at_the_end_of_the_time(self):
        script = 'if [ $GONDWANA_RANK = 1 ]; then sleep 100; fi; exec "$0" loop'
        status, _, err = self.run_job("--timeout", "2", "--hosts", "localhost:1,localhost:1", "sh", "-c", script, PROBLEMS)
        self.assertEqual(status, 124)
        self.assertRegex(err, r"(?m)^gondwana run: rank 0 is still starting$")
        self.assertRegex(err, r"(?m)^job [0-9a-f]{8}, 2 ranks of \S+ loop$")

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
        self.assertRegex(text, r"(?m)^  3 .*waits in shmem_int_wait_until on word, which is 0$")
        self.assertEqual(said["seen"][3]["wait"]["value"], 0)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_an_agent_that_is_stopped_is_named(self):
        job = self.begin_problem("loop", env=TWO_NODES)
        (agent,) = [pid for pid in self.marked() if "agent" in Path(f"/proc/{pid}/comm").read_text()][:1]
        os.kill(agent, signal.SIGSTOP)
        first = self.why(job, "--watch", "0.3").splitlines()[0]
        os.kill(agent, signal.SIGCONT)
        self.end(job)
        self.assertRegex(first, rf"^the agent of node \d on host \S+ \(process {agent}\) is stopped by a "
                                rf"signal: kill -CONT {agent} lets it go on; ranks ")

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
            rf"cannot be read: .*Operation not permitted; .*; a program that was started with "
            rf"GONDWANA_BACKTRACE=yes prints its stack and goes on if you type kill -URG {pid}\n",
        )

    def test_ranks_that_do_the_same_are_one_line(self):
        job = self.begin_problem("loop")
        text = self.why(job)
        self.end(job)
        self.assertRegex(text, r"(?m)^  0-2 +\d.* s +\d+ %  waits in shmem_barrier_all$")
        self.assertRegex(text, r"(?m)^  3 +\d+ %  is in the program$")

    def test_jobs_are_listed_and_found_by_id_and_process(self):
        job = self.begin_problem("nothing")
        job_id = json.loads(self.why(job, "--json", "--watch", "0.1"))["job"]
        listed = json.loads(tool("ps", "--json").stdout)  # and jobs of tests that run beside
        (mine,) = [row for row in listed if row["job"] == job_id]
        self.assertEqual((mine["ranks"], mine["nodes"]), (RANKS, 1))
        self.assertEqual(mine["program"], f"{PROBLEMS} nothing")
        self.assertRegex(
            tool("ps").stdout, rf"(?m)^{job_id} +4 +1 +00:00:\d\d .*{PROBLEMS} nothing$"
        )
        rank = json.loads(self.why(job, "--json"))["seen"][1]["process"]
        for name in (job_id, job_id[:6], str(rank), str(job.pid)):
            self.assertEqual(json.loads(tool("why", "--json", name).stdout)["job"], job_id)
        self.end(job)
        self.assertNotIn(job_id, tool("ps").stdout)

    def test_jobs_are_found_by_their_program(self):
        program = Path(self.folder) / "the_program"
        program.symlink_to(PROBLEMS)
        words = ("-n", str(RANKS), str(program), "nothing")
        job = self.start_ready_with(words, None)
        job_id = json.loads(self.why(job, "--json", "--watch", "0.1"))["job"]
        for command in (("why", "--watch", "0.1"), ("top", "--once", "--interval", "0.1"), ("ps",)):
            for name in ("the_program", "./the_program"):
                self.assertIn(job_id, tool(*command, name).stdout)
        other = self.start_ready_with(words, None)
        for command in ("why", "top"):
            said = tool(command, "the_program")
            self.assertEqual(said.returncode, 1)
            self.assertRegex(said.stderr, rf"^gondwana {command}: 2 jobs are possible, say which by its id:\n"
                                          rf"JOB .*\n(?s:.*)\b{job_id} .*the_program nothing\n")
        self.assertEqual(tool("ps", "the_program").stdout.count("the_program nothing"), 2)
        self.assertIn("no job of yours on this machine has the id, ", tool("ps", "no_program").stdout)
        other.terminate()
        other.wait(WATCHDOG)
        self.end(job)

    @unittest.skipIf(os.geteuid() != 0, "only root sees jobs of others")
    def test_root_sees_jobs_of_all_users(self):
        os.chmod(self.folder, 0o755)
        job = self.start_ready_with(("-n", "1", PROBLEMS, "nothing"), None, ranks=1, user=65534, group=65534,
                                    extra_groups=[])
        mine, all_users = tool("ps", PROBLEMS).stdout, tool("ps", "--all", PROBLEMS).stdout
        said = tool("why", "--all", "--watch", "0.1", str(job.pid))
        self.end(job)
        self.assertNotIn("nothing", mine)
        self.assertRegex(all_users, r"(?m)^\w+ .* (nobody|65534) +\S+ nothing$")
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_help_is_understood_before_and_behind_a_command(self):
        for words in (("run", "help"), ("help", "run"), ("run", "--help")):
            self.assertEqual(tool(*words).stdout, tool("run", "--help").stdout)
        self.assertIn("Starts a program", tool("run", "help").stdout)

    def other_host(self, script):
        """The environment in which a host "elsewhere" is what this script makes of its words."""
        return {"GONDWANA_SSH": self.write("ssh", f"#!/bin/sh\n{script}\n", 0o755)}

    def test_a_host_that_is_this_one_adds_nothing(self):
        job = self.begin_problem("loop", env=TWO_NODES if find_library("fabric") else None)
        again = self.other_host('while [ "$1" != -- ]; do shift; done; shift 2; exec "$@"')
        said = tool(
            "why", "--json", "--watch", "0.3", "--hosts", "elsewhere", str(job.pid), env=again
        )
        listed = tool("ps", "--json", "--hosts", "elsewhere", env=again)
        self.end(job)
        self.assertEqual(
            [rank["rank"] for rank in json.loads(said.stdout)["seen"]], list(range(RANKS))
        )
        self.assertEqual(len(json.loads(said.stdout)["places"]), 1)
        job_id = json.loads(said.stdout)["job"]
        (row,) = [row for row in json.loads(listed.stdout) if row["job"] == job_id]
        self.assertEqual(len(row["hosts"]), 1)

    def test_a_host_that_does_not_answer_as_it_should_is_a_sentence(self):
        job = self.begin_problem("loop")
        for script, sentence in {
            "exit 127": "host elsewhere: ssh ended with status 127; say by GONDWANA_REMOTE",
            "echo no way >&2; exit 255": "host elsewhere: ssh cannot connect: no way",
            "echo Welcome": "its first words are no message of ours: Welcome; does a start file ",
            "kill -9 $$": "host elsewhere: ssh was killed by SIGKILL",
        }.items():
            with self.subTest(script=script):
                said = tool("ps", "--hosts", "elsewhere", env=self.other_host(script))
                self.assertIn(f"{PROBLEMS} loop", said.stdout)
                self.assertIn(sentence, said.stderr)
        self.end(job)

    def test_mistakes_get_a_sentence(self):
        for words, sentence in {
            ("why", "nonsense"): "no job of yours on this machine has the id, process or program nonsense; ",
            ("why", "--watch"): '--watch "": expected seconds',
            ("why", "--watch", "-1"): '--watch "-1": expected seconds, from 0.05 to 3600',
            ("why", "--loud"): "--loud is no option; see gondwana why --help",
            ("why", "1", "2"): "one job at a time, not 1 and 2",
            ("why", "--hosts", ""): "--hosts: a host without a name",
            ("ps", "-l"): "-l is no option; see gondwana ps --help",
            ("whi",): "did you mean why?",
            ("rnu",): "did you mean run?",
            ("./a.out", "7"): "gondwana run -n 4 ./a.out 7 starts it as 4 ranks",
            ("-n", "4", "a.out"): "did you mean gondwana run -n 4 a.out?",
        }.items():
            with self.subTest(words=words):
                said = tool(*words)
                self.assertEqual(
                    (said.returncode, said.stdout, said.stderr.count("\n")), (1, "", 1)
                )
                self.assertIn(sentence, said.stderr)
        for command in ("ps", "why"):
            said = tool(command, "--help")
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            self.assertTrue(said.stdout.startswith(f"Usage: gondwana {command} "))

    def test_the_end_of_a_job_during_the_watch(self):
        job = self.begin_problem("input", stdin=subprocess.PIPE)
        texts = [("why", "--watch", "3"), ("top", "--once", "--interval", "3")]
        tools = [
            subprocess.Popen(
                [job_case.GONDWANA, *words, *more, str(job.pid)], stdout=subprocess.PIPE, text=True
            )
            for words in texts
            for more in ((), ("--json",))
        ]
        for each in tools:
            self.addCleanup(self.close, each)
            maps = f"/proc/{each.pid}/maps"
            self.assertTrue(eventually(lambda: "gondwana-control" in Path(maps).read_text()))
        job.stdin.close()
        self.assertEqual(job.wait(WATCHDOG), 0)
        why, why_json, top, top_json = (each.communicate(timeout=WATCHDOG)[0] for each in tools)
        self.assertEqual([each.returncode for each in tools], [0] * 4)
        ended, program = "the job has ended while it was watched", f"{PROBLEMS} input"
        self.assertEqual(why.splitlines()[0], ended)
        self.assertRegex(why.splitlines()[1], rf"^job \w+, {RANKS} ranks of {program}$")
        self.assertRegex(top.splitlines()[0], rf"^job \w+, {RANKS} ranks on 1 node, {program}$")
        self.assertEqual(top.splitlines()[1], ended)
        said = json.loads(why_json)
        self.assertEqual((said["ended"], said["findings"]), (True, [ended]))
        self.assertEqual((said["culprits"], said["program"]), ([], program))
        self.assertTrue(json.loads(top_json)["ended"])

    def test_output_that_cannot_be_written_is_told(self):
        job = self.begin_problem("nothing")
        pid = str(job.pid)
        said = {}
        for words in (
            ("ps",),
            ("ps", "--json"),
            ("why", "--watch", "0.1", pid),
            ("top", "--once", "--interval", "0.1", pid),
            ("top", "--json", "--interval", "0.1", pid),
            ("top", "--interval", "0.1", "--serve", "127.0.0.1:0", pid),
            ("info",),
            ("info", "--json"),
            ("bench", "--help"),
            ("run", "--show", "-n", "1", PROBLEMS),
            ("run", "-n", "1", "/bin/echo", "text"),
            ("--version",),
        ):
            with open("/dev/full", "w") as full:
                said[words] = subprocess.run(
                    [job_case.GONDWANA, *words],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    text=True,
                    timeout=WATCHDOG,
                    check=False,
                )
        self.end(job)
        for words, result in said.items():
            with self.subTest(words=words):
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, r"(?m)^gondwana.*cannot .*writ.*: .+$")

    def test_a_program_that_no_launcher_started_is_found(self):
        job = subprocess.Popen(
            [PROBLEMS, "nothing"], env=self.environment(), stdout=subprocess.PIPE
        )
        self.addCleanup(self.close, job)
        job.stdout.readline()
        said = json.loads(tool("why", "--json", str(job.pid)).stdout)
        self.assertEqual((said["ranks"], said["seen"][0]["process"]), (1, job.pid))
        job.kill()
        job.wait(WATCHDOG)

    def begin_by_mpirun(self, problem="loop", **more):
        if not MPIRUN:
            self.skipTest("no mpirun here")
        root = ("--allow-run-as-root",) if os.geteuid() == 0 else ()
        job = subprocess.Popen(
            [MPIRUN, *root, "--oversubscribe", "-n", "4", PROBLEMS, problem],
            env=self.environment(),
            stdout=subprocess.PIPE,
            text=True,
            **more,
        )
        self.addCleanup(self.close, job)
        for _ in range(RANKS):
            self.assertEqual(job.stdout.readline(), "ready\n")
        time.sleep(0.3)
        return job

    def test_a_job_of_another_launcher_is_found_without_its_first_rank(self):
        job = self.begin_by_mpirun()
        said = json.loads(self.why(job, "--json", "--watch", "0.3"))
        os.kill(job.pid, signal.SIGSTOP)  # it would end the others
        os.kill(said["seen"][0]["process"], signal.SIGKILL)
        # Other ranks see it and end, too.
        self.assertTrue(
            eventually(
                lambda: (
                    " ended without leaving the job"
                    in tool("why", "--watch", "0.1", said["job"]).stdout
                )
            )
        )
        last = json.loads(tool("why", "--json", "--watch", "0.3", said["job"]).stdout)
        os.kill(job.pid, signal.SIGCONT)
        job.terminate()
        job.wait(WATCHDOG)
        self.assertTrue(self.nobody_left())
        self.assertEqual(last["seen"][0]["does"], "has ended without leaving the job")

    def test_arguments_are_shown_without_control_characters(self):
        words = ("-n", str(RANKS), PROBLEMS, "word", "\033]0;owned\a", "line\n99999999 forged\u009b")
        job = self.start_ready_with(words, None)
        shown = [tool("ps").stdout, self.why(job, "--watch", "0.1"),
                 tool("top", "--once", "--interval", "0.1", str(job.pid)).stdout]
        raw = json.loads(self.why(job, "--watch", "0.1", "--json"))["program"]
        self.end(job)
        for text in shown:
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
            self.assertNotRegex(text, r"(?m)^99999999")
            self.assertIn(r" \x1b]0;owned\x07 line\n99999999 forged\xc2\x9b", text)
        self.assertTrue(raw.endswith("word \033]0;owned\a line\n99999999 forged\u009b"), raw)

    def test_a_child_that_outlives_the_ranks_is_no_job(self):
        job = self.begin_by_mpirun("child", stdin=subprocess.PIPE)
        job_id = json.loads(self.why(job, "--json", "--watch", "0.1"))["job"]
        job.stdin.close()
        self.assertEqual(job.wait(WATCHDOG), 0)
        (child,) = self.marked()
        listed = tool("ps").stdout
        os.kill(child, signal.SIGKILL)
        self.assertTrue(self.nobody_left())
        self.assertNotIn(job_id, listed)

    def test_a_job_of_another_launcher_is_found(self):
        job = self.begin_by_mpirun()
        text = self.why(job)
        job.terminate()
        job.wait(WATCHDOG)
        self.assertTrue(self.nobody_left())
        self.assertRegex(text, "^" + FIRST_LINES["loop"])
        self.assertIn("compute_for_ever at ", text)


if __name__ == "__main__":
    PROBLEMS, MPIRUN = os.path.abspath(sys.argv.pop(2)), sys.argv.pop(2)
    run_tests()
