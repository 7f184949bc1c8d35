"""The profiling library counts every call exactly.

profile_test.py GONDWANA LIBRARY GASNET_LIBRARY FOLDER_OF_PROGRAMS
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "headers"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import specification
from processes import has_address_sanitizer

GONDWANA = ""
LIBRARY = ""
GASNET = ""
PROGRAMS = Path()
WATCHDOG = 60  # seconds: against hangs only

Counts = dict[str, tuple[int, int]]  # call -> how often, bytes


def run(ranks: int | str, name: str, *words: str, preload=True, **variables):
    # A preloaded library comes before AddressSanitizer's, which knows no profile's leaks either.
    asan = "verify_asan_link_order=0:detect_leaks=0"
    environment = {**os.environ, "ASAN_OPTIONS": asan, **variables}
    options = ["--profile"] if preload else []
    options += ["-n", str(ranks)] if isinstance(ranks, int) else ["--hosts", ranks]
    command = [GONDWANA, "run", *options, str(PROGRAMS / name_of(name))]
    return subprocess.run(
        [*command, *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
    )


def name_of(program: str) -> str:
    return program if "/" in program else f"profile_{program}"


def counts_of(table: str) -> Counts:
    """The lines of a table on standard error, parsed."""
    line = re.compile(r"^  (\w+) +(\d+) +[\d.]+ \w+ +[\d.]+ \w+ +(\d+) +[\d.]+ %$", re.MULTILINE)
    return {call: (int(calls), int(size)) for call, calls, size in line.findall(table)}


def calls_of_all_kinds(rank: int) -> Counts:
    return {
        "shmem_init": (1, 0),
        "shmem_n_pes": (2, 0),
        "shmem_my_pe": (3, 0),
        "shmem_calloc": (1, 1000),
        "shmem_long_p": (100, 800),
        "shmem_long_put": (10, 320),
        "shmem_getmem": (5, 65),
        "shmem_long_atomic_fetch_add": (3, 24),
        "shmem_quiet": (rank + 1, 0),
        "shmem_long_sum_reduce": (1, 32),
        "shmem_barrier_all": (1, 0),
        "shmem_free": (1, 0),
        "shmem_finalize": (1, 0),
    }


GASNET_CALLS: Counts = {  # of a rank
    "gex_Client_Init": (1, 0),
    "gex_Segment_Attach": (1, 65536),
    "gex_EP_RegisterHandlers": (1, 0),
    "gex_RMA_PutBlocking": (103, 812),
    "gex_RMA_PutNBI": (10, 320),
    "gex_RMA_GetBlocking": (5, 65),
    "gex_NBI_Wait": (1, 0),
    "gex_AM_RequestMedium": (7, 140),
    "gex_AM_ReplyShort": (7, 0),
    "gex_AD_Create": (1, 0),
    "gex_AD_Op": (3, 24),
    "gex_VIS_StridedPutBlocking": (1, 24),
    "gex_Coll_ReduceToAllNB": (1, 32),
    "gex_Coll_BarrierNB": (2, 0),
    "gasnet_exit": (1, 0),
}


def is_of_gasnet(symbol: str) -> bool:
    return symbol.startswith(("gasnet", "gex", "gondwana_g"))


def is_of_armci(symbol: str) -> bool:
    return symbol.upper().startswith("ARMCI_")


def times_of(title: str) -> list[float]:
    """The elapsed time, and the time in calls, in seconds."""
    seconds = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    found = re.findall(r"([\d.]+) (\w+) (?:since|per)", title)
    return [float(number) * seconds[unit] for number, unit in found]


def summed(ranks: list[Counts]) -> Counts:
    sums = {
        call: (sum(rank[call][0] for rank in ranks), sum(rank[call][1] for rank in ranks))
        for call in ranks[0]
    }
    all_calls = tuple(sum(column) for column in zip(*sums.values(), strict=True))
    return {**sums, "all": all_calls}


class WrapperTest(unittest.TestCase):
    def test_every_routine_has_a_wrapper_that_calls_the_library(self):
        names = {specification.name_of(text) for text in specification.functions()}
        command = ["nm", "-D", LIBRARY]
        listed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        symbols = [line.split()[-2:] for line in listed.stdout.splitlines()]
        ours = {name for letter, name in symbols if letter == "T"}
        of_others = {name for name in ours if is_of_gasnet(name) or is_of_armci(name)}
        regions = {"shmemx_region_begin", "shmemx_region_end"}  # they are no routines of OpenSHMEM
        self.assertEqual(ours - of_others - regions, names)
        called = {name.removeprefix("p") for letter, name in symbols if letter == "U"}
        self.assertEqual(names - called, {"shmem_pcontrol"})


class TableTest(unittest.TestCase):
    def test_calls_and_bytes_are_exact_linked_or_preloaded(self):
        for ranks in (1, 2, 4):
            expected = summed([calls_of_all_kinds(rank) for rank in range(ranks)])
            for name, preload in (("calls", True), ("calls_linked", False)):
                with self.subTest(ranks=ranks, name=name):
                    ended = run(ranks, name, "all_kinds", preload=preload)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    self.assertIn(f"gondwana profile: {ranks} ranks, ", ended.stderr)
                    self.assertEqual(counts_of(ended.stderr), expected)

    def test_lines_are_sorted_by_time_and_shares_make_100(self):
        lines = run(2, "calls", "all_kinds").stderr.splitlines()[2:-1]
        shares = [float(line.split()[-2]) for line in lines]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertAlmostEqual(sum(shares), 100, delta=0.1 * len(shares))

    def test_bytes_of_devices_are_counted_by_kind(self):
        ended = run(2, "calls", "devices", GONDWANA_EMULATED_DEVICES="2")
        self.assertRegex(
            ended.stderr,
            r"\n  bytes of devices +to +from\n  emulated +8000 +8000\n  through host memory +2000\n",
        )
        self.assertNotIn("devices", run(2, "calls", "all_kinds").stderr)

    def test_a_program_without_the_library_has_no_report(self):
        ended = run(2, "calls", "all_kinds", preload=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_threads_are_counted_each_and_together(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                ended = run(ranks, "threads")
                self.assertEqual(ended.returncode, 0, ended.stderr)
                puts = 3 * 24 * 1000 * ranks
                self.assertEqual(counts_of(ended.stderr)["shmem_long_p"], (puts, 8 * puts))

    def test_a_shell_between_launcher_and_program_is_no_rank(self):
        command = [GONDWANA, "run", "--profile", "-n", "2", "sh", "-c", '"$0" all_kinds; exit $?']
        asan = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
        ended = subprocess.run(
            [*command, str(PROGRAMS / "profile_calls")],
            env={**os.environ, **asan},
            capture_output=True,
            text=True,
            timeout=WATCHDOG,
            check=False,
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(counts_of(ended.stderr)["shmem_init"], (2, 0))


    def test_time_in_calls_is_within_the_time_that_has_passed(self):
        first = run(4, "calls", "all_kinds").stderr.splitlines()[0]
        passed, inside = times_of(first)
        self.assertLessEqual(inside, 1.01 * passed, first)  # three digits each


class GasnetTest(unittest.TestCase):
    def setUp(self):
        if has_address_sanitizer(GONDWANA):
            self.skipTest("dlopen of AddressSanitizer does not see the RUNPATH of its caller")

    def check(self, ended, ranks: int) -> Counts:
        self.assertEqual(ended.returncode, 0, ended.stderr)
        began = rf"gondwana profile: {ranks} ranks, .* since gex_Client_Init began"
        self.assertRegex(ended.stderr, rf"{began}; .* in GASNet-EX[,\n]")
        counts = counts_of(ended.stderr)
        expected = {call: (n * ranks, size * ranks) for call, (n, size) in GASNET_CALLS.items()}
        self.assertEqual({call: counts.get(call) for call in expected}, expected, ended.stderr)
        return counts

    def test_every_exported_routine_has_a_wrapper(self):
        command = ["nm", "-D", "--defined-only", LIBRARY, GASNET]
        listed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        ours, theirs = listed.stdout.split(f"{GASNET}:")
        wrapped, exported = (
            {line.split()[-1].partition("@")[0] for line in text.splitlines() if " T " in line}
            for text in (ours, theirs)
        )
        inner = {"gondwana_gasnet_team", "gondwana_gex_wake", "gondwana_gex_call_always",
                 "gondwana_gex_reach_everything"}
        calls = {name for name in exported if not name.startswith(("gasnett", "gondwana_gasnett"))}
        self.assertEqual({name for name in wrapped if is_of_gasnet(name)}, calls - inner)

    def test_calls_and_bytes_are_exact_in_spite_of_inline_code(self):
        for ranks in (1, 2, 4):
            for name in ("gasnet_seq", "gasnet_par"):
                with self.subTest(ranks=ranks, name=name):
                    self.check(run(ranks, name, "all_kinds"), ranks)

    def test_calls_are_counted_on_several_nodes(self):
        ended = run("localhost:2,localhost:2", "gasnet_seq", "all_kinds")
        if "libfabric" in ended.stderr and ended.returncode != 0:
            self.skipTest("no libfabric is here")
        self.check(ended, 4)

    def test_a_return_from_main_reports(self):
        self.check(run(3, "gasnet_seq", "returns"), 3)

    def test_an_exit_of_one_rank_reports_the_calls_of_all(self):
        ended = run(3, "gasnet_seq", "ends_job")
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn("3 ranks, until rank 2 called gasnet_exit(3)", ended.stderr)
        self.assertEqual(counts_of(ended.stderr)["gex_RMA_PutBlocking"], (15, 120))

    def test_threads_are_counted_each_and_together(self):
        ended = run(2, "gasnet_par", "threads")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("of all its threads together", ended.stderr)
        self.assertEqual(counts_of(ended.stderr)["gex_RMA_PutBlocking"], (6000, 48000))

    def test_a_program_without_the_library_has_no_report(self):
        ended = run(2, "gasnet_seq", "all_kinds", preload=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_calls_of_both_doors_stand_in_one_table(self):
        for words in ([], ["gasnet-first"]):
            with self.subTest(words=words):
                ended = run(2, "gasnet/gasnet_both_doors", *words)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertEqual(ended.stderr.count("gondwana profile"), 1, ended.stderr)
                self.assertIn("in OpenSHMEM and GASNet-EX", ended.stderr)
                counts = counts_of(ended.stderr)
                requests = counts["gex_AM_RequestShort"][0]
                self.assertGreaterEqual(requests, 4000)
                self.assertEqual(counts["gex_AM_ReplyShort"][0], requests)
                self.assertEqual(counts["shmem_long_atomic_inc"][0], 4000)

    def test_time_in_handlers_calls_is_not_counted_twice(self):
        first = run(4, "gasnet_seq", "all_kinds").stderr.splitlines()[0]
        passed, inside = times_of(first)
        self.assertLessEqual(inside, 1.01 * passed, first)

    def test_the_matrix_knows_puts_updates_and_messages(self):
        ended = run(2, "gasnet_seq", "all_kinds", SHMEM_PROFILE="matrix")
        for title, row in (("put", "0 +1156"), ("got", "0 +65"), ("of active messages", "0 +140")):
            self.assertRegex(ended.stderr, rf"bytes {title}, by .*\n +0 +1\n +0 +{row}\n")
        self.assertRegex(ended.stderr, r"bytes of atomics and .*\n +0 +1\n +0 +24 +0\n +1 +24 +0\n")


class ArmciTest(unittest.TestCase):
    def setUp(self):
        if has_address_sanitizer(GONDWANA):
            self.skipTest("dlopen of AddressSanitizer does not see the RUNPATH of its caller")

    def check(self, where: int | str, how: str, expected: Counts) -> None:
        ended = run(where, "armci", how, SHMEM_PROFILE="matrix")
        if isinstance(where, str) and ended.returncode != 0 and "libfabric" in ended.stderr:
            self.skipTest("no libfabric is here")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stderr, "4 ranks, .* since ARMCI_Init began; .* per rank in ARMCI\n")
        counts = counts_of(ended.stderr)
        self.assertEqual({call: counts.get(call) for call in expected}, expected, ended.stderr)
        rows = r"bytes put, by .*\n.*\n +0 +0 +3032 +0 +0\n +1 +0 +0 +6032 +0\n"
        if how == "all_kinds":
            self.assertRegex(ended.stderr, rows)

    def test_calls_and_bytes_are_exact(self):
        expected = {
            "ARMCI_Init": (4, 0),
            "ARMCI_Malloc": (4, 32000),
            "ARMCI_Put": (12, 30000),
            "ARMCI_PutS": (4, 96),
            "ARMCI_PutV": (4, 32),
            "ARMCI_GetS": (4, 96),
            "ARMCI_Rmw": (4, 32),
            "ARMCI_Barrier": (12, 0),
            "ARMCI_Finalize": (4, 0),
        }
        for where in (4, "localhost:2,localhost:2"):
            with self.subTest(where=where):
                self.check(where, "all_kinds", expected)

    def test_a_return_from_main_reports(self):
        self.check(4, "no_finalize", {"ARMCI_Put": (12, 30000), "ARMCI_Finalize": (4, 0)})


class EndTest(unittest.TestCase):
    def test_only_the_last_finalize_reports(self):
        ended = run(2, "calls", "nested")
        self.assertEqual(ended.stderr.count("gondwana profile"), 1, ended.stderr)
        counts = counts_of(ended.stderr)
        for call, calls in (("shmem_init", 4), ("shmem_finalize", 4), ("shmem_long_p", 6)):
            self.assertEqual(counts[call][0], calls, call)

    def test_an_exit_without_finalize_reports(self):
        ended = run(3, "calls", "no_finalize")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(counts_of(ended.stderr)["shmem_long_p"], (18, 144))

    def test_a_global_exit_reports_the_calls_of_all_ranks(self):
        ended = run(3, "calls", "ends_job")
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn("3 ranks, until rank 2 called shmem_global_exit(3)", ended.stderr)
        counts = counts_of(ended.stderr)
        self.assertEqual(counts["shmem_long_p"], (15, 120))
        self.assertEqual(counts["shmem_global_exit"], (1, 0))

    def test_a_killed_rank_leaves_a_sentence_and_no_table(self):
        ended = run(3, "calls", "killed")
        self.assertEqual(ended.returncode, 128 + 9, ended.stderr)
        self.assertIn("--profile: status 137: no table if a signal ended a rank", ended.stderr)
        self.assertNotIn("gondwana profile", ended.stderr)

    def test_a_global_exit_of_all_ranks_reports_once(self):
        ended = run(3, "calls", "all_end_job")
        self.assertEqual(ended.returncode, 4, ended.stderr)
        self.assertEqual(ended.stderr.count("gondwana profile"), 1, ended.stderr)


class ControlTest(unittest.TestCase):
    def test_pcontrol_switches_off_and_on_and_reports_so_far(self):
        ended = run(2, "calls", "switched")
        flushed, _, last = ended.stderr.partition("gondwana profile: 2 ranks")
        self.assertRegex(flushed, r"^gondwana profile: rank 0 so far, .* since shmem_init began; ")
        self.assertEqual(counts_of(flushed)["shmem_long_p"], (5, 40))
        self.assertEqual(counts_of(last)["shmem_long_p"], (26, 208))

    def test_off_counts_from_the_first_pcontrol_on(self):
        ended = run(2, "calls", "switched", SHMEM_PROFILE="off")
        self.assertEqual(counts_of(ended.stderr.rpartition("2 ranks")[2])["shmem_long_p"][0], 24)
        ended = run(2, "calls", "all_kinds", SHMEM_PROFILE="off")
        self.assertIn("no calls were counted", ended.stderr)

    def test_an_unknown_value_ends_the_job_with_a_sentence(self):
        ended = run(2, "calls", "all_kinds", SHMEM_PROFILE="matrx")
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(
            ended.stderr,
            r'^gondwana profile: SHMEM_PROFILE "matrx": expected table, matrix, paths, each, off or none.*'
            r"did you mean matrix\?\n",
        )

    def test_a_heap_without_room_ends_the_job_with_a_sentence(self):
        ended = run(2, "calls", "all_kinds", SHMEM_SYMMETRIC_SIZE="8K")
        self.assertEqual(ended.returncode, 1)
        sentence = r"the symmetric heap has no space for \d+ bytes of counters; raise SHMEM_SYMMETRIC_SIZE"
        self.assertRegex(ended.stderr, sentence)


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "profile.csv"

    def rows(self, suffix: str = "") -> list[dict[str, str]]:
        with open(f"{self.file}{suffix}", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def matrix(self, ranks: int, how: str) -> dict[tuple[int, int], tuple[int, int, int]]:
        ended = run(ranks, "calls", how, SHMEM_PROFILE="matrix", SHMEM_PROFILE_FILE=str(self.file))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return {
            (int(row["rank"]), int(row["peer"])): tuple(
                int(row[f"{kind}_bytes"]) for kind in ("put", "get", "atomic")
            )
            for row in self.rows(".matrix")
        }

    def test_the_file_has_a_line_for_each_rank_and_call(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                ended = run(ranks, "calls", "all_kinds", SHMEM_PROFILE_FILE=str(self.file))
                self.assertRegex(ended.stderr, rf"^gondwana profile: .*; written to {self.file}\n$")
                found: list[Counts] = [{} for _ in range(ranks)]
                for row in self.rows():
                    counts = (int(row["calls"]), int(row["bytes"]))
                    found[int(row["rank"])][row["call"]] = counts
                    self.assertGreaterEqual(int(row["time_ns"]), 0)
                self.assertEqual(found, [calls_of_all_kinds(rank) for rank in range(ranks)])
                self.assertFalse(os.path.exists(f"{self.file}.matrix"))

    def test_the_matrix_says_who_moved_how_much_to_whom(self):
        ranks = 4
        expected = {(rank, peer): (0, 0, 0) for rank in range(ranks) for peer in range(ranks)}
        for rank in range(ranks):
            expected[rank, 0] = (0, 0, 24)
            put, get, atomic = expected[rank, (rank + 1) % ranks]
            expected[rank, (rank + 1) % ranks] = (put + 1120, get + 65, atomic)
        self.assertEqual(self.matrix(ranks, "all_kinds"), expected)

    def test_the_matrix_knows_the_ranks_behind_a_context_of_a_team(self):
        matrix = self.matrix(3, "context_of_a_team")
        moved = {pair: sizes for pair, sizes in matrix.items() if sizes != (0, 0, 0)}
        self.assertEqual(moved, {(rank, 2): (8, 0, 0) for rank in range(3)})

    def test_the_matrix_is_in_the_table_too(self):
        ended = run(2, "calls", "all_kinds", SHMEM_PROFILE="table,matrix")
        title = "bytes put, by the rank of the row, its peer in the column"
        self.assertRegex(ended.stderr, rf"{title}\n +0 +1\n +0 +0 +1120\n +1 +1120 +0\n")

    def test_a_file_that_cannot_be_written_is_told_and_the_table_follows(self):
        ended = run(2, "calls", "all_kinds", SHMEM_PROFILE_FILE=str(self.file / "missing"))
        self.assertEqual(ended.returncode, 0)
        self.assertIn("cannot write SHMEM_PROFILE_FILE", ended.stderr)
        self.assertEqual(counts_of(ended.stderr)["shmem_init"], (2, 0))


if __name__ == "__main__":
    PROGRAMS = Path(sys.argv.pop())
    GASNET = sys.argv.pop()
    LIBRARY = sys.argv.pop()
    GONDWANA = sys.argv.pop()
    unittest.main()
