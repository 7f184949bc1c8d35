"""The Debian package: `deb_test.py BUILD CPACK C_COMPILER`.

Makes the package from the build, unpacks it, uses its contents, and installs it into empty roots.
Exits with status 77 where the Debian tools are missing.
"""

import gzip
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from installed import CMAKE_PROJECT, PROGRAM, run, run_well

BUILD = ""
CPACK = ""
COMPILER = ""
SOURCE = Path(__file__).resolve().parents[2]
PREFIX = "opt/gondwana"
SHARED_NAMES = ("oshcc", "oshc++", "oshcxx", "oshCC", "shmemcc", "shmemc++", "shmemcxx", "shmemCC", "oshrun")
NEIGHBOURS = ("openmpi-bin", "libopenmpi-dev", "mpich")

# Like the package of Open MPI, it has one of our names as a link that is no alternative.
NEIGHBOUR = """\
Package: neighbour
Version: 1
Architecture: all
Maintainer: nobody
Description: has a command of the same name
"""

# The state of an installed package in dpkg.
INSTALLED = """\
Package: {}
Status: install ok installed
Version: 99
Architecture: {}
Maintainer: nobody
Description: is needed

"""

# A copy of this system that discards all changes; FOLDER is its /mnt.
THROWN_AWAY = """\
mount -t tmpfs tmpfs "$FOLDER/system"
cd "$FOLDER/system" && mkdir written work root
mount -t overlay overlay -o lowerdir=/,upperdir=written,workdir=work root
mount --rbind /proc root/proc && mount --rbind /dev root/dev && mount --bind "$FOLDER" root/mnt
exec chroot root sh -ec "$SCRIPT"
"""

# Acts as an administrator and a user; prints the file of oshcc before, with it, and after.
INSTALL_AND_USE = """\
cd /mnt
readlink -f /usr/bin/oshcc || echo none
apt-get --yes --no-install-recommends install ./made/gondwana_*.deb >&2
readlink -f /usr/bin/oshcc
dpkg --verify gondwana
oshcc.gondwana hello.c -o hello
oshrun.gondwana -n 4 ./hello
gondwana info >/dev/null
if [ -e /usr/share/man/man3/shmem_long_put.3gondwana.gz ] && command -v man >/dev/null; then
  MANPAGER=cat man shmem_long_put | grep -q 'copies nelems elements'
  MANPAGER=cat man gasnet | grep -q 'THREAD MODES'
fi
dpkg --purge gondwana >&2
readlink -f /usr/bin/oshcc || echo none
ls /opt /usr/bin /etc/alternatives | grep -c gondwana || true
"""


def make_packages(folder):
    """The package of the files, and the package of their symbols."""
    run_well(CPACK, "-G", "DEB", "--config", f"{BUILD}/CPackConfig.cmake", "-B", folder)
    (package,) = folder.glob("*.deb")
    (symbols,) = folder.glob("*.ddeb")
    run_well(SOURCE / "packages/deb/symbols.sh", symbols, folder / "symbols.deb")
    return package, folder / "symbols.deb"


def files_of(package):
    """Paths, without folders, in a package that lies here."""
    lines = run_well("dpkg-deb", "-c", package).splitlines()
    names = [line.split(None, 5)[5].split(" -> ")[0] for line in lines if line[0] != "d"]
    return {name.removeprefix("./") for name in names}


def files_of_neighbour(name, folder):
    """The same for the Debian package, if installed or available; empty otherwise."""
    listed = run("dpkg", "-L", name)
    if listed.returncode == 0:
        return {path[1:] for path in listed.stdout.splitlines() if not os.path.isdir(path)}
    if shutil.which("apt-get") and run("apt-get", "download", name, cwd=folder).returncode == 0:
        (package,) = folder.glob(f"{name}_*.deb")
        return files_of(package)
    return set()


class DebTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="deb_test"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "made").mkdir()
        cls.package, cls.symbols = make_packages(cls.folder / "made")
        cls.unpacked = cls.folder / "unpacked"
        run_well("dpkg-deb", "-x", cls.package, cls.unpacked)

    def field(self, name, package=None):
        return run_well("dpkg-deb", "-f", package or self.package, name).strip()

    # Contents.

    def test_everything_lies_in_a_folder_of_its_own_or_has_a_name_of_its_own(self):
        files = files_of(self.package)
        self.assertGreater(len(files), 100)
        shared = r"usr/share/(doc/gondwana/|man/.*\.[1357]gondwana\.gz$|.*completions.*/_?gondwana(\.fish)?$)"
        ours = re.compile(rf"{PREFIX}/|{shared}")
        self.assertEqual([name for name in files if not ours.match(name)], [])

    def test_debian_finds_its_documents(self):
        folder = self.unpacked / "usr/share/doc/gondwana"
        license_text = (SOURCE / "LICENSE").read_text(encoding="utf-8")
        said = (folder / "copyright").read_text(encoding="utf-8")
        self.assertIn("\nLicense: BSD-3-Clause\n", said)
        conditions = license_text[license_text.index("Redistribution"):].split()
        self.assertEqual([word for word in conditions if word not in said.split()], [])
        with gzip.open(folder / "changelog.Debian.gz", "rt") as file:
            said = file.read()
            self.assertTrue(said.startswith(f"gondwana ({self.field('Version')}) "))
            self.assertRegex(said, rf"\n -- {re.escape(self.field('Maintainer'))}  \w+, \d")
            self.assertRegex(self.field("Maintainer"), r"^[\w ]+ <\S+@\S+>$")
        with gzip.open(folder / "changelog.gz", "rt") as file:
            self.assertEqual(file.read(), (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8"))
        self.assertGreater(len(self.field("Description").splitlines()), 4)

    def test_the_name_of_each_routine_leads_to_its_page(self):
        folder = self.unpacked / "usr/share/man/man3"
        self.assertGreater(len(list(folder.iterdir())), 1794)
        for link in (folder / f"{name}.3gondwana.gz" for name in ("shmem_put", "shmem_long_put")):
            self.assertEqual(os.readlink(link), f"/{PREFIX}/share/man/man3/shmem_put.3.gz")
        self.assertTrue((self.unpacked / PREFIX / "share/man/man3/shmem_put.3.gz").exists())

    def test_its_files_have_no_symbols_for_debuggers_and_another_package_has_them(self):
        self.assertEqual(self.field("Package", self.symbols), "gondwana-dbgsym")
        self.assertEqual(self.field("Depends", self.symbols),
                         f"gondwana (= {self.field('Version')})")
        there = self.folder / "symbols"
        run_well("dpkg-deb", "-x", self.symbols, there)
        prefix = self.unpacked / PREFIX
        for path in (prefix / "bin/gondwana", prefix / "lib/gondwana/gondwana-agent",
                     *prefix.glob("lib/*.so.?")):
            self.assertNotIn(".debug_info", run_well("readelf", "--sections", "--wide", path))
            found = re.search(r"Build ID: (..)(\w+)", run_well("readelf", "--notes", path))
            debug = there / f"usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug"
            self.assertIn(".debug_info", run_well("readelf", "--sections", "--wide", debug))

    def test_lintian_accepts_the_package_of_symbols(self):
        there = self.folder / "symbols_again"
        run_well("dpkg-deb", "-R", self.symbols, there)
        run_well("md5sum", "--check", "--quiet", "DEBIAN/md5sums", cwd=there)
        self.assertEqual(os.readlink(there / "usr/share/doc/gondwana-dbgsym"), "gondwana")
        if shutil.which("lintian"):
            self.assertEqual(run_well("lintian", self.symbols), "")

    def test_libfabric_comes_with_it_unless_it_is_refused(self):
        self.assertRegex(self.field("Recommends"), r"\blibfabric1\b")

    def test_no_file_is_also_in_a_package_of_another_mpi(self):
        ours = files_of(self.package)
        for name in NEIGHBOURS:
            with self.subTest(package=name):
                theirs = files_of_neighbour(name, self.folder)
                if not theirs:
                    self.skipTest(f"{name} is neither installed nor within reach")
                self.assertEqual(ours & theirs, set())

    def test_it_says_what_it_needs(self):
        self.assertRegex(self.field("Depends"), r"\blibc6\b")
        self.assertNotIn("gondwana", self.field("Depends"))
        self.assertEqual(self.field("Package"), "gondwana")

    # Use.

    def test_programs_are_built_and_run_where_it_is_unpacked(self):
        there = self.unpacked
        (there / "hello.c").write_text(PROGRAM, encoding="utf-8")
        (there / "CMakeLists.txt").write_text(CMAKE_PROJECT, encoding="utf-8")
        command = there / PREFIX / "bin"
        with self.subTest("oshcc"):
            run_well(command / "oshcc", "hello.c", "-o", "hello", cwd=there)
            (there / "oshrun.gondwana").symlink_to(command / "oshrun")
            for launcher in (command / "oshrun", there / "oshrun.gondwana"):
                self.assertEqual(run_well(launcher, "-n", "4", there / "hello"), "10\n")
        with self.subTest("CMake finds what is in /opt by itself"):
            run_well("cmake", "-S", there, "-B", there / "b", f"-DCMAKE_C_COMPILER={COMPILER}",
                     f"-DCMAKE_SYSTEM_PREFIX_PATH={there}/opt")
            run_well("cmake", "--build", there / "b")
            done = run_well(command / "gondwana", "run", "-n", "3", there / "b/hello")
            self.assertEqual(done, "6\n")

    # Installation.

    def empty_root(self):
        root = Path(tempfile.mkdtemp(dir=self.folder))
        for folder in ("usr/bin", "etc", "var/log", "var/lib/dpkg/info", "var/lib/dpkg/updates"):
            (root / folder).mkdir(parents=True)
        needed = re.findall(r"(?:^|, )([\w.+-]+)", self.field("Depends"))
        status = "".join(INSTALLED.format(name, self.field("Architecture")) for name in needed)
        (root / "var/lib/dpkg/status").write_text(status, encoding="utf-8")
        return root

    def dpkg(self, root, *words):
        """Runs the scripts of the package here with DPKG_ROOT, because the root has no shell."""
        fake = [] if os.geteuid() == 0 else ["fakeroot"]
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        return run_well(*fake, "dpkg", f"--root={root}", "--force-script-chrootless",
                        "--force-unsafe-io", *words, variables={"PATH": path})

    @staticmethod
    def target(root, name):
        """The file to which a name in /usr/bin leads inside the root, or nothing."""
        place = root / "usr/bin" / name
        while place.is_symlink() and root / PREFIX not in place.parents:
            place = root / os.path.join("/usr/bin", os.readlink(place)).lstrip("/")
        return str(place.relative_to(root)) if place.exists() else None

    def assert_names(self, root, suffix=""):
        for name in SHARED_NAMES:
            self.assertEqual(self.target(root, name + suffix), f"{PREFIX}/bin/{name}")

    def neighbour(self):
        """A package with /usr/bin/oshcc."""
        tree = Path(tempfile.mkdtemp(dir=self.folder))
        for folder in ("DEBIAN", "usr/bin"):
            (tree / folder).mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(NEIGHBOUR, encoding="utf-8")
        (tree / "usr/bin/wrapper").touch()
        (tree / "usr/bin/oshcc").symlink_to("wrapper")
        tree.chmod(0o755)
        package = tree.with_suffix(".deb")
        run_well("dpkg-deb", "--root-owner-group", "--build", tree, package)
        return package

    def test_commands_are_found_and_leave_nothing_behind(self):
        root = self.empty_root()
        self.dpkg(root, "--install", self.package)
        self.assert_names(root)
        self.assert_names(root, ".gondwana")
        self.assertEqual(self.target(root, "gondwana"), f"{PREFIX}/bin/gondwana")
        self.dpkg(root, "--install", self.package)  # as an upgrade does
        self.assert_names(root)
        self.dpkg(root, "--purge", "gondwana")
        self.assertEqual(os.listdir(root / "usr/bin"), [])
        self.assertEqual(os.listdir(root / "etc/alternatives"), [])
        self.assertFalse((root / "opt").exists() and os.listdir(root / "opt"))

    def test_a_name_of_a_package_that_was_there_before_stays_its_own(self):
        root = self.empty_root()
        self.dpkg(root, "--install", self.neighbour())
        said = self.dpkg(root, "--install", self.package)
        self.assertIn("of other packages, Gondwana's end in .gondwana: oshcc\n", said)
        self.assertEqual(self.target(root, "oshcc"), "usr/bin/wrapper")
        self.assertEqual(self.target(root, "oshrun"), f"{PREFIX}/bin/oshrun")
        self.assert_names(root, ".gondwana")
        with self.subTest("and is ours when that package goes"):
            self.dpkg(root, "--remove", "neighbour")
            self.assert_names(root)

    def test_a_package_that_comes_later_gets_and_keeps_its_name(self):
        root = self.empty_root()
        self.dpkg(root, "--install", self.package)
        self.dpkg(root, "--install", self.neighbour())
        self.assertEqual(self.target(root, "oshcc"), "usr/bin/wrapper")
        self.assert_names(root, ".gondwana")
        self.dpkg(root, "--remove", "gondwana")
        self.assertEqual(self.target(root, "oshcc"), "usr/bin/wrapper")
        self.assertEqual(sorted(os.listdir(root / "usr/bin")), ["oshcc", "wrapper"])

    def test_it_is_installed_and_used_beside_what_this_system_has(self):
        (self.folder / "system").mkdir()
        (self.folder / "hello.c").write_text(PROGRAM, encoding="utf-8")
        more = {"variables": {"FOLDER": str(self.folder), "SCRIPT": "true",
                              "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}}
        place = ("unshare", "--mount", "sh", "-ec", THROWN_AWAY)
        if (tried := run(*place, **more)).returncode != 0:
            self.skipTest(f"no copy of this system can be made: {tried.stderr.strip()}")
        if run("dpkg", "--status", "gondwana").returncode == 0:
            self.skipTest("it is installed here")
        more["variables"]["SCRIPT"] = INSTALL_AND_USE
        before, with_it, output, after, left = run_well(*place, **more).split()
        ours = f"/{PREFIX}/bin/oshcc"
        self.assertEqual((with_it, after), (ours if before == "none" else before, before))
        self.assertEqual((output, left), ("10", "0"))


def needed():
    """Commands that are not installed."""
    fake = [] if os.geteuid() == 0 else ["fakeroot"]
    commands = ("dpkg", "dpkg-deb", "dpkg-shlibdeps", "file", *fake)
    return [command for command in commands if shutil.which(command) is None]


if __name__ == "__main__":
    BUILD, CPACK, COMPILER = sys.argv[1:4]
    if missing := needed():
        print(f"skipped: not installed: {', '.join(missing)}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
