"""What tests of `gondwana run` share: they start jobs and check that nothing is left of them."""

import os
import select
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

from processes import end_all, marked

GONDWANA = ""
WATCHDOG = 60  # seconds: against hangs only, nothing is expected to take that long
SLEEPER = ("sh", "-c", "echo ready; exec sleep 1000")


class JobTest(unittest.TestCase):
    def command(self):
        """The command that starts a job."""
        return [GONDWANA, "run"]

    def setUp(self):
        self.mark = str(uuid.uuid4())
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tearDown(self):
        left = self.marked()
        end_all(left)
        self.assertEqual(left, [], "processes were left behind")

    def marked(self):
        """All processes of this test on this machine."""
        return marked(self.mark)

    def environment(self, more=None):
        # AddressSanitizer would turn the SIGSEGV of a rank into another status, and refuses programs
        # in which a preloaded library comes before its own.
        asan = "handle_segv=0:verify_asan_link_order=0"
        ours = {"TEST_MARK": self.mark, "ASAN_OPTIONS": asan}
        return {**os.environ, **ours, **(more or {})}

    def start(self, *words, env=None, **more):
        more = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            "env": self.environment(env),
            **more,
        }
        job = self.begin([*self.command(), *words], **more)
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
        """Starts ranks that print a line each, and waits for all lines.

        Lines of ranks on other hosts take longer: what else comes before them is `job.early`.
        """
        job = self.start(*words, *program, **more)
        job.early = ""
        while ranks > 0:
            line = read_line(job.stdout)
            if not line:
                rest, err = job.communicate(timeout=WATCHDOG)
                self.fail(f"not ready, status {job.returncode}: {job.early}{rest}{err}")
            if line == "ready\n":
                ranks -= 1
            else:
                job.early += line
        return job

    def write(self, name, text, mode=0o644):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path


def read_line(pipe) -> str:
    """Reads no byte more: communicate() does not see the contents of a buffer."""
    line = b""
    end = time.monotonic() + WATCHDOG
    while not line.endswith(b"\n"):
        if not select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
            raise TimeoutError(f"no further line within {WATCHDOG} s, only {line!r}")
        byte = os.read(pipe.fileno(), 1)
        if not byte:
            break
        line += byte
    return line.decode()


def take_path(place: int = 1) -> str:
    """Takes a word, which is a path, off the command line."""
    return os.path.abspath(sys.argv.pop(place))


def run_tests() -> None:
    """Of the module that was started with the path of the command `gondwana`."""
    global GONDWANA
    GONDWANA = take_path()
    unittest.main("__main__")
