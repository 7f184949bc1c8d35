#!/usr/bin/env python3
"""The manual pages name every routine, agree with the commands, and typesetters accept them.

man_test.py GONDWANA: the command, whose --help and info the hand-written pages must match.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "api"))
sys.dont_write_bytecode = True

import generate  # noqa: E402
import man  # noqa: E402
from manual import notes, roff  # noqa: E402

GONDWANA = sys.argv.pop(1) if len(sys.argv) > 1 else None
FOLDER = ROOT / "docs/man"
REMARKS = {"NAME", "DESCRIPTION", "ENVIRONMENT", "NOTES", "EXAMPLE"}


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def plain(page: str) -> str:
    """The text of a page without the marks of roff."""
    text = re.sub(r"\\f[BIR]|\\%|\\&", "", page)
    return text.replace(r"\-", "-").replace(r"\(aq", "'")


def section(page: str, title: str) -> str:
    return page.partition(f".SH {title}\n")[2].split("\n.SH ")[0]


class ManualTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.manual = man.manual_of(ROOT)
        cls.files = cls.manual.files()
        cls.pages = {n: plain(t) for n, t in cls.files.items() if not t.startswith(".so ")}
        cls.functions = [f for page in cls.manual.pages for f in page.family.functions]
        cls.found = {name[5:-2] for name in cls.files if name.startswith("man3/")}


class CoverageTest(ManualTest):
    """The pages contain what users look for."""

    def test_the_page_of_a_family_shows_each_of_its_functions_or_their_pattern(self):
        for page in self.manual.pages:
            synopsis = section(self.pages[f"man3/{page.name}.3"], "SYNOPSIS")
            for function in page.family.functions:
                self.assertTrue(self.shows(synopsis, function), f"{page.name}: {function.name}")

    def shows(self, synopsis: str, function) -> bool:
        if f" {function.name}(" in synopsis:
            return True
        if function.type:
            pattern = function.name.replace(f"_{function.type.name}_", "_TYPENAME_", 1)
            listed = re.search(rf"\b{function.type.name}\b", synopsis.split(" is one of ", 1)[1])
            return f" {pattern}(" in synopsis and listed is not None
        bits = re.search(r"\d+", function.name)[0]
        pattern = function.name.replace(bits, "SIZE", 1)
        return f" {pattern}(" in synopsis and re.search(rf"\b{bits}\b", synopsis) is not None

    def test_each_function_is_found_under_its_own_name(self):
        names = {function.name for function in self.functions}
        self.assertEqual(names - self.found, set())

    def test_the_name_of_a_typed_function_leads_to_the_page_of_its_family(self):
        for page in self.manual.pages:
            for function in page.family.functions:
                text = self.files[f"man3/{function.name}.3"]
                if function.type and text.startswith(".so "):
                    self.assertEqual(text, f".so man3/{page.name}.3\n", function.name)

    def test_each_generic_name_has_a_page(self):
        forms = (form for page in self.manual.pages for form in page.family.forms)
        self.assertEqual({form.generic for form in forms if form.generic} - self.found, set())

    def test_each_alias_leads_to_a_page(self):
        targets = {text.split()[1] for text in self.files.values() if text.startswith(".so ")}
        self.assertEqual(targets - set(self.pages), set())

    def test_each_reference_leads_to_a_page(self):
        ours = re.compile(r"\\fB((?:shmem|gondwana|gasnet|osh|start_pes)[\w+-]*)\\fR\((\d)\)")
        missing = {
            f"{page} refers to {name}({number})"
            for page, text in self.files.items()
            for name, number in ours.findall(text.replace(r"\-", "-"))
            if f"man{number}/{name}.{number}" not in self.files
        }
        self.assertEqual(missing, set())

    def test_each_page_has_the_sections_that_people_look_for(self):
        for page in self.manual.pages:
            text = self.pages[f"man3/{page.name}.3"]
            for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "CONFORMING TO"):
                self.assertTrue(section(text, title).strip(), f"{page.name}: {title}")

    def test_the_index_lists_each_family(self):
        index = set(re.findall(r"[\w]+", self.pages["man7/shmem.7"]))
        self.assertEqual({page.name for page in self.manual.pages} - index, set())


class TruthTest(ManualTest):
    """The pages name nothing that does not exist."""

    def test_no_page_names_a_routine_that_is_in_no_table(self):
        known = {f.name for f in self.functions} | {
            name for p in self.manual.pages for name in p.names
        }
        known |= {pattern.name for p in self.manual.pages for pattern in p.patterns}
        known |= {Path(name).stem for name in self.files}
        known |= {"shmem_X", "shmem_ctx_X", "shmem_team_t", "shmem_ctx_t"}
        known |= {"shmem_team_config_t", "shmem_ctx_session_config_t"}
        named = {
            f"{page} names {name}"
            for page, text in self.pages.items()
            for name in re.findall(r"\bshmem_\w+", text)
            if name not in known
        }
        self.assertEqual(named, set())

    def test_no_page_names_a_constant_that_the_header_has_not(self):
        header = generate.committed_files(ROOT)[ROOT / "include/shmem.h"]
        constant = re.compile(r"\bSHMEM_(?:CTX|TEAM|THREAD|CMP|SIGNAL|MALLOC)_\w*[A-Z]\b")
        named = {
            f"{page} names {name}"
            for page, text in self.pages.items()
            for name in constant.findall(text.split(".SH CONFORMING TO")[0])
            if not re.search(rf"\b{name}\b", header)
        }
        self.assertEqual(named, set())

    def test_each_remark_belongs_to_one_page_and_a_section_of_it(self):
        for path in FOLDER.glob("families/*.md"):
            owners = [page.name for page in self.manual.pages if path.stem in page.names]
            self.assertEqual(len(owners), 1, path.name)
            titles = set(notes.sections(path.read_text(encoding="utf-8")))
            self.assertLessEqual(titles, REMARKS, path.name)
            self.assertTrue(titles, path.name)

    def test_each_explained_argument_is_one_of_a_page_that_its_group_names(self):
        for patterns, group in self.manual.notes.arguments:
            for name in group:
                users = (
                    page.name
                    for page in self.manual.pages
                    if name in page.arguments
                    and any(fnmatchcase(page.name, pattern) for pattern in patterns.split(", "))
                )
                self.assertIsNotNone(next(users, None), f"{patterns}: {name}")

    def test_each_explained_return_value_is_one_of_a_routine(self):
        patterns = [pattern for page in self.manual.pages for pattern in page.patterns]
        names = {p.generic or p.name for p in patterns if p.prototype.returns != "void"}
        unused = {
            explained
            for explained, _ in self.manual.notes.returns
            if not any(fnmatchcase(name, explained) for name in names)
        }
        self.assertEqual(unused, set())

    def test_each_example_is_shown_on_a_page(self):
        shown = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.md"))
        for path in FOLDER.glob("examples/*.c"):
            self.assertIn(f"examples/{path.name})", shown)


@unittest.skipIf(GONDWANA is None, "no command given")
class CommandTest(ManualTest):
    """The pages about commands agree with the output of the commands."""

    def assert_same(self, real: set[str], explained: set[str], page: str) -> None:
        sentences = [
            f"docs/man/{page} does not explain {name}" for name in sorted(real - explained)
        ]
        sentences += [f"docs/man/{page}: there is no {name}" for name in sorted(explained - real)]
        self.assertEqual(sentences, [])

    def test_the_options_of_run_are_those_of_its_help(self):
        help_text = run(GONDWANA, "run", "--help").stdout.split("Options:")[1]
        offered = {
            option
            for line in re.findall(r"^  (-\S+)", help_text, flags=re.MULTILINE)
            for option in line.split(",")
        }
        page = section(self.pages["man1/gondwana-run.1"], "OPTIONS")
        explained = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", page, flags=re.IGNORECASE))
        self.assert_same(offered | {"-np"}, explained, "gondwana-run.1.md")

    def test_the_variables_are_those_of_info(self):
        listed = set()
        for variable in json.loads(run(GONDWANA, "info", "--json").stdout)["variables"]:
            listed |= {variable["name"], *variable["other_names"]}
        page = self.pages["man7/shmem_environment.7"].split(".SH CONFORMING TO")[0]
        explained = set(re.findall(r"\b(?:GONDWANA|SHMEM|SMA|GASNET|COMEX|ARMCI)_[A-Z_]*[A-Z]\b", page))
        self.assert_same(listed, explained, "shmem_environment.7.md")
        gasnet = section(self.pages["man7/gondwana-gasnet.7"], "ENVIRONMENT")
        named = set(re.findall(r"\bGASNET_[A-Z_]*[A-Z]\b", gasnet))
        ours = {name for name in listed if name.startswith("GASNET_")}
        self.assert_same(ours, named, "gondwana-gasnet.7.md")

    def test_the_options_of_gasnets_launchers_and_of_armci_config_are_those_of_the_scripts(self):
        scripts = (
            ("gasnetrun", "gasnetrun_smp", {"-h", "--help"}),
            ("armci-config.in", "armci-config", set()),
        )
        for script, page, other in scripts:
            text = (ROOT / "tools/wrappers" / script).read_text(encoding="utf-8")
            cases = re.findall(r"^    (-[^()]*)\)", text, flags=re.MULTILINE)
            option = re.compile(r"(?<![\w-])--?[a-zA-Z]+")
            known = {name for case in cases for name in option.findall(case)}
            explained = set(option.findall(section(self.pages[f"man1/{page}.1"], "OPTIONS")))
            self.assertEqual(known - other, explained, script)

    def test_the_options_of_the_compiler_commands_are_those_of_the_script(self):
        script = (ROOT / "tools/wrappers/oshcc.in").read_text(encoding="utf-8")
        for option in re.findall(r"^#   (--\S+), (-\w+)|^#   (--\S+)", script, flags=re.MULTILINE):
            for name in filter(None, option):
                self.assertIn(name, self.pages["man1/oshcc.1"])


class TypesettingTest(ManualTest):
    """The programs that show pages report no warnings."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        man.write(self.files, self.folder)

    def need(self, command: str) -> None:
        if shutil.which(command) is None:
            self.skipTest(f"{command} is not installed")

    def paths(self) -> list[str]:
        return [str(self.folder / name) for name in self.pages]

    def test_groff_warns_of_nothing(self):
        self.need("groff")
        for path in self.paths():
            result = run("groff", "-man", "-Tutf8", "-Kutf8", "-ww", path)
            self.assertEqual((result.returncode, result.stderr), (0, ""), path)

    def test_mandoc_finds_no_error(self):
        self.need("mandoc")
        result = run("mandoc", "-Tlint", "-Werror", *self.paths())
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_apropos_can_read_each_name_and_summary(self):
        self.need("lexgrog")
        for name in self.pages:
            result = run("lexgrog", str(self.folder / name))
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertIn(f'"{Path(name).stem} - ', result.stdout)

    def test_pages_of_an_earlier_table_are_removed(self):
        left = self.folder / "man3/shmem_gone.3"
        left.touch()
        man.write(self.files, self.folder)
        self.assertFalse(left.exists())


class RoffTest(unittest.TestCase):
    """From Markdown to roff."""

    def test_what_roff_would_take_for_its_own_is_protected(self):
        lines = list(roff.Prose().lines("```\n.SH\n'x'\na\\b - ~`^\n```"))
        self.assertIn(r"\&.SH", lines)
        self.assertIn(r"\(aqx\(aq", lines)
        self.assertIn(r"a\eb \- \(ti\(ga\(ha", lines)
        self.assertEqual(roff.Prose().inline(".TH is text"), r"\&.TH is text")

    def test_marks_become_fonts(self):
        prose = roff.Prose(arguments=frozenset({"dest"}))
        self.assertEqual(prose.inline('*a* "dest" "other"'), r'\fIa\fR \fIdest\fR "other"')
        self.assertEqual(prose.inline("`-n` shmem_put(3)"), r"\fB\-n\fR \%\fBshmem_put\fR(3)")

    def test_hyphenation_is_forbidden_where_a_name_begins_a_word(self):
        prose = roff.Prose()
        self.assertEqual(prose.inline("a shmem_put"), r"a \%\fBshmem_put\fR")
        self.assertEqual(prose.inline("(shmem_put)"), r"(\fBshmem_put\fR)")

    def test_a_star_that_multiplies_or_points_is_no_mark(self):
        text = "i * dst and j * sst, void* and SHMEM_CMP_* x*"
        self.assertNotIn(r"\fI", roff.Prose().inline(text))

    def test_a_blank_line_inside_a_fence_does_not_end_it(self):
        lines = list(roff.Prose().lines("```\na\n\n## b\n```\n\nc"))
        self.assertEqual(lines.count(".EX"), 1)
        self.assertEqual(lines[-1], "c")

    def test_items_that_begin_with_a_term_are_tagged(self):
        lines = list(roff.Prose().lines("- `-n` *N*: ranks\n- other"))
        self.assertEqual(lines, [".TP", r"\fB\-n\fR \fIN\fR", "ranks", r".IP \(bu 3", "other"])


if __name__ == "__main__":
    unittest.main()
