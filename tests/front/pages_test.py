"""The commands of the pages for users run: `pages_test.py BUILD C_COMPILER`.

Every line of a block that begins with the name of a command is one. They run in the order of the
page, in one shell and a folder with the programs that pages speak of, with Gondwana installed
elsewhere. What is not run is listed below with the reason.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from installed import run, run_well
from system_python import SYSTEM_PYTHON, has_modules_there

BUILD = ""
COMPILER = ""
ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "examples/README.md", *sorted((ROOT / "docs").glob("*.md"))]

# The first word of a line that is a command.
COMMANDS = re.split(
    r"\s+",
    "./configure ./dev ./hello ./mistakes ./program GASNET_ GONDWANA_ LD_LIBRARY_PATH amudprun "
    "apptainer apt brew callgrind_annotate cc cmake conda cp ctest curl docker eb export g++ "
    "gasnetrun gdb gondwana grype kill make man mkdir module mpicc mpiexec.hydra mpirun oshc++ "
    "oshcc oshrun perf pip podman python3 readelf rr spack srun strace upcxx valgrind",
)

# Commands that are not run here, by what they begin with or have in them.
NOT_RUN = {
    r"^\./dev": "CI runs it",
    r"^gondwana bench": "the test `bench` runs each subject, which takes minutes",
    r"--peer": "another library",
    r"\b(?:perf|strace|rr|srun|spack|eb|conda)\b": "a tool that a machine of tests need not have",
    r"\b(?:docker|podman|apptainer|module)\b": "another one",
    r"\.deb\b": "the test package.deb",
    r"valgrind|callgrind|FREEZE|\bgdb\b|sanitize|ASAN_OPTIONS": "the tests of debugging",
    r"^gondwana (?:ps|why|top|trace)|^kill|^curl": "for a running job: the tests why, top, trace",
    r"upcxx|BCL|caffeine|CXX=oshc|osu_oshm|c/openshmem|hello -nl": "a program of others",
    r"scalapack|ga-|EXTERNAL_|NWCHEM|USE_MPI|BLAS|nwchem|\.\.\.": "the test global_arrays",
    r"libgondwana_shmem_profile|profile_page|SHMEM_PROFILE": "the test profile",
    r"^make (?:all|install)$|^mkdir fragments|^PREFIX": "a program of others",
    r"--picture": "the tests of examples in Python",
    r"^GONDWANA_MEET=": "one rank of four: the test unique_id",
    r"^man ": "needs a reader of manual pages",
    r"\btau": "a tool that a machine of tests need not have",
    r"^pip|https://example": "needs a network",
    r"\[options\]|^gondwana (?:run|profile):|^gondwana: ": "a synopsis, or what is printed",
    r"\./mistakes? |mistakes?$": "the test first_hour",
    r"^gondwana run .*mistakes": "the test first_hour",
}
MODULES = [
    path for folder in ("/usr/lib", "/usr/share") for path in Path(folder).glob("*/modulecmd.tcl")
]
CMAKE = re.compile(r"^```cmake\n(cmake_minimum_required.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAM = re.search(
    r"^```c\n(#include.*?)^```",
    (ROOT / "README.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)[1]
TOOL = re.search(
    r"^```c\n(/\* count\.c.*?)^```",
    (ROOT / "docs/performance_tools.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)[1]
BLOCKS = re.search(
    r"^```c\n(/\* blocks\.c.*?)^```",
    (ROOT / "docs/armci.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)[1]
PYTHON = "import gondwana\nprint(gondwana.rank())\n"


def commands_of(page):
    """Of blocks without a language; where one shows output too, "$ " is before each command."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        lines = [] if language else block.splitlines()
        if any(line.startswith("$ ") for line in lines):
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        yield from (
            line for line in lines if re.match("|".join(re.escape(name) for name in COMMANDS), line)
        )


def is_run(command):
    return not any(re.search(pattern, command) for pattern in NOT_RUN)


class PagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="pages_test"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        run_well("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.place = cls.make_place()

    def here(self, command):
        """The command with the places and hosts of this machine."""
        command = (
            command.replace("$PWD/build/stage", "PREFIX")
            .replace("PREFIX", str(self.prefix))
            .replace("REPOSITORY", str(ROOT))
        )
        command = re.sub(r"\bnode[12]\b", "localhost", command)
        command = re.sub(r"(?<= )python3\b", SYSTEM_PYTHON, command)
        # As root, and for more ranks than processors, Open MPI wants to be asked.
        mpirun = "mpirun.openmpi --allow-run-as-root --oversubscribe "
        return re.sub(r"^mpirun ", mpirun, command)

    @classmethod
    def make_place(cls):
        """A folder with what pages speak of, of which each page gets a copy."""
        folder = cls.folder / "place"
        shutil.copytree(cls.prefix / "share/gondwana/examples", folder)
        for source in ("hello.c", "hello.cpp", "program.c"):
            (folder / source).write_text(PROGRAM, encoding="utf-8")
        shutil.copy(folder / "gasnet/greetings.c", folder)
        (folder / "count.c").write_text(TOOL, encoding="utf-8")
        (folder / "blocks.c").write_text(BLOCKS, encoding="utf-8")
        (folder / "program.py").write_text(PYTHON, encoding="utf-8")
        (folder / "hosts.txt").write_text("localhost slots=6\n", encoding="utf-8")
        run_well(cls.prefix / "bin/oshcc", "hello.c", "-o", "hello", cwd=folder)
        shutil.copy(folder / "hello", folder / "program")
        return folder

    def run_page(self, path):
        commands = [
            command for command in commands_of(path.read_text(encoding="utf-8")) if is_run(command)
        ]
        commands = [
            command
            for command in commands
            if path.name != "building.md" or not re.match("cmake|ctest", command)
        ]
        if not shutil.which("mpirun.openmpi"):
            commands = [command for command in commands if not command.startswith("mpirun")]
        if not shutil.which("mpiexec.hydra"):
            commands = [command for command in commands if not command.startswith("mpiexec")]
        if run("pkg-config", "libpng").returncode != 0:
            commands = [command for command in commands if "heat3d" not in command]
        if not has_modules_there("numpy"):
            commands = [command for command in commands if "python3" not in command]
        if not commands:
            return
        folder = self.folder / str(path.relative_to(ROOT)).replace("/", "_")
        shutil.copytree(self.place, folder)
        script = "\n".join(["set -e", *(self.here(command) for command in commands), ""])
        (folder / "commands.sh").write_text(script, encoding="utf-8")
        environment = {
            **os.environ,
            "PATH": f"{self.prefix}/bin:{os.environ['PATH']}",
            "PKG_CONFIG_PATH": f"{self.prefix}/lib/pkgconfig",
            "PYTHONPATH": f"{self.prefix}/lib/gondwana/python",
            "OSHCC_CC": COMPILER,
            "GONDWANA_NETWORK": "127.0.0.0/8",
            "HOME": str(folder),
        }
        done = subprocess.run(
            ["sh", "-x", "commands.sh"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])

    def test_the_commands_of_every_page_run(self):
        for path in PAGES:
            with self.subTest(path.name):
                self.run_page(path)

    def test_the_projects_of_the_page_on_building_are_right(self):
        """The one of an installed Gondwana is built. To build that with Gondwana as a folder takes
        minutes: the command that compiles its own file is run, and the last links our libraries."""
        installed, with_folder = CMAKE.findall(
            (ROOT / "docs/building.md").read_text(encoding="utf-8")
        )
        self.configure("installed", installed)
        run_well("cmake", "--build", self.folder / "installed/build")
        run_well("ctest", "--test-dir", self.folder / "installed/build")
        if shutil.which("ninja"):
            build = self.configure("folder", with_folder)
            commands = run_well("ninja", "-C", build, "-t", "commands", "hello").splitlines()
            compiled = next(command for command in commands if command.endswith("hello.c"))
            run_well("sh", "-c", compiled, cwd=build)
            self.assertIn("libgondwana_shmem.so", commands[-1])

    def test_the_words_of_the_page_on_messages_are_printed(self):
        """In the order of the alphabet, and each in our sources; "..." is what a message names."""
        rows = re.findall(
            r"^\| (`.*?`) \| ",
            (ROOT / "docs/messages.md").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
        self.assertEqual(rows, sorted(rows, key=str.lower))
        sources = (
            path for folder in ("src", "tools") for path in (ROOT / folder).rglob("*.[ch]pp")
        )
        text = re.sub(r'"\s*"', "", "\n".join(path.read_text(encoding="utf-8") for path in sources))
        words = [
            word.strip()
            for row in rows
            for name in re.findall("`(.*?)`", row)
            for word in name.split("...")
        ]
        self.assertEqual([word for word in words if word and word not in text], [])

    @unittest.skipUnless(shutil.which("tclsh") and MODULES, "no Environment Modules here")
    def test_the_module_file_sets_the_paths(self):
        folder = self.folder / "modulefiles/gondwana"
        folder.mkdir(parents=True)
        text = (ROOT / "packages/modules/gondwana").read_text(encoding="utf-8")
        (folder / "0.1.0").write_text(
            text.replace("/opt/gondwana", str(self.prefix)), encoding="utf-8"
        )
        load = f'eval "$(tclsh {MODULES[0]} sh load gondwana)"'
        script = f"{load}; gondwana run -n 2 gondwana --version; echo $CMAKE_PREFIX_PATH"
        said = run_well("sh", "-ec", script, variables={"MODULEPATH": str(folder.parent)})
        self.assertEqual(said.splitlines()[2:], [str(self.prefix)], said)

    def configure(self, name, project):
        folder = self.folder / name
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(
            project.replace("Gondwana::shmem", "gondwana::shmem"), encoding="utf-8"
        )
        (folder / "hello.c").write_text(PROGRAM, encoding="utf-8")
        (folder / "gondwana").symlink_to(ROOT)
        generator = ("-G", "Ninja") if shutil.which("ninja") else ()
        options = (
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={COMPILER}",
            "-DCMAKE_BUILD_TYPE=Release",
        )
        run_well("cmake", *generator, "-B", "build", *options, cwd=folder)
        return folder / "build"


if __name__ == "__main__":
    BUILD, COMPILER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
