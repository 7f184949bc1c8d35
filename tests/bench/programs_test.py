"""What `gondwana bench seeds` prints, in few rounds, never how fast: `programs_test.py GONDWANA`."""

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
    def result(self, *words):
        said = subprocess.run([GONDWANA, "bench", *words, "-r", "3", "--json"], capture_output=True, text=True,
                              timeout=WATCHDOG, check=False, env={**os.environ, "GONDWANA_HEAP_SIZE": "64M"})
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return json.loads(said.stdout)

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


if __name__ == "__main__":
    GONDWANA = sys.argv.pop()
    unittest.main()
