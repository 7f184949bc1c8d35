"""Builds shmem4py, unmodified, with our oshcc: `prepare.py BUILD FOLDER`.

Installs the build into FOLDER/prefix, and the package and its tests into FOLDER. Reuses what an
earlier run fetched and built. Exits with status 77 where the package is unavailable.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NoReturn

PACKAGE = "shmem4py"
VERSION = "1.0.0"
SHA256 = "41db82b216b46b7eaa737daf17e6ad74c4ba07332779df312c06250bad847f81"
NEEDED = ("cffi", "numpy", "setuptools", "wheel", "pip")  # pip last: setuptools must come first
SKIPPED = 77


def interpreter() -> str:
    """A Python with the needed packages, first on the PATH or of the system."""
    for python in (sys.executable, "/usr/bin/python3"):
        probe = [python, "-W", "ignore", "-c", "import " + ", ".join(NEEDED)]
        if os.path.exists(python) and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return python
    skip("needs a Python with the modules " + ", ".join(NEEDED))


def skip(why: str) -> NoReturn:
    print(f"shmem4py: {why}", file=sys.stderr)
    sys.exit(SKIPPED)


def archive(python: str, folder: Path) -> Path:
    """The source archive, fetched from the package index unless it is there."""
    path = folder / f"{PACKAGE}-{VERSION}.tar.gz"
    if not path.exists():
        command = [python, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-build-isolation", "--no-binary", ":all:"]
        command += ["--dest", str(folder), f"{PACKAGE}=={VERSION}"]
        if subprocess.run(command, check=False).returncode != 0:
            skip("its sources cannot be fetched from the package index")
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        path.unlink()
        sys.exit(f"{path.name} is not what was released: its checksum differs; it was removed")
    return path


def build(python: str, source: Path, prefix: Path, folder: Path) -> None:
    environment = {
        **os.environ,
        "CFLAGS": "-O0",  # takes half the time to compile
        "OSHCC": str(prefix / "bin" / "oshcc"),
        "PYTHONPATH": "",
    }
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--upgrade", "--target", str(folder / "site")]
    subprocess.run([*command, str(source)], env=environment, check=True)


def main() -> None:
    build_folder, folder = (Path(argument).resolve() for argument in sys.argv[1:3])
    python = interpreter()
    folder.mkdir(parents=True, exist_ok=True)
    prefix = folder / "prefix"
    command = ["cmake", "--install", str(build_folder), "--prefix", str(prefix)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    packed = archive(python, folder)
    source = folder / f"{PACKAGE}-{VERSION}"
    shutil.rmtree(source, ignore_errors=True)
    with tarfile.open(packed) as opened:
        opened.extractall(folder, filter="data")
    build(python, source, prefix, folder)
    (folder / "python").write_text(python, encoding="utf-8")


if __name__ == "__main__":
    main()
