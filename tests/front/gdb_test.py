"""Ranks under gdb: `gdb_test.py GONDWANA PROGRAM`. PROGRAM is built from door/damage.c."""

import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest
from ctypes.util import find_library
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from launcher_case import LauncherCase

PROGRAM = ""
WATCHDOG = 60  # seconds: against hangs only
CRASH = r"fall_over \(\) at .*damage\.c:\d+"


def said_by(job):
    """What it has said at its end."""
    out, err = job.communicate(timeout=WATCHDOG)
    return out, err, job.returncode


@unittest.skipIf(shutil.which("gdb") is None, "gdb is not installed")
class Gdb(LauncherCase):
    def environment(self, more=None):
        quiet = {"DEBUGINFOD_URLS": "", "TERM": "dumb", "TMUX": "", "DISPLAY": ""}
        return super().environment({**quiet, **(more or {})})

    def launch(self, *words, **env):
        return self.start(*words, env=env)

    def attach(self, job, *commands):
        """Types what the rank asks for, with more commands for gdb, and returns what gdb says."""
        line = ""
        while "waits for a debugger" not in line:
            line = job.stderr.readline()
            self.assertNotEqual(line, "", "the job ended")
        words = shlex.split(line[line.index(" gdb -q"):])
        more = [part for command in commands for part in ("-ex", command)]
        return subprocess.run([*words, "-batch", *more], capture_output=True, text=True,
                              timeout=WATCHDOG, env=self.environment(), check=False,
                              stdin=subprocess.DEVNULL).stdout

    def test_a_crash_gives_the_stack(self):
        out, err, _ = said_by(self.launch("-l", "-n", "2", "--gdb", "all", "--gdb-args",
                                          "-batch -ex run -ex bt", PROGRAM, "crash"))
        self.assertRegex(out, rf"(?m)^\[0\] #0 .*{CRASH}", err)
        self.assertRegex(out, r"(?m)^\[0\] #2 .* main \(")

    def test_only_the_named_ranks_are_under_gdb(self):
        job = self.launch("-l", "-n", "4", "--gdb", "0,2-3", "--gdb-args",
                          "-batch -ex 'break shmem_finalize' -ex run -ex 'print 40 + 2' -ex c",
                          PROGRAM, "nothing")
        out, err, status = said_by(job)
        self.assertEqual(status, 0, err)
        self.assertEqual(re.findall(r"(?m)^\[(\d)\] \$1 = 42$", "\n".join(sorted(out.splitlines()))),
                         ["0", "2", "3"])

    def test_a_rank_waits_for_a_debugger_and_keeps_its_output(self):
        job = self.launch("-n", "2", "--gdb", "0", PROGRAM, "nothing")
        said = self.attach(job, "break put_that_fits", "continue", "bt", "delete", "continue")
        self.assertRegex(said, r"#0 .*put_that_fits .*at .*damage\.c:\d+")
        out, err, status = said_by(job)
        self.assertEqual((out, status), ("went on\n", 0), err)

    def test_a_debugger_that_leaves_lets_the_rank_go_on(self):
        job = self.launch("-n", "2", "--gdb", "1", PROGRAM, "nothing")
        self.assertRegex(self.attach(job), r"breakpoint 2, main \(")
        out, err, status = said_by(job)
        self.assertEqual((out, status), ("went on\n", 0), err)

    def test_a_rank_that_waits_is_ended_with_the_job(self):
        job = self.launch("-n", "2", "--gdb", "1", PROGRAM, "nothing")
        self.assertIn("waits for a debugger", job.stderr.readline())
        job.send_signal(signal.SIGTERM)
        _, _, status = said_by(job)
        self.assertEqual(status, 128 + signal.SIGTERM)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_rank_of_another_node_that_is_stopped_counts_as_alive(self):
        job = self.launch("--hosts", "localhost:1,localhost:1", "--gdb", "1", PROGRAM, "nothing",
                          GONDWANA_PEER_TIMEOUT="2")
        self.attach(job, "break shmem_barrier_all", "continue", "shell sleep 5", "delete", "continue")
        out, err, status = said_by(job)
        self.assertEqual((out, status), ("went on\n", 0), err)

    def test_one_rank_has_gdb_in_the_terminal(self):
        process, terminal = pty.fork()
        if process == 0:
            words = [*self.command(), "-n", "2", "--gdb", "1", PROGRAM, "nothing"]
            os.execve(words[0], words, self.environment())
        self.addCleanup(os.close, terminal)
        self.see(terminal, r"breakpoint 2, main \(")
        self.see(terminal, r"\(gdb\) ")
        os.write(terminal, b"break shmem_finalize\ncontinue\n")
        self.see(terminal, r"Breakpoint 3, \S*shmem_finalize")
        os.write(terminal, b"print 40 + 2\nkill\ny\nquit\n")
        self.see(terminal, r"\$1 = 42")
        self.see(terminal, r"rank 1 on host \S+ \(pid \d+\) was killed by SIGKILL")
        _, status = os.waitpid(process, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 128 + signal.SIGKILL)

    def other_host(self):
        """A program in place of ssh that runs the command here, in a session of its own."""
        script = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\nexec setsid -w "$@"\n'
        return {"GONDWANA_SSH": self.write("ssh", script, 0o755)}

    def test_a_rank_on_another_host_has_gdb_in_the_terminal(self):
        process, terminal = pty.fork()
        if process == 0:
            words = [*self.command(), "--hosts", "elsewhere:2", "--gdb", "1", PROGRAM, "nothing"]
            os.execve(words[0], words, self.environment(self.other_host()))
        self.addCleanup(os.close, terminal)
        self.see(terminal, r"breakpoint 2, main \(")
        self.see(terminal, r"\(gdb\) ")
        os.write(terminal, b"print 40 + 2\nset confirm off\nquit\n")
        self.see(terminal, r"\$1 = 42")
        self.see(terminal, r"went on")
        _, status = os.waitpid(process, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    @unittest.skipIf(shutil.which("xterm") is None or shutil.which("Xvfb") is None, "no xterm, no Xvfb")
    def test_ranks_have_gdb_in_xterms(self):
        text = "set confirm off\npython gdb.events.before_prompt.connect(lambda: gdb.execute('quit'))\n"
        self.write(".gdbinit", text)
        show = {"DISPLAY": self.display(), "HOME": self.folder}
        for where in ("localhost:2", "elsewhere:2"):
            with self.subTest(where=where):
                job = self.launch("--hosts", where, "--gdb", "all", PROGRAM, "nothing",
                                  **show, **self.other_host())
                out, err, status = said_by(job)
                self.assertEqual((out, status), ("went on\n", 0), err)
                self.assertNotIn("waits for a debugger", err)

    def display(self):
        """That of an X server without a screen."""
        read_end, write_end = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-nolisten", "tcp"],
                                  pass_fds=[write_end], stderr=subprocess.DEVNULL)
        os.close(write_end)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        with open(read_end) as pipe:
            return f":{pipe.readline().strip()}"

    def see(self, terminal, pattern):
        end, seen = time.monotonic() + WATCHDOG, ""
        while not re.search(pattern, seen):
            self.assertLess(time.monotonic(), end, f"{pattern} is missing: {seen}")
            ready, _, _ = select.select([terminal], [], [], 1)
            seen += os.read(terminal, 1).decode(errors="replace") if ready else ""

    def test_wrong_words_are_refused(self):
        for words, sentence in {
            ("--gdb", "2"): "--gdb 2: expected ranks from 0 to 1, such as 0, 0,3-5 or all",
            ("--gdb", "1-0"): "--gdb 1-0: expected ranks from 0 to 1",
            ("--gdb", "0,"): "--gdb 0,: expected ranks from 0 to 1",
            ("--gdb-args", "-batch"): "--gdb-args without --gdb",
            ("--gdb", "0", "--gdb-args", "'"): "expected words as a shell takes them",
        }.items():
            _, err, status = said_by(self.launch("-n", "2", *words, PROGRAM, "nothing"))
            self.assertEqual(status, 1)
            self.assertIn(sentence, err)


if __name__ == "__main__":
    job_case.GONDWANA, PROGRAM = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
