#!/usr/bin/env python3
"""The GASNet-EX headers compile without a warning in every language and thread mode. Their
declarations and types match the specifications.
"""

import itertools
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

import gasnet_specification  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
HEADERS = [
    "gasnetex.h",
    "gasnet_vis.h",
    "gasnet_ratomic.h",
    "gasnet_coll.h",
    "gasnet_mk.h",
    "gasnet.h",
]
MODES = ["GASNET_SEQ", "GASNET_PARSYNC", "GASNET_PAR"]
C_STANDARDS = ["c99", "c11", "c17", "c2x"]
CXX_STANDARDS = ["c++11", "c++14", "c++17", "c++20"]
SPECIFICATION = gasnet_specification.read()


def first_present(*names: str) -> str | None:
    return next((name for name in names if shutil.which(name)), None)


C_COMPILERS = list(filter(None, [first_present("gcc"), first_present("clang-19", "clang")]))
CXX_COMPILERS = list(filter(None, [first_present("g++"), first_present("clang++-19", "clang++")]))


def dialects() -> Iterator[tuple[str, str]]:
    yield from itertools.product(C_COMPILERS, C_STANDARDS)
    yield from itertools.product(CXX_COMPILERS, CXX_STANDARDS)


def outer_dialects() -> Iterator[tuple[str, str]]:
    yield from itertools.product(C_COMPILERS, (C_STANDARDS[0], C_STANDARDS[-1]))
    yield from itertools.product(CXX_COMPILERS, (CXX_STANDARDS[0], CXX_STANDARDS[-1]))


def outermost_dialects() -> Iterator[tuple[str, str]]:
    """The oldest of each language with one compiler, the newest with the other."""
    yield from zip(C_COMPILERS, (C_STANDARDS[0], C_STANDARDS[-1]), strict=False)
    yield from zip(CXX_COMPILERS, (CXX_STANDARDS[0], CXX_STANDARDS[-1]), strict=False)


def included(headers: list[str]) -> str:
    return "".join(f"#include <{header}>\n" for header in headers)


def run_compiler(
    compiler: str, standard: str, text: str, *options: str
) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / ("source.cpp" if standard.startswith("c++") else "source.c")
        source.write_text(text, encoding="utf-8")
        command = [compiler, f"-std={standard}", f"-I{ROOT / 'include'}", *options, str(source)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def defined_macros(text: str, *options: str) -> set[str]:
    result = run_compiler(C_COMPILERS[0], "c11", text, "-E", "-dM", *options)
    return set(re.findall(r"^#define (\w+)", result.stdout, flags=re.MULTILINE))


class GasnetHeadersTest(unittest.TestCase):
    def compile(self, compiler: str, standard: str, text: str, *options: str) -> None:
        result = run_compiler(compiler, standard, text, "-fsyntax-only", *WARNINGS, *options)
        self.assertEqual(result.returncode, 0, f"{result.args}\n{result.stderr[:4000]}")

    def test_each_header_stands_alone_and_may_come_twice(self):
        for (compiler, standard), header in itertools.product(outermost_dialects(), HEADERS):
            with self.subTest(f"{header}, {compiler} -std={standard}"):
                text = included([header, header]) + "typedef gex_TM_t not_empty;\n"
                self.compile(compiler, standard, text, "-DGASNET_PAR=1")

    def test_headers_come_in_any_order_in_every_dialect_and_mode(self):
        orders = (HEADERS, HEADERS[::-1], HEADERS[3:] + HEADERS[:3])
        ways = itertools.cycle(itertools.product(MODES, ((), ("-DGASNET_DEBUG=1",)), orders))
        for compiler, standard in [*dialects(), *outermost_dialects()]:  # 20, and there are 18 ways
            mode, checks, order = next(ways)
            with self.subTest(f"{compiler} -std={standard} {mode} {checks}"):
                text = included(order) + "typedef gex_TM_t not_empty;\n"
                self.compile(compiler, standard, text, f"-D{mode}=1", *checks)

    def test_the_forward_header_needs_no_mode_and_defines_only_its_own_names(self):
        for compiler, standard in dialects():
            self.compile(compiler, standard, included(["gasnet_fwd.h"] * 2))
        system = defined_macros(included(["stddef.h", "stdint.h"]))
        ours = defined_macros(included(["gasnet_fwd.h"])) - system
        self.assertEqual({name for name in ours if not name.startswith("GEX_")}, set())

    def test_without_a_thread_mode_a_sentence_says_what_to_define(self):
        for options in ([], ["-DGASNET_SEQ=1", "-DGASNET_PAR=1"]):
            text = included(["gasnetex.h"])
            result = run_compiler(C_COMPILERS[0], "c11", text, "-fsyntax-only", *options)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("Define one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR", result.stderr)

    def test_routines_have_the_types_of_the_specification(self):
        for compiler, standard in outermost_dialects():
            for header in {routine.header for routine in SPECIFICATION.routines}:
                with self.subTest(f"{header}, {compiler} -std={standard}"):
                    self.compile(compiler, standard, every_address(header), "-DGASNET_PAR=1")

    def test_types_and_constants_are_there(self):
        for compiler, standard in outermost_dialects():
            for header in ["gasnet_fwd.h", *HEADERS]:
                with self.subTest(f"{header}, {compiler} -std={standard}"):
                    self.compile(compiler, standard, every_name(header), "-DGASNET_PAR=1")

    def test_constants_and_types_have_the_numbers_of_the_original(self):
        expected = dict(
            (name, int(number)) for name, number in map(str.split, gasnet_specification.numbers())
        )
        self.assertGreater(len(expected), 150)
        for compiler in C_COMPILERS:
            with self.subTest(compiler):
                self.assertEqual(numbers_of(compiler, list(expected)), expected)

    def test_headers_declare_nothing_else(self):
        expected = {routine.name for routine in SPECIFICATION.routines}
        declared = set()
        for path in (ROOT / "include").glob("**/gasnet*/**/*.h"):
            if not path.name.startswith("tools"):
                declared |= declared_names(path)
        for header in HEADERS:
            declared |= declared_names(ROOT / "include" / header)
        self.assertEqual({name for name in declared if "gondwana" not in name}, expected)

    def test_calls_without_a_number_count_their_arguments(self):
        for compiler, standard in outer_dialects():
            with self.subTest(f"{compiler} -std={standard}"):
                self.compile(compiler, standard, every_counted_call(), "-DGASNET_PAR=1")

    def test_a_program_may_put_its_own_calls_in_front_of_attach(self):
        text = included(["gasnet.h", "gasnet_coll.h"]) + ATTACH_OF_THE_PROGRAM
        for compiler, standard in outer_dialects():
            with self.subTest(f"{compiler} -std={standard}"):
                self.compile(compiler, standard, text, "-DGASNET_SEQ=1")

    def test_every_address_and_length_has_its_way(self):
        program = HERE / "gasnet_reach.c"
        for optimization in ("-O0", "-O2"):
            with self.subTest(optimization), tempfile.TemporaryDirectory() as folder:
                output = str(Path(folder) / "program")
                options = [optimization, "-DGASNET_PAR=1", "-o", output]
                text = program.read_text(encoding="utf-8")
                result = run_compiler(C_COMPILERS[0], "c11", text, *options)
                self.assertEqual(result.returncode, 0, result.stderr[:4000])
                ran = subprocess.run([output], capture_output=True, text=True, timeout=20)
                self.assertEqual((ran.returncode, ran.stdout), (0, ""), ran.stdout)


ATTACH_OF_THE_PROGRAM = """
static int own_attach(gasnet_handlerentry_t* table, int count, uintptr_t size, uintptr_t offset) {
  return gasnet_attach(table, count, size, offset);
}
#undef gasnet_attach
#define gasnet_attach own_attach
static int own_segment_attach(gex_Segment_t* segment, gex_TM_t tm, uintptr_t size) {
  return gex_Segment_Attach(segment, tm, size);
}
#undef gex_Segment_Attach
#define gex_Segment_Attach own_segment_attach
int use(gex_TM_t tm);
int use(gex_TM_t tm) {
  gex_Segment_t segment;
  return gasnet_attach(NULL, 0, 0, 0) | gex_Segment_Attach(&segment, tm, 4096);
}
"""


def every_address(header: str) -> str:
    """The address of every routine of a header, each into a pointer of just its type."""
    routines = [routine for routine in SPECIFICATION.routines if routine.header == header]
    lines = [included([header])]
    for number, routine in enumerate(routines):
        lines.append(f"typedef {routine.returns} type_{number}({routine.parameters});\n")
        lines.append(f"type_{number}* routine_{number} = {routine.name};\n")
    return "".join(lines)


def every_name(header: str) -> str:
    lines = [included([header])]
    for name in SPECIFICATION.types.get(header, ()):
        lines.append(f"typedef {name} use_{name};\n")
    for name in SPECIFICATION.constants.get(header, ()):
        lines.append(f"#if !defined({name}) || ({name}) + 0 < 0\n#error {name}\n#endif\n")
    for name in SPECIFICATION.macros.get(header, ()):
        lines.append(f"#ifndef {name}\n#error {name}\n#endif\n")
    return "".join(lines)


def numbers_of(compiler: str, names: list[str]) -> dict[str, int]:
    """The output of a program that includes all headers, for each."""
    shown = "".join(f'  printf("%s %lld\\n", "{name}", (long long)({name}));\n' for name in names)
    headers = included(["stdio.h", *HEADERS])
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "program")
        text = f"{headers}int main(void) {{\n{shown}}}\n"
        result = run_compiler(compiler, "c11", text, "-DGASNET_PAR=1", "-o", output)
        assert result.returncode == 0, result.stderr[:4000]
        ran = subprocess.run([output], capture_output=True, text=True, timeout=20, check=True)
    return {name: int(number) for name, number in map(str.split, ran.stdout.splitlines())}


def every_counted_call() -> str:
    """Every routine with a number, called without it; a wrong count would not compile."""
    headers = included(["gasnet.h"])
    lines = [headers, "void use(gex_AM_Arg_t a);\nvoid use(gex_AM_Arg_t a) {\n"]
    for routine in SPECIFICATION.routines:
        numbered = re.fullmatch(r"(gex_AM_\w+?|gasnet_AM\w+?)\d+(_v2)?", routine.name)
        if numbered:
            types = [text for text in routine.parameters.split(", ") if text != "gex_AM_Arg_t"]
            count = routine.parameters.count("gex_AM_Arg_t")
            given = [f"({text})0" for text in types] + ["a"] * count
            lines.append(f"  (void){numbered[1]}{numbered[2] or ''}({', '.join(given)});\n")
    lines.append("  (void)a;\n}\n")
    return "".join(lines)


def declared_names(path: Path) -> set[str]:
    """The routines that a header declares or defines."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"^#.*(?:\\\n.*)*", "", text, flags=re.MULTILINE)
    lines = (line for line in text.splitlines() if not line.startswith("typedef"))
    heads = (re.match(r"[\w][\w ]*[* ]+(\w+)\(", line) for line in lines)
    return {head[1] for head in heads if head}


if __name__ == "__main__":
    if not C_COMPILERS or not CXX_COMPILERS:
        print("skipped: neither gcc nor clang is on the PATH")
        sys.exit(77)
    unittest.main()
