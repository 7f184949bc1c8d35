#!/usr/bin/env python3
"""The examples of the manual pages compile without a warning, and their own checks pass.

man_examples_test.py GONDWANA LIBRARY [COMPILER [FLAGS...]]: the command, and libgondwana_shmem.so.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "docs/man/examples").glob("*.c"))
STRICT = (
    "-std=c11",
    "-D_GNU_SOURCE",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Werror",
)

GONDWANA, LIBRARY, *COMPILER = sys.argv[1:]
sys.argv[1:] = []


def run(*command: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "ASAN_OPTIONS": "handle_segv=0:detect_leaks=0"}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


class ExampleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_fine(self, result: subprocess.CompletedProcess) -> None:
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stderr, "")

    def compile(self, source: Path) -> Path:
        program = self.folder / source.stem
        include = f"-I{ROOT / 'include'}"
        rpath = f"-Wl,-rpath,{Path(LIBRARY).parent}"
        command = [*(COMPILER or ["cc"]), *STRICT, include, str(source), "-o", str(program)]
        result = run(*command, LIBRARY, rpath, "-pthread")
        self.assert_fine(result)
        return program

    def test_each_example_finds_its_own_result_right(self):
        self.assertTrue(EXAMPLES)
        for source in EXAMPLES:
            with self.subTest(example=source.name):
                program = self.compile(source)
                for ranks in (1, 2, 4):
                    command = [GONDWANA, "run", "-n", str(ranks), "--timeout", "60", str(program)]
                    self.assert_fine(run(*command))


if __name__ == "__main__":
    unittest.main()
