"""How projects find Gondwana by CMake: `cmake_package_test.py BUILD CONFIGURATION C_COMPILER`.

Installs the build into a folder of its own, moves what was installed, and uses it from there.
"""

import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from installed import run, run_well

BUILD = ""
CONFIGURATION = ""
COMPILER = ""
SOURCE = Path(__file__).resolve().parents[2]

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(hello C)
find_package(Gondwana {wanted} REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE Gondwana::{target})
enable_testing()
add_test(NAME hello COMMAND Gondwana::command run -n 3 $<TARGET_FILE:hello>)
"""

SHMEM_PROGRAM = """\
#include <shmem.h>
#include <stdio.h>
int main(void) {
  shmem_init();
  printf("%d of %d\\n", shmem_my_pe(), shmem_n_pes());
  shmem_finalize();
}
"""

GASNET_PROGRAM = """\
#include <gasnetex.h>
#include <stdio.h>
#if !defined GASNET_{mode}
#error "another thread mode"
#endif
int main(int argc, char** argv) {{
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  if (gex_Client_Init(&client, &endpoint, &team, "hello", &argc, &argv, 0) != GASNET_OK) return 1;
  printf("%u of %u\\n", gex_TM_QueryRank(team), gex_TM_QuerySize(team));
  fflush(stdout);
  gasnet_exit(0);
}}
"""


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="cmake_package_test"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        first = cls.folder / "first"
        run_well("cmake", "--install", BUILD, "--prefix", first)
        cls.prefix = first.rename(cls.folder / "a prefix")

    def configure(self, name, target, program, wanted=""):
        folder = self.folder / name
        folder.mkdir()
        project = PROJECT.format(target=target, wanted=wanted)
        (folder / "CMakeLists.txt").write_text(project, encoding="utf-8")
        (folder / "hello.c").write_text(program, encoding="utf-8")
        return run(
            "cmake",
            "-S",
            folder,
            "-B",
            folder / "build",
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={COMPILER}",
        )

    def assert_works(self, name, target, program, wanted=""):
        """Three ranks of a program of this project say who they are."""
        configured = self.configure(name, target, program, wanted)
        self.assertEqual((configured.returncode, configured.stderr), (0, ""))
        build = self.folder / name / "build"
        built = run("cmake", "--build", build)
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        done = run(self.prefix / "bin/gondwana", "run", "-n", "3", build / "hello")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 of 3", "1 of 3", "2 of 3"])
        tested = run("ctest", "--test-dir", build, "--no-tests=error")
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)

    def test_a_program_of_openshmem_is_built_and_runs(self):
        self.assert_works("shmem", "shmem", SHMEM_PROGRAM, "0.1 COMPONENTS shmem")

    def test_programs_of_gasnet_are_built_in_every_thread_mode_and_run(self):
        for mode in ("SEQ", "PAR", "PARSYNC"):
            with self.subTest(mode=mode):
                target = f"gasnet_{mode.lower()}"
                self.assert_works(target, target, GASNET_PROGRAM.format(mode=mode))

    def test_another_version_and_unknown_components_are_refused(self):
        done = self.configure("later", "shmem", SHMEM_PROGRAM, "99.1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('compatible with requested version "99.1"', done.stderr)
        done = self.configure("component", "shmem", SHMEM_PROGRAM, "COMPONENTS armci")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "Gondwana has no component armci; there are:\\s+shmem,")

    def test_info_says_where_the_libraries_are(self):
        said = json.loads(run(self.prefix / "bin/gondwana", "info", "--json").stdout)
        for door, library in {"openshmem": "shmem", "gasnet_ex": "gasnet"}.items():
            found = Path(said["doors"][door]["remark"])
            self.assertEqual(found.name, f"libgondwana_{library}.so")
            self.assertTrue(found.exists() and found.is_relative_to(self.prefix), found)

    def test_no_file_names_the_folders_that_it_was_built_in(self):
        if CONFIGURATION == "Debug":
            self.skipTest("debuggers shall find the sources")
        places = [os.fsencode(place) for place in (SOURCE, Path(BUILD).resolve(), self.folder)]
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 100)
        found = [
            f"{path.relative_to(self.prefix)}: {place.decode()}"
            for path in files
            for place in places
            if place in path.read_bytes()
        ]
        self.assertEqual(found, [])


if __name__ == "__main__":
    BUILD, CONFIGURATION, COMPILER = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
