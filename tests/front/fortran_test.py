"""Errors of Fortran programs name their files and lines: `fortran_test.py GONDWANA LIBRARIES`."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GONDWANA = ""
LIBRARIES = []  # what the program is linked with
WATCHDOG = 60  # seconds: against hangs only
SOURCE = Path(__file__).parent / "fortran/halo.f90"
HERE = r"\(in exchange, halo\.f90:2\d\)"

MESSAGES = {
    "rank": r"shmem_double_put: put of 64 B to rank 99: this job has 1 rank, 0 to 0; .* " + HERE,
    "stack": r"shmem_double_put: put of 64 B at .*it is on the stack of exchange: .* " + HERE,
    "past": r"shmem_double_put: argument dest is .*72 B starting at byte 0 exceed the variable row of 64 B " + HERE,
    "crash": r"SIGSEGV: no access to address 0x\w+, in exchange, halo\.f90:2\d\n"
    r"  #0 exchange at .*halo\.f90:2\d\n  #1 heat at .*halo\.f90:35\n",
}


class FortranTest(unittest.TestCase):
    def test_errors_and_crashes_name_file_and_line(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [f"-Wl,-rpath,{library.parent}" for library in LIBRARIES]
            subprocess.run(["gfortran", "-g", SOURCE, "-o", "halo", *LIBRARIES, *paths], cwd=folder, check=True)
            for how, message in MESSAGES.items():
                with self.subTest(how=how):
                    checks = "yes" if how == "past" else "no"
                    ended = subprocess.run([GONDWANA, "run", "-n", "1", "./halo", how], cwd=folder,
                                           env={**os.environ, "GONDWANA_DEBUG": checks}, capture_output=True,
                                           text=True, timeout=WATCHDOG, check=False)
                    self.assertRegex(ended.stderr, "gondwana: rank 0: " + message)
                    self.assertNotIn("Backtrace for this error", ended.stderr)


if __name__ == "__main__":
    GONDWANA = sys.argv[1]
    LIBRARIES = [Path(library) for library in sys.argv[2:]]
    if shutil.which("gfortran") is None:
        print("gfortran is not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
