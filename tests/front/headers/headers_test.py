#!/usr/bin/env python3
"""The public headers compile without a warning in every language users have, and say what the API
table says: no more, no less."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "api"))

import table  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
HEADERS = ["shmem.h", "pshmem.h", "shmemx.h"]
C_STANDARDS = ["c99", "c11", "c17", "c2x"]
CXX_STANDARDS = ["c++11", "c++14", "c++17", "c++20"]
CXX_OUTER = [CXX_STANDARDS[0], CXX_STANDARDS[-1]]


def first_present(*names: str) -> str | None:
    return next((name for name in names if shutil.which(name)), None)


C_COMPILERS = list(filter(None, [first_present("gcc"), first_present("clang-19", "clang")]))
CXX_COMPILERS = list(filter(None, [first_present("g++"), first_present("clang++-19", "clang++")]))


def dialects() -> Iterator[tuple[str, str]]:
    yield from ((compiler, standard) for compiler in C_COMPILERS for standard in C_STANDARDS)
    yield from ((compiler, standard) for compiler in CXX_COMPILERS for standard in CXX_STANDARDS)


def outer_dialects() -> Iterator[tuple[str, str]]:
    """The oldest and the newest of each language that has generic names."""
    yield from ((compiler, standard) for compiler in C_COMPILERS for standard in ("c11", "c2x"))
    yield from ((compiler, standard) for compiler in CXX_COMPILERS for standard in CXX_OUTER)


def is_cxx(standard: str) -> bool:
    return standard.startswith("c++")


def every_generic(api: table.Api, cxx: bool) -> str:
    """A function for each typed routine that calls it by its generic name."""
    parts = ["#include <shmem.h>\n"]
    for form in (form for form in api.forms if form.generic):
        for function in form.functions:
            prototype = function.cxx if cxx else function.c
            parameters = ", ".join(str(parameter) for parameter in prototype.parameters)
            names = ", ".join(parameter.name for parameter in prototype.parameters)
            call = f"{form.generic}({names});"
            returned = call if prototype.returns == "void" else f"return {call}"
            head = f"{prototype.returns} use_{function.name}({parameters})"
            parts.append(f"{head};\n{head} {{ {returned} }}\n")
    return "".join(parts)


class HeadersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.api = table.load(ROOT / "api/shmem.toml", "0.1.0")

    def compile(self, compiler: str, standard: str, source: Path) -> None:
        command = [compiler, f"-std={standard}", "-fsyntax-only", f"-I{ROOT / 'include'}"]
        command += [*WARNINGS, str(source)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, 0, f"{' '.join(command)}\n{result.stderr[:4000]}")

    def compile_text(self, compiler: str, standard: str, text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / ("source.cpp" if is_cxx(standard) else "source.c")
            source.write_text(text, encoding="utf-8")
            self.compile(compiler, standard, source)

    def test_each_header_stands_alone_and_may_come_twice(self):
        for compiler, standard in outer_dialects():
            for header in HEADERS:
                with self.subTest(f"{header}, {compiler} -std={standard}"):
                    line = f"#include <{header}>\n"
                    text = line + line + "typedef shmem_team_t not_empty;\n"
                    self.compile_text(compiler, standard, text)

    def test_a_program_compiles_in_every_dialect(self):
        for compiler, standard in dialects():
            with self.subTest(f"{compiler} -std={standard}"):
                program = "program.cpp" if is_cxx(standard) else "program.c"
                self.compile(compiler, standard, HERE / program)

    def test_every_generic_takes_every_type_of_its_set(self):
        for compiler, standard in outer_dialects():
            with self.subTest(f"{compiler} -std={standard}"):
                text = every_generic(self.api, is_cxx(standard))
                self.compile_text(compiler, standard, text)

    def test_headers_declare_the_table_and_nothing_else(self):
        listed = {function.name for function in self.api.functions}
        for header, prefix in (("shmem.h", ""), ("pshmem.h", "p")):
            text = (ROOT / "include" / header).read_text(encoding="utf-8")
            text = text.split("/* ---------- C11 generics")[0]
            code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            declared = set(re.findall(r"^\w[\w ]*[* ]+(p?shmem_\w+)\(", code, flags=re.MULTILINE))
            self.assertEqual(declared, {prefix + name for name in listed})

    def test_what_this_version_lacks_is_absent(self):
        text = (ROOT / "include/shmem.h").read_text(encoding="utf-8")
        # The first two would promise a complete 1.5 to the Python binding.
        for name in ("SHMEM_DEF_H", "SHMEM_FUNCTION_ATTRIBUTES", "shmem_ctx", "_nbi", "pSync"):
            self.assertNotIn(name, text)


if __name__ == "__main__":
    if not C_COMPILERS or not CXX_COMPILERS:
        print("skipped: neither gcc nor clang is on the PATH")
        sys.exit(77)
    unittest.main()
