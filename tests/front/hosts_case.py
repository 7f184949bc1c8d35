"""What tests of jobs of several hosts have in common: starting, and that nothing is left."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
import uuid

GONDWANA = ""
WATCHDOG = 60  # seconds: against hangs only
SILENCE = 4  # seconds after which a host is given up, where it is to be given up
SLEEPER = ("sh", "-c", "echo ready; exec sleep 1000")


def process_ids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read_proc(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def is_alive(pid):
    return read_proc(pid, "stat").rpartition(b")")[2].strip()[:1] not in (b"Z", b"")


def command_line(pid):
    return read_proc(pid, "cmdline").replace(b"\0", b" ").decode()


class HostsTest(unittest.TestCase):
    def setUp(self):
        self.mark = str(uuid.uuid4())
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tearDown(self):
        left = self.marked()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "processes were left behind")

    def marked(self):
        """Everybody of this test on this machine: the mark is inherited."""
        mark = self.mark.encode()
        return [pid for pid in process_ids() if is_alive(pid) and mark in read_proc(pid, "environ")]

    def environment(self, more=None):
        return {**os.environ, "TEST_MARK": self.mark, **(more or {})}

    def start(self, *words, env=None, **more):
        more = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "env": self.environment(env),
            **more,
        }
        job = self.begin([GONDWANA, "run", *words], **more)
        self.addCleanup(self.close, job)
        return job

    def begin(self, words, **more):
        return subprocess.Popen(words, **more)

    @staticmethod
    def close(job):
        if job.poll() is None:
            job.kill()
        for file in (job.stdin, job.stdout, job.stderr):
            if file and not file.closed:
                file.close()
        job.wait()

    def run_job(self, *words, input=None, **more):
        if input is not None:
            more["stdin"] = subprocess.PIPE
        job = self.start(*words, **more)
        out, err = job.communicate(input, timeout=WATCHDOG)
        return job.returncode, out, err

    def start_ready(self, *words, ranks=4, program=SLEEPER, **more):
        """Starts ranks of which each says a line, and waits for all of them to have said it."""
        job = self.start(*words, *program, **more)
        for _ in range(ranks):
            if (line := job.stdout.readline()) != "ready\n":
                rest, err = job.communicate(timeout=WATCHDOG)
                self.fail(f"not ready, status {job.returncode}: {line}{rest}{err}")
        return job

    def write(self, name, text, mode=0o644):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path


def run_tests() -> None:
    """Of the module that was started with the path of the command `gondwana`."""
    global GONDWANA
    GONDWANA = os.path.abspath(sys.argv[1])
    unittest.main("__main__", argv=sys.argv[:1] + sys.argv[2:])
