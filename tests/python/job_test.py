"""Whole jobs of Python programs: `job_test.py COMMAND BUILD`, `gondwana` and the build folder."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

COMMAND, BUILD = sys.argv.pop(1), sys.argv.pop(1)


def run(command, **variables):
    environment = {name: text for name, text in {**os.environ, **variables}.items() if text}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def job(ranks, program, *options, python=(), **variables):
    """The result of a job of a program, given as text."""
    launcher = [COMMAND, "run", "-n", str(ranks), "--timeout", "60", *options]
    return run([*launcher, sys.executable, *python, "-c", textwrap.dedent(program)], **variables)


class JobTest(unittest.TestCase):
    def test_no_call_is_needed_to_begin_or_end(self):
        ended = job(3, "import gondwana; print(gondwana.rank(), gondwana.size())")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(sorted(ended.stdout.split("\n")), ["", "0 3", "1 3", "2 3"])

    def test_a_program_without_a_launcher_is_a_job_of_one(self):
        ended = run([sys.executable, "-c", "import gondwana; print(gondwana.size())"])
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "1\n", ""))

    def test_the_version_is_that_of_the_library(self):
        project = Path(__file__).parents[2] / "CMakeLists.txt"
        version = re.search(r"gondwana VERSION ([\d.]+)", project.read_text(encoding="utf-8"))[1]
        ended = run([sys.executable, "-c", "import gondwana; print(gondwana.__version__)"])
        self.assertEqual((ended.returncode, ended.stdout), (0, f"{version}\n"), ended.stderr)

    def test_regions_are_begun_and_ended(self):
        program = """
            import gondwana
            gondwana.init()
            @gondwana.region("step")
            def step():
                return 7
            with gondwana.region("outer"):
                assert step() == 7
            try:
                with gondwana.region("failing"):
                    raise KeyError
            except KeyError:
                pass
        """
        tool = str(Path(BUILD, "tests/trace/libtrace_nvtx.so"))  # prints what it is told
        ended = job(1, program, LD_PRELOAD=tool)
        said = ["push outer", "push step", "pop", "pop", "push failing", "pop"]
        self.assertEqual((ended.returncode, ended.stdout.splitlines()), (0, said), ended.stderr)

    def test_an_exception_ends_the_job(self):
        program = """
            import gondwana
            if gondwana.rank() == 1:
                raise KeyError("lost")
            gondwana.barrier()
        """
        ended = job(3, program)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("KeyError: 'lost'", ended.stderr)
        self.assertIn("rank 1", ended.stderr)

    def test_the_status_of_a_rank_is_that_of_the_job(self):
        program = "import gondwana, sys; gondwana.rank(); sys.exit(5); gondwana.barrier()"
        self.assertEqual(job(2, program).returncode, 5)

    def test_a_program_may_begin_anew(self):
        program = """
            import gondwana
            gondwana.finalize()
            old = gondwana.full(1, 4)
            team = gondwana.WORLD.split_strided(0, 1, 2)
            gondwana.finalize()
            gondwana.finalize()
            for use in (lambda: old.local, gondwana.barrier, lambda: gondwana.zeros(1)):
                try:
                    use()
                except (ValueError, RuntimeError) as error:
                    print(error)
            gondwana.init()
            gondwana.init()
            try:
                team.size()
            except ValueError as error:
                print(error)
            again = gondwana.full(1, 5)
            print(again.get((gondwana.rank() + 1) % 2))
            again.free()
        """
        ended = job(2, program)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        lines = ended.stdout.splitlines()
        self.assertEqual(lines.count("the symmetric array was freed"), 2)
        self.assertEqual(
            lines.count("gondwana.finalize() was called; gondwana.init() starts anew"), 4
        )
        self.assertEqual(lines.count("the team was destroyed"), 2)
        self.assertEqual(lines.count("[5]"), 2)

    def test_arrays_that_live_to_the_end_are_no_matter(self):
        ended = job(2, "import gondwana; kept = gondwana.zeros(3)", python=("-X", "dev"))
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_profile_counts_the_calls_of_python(self):
        program = "import gondwana; gondwana.barrier(); gondwana.full(3, 1).put(2, 0)"
        ended = job(2, program, "--profile")
        self.assertEqual(ended.returncode, 0)
        for call in ("shmem_barrier_all", "shmem_putmem"):
            self.assertRegex(ended.stderr, rf"{call} +2 ")

    def test_an_owned_array_ends_with_its_owner(self):
        program = """
            import os
            import signal
            import time
            import gondwana
            if gondwana.rank() == 1:
                while True:
                    try:
                        gondwana.allocate_at(0, 1 << 20, "u1", owned=True)
                    except MemoryError:
                        break
            gondwana.barrier()
            if gondwana.rank() == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            while True:
                try:
                    print("allocated", gondwana.allocate_at(0, 1 << 20, "u1").rank)
                    break
                except MemoryError:
                    time.sleep(0.01)
        """
        ended = job(2, program, "--on-death=continue", GONDWANA_REMOTE_HEAP="8M")
        self.assertEqual((ended.returncode, ended.stdout), (0, "allocated 0\n"), ended.stderr)

    def test_a_missing_library_is_said(self):
        for named, said in (("/nowhere/lib.so", "/nowhere/lib.so"), ("", "libgondwana_shmem.so")):
            ended = run([sys.executable, "-c", "import gondwana"], GONDWANA_LIBRARY=named)
            self.assertEqual(ended.returncode, 1)
            self.assertRegex(ended.stderr, f"ImportError: cannot load .*{said}")
            self.assertIn("let GONDWANA_LIBRARY name the library", ended.stderr)

    def test_a_missing_numpy_is_said(self):
        ended = run([sys.executable, "-S", "-c", "import gondwana.ga"])  # it sees no packages
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(
            ended.stderr,
            r"ImportError: gondwana needs numpy, which \S+ does not have; "
            r"(install .*python3-numpy|type `\S+ -m pip install numpy`)",
        )

    def test_a_missing_library_of_armci_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            library = Path(os.environ["GONDWANA_LIBRARY"]).resolve()
            alone = Path(folder) / "lib" / library.name
            alone.parent.mkdir()
            shutil.copy(library, alone)
            beside = {"LD_LIBRARY_PATH": str(library.parent)}
            program = "import gondwana, gondwana.ga"
            ended = run([sys.executable, "-c", program], GONDWANA_LIBRARY=str(alone), **beside)
            self.assertEqual(ended.returncode, 1)
            self.assertIn("ImportError: libarmci.so.0 is not in gondwana/armci", ended.stderr)
            self.assertIn("let GONDWANA_LIBRARY name", ended.stderr)

    def test_global_arrays_need_no_call_to_begin_or_end(self):
        program = """
            from gondwana import ga
            kept = ga.zeros(3, int, name="kept")
            kept.acc(1)
            ga.sync()
            print(kept[...])
        """
        ended = job(3, program, python=("-X", "dev"))
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(ended.stdout, "[3 3 3]\n" * 3)

    def test_global_arrays_outlive_the_other_door(self):
        program = """
            from gondwana import ga
            import gondwana
            counter = ga.zeros(1, int)
            gondwana.barrier()
            gondwana.finalize()
            counter.read_inc(0)
            ga.sync()
            print(counter[0])
            gondwana.init()
            gondwana.barrier()
            counter.free()
        """
        ended = job(2, program)
        self.assertEqual((ended.returncode, ended.stderr, ended.stdout), (0, "", "2\n" * 2))

    def test_the_installed_package_finds_its_library(self):
        with tempfile.TemporaryDirectory() as prefix:
            install = ["cmake", "--install", BUILD, "--prefix", prefix]
            subprocess.run(install, stdout=subprocess.DEVNULL, check=True)
            package = next(Path(prefix).glob("lib*/**/python/gondwana"))
            self.assertTrue((package / "py.typed").exists())
            program = "import gondwana; print(gondwana.size(), gondwana.__file__)"
            ended = job(2, program, GONDWANA_LIBRARY="", PYTHONPATH=str(package.parent))
            self.assertEqual(ended.stderr, "")
            self.assertEqual(ended.stdout, f"2 {package / '__init__.py'}\n" * 2)
            program = "from gondwana import ga; print(ga.size())"
            ended = job(2, program, GONDWANA_LIBRARY="", PYTHONPATH=str(package.parent))
            self.assertEqual((ended.stdout, ended.stderr), ("2\n" * 2, ""))


if __name__ == "__main__":
    unittest.main()
