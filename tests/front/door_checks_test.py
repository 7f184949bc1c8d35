"""What GONDWANA_DEBUG finds in OpenSHMEM programs: `door_checks_test.py GONDWANA FOLDER_OF_PROGRAMS`."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

import door_case  # noqa: E402
from door_case import WATCHDOG, program, run, run_tests  # noqa: E402


class Checks(unittest.TestCase):
    def assert_told(self, how, status, *patterns, **variables):
        ended = run(3, "watched", how, **(variables or {"SHMEM_DEBUG": "1"}))
        for pattern in patterns:
            self.assertEqual(len(re.findall(pattern, ended.stderr)), 1, ended.stderr)
        self.assertEqual(ended.returncode, status, ended.stderr)
        return ended

    def test_arguments_are_told_by_name_and_value(self):
        self.assert_told(
            "misaligned", 1, r"rank 2: shmem_long_put: argument dest is 0x\w+: not aligned to 8 bytes"
        )
        self.assert_told("null", 1, r"rank 2: shmem_long_put: argument source is null: expected the")
        self.assert_told("local", 1, r"rank 2: shmem_long_p: argument dest is 0x\w+: not symmetric")

    def test_transfers_must_stay_in_a_block_of_the_heap(self):
        self.assert_told(
            "overflow", 1, r"rank 2: shmem_putmem: argument dest is (0x\w+): "
            r"512 B starting at byte 0 exceed the block of 80 B at \1[ \n]")
        self.assert_told(
            "freed", 1, r"rank 2: shmem_getmem: argument source is 0x\w+: 8 B are in no block of the "
            r"symmetric heap: the block was freed, or there never was one")

    def test_every_name_and_value_of_the_variable_switches_checks_on(self):
        for name, value in (("SHMEM_DEBUG", "0"), ("SMA_DEBUG", ""), ("GONDWANA_DEBUG", "yes")):
            with self.subTest(name=name):
                self.assert_told("misaligned", 1, "not aligned to 8 bytes", **{name: value})
        self.assert_told("misaligned", 0, SHMEM_DEBUG="1", GONDWANA_DEBUG="no")

    def test_threads_that_must_not_call_are_told(self):
        for how, level in (("single", "SINGLE"), ("funneled", "FUNNELED")):
            self.assert_told(
                how, 1, rf"shmem_my_pe: called by a thread other .* SHMEM_THREAD_{level}; request"
            )
        self.assert_told("serialized", 0)
        self.assert_told("end", 1, r"shmem_finalize: called by a thread other than the one that")
        self.assert_told(
            "private", 1, r"shmem_ctx_long_p: argument ctx is a context with SHMEM_CTX_PRIVATE"
        )

    def test_a_private_context_that_is_left_over_gets_a_warning(self):
        self.assert_told(
            "left", 0, r"warning: rank 2: shmem_finalize: a context with SHMEM_CTX_PRIVATE is not"
        )

    def test_collectives_that_do_not_match_are_told_once_with_both_calls(self):
        self.assert_told(
            "collective",
            1,
            r"rank 2 is in shmem_long_sum_reduce \(team 0, 5 elements of 8 B, dest at symmetric "
            r"offset 0x\w+, source at symmetric offset 0x\w+\) while rank 0 is in "
            r"shmem_broadcastmem \(team 0, 8 bytes, root 0, ",
        )
        self.assert_told(
            "malloc",
            1,
            r"rank 2 is in shmem_malloc \(team 0, 200 bytes aligned to 64\) while rank 0 is in "
            r"shmem_malloc \(team 0, 100 bytes",
        )

    def test_programs_that_do_nothing_wrong_are_told_nothing(self):
        for how in ("", "exit"):
            ended = self.assert_told(how, 0)
            self.assertEqual((ended.stdout, ended.stderr), ("", ""))
        for name in ("globals", "lifecycle"):
            ended = run(4, name, SHMEM_DEBUG="1")
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_ranks_that_disagree_on_checks_are_told(self):
        command = [door_case.GONDWANA, "run", "-n", "1", program("watched")]
        command += [":", "-n", "1", "-x", "SHMEM_DEBUG=1", program("watched")]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=WATCHDOG, check=False
        )
        self.assertRegex(ended.stderr, r"this rank checks its calls, rank 0 does not; set SHMEM_")
        self.assertEqual(ended.returncode, 1)


if __name__ == "__main__":
    run_tests()
