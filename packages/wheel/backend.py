#!/usr/bin/env python3
"""Makes a wheel of Gondwana: what `pip wheel .` calls, as pyproject.toml says.

As a command: `backend.py BUILD FOLDER`, the wheel of a build that is there. The wheel holds what
`cmake --install` installs, for pip to put into the prefix of the Python (bin/oshcc, lib, include),
and the Python package.
"""

import base64
import hashlib
import io
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON_PACKAGES = "lib/gondwana/python"
Files = dict[str, tuple[bytes, int]]  # content and mode, by path in the wheel


def run(*command: str | Path) -> None:
    """What it says goes to the standard error: pip shows that where something fails."""
    subprocess.run(command, check=True, stdout=sys.stderr)


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"^project\(gondwana VERSION ([\d.]+)", text, re.M)
    assert found
    return found[1]


def name_and_version() -> str:
    return f"gondwana-{version()}"


def tag(files: Files) -> str:
    """Of the machine and the oldest C library that will do: nothing in the wheel is built for one
    Python."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if (glibc := glibc_of(files)) is not None:
        platform = platform.replace("linux", "manylinux_{}_{}".format(*glibc), 1)
    return f"py3-none-{platform}"


def glibc_of(files: Files) -> tuple[int, int] | None:
    """The version of the GNU C library that executables and shared libraries ask for, as readelf
    lists it; None where they ask for none, as those for another C library do."""
    versions = set()
    for content, _ in files.values():
        if content.startswith(b"\x7fELF"):
            with tempfile.NamedTemporaryFile() as file:
                file.write(content)
                file.flush()
                command = ["readelf", "--version-info", "--wide", file.name]
                said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            needed = said.partition("Version needs section")[2]
            versions |= {(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", needed)}
    return max(versions, default=None)


def metadata() -> bytes:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {needed}" for needed in project["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / project["readme"]).read_text(encoding="utf-8"),
    ]
    return "\n".join(lines).encode()


# From a build to the files of a wheel.


def build() -> Path:
    """Builds in build/wheel, where it lies for the next time."""
    folder = ROOT / "build/wheel"
    parts = [f"-DGONDWANA_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH")]
    run("cmake", "--preset", "release", "-S", ROOT, "-B", folder, *parts)
    run("cmake", "--build", folder)
    return folder


def install(build_folder: Path, prefix: Path) -> None:
    run("cmake", "--install", build_folder, "--prefix", prefix, "--strip")
    for archive in prefix.glob("lib/*.a"):
        if not archive.is_symlink():
            run("strip", "--strip-debug", archive)


def stands_for(link: Path) -> bytes:
    """A wheel has no links. The linker reads a text in place of a library as commands."""
    target = link.resolve()
    if link.name == "oshrun":
        return b'#!/bin/sh\nexec "$(dirname -- "$(readlink -f -- "$0")")/gondwana" run "$@"\n'
    if link.suffix in (".so", ".a"):
        return f"INPUT({wheel_name(target)})\n".encode()
    raise ValueError(f"{link}: what should stand for this link in a wheel?")


def wheel_name(path: Path) -> str:
    """Libraries have the names that programs ask for: libgondwana.so.0 for libgondwana.so.0.1.0."""
    return re.sub(r"(\.so\.\d+)[.\d]+$", r"\1", path.name)


def installed_files(prefix: Path) -> Files:
    files: Files = {}
    for path in sorted(prefix.rglob("*")):
        name = path.relative_to(prefix).parent / wheel_name(path)
        if path.is_symlink() and (path.is_dir() or path.name.startswith("libarmci-") and ".so." in path.name):
            continue  # other names of what is there, for configure scripts and programs built before
        if path.is_symlink() and wheel_name(path.resolve()) != path.name:
            files[str(name)] = (stands_for(path), path.stat().st_mode)
        elif path.is_file() and not path.is_symlink():
            files[str(name)] = (path.read_bytes(), path.stat().st_mode)
    return files


def place_in_wheel(name: str) -> str:
    if name.startswith(PYTHON_PACKAGES + "/"):
        return name.removeprefix(PYTHON_PACKAGES + "/")
    return f"{name_and_version()}.data/data/{name}"


def information(wheel_tag: str) -> Files:
    wheel = f"Wheel-Version: 1.0\nGenerator: gondwana\nRoot-Is-Purelib: false\nTag: {wheel_tag}\n"
    texts = {
        "METADATA": metadata(),
        "WHEEL": wheel.encode(),
        "licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    return {f"{name_and_version()}.dist-info/{name}": (text, 0o644) for name, text in texts.items()}


def record(files: Files) -> str:
    """A line with hash and size for each file, without one for itself."""
    lines = []
    for name, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return "".join(lines)


def write_wheel(path: Path, files: Files) -> None:
    """The same files make the same wheel, byte for byte."""
    own = f"{name_and_version()}.dist-info/RECORD"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (content, mode) in [
            *files.items(),
            (own, (f"{record(files)}{own},,\n".encode(), 0o644)),
        ]:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100000 | mode & 0o777) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def wheel_of(build_folder: Path, folder: Path) -> str:
    with tempfile.TemporaryDirectory() as prefix:
        install(build_folder, Path(prefix))
        installed = installed_files(Path(prefix))
    wheel_tag = tag(installed)
    files = {place_in_wheel(name): file for name, file in installed.items()}
    files |= information(wheel_tag)
    name = f"{name_and_version()}-{wheel_tag}.whl"
    write_wheel(folder / name, files)
    return name


# The names that PEP 517 prescribes.


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """config_settings: `build` names a build that is there, and is not built anew."""
    there = (config_settings or {}).get("build")
    return wheel_of(Path(there) if there else build(), Path(wheel_directory))


def build_sdist(sdist_directory, config_settings=None):
    sys.path.insert(0, str(ROOT / "ci"))
    from tree import repository_files

    name = f"{name_and_version()}.tar.gz"
    information_text = metadata()
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in repository_files():
            archive.add(ROOT / path, f"{name_and_version()}/{path}")
        entry = tarfile.TarInfo(f"{name_and_version()}/PKG-INFO")
        entry.size = len(information_text)
        archive.addfile(entry, io.BytesIO(information_text))
    return name


if __name__ == "__main__":
    print(wheel_of(Path(sys.argv[1]), Path(sys.argv[2])))
