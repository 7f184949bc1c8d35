"""The wheel: `wheel_test.py BUILD C_COMPILER`.

Makes the wheel from the build with pip, installs it into empty environments, and uses its contents.
Exits with status 77 where pip is missing.
"""

import os
import re
import shutil
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from installed import CMAKE_PROJECT, PROGRAM, run, run_well

BUILD = ""
COMPILER = ""
SOURCE = Path(__file__).resolve().parents[2]

GASNET_PROGRAM = """\
#include <gasnetex.h>
#include <stdio.h>
int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  if (gex_Client_Init(&client, &endpoint, &team, "hello", &argc, &argv, 0) != GASNET_OK) return 1;
  if (gex_TM_QueryRank(team) == 0) printf("%u\\n", gex_TM_QuerySize(team));
  fflush(stdout);
  gasnet_exit(0);
}
"""

PYTHON_PROGRAM = """\
import gondwana
sums = gondwana.zeros(1, int)
sums.fetch_add(0, gondwana.rank() + 1, rank=0)
gondwana.barrier()
if gondwana.rank() == 0: print(sums.local[0])
"""


SHMEM4PY = "shmem4py-1.0.0.tar.gz"
SHMEM4PY_PROGRAM = """\
from shmem4py import shmem
sums = shmem.zeros(1, int)
shmem.atomic_add(sums, shmem.my_pe() + 1, 0)
shmem.barrier_all()
if shmem.my_pe() == 0: print(sums[0])
"""


def pip(*words, **more):
    return run_well(sys.executable, "-m", "pip", "--quiet", *words, **more)


def python_with(*modules):
    """The Python of the system may have them when the first on the PATH has not."""
    program = f"import venv, {', '.join(modules)}"
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and run(python, "-W", "ignore", "-c", program).returncode == 0:
            return python
    return None


def archive_of_shmem4py(folder):
    """From its own tests, or from the package index; empty where that is out of reach."""
    fetched = Path(BUILD) / "tests/front/shmem4py/package" / SHMEM4PY
    if fetched.exists():
        return fetched
    run(sys.executable, "-m", "pip", "download", "--no-deps", "--no-build-isolation", "--no-binary",
        ":all:", "--dest", folder, SHMEM4PY.removesuffix(".tar.gz").replace("-", "=="))
    return folder / SHMEM4PY if (folder / SHMEM4PY).exists() else None


class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="wheel_test"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        pip("wheel", "--no-index", "--no-deps", f"--config-settings=build={BUILD}",
            "--wheel-dir", cls.folder, SOURCE)
        (cls.wheel,) = cls.folder.glob("*.whl")
        cls.environment = cls.folder / "environment"
        run_well(sys.executable, "-m", "venv", "--without-pip", cls.environment)
        pip("--python", cls.environment / "bin/python", "install", "--no-index", "--no-deps",
            cls.wheel)

    def command(self, name, *words, **more):
        return run_well(self.environment / "bin" / name, *words, **more)

    def environment_with(self, *modules):
        """An environment with the wheel, of a Python with these modules."""
        python = python_with(*modules)
        if python is None:
            self.skipTest(f"no Python with {', '.join(modules)}")
        own = self.folder / "-".join(modules)
        run_well(python, "-m", "venv", "--without-pip", "--system-site-packages", own)
        pip("--python", own / "bin/python", "install", "--no-index", self.wheel)
        return own

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def test_its_tag_names_the_oldest_c_library_that_will_do(self):
        tagged = re.search(r"-py3-none-manylinux_(\d+)_(\d+)_\w+\.whl$", self.wheel.name)
        self.assertIsNotNone(tagged, self.wheel.name)
        asked = set()
        for path in (*self.environment.rglob("*.so*"), self.environment / "bin/gondwana",
                     self.environment / "lib/gondwana/gondwana-agent"):
            if path.read_bytes().startswith(b"\x7fELF"):
                symbols = run_well("objdump", "-T", path)
                asked |= {tuple(map(int, version))
                          for version in re.findall(r"\(GLIBC_(\d+)\.(\d+)", symbols)}
        self.assertEqual(tuple(map(int, tagged.groups())), max(asked))

    def test_what_it_brings_needs_only_libraries_that_every_system_has(self):
        """Without the module for binding: it is loaded on demand, and its absence is reported."""
        everywhere = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6",
                      "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libgondwana.so.0"}
        for path in (*self.environment.glob("lib/*.so.0"), self.environment / "bin/gondwana",
                     self.environment / "lib/gondwana/gondwana-agent"):
            listed = run_well("readelf", "--dynamic", "--wide", path)
            needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", listed))
            self.assertLessEqual(needed, everywhere, path.name)

    def test_oshcc_and_oshrun_work_in_an_empty_environment(self):
        source = self.write("hello.c", PROGRAM)
        for link in ([], ["-static"]):
            with self.subTest(link=link):
                self.command("oshcc", *link, source, "-o", self.folder / "hello")
                done = self.command("oshrun", "-n", "4", self.folder / "hello")
                self.assertEqual(done, "10\n")

    def test_programs_of_gasnet_link_the_names_that_they_know(self):
        source = self.write("gasnet.c", GASNET_PROGRAM)
        flags = run_well("pkg-config", "--cflags", "--libs", "gasnet-smp-seq", variables={
            "PKG_CONFIG_PATH": str(self.environment / "lib/pkgconfig")})
        run_well("sh", "-c", f"{COMPILER} {source} -o {self.folder}/gasnet {flags}")
        done = self.command("gondwana", "run", "-n", "3", self.folder / "gasnet")
        self.assertEqual(done, "3\n")

    def test_cmake_finds_it(self):
        folder = self.write("project/CMakeLists.txt", CMAKE_PROJECT).parent
        self.write("project/hello.c", PROGRAM)
        run_well("cmake", "-S", folder, "-B", folder / "b", f"-DCMAKE_C_COMPILER={COMPILER}",
                 f"-DCMAKE_PREFIX_PATH={self.environment}")
        run_well("cmake", "--build", folder / "b")
        self.assertEqual(self.command("gondwana", "run", "-n", "3", folder / "b/hello"), "6\n")

    def test_info_finds_everything(self):
        said = self.command("gondwana", "info")
        self.assertIn(f"{self.environment}/lib/libgondwana_shmem.so", said)

    def test_profiles_are_made(self):
        source = self.write("hello.c", PROGRAM)
        self.command("oshcc", source, "-o", self.folder / "profiled")
        done = run(self.environment / "bin/oshrun", "--profile", "-n", "2",
                   self.folder / "profiled")
        self.assertIn("shmem_int_atomic_add", done.stdout + done.stderr)

    def test_python_finds_the_library(self):
        own = self.environment_with("numpy")
        done = run_well(own / "bin/gondwana", "run", "-n", "2", own / "bin/python", "-c",
                        PYTHON_PROGRAM)
        self.assertEqual(done, "3\n")

    def test_shmem4py_is_built_with_the_oshcc_beside_its_python(self):
        own = self.environment_with("numpy", "cffi", "setuptools", "wheel")
        archive = archive_of_shmem4py(self.folder)
        if archive is None:
            self.skipTest("shmem4py cannot be fetched from the package index")
        pip("--python", own / "bin/python", "install", "--no-index", "--no-deps",
            "--no-build-isolation", archive,
            variables={"PATH": f"{own}/bin:{os.environ['PATH']}", "CFLAGS": "-O0"})
        done = run_well(own / "bin/oshrun", "-n", "3", own / "bin/python", "-c", SHMEM4PY_PROGRAM)
        self.assertEqual(done, "6\n")

    def test_pip_removes_all_of_it(self):
        gone = self.folder / "gone"
        run_well(sys.executable, "-m", "venv", "--without-pip", gone)
        before = {path for path in gone.rglob("*") if path.is_file()}
        pip("--python", gone / "bin/python", "install", "--no-index", "--no-deps", self.wheel)
        pip("--python", gone / "bin/python", "uninstall", "--yes", "gondwana")
        self.assertEqual({path for path in gone.rglob("*") if path.is_file()}, before)

    def test_the_source_archive_is_whole(self):
        program = (f"import sys; sys.path.insert(0, '{SOURCE}/packages/wheel'); "
                   f"import backend; print(backend.build_sdist('{self.folder}'))")
        name = run_well(sys.executable, "-c", program).strip()
        with tarfile.open(self.folder / name) as archive:
            names = archive.getnames()
        root = name.removesuffix(".tar.gz")
        for file in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt", "packages/wheel/backend.py"):
            self.assertIn(f"{root}/{file}", names)


if __name__ == "__main__":
    BUILD, COMPILER = sys.argv[1:3]
    if run(sys.executable, "-m", "pip", "--version").returncode != 0:
        print("skipped: this Python has no pip")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
