#!/usr/bin/env python3
"""oshcc and oshc++ call a compiler with the right flags, wherever they are installed.

wrappers_test.py FOLDER: the folder that CMake wrote them to.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None

# Stands in for the compiler: prints one argument per line.
ECHO_COMPILER = '#!/bin/sh\nprintf "%s\\n" "$@"\n'

C_NAMES = ("oshcc", "shmemcc")
CXX_NAMES = ("oshc++", "oshcxx", "oshCC", "shmemc++", "shmemcxx", "shmemCC")


class WrapperTest(unittest.TestCase):
    """An installed tree in a folder with a space in its name."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.prefix = self.root / "a prefix"
        for name in (*C_NAMES, *CXX_NAMES):
            self.install(name)
        self.compiler = self.root / "echo-compiler"
        self.compiler.write_text(ECHO_COMPILER, encoding="utf-8")
        self.compiler.chmod(0o755)

    def install(self, name: str) -> None:
        text = (SCRIPTS / name).read_text(encoding="utf-8")
        bin_folder = self.prefix / "bin"
        bin_folder.mkdir(parents=True, exist_ok=True)
        (bin_folder / name).write_text(text, encoding="utf-8")
        (bin_folder / name).chmod(0o755)
        # The folders that the script looks for, as CMake was told to install them.
        self.include, self.lib = (
            Path(os.path.normpath(bin_folder / re.search(rf"place {what} '([^']*)'", text)[1]))
            for what in ("include", "library")
        )
        self.include.mkdir(parents=True, exist_ok=True)
        self.lib.mkdir(parents=True, exist_ok=True)

    def call(self, *arguments: str, name: str = "oshcc", script: Path | None = None):
        """Runs the script; its folder comes first on the PATH."""
        folder = self.prefix / "bin"
        environment = dict(os.environ)
        environment["OSHCC_CC" if name in C_NAMES else "OSHCXX_CXX"] = str(self.compiler)
        environment["PATH"] = f"{folder}:{environment['PATH']}"
        command = [str(script or folder / name), *arguments]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    def arguments_of(self, *arguments: str, **options) -> list[str]:
        result = self.call(*arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.splitlines()

    def link_flags(self) -> list[str]:
        return [f"-L{self.lib}", f"-Wl,-rpath,{self.lib}", "-lgondwana_shmem", "-lgondwana", "-lm"]

    def test_linking_adds_header_and_libraries(self):
        for name in (*C_NAMES, *CXX_NAMES):
            with self.subTest(name):
                self.assertEqual(
                    self.arguments_of("-o", "x", "x.c", name=name),
                    [f"-I{self.include}", "-o", "x", "x.c", *self.link_flags()],
                )

    def test_compiling_adds_no_libraries(self):
        for stop in ("-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"):
            with self.subTest(stop):
                self.assertEqual(self.arguments_of(stop, "x.c"), [f"-I{self.include}", stop, "x.c"])

    def test_writing_dependencies_beside_does_not_stop_linking(self):
        self.assertIn("-lgondwana", self.arguments_of("-MMD", "x.c"))

    def test_a_static_executable_gets_the_libraries_behind_ours(self):
        for kind in ("-static", "-static-pie"):
            arguments = self.arguments_of(kind, "x.c")
            self.assertEqual(arguments[-4:], ["-lgondwana", "-lstdc++", "-lm", "-lpthread"])
            self.assertFalse([word for word in arguments if "-rpath" in word])

    def test_version_passes_through_without_libraries(self):
        self.assertEqual(self.arguments_of("--version"), [f"-I{self.include}", "--version"])

    def test_arguments_keep_their_spaces_and_patterns(self):
        odd = ['-DTEXT="two words"', "-DSTAR=*", "-D'Q", "", "a file.c"]
        self.assertEqual(self.arguments_of("-c", *odd)[2:], odd)

    def test_the_compiler_may_bring_options(self):
        self.compiler = f"{self.compiler} -m64"
        self.assertEqual(self.arguments_of("-c", "x.c")[0], "-m64")

    def test_a_symbolic_link_leads_to_the_installed_tree(self):
        links = self.root / "links"
        links.mkdir()
        (links / "cc").symlink_to("../a prefix/bin/oshcc")
        arguments = self.arguments_of("-c", "x.c", script=links / "cc")
        self.assertEqual(arguments[0], f"-I{self.include}")

    def test_the_script_is_found_through_path(self):
        arguments = self.arguments_of("-c", "x.c", script=Path("oshcc"))
        self.assertEqual(arguments[0], f"-I{self.include}")

    def test_showme_prints_a_command_a_shell_can_run(self):
        shown = self.arguments_of("--showme", "-DX='1 2'", "a b.c")
        self.assertEqual(len(shown), 1)
        again = subprocess.run(
            ["sh", "-c", shown[0]], capture_output=True, text=True, timeout=60, check=True
        )
        self.assertEqual(again.stdout.splitlines(), self.arguments_of("-DX='1 2'", "a b.c"))

    def shown(self, *arguments: str, name: str = "oshcc") -> list[str]:
        """The words of the line that it prints, as a shell takes them."""
        lines = self.arguments_of(*arguments, name=name)
        self.assertEqual(len(lines), 1)
        return shlex.split(lines[0])

    def test_without_a_file_the_command_is_one_that_links(self):
        expected = [str(self.compiler), f"-I{self.include}", *self.link_flags()]
        for option in ("-show", "--show", "-showme", "--showme"):
            for name in (*C_NAMES, *CXX_NAMES):
                with self.subTest(option=option, name=name):
                    self.assertEqual(self.shown(option, name=name), expected)
        self.assertEqual(self.shown("-show", "-c"), expected[:2] + ["-c"])

    def test_each_part_of_the_command_is_shown_by_itself(self):
        parts = {
            "command": [str(self.compiler)],
            "compile": [f"-I{self.include}"],
            "link": self.link_flags(),
            "incdirs": [str(self.include)],
            "libdirs": [str(self.lib)],
            "libs": ["gondwana_shmem", "gondwana", "m"],
        }
        for part, expected in parts.items():
            for words in ((f"-showme:{part}",), (f"--showme:{part}",), ("x.c", f"-showme:{part}", "-g")):
                with self.subTest(words=words):
                    self.assertEqual(self.shown(*words), expected)

    def test_parts_of_a_static_link_name_the_libraries_behind_ours(self):
        libraries = ["gondwana_shmem", "gondwana", "stdc++", "m", "pthread"]
        self.assertEqual(self.shown("-static", "--showme:libs"), libraries)
        expected = [f"-L{self.lib}", *(f"-l{library}" for library in libraries)]
        self.assertEqual(self.shown("--showme:link", "-static"), expected)

    def test_version_and_help_of_the_wrapper_are_shown(self):
        for name, language in {"oshcc": "C", "oshCC": "C++"}.items():
            line = self.arguments_of("--showme:version", name=name)[0]
            self.assertRegex(line, rf"^{name}: Gondwana \d+\.\d+\.\d+ \(Language: {re.escape(language)}\)$")
        told = "\n".join(self.arguments_of("--showme:help"))
        self.assertIn("--showme:libdirs    prints", told)
        self.assertNotIn("#", told)

    def test_an_unknown_part_is_refused_in_words(self):
        result = self.call("--showme:libz", "x.c")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("oshcc: --showme:libz: expected command, compile, link,", result.stderr)

    def test_the_status_of_the_compiler_is_handed_on(self):
        self.compiler.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        self.assertEqual(self.call("x.c").returncode, 3)

    def test_a_script_outside_its_tree_says_what_is_missing(self):
        stray = self.root / "stray" / "bin" / "oshcc"
        stray.parent.mkdir(parents=True)
        (self.prefix / "bin" / "oshcc").rename(stray)
        result = self.call("-c", "x.c", script=stray)
        self.assertEqual(result.returncode, 1)
        self.assertIn("oshcc: no include folder at", result.stderr)


if __name__ == "__main__":
    if SCRIPTS is None:
        sys.exit("wrappers_test.py: name the folder that holds oshcc and oshc++")
    unittest.main()
