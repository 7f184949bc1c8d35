"""Sheets and rows of emulated devices, in few rounds, never how fast: `devices_test.py SOURCE BUILD GONDWANA`."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WATCHDOG = 120
SHEETS = ("Kinds 2", "Kinds 3", "Kinds 3 histogram")
SOURCE = BUILD = GONDWANA = ""


def output_of(*command):
    said = subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG, check=False,
                          env={**os.environ, "GONDWANA_EMULATED_DEVICES": "1", "GONDWANA_NETWORK": "127.0.0.0/8"})
    if said.returncode != 0:
        raise AssertionError(f"{command}: status {said.returncode}: {said.stdout}{said.stderr}")
    return said.stdout


def figures(program, job, *words):
    lines = output_of(GONDWANA, "run", *job, f"{BUILD}/bench/rows/{program}", *words).splitlines()
    return {(figure["name"], figure["side"]): figure["median"] for figure in map(json.loads, lines)}


class DevicesTest(unittest.TestCase):
    def test_sheets_of_memory_kinds_are_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            output_of(sys.executable, f"{SOURCE}/bench/seeds.py", "--quick", "--build", BUILD, "--out", folder,
                      *(word for sheet in SHEETS for word in ("--only", sheet)))
            sheets = json.loads((Path(folder) / "seeds.json").read_text(encoding="utf-8"))["sheets"]
        self.assertEqual([sheet["name"] for sheet in sheets], [*SHEETS])
        copies, steps, histogram = sheets
        for row in copies["rows"]:
            self.assertEqual(len(row), 13)
            self.assertTrue(all(rate > 0 for rate in row), row)
        ways = [row[0] for row in steps["rows"]]
        self.assertIn(ways, (["24 dev", "24 host"], ["24 dev", "24 host", "24 MPI"]))
        for share in zip(*(row[1:] for row in histogram["rows"]), strict=True):
            self.assertAlmostEqual(sum(share), 100)

    def test_segments_that_come_and_go_leave_nothing(self):
        found = figures("gasnet_device_use", ("-n", "2"))
        self.assertEqual({name for name, _ in found}, {"device_in_use_put", "device_in_use_p", "device_segment"})

    def test_copies_between_hosts_arrive(self):
        hosts = ("--hosts", "localhost:1,localhost:1")
        self.assertEqual(len(figures("gasnet_device_copies", hosts, "peer", "far", "65536")), 16)


if __name__ == "__main__":
    GONDWANA, BUILD, SOURCE = (sys.argv.pop() for _ in range(3))
    unittest.main()
