"""Errors of programs of GASNet-EX are told: `misuse_test.py GONDWANA PROGRAM`."""

import subprocess
import sys
import unittest

GONDWANA = ""
PROGRAM = ""
WATCHDOG = 60  # seconds: against hangs only

# What rank 0 of two does wrong, and its error message.
MESSAGES = {
    "rank": r"gex_RMA_Put: rank 2: the team has 2 members, 0 to 1 \(in ",
    "root": r"gex_Coll_Broadcast\w*: root 3: the team has 2 members, 0 to 1 \(in do_wrong",
    "stack": r"gex_RMA_Put: 8 bytes at 0x\w+: not in the segment of rank 1, .* starting at 0x\w+; it is on the stack of do_wrong \(in",
    "own": r"gex_RMA_Put: 8 bytes at 0x\w+: not in the segment of rank 1, .* starting at 0x\w+; it is memory of rank 0 \(in",
    "past": r"gex_RMA_Put: 8 bytes at 0x\w+: not in the segment of rank 1, which has 1048576 bytes starting at 0x\w+ \(in",
    "segment": r"gex_Segment_Attach: a segment of 1000 bytes: expected a multiple of the page size, \d+ "
    r"\(GASNET_ERR_BAD_ARG\) \(in do_wrong",
}


def run(*options_and_words):
    return subprocess.run([GONDWANA, "run", *options_and_words], capture_output=True, text=True,
                          timeout=WATCHDOG, check=False)


class Misuse(unittest.TestCase):
    def test_is_told_with_rank_call_place_and_reason(self):
        for how, message in MESSAGES.items():
            with self.subTest(how=how):
                ended = run("-n", "2", PROGRAM, how)
                self.assertRegex(ended.stderr, "gondwana: rank 0: " + message)
                self.assertEqual(ended.returncode, 1)

    def test_a_program_without_launcher_is_told_how_to_start(self):
        ended = run("-n", "1", PROGRAM, "rank")
        self.assertRegex(ended.stderr, r"rank 1: the team has 1 member, 0 to 0; start it with gondwana run -n 2 \S+misuse")


if __name__ == "__main__":
    GONDWANA, PROGRAM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
