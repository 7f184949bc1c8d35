"""Debugging tools find errors in a program: `debugging_test.py GONDWANA PROGRAM ASAN_PROGRAM [CLASS]`.

ASAN_PROGRAM is the same program, built with AddressSanitizer, or "none". Beside each lies NAME_static, which is linked
with the static library.
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
    def test_the_place_and_the_frames_of_the_program_are_told_once(self):
        for kind in ("crash", "thread"):
            with self.subTest(kind=kind):
                ended = run_job(2, PROGRAM, kind)
                self.assertEqual(ended.returncode, 128 + signal.SIGSEGV)
                place = r"SIGSEGV: no access to address \(nil\), in fall_over(, damage\.c:\d+)?\n"
                self.assertEqual(len(re.findall(rf"(?m)^gondwana: rank 0: {place}", ended.stderr)), 1)
                self.assertRegex(ended.stderr, r"(?m)^(gondwana: rank 0: )?  #1 crash( at .*damage\.c:\d+)?$")
                self.assertEqual("#2 main" in ended.stderr, kind == "crash", ended.stderr)
                self.assertNotIn("#3", ended.stderr)
                self.assertRegex(ended.stderr, r"rank 0 .* was killed by SIGSEGV")

    def test_kinds_of_crashes_are_told_by_what_they_are(self):
        for kind, number, told in (
            ("abort", signal.SIGABRT, r"SIGABRT, in give_up.*, which called abort"),
            ("stack", signal.SIGSEGV, r"SIGSEGV: no access to address 0x\w+, the stack overflowed"),
            ("call", signal.SIGSEGV, r"SIGSEGV: no access to address \(nil\), in call_nowhere"),
            ("device", signal.SIGSEGV, r"SIGSEGV: no access to address 0x\w+, which is device memory: only copies can access it, in touch_device"),
            ("divide", signal.SIGFPE, r"SIGFPE, in divide"),
            ("child", signal.SIGABRT, r"a child process that it forked: SIGABRT, in crash_of_child"),
        ):
            with self.subTest(kind=kind):
                ended = run_job(1, PROGRAM, kind, GONDWANA_EMULATED_DEVICES="1")
                self.assertEqual(ended.returncode, 0 if kind == "child" else 128 + number)
                self.assertRegex(ended.stderr, f"(?m)^gondwana: rank 0: {told}")
                self.assertLess(ended.stderr.count("\n"), 13, ended.stderr)

    def test_functions_of_a_program_with_the_static_library_are_known(self):
        ended = run_job(1, PROGRAM + "_static", "crash")
        self.assertEqual(ended.returncode, 128 + signal.SIGSEGV)
        frames = r"SIGSEGV: .*, in fall_over\n.*#0 fall_over\n.*#1 crash\n.*#2 main\n"
        self.assertRegex(ended.stderr, frames)

    def test_a_handler_of_the_program_is_left_alone(self):
        ended = run_job(1, PROGRAM, "handler")
        self.assertEqual((ended.returncode, ended.stdout), (3, "handled\n"))
        self.assertNotIn("gondwana: rank", ended.stderr)

    def test_nothing_is_said_where_that_is_unwanted(self):
        ended = run_job(1, PROGRAM, "crash", GONDWANA_BACKTRACE="no")
        self.assertEqual(ended.returncode, 128 + signal.SIGSEGV)
        self.assertNotIn("gondwana: rank", ended.stderr)

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
        self.assertIn("gondwana: rank 0: its stack, because it received SIGURG\n", ended.stderr)
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
    GONDWANA, PROGRAM, ASAN_PROGRAM = sys.argv[1:4]
    del sys.argv[1:4]
    unittest.main()
