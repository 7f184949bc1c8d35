"""GONDWANA_PREFAULT on an emulated machine with two NUMA domains: `machine.py STAGE WORK`.

STAGE is an installed tree, WORK a working folder. The machine boots a Debian kernel and an initial
file system with the command, a program and the libraries that they need. Every page of the heaps
of the program must be in the expected domain (tests/front/door/prefault.c). Exits with status 77
and a reason where there is no emulator or no kernel.
"""

import gzip
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EMULATOR = "qemu-system-x86_64"
KERNELS = ("linux-image-cloud-amd64", "linux-image-amd64")  # packages that name the present one
WATCHDOG = 600  # seconds: against hangs only
MACHINE = (
    "-accel", "tcg,thread=multi", "-m", "512M", "-smp", "2", "-nographic", "-no-reboot",
    "-nic", "none",
    "-object", "memory-backend-ram,id=near,size=256M",
    "-object", "memory-backend-ram,id=far,size=256M",
    "-numa", "node,nodeid=0,memdev=near,cpus=0", "-numa", "node,nodeid=1,memdev=far,cpus=1",
    "-numa", "dist,src=0,dst=1,val=21",
)


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(77)


def need_tools() -> None:
    if platform.machine() != "x86_64":
        skip(f"the emulated machine is an x86_64, this one an {platform.machine()}")
    for tool in (EMULATOR, "cpio", "cc"):
        if shutil.which(tool) is None:
            skip(f"there is no {tool}")


def output(*words: str | Path, cwd: Path | None = None) -> str:
    """The output of a command; empty where it fails or does not exist."""
    try:
        done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def fetch_kernel(folder: Path) -> None:
    """Unpacks the package of the present kernel; it is not installed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in KERNELS:
        package = re.search(r"Depends: (linux-image-\S+)", output("apt-cache", "depends", name))
        if package is None:
            continue
        output("apt-get", "download", "-q", package[1], cwd=folder)
        for file in folder.glob("*.deb"):
            output("dpkg-deb", "-x", file, folder)
            file.unlink()
            return


def find_kernel(folder: Path) -> Path:
    if not list(folder.glob("boot/vmlinuz-*")):
        fetch_kernel(folder)
    kernels = sorted(folder.glob("boot/vmlinuz-*"))
    if not kernels:
        skip(f"no kernel: apt-get cannot download that of {' or '.join(KERNELS)}")
    return kernels[0]


def compile_programs(stage: Path, work: Path) -> list[Path]:
    program, init = work / "prefault", work / "init"
    names = (f'-DGONDWANA="{stage}/bin/gondwana"', f'-DPROGRAM="{program}"')
    source = HERE.parent / "front/door/prefault.c"
    subprocess.run([stage / "bin/oshcc", "-O2", "-o", program, source], check=True)
    subprocess.run(["cc", "-O2", *names, "-o", init, HERE / "init.c"], check=True)
    return [program, init]


def libraries_of(file: Path) -> set[Path]:
    return {Path(path) for path in re.findall(r"(/\S+) \(0x", output("ldd", file))}


def fill(root: Path, files: list[Path]) -> None:
    """Copies the files, and the libraries that they load, to where they are here."""
    for file in {*files, *(library for file in files for library in libraries_of(file))}:
        there = root / file.relative_to("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, there)


def pack(root: Path, archive: Path) -> None:
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    packed = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=names.encode(),
                            cwd=root, capture_output=True, check=True)
    archive.write_bytes(gzip.compress(packed.stdout, 1))


def make_archive(stage: Path, work: Path) -> Path:
    root, archive = work / "root", work / "root.gz"
    shutil.rmtree(root, ignore_errors=True)
    program, init = compile_programs(stage, work)
    fill(root, [program, init, stage / "bin/gondwana", *stage.glob("lib/gondwana/*.so")])
    shutil.copy(init, root / "init")
    pack(root, archive)
    return archive


def boot(kernel: Path, archive: Path) -> str:
    """Starts the machine and returns its output."""
    # On a busy machine the emulated clock is late, and the kernel considers it broken.
    line = "console=ttyS0 quiet panic=-1 no_timer_check"
    command = [EMULATOR, *MACHINE, "-kernel", kernel, "-initrd", archive, "-append", line]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=WATCHDOG, check=False)
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode(errors="replace")
        return f"{said}\nthe machine has not ended in {WATCHDOG} s"
    return done.stdout + done.stderr


def without_firmware(said: str) -> str:
    """The output after the boot messages, without escape sequences."""
    return re.sub(r"\x1b(\[[?\d;]*[a-zA-Z]|c)", "", said.rpartition("Booting from ROM...")[2])


def main() -> int:
    stage, work = (Path(word).resolve() for word in sys.argv[1:3])
    need_tools()
    work.mkdir(parents=True, exist_ok=True)
    kernel = find_kernel(work / "kernel")
    said = boot(kernel, make_archive(stage, work))
    print(without_firmware(said).strip())
    return 0 if "jobs that failed: 0" in said else 1


if __name__ == "__main__":
    sys.exit(main())
