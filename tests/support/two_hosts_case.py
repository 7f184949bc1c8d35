"""What tests of jobs between two hosts share: the hosts, made once for a class."""

import two_hosts
from job_case import WATCHDOG, JobTest
from processes import eventually

LONG_SILENCE = 40  # seconds: no host counts as lost by mistake


class TwoHostsCase(JobTest):
    @classmethod
    def setUpClass(cls):
        cls.hosts = two_hosts.TwoHosts()
        cls.hosts.start()
        cls.addClassCleanup(cls.hosts.stop)

    def begin(self, words, **more):
        return self.hosts.on("host-a", words, **more)

    def environment(self, more=None):
        ours = {"GONDWANA_SSH": self.hosts.ssh, "GONDWANA_PEER_TIMEOUT": str(LONG_SILENCE)}
        return super().environment({**ours, **(more or {})})

    def tearDown(self):
        self.hosts.repair()
        self.expect_nobody()
        super().tearDown()

    def expect_nobody(self, timeout=WATCHDOG):
        left = {}

        def gone():
            nonlocal left
            left = {name: self.left_on(name) for name in two_hosts.NAMES}
            return not any(left.values())

        self.assertTrue(eventually(gone, timeout), left)

    def left_on(self, host):
        return self.hosts.processes(host)

    def find(self, host, word):
        """A process there with this in its command line."""
        found = [pid for pid, line in self.hosts.processes(host).items() if word in line]
        self.assertTrue(found, f"no {word} on {host}")
        return found[0]

    def finish(self, job, timeout=WATCHDOG):
        out, err = job.communicate(timeout=timeout)
        return job.returncode, getattr(job, "early", "") + out, err
