"""GONDWANA_HUGETLB with reserved huge pages: `huge_pages_test.py GONDWANA PROGRAMS`.

Needs permission to write to vm.nr_hugepages, and restores its value.
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

GONDWANA = ""
PROGRAMS = ""
WATCHDOG = 60  # seconds: against hangs only
POOL = Path("/sys/kernel/mm/hugepages/hugepages-2048kB")
SKIPPED = 77
NO_MORE = r"; no more of the pages that the administrator has reserved are free"


def number(name):
    return int((POOL / name).read_text())


def set_aside(pages):
    """False where this is not permitted, or the system has fewer pages."""
    try:
        (POOL / "nr_hugepages").write_text(str(pages))
    except OSError:
        return False
    return number("nr_hugepages") == pages


def run(words, *program, **variables):
    environment = {**os.environ, "GONDWANA_HUGETLB": "yes", "GONDWANA_HEAP_SIZE": "16M",
                   **variables}
    program = (os.path.join(PROGRAMS, f"door_{program[0]}"), *program[1:])
    return subprocess.run([GONDWANA, "run", *words, *program], env=environment, text=True,
                          capture_output=True, timeout=WATCHDOG, check=False)


class HugePages(unittest.TestCase):
    def setUp(self):
        self.addCleanup(self.nothing_is_kept)

    def nothing_is_kept(self):
        self.assertEqual(number("free_hugepages"), number("nr_hugepages"))
        self.assertEqual(number("resv_hugepages"), 0)

    def set_aside(self, pages):
        if not set_aside(pages):
            self.skipTest(f"the system has no {pages} huge pages in a row")

    def assert_fine(self, ended):
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended.stdout)

    def test_heaps_lie_on_them(self):
        self.set_aside(24)
        for ranks in (1, 2, 3):
            for how in ("off", "local", "interleave"):
                with self.subTest(ranks=ranks, how=how):
                    self.assert_fine(run(["-n", str(ranks)], "prefault", how, "hugetlb",
                                         GONDWANA_PREFAULT=how))

    def test_a_program_without_a_launcher_and_a_variable_for_the_ranks_alone_do_it_too(self):
        self.set_aside(16)
        program = [os.path.join(PROGRAMS, "door_prefault"), "local", "hugetlb"]
        wanted = {"GONDWANA_HUGETLB": "yes", "GONDWANA_HEAP_SIZE": "32M",
                  "GONDWANA_PREFAULT": "local"}
        self.assert_fine(subprocess.run(program, env={**os.environ, **wanted}, text=True,
                                        capture_output=True, timeout=WATCHDOG, check=False))
        given = [word for name in wanted for word in ("-x", f"{name}={wanted[name]}")]
        self.assert_fine(run(["-n", "1", *given], "prefault", "local", "hugetlb",
                             GONDWANA_HUGETLB="no"))

    def test_globals_and_children_are_as_ever(self):
        self.set_aside(24)
        for name in ("globals", "collectives", "lifecycle"):
            with self.subTest(program=name):
                self.assert_fine(run(["-n", "3"], name))

    def test_nodes_that_share_no_memory_find_each_others_heaps(self):
        self.set_aside(32)
        for hosts in ("localhost:2,localhost:2", "localhost:1,localhost:3"):
            ended = run(["--hosts", hosts], "prefault", "local", "hugetlb",
                        GONDWANA_PREFAULT="local", GONDWANA_NETWORK="127.0.0.0/8")
            if "libfabric" in ended.stderr:
                self.skipTest(ended.stderr)
            with self.subTest(hosts=hosts):
                self.assert_fine(ended)

    def test_where_they_do_not_suffice_ordinary_ones_are_taken_and_that_is_said(self):
        for pages, there, verb in ((5, "4 MiB", "lie"), (0, "nothing", "lies")):
            self.set_aside(pages)
            ended = run(["-n", "2"], "prefault", "local", GONDWANA_PREFAULT="local")
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertRegex(ended.stderr, r"\Agondwana: warning: rank 0: GONDWANA_HUGETLB: "
                             f"{there} of each heap of 16 MiB {verb} on huge pages{NO_MORE}.*\n\\Z")

    def test_what_others_were_promised_is_not_taken(self):
        self.set_aside(16)
        with subprocess.Popen([GONDWANA, "run", "-n", "1", os.path.join(PROGRAMS, "door_network")],
                              env={**os.environ, "GONDWANA_HUGETLB": "yes",
                                   "GONDWANA_HEAP_SIZE": "24M"},
                              stdout=subprocess.PIPE, text=True) as first:
            self.assertEqual(first.stdout.readline(), "ready\n")
            ended = run(["-n", "1"], "prefault", "local", GONDWANA_PREFAULT="local")
            first.terminate()
            first.communicate(timeout=WATCHDOG)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stderr, r"8 MiB of each heap of 16 MiB lie on huge pages")

    def info(self, **variables):
        done = subprocess.run([GONDWANA, "info", "--json"], env={**os.environ, **variables},
                              text=True, capture_output=True, timeout=WATCHDOG, check=False)
        return json.loads(done.stdout)

    def test_info_tells_what_heaps_get(self):
        self.assertNotIn("heaps", self.info()["pages"])
        self.set_aside(4)
        said = self.info(GONDWANA_HUGETLB="yes")
        self.assertEqual((said["pages"]["heaps"]["value"], said["warnings"]), (2 << 20, []))
        (doubt,) = self.info(GONDWANA_HUGETLB="yes", GONDWANA_HEAP_SIZE="1G")["warnings"]
        self.assertRegex(doubt, "heaps of 1 GiB on .* do not fit into the 8 MiB of free huge pages")
        self.set_aside(0)
        said = self.info(GONDWANA_HUGETLB="yes")
        self.assertIsNone(said["pages"]["heaps"]["value"])
        self.assertRegex(said["warnings"][0], "no huge pages of 2 MiB are left.*vm.nr_hugepages")


def main():
    if not (POOL / "nr_hugepages").exists():
        print("skipped: the kernel has no huge pages of 2 MiB to set aside")
        return SKIPPED
    before = number("nr_hugepages")
    if number("free_hugepages") != before or not set_aside(before + 1):
        print("skipped: no huge pages can be set aside here, or others use some")
        return SKIPPED
    try:
        done = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False)
        return 0 if done.result.wasSuccessful() else 1
    finally:
        set_aside(before)


if __name__ == "__main__":
    GONDWANA, PROGRAMS = sys.argv[1:3]
    sys.exit(main())
