"""The machine: its processors, the distance of its cores, and other programs on it."""

import os
import time
from pathlib import Path

from driver.library import Build
from driver.process import run

BUSY_SHARE = 0.15  # the share of processors used by other programs that causes a warning


def distance_ns(build: Build, environment: dict[str, str]) -> float:
    """The round trip of a cache line between two cores; virtual cores move within minutes."""
    return run([build.control("ping_pong"), "2", "20"], environment)[0].median


def processor_times() -> tuple[int, int]:
    """The clock ticks of all processors since boot: idle ticks, and all ticks."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def busy_share(seconds: float = 1.0) -> float:
    """The share of the processors that other programs use while this one sleeps."""
    idle_before, all_before = processor_times()
    time.sleep(seconds)
    idle_after, all_after = processor_times()
    return 1 - (idle_after - idle_before) / max(1, all_after - all_before)


def programs_of(build: Build) -> list[str]:
    """Processes of an earlier, interrupted run of these benchmarks that still run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            program = (entry / "exe").readlink()
            if build.folder in program.parents:
                found.append(f"{program.name} (process {entry.name})")
        except OSError:
            continue  # it has ended, or is not readable
    return found


def warnings(build: Build) -> list[str]:
    """Reasons why the figures of this run are less reliable."""
    found = [f"{name} of these benchmarks is already running: end it"
             for name in programs_of(build)]
    share = busy_share()
    if share > BUSY_SHARE:
        found.append(f"others use {share:.0%} of the processors: barriers and hellos suffer most")
    if build.build_type not in ("Release", "RelWithDebInfo"):
        found.append(f"the build type is {build.build_type or 'not set'}: "
                     "the figures of the library are unreliable")
    return found


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


def describe() -> dict[str, str | int]:
    """The name of the processor in the kernel, and the number of usable ones."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
                 os.uname().machine)
    return {"processor": model, "processors": processors(), "kernel": os.uname().release}
