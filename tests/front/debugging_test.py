"""Debugging tools find errors in a program: `debugging_test.py GONDWANA PROGRAM ASAN_PROGRAM`.

ASAN_PROGRAM is the same program, built with AddressSanitizer, or "none". Beside it lies ASAN_PROGRAM_static, which is
linked with the static library.
"""

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import unittest

GONDWANA = ""
PROGRAM = ""
ASAN_PROGRAM = ""
WATCHDOG = 250  # seconds: against hangs only
MOST_MEMORY_KIB = 4 << 20  # the leak search of valgrind took 17 GB
DAMAGES = ("overflow", "underflow", "put", "pointer", "freed", "shrunk")


def run(*command, **variables):
    # The sanitizer leaves crashes to the handler under test.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True,
                          errors="replace", timeout=WATCHDOG, check=False)


def run_job(ranks, *command, **variables):
    return run(GONDWANA, "run", "-n", str(ranks), *command, **variables)


@unittest.skipIf(shutil.which("valgrind") is None, "valgrind is not installed")
class Valgrind(unittest.TestCase):
    def test_a_program_runs_and_leaks_are_searched(self):
        ended = run("valgrind", "--leak-check=full", PROGRAM, "nothing")
        self.assertEqual((ended.returncode, ended.stdout), (0, "went on\n"), ended.stderr)
        self.assertIn("ERROR SUMMARY: 0 errors", ended.stderr)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(most, MOST_MEMORY_KIB)

    def test_ranks_of_a_job_run(self):
        ended = run_job(2, "valgrind", PROGRAM, "nothing")
        self.assertEqual((ended.returncode, ended.stdout), (0, "went on\n"), ended.stderr)
        self.assertEqual(ended.stderr.count("ERROR SUMMARY: 0 errors"), 2, ended.stderr)

    def test_damage_to_blocks_is_found(self):
        for damage in DAMAGES:
            with self.subTest(damage=damage):
                ended = run_job(2, "valgrind", "--error-exitcode=9", PROGRAM, damage)
                self.assertRegex(ended.stderr, r"Invalid (read|write) of size")
                self.assertRegex(ended.stderr, r"\(damage\.c:\d+\)")


class AddressSanitizer(unittest.TestCase):
    def setUp(self):
        if ASAN_PROGRAM == "none":
            self.skipTest("no program with AddressSanitizer")

    def test_a_program_runs(self):
        for program in (ASAN_PROGRAM, ASAN_PROGRAM + "_static"):
            for ranks in (1, 2):
                with self.subTest(program=program, ranks=ranks):
                    ended = run_job(ranks, program, "nothing")
                    self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "went on\n", ""))

    def test_damage_to_variables_is_found(self):
        for program in (ASAN_PROGRAM, ASAN_PROGRAM + "_static"):
            with self.subTest(program=program):
                ended = run_job(2, program, "variable")
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn("global-buffer-overflow", ended.stderr)

    def test_damage_to_blocks_is_found(self):
        for damage in DAMAGES:
            with self.subTest(damage=damage):
                ended = run_job(2, ASAN_PROGRAM, damage)
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn("use-after-poison", ended.stderr)
                self.assertRegex(ended.stderr, r"damage\.c:\d+")


class Crashes(unittest.TestCase):
    def test_nothing_is_said_unless_asked(self):
        ended = run_job(2, PROGRAM, "crash")
        self.assertEqual(ended.returncode, 128 + signal.SIGSEGV)
        self.assertNotIn("#0", ended.stderr)

    def test_the_stack_of_a_crash_is_printed(self):
        for name in ("GONDWANA_BACKTRACE", "GASNET_BACKTRACE"):
            for kind in ("crash", "thread"):
                ended = run_job(2, PROGRAM, kind, **{name: "1"})
                self.assertEqual(ended.returncode, 128 + signal.SIGSEGV)
                self.assertRegex(ended.stderr, r"gondwana: rank 0: SIGSEGV: no access to address")
                self.assertRegex(ended.stderr, r"(?m)#0 .*(fall_over|damage)")
                self.assertRegex(ended.stderr, r"rank 0 .* was killed by SIGSEGV")

    def test_an_abort_and_a_stack_that_ran_over_are_told(self):
        for kind, number in (("abort", signal.SIGABRT), ("stack", signal.SIGSEGV)):
            ended = run_job(1, PROGRAM, kind, GONDWANA_BACKTRACE="yes")
            self.assertEqual(ended.returncode, 128 + number)
            self.assertIn(f"rank 0: {number.name}", ended.stderr)
            self.assertIn(" #1 ", ended.stderr)

    def test_a_rank_prints_its_stack_on_request_and_goes_on(self):
        ended = run_job(2, PROGRAM, "ask", GONDWANA_BACKTRACE="yes")
        self.assertEqual((ended.returncode, ended.stdout), (0, "went on\n"))
        self.assertIn("gondwana: rank 0: its stack, because SIGURG came\n", ended.stderr)
        self.assertRegex(ended.stderr, r"(?m)#\d+ .*(ask_for_stack|damage)")
        ended = run_job(2, PROGRAM, "ask")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "went on\n", ""))

    def test_files_and_lines_are_known_with_libbacktrace(self):
        ended = run_job(1, PROGRAM, "crash", GONDWANA_BACKTRACE="yes")
        if not re.search(r"#0 \w+ at ", ended.stderr):
            self.skipTest("built without libbacktrace")
        self.assertRegex(ended.stderr, r"#0 fall_over at \S*damage\.c:\d+")
        self.assertRegex(ended.stderr, r"#\d main at \S*damage\.c:\d+")


if __name__ == "__main__":
    ASAN_PROGRAM = sys.argv.pop()
    PROGRAM = sys.argv.pop()
    GONDWANA = sys.argv.pop()
    unittest.main()
