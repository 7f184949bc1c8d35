"""What `./dev` says of packages where there is no apt-get: `elsewhere_test.py`."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """\
set -euo pipefail
root=$1
source "$root/ci/packages.sh"
os_release=$2
has_apt() { false; }
name_packages_elsewhere build
"""


def rows(name):
    lines = (ROOT / "ci" / name).read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


class ElsewhereTest(unittest.TestCase):
    def said(self, release):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(release)
            file.flush()
            command = ["bash", "-c", SCRIPT, "dev", ROOT, file.name]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def test_the_packages_are_named_as_the_system_does(self):
        fedora = self.said('NAME="Fedora Linux"\nID=fedora\n')
        self.assertRegex(fedora, r"^Here: sudo dnf install cmake .*\blibfabric-devel\b.*\n$")
        self.assertEqual(self.said('ID="rocky"\nID_LIKE="rhel centos fedora"\n'), fedora)
        arch = self.said("ID=arch\n")
        self.assertRegex(arch, r"^Here: sudo pacman -S --needed cmake ninja .*\bopenpmix\b.*\n$")
        self.assertEqual(arch.split().count("protobuf"), 1)
        self.assertEqual(self.said("ID=nixos\n"), "")

    def test_the_table_has_each_package(self):
        wanted = {row[1] for row in rows("packages.txt")}
        table = rows("packages_elsewhere.txt")
        self.assertEqual({row[0] for row in table}, wanted)
        self.assertEqual([row for row in table if len(row) != 3], [])


if __name__ == "__main__":
    unittest.main()
