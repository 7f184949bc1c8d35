#!/usr/bin/env python3
"""The libraries define every routine of OpenSHMEM 1.6 twice, shmem_X weak and pshmem_X strong, and
the handles as constants. The shared library exports nothing else but a few names of others.

symbols_test.py LIBRARY ARCHIVE
"""

import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import specification

HANDLES = {f"SHMEM_{name}" for name in specification.HANDLES.split()}
OTHER_NAMES = {"my_pe", "num_pes", "globalexit"}
EXTENSIONS = {
    f"shmemx_{name}"
    for name in (
        *("region_begin", "region_end", "buffer_register", "buffer_unregister"),
        *("devices", "device_name", "device_of", "device_malloc", "device_free", "device_memcpy"),
        *("streams", "quiet_streams", "call_on_stream", "putmem_on_stream", "getmem_on_stream"),
        *("putmem_signal_on_stream", "signal_wait_until_on_stream", "barrier_all_on_stream"),
        *("malloc_at", "malloc_at_owned", "free_at", "gptr_addr", "gptr_ptr", "gptr_accumulate"),
        *("get_uniqueid", "set_attr_uniqueid_args", "init_attr"),
        *("pe_state", "status", "team_shrink"),
        *("spawn", "team_update", "leave", "roster_epoch", "roster_changed", "roster_wait"),
        *("signal_after", "ctx_signal_after"),
        *("is_restarted", "pe_restarts"),
        *(f"{name}_wait_until_timeout" for name in ("int", "long", "longlong", "size", "ptrdiff")),
        *(f"{name}_wait_until_timeout" for name in ("uint", "ulong", "ulonglong")),
        *(f"{name}{bits}_wait_until_timeout" for name in ("int", "uint") for bits in (32, 64)),
        *(f"device_heap_{name}" for name in ("create", "destroy", "malloc", "align", "free")),
    )
}
FILES = [Path(name) for name in sys.argv[1:3]]
del sys.argv[1:3]


def symbols_of(file: Path, *options: str) -> dict[str, tuple[str, int]]:
    """Name -> (nm's letter, address); the version node itself (A) is left out."""
    command = ["nm", *options, "--defined-only", str(file)]
    output = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    symbols = {}
    for words in map(str.split, output.splitlines()):
        if len(words) == 3 and words[1] != "A":
            symbols[words[2].split("@")[0]] = (words[1], int(words[0], 16))
    return symbols


class SymbolsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = sorted({specification.name_of(text) for text in specification.functions()})
        cls.expected = {*cls.names, *("p" + name for name in cls.names), *HANDLES, *OTHER_NAMES,
                        *EXTENSIONS}
        cls.shared = symbols_of(FILES[0], "-D")
        cls.archive = symbols_of(FILES[1], "-g")

    def test_the_shared_library_exactly_exports_the_specification(self):
        self.assertEqual(set(self.shared), self.expected)

    def test_the_archive_has_the_specification(self):
        self.assertEqual(self.expected - set(self.archive), set())

    def test_handles_are_constants_in_memory_that_is_never_written(self):
        for symbols in (self.shared, self.archive):
            for name in HANDLES:
                self.assertEqual(symbols[name][0], "R", name)

    def test_the_users_name_is_weak_and_the_profiling_name_strong(self):
        for symbols in (self.shared, self.archive):
            for name in self.names:
                self.assertEqual(symbols[name][0], "W", name)
                self.assertEqual(symbols["p" + name][0], "T", name)

    def test_names_of_other_implementations_give_way_to_those_of_a_program(self):
        for symbols in (self.shared, self.archive):
            for name in OTHER_NAMES:
                self.assertEqual(symbols[name][0], "W", name)

    def test_both_names_are_one_routine(self):
        for symbols in (self.shared, self.archive):
            for name in self.names:
                self.assertEqual(symbols[name][1], symbols["p" + name][1], name)


if __name__ == "__main__":
    if len(FILES) < 2 or not all(file.exists() for file in FILES):
        print(f"skipped: of {', '.join(map(str, FILES)) or 'the libraries'}, one is not built")
        sys.exit(77)
    if shutil.which("nm") is None:
        print("skipped: nm (binutils) is not on the PATH")
        sys.exit(77)
    unittest.main()
