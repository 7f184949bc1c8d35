"""`gondwana run --profile=FILE.html` makes a page and a picture, with the right figures in them.

profile_page_test.py GONDWANA FOLDER_OF_PROGRAMS
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from processes import has_address_sanitizer

sys.dont_write_bytecode = True  # the folder of the page may be an installed one

GONDWANA = ""
PROGRAMS = Path()
WATCHDOG = 120  # seconds: against hangs only

ONE_NODE = ("-n", "4")
TWO_NODES = ("--hosts", "localhost:2,localhost:2")


PUTS = {  # the source of each program, its put, and what the line of that has
    "profile_calls": ("calls.c", "shmem_putmem", "shmem_putmem(blocks"),
    "profile_gasnet_seq": ("gasnet.c", "gex_RMA_PutBlocking", "theirs, block, 1000"),
    "profile_armci": ("armci.c", "ARMCI_Put", "ARMCI_Put(blocks"),
}
WAITS = {  # where the ranks wait for rank 2
    "profile_calls": "shmem_barrier_all",
    "profile_gasnet_seq": "gex_Event_Wait",
    "profile_armci": "ARMCI_Barrier",
}


class PageCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = Path(folder.name) / "late.html"

    def run_job(self, where: tuple[str, ...], program: str, how: str, **variables):
        asan = "verify_asan_link_order=0:detect_leaks=0"
        return subprocess.run(
            [GONDWANA, "run", f"--profile={self.page}", *where, str(PROGRAMS / program), how],
            env={
                **os.environ,
                "ASAN_OPTIONS": asan,
                "GONDWANA_NETWORK": "127.0.0.0/8",
                **variables,
            },
            capture_output=True,
            text=True,
            timeout=WATCHDOG,
            check=False,
        )

    def data(self) -> list[dict]:
        """The ranks of the data that the page embeds."""
        text = self.page.read_text(encoding="utf-8")
        found = re.search(r'id="profile-data">\n(.*)</script>', text, re.DOTALL)
        assert found is not None
        return json.loads(found[1])["ranks"]


def line_of(source: str, text: str) -> int:
    """The number of the first line that has the text."""
    file = Path(__file__).resolve().parent / "profile" / source
    lines = file.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


class FiguresTest(PageCase):
    """Four ranks, of which rank 2 is 100 ms late at each of three barriers."""

    def check(self, program: str, where: tuple[str, ...]) -> None:
        ended = self.run_job(where, program, "late")
        if where is TWO_NODES and ended.returncode != 0 and "libfabric" in ended.stderr:
            self.skipTest("no libfabric is here")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("The others wait for rank 2: ", ended.stderr)
        ranks = self.data()
        put = [dict(map(tuple, rank["put"])) for rank in ranks]
        self.assertEqual(put, [{(rank + 1) % 4: 3000 * (rank + 1)} for rank in range(4)])
        leaders = [0, 0, 0, 0] if where is ONE_NODE else [0, 0, 2, 2]
        self.assertEqual([rank["node_leader"] for rank in ranks], leaders)
        waits = WAITS[program]
        waited = [{call[0]: call[2] for call in rank["calls"]}.get(waits, 0) for rank in ranks]
        for rank in (0, 1, 3):  # each sleep is 0.1 s; half of it is left to a busy machine
            self.assertGreater(waited[rank] - waited[2], 0.15e9, waited)
        ElementTree.parse(self.page.with_suffix(".svg"))
        text = self.page.read_text(encoding="utf-8")
        self.assertEqual(text.count("data:image/svg+xml;base64,"), 2)
        self.check_circumstances(text, ended.stderr)
        self.check_regions(program, text)
        self.check_paths(program, ended.stderr)
        self.assertNotRegex(text, r'(?:src|href)="(?!data:)')

    def check_circumstances(self, text: str, errors: str) -> None:
        self.assertIn(f"gondwana profile: drawing {self.page}\n", errors)
        self.assertRegex(text, rf"<code>\S*gondwana run --profile={self.page} .* late</code>")
        self.assertRegex(text, r"\d{4}-\d\d-\d\d \d\d:\d\d .*<br>")
        self.assertRegex(text, r"load average before it began: [\d.]+, on \d+ processors")

    def check_regions(self, program: str, text: str) -> None:
        """A table where the program names some."""
        if program != "profile_calls":
            self.assertNotIn("<h2>Regions</h2>", text)
            return
        self.assertRegex(text, r"<h2>Regions</h2>(?s:.*?)<td>exchange</td><td>12</td>")
        for rank in self.data():
            ((name, times, nanoseconds),) = rank["regions"]
            self.assertEqual((name, times), ("exchange", 3))
            self.assertLess(nanoseconds, rank["seconds"] * 1e9)

    def check_paths(self, program: str, errors: str) -> None:
        """The path of the put, with the line of each call."""
        if not (Path(GONDWANA).parent / "libgondwana_stacks.so").exists():
            self.skipTest("it was built without libdw")
        source, put, inside = PUTS[program]
        inner, outer = line_of(source, inside), line_of(source, "    exchange();")
        path = f" 12 x {put}, exchange at {source}:{inner} < late at {source}:{outer} < "
        self.assertIn(path, errors)
        moved = [path for rank in self.data() for path in rank["paths"] if path[0] == put]
        self.assertEqual(sum(path[1] for path in moved), 12)
        self.assertEqual(sum(path[3] for path in moved), 30000)

    def test_openshmem_on_one_node(self):
        self.check("profile_calls", ONE_NODE)

    def test_openshmem_on_two_nodes(self):
        self.check("profile_calls", TWO_NODES)

    def test_gasnet_on_one_node(self):
        if has_address_sanitizer(GONDWANA):
            self.skipTest("dlopen of AddressSanitizer does not see the RUNPATH of its caller")
        self.check("profile_gasnet_seq", ONE_NODE)

    def test_gasnet_on_two_nodes(self):
        if has_address_sanitizer(GONDWANA):
            self.skipTest("dlopen of AddressSanitizer does not see the RUNPATH of its caller")
        self.check("profile_gasnet_seq", TWO_NODES)

    def test_armci_on_one_node(self):
        if has_address_sanitizer(GONDWANA):
            self.skipTest("dlopen of AddressSanitizer does not see the RUNPATH of its caller")
        self.check("profile_armci", ONE_NODE)

    def test_armci_on_two_nodes(self):
        if has_address_sanitizer(GONDWANA):
            self.skipTest("dlopen of AddressSanitizer does not see the RUNPATH of its caller")
        self.check("profile_armci", TWO_NODES)


def add_page_modules(test: unittest.TestCase) -> None:
    for folder in ("tools/gondwana/report/pages", "tools/profile/profile_page"):
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / folder))
        test.addCleanup(sys.path.pop, 0)


class AdviceTest(unittest.TestCase):
    """Made-up counts, above and below what is worth a sentence."""

    def setUp(self):
        add_page_modules(self)

    def told(self, calls: list, to_zero: int = 0, ranks: int = 4) -> list[str]:
        """`calls`: name, line, count, seconds and bytes, of each rank."""
        import advice
        from addresses import Frame
        from data import KINDS, Calls, Profile, Rank
        from paths import Path as CallPath

        def rank(number: int) -> Rank:
            traffic = {kind: {} for kind in KINDS}
            traffic["put"] = {0: to_zero, (number + 1) % ranks: 1000}
            counted = {name: Calls(count, time, size) for name, _, count, time, size in calls}
            return Rank("host", 0, 1.0, counted, traffic)

        paths = [
            CallPath(name, (Frame("f", "/src/plant.c", line),), ranks * count, ranks * size,
                     {number: time for number in range(ranks)})
            for name, line, count, time, size in calls
        ]  # fmt: skip
        return advice.of_job(Profile("", False, [rank(n) for n in range(ranks)], ""), paths)

    def assert_told(self, sentence: str, *words, **named) -> None:
        told = self.told(*words, **named)
        self.assertEqual(len(told), 1, told)
        self.assertRegex(told[0], sentence)

    def test_many_small_transfers_are_told_with_their_line(self):
        self.assert_told(r"^60,000 gets of 8 B at plant\.c:12, .* one shmem_getmem moves",
                         [("shmem_long_g", 12, 15000, 0.001, 120000)])
        self.assert_told(r"^40,000 puts of about 10 B at plant\.c:3, .* one shmem_putmem moves",
                         [("shmem_ctx_int_put_nbi", 3, 10000, 0.001, 102000)])
        self.assert_told("^10,000,000 gets .* one ARMCI_Get moves",
                         [("ARMCI_GetS", 1, 2500000, 0.001, 2500000)])

    def test_the_lock_that_costs_most_is_told(self):
        self.assert_told(r"shmem_set_lock at plant\.c:7 .*: 400 calls took 1\.20 s, 30 % of the time",
                         [("shmem_set_lock", 7, 100, 0.3, 0), ("shmem_set_lock", 8, 100, 0.1, 0)])

    def test_the_rank_that_all_send_to_is_told(self):
        self.assert_told("^3 of the 3 other ranks send to rank 0 .*: 99 % of the bytes", [], 100_000)

    def test_what_costs_little_is_not_told(self):
        quiet = "^No rank keeps the others waiting for long"
        self.assert_told(quiet, [("shmem_long_g", 12, 2000, 0.001, 16000)])
        self.assert_told(quiet, [("shmem_getmem", 12, 15000, 0.2, 15000 * 4096)])
        self.assert_told(quiet, [("shmem_set_lock", 7, 100, 0.04, 0)])
        self.assert_told(quiet, [], 100)
        self.assert_told(quiet, [], 100_000, ranks=2)


class LargeJobTest(unittest.TestCase):
    """The matrix is folded where a row for each rank would be too thin."""

    def setUp(self):
        add_page_modules(self)

    def fold(self, ranks: int, per_node: int):
        import data
        import pictures

        def rank(number: int) -> data.Rank:
            row = {(number + 1) % ranks: 10}
            traffic = {kind: row if kind == "put" else {} for kind in data.KINDS}
            return data.Rank("host", number - number % per_node, 1.0, {}, traffic)

        return pictures.fold(data.Profile("", False, [rank(n) for n in range(ranks)], ""))

    def test_64_ranks_have_a_row_each(self):
        folded = self.fold(64, 16)
        self.assertEqual((folded.what, len(folded.sizes), len(folded.sizes[63])), ("rank", 64, 64))

    def test_1000_ranks_are_folded_by_node(self):
        folded = self.fold(1000, 20)
        self.assertEqual(folded.what, "node, all its ranks added up")
        self.assertEqual((len(folded.sizes), len(folded.sizes[49])), (50, 50))
        self.assertEqual(
            (folded.sizes[0][0], folded.sizes[0][1], folded.sizes[49][0]), (190, 10, 10)
        )
        self.assertEqual(folded.labels[1], "20-39")

    def test_1000_ranks_of_one_node_are_folded_by_blocks(self):
        folded = self.fold(1000, 1000)
        self.assertEqual(folded.what, "block of 16 ranks, added up")
        self.assertEqual((len(folded.sizes), sum(map(sum, folded.sizes))), (63, 10000))


class MissingTest(PageCase):
    def test_a_killed_rank_leaves_a_sentence_and_no_page(self):
        ended = self.run_job(ONE_NODE, "profile_calls", "killed")
        self.assertEqual(ended.returncode, 128 + 9, ended.stderr)
        self.assertIn("no page, because rank 0 has not written", ended.stderr)
        self.assertFalse(self.page.exists())

    def test_data_of_an_earlier_job_are_not_used(self):
        self.page.with_suffix(".json").write_text('{"format":"gondwana profile 1"}', encoding="utf-8")
        ended = self.run_job(ONE_NODE, "profile_calls", "killed")
        self.assertIn("no page, because rank 0 has not written", ended.stderr)

    def test_the_page_of_an_earlier_job_does_not_stay(self):
        self.assertEqual(self.run_job(ONE_NODE, "profile_calls", "all_kinds").returncode, 0)
        left = [self.page, self.page.with_suffix(".svg")]
        self.assertEqual([file.exists() for file in left], [True, True])
        self.run_job(ONE_NODE, "profile_calls", "killed")
        self.assertEqual([file.exists() for file in left], [False, False])

    def test_a_page_that_is_no_profile_stays_when_there_is_none(self):
        self.page.write_text("<title>mine</title>", encoding="utf-8")
        self.run_job(ONE_NODE, "profile_calls", "killed")
        self.assertEqual(self.page.read_text(encoding="utf-8"), "<title>mine</title>")

    def test_without_python_the_data_are_kept(self):
        ended = self.run_job(ONE_NODE, "profile_calls", "all_kinds", PATH="/nowhere")
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"the data are in {self.page.with_suffix('.json')}; python3: ", ended.stderr)
        told, _, _ = ended.stderr.partition("gondwana profile: ")  # before the job
        self.assertIn("--profile: python3, which draws the page, is not in PATH", told)
        self.assertEqual(len(json.loads(self.page.with_suffix(".json").read_text())["ranks"]), 4)

    def test_a_page_needs_its_ending_and_its_folder(self):
        for page, text in (
            (self.page.with_suffix(".pdf"), "expected the name of a page, such as profile.html"),
            (self.page / "late.html", "there is no folder"),
        ):
            self.page = page
            ended = self.run_job(ONE_NODE, "profile_calls", "all_kinds")
            self.assertEqual(ended.returncode, 1)
            self.assertIn(text, ended.stderr)

    def test_a_file_that_is_no_profile_is_kept(self):
        mine = self.page.with_suffix(".json")
        mine.write_text('{"mine": 1}', encoding="utf-8")
        ended = self.run_job(ONE_NODE, "profile_calls", "all_kinds")
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"{mine} exists and is not a profile", ended.stderr)
        self.assertEqual(mine.read_text(encoding="utf-8"), '{"mine": 1}')


class DataTest(unittest.TestCase):
    """Files that the library has not written, or not whole."""

    RANK = {
        "host": "a", "node_leader": 0, "seconds": 1.5, "calls": [["shmem_putmem", 3, 1200, 24]],
        "put": [[1, 24]], "get": [], "atomic": [], "message": [], "modules": ["./a", "/lib/b"],
        "paths": [["shmem_putmem", 3, 1200, 24, [0, 4096], [1, 8192]]],
        "regions": [["halo", 2, 900]],
    }
    DATA = {"format": "gondwana profile 1", "title": "2 ranks", "has_matrix": True,
            "of_threads": False, "ranks": [RANK, {**RANK, "paths": []}]}

    def setUp(self):
        add_page_modules(self)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "data.json"

    def read(self, text: bytes):
        import data

        self.file.write_bytes(text)
        return data.read(self.file)

    def test_what_is_whole_is_read(self):
        profile = self.read(json.dumps(self.DATA).encode())
        self.assertEqual(profile.ranks[0].paths[0].places, [("./a", 4096), ("/lib/b", 8192)])
        self.assertEqual(profile.ranks[1].traffic["put"], {1: 24})
        self.assertEqual((profile.regions(), profile.ranks[0].regions["halo"].count), (["halo"], 2))

    def test_what_is_damaged_is_told(self):
        random = Random(1)
        whole = json.dumps(self.DATA).encode()
        pieces = (b"null", b"-1", b"1e999", b"true", b"[]", b"{}", b'"x"', b"\xff", b"[" * 9999)
        for _ in range(2000):
            text = bytearray(whole)
            for _ in range(random.randrange(1, 4)):
                begin = random.randrange(len(text))
                text[begin : begin + random.randrange(6)] = random.choice(pieces)
            try:
                self.read(bytes(text)).machine()
            except ValueError as error:
                self.assertTrue(str(error))


if __name__ == "__main__":
    PROGRAMS = Path(sys.argv.pop())
    GONDWANA = sys.argv.pop()
    unittest.main()
