"""What a terminal of 80 columns shows for each mistake of examples/mistakes.c.

`first_hour_test.py GONDWANA MISTAKES` tests it. `first_hour_test.py GONDWANA MISTAKES --page` runs every command
of docs/first_hour.md again and writes into the page what it prints; `oshcc -g` should have made the program.
"""

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import WATCHDOG, run_tests
from launcher_case import LauncherCase

PAGE = Path(__file__).resolve().parents[2] / "docs/first_hour.md"
MISTAKES = ""
COLUMNS = 80
DEBUG = ("-x", "GONDWANA_DEBUG=yes")
STILL = ("--timeout", "2")  # for ranks that wait for ever
SLOW_STILL = ("--timeout", "8")  # where the machine was too busy for them to come to that

# The options, the status and the words that decide, in this order.
EXPECTED = {
    "wrong_rank": ((), 1, "rank 3: shmem_long_p: .*rank 4.*4 ranks, 0 to 3"),
    "stack": ((), 1, r"shmem_long_put: .*not symmetric memory; it is on the stack of stack: make it static, .*\(in stack"),
    "heap_of_c": ((), 1, "shmem_long_put: .*not symmetric memory; it is memory from malloc: "),
    "constant": ((), 1, "shmem_putmem: .*not symmetric memory; it is (the|a) constant"),
    "thread_local_variable": ((), 1, "shmem_long_p: .*not symmetric memory; it is a thread-local variable: "),
    "local_pointer": ((), 1, "shmem_long_p: .*not symmetric memory; it is memory of rank [0-3], as shmem_ptr returns it: "),
    "null_pointer": (DEBUG, 1, "shmem_long_p: .*null"),
    "past_heap": ((), 1, "shmem_long_put: put of 7.5 GiB .* run again with -x GONDWANA_DEBUG=yes: it names the call"),
    "past_block": (DEBUG, 1, "shmem_long_put: .*160 B .*block of 80 B"),
    "past_variable": (DEBUG, 1, r"shmem_long_put: .*32 B .*variable pair\S* of 16 B"),
    "store_past_block": ((), 0, ""),
    "negative_size": ((), 1, r"shmem_long_put: put of a negative size \(-\d+\)"),
    "other_malloc": (DEBUG, 1, "400 bytes.*rank 0 is in shmem_malloc .*800 bytes"),
    "heap_full": ((), 139, "shmem_malloc of 1 TiB: .*raise GONDWANA_HEAP_SIZE"),
    "other_reduce": (DEBUG, 1, "32 elements.*rank 0 is in shmem_long_sum_reduce .*64 elements"),
    "use_after_free": (DEBUG, 1, "shmem_long_put: .*block was freed"),
    "free_twice": ((), 1, "shmem_free: .*freed twice"),
    "free_of_malloc": ((), 1, "shmem_free: .*not from shmem_malloc"),
    "missing_barrier": (STILL, 124, "rank 3 keeps the others waiting: it computes .*ranks 0-2 wait in shmem_barrier_all"),
    "missing_member": ((), 1, "rank 0 has ended; no remaining rank can continue"),
    "other_collective": (DEBUG, 1, "shmem_barrier_all .*while rank 0 is in shmem_long_broadcast"),
    "other_root": (DEBUG, 1, "root 1.*while rank 0 is in shmem_long_broadcast .*root 0"),
    "two_locks": (STILL, 124, r"ranks 0, 1 wait for each other.*rank 0 in shmem_set_lock on locks\S*\+8 for rank 1"),
    "kept_lock": (STILL, 124, "wait for each other.*in shmem_set_lock on lock for rank"),
    "used_lock": ((), 1, "shmem_set_lock: .*already held by rank.*was 0 on every rank"),
    "clear_without_set": ((), 1, "shmem_clear_lock: .*not held by rank"),
    "nobody_writes": (STILL, 124, "rank 3 waits in shmem_long_wait_until on flag"),
    "endless_test": (STILL, 124, "rank 0 keeps the others waiting: "),
    "endless_loop": (STILL, 124, "rank 0 keeps the others waiting: it computes "),
    "lost_update": ((), 0, "of 40000 were counted"),
    "forgotten_fence": ((), 0, "the last is "),
    "wrong_team": ((), 1, "shmem_long_sum_reduce: the team is SHMEM_TEAM_INVALID"),
    "rank_of_other_team": ((), 1, "shmem_long_broadcast: root 2: the team has 2 members, 0 to 1"),
    "wrong_context": ((), 1, "shmem_ctx_long_p: the context .*was destroyed"),
    "threads": (DEBUG, 1, "shmem_long_p: called by a thread other than .*request .* from shmem_init_thread"),
    "wrong_active_set": ((), 1, "shmem_long_sum_to_all: .*has PEs 0 to 6, but this job has PEs 0 to 3"),
    "no_init": ((), 1, "shmem_barrier_all: called before shmem_init"),
    "after_finalize": ((), 1, "shmem_long_p: called after shmem_finalize"),
    "crash": ((), 139, r"rank 2: SIGSEGV: no access to address 0x10, in crash.*rank 2 .*killed by SIGSEGV"),
    "division": ((), 136, r"rank 2: SIGFPE, in division.*rank 2 .*killed by SIGFPE"),
    "aborts": ((), 134, r"rank 2: SIGABRT, in aborts.*rank 2 .*killed by SIGABRT"),
    "exit_of_one": ((), 3, "rank 2 .*ended with status 3"),
    "return_of_one": ((), 1, "rank 2 has ended; no remaining rank can continue"),
    "global_exit": ((), 5, ""),
}

# Commands that are wrong, with the program in this folder.
COMMANDS = {
    "./mistakes wrong_rank": (1, "put of 8 B to rank 1: this job has 1 rank"),
    "gondwana run -n 4 ./mistake": (127, "no program ./mistake; did you mean ./mistakes"),
    "gondwana run -n 4 mistakes": (127, "no program mistakes in PATH; .*write ./mistakes"),
    "gondwana run -n four ./mistakes": (1, '"four": expected a whole number'),
    "gondwana run -n 4 --heap 1T ./mistakes": (2, "usage"),
    "gondwana run -n 4 --heap 1T ./mistakes stack": (1, "a heap of 1 TiB on each of 4 ranks needs 4 TiB.*lower "),
}


def on_terminal(words, folder, environment):
    """The status and what appears on a terminal of 80 columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    job = subprocess.Popen(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    said = b""
    end = time.monotonic() + WATCHDOG
    try:
        while time.monotonic() < end and (part := os.read(master, 65536)):
            said += part
    except OSError:
        pass  # the other side is closed
    os.close(master)
    return job.wait(WATCHDOG), said.decode().replace("\r\n", "\n")


class FirstHour(LauncherCase):
    def setUp(self):
        super().setUp()
        os.symlink(MISTAKES, f"{self.folder}/mistakes")

    def show(self, *words):
        folder = os.path.dirname(job_case.GONDWANA)
        more = {"TERM": "xterm", "PATH": f"{folder}:{os.environ['PATH']}"}
        return on_terminal(words, self.folder, self.environment(more))

    def run_mistake(self, name):
        options, status, words = EXPECTED[name]
        shown = (None, "")
        # A busy machine may end the time before all ranks are where they stay.
        for still in (STILL, SLOW_STILL):
            options = still if options == STILL else options
            shown = self.show("gondwana", "run", *options, "-n", "4", "./mistakes", name)
            if fits(shown, status, words) or options != STILL:
                break
        return shown

    def test_each_mistake_shows_what_is_wrong(self):
        with ThreadPoolExecutor(8) as pool:
            shown = dict(zip(EXPECTED, pool.map(self.run_mistake, EXPECTED), strict=True))
        for name, (_, status, words) in EXPECTED.items():
            with self.subTest(name):
                self.assertTrue(fits(shown[name], status, words), f"expected {status}, {words}: {shown[name]}")

    def test_each_wrong_command_says_what_to_type(self):
        for command, (status, words) in COMMANDS.items():
            with self.subTest(command):
                shown = self.show(*shlex.split(command))
                self.assertTrue(fits(shown, status, words), f"expected {status}, {words}: {shown}")

    def test_the_program_and_the_page_know_every_mistake(self):
        _, usage = self.show("./mistakes", "--help")
        names = re.findall(r"^  (\w+)$", usage, re.MULTILINE)
        self.assertEqual(names, list(EXPECTED))
        page = PAGE.read_text(encoding="utf-8")
        self.assertEqual([name for name in names if not re.search(rf"\b{name}\b", page)], [])
        known = {(*options, name) for name, (options, *_) in EXPECTED.items()}
        for command in commands_of(page):
            words = shlex.split(command)
            if words[:2] == ["gondwana", "run"] and command not in COMMANDS:
                name = words[-1]
                options = tuple(word for word in words[2:-2] if word not in ("-n", "4"))
                self.assertIn((*options, name), known, command)


def fits(shown, status, words):
    """Words may be on several lines."""
    return shown[0] == status and re.search(words, " ".join(shown[1].split())) is not None


def commands_of(page):
    return re.findall(r"^\$ (.*)$", page, re.MULTILINE)


def renew(page, folder):
    """The page, with what each command in a block prints now."""
    environment = {**os.environ, "TERM": "xterm"}
    built = os.path.dirname(os.path.realpath(MISTAKES))

    def block(found):
        command = found[1]
        _, said = on_terminal(["sh", "-c", command], folder, environment)
        said = re.sub(r"on host \S+", "on host n1", said.replace(f"{built}/", ""))
        return f"```\n$ {command}\n{said.rstrip()}\n```\n"

    return re.sub(r"^```\n\$ (.*)\n(?:[^`].*\n|\n)*```\n", block, page, flags=re.MULTILINE)


def write_page():
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(MISTAKES, f"{folder}/mistakes")
        PAGE.write_text(renew(PAGE.read_text(encoding="utf-8"), folder), encoding="utf-8")


if __name__ == "__main__":
    MISTAKES = job_case.take_path(2)
    if sys.argv[2:] == ["--page"]:
        write_page()
    else:
        run_tests()
