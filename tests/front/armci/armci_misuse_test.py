"""Errors of ARMCI programs are told: `armci_misuse_test.py GONDWANA PROGRAM`."""

import os
import subprocess
import sys
import time
import unittest
from ctypes.util import find_library

GONDWANA = ""
PROGRAM = ""
WATCHDOG = 60  # seconds: against hangs only
SOON = 20  # seconds until the others are told of a death

# What is done wrong, and the error message of rank 1.
MESSAGES = {
    "process": "ARMCI_Put: process 99: the job has 2 processes, 0 to 1",
    "negative_process": "ARMCI_Fence: process -1: the job has 2",
    "address": r"ARMCI_Put: 8 bytes at 0x\w+: not memory that ARMCI_Malloc returned for",
    "address_of_another": r"ARMCI_Put: 8 bytes at 0x\w+: not memory .* for process 0; it is memory of process 1 \(in",
    "null_address": r"ARMCI_Get: 8 bytes at 0x0: not memory .*; it is null \(in (main|null_address)",
    "address_of_word": r"ARMCI_Rmw: 4 bytes at 0x\w+: not memory",
    "size": "ARMCI_Get: a negative size, -8",
    "count_of_section": "ARMCI_GetS: a negative size, -3",
    "size_of_list": "ARMCI_PutV: a negative size, -8",
    "levels": "ARMCI_PutS: 9 levels of strides: expected 0 to 8",
    "negative_levels": "ARMCI_NbGetS: -1 levels of strides",
    "elements": "ARMCI_Acc: 12 bytes are not whole elements of 8 bytes",
    "elements_of_section": "ARMCI_AccS: 12 bytes are not whole elements of 16 bytes",
    "type": "ARMCI_Acc: type 77: expected ARMCI_ACC_INT",
    "operation": "ARMCI_Rmw: operation 9: expected ARMCI_FETCH_AND_ADD",
    "misaligned": r"ARMCI_Rmw: 0x\w+: not aligned to the 8 bytes",
    "unlock": "ARMCI_Unlock: this process does not hold mutex 0 of process 0",
    "relock": "ARMCI_Lock: this process already holds mutex 1 of process 0",
    "mutex": "ARMCI_Lock: mutex 2: process 0 has 2",
    "second_set": "ARMCI_Create_mutexes: mutexes already exist",
    "no_mutexes": "ARMCI_Lock: no mutexes exist",
    "no_set": "ARMCI_Destroy_mutexes: no mutexes exist",
    "operator_name": 'armci_msg_igop: operator "plus": expected',
    "operator_of_type": r'armci_msg_dgop: operator "\|\|": expected',
    "operator_of_sel": r'armci_msg_sel: operator "\+": expected min or max',
    "type_of_reduction": "armci_msg_reduce: type 88: expected ARMCI_INT",
    "elements_of_reduction": "armci_msg_fgop: -1 elements",
    "scope": "armci_msg_bcast_scope: scope 7: expected SCOPE_ALL",
    "root": "armci_msg_brdcst: process 50: the job has 2",
    "message": "armci_msg_rcv: a message of 16 bytes with tag 3 from process 1: the buffer has 8",
    "receiver": "armci_msg_snd: process 2: the job has 2",
    "group": "ARMCI_Group_size: the group was never created",
    "freed_group": "armci_msg_group_barrier: the group was never created, or was freed",
    "copy_of_freed_group": "armci_msg_group_barrier: the group was never created, or was freed",
    "no_parent": "ARMCI_Group_create_child: the group was never created",
    "twice_in_group": "ARMCI_Group_create: process 0 is in the list twice",
    "stranger_in_group": "ARMCI_Group_create: process 7: the group has 2",
    "stranger": "ARMCI_Malloc_group: ",
    "stranger_in_reduction": "armci_msg_group_igop: ",
    "empty_group": "ARMCI_(Malloc_group|Group_create): ",
    "world_freed": "ARMCI_Group_free: the group of all processes cannot be freed",
    "member": "ARMCI_Absolute_id: process 2: the group has 2",
    "addresses": "armci_exchange_address: 1 addresses: the group has 2",
    "node": "armci_domain_nprocs: node 44: the job has 1",
    "free": r"ARMCI_Free: 0x\w+: not an address that ARMCI_Malloc returned",
    "free_twice": r"ARMCI_Free: 0x\w+: .* or already freed",
    "late": "ARMCI_AllFence: called before ARMCI_Init or after ARMCI_Finalize",
}

# The same with GONDWANA_DEBUG, of any rank.
DIFFERENCES = {
    "other_root": r"armci_msg_brdcst: process 1 is in armci_msg_brdcst \(group of 2, 8 bytes, root 1\) while process 0 "
    r"is in armci_msg_brdcst \(group of 2, 8 bytes, root 0\) \(in",
    "other_size": r"armci_msg_dgop \(group of 2, 2 elements of 8 bytes, operator \+\) while .* 1 elements of 8 bytes, ",
    "other_operator": r"operator max\) while process 0 is in armci_msg_dgop \(.*, operator \+\)",
    "other_collective": r"process 1 is in armci_msg_barrier \(group of 2\) while process 0 is in armci_msg_brdcst",
    "skipped": r"process 1 is in ARMCI_Create_mutexes \(group of 2.*\) while process 0 is in ARMCI_Barrier \(group of 2\)",
}

# What the others wait in while rank 1 dies, and what is said of them.
WAITS = {
    "ARMCI_Barrier": "rank 0 waits in ARMCI_Barrier",
    "ARMCI_Lock": "rank 0 waits in ARMCI_Lock for rank 1",
    "armci_msg_rcv": "rank 0 waits in armci_msg_rcv for rank 1",
    "armci_msg_rcvany": "rank 0 waits in armci_msg_rcvany",
    "armci_notify_wait": "rank 0 waits in armci_notify_wait for rank 1",
    "armci_msg_dgop": "rank 0 waits in armci_msg_dgop",
}


def run(place, *words, **variables):
    # AddressSanitizer would turn the SIGSEGV of a rank into another status.
    environment = {**os.environ, "ASAN_OPTIONS": "handle_segv=0:detect_leaks=0", **variables}
    return subprocess.run([GONDWANA, "run", *place, PROGRAM, *words], env=environment,
                          capture_output=True, text=True, timeout=WATCHDOG, check=False)


def run_two(*words, **variables):
    return run(("-n", "2"), *words, **variables)


class Errors(unittest.TestCase):
    def test_misuse_is_told_with_rank_call_and_reason(self):
        for how, message in MESSAGES.items():
            with self.subTest(how=how):
                ended = run_two(how)
                self.assertRegex(ended.stderr, f"(?m)^gondwana: rank 1: {message}")
                self.assertEqual((ended.returncode, ended.stdout), (1, ""))

    def test_different_collectives_are_told_with_the_checks(self):
        for how, message in DIFFERENCES.items():
            with self.subTest(how=how):
                ended = run_two(how, GONDWANA_DEBUG="yes")
                self.assertRegex(ended.stderr, f"(?m)^gondwana: rank [01]: .*{message}")
                self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertEqual(run_two("none", GONDWANA_DEBUG="yes").returncode, 0)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_it_is_told_between_nodes(self):
        for how in ("process", "address", "null_address", "address_of_word", "elements", "levels",
                    "misaligned", "unlock", "relock", "message"):
            with self.subTest(how=how):
                ended = run(("-n", "2"), how, GONDWANA_NODE_RANKS="1")
                self.assertRegex(ended.stderr, f"(?m)^gondwana: rank 1: {MESSAGES[how]}")
                self.assertEqual((ended.returncode, ended.stdout), (1, ""))

    def test_a_call_before_the_start_is_told_by_the_first_process_that_calls(self):
        for how, call in {"early": "ARMCI_Put", "early_group": "ARMCI_Group_create"}.items():
            with self.subTest(how=how):
                ended = run_two(how)
                self.assertRegex(ended.stderr, rf"ranks? [\d, -]+: {call}: called before ARMCI_Init")
                self.assertEqual((ended.returncode, ended.stdout), (1, ""))

    def test_a_program_ends_the_job_with_a_status_of_its_own(self):
        for how, status, message in (
            ("error", 5, "gondwana: rank 1: ARMCI_Error: the matrix is singular (5)\n"),
            ("error_of_0", 1, "gondwana: rank 1: ARMCI_Error: nothing (0)\n"),
            ("abort", 6, ""),
            ("abort_well", 0, ""),
            ("assertion", 9, "3 of these\ngondwana: rank 1: matrix.c:12: invert: a < b does not "
             "hold (9)\n"),
        ):
            with self.subTest(how=how):
                ended = run_two(how)
                self.assertEqual((ended.returncode, ended.stdout), (status, ""))
                self.assertEqual(ended.stderr, message)

    def test_memory_that_is_not_there_is_told_and_the_program_goes_on(self):
        ended = run_two("memory")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stderr, r"^gondwana: rank 1: ARMCI_Malloc: cannot allocate 1125899906842624 bytes: ")
        self.assertEqual(ended.stderr.count("\n"), 1)

    def test_a_program_without_errors_goes_on(self):
        ended = run_two("nothing")
        self.assertEqual((ended.returncode, ended.stderr, ended.stdout), (0, "", 2 * "went on\n"))

    def test_variables_of_armci_are_read(self):
        ended = run_two("nothing", ARMCI_VERBOSE="1")
        self.assertRegex(ended.stdout, r"^Gondwana \d+\.\d+\.\d+, ARMCI\n(?s:.*)COMEX_ENABLE_PUT_SMP = ")
        self.assertEqual(ended.stdout.count("Gondwana"), 1)
        refused = run_two("nothing", COMEX_ENABLE_GET_SMP="perhaps")
        self.assertIn('COMEX_ENABLE_GET_SMP "perhaps": expected yes or no', refused.stderr)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_processes_share_no_memory_if_a_switch_says_so(self):
        for name in ("PUT", "GET", "ACC"):
            with self.subTest(name=name):
                ended = run_two("nodes", **{f"COMEX_ENABLE_{name}_SMP": "0"})
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertIn("nodes: 2\n", ended.stdout)
        self.assertIn("nodes: 1\n", run_two("nodes").stdout)


class Deaths(unittest.TestCase):
    def assert_told_soon(self, call, waits, **variables):
        start = time.monotonic()
        ended = run(("-n", "2"), "killed", call, **variables)
        self.assertLess(time.monotonic() - start, SOON)
        self.assertEqual(ended.returncode, 137, ended.stderr)
        self.assertRegex(ended.stderr, "rank 1 on host .* was killed by SIGKILL")
        self.assertRegex(ended.stderr, waits)

    def test_the_death_of_a_process_is_told_whatever_the_others_wait_in(self):
        for call, waits in WAITS.items():
            with self.subTest(call=call):
                self.assert_told_soon(call, waits)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_the_death_of_a_process_on_another_node_is_told(self):
        for route in ("endpoint", "agent"):
            for call, waits in WAITS.items():
                with self.subTest(call=call, route=route):
                    self.assert_told_soon(call, waits, GONDWANA_NODE_RANKS="1",
                                          GONDWANA_ROUTE=route)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    GONDWANA = sys.argv.pop()
    unittest.main()
