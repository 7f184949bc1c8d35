"""Tests that use an installed Gondwana as clients of GASNet do."""

import shutil
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from installed import run, run_well
from processes import end_all, marked

SOURCE = Path(__file__).with_name("launch_client.c").resolve()
MARK = str(uuid.uuid4())  # in the environment of all processes started here


class ClientCase(unittest.TestCase):
    """A test with an installed tree, its own folder, and a client that is compiled once."""

    build = ""  # the folder of the build
    compiler = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="launch_test"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # Moved after the installation: nothing may depend on its old path.
        first = cls.folder / "first"
        cls.say("cmake", "--install", cls.build, "--prefix", first)
        cls.prefix = first.rename(cls.folder / "prefix")
        cls.client = cls.compile_with_pkg_config("client", "seq")

    def tearDown(self):
        left = marked(MARK)
        end_all(left)
        self.assertEqual(left, [], "processes were left behind")

    @classmethod
    def say(cls, *command):
        """The output of a command that must succeed."""
        return run_well(*command, cwd=cls.folder, variables={"MARK": MARK})

    @classmethod
    def pkg_config(cls, *words):
        (file,) = cls.prefix.rglob("gasnet-smp-seq.pc")
        return cls.say("env", f"PKG_CONFIG_PATH={file.parent}", "pkg-config", *words).split()

    @classmethod
    def compile_with_pkg_config(cls, name, mode, *flags, conduit="smp"):
        package = f"gasnet-{conduit}-{mode}"
        compile_flags = cls.pkg_config("--cflags", package)
        link_flags = cls.pkg_config(
            "--libs", *(["--static"] if "-static" in flags else []), package
        )
        cls.say(cls.compiler, *compile_flags, *flags, SOURCE, "-o", name, *link_flags)
        return f"./{name}"

    def run_client(self, *command, **variables):
        more = {"variables": {"MARK": MARK, **variables}, "cwd": self.folder, "input": "hello"}
        return run(*(command or (self.client,)), **more)

    def tool(self, name):
        return str(self.prefix / "bin" / name)

    def assert_ranks(self, done, count):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        expected = [f"{rank} of {count}" for rank in range(count)]
        self.assertEqual(sorted(done.stdout.splitlines()), expected)

    def assert_told(self, done, sentence, status=1):
        self.assertRegex(done.stderr, sentence)
        self.assertEqual(done.returncode, status)
