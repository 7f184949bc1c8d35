"""What `gondwana bench seeds` and `apps` print, in few rounds, never how fast: `programs_test.py GONDWANA`."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

WATCHDOG = 120
GONDWANA = ""
OPEN_MPI = "/usr/bin"
SEEDS = ["hot_spot", "random_access", "index_gather", "transpose_get", "transpose_put", "put_flood_8K", "lock"]
APPS = ["heat", "histogram", "sort", "work_queue", "matrix"]
DOORS = [("shmem", SEEDS), ("gasnetex", ["medium_4K", "medium_32K", "immediate"])]


def peer_here():
    """The words of --peer for Open MPI; none where it lacks OpenSHMEM or its headers."""
    commands = [shutil.which(name, path=OPEN_MPI) for name in ("oshcc", "oshrun")]
    if None in commands:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write("#include <shmem.h>\nint main(void) { return 0; }\n")
        source.flush()
        built = subprocess.run([commands[0], "-fsyntax-only", source.name], check=False, capture_output=True)
    return None if built.returncode else "oshcc={},oshrun={}".format(*commands)


class ProgramsTest(unittest.TestCase):
    def figures(self, *words):
        said = subprocess.run([GONDWANA, "bench", *words, "-r", "3"], capture_output=True, text=True,
                              timeout=WATCHDOG, check=False, env={**os.environ, "GONDWANA_HEAP_SIZE": "64M"})
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return said.stdout

    def result(self, *words):
        return json.loads(self.figures(*words, "--json"))

    def test_seeds_of_both_doors_have_controls(self):
        for door, seeds in DOORS:
            for ranks in ("2", "3"):
                with self.subTest(door=door, ranks=ranks):
                    series = self.result("seeds", "--door", door, "-n", ranks)["series"]
                    self.assertEqual([one["operation"] for one in series], seeds)
                    for one in series:
                        self.assertEqual((len(one["ours_ns"]), len(one["control_ns"])), (3, 3))
                        self.assertTrue(all(ns > 0 for ns in one["ours_ns"] + one["control_ns"]))

    def test_seeds_between_hosts_have_controls_of_messages_alone(self):
        for door, seeds in DOORS:
            with self.subTest(door=door):
                series = self.result("seeds", "--door", door, "--hosts", "localhost:1,localhost:1")["series"]
                self.assertEqual([one["operation"] for one in series], seeds)
                for one in series:
                    self.assertEqual(len(one["control_ns"]) > 0, door == "gasnetex", one["operation"])

    def test_a_peer_runs_the_seeds_too(self):
        peer = peer_here()
        if peer is None:
            self.skipTest("no Open MPI with OpenSHMEM here")
        for one in self.result("seeds", "--peer", peer)["series"]:
            self.assertEqual(len(one["peer_ns"]), 3)

    def test_programs_run_on_each_number_of_ranks_beside_one_process(self):
        result = self.result("apps", "-n", "3")
        self.assertEqual(result["job"], "1 to 3 ranks")
        found = [(one["operation"], one["ranks"]) for one in result["series"]]
        self.assertEqual(found, [(app, ranks) for app in APPS for ranks in (1, 2, 3)])
        for one in result["series"]:
            self.assertEqual((len(one["ours_ns"]), len(one["control_ns"])), (3, 3))
            self.assertTrue(all(ns > 0 for ns in one["ours_ns"] + one["control_ns"]))

    def test_a_table_of_programs_has_their_speed_up(self):
        tables = self.figures("apps").split("\n\n")
        self.assertEqual(len(tables), len(APPS))
        for app, table in zip(APPS, tables, strict=True):
            title, columns, *rows = table.splitlines()
            self.assertIn(f": {app}, 1 to 2 ranks, ", title)
            self.assertEqual(columns.split(), ["#", "Ranks", "Time", "(ms)", "25%", "75%", "Control", "Speed-up"])
            self.assertEqual([row.split()[0] for row in rows], ["1", "2"])
            for row in rows:
                *times, speed_up = map(float, row.split()[1:])
                self.assertTrue(all(time > 0 for time in times), row)
                self.assertGreaterEqual(speed_up, 0)  # on a busy machine the digits may not show it

    def test_programs_run_between_hosts(self):
        result = self.result("apps", "--hosts", "localhost:1,localhost:2")
        self.assertEqual([(one["operation"], one["ranks"]) for one in result["series"]], [(app, 3) for app in APPS])

    def test_a_peer_runs_the_programs_too(self):
        peer = peer_here()
        if peer is None:
            self.skipTest("no Open MPI with OpenSHMEM here")
        for one in self.result("apps", "--peer", peer)["series"]:
            self.assertEqual(len(one["peer_ns"]), 3)


if __name__ == "__main__":
    GONDWANA = sys.argv.pop()
    unittest.main()
