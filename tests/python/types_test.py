"""The report of a type checker on programs: `types_test.py [PACKAGE]`, the folder of `gondwana`.

Exits with status 77 where mypy, or a numpy that it finds, is missing.
"""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "examples/python"
PACKAGE = SOURCE / "python"
MYPY: list[str] = []


def mypy_command() -> list[str]:
    """Of a Python that has numpy too, first on the PATH or of the system."""
    for python in (sys.executable, "/usr/bin/python3"):
        probe = [python, "-W", "ignore", "-c", "import mypy, numpy"]
        if (
            os.path.exists(python)
            and subprocess.run(probe, capture_output=True, check=False).returncode == 0
        ):
            return [python, "-m", "mypy"]
    return []


class TypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.TemporaryDirectory(prefix="types_test")  # the types of numpy take a while
        cls.addClassCleanup(cls.cache.cleanup)

    def check(self, *words):
        command = [*MYPY, "--strict", "--cache-dir", self.cache.name, *map(str, words)]
        environment = {**os.environ, "MYPYPATH": str(PACKAGE)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def check_program(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as program:
            program.write(textwrap.dedent(text))
            program.flush()
            return self.check(program.name)

    def test_every_function_of_the_package_has_types_and_they_fit(self):
        done = self.check(PACKAGE / "gondwana")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_that_are_right_pass(self):
        done = self.check_program("""
            from typing import Any

            import gondwana
            import numpy as np
            from numpy.typing import NDArray

            table = gondwana.zeros((2, 3), np.int64)
            table.put([1, 2, 3], rank=0, at=(1, slice(None)))
            ticket: int = table.fetch_add((0, 1), 1, rank=0)
            seen: int = table.wait_until((0, 0), ">=", ticket)
            whole: NDArray[Any] = table.get(0)
            place = np.empty(3, np.float32)
            same: NDArray[np.float32] = table.get(0, at=1, out=place)
            one: float = table.get(0, at=(0, 1))
            print(len(table), whole, same, one)
            row, column = gondwana.WORLD.split_2d(2)
            row.barrier()
            with gondwana.Lock() as lock:
                gondwana.reduce(table, table, "sum")
            print(table.local.sum(), seen)
            with_peers: gondwana.Symmetric = gondwana.register(place)
            field = gondwana.full((2, 3), 1.5, device=gondwana.devices()[0])
            field.put(field, rank=0)
            field[0] = field.to_host()[1] + 1
            print(with_peers.get(0, out=field))
            """)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_of_global_arrays_that_are_right_pass(self):
        done = self.check_program("""
            from gondwana import ga
            import numpy as np

            with ga.zeros((20, 30), np.float32, chunk=(20, 1), name="a") as a:
                a[2:5, :] = 1
                a[..., -1] = np.arange(20)
                a.acc([1.5], at=(0, slice(3)), scale=2)
                a.local += 2
                row, column = a.distribution(0)
                print(a[3, row], a.get(np.s_[1:3], out=np.empty((2, 30), np.float32)))
                ga.gemm(1, a, a, 0.5, a)
                owner: int = a.locate((0, 1))
                task: int = ga.create(1, int).read_inc(0)
                print(ga.reduce(task + owner, "max").sum(), a.dot(a))
            """)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_that_are_wrong_are_told(self):
        sentences = {
            'gondwana.zeros(3).put(1, rank="0")': 'Argument "rank" to "put" of "Symmetric"',
            "gondwana.zeros(3).fetch_add(0, 1.5, 0)": 'Argument 2 to "fetch_add"',
            "gondwana.ga.zeros(3).read_inc(0, 0.5)": 'Argument 2 to "read_inc" of "GlobalArray"',
            "gondwana.zeros(3).get(0).barier()": "has no attribute",
            "gondwana.barier()": 'Module has no attribute "barier"',
            "name: str = gondwana.rank()": "Incompatible types in assignment",
        }
        done = self.check_program("\n".join(["import gondwana.ga", *sentences]))
        told = done.stdout.splitlines()
        for number, (line, sentence) in enumerate(sentences.items(), 2):
            with self.subTest(line=line):
                of_line = [each for each in told if f".py:{number}: error" in each]
                self.assertIn(sentence, "\n".join(of_line), done.stdout)

    def test_the_examples_pass(self):
        loosely = ("--allow-untyped-defs", "--allow-untyped-calls", "--ignore-missing-imports")
        done = self.check(*loosely, *sorted(EXAMPLES.glob("*.py")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]):
        PACKAGE = Path(sys.argv.pop(1)).resolve()
    MYPY = mypy_command()
    if not MYPY:
        print("skipped: needs a Python with mypy and numpy")
        sys.exit(77)
    unittest.main()
