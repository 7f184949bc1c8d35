"""What `gondwana bench scale` counts in jobs whose other ranks are simulated: `scale_test.py GONDWANA`."""

import csv
import json
import subprocess
import sys
import unittest

WATCHDOG = 120
GONDWANA = ""
NEEDS = ("libfabric", "the allocator of this build")  # without them no job can be measured


def scale(*words):
    return subprocess.run([GONDWANA, "bench", "scale", *words], capture_output=True, text=True, timeout=WATCHDOG, check=False)


def counted(row):
    """What is sent. Times depend on the machine, and memory a little on the order of events."""
    return {name: value for name, value in row.items() if name not in ("rank_bytes", "node_bytes", "start_us", "barrier_us")}


class ScaleTest(unittest.TestCase):
    def figures(self, *words):
        said = scale(*words)
        if any(need in said.stderr for need in NEEDS):
            self.skipTest(said.stderr.strip())
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return said.stdout

    def rows(self, *words):
        return json.loads(self.figures(*words, "--json"))["rows"]

    def test_jobs_of_one_node_and_of_several_are_measured(self):
        rows = self.rows("--ranks", "2:32", "--node-ranks", "4")
        self.assertEqual([(row["ranks"], row["nodes"]) for row in rows], [(2, 1), (4, 1), (8, 3), (16, 5), (32, 9)])
        for row in rows:
            with self.subTest(ranks=row["ranks"]):
                self.assertEqual(row["source"], "real")
                self.assertTrue(all(row[name] > 0 for name in ("rank_bytes", "node_bytes", "launch_messages", "launch_bytes")))
                is_several = row["nodes"] > 1
                for name in ("start_messages", "start_steps", "connections", "barrier_messages", "barrier_steps"):
                    self.assertEqual(row[name] > 0, is_several, name)

    def test_every_node_is_told_of_all_others(self):
        few, many = self.rows("--ranks", "129:1025")[::3]
        self.assertEqual((few["nodes"], many["nodes"]), (3, 17))
        self.assertGreater(many["launch_bytes"] - few["launch_bytes"], 14 * 64)
        self.assertLess(many["start_steps"] - few["start_steps"], 14)  # it asks all nodes at once

    def test_two_runs_count_the_same(self):
        first, second = (self.rows("--ranks", "64:256") for _ in range(2))
        self.assertEqual([counted(row) for row in first], [counted(row) for row in second])

    def test_a_model_of_measured_jobs_is_near_a_measured_one(self):
        words = ("--ranks", "128:4096", "--node-ranks", "16")
        modelled, real = (self.rows(*words, "--real", limit)[-1] for limit in ("2048", "4096"))
        self.assertEqual((modelled["source"], real["source"]), ("modelled", "real"))
        for name in ("nodes", "launch_bytes", "connections"):
            self.assertEqual(modelled[name], real[name], name)
        for name in ("rank_bytes", "node_bytes", "start_messages", "start_bytes", "start_steps"):
            self.assertAlmostEqual(modelled[name] / real[name], 1, delta=0.1, msg=name)

    def test_a_table_and_csv_have_a_row_for_each_size(self):
        lines = self.figures("--ranks", "2:6").splitlines()
        self.assertIn("64 ranks on a node", lines[0])
        self.assertTrue(lines[1].startswith("# Ranks"))
        self.assertEqual([(line.split()[0], line.split()[-1]) for line in lines[2:]], [("2", "real"), ("4", "real"), ("6", "real")])
        rows = list(csv.DictReader(self.figures("--ranks", "2:6", "--csv").splitlines()))
        self.assertEqual([row["ranks"] for row in rows], ["2", "4", "6"])

    def test_mistakes_are_told(self):
        for words, sentence in (
            (("--ranks", "1:8"), '--ranks "1:8": expected MIN:MAX, from 2 to 1048576'),
            (("--ranks", "8"), '--ranks "8": expected MIN:MAX, from 2 to 1048576'),
            (("--node-ranks", "0"), "--node-ranks "),
            (("--csv", "--json"), "--csv or --json, not both"),
            (("--ranks", "2:8", "--real", "4"), "a model needs three measured sizes of several nodes"),
        ):
            with self.subTest(words=words):
                said = scale(*words)
                if any(need in said.stderr for need in NEEDS):
                    self.skipTest(said.stderr.strip())
                self.assertEqual((said.returncode, said.stdout), (1, ""))
                self.assertTrue(said.stderr.startswith("gondwana bench scale: " + sentence), said.stderr)


if __name__ == "__main__":
    GONDWANA = sys.argv.pop()
    unittest.main()
