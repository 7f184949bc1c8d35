#!/usr/bin/env python3
"""The API tables expand to the declarations of OpenSHMEM 1.6, and --check detects differences."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "api"))
sys.path.insert(0, str(ROOT / "tests/front/headers"))

import counter  # noqa: E402
import header  # noqa: E402
import profiler  # noqa: E402
import specification  # noqa: E402
import table  # noqa: E402
import thunks  # noqa: E402
import variables  # noqa: E402


def as_text(prototype: table.Prototype) -> str:
    parameters = ", ".join(map(str, prototype.parameters)) or "void"
    return f"{prototype.returns} {prototype.name}({parameters})"


def form(api: table.Api, generic: str) -> table.Form:
    return next(form for form in api.forms if form.generic == generic)


class TableTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.api = table.load(ROOT / "api/shmem", "0.1.0")

    def test_the_tables_declare_every_routine_and_no_other(self):
        for cxx in (False, True):
            listed = set(specification.functions(cxx))
            declared = {as_text(f.cxx if cxx else f.c) for f in self.api.functions}
            self.assertEqual(declared - listed, set())
            self.assertEqual(listed - declared, set())

    def test_generics_take_what_the_specification_lists(self):
        listed = {specification.name_of(text) for text in specification.generics()}
        self.assertEqual({f.generic for f in self.api.forms if f.generic}, listed)

    def test_no_function_is_listed_twice(self):
        names = [function.name for function in self.api.functions]
        self.assertEqual(len(names), len(set(names)))

    def test_every_section_file_is_in_the_declared_order(self):
        files = {path.stem for path in (ROOT / "api/shmem").glob("*.toml")}
        self.assertEqual({section.name for section in self.api.sections}, files - {"common"})

    def test_a_context_comes_first_and_into_the_name(self):
        contexts = form(self.api, "shmem_signal_add").contexts
        declared = [as_text(function.c) for function in contexts]
        parameters = "shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe"
        self.assertEqual(declared, [f"void shmem_ctx_signal_add({parameters})"])
        self.assertEqual(contexts[0].arguments, ("sig_addr", "signal", "pe"))

    def test_generics_select_each_distinct_type_once(self):
        distinct = [f.type.c for f in form(self.api, "shmem_put").distinct]
        self.assertEqual(len(distinct), 14)
        self.assertNotIn("size_t", distinct)

    def test_a_typedef_is_selected_where_its_own_type_is_not_in_the_set(self):
        distinct = [f.type.c for f in form(self.api, "shmem_atomic_and").distinct]
        self.assertEqual(
            distinct, ["unsigned int", "unsigned long", "unsigned long long", "int32_t", "int64_t"]
        )

    def test_cxx_spells_complex_in_its_own_way(self):
        function = next(f for f in self.api.functions if f.name == "shmem_complexd_sum_reduce")
        self.assertEqual(function.c.parameters[1].type, "double _Complex*")
        self.assertEqual(function.cxx.parameters[1].type, "std::complex<double>*")
        self.assertEqual(function.call, "reduce<CombineOp::sum, std::complex<double>>")

    def test_every_routine_has_text_and_a_clause(self):
        for section in self.api.sections:
            for family in section.families:
                self.assertTrue(family.text.strip() and family.clause, family)


class EmitTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.api = table.load(ROOT / "api/shmem", "9.8.7")

    def test_the_vendor_string_names_the_version_of_the_project(self):
        self.assertIn('SHMEM_VENDOR_STRING "Gondwana 9.8.7"', header.user_header(self.api))

    def test_the_vendor_string_fits_its_array(self):
        values = {c.name: c.value for group in self.api.constants for c in group.values}
        self.assertLess(len(values["SHMEM_VENDOR_STRING"]), int(values["SHMEM_MAX_NAME_LEN"]))

    def test_the_symbol_map_exports_both_names_of_every_routine(self):
        lines = {line.strip() for line in thunks.symbol_map(self.api).splitlines()}
        for function in self.api.functions:
            self.assertIn(f"{function.name};", lines)
            self.assertIn(f"p{function.name};", lines)

    def test_a_thunk_passes_the_name_the_user_called(self):
        text = "".join(thunks.thunk_file(self.api, section) for section in self.api.sections)
        named = set(re.findall(r'"(\w+)"', text))
        through_context = set(re.findall(r'door::in\(ctx, "(\w+)"', text))
        for function in self.api.functions:
            if function.call:
                self.assertIn(function.name, named)
            self.assertEqual(function.name in through_context, function.on_context, function.name)

    def test_no_line_is_wider_than_the_house_allows(self):
        texts = [header.user_header(self.api), header.profiling_header(self.api)]
        texts += [thunks.thunk_file(self.api, section) for section in self.api.sections]
        for line in "\n".join(texts).splitlines():
            self.assertLessEqual(len(line), 100, line)


class VariablesTest(unittest.TestCase):
    """The table of environment variables, and the documents that are written from it."""

    @classmethod
    def setUpClass(cls):
        cls.table = variables.load(ROOT / "api/variables.toml")

    def test_each_name_stands_once_and_begins_as_names_of_variables_do(self):
        names = [name for row in self.table.variables for name in (row.name, *row.also)]
        names += self.table.internal
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            self.assertRegex(name, "^(GONDWANA|SHMEM|SMA|GASNET|COMEX|ARMCI)_[A-Z_]+$")

    def test_a_list_has_the_variables_of_the_names_that_it_asks_for(self):
        page = variables.with_lists("before\n{variables GASNET_FREEZE GONDWANA_S*}\n", self.table)
        self.assertIn("- `GASNET_FREEZE`: The same as `GONDWANA_FREEZE`.\n", page)
        self.assertRegex(page, "- `GONDWANA_SPINS`: Spin iterations")
        self.assertNotIn("GONDWANA_HEAP_SIZE", page)

    def test_text_around_what_is_generated_stays(self):
        document = variables.with_tables("a\n" + variables.BEGIN + variables.END + "\nb", self.table)
        self.assertTrue(document.startswith("a\n") and document.endswith("\nb"))
        self.assertEqual(variables.with_tables(document, self.table), document)


class EffectTest(unittest.TestCase):
    """What the wrappers of the profiling library count is what the tables say."""

    def counted(self, name: str) -> str:
        api = table.load(ROOT / "api/shmem", "0.1.0")
        found = next(function for function in api.functions if function.name == name)
        lines = profiler.wrapper(found, 7).split("\n")
        return next(line.strip() for line in lines if " call(" in line)

    def test_a_transfer_has_direction_bytes_peer_and_place(self):
        self.assertEqual(
            self.counted("shmem_ctx_long_ibget"),
            "const Transfer call(7, Traffic::get, bsize * nblocks * sizeof(long), ctx, pe, source);",
        )

    def test_what_holds_for_a_family_holds_for_its_rows(self):
        self.assertEqual(
            self.counted("shmem_putmem_signal"),
            "const Transfer call(7, Traffic::put, nelems, pe, sig_addr);",
        )

    def test_a_call_that_nothing_is_said_of_is_counted_alone(self):
        self.assertEqual(self.counted("shmem_quiet"), "const Call call(7);")

    def test_a_row_that_says_half_is_refused(self):
        for half in ({"moves": "put", "bytes": "8"}, {"awaits": "ivar"}, {"bytes": "8", "at": "x"}):
            with self.assertRaises(ValueError):
                counter.counter(half, 7)


class CheckTest(unittest.TestCase):
    """Runs the generator on a copy of what it reads and writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copy(ROOT / "CMakeLists.txt", self.root)
        shutil.copytree(ROOT / "api", self.root / "api")
        shutil.copytree(ROOT / "include/gasnet", self.root / "include/gasnet")
        for path in (ROOT / "include").glob("gasnet*.h"):
            shutil.copy(path, self.root / "include")
        (self.root / "src/front/shmem").mkdir(parents=True)

    def generate(self, *arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-B", str(self.root / "api/generate.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def test_check_agrees_with_what_was_just_written(self):
        self.assertEqual(self.generate().returncode, 0)
        result = self.generate("--check")
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_check_names_a_stale_file(self):
        self.generate()
        with (self.root / "include/shmem.h").open("a", encoding="utf-8") as file:
            file.write("/* edited by hand */\n")
        result = self.generate("--check")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.count("\n"), 1)
        self.assertIn("include/shmem.h is not what api/ says", result.stdout)

    def test_check_names_a_missing_file(self):
        self.generate()
        (self.root / "include/pshmem.h").unlink()
        result = self.generate("--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("include/pshmem.h is not what api/ says", result.stdout)

    def test_check_names_a_file_no_table_asks_for(self):
        self.generate()
        (self.root / "include/gasnet/generated/old_calls.h").touch()
        result = self.generate("--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("generated/old_calls.h is in no API table", result.stdout)

    def test_a_build_has_a_file_for_each_table_and_no_other(self):
        folder = self.root / "build/generated"
        old = folder / "shmem/old_thunks.cpp"
        old.parent.mkdir(parents=True)
        old.touch()
        self.assertEqual(self.generate("--build", str(folder)).returncode, 0)
        self.assertFalse(old.exists())
        tables = {path.stem for path in (self.root / "api/shmem").glob("*.toml")} - {"common"}
        for kind, suffix in (("shmem", "_thunks.cpp"), ("profile", ".cpp")):
            for table_name in tables:
                self.assertTrue((folder / kind / f"{table_name}{suffix}").exists(), table_name)
        self.assertTrue((folder / "core/generated/variables.hpp").exists())
        self.assertFalse((self.root / "include/shmem.h").exists())

    def test_a_changed_table_makes_the_header_stale(self):
        self.generate()
        path = self.root / "api/shmem/ordering.toml"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("shmem_quiet(void)", "shmem_hush(void)"), encoding="utf-8")
        result = self.generate("--check")
        self.assertIn("include/shmem.h", result.stdout)

    def test_a_changed_variable_makes_its_document_stale(self):
        self.generate()
        path = self.root / "api/variables.toml"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('default = "20"', 'default = "30"'), encoding="utf-8")
        result = self.generate("--check")
        self.assertIn("docs/variables.md is not what api/ says", result.stdout)

    def test_the_committed_files_are_what_the_table_says(self):
        command = [sys.executable, "-B", str(ROOT / "api/generate.py"), "--check"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
