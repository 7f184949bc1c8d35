"""How `gondwana ps`, `why` and `top` find jobs, and how they list them: `jobs_test.py GONDWANA PROBLEMS MPIRUN`."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from ctypes.util import find_library
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
import why_case
from job_case import WATCHDOG
from processes import eventually
from why_case import RANKS, TWO_NODES, WhyCase, run_tests, tool


class JobsTest(WhyCase):
    def test_jobs_are_listed_and_found_by_id_and_process(self):
        job = self.begin_problem("nothing")
        job_id = json.loads(self.why(job, "--json", "--watch", "0.1"))["job"]
        listed = json.loads(tool("ps", "--json").stdout)  # and jobs of tests that run beside
        (mine,) = [row for row in listed if row["job"] == job_id]
        self.assertEqual((mine["ranks"], mine["nodes"]), (RANKS, 1))
        self.assertEqual(mine["program"], f"{why_case.PROBLEMS} nothing")
        self.assertRegex(
            tool("ps").stdout, rf"(?m)^{job_id} +4 +1 +00:00:\d\d .*{why_case.PROBLEMS} nothing$"
        )
        rank = json.loads(self.why(job, "--json"))["seen"][1]["process"]
        for name in (job_id, job_id[:6], str(rank), str(job.pid)):
            self.assertEqual(json.loads(tool("why", "--json", name).stdout)["job"], job_id)
        self.end(job)
        self.assertNotIn(job_id, tool("ps").stdout)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_jobs_on_several_hosts_are_found_by_their_program(self):
        program = Path(self.folder) / "far_program"
        program.symlink_to(why_case.PROBLEMS)
        job = self.start_ready_with(("--hosts", "localhost:2,localhost:2", str(program), "nothing"), None)
        why = json.loads(tool("why", "--json", "--watch", "0.1", "far_program").stdout)
        top = json.loads(tool("top", "--json", "--interval", "0.1", "far_program").stdout)
        listed = tool("ps", "far_program").stdout
        self.end(job)
        for ranks in (why["seen"], top["ranks"]):
            self.assertEqual([rank["rank"] for rank in ranks], list(range(RANKS)))
        self.assertEqual(listed.count("far_program nothing"), 1)

    def test_jobs_are_found_by_their_program(self):
        program = Path(self.folder) / "the_program"
        program.symlink_to(why_case.PROBLEMS)
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
            self.assertRegex(said.stderr, rf"^gondwana {command}: 2 jobs match; choose one by its id:\n"
                                          rf"JOB .*\n(?s:.*)\b{job_id} .*the_program nothing\n")
        self.assertEqual(tool("ps", "the_program").stdout.count("the_program nothing"), 2)
        self.assertIn("no job of yours on this machine has the id, ", tool("ps", "no_program").stdout)
        other.terminate()
        other.wait(WATCHDOG)
        self.end(job)

    @unittest.skipIf(os.geteuid() != 0, "only root sees jobs of others")
    def test_root_sees_jobs_of_all_users(self):
        os.chmod(self.folder, 0o755)
        job = self.start_ready_with(("-n", "1", why_case.PROBLEMS, "nothing", "else"), None, ranks=1, user=65534, group=65534,
                                    extra_groups=[])
        mine, all_users = tool("ps", why_case.PROBLEMS).stdout, tool("ps", "--all", why_case.PROBLEMS).stdout
        said = tool("why", "--all", "--watch", "0.1", str(job.pid))
        self.end(job)
        self.assertNotIn("nothing else", mine)
        self.assertRegex(all_users, r"(?m)^\w+ .* (nobody|65534) +\S+ nothing else$")
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
            "exit 127": "host elsewhere: ssh ended with status 127; set GONDWANA_REMOTE",
            "echo no way >&2; exit 255": "host elsewhere: ssh cannot connect: no way",
            "echo Welcome": 'is not from Gondwana: "Welcome"; does a startup file ',
            "kill -9 $$": "host elsewhere: ssh was killed by SIGKILL",
        }.items():
            with self.subTest(script=script):
                said = tool("ps", "--hosts", "elsewhere", env=self.other_host(script))
                self.assertIn(f"{why_case.PROBLEMS} loop", said.stdout)
                self.assertIn(sentence, said.stderr)
        self.end(job)

    def test_mistakes_get_a_sentence(self):
        for words, sentence in {
            ("why", "nonsense"): "no job of yours on this machine has the id, process or program nonsense; ",
            ("why", "--watch"): "--watch needs a value: SECONDS; see gondwana why --help",
            ("why", "--watch", "-1"): '--watch "-1": expected seconds, from 0.05 to 3600',
            ("why", "--loud"): "--loud is not an option; see gondwana why --help",
            ("why", "1", "2"): "one job at a time, not 1 and 2",
            ("why", "--stack"): "--stack is not an option; did you mean --stacks?",
            ("why", "--watch=1", "--watch=2"): "--watch is given twice",
            ("why", "--hosts", ""): '--hosts "": its value is empty',
            ("why", "--hosts", ","): "--hosts: a host without a name",
            ("ps", "-l"): "-l is not an option; see gondwana ps --help",
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
        ended, program = "the job has ended while it was watched", f"{why_case.PROBLEMS} input"
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
            ("run", "--show", "-n", "1", why_case.PROBLEMS),
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
            [why_case.PROBLEMS, "nothing"], env=self.environment(), stdout=subprocess.PIPE
        )
        self.addCleanup(self.close, job)
        job.stdout.readline()
        said = json.loads(tool("why", "--json", str(job.pid)).stdout)
        self.assertEqual((said["ranks"], said["seen"][0]["process"]), (1, job.pid))
        job.kill()
        job.wait(WATCHDOG)

    def begin_by_mpirun(self, problem="loop", **more):
        if not why_case.MPIRUN:
            self.skipTest("no mpirun here")
        root = ("--allow-run-as-root",) if os.geteuid() == 0 else ()
        job = subprocess.Popen(
            [why_case.MPIRUN, *root, "--oversubscribe", "-n", "4", why_case.PROBLEMS, problem],
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
        words = ("-n", str(RANKS), why_case.PROBLEMS, "word", "\033]0;owned\a", "line\n99999999 forged\u009b")
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
        self.assertRegex(text, "^rank 3 keeps the others waiting: it computes in the program, ")
        self.assertIn("compute_for_ever at ", text)


if __name__ == "__main__":
    run_tests()
