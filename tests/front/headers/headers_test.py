#!/usr/bin/env python3
"""The public headers compile without a warning in every supported language. They declare exactly
what OpenSHMEM 1.6 declares.
"""

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
sys.path.insert(0, str(HERE))

import specification  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
HEADERS = ["shmem.h", "pshmem.h", "shmemx.h"]
HEADERS += [f"mpp/{header}" for header in HEADERS] + ["shmem-compat.h"]
ARMCI_HEADERS = ["armci/armci.h", "armci/message.h", "armci/armcix.h"]
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


def outermost_dialects() -> Iterator[tuple[str, str]]:
    """The oldest of these with one compiler, the newest with the other."""
    yield from zip(C_COMPILERS, ("c11", "c2x"), strict=False)
    yield from zip(CXX_COMPILERS, CXX_OUTER, strict=False)


def is_cxx(standard: str) -> bool:
    return standard.startswith("c++")


def every_generic(cxx: bool) -> str:
    """A function for each prototype of a generic, which calls it with just these arguments."""
    parts = ["#include <shmem.h>\n"]
    for number, prototype in enumerate(specification.generics(cxx)):
        name = specification.name_of(prototype)
        returns = "" if prototype.startswith("void ") else "return "
        call = f"{returns}{name}({', '.join(specification.parameters_of(prototype))});"
        head = prototype.replace(f"{name}(", f"use_{number}(", 1)
        parts.append(f"{head};\n{head} {{ {call} }}\n")
    return "".join(parts)


def run_compiler(
    compiler: str, standard: str, mode: str, source: Path, *, warnings: list[str] = WARNINGS
) -> subprocess.CompletedProcess:
    command = [compiler, f"-std={standard}", mode, f"-I{ROOT / 'include'}", *warnings, str(source)]
    return subprocess.run(
        command, cwd=source.parent, capture_output=True, text=True, timeout=120, check=False
    )


class HeadersTest(unittest.TestCase):
    def compile(self, compiler: str, standard: str, source: Path) -> None:
        result = run_compiler(compiler, standard, "-fsyntax-only", source)
        self.assertEqual(result.returncode, 0, f"{result.args}\n{result.stderr[:4000]}")

    def compile_text(self, compiler: str, standard: str, text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / ("source.cpp" if is_cxx(standard) else "source.c")
            source.write_text(text, encoding="utf-8")
            self.compile(compiler, standard, source)

    def test_each_header_stands_alone_and_may_come_twice(self):
        kinds = [(header, "shmem_team_t") for header in HEADERS]
        kinds += [(header, "armci_size_t") for header in ARMCI_HEADERS]
        kinds += [("nvshmem/nvshmemx.h", "nvshmem_team_config_t")]
        for compiler, standard in outermost_dialects():
            for header, kind in kinds:
                with self.subTest(f"{header}, {compiler} -std={standard}"):
                    line = f"#include <{header}>\n"
                    text = line + line + f"typedef {kind} not_empty;\n"
                    self.compile_text(compiler, standard, text)

    def test_a_program_compiles_in_every_dialect(self):
        for compiler, standard in dialects():
            with self.subTest(f"{compiler} -std={standard}"):
                program = "program.cpp" if is_cxx(standard) else "program.c"
                self.compile(compiler, standard, HERE / program)

    def test_every_generic_takes_every_type_of_its_set(self):
        for compiler, standard in outermost_dialects():
            with self.subTest(f"{compiler} -std={standard}"):
                self.compile_text(compiler, standard, every_generic(is_cxx(standard)))

    def test_a_generic_refuses_other_types_with_a_sentence(self):
        calls = ("shmem_p(text, 1, 0)", "shmem_g(SHMEM_CTX_DEFAULT, text, 0)")
        for compiler in C_COMPILERS:
            for call in calls:
                with self.subTest(f"{call}, {compiler}"), tempfile.TemporaryDirectory() as folder:
                    source = Path(folder) / "wrong.c"
                    lines = ("#include <shmem.h>", "char* text[1];", f"void f(void) {{ {call}; }}")
                    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
                    result = run_compiler(compiler, "c11", "-c", source)
                    self.assertNotEqual(result.returncode, 0)
                    self.assertIn("neither a pointer to a type that the routine has", result.stderr)

    def test_a_profiling_tool_sees_one_function_of_each_name(self):
        # With the types that the specification gives them, and no overload beside.
        lines = ["#include <pshmem.h>", "decltype(shmem_long_wait_until)* waits = pshmem_long_wait_until;"]
        lines += ["void (*locks)(long*) = shmem_set_lock;", "decltype(shmem_set_lock)* same = locks;"]
        for compiler in CXX_COMPILERS:
            with self.subTest(compiler):
                self.compile_text(compiler, CXX_STANDARDS[0], "\n".join(lines) + "\n")

    def test_programs_may_have_variables_of_names_that_are_in_no_specification(self):
        text = "#include <shmem.h>\nint my_pe, num_pes;\nvoid set(void) { my_pe = num_pes; }\n"
        for compiler, standard in outermost_dialects():
            with self.subTest(f"{compiler} -std={standard}"):
                self.compile_text(compiler, standard, text)

    def test_c_programs_may_wait_for_volatile_variables(self):
        lines = ["#include <shmem.h>", "volatile long flag;", "volatile long* volatile where;"]
        lines += ["void wait(void) {", "  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);"]
        lines += ["  shmem_wait_until(where, SHMEM_CMP_EQ, 1);", "  shmem_set_lock(where);", "}"]
        for compiler in C_COMPILERS:
            with self.subTest(compiler), tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "source.c"
                source.write_text("\n".join(lines) + "\n", encoding="utf-8")
                result = run_compiler(compiler, "c11", "-fsyntax-only", source, warnings=[])
                self.assertEqual((result.returncode, result.stderr.count("warning:")), (0, 3))

    def test_language_bindings_see_handles_as_variables(self):
        for compiler in C_COMPILERS:
            with self.subTest(compiler):
                seen = run_compiler(compiler, "c99", "-E", ROOT / "include/shmem.h").stdout
                declared = set(re.findall(r"^extern const shmem_\w+_t (\w+);$", seen, re.MULTILINE))
                expected = {f"SHMEM_{name}" for name in specification.HANDLES.split()}
                self.assertEqual(declared, expected)

    def test_headers_declare_the_specification_and_nothing_else(self):
        listed = {specification.name_of(text) for text in specification.functions()}
        for header, prefix in (("shmem.h", ""), ("pshmem.h", "p")):
            text = (ROOT / "include" / header).read_text(encoding="utf-8")
            text = text.split("/* ---------- C11 generics")[0]
            code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            declared = set(re.findall(r"^\w[\w ]*[* ]+(\w+)\(", code, flags=re.MULTILINE))
            self.assertEqual(declared, {prefix + name for name in listed})

    def test_constants_are_those_of_the_specification(self):
        text = (ROOT / "include/shmem.h").read_text(encoding="utf-8")
        text = text.split("/* ---------- C11 generics")[0]
        defined = set(re.findall(r"^#define (\w+)", text, flags=re.MULTILINE))
        # Two are for the Python binding, the last for programs written for Open MPI.
        ours = {"GONDWANA_SHMEM_H", "SHMEM_DEF_H", "SHMEM_FUNCTION_ATTRIBUTES", "OSHMEM_SPEC_VERSION"}
        self.assertEqual(defined - ours, specification.constants())


if __name__ == "__main__":
    if not C_COMPILERS or not CXX_COMPILERS:
        print("skipped: neither gcc nor clang is on the PATH")
        sys.exit(77)
    unittest.main()
