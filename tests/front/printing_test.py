"""What ranks print is there when they have printed it: `printing_test.py GONDWANA PROGRAM`."""

import os
import signal
import subprocess
import sys
import unittest

GONDWANA = ""
PROGRAM = ""
WATCHDOG = 60  # seconds: against hangs only
QUIET = {"ASAN_OPTIONS": "handle_segv=0:detect_leaks=0"}


def begin(how, ranks=2, variables=(), launcher=True):
    command = [GONDWANA, "run", "-n", str(ranks), "--timeout", str(WATCHDOG)] if launcher else []
    return subprocess.Popen([*command, PROGRAM, how], env={**os.environ, **QUIET, **dict(variables)},
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def output_of(how, **more):
    with begin(how, **more) as job:
        return sorted(job.communicate(timeout=WATCHDOG)[0].splitlines())


def lines_before_the_end(job, ranks):
    """What the ranks print until they have said the last line, which stay alive."""
    lines, ended = [], 0
    while ended < ranks:
        lines.append(job.stdout.readline().rstrip("\n"))
        ended += lines[-1].startswith("the end")
        if not lines[-1]:
            raise AssertionError(f"after {lines[-5:]} nothing came: {job.stderr.read()}")
    job.send_signal(signal.SIGTERM)
    job.communicate(timeout=WATCHDOG)
    return lines


WORDS = sorted(f"{language} of rank {rank}" for language in ("C", "C++") for rank in range(2))
MANY = [f"line {i} of rank " for i in range(100000)] + ["the end of rank "]


class Printing(unittest.TestCase):
    def assert_many(self, lines, ranks):
        for rank in range(ranks):
            own = [line for line in lines if line.endswith(f"rank {rank}")]
            self.assertEqual(own, [f"{line}{rank}" for line in MANY])

    def test_lines_of_ranks_that_are_killed_appear(self):
        for how in ("kill", "crash"):
            with self.subTest(how=how):
                self.assertEqual(output_of(how), WORDS)

    def test_lines_appear_while_the_rank_goes_on(self):
        with begin("stay") as job:
            lines = sorted(job.stdout.readline().rstrip("\n") for _ in WORDS)
            job.send_signal(signal.SIGTERM)
            job.communicate(timeout=WATCHDOG)
        self.assertEqual(lines, WORDS)

    def test_lines_into_a_pipe_appear_without_our_launcher(self):
        self.assertEqual(output_of("kill", launcher=False), ["C of rank 0", "C++ of rank 0"])

    def test_it_can_be_switched_off(self):
        self.assertEqual(output_of("kill", variables={"GONDWANA_STDOUT_BUFFER": "full"}), [])

    def test_a_buffer_of_the_program_stays(self):
        self.assertEqual(output_of("own"), [])

    def test_many_lines_are_whole_and_the_last_appears_at_once(self):
        with begin("flood") as job:
            self.assert_many(lines_before_the_end(job, 2), 2)

    def test_the_last_of_many_lines_of_a_crash_appear(self):
        with begin("flood-crash", ranks=1) as job:
            self.assert_many(job.communicate(timeout=WATCHDOG)[0].splitlines(), 1)

    def test_fortran_and_python_are_told_unless_the_user_has_said_otherwise(self):
        def told(*words):
            script = 'echo "${GFORTRAN_UNBUFFERED_PRECONNECTED-unset} ${PYTHONUNBUFFERED-unset}"'
            environment = {name: value for name, value in os.environ.items()
                           if name not in ("GFORTRAN_UNBUFFERED_PRECONNECTED", "PYTHONUNBUFFERED")}
            return subprocess.run([GONDWANA, "run", "-n", "1", *words, "sh", "-c", script], env=environment,
                                  capture_output=True, text=True, timeout=WATCHDOG, check=True).stdout

        self.assertEqual(told(), "y 1\n")
        self.assertEqual(told("-x", "PYTHONUNBUFFERED="), "y \n")
        self.assertEqual(told("-x", "GONDWANA_STDOUT_BUFFER=full"), "unset unset\n")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    GONDWANA = sys.argv.pop()
    unittest.main()
