"""Processes on two hosts become a job without a launcher: `two_hosts_test.py PROGRAM`."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "support"))
import two_hosts
from two_hosts_case import TwoHostsCase

PROGRAM = ""
WATCHDOG = 120  # seconds: against hangs only
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


class UniqueId(TwoHostsCase):
    def ranks(self, how, variables, hosts):
        """Starts a rank on each of these hosts."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        size = str(len(hosts))
        return [
            self.hosts.on(
                host,
                [PROGRAM, how, folder.name, str(rank), size],
                env=self.environment(variables(rank)),
                **PIPES,
            )
            for rank, host in enumerate(hosts)
        ]

    def all_end_well(self, jobs):
        for rank, job in enumerate(jobs):
            out, err = job.communicate(timeout=WATCHDOG)
            self.assertEqual((job.returncode, err), (0, ""), f"rank {rank}: {out}")

    def test_a_unique_id_joins_ranks_of_two_hosts(self):
        hosts = ["host-a", "host-a", "host-b", "host-b"]
        self.all_end_well(self.ranks("once", lambda _: {}, hosts))

    def test_ranks_meet_at_a_name(self):
        secret = Path(self.hosts.folder, "secret")
        secret.write_text("a secret of this test", encoding="utf-8")

        def variables(rank):
            return {
                "GONDWANA_MEET": ":7777",
                "GONDWANA_MEET_SECRET": str(secret),
                "SLURM_PROCID": str(rank),
                "SLURM_STEP_NUM_TASKS": "4",
                "SLURM_STEP_NODELIST": "host-[b,a]",
            }

        self.all_end_well(self.ranks("meets", variables, ["host-b", "host-b", "host-a", "host-a"]))


if __name__ == "__main__":
    if reason := two_hosts.why_not():
        print(f"skipped: {reason}")
        sys.exit(77)
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
