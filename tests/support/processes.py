"""Processes as /proc shows them, and waiting for conditions on them."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import time

TIMEOUT = 60  # seconds: against hangs only; a busy machine is slow


def read_proc(pid: int, name: str) -> bytes:
    """Empty for a process that has ended."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def has_address_sanitizer(program: str) -> bool:
    """Its runtime needs /proc and descriptors of its own."""
    with open(program, "rb") as file:
        return b"__asan_init" in file.read()


def process_ids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def state_of(pid: int) -> str:
    """The letter that ps shows; empty for a process that has ended."""
    return read_proc(pid, "stat").rpartition(b")")[2].strip()[:1].decode()


def is_alive(pid: int) -> bool:
    return state_of(pid) not in ("Z", "")


def command_line(pid: int) -> str:
    return read_proc(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace").strip()


def children_of(pid: int) -> list[int]:
    return [int(word) for word in read_proc(pid, f"task/{pid}/children").split()]


def descendants_of(pid: int) -> list[int]:
    children = children_of(pid)
    return children + [below for child in children for below in descendants_of(child)]


def marked(mark: str) -> list[int]:
    """Live processes with the mark in their environment, which children inherit."""
    text = mark.encode()
    return [pid for pid in process_ids() if is_alive(pid) and text in read_proc(pid, "environ")]


def end_all(pids) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:  # gone meanwhile
            continue


@contextlib.contextmanager
def busy_processors(programs: int):
    """At least that many programs for each processor want it all the time."""
    loop = ["sh", "-c", "while :; do :; done"]
    loops = [subprocess.Popen(loop) for _ in range(programs * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def free_port() -> int:
    """A port of this machine that no connection gets by chance: the system gives out higher ones."""
    while True:
        port = random.randrange(10_000, 20_000)
        with contextlib.suppress(OSError), socket.socket() as tried:
            tried.bind(("127.0.0.1", port))
            return port


def eventually(condition, timeout: float = TIMEOUT):
    """Waits until the condition holds; returns its value, true or not."""
    end = time.monotonic() + timeout
    while not (result := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return result
