"""The profiling library counts every call exactly.

profile_test.py GONDWANA LIBRARY FOLDER_OF_PROGRAMS
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

import specification

GONDWANA = ""
LIBRARY = ""
PROGRAMS = Path()
WATCHDOG = 60  # seconds: against hangs only

Counts = dict[str, tuple[int, int]]  # call -> how often, bytes


def run(ranks: int, name: str, *words: str, preload=True, **variables):
    # A preloaded library comes before AddressSanitizer's, which knows no profile's leaks either.
    asan = "verify_asan_link_order=0:detect_leaks=0"
    environment = {**os.environ, "ASAN_OPTIONS": asan, **variables}
    options = ["--profile"] if preload else []
    command = [GONDWANA, "run", *options, "-n", str(ranks), str(PROGRAMS / f"profile_{name}")]
    return subprocess.run(
        [*command, *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
    )


def counts_of(table: str) -> Counts:
    """What the lines of a table on the standard error say."""
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
        self.assertEqual({name for letter, name in symbols if letter == "T"}, names)
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
        passed, inside = re.findall(r"([\d.]+ \w+) (?:since|per)", first)
        seconds = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}

        def value(text: str) -> float:
            number, unit = text.split()
            return float(number) * seconds[unit]

        self.assertLessEqual(value(inside), 1.01 * value(passed), first)  # three digits each

    def test_a_program_of_gasnet_alone_is_told_that_it_is_not_counted(self):
        gasnet = str(PROGRAMS / "gasnet" / "gasnet_barrier")
        command = [GONDWANA, "run", "--profile", "-n", "2", gasnet]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=WATCHDOG, check=False
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        said = [line for line in ended.stderr.splitlines() if line.startswith("gondwana profile")]
        self.assertEqual(len(said), 1, ended.stderr)
        self.assertIn("those of GASNet-EX are not counted", said[0])


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
            r'^gondwana profile: SHMEM_PROFILE "matrx": expected table, matrix or off.*'
            r"did you mean matrix\?\n",
        )

    def test_a_heap_without_room_ends_the_job_with_a_sentence(self):
        ended = run(2, "calls", "all_kinds", SHMEM_SYMMETRIC_SIZE="8K")
        self.assertEqual(ended.returncode, 1)
        sentence = r"no room for \d+ bytes of counters; raise SHMEM_SYMMETRIC_SIZE"
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
    LIBRARY = sys.argv.pop()
    GONDWANA = sys.argv.pop()
    unittest.main()
