"""The manifests for Kubernetes are consistent, and ranks with their variables meet.

`manifest_test.py FOLDER_OF_MANIFESTS PROGRAM`. Exits with status 77 without PyYAML.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    print("skipped: PyYAML is not installed")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "support"))
from processes import free_port

FOLDER, PROGRAM = Path(sys.argv[1]), sys.argv[2]
del sys.argv[1:3]
WATCHDOG = 120  # seconds: against hangs only


def parts(name):
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))


class IndexedJob(unittest.TestCase):
    def setUp(self):
        by_kind = {part["kind"]: part for part in parts("indexed_job.yaml")}
        self.secret, self.service, self.job = (by_kind[k] for k in ("Secret", "Service", "Job"))
        self.pod = self.job["spec"]["template"]["spec"]
        [self.container] = self.pod["containers"]
        self.variables = {row["name"]: row["value"] for row in self.container["env"]}

    def test_all_ranks_start_with_their_number(self):
        spec = self.job["spec"]
        self.assertEqual(spec["completionMode"], "Indexed")
        self.assertEqual(spec["completions"], spec["parallelism"])
        self.assertEqual(self.variables["GONDWANA_MEET_SIZE"], str(spec["completions"]))

    def test_the_meeting_point_is_the_name_of_pod_0(self):
        job, service = self.job["metadata"]["name"], self.service["metadata"]["name"]
        self.assertEqual(self.variables["GONDWANA_MEET"].split(":")[0], f"{job}-0.{service}")
        self.assertEqual(self.pod["subdomain"], service)
        self.assertEqual(self.service["spec"]["selector"], {"job-name": job})
        self.assertEqual(self.service["spec"]["clusterIP"], "None")

    def test_the_secret_is_mounted_where_the_ranks_look(self):
        name = self.secret["metadata"]["name"]
        [volume] = self.pod["volumes"]
        [mount] = self.container["volumeMounts"]
        self.assertEqual(volume["secret"]["secretName"], name)
        self.assertEqual(mount["name"], volume["name"])
        path = Path(self.variables["GONDWANA_MEET_SECRET"])
        self.assertEqual(str(path.parent), mount["mountPath"])
        self.assertIn(path.name, self.secret["stringData"])

    def test_ranks_with_these_variables_meet(self):
        """The pods have no names here: all ranks are on this machine."""
        with tempfile.TemporaryDirectory() as folder:
            secret = Path(folder, "secret")
            secret.write_text(self.secret["stringData"]["secret"], encoding="utf-8")
            here = {"GONDWANA_MEET": f"localhost:{free_port()}", "GONDWANA_MEET_SECRET": str(secret)}
            size = self.variables["GONDWANA_MEET_SIZE"]
            jobs = [
                subprocess.Popen(
                    [PROGRAM, "meets", folder, str(rank), size],
                    env={**os.environ, **self.variables, **here, "JOB_COMPLETION_INDEX": str(rank)},
                )
                for rank in range(int(size))
            ]
            self.assertEqual([job.wait(WATCHDOG) for job in jobs], [0] * int(size))


class MpiJob(unittest.TestCase):
    def test_the_launcher_starts_ranks_on_the_hosts_of_the_operator(self):
        [job] = parts("mpi_job.yaml")
        self.assertEqual((job["apiVersion"], job["kind"]), ("kubeflow.org/v2beta1", "MPIJob"))
        specs = job["spec"]["mpiReplicaSpecs"]
        [launcher] = specs["Launcher"]["template"]["spec"]["containers"]
        self.assertEqual(launcher["command"][:4], ["gondwana", "run", "--hostfile", "/etc/mpi/hostfile"])
        self.assertGreater(specs["Worker"]["replicas"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
