"""What `gondwana bench` prints, in few rounds: `bench_test.py GONDWANA`."""

import csv
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
ATOMICS = ["fetch_add", "add", "swap", "compare_swap"]


def bench(*words, env=None):
    return subprocess.run([GONDWANA, "bench", *words], capture_output=True, text=True, timeout=WATCHDOG,
                          check=False, env={**os.environ, **(env or {})})


def cannot_compile(compiler):
    """Whether the compiler is not of Open MPI, or lacks its headers."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:  # without a file it adds no folders of headers
        source.write("#include <shmem.h>\nint main(void) { return 0; }\n")
        source.flush()
        built = subprocess.run([compiler, "-fsyntax-only", source.name], check=False, capture_output=True)
    return built.returncode != 0


class BenchTest(unittest.TestCase):
    def figures(self, *words):
        said = bench(*words, "-r", "3")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return said.stdout

    def test_a_table_has_a_row_for_each_size_with_a_control(self):
        lines = self.figures("latency", "-m", "8:64").splitlines()
        self.assertEqual(lines[0].split(": ")[1], "put, 2 ranks, medians of 3 rounds")
        self.assertEqual(lines[1].split(), ["#", "Size", "Latency", "(us)", "25%", "75%", "Control", "Ratio"])
        self.assertEqual([line.split()[0] for line in lines[2:6]], ["8", "16", "32", "64"])
        self.assertIn(": get, ", lines[7])
        for line in (*lines[2:6], *lines[9:13]):
            _, median, lower, upper, control, ratio = map(float, line.split())
            self.assertLessEqual(lower, median)
            self.assertLessEqual(median, upper)
            self.assertGreaterEqual(control, 0)
            self.assertGreater(ratio, 0)

    def test_json_has_the_values_of_every_round(self):
        result = json.loads(self.figures("atomics", "--json", "-n", "4"))
        self.assertEqual((result["subject"], result["job"], result["rounds"]), ("atomics", "4 ranks", 3))
        self.assertEqual([series["operation"] for series in result["series"]], ATOMICS)
        for series in result["series"]:
            self.assertEqual((len(series["ours_ns"]), len(series["control_ns"])), (3, 3))
            self.assertTrue(all(ns > 0 for ns in series["ours_ns"] + series["control_ns"]))

    def test_csv_has_a_row_for_each_size(self):
        for subject, column in (("bandwidth", "Bandwidth (MB/s)"), ("rate", "Rate (M/s)")):
            rows = list(csv.DictReader(self.figures(subject, "--csv", "-m", "1K:2K").splitlines()))
            self.assertEqual([row["bytes"] for row in rows], ["1024", "2048"])
            for row in rows:
                self.assertLessEqual(float(row["25%"]), float(row[column]))
                self.assertGreater(float(row["ratio"]), 0)

    def test_collectives_have_a_control_on_all_ranks(self):
        result = json.loads(self.figures("collectives", "--json", "-n", "3", "-m", "8:16"))
        found = [(series["operation"], series["bytes"]) for series in result["series"]]
        sizes = [(name, size) for name in ("broadcast", "sum") for size in (8, 16)]
        self.assertEqual(found, [("barrier", 0), *sizes])
        for series in result["series"]:
            self.assertEqual((len(series["ours_ns"]), len(series["control_ns"])), (3, 3))
            self.assertTrue(all(ns > 0 for ns in series["ours_ns"] + series["control_ns"]))

    def test_between_hosts_there_is_no_control(self):
        for subject in ("latency", "collectives"):
            lines = self.figures(subject, "--hosts", "localhost:1,localhost:1", "-m", "8:8").splitlines()
            self.assertIn("hosts localhost:1,localhost:1", lines[0])
            self.assertEqual(lines[2].split()[-2:], ["-", "-"])

    def test_a_peer_runs_the_same_program_by_turns(self):
        commands = [shutil.which(name, path=OPEN_MPI) for name in ("oshcc", "oshrun")]
        if None in commands or cannot_compile(commands[0]):
            self.skipTest("no Open MPI with OpenSHMEM here")
        peer = "oshcc={},oshrun={}".format(*commands)
        for words in (("atomics",), ("collectives", "-m", "8:8")):
            result = json.loads(self.figures(*words, "--json", "--peer", peer))
            for series in result["series"]:
                self.assertEqual([len(series[key]) for key in ("ours_ns", "control_ns", "peer_ns")], [3, 3, 3])
                self.assertTrue(all(ns > 0 for ns in series["peer_ns"]))

    def test_a_peer_that_cannot_be_built_leaves_no_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            said = bench("atomics", "--peer", "oshcc=/bin/false,oshrun=/bin/false", env={"TMPDIR": folder})
            self.assertEqual((said.returncode, said.stdout), (2, ""))
            self.assertIn("it ended with status 1", said.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_a_job_that_fails_is_told(self):
        said = bench("latency", "--hosts", "-x:1,localhost:1")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertIn("it ended with status ", said.stderr)

    def recorded(self, name, factor, **changed):
        """A file of --json in which each operation takes `factor` times as long."""
        result = json.loads(self.figures("latency", "--json", "-m", "8:8"))
        for series in result["series"]:  # the spread of the rounds is made up, so that it is known
            series["ours_ns"] = [100 * factor, 101 * factor, 102 * factor]
            series["control_ns"] = [50, 50, 50]
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**result, **changed}, file)
        return path

    def compared(self, before, after):
        said = bench("compare", before, after)
        return said.returncode, [line.split()[-1] for line in said.stdout.splitlines()[1:]], said.stderr

    def test_compare_tells_what_is_slower_beyond_the_noise(self):
        with tempfile.TemporaryDirectory() as self.folder:
            before = self.recorded("before", 1)
            for name, factor, status, word in (
                ("same", 1.01, 0, "same"), ("slower", 1.2, 1, "slower"), ("faster", 0.8, 0, "faster"),
            ):
                with self.subTest(name):
                    self.assertEqual(self.compared(before, self.recorded(name, factor)), (status, [word] * 2, ""))
            other = self.recorded("other", 1, job="4 ranks")
            none = self.recorded("none", 1, series=[])
            empty = os.path.join(self.folder, "empty")
            open(empty, "w", encoding="utf-8").close()
            for after, sentence in (
                (other, "they measured different things: latency, 2 ranks; latency, 4 ranks"),
                (none, "they have no operation of the same size in common"),
                (empty, "it is no file that gondwana bench --json has written"),
                (os.path.join(self.folder, "missing"), "the file cannot be read"),
                (self.folder, "the file cannot be read"),
            ):
                with self.subTest(sentence):
                    status, rows, said = self.compared(before, after)
                    self.assertEqual((status, rows, said.count("\n")), (2, [], 1))
                    self.assertIn(sentence, said)
        self.assertEqual(bench("compare", "one").returncode, 2)

    def test_mistakes_get_a_sentence(self):
        for words, sentence in {
            (): "what to measure? Possible are latency, bandwidth, rate, atomics, collectives",
            ("strided",): "strided cannot be measured by this version; possible are latency, ",
            ("latency", "-n", "1"): '-n "1": expected a whole number from 2 ',
            ("latency", "-m", "8"): '-m "8": expected MIN:MAX',
            ("latency", "-m", "8:4"): '-m "8:4": expected MIN:MAX',
            ("atomics", "-m", "8:8"): "atomics has no sizes",
            ("collectives", "-m", "4:8"): "collectives needs a MIN that is a multiple of 8",
            ("latency", "--json", "--csv"): "not both",
            ("latency", "-n", "2", "--hosts", "a:1,b:1"): "not both",
            ("atomics", "--peer", "oshcc=a"): '--peer "oshcc=a": expected its compiler and launcher',
            ("atomics", "--hosts", "a:1,b:1", "--peer", "oshcc=a,oshrun=b"): "leave --hosts out",
            ("latency", "--fast"): "--fast; see gondwana bench --help",
        }.items():
            with self.subTest(words=words):
                said = bench(*words)
                self.assertEqual((said.returncode, said.stdout, said.stderr.count("\n")), (2, "", 1))
                self.assertIn(sentence, said.stderr)
        self.assertTrue(bench("--help").stdout.startswith("Usage: gondwana bench "))


if __name__ == "__main__":
    GONDWANA = sys.argv.pop(1)
    unittest.main()
