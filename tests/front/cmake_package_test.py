"""How projects find Gondwana by CMake: `cmake_package_test.py BUILD CONFIGURATION C_COMPILER`.

Installs the build into a folder of its own, moves what was installed, and uses it from there.
"""

import json
import os
import re
import shlex
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
target_link_options(hello PRIVATE {options})
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

# Each rank puts its number into a variable of the next.
GLOBALS_PROGRAM = """\
#include <shmem.h>
#include <stdio.h>
static int before = -1;
int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), ranks = shmem_n_pes();
  shmem_int_p(&before, me, (me + 1) % ranks);
  shmem_barrier_all();
  if (before == (me + ranks - 1) % ranks) printf("%d of %d\\n", me, ranks);
  shmem_finalize();
}
"""

ARMCI_PROGRAM = """\
#include <armci.h>
#include <stdio.h>
int main(void) {
  ARMCI_Init();
  printf("%d of %d\\n", armci_msg_me(), armci_msg_nproc());
  ARMCI_Finalize();
}
"""

NVSHMEM_PROGRAM = """\
#include <nvshmem.h>
#include <stdio.h>
int main(void) {
  nvshmem_init();
  printf("%d of %d\\n", nvshmem_my_pe(), nvshmem_n_pes());
  nvshmem_finalize();
}
"""

# With an argument it leaves out MPI_Init.
MPI_PROGRAM = """\
#include <mpi.h>
#include <armci.h>
#include <stdio.h>
int main(int argc, char** argv) {
  if (argc == 1) MPI_Init(&argc, &argv);
  ARMCI_Init();
  ARMCI_Group world;
  int rank = -1, size = 0;
  ARMCI_Group_get_world(&world);
  MPI_Comm_rank(armci_group_comm(&world), &rank);
  MPI_Comm_size(armci_group_comm(&world), &size);
  printf("%d of %d\\n", rank, size);
  ARMCI_Finalize();
  MPI_Finalize();
}
"""
MPIS = {
    "openmpi": ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"),
    "mpich": ("mpiexec.hydra",),
}

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

    def configure(self, name, target, program, wanted="", options="", prefix=None):
        folder = self.folder / name
        folder.mkdir()
        project = PROJECT.format(target=target, wanted=wanted, options=options)
        (folder / "CMakeLists.txt").write_text(project, encoding="utf-8")
        (folder / "hello.c").write_text(program, encoding="utf-8")
        return run(
            "cmake",
            "-S",
            folder,
            "-B",
            folder / "build",
            f"-DCMAKE_PREFIX_PATH={prefix or self.prefix}",
            f"-DCMAKE_C_COMPILER={COMPILER}",
        )

    def assert_works(self, name, target, program, wanted="", options=""):
        """Three ranks of a program of this project print their ranks."""
        configured = self.configure(name, target, program, wanted, options)
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

    def test_a_program_of_armci_is_built_and_runs(self):
        self.assert_works("armci", "armci", ARMCI_PROGRAM, "COMPONENTS armci")
        flags = run_well(self.prefix / "bin/armci-config", "--cflags", "--ldflags", "--libs")
        source = self.folder / "armci/hello.c"
        program = self.folder / "armci/by_config"
        # The folder has a blank in its name, so the words are split as a shell would not.
        words = [f"-{word.strip()}" for word in f" {flags}".split(" -") if word.strip()]
        run_well(COMPILER, source, "-o", program, *words)
        done = run(self.prefix / "bin/gondwana", "run", "-n", "2", program)
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 of 2", "1 of 2"])
        refused = run(self.prefix / "bin/armci-config", "--mpi=lam")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("--mpi=lam is none of its options", refused.stderr)

    def test_a_program_of_nvshmem_is_built_and_runs(self):
        self.assert_works("nvshmem", "nvshmem", NVSHMEM_PROGRAM, "COMPONENTS nvshmem")
        home = self.prefix / "lib/gondwana/nvshmem"
        source = self.folder / "nvshmem/hello.c"
        program = self.folder / "nvshmem/by_home"
        places = (f"-I{home}/include", f"-L{home}/lib", f"-Wl,-rpath,{home}/lib")
        libraries = ("-lnvshmem_host", "-lnvshmem_device")
        run_well(COMPILER, source, "-o", program, *places, *libraries)
        done = run(self.prefix / "bin/gondwana", "run", "-n", "2", program)
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 of 2", "1 of 2"])

    def test_armci_is_one_library_for_every_mpi(self):
        """By the words of ga-config: the library's own name, then what configure was given."""
        place = Path(run_well(self.prefix / "bin/armci-config", "--prefix").strip())
        source = self.folder / "mpi.c"
        source.write_text(MPI_PROGRAM, encoding="utf-8")
        for mpi, launcher in MPIS.items():
            if not shutil.which(f"mpicc.{mpi}") or not shutil.which(launcher[0]):
                continue
            with self.subTest(mpi=mpi):
                program = self.folder / mpi
                libraries = (f"-L{place}/lib", "-larmci", f"-larmci-{mpi}", f"-Wl,-rpath,{place}/lib")
                run_well(f"mpicc.{mpi}", source, "-o", program, f"-I{place}/include", *libraries)
                armci = [name for name in self.needed_by(program) if "armci" in name]
                self.assertEqual(armci, ["libarmci.so.0"])
                done = run(*launcher, "-n", "2", program)
                self.assertEqual(sorted(done.stdout.splitlines()), ["0 of 2", "1 of 2"], done.stderr)
                alone = run(self.prefix / "bin/gondwana", "run", "-n", "2", program)
                self.assertIn("ARMCI_Init: this is process 0 of 1 in MPI, but ", alone.stderr)
                early = run(*launcher, "-n", "2", program, "early")
                self.assertIn("armci_group_comm: MPI is not initialized; call MPI_Init", early.stderr)

    def test_build_scripts_find_the_library_by_other_names_in_a_folder_of_its_own(self):
        folder = self.prefix / "lib/gondwana/compatibility"
        work = self.folder / "names"
        work.mkdir()
        source = work / "hello.c"
        source.write_text(SHMEM_PROGRAM, encoding="utf-8")
        include = f"-I{self.prefix / 'include'}"
        ways = {
            "oshmem": [f"-L{folder}", "-loshmem", f"-Wl,-rpath,{folder}"],
            "sma": [f"-L{folder}", "-lsma", f"-Wl,-rpath,{self.prefix / 'lib'}"],
            "file": [folder / "libsma.so", f"-Wl,-rpath,{folder}"],
            "static": ["-static", f"-L{folder}", "-loshmem"],
        }
        if shutil.which("pkg-config"):
            for name in ("oshmem", "sandia-openshmem"):
                here = {"PKG_CONFIG_PATH": str(folder / "pkgconfig")}
                said = run("pkg-config", "--cflags", "--libs", name, variables=here)
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                ways[f"by pkg-config {name}"] = shlex.split(said.stdout)
        for name, words in ways.items():
            with self.subTest(name):
                program = work / name.replace(" ", "_")
                run_well(COMPILER, include, source, "-o", program, *words)
                done = run(self.prefix / "bin/gondwana", "run", "-n", "2", program)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(sorted(done.stdout.splitlines()), ["0 of 2", "1 of 2"])

    def needed_by(self, program):
        """The shared libraries that it needs."""
        listed = run("readelf", "--dynamic", program)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        return re.findall(r"NEEDED.*\[(.*)\]", listed.stdout)

    def test_programs_are_linked_statically_as_far_as_they_ask_for_it(self):
        for option, libc in {"": ["libc.so.6"], "-static": [], "-static-pie": []}.items():
            name = "shmem_static" + option
            with self.subTest(option=option):
                self.assert_works(name, "shmem_static", GLOBALS_PROGRAM,
                                  "COMPONENTS shmem_static", option)
                needed = self.needed_by(self.folder / name / "build/hello")
                self.assertEqual([library for library in needed if "gondwana" in library], [])
                self.assertEqual([library for library in needed if library == "libc.so.6"], libc)

    def test_what_a_static_program_cannot_load_is_told_in_words(self):
        program = self.folder / "alone"
        for option in ("-static", "-static-pie"):
            with self.subTest(option=option):
                source = self.folder / "alone.c"
                source.write_text(GLOBALS_PROGRAM, encoding="utf-8")
                built = run(self.prefix / "bin/oshcc", option, source, "-o", program)
                self.assertEqual(built.returncode, 0, built.stderr)
                self.assertEqual(run(program).stdout, "0 of 1\n")
                done = run(self.prefix / "bin/gondwana", "run", "--hosts",
                           "localhost:1,localhost:1", program)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, "statically linked executable cannot load libfabric|"
                                 "without libfabric|libfabric cannot be loaded")
                if shutil.which("mpirun"):
                    options = ("--allow-run-as-root", "--oversubscribe", "-n", "2")
                    done = run("mpirun", *options, program)
                    self.assertRegex(done.stderr, "statically linked executable cannot load the PMIx "
                                     "library|without PMIx")

    def test_programs_of_gasnet_are_linked_statically_in_every_thread_mode(self):
        for mode, option in {"SEQ": "-static", "PAR": "-static-pie", "PARSYNC": ""}.items():
            target = f"gasnet_{mode.lower()}_static"
            with self.subTest(mode=mode):
                self.assert_works(target, target, GASNET_PROGRAM.format(mode=mode), "", option)

    def test_where_no_static_library_is_installed_there_is_no_such_target(self):
        without = self.folder / "without"
        shutil.copytree(self.prefix, without, symlinks=True)
        for archive in without.glob("lib*/**/*.a"):
            archive.unlink()
        done = self.configure("shared", "shmem", SHMEM_PROGRAM, prefix=without)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.configure("static", "shmem_static", SHMEM_PROGRAM, "COMPONENTS shmem_static",
                              prefix=without)
        self.assertRegex(done.stderr, "Gondwana has no component shmem_static; there are:")

    def test_another_version_and_unknown_components_are_refused(self):
        done = self.configure("later", "shmem", SHMEM_PROGRAM, "99.1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('compatible with requested version "99.1"', done.stderr)
        done = self.configure("component", "shmem", SHMEM_PROGRAM, "COMPONENTS mpi")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "Gondwana has no component mpi; there are:\\s+shmem,")

    def test_the_programs_of_bench_find_their_libraries(self):
        for door in ("shmem", "gasnetex", "armci"):
            with self.subTest(door=door):
                done = run(self.prefix / "bin/gondwana", "bench", "atomics", "--door", door, "-r", "3")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_info_says_where_the_libraries_are(self):
        said = json.loads(run(self.prefix / "bin/gondwana", "info", "--json").stdout)
        for door, library in {"openshmem": "shmem", "gasnet_ex": "gasnet"}.items():
            found = Path(said["doors"][door]["remark"])
            self.assertEqual(found.name, f"libgondwana_{library}.so")
            self.assertTrue(found.exists() and found.is_relative_to(self.prefix), found)
        armci = Path(said["doors"]["armci"]["remark"])
        self.assertEqual(armci.name, "libarmci.so")
        self.assertTrue(armci.exists() and armci.is_relative_to(self.prefix), armci)

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
