"""Jobs under the restrictions of containers: `containers_test.py GONDWANA FOLDER_OF_PROGRAMS`.

Each test makes one container of namespaces, mounts, filters and control groups, for its own
processes alone. The test is skipped where this machine does not permit that.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

GONDWANA = ""
PROGRAMS = ""
SECCOMP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seccomp.py")
WATCHDOG = 60  # seconds: against hangs only
ROUNDS = 10
NOBODY = "65534"

PID_NAMESPACE = ["--pid", "--fork", "--mount-proc", "--kill-child"]
NOTHING_WRITABLE = (
    "cut -d' ' -f2 /proc/self/mounts | while read -r place; do"
    " mount -o remount,ro,bind \"$place\" 2>/dev/null || true; done;"
    " for place in / /dev /tmp /var/tmp; do test ! -w $place; done"
)
# The folders of other processes stay unchanged: a new /dev is mounted over the old one.
NO_DEV_SHM = (
    'mount -t tmpfs tmpfs "$FOLDER"; for device in null zero urandom; do'
    ' touch "$FOLDER/$device"; mount --bind "/dev/$device" "$FOLDER/$device"; done;'
    ' mount --rbind "$FOLDER" /dev; test ! -e /dev/shm'
)


def program(name):
    return os.path.join(PROGRAMS, "door_" + name)


def namespaces(*options):
    """Words before a command. Users other than root need a user namespace for this."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *user, *options]


def after(script):
    """A shell that runs these lines and becomes the command."""
    return ["sh", "-ec", script + '; exec "$@"', "sh"]


def mounts(script):
    return [*namespaces("--mount"), *after(script)]


def refusing(*calls):
    return [sys.executable, SECCOMP, *calls, "--"]


def unprivileged():
    words = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--no-new-privs"]
    return [*words, "--inh-caps=-all", "--bounding-set=-all"]


class Quota:
    """A control group with half a processor, of either version."""

    def __init__(self):
        self.folder = None

    def start(self):
        """The reason why there is none, or nothing."""
        name = f"gondwana-test-{os.getpid()}"
        root = Path("/sys/fs/cgroup")
        try:
            if (root / "cgroup.controllers").exists():
                self.make(root / name, {"cpu.max": "50000 100000"})
            else:
                self.make(root / "cpu" / name, {"cpu.cfs_period_us": "100000",
                                                "cpu.cfs_quota_us": "50000"})
        except OSError as error:
            self.stop()
            return f"no control group can be made: {error}"
        return ""

    def make(self, folder, limits):
        folder.mkdir()
        self.folder = folder
        for name, text in limits.items():
            with open(folder / name, "r+", encoding="utf-8") as file:  # must exist
                file.write(text)

    def words(self):
        return after(f"echo $$ >'{self.folder}/cgroup.procs'")

    def stop(self):
        """The kernel needs a moment to notice the end of the last process."""
        end = time.monotonic() + WATCHDOG
        while self.folder and time.monotonic() < end:
            try:
                self.folder.rmdir()
                self.folder = None
            except OSError:
                time.sleep(0.01)


class ContainersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="containers_test")
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, "FOLDER": folder.name,
                            "ASAN_OPTIONS": "handle_segv=0:detect_leaks=0"}

    # Helpers.

    def run_in(self, place, *words):
        return subprocess.run([*place, *words], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=WATCHDOG, check=False)

    def need(self, place, *probe):
        """Skips the test where that container is unavailable or incomplete."""
        done = self.run_in(place, *(probe or ("true",)))
        if done.returncode != 0:
            self.skipTest(f"not allowed here: {done.stderr.strip() or done.returncode}")

    def quota(self):
        quota = Quota()
        if reason := quota.start():
            self.skipTest(reason)
        self.addCleanup(quota.stop)
        return quota.words()

    def assert_job_works(self, place, ranks=4):
        done = self.run_in(place, GONDWANA, "run", "-n", str(ranks), program("together"),
                           str(ROUNDS))
        right = ranks * ROUNDS
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{ranks} ranks: {right} of {right} rounds right\n")

    def assert_job_works_where(self, place, *probe):
        self.need(place, *probe)
        self.assert_job_works(place)

    # Shared memory and files.

    def test_a_small_dev_shm_does_not_matter(self):
        self.assert_job_works_where(mounts("mount -t tmpfs -o size=64m tmpfs /dev/shm"))

    def test_no_dev_shm_is_needed(self):
        self.assert_job_works_where(mounts(NO_DEV_SHM))

    def test_nothing_need_be_writable(self):
        self.assert_job_works_where(mounts(NOTHING_WRITABLE))

    # Rights.

    def test_no_rights_are_needed(self):
        if os.geteuid() != 0:
            self.skipTest("all tests run without rights here")
        self.assert_job_works_where(unprivileged(), "test", "-x", program("together"))

    def test_a_user_namespace_does_not_matter(self):
        for options in (["--user"], ["--user", "--map-root-user"]):
            with self.subTest(options=options):
                self.assert_job_works_where(["unshare", *options], "test", "-x", GONDWANA)

    def test_membarrier_and_process_vm_may_be_refused(self):
        place = refusing("membarrier", "process_vm_readv", "process_vm_writev")
        self.assert_job_works_where(place, "grep", "-q", "^Seccomp:.*2", "/proc/self/status")

    def test_pidfd_open_may_be_refused(self):
        place = refusing("pidfd_open")
        self.assert_job_works_where(place)
        self.assert_death_is_told(place)

    # Processes and processors.

    def assert_death_is_told(self, place):
        done = self.run_in(place, GONDWANA, "run", "-n", "4", program("misuse"), "kill")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL, done.stderr)
        self.assertRegex(done.stderr, r"^gondwana run: rank 1 .*was killed by SIGKILL")

    def test_process_ids_of_their_own_do_not_matter(self):
        place = namespaces(*PID_NAMESPACE)
        self.assert_job_works_where(place)
        self.assert_death_is_told(place)

    def test_the_launcher_may_be_the_init_of_a_container(self):
        """The kernel drops signals that process 1 does not handle: it must handle SIGTERM."""
        place = namespaces(*PID_NAMESPACE)
        self.need(place)
        with subprocess.Popen([*place, GONDWANA, "run", "-n", "2", program("misuse"), "wait"],
                              env=self.environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            self.assertEqual(job.stdout.readline(), "waiting\n")
            with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="utf-8") as file:
                launcher = int(file.read().split()[0])
            os.kill(launcher, signal.SIGTERM)
            _, said = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 128 + signal.SIGTERM, said)

    def test_half_a_processor_is_enough_for_four_ranks(self):
        place = self.quota()
        self.assert_job_works_where(place)
        said = json.loads(self.run_in(place, GONDWANA, "info", "--json").stdout)
        self.assertEqual(said["limits"]["control_group_processors"]["value"], 0.5)

    def test_all_of_it_at_once(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        place = [*self.quota(), *namespaces("--mount", "--net", "--uts", "--ipc", *PID_NAMESPACE),
                 *after(f"{NO_DEV_SHM}; {NOTHING_WRITABLE}"), *unprivileged(),
                 *refusing("membarrier", "pidfd_open", "process_vm_readv", "process_vm_writev")]
        self.assert_job_works_where(place, "test", "-x", program("together"))


if __name__ == "__main__":
    GONDWANA, PROGRAMS = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
