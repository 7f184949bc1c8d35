"""The configuration refuses compilers that are too old: `compiler_test.py CMAKE`."""

import subprocess
import sys
import unittest
from pathlib import Path

CHECK = Path(__file__).parents[2] / "ci/compiler.cmake"
CMAKE = ""


def configure(compiler, version, *options):
    words = [f"-DCMAKE_CXX_COMPILER_ID={compiler}", f"-DCMAKE_CXX_COMPILER_VERSION={version}"]
    return subprocess.run(
        [CMAKE, *words, *options, "-P", CHECK], capture_output=True, text=True, check=False
    )


class CompilerTest(unittest.TestCase):
    def test_old_compilers_are_refused_by_name(self):
        for compiler, version in (("GNU", "11.4.0"), ("Clang", "14.0.6")):
            with self.subTest(compiler=compiler):
                ended = configure(compiler, version)
                self.assertNotEqual(ended.returncode, 0)
                self.assertIn(f"{compiler} {version}", " ".join(ended.stderr.split()))

    def test_others_are_taken(self):
        for compiler, version in (("GNU", "12.2.0"), ("Clang", "19.1.4"), ("IntelLLVM", "2024.1")):
            with self.subTest(compiler=compiler):
                self.assertEqual(configure(compiler, version).returncode, 0)
        self.assertEqual(configure("GNU", "11.4.0", "-DGONDWANA_ANY_COMPILER=ON").returncode, 0)


if __name__ == "__main__":
    CMAKE = sys.argv.pop()
    unittest.main()
