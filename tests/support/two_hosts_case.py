"""What tests of jobs between two hosts have in common: the hosts, made once for all of a class."""

import two_hosts
from job_case import WATCHDOG, JobTest
from processes import eventually

LONG_SILENCE = 40  # seconds: no host is given up by mistake


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

    def expect_nobody(self, patience=WATCHDOG):
        left = {}

        def gone():
            nonlocal left
            left = {name: self.hosts.processes(name) for name in two_hosts.NAMES}
            return not any(left.values())

        self.assertTrue(eventually(gone, patience), left)
