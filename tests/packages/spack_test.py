"""The recipes for Spack, conda and EasyBuild against this repository: `spack_test.py`.

The test runs none of these.
"""

import ast
import re
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
RECIPE = SOURCE / "packages/spack/package.py"
# The Spack names of the packages that CMake or pkg-config finds.
NAMES = {"fmt": "fmt", "tomlplusplus": "tomlplusplus", "CLI11": "cli11", "hwloc": "hwloc",
         "libfabric": "libfabric", "pmix": "pmix", "nlohmann_json": "nlohmann-json", "ucx": "ucx",
         "libdw": "elfutils", "Curses": "ncurses", "libmicrohttpd": "libmicrohttpd",
         "Protobuf": "protobuf"}


def calls(tree, name):
    """The first arguments of these calls."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [node for node in found if name == getattr(node.func, "attr", None)
             or name == getattr(node.func, "id", None)]
    return [node.args[0].value for node in named]


def cmake_text():
    files = [SOURCE / "CMakeLists.txt", SOURCE / "src/CMakeLists.txt",
             *sorted((SOURCE / "tools").rglob("CMakeLists.txt"))]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


class SpackTest(unittest.TestCase):
    def setUp(self):
        self.recipe = ast.parse(RECIPE.read_text(encoding="utf-8"))
        self.cmake = cmake_text()

    def test_the_options_that_it_sets_are_there(self):
        options = calls(self.recipe, "define")
        self.assertIn("GONDWANA_TESTS", options)
        for option in options:
            if option.startswith("CMAKE_"):
                continue
            self.assertIn(f"option({option} ", self.cmake)

    def test_it_depends_on_what_is_looked_for(self):
        needed = {text.partition("@")[0] for text in calls(self.recipe, "depends_on")}
        for looked_for, name in NAMES.items():
            self.assertRegex(self.cmake,
                             rf"(find_package|pkg_check_modules)\(([A-Z]+ [A-Z_ ]*)?{looked_for}\b")
            self.assertIn(name, needed)

    def test_it_asks_for_the_same_cmake(self):
        (version,) = re.findall(r"cmake_minimum_required\(VERSION ([\d.]+)\)", self.cmake)
        self.assertIn(f"cmake@{version}:", calls(self.recipe, "depends_on"))

    def test_the_other_recipes_have_the_same_version_and_options(self):
        (version,) = re.findall(r"^project\(gondwana VERSION ([\d.]+)", self.cmake, re.MULTILINE)
        easybuild = f"easybuild/Gondwana-{version}-GCC-13.3.0.eb"
        for path, begin in (("conda/recipe.yaml", "version: "), (easybuild, "version = '")):
            text = (SOURCE / "packages" / path).read_text(encoding="utf-8")
            self.assertIn(begin + version, text)
            for option in re.findall(r"-D(GONDWANA_\w+)=", text):
                self.assertIn(f"option({option} ", self.cmake)


if __name__ == "__main__":
    unittest.main()
