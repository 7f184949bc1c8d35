"""What tests of the launcher on one host share: no process and no file is left behind."""

import os

from job_case import JobTest
from processes import children_of, eventually


class LauncherCase(JobTest):
    def setUp(self):
        super().setUp()
        self.litter_before = self.litter()

    def tearDown(self):
        super().tearDown()
        self.assertEqual(self.litter() - self.litter_before, set(), "files were left behind")

    @staticmethod
    def litter():
        places = [place for place in ("/dev/shm", "/tmp") if os.path.isdir(place)]
        names = {name for place in places for name in os.listdir(place) if "gondwana" in name}
        # A test of `gondwana bench` may run beside.
        return {name for name in names if not name.startswith("gondwana-bench-")}

    def start_ready(self, ranks, *words):
        return super().start_ready("-n", str(ranks), ranks=ranks, program=words)

    def sweeper_of(self, job):
        self.assertTrue(eventually(lambda: len(children_of(job.pid)) >= 1))
        return children_of(job.pid)[0]

    def guardian_of(self, job):
        sweeper = self.sweeper_of(job)
        self.assertTrue(eventually(lambda: len(children_of(sweeper)) >= 1))
        return children_of(sweeper)[0]

    def nobody_left(self):
        return eventually(lambda: not self.marked())
