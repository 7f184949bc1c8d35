"""What `gondwana top` shows: `top_test.py GONDWANA PROBLEMS`."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import WATCHDOG, run_tests
from launcher_case import LauncherCase

PROBLEMS = ""
COLUMNS = ["rank", "operations", "put_bytes", "get_bytes", "messages", "sleeps", "waited", "computed",
           "under_way", "does"]


def top(*words):
    return subprocess.run([job_case.GONDWANA, "top", *words], capture_output=True, text=True,
                          timeout=WATCHDOG, check=False)


class TopTest(LauncherCase):
    def begin_problem(self, problem, ranks=4, env=None):
        words = ("-n", str(ranks), PROBLEMS, problem)
        return super(LauncherCase, self).start_ready(*words, ranks=ranks, program=(), env=env)

    def end(self, job):
        job.terminate()
        job.wait(WATCHDOG)
        self.assertTrue(self.nobody_left())

    def seen(self, job):
        said = top("--json", "--interval", "0.5", str(job.pid))
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return json.loads(said.stdout)["ranks"]

    def test_rates_are_those_of_the_job(self):
        job = self.begin_problem("nothing")  # a barrier every 20 ms
        ranks = self.seen(job)
        self.end(job)
        for number, rank in enumerate(ranks):
            self.assertEqual((list(rank), rank["rank"]), (COLUMNS, number))
            self.assertGreater(rank["operations"], 2)
            self.assertLess(rank["operations"], 51)
            self.assertEqual((rank["put_bytes"], rank["under_way"]), (0, 0))

    def test_a_rank_that_makes_the_others_wait_is_last_by_waits(self):
        job = self.begin_problem("slow")
        lines = top("--once", "--sort", "waited", str(job.pid)).stdout.splitlines()
        self.end(job)
        self.assertRegex(lines[0], rf"^job \w+, 4 ranks on 1 node, {re.escape(PROBLEMS)} slow$")
        self.assertEqual(lines[2].split()[:2], ["RANK", "OPS/S"])
        self.assertEqual([line.split()[0] for line in (lines[3], lines[-1])], ["all", "3"])

    def test_sixty_four_ranks_in_rows_of_nodes(self):
        job = self.begin_problem("nothing", ranks=64)
        ranks = self.seen(job)
        by_node = top("--once", "--nodes", "--interval", "0.2", str(job.pid)).stdout.splitlines()
        self.end(job)
        self.assertEqual(len(ranks), 64)
        self.assertRegex(by_node[-1], r"^ +0 .* 64 ranks from 0 on ")
        self.assertEqual(len(by_node), 5)

    def test_the_screen_answers_keys_until_q(self):
        job = self.begin_problem("nothing")
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "xterm"
            os.execv(job_case.GONDWANA, ["gondwana", "top", "--interval", "0.1", str(job.pid)])
        self.read_until(terminal, b"works")
        os.write(terminal, b"n")
        self.read_until(terminal, b"NODE")  # all letters of RANK change
        os.write(terminal, b"q")
        self.read_until(terminal, b"\x1b[?1049l")  # the screen before it comes back
        self.assertEqual(os.waitpid(process, 0)[1], 0)
        os.close(terminal)
        self.end(job)

    def read_until(self, terminal, wanted):
        shown = b""
        end = time.monotonic() + WATCHDOG
        while wanted not in shown:
            self.assertLess(time.monotonic(), end, shown[-500:])
            if select.select([terminal], [], [], 1)[0]:
                try:
                    shown += os.read(terminal, 65536)
                except OSError:  # the other end is closed
                    self.fail(shown[-500:])
        return shown

    def test_mistakes_get_a_sentence(self):
        for words, sentence in {
            ("--sort", "speed"): '--sort "speed": expected rank, operations, ',
            ("--interval", "0"): '--interval "0": expected seconds, from 0.05 to 3600',
            ("--interval",): '--interval ""',
            ("--fast",): "--fast is no option; see gondwana top --help",
            ("1", "2"): "one job at a time, not 1 and 2",
            ("nonsense",): "is, or has the process, nonsense",
        }.items():
            with self.subTest(words=words):
                said = top(*words)
                self.assertEqual((said.returncode, said.stdout, said.stderr.count("\n")), (1, "", 1))
                self.assertIn(sentence, said.stderr)
        self.assertTrue(top("--help").stdout.startswith("Usage: gondwana top "))


if __name__ == "__main__":
    PROBLEMS = os.path.abspath(sys.argv.pop(2))
    run_tests()
