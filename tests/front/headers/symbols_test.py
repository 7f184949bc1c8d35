#!/usr/bin/env python3
"""The library exports every routine of the table twice, shmem_X weak and pshmem_X strong, and
nothing else.

symbols_test.py LIBRARY
"""

import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "api"))

import table  # noqa: E402

LIBRARY = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None


def exported_symbols(library: Path) -> dict[str, tuple[str, int]]:
    """Name -> (nm's letter, address); the version node itself (A) is left out."""
    command = ["nm", "-D", "--defined-only", str(library)]
    output = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    symbols = {}
    for line in output.splitlines():
        address, letter, name = line.split()
        if letter != "A":
            symbols[name.split("@")[0]] = (letter, int(address, 16))
    return symbols


class SymbolsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        api = table.load(ROOT / "api/shmem.toml", "0.1.0")
        cls.names = {function.name for function in api.functions}
        cls.symbols = exported_symbols(LIBRARY)

    def test_exactly_the_names_of_the_table_are_exported(self):
        expected = self.names | {"p" + name for name in self.names}
        self.assertEqual(set(self.symbols), expected)

    def test_the_users_name_is_weak_and_the_profiling_name_strong(self):
        for name in sorted(self.names & set(self.symbols)):
            self.assertEqual(self.symbols[name][0], "W", name)
            self.assertEqual(self.symbols["p" + name][0], "T", name)

    def test_both_names_are_one_routine(self):
        for name in sorted(self.names & set(self.symbols)):
            self.assertEqual(self.symbols[name][1], self.symbols["p" + name][1], name)


if __name__ == "__main__":
    if LIBRARY is None or not LIBRARY.exists():
        print(f"skipped: {LIBRARY or 'no library'} is not built")
        sys.exit(77)
    if shutil.which("nm") is None:
        print("skipped: nm (binutils) is not on the PATH")
        sys.exit(77)
    unittest.main()
