"""How jobs of GASNet-EX end: `ends_test.py GONDWANA PROGRAM`."""

import os
import subprocess
import sys
import unittest
from ctypes.util import find_library

GONDWANA = ""
PROGRAM = ""
WATCHDOG = 60  # seconds: against hangs only


def run(*options_and_words, **variables):
    at = options_and_words.index("--")
    command = [GONDWANA, "run", *options_and_words[:at], PROGRAM, *options_and_words[at + 1 :]]
    return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True,
                          timeout=WATCHDOG, check=False)


class Ends(unittest.TestCase):
    def test_messages_under_way_are_no_fault_of_a_job_that_ends(self):
        for how, status in (("all", 0), ("all", 5), ("main", 0), ("one", 5)):
            with self.subTest(how=how, status=status):
                ended = run("-n", "3", "--", how, str(status))
                self.assertEqual((ended.returncode, ended.stderr), (status, ""))

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_messages_to_other_nodes_are_none_either(self):
        for how, status in (("all", 0), ("main", 0), ("one", 5)):
            for route in ("endpoint", "agent"):
                with self.subTest(how=how, status=status, route=route):
                    ended = run("--hosts", "localhost:2,localhost:2", "--", how, str(status),
                                GONDWANA_ROUTE=route)
                    self.assertEqual((ended.returncode, ended.stderr), (status, ""))

    def test_a_job_that_ends_elsewhere_is_told_by_SIGQUIT(self):
        for how, right, told in (("alone", 3, 2), ("crash", 134, 2), ("INT", 4, 3), ("TERM", 4, 3)):
            with self.subTest(how=how):
                ended = run("-n", "3", "--", how, "3", "quit")
                self.assertEqual((ended.returncode, ended.stdout), (right, told * "SIGQUIT\n"))


if __name__ == "__main__":
    GONDWANA, PROGRAM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
