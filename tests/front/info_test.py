"""`gondwana info` as users run it: `info_test.py GONDWANA`."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from processes import has_address_sanitizer

GONDWANA = ""
WATCHDOG = 60  # seconds: against hangs only
# Our variables, and the variables by which foreign launchers describe a job.
UNWANTED = ("GONDWANA_", "GASNET_", "SHMEM_", "SMA_", "OMPI_", "PMI", "MPI_", "PALS_", "FLUX_",
            "SLURM_")


def info(*words, limit=None, **variables):
    """Runs the command among `variables` alone; limit: a resource and its limit."""
    environment = {os.fsencode(k): os.fsencode(v) for k, v in os.environ.items()
                   if not k.startswith(UNWANTED)}
    environment |= {os.fsencode(k): v if isinstance(v, bytes) else os.fsencode(v)
                    for k, v in variables.items()}
    if limit:  # the leak search needs more than the limit
        environment[b"ASAN_OPTIONS"] = b"detect_leaks=0"

    def restrict():
        resource.setrlimit(limit[0], (limit[1], limit[1]))

    return subprocess.run([GONDWANA, "info", *words], env=environment, capture_output=True,
                          timeout=WATCHDOG, check=False, encoding="utf-8", errors="replace",
                          preexec_fn=restrict if limit else None)


def report(**more):
    return json.loads(info("--json", **more).stdout)


class InfoTest(unittest.TestCase):
    def assert_problem(self, sentence, **more):
        """The message is on standard error and among the problems for programs, and counts."""
        for words in ((), ("--json",)):
            self.assertEqual(info(*words, **more).returncode, 1)
        self.assertRegex(info(**more).stderr, f"(?m)^gondwana info: {sentence}")
        (problem,) = report(**more)["problems"]
        self.assertRegex(problem, sentence)

    def assert_warning(self, sentence, **more):
        done = info(**more)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, f"gondwana info: warning: {sentence}\n")
        self.assertEqual(report(**more)["warnings"], [sentence])

    # The output.

    def test_a_machine_in_order_gets_zero_and_no_complaint(self):
        done = info()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(report()["problems"] + report()["warnings"], [])

    def test_people_and_programs_read_the_same(self):
        text, said = info().stdout, report()
        self.assertIn(f"Gondwana {said['version']}\n", text)
        words = " ".join(text.split())  # independent of line breaks
        changing = "free_in_dev_shm"
        for section in ("doors", "transports", "devices", "ways_to_start", "machine", "topology", "limits",
                        "pages"):
            self.assertRegex(text, f"(?m)^{section.replace('_', ' ')}$")
            for key, fact in said[section].items():
                if key == changing:
                    continue
                for part in (fact["text"], fact["remark"]):
                    self.assertIn(" ".join(part.split()), words, key)
        for variable in said["variables"]:
            start = f"{variable['name']} {variable['value']} {variable['origin']} "
            self.assertIn(start + variable["documentation"], words)

    def test_lines_for_people_stay_short_and_values_stand_in_columns(self):
        text = info().stdout
        # A line may be longer only where it is one word that cannot be broken: a path.
        long = [line for line in text.splitlines() if len(line) > 100 and len(line.split()) > 1]
        self.assertEqual(long, [])
        limits = text.split("\nlimits\n")[1].split("\n\n")[0].splitlines()
        columns = {re.match(r"  (\S+ )+ +", line).end() for line in limits}
        self.assertEqual(len(columns), 1, limits)

    def test_values_for_programs_are_numbers_and_nothing_where_there_is_no_limit(self):
        said = report(limit=(resource.RLIMIT_NOFILE, 123))
        self.assertEqual(said["limits"]["open_files"]["value"], 123)
        self.assertEqual(said["pages"]["base"]["value"], resource.getpagesize())
        self.assertIs(said["transports"]["shared_memory"]["value"], True)
        self.assertGreaterEqual(said["machine"]["processors"]["value"], 1)
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        expected = None if soft == resource.RLIM_INFINITY else soft
        self.assertEqual(said["limits"]["address_space"]["value"], expected)

    def test_kinds_have_devices_or_it_is_said_why_not(self):
        said = report(GONDWANA_EMULATED_DEVICES="2", GONDWANA_KINDS="none")["devices"]
        self.assertEqual(list(said), ["cuda", "hip", "ze", "emulated"])
        self.assertEqual((said["emulated"]["value"], said["emulated"]["remark"]), (2, ""))
        self.assertEqual(said["cuda"]["value"], 0)
        self.assertIn("GONDWANA_KINDS=cuda", said["cuda"]["remark"])
        asked = report(GONDWANA_KINDS="hip")["devices"]["hip"]
        if asked["value"] == 0:
            self.assertRegex(asked["remark"], "^hip: ")

    def test_the_network_is_named_or_it_is_said_why_there_is_none(self):
        libfabric = report()["transports"]["libfabric"]
        self.assertRegex(libfabric["remark"],
                         r"of libfabric \d|libfabric cannot be loaded|without libfabric")
        self.assertEqual(libfabric["value"], " of libfabric " in libfabric["remark"])
        if libfabric["value"]:
            wrong = report(GONDWANA_PROVIDER="nonsense")["transports"]["libfabric"]
            self.assertIs(wrong["value"], False)
            self.assertIn("libfabric offers no provider nonsense", wrong["remark"])

    def test_pages_of_shared_memory_are_as_large_as_tried(self):
        size = report()["pages"]["shared_memory"]["value"]
        self.assertIn(size, (resource.getpagesize(), 2 << 20))

    def variable(self, name, **variables):
        (found,) = (v for v in report(**variables)["variables"] if v["name"] == name)
        return found

    def test_a_variable_says_what_gave_its_value(self):
        self.assertEqual(self.variable("GONDWANA_HEAP_SIZE")["origin"], "default")
        given = self.variable("GONDWANA_HEAP_SIZE", SMA_SYMMETRIC_SIZE="4m")
        self.assertEqual((given["value"], given["origin"]), ("4m", "SMA_SYMMETRIC_SIZE"))
        self.assertIn("SMA_SYMMETRIC_SIZE", given["other_names"])

    def site(self, text):
        """The name of a site file with that text, removed after the test."""
        file = tempfile.NamedTemporaryFile("w", suffix=".toml")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name

    def test_a_default_of_the_site_is_named_with_its_line(self):
        site = self.site("# here\nGONDWANA_HEAP_SIZE = \"64M\"\nGASNET_MAX_THREADS = 9\n")
        given = self.variable("GONDWANA_HEAP_SIZE", GONDWANA_CONFIG=site)
        self.assertEqual((given["value"], given["origin"]), ("64M", f"{site}:2"))
        given = self.variable("GASNET_MAX_THREADS", GONDWANA_CONFIG=site)
        self.assertEqual((given["value"], given["origin"]), ("9", f"{site}:3"))
        own = self.variable("GONDWANA_HEAP_SIZE", GONDWANA_CONFIG=site, SHMEM_SYMMETRIC_SIZE="1g")
        self.assertEqual((own["value"], own["origin"]), ("1g", "SHMEM_SYMMETRIC_SIZE"))
        self.assertEqual(self.variable("GONDWANA_CONFIG", GONDWANA_CONFIG=site)["value"], site)

    def test_variables_of_gasnet_are_among_them(self):
        for name, value in {"GASNET_MAX_SEGSIZE": "0.85/H", "GASNET_MAX_THREADS": "256",
                            "GASNET_PSHM_NODES": "1", "GASNET_BACKTRACE": "brief"}.items():
            unset = self.variable(name, **{name: ""})
            self.assertEqual((unset["value"], unset["origin"]), (value, "default"))
            self.assertTrue(unset["documentation"])
        given = self.variable("GASNET_MAX_SEGSIZE", GASNET_MAX_SEGSIZE="4GB/P")
        self.assertEqual((given["value"], given["origin"]), ("4GB/P", "GASNET_MAX_SEGSIZE"))

    def test_values_of_any_bytes_are_text_for_programs(self):
        odd = b'"\\\n\x01\x7f' + "\u00e4\u20ac\U0001f30d".encode() + b"\xff\xc0\xed\xa0\x80\xf4\x90"
        value = self.variable("GONDWANA_SPINS", GONDWANA_SPINS=odd)["value"]
        self.assertEqual(value, '"\\\n\x01\x7f\u00e4\u20ac\U0001f30d' + "\ufffd" * 7)

    def test_without_the_module_for_hwloc_the_topology_is_unknown(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(GONDWANA, folder)
            shutil.copy(Path(GONDWANA).parent / "libgondwana_tools.so", folder)
            done = subprocess.run([alone, "info"], capture_output=True, text=True,
                                  timeout=WATCHDOG, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^topology\n  hwloc  unknown\n +the module of Gondwana")

    def test_ranks_may_ask(self):
        done = subprocess.run([GONDWANA, "run", "-n", "2", GONDWANA, "info"], capture_output=True,
                              text=True, timeout=WATCHDOG, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    # Errors.

    def test_a_value_that_cannot_be_understood_is_a_problem(self):
        self.assert_problem('GONDWANA_SPINS "x": expected a whole number', GONDWANA_SPINS="x")

    def test_a_site_file_that_cannot_be_understood_is_a_problem(self):
        site = self.site("GONDWANA_SPINS = 5\nGONDWANA_ROUTES = \"agent\"\n")
        self.assert_problem(f"{site}:2: GONDWANA_ROUTES is not a variable of Gondwana; did you mean "
                            "GONDWANA_ROUTE\\?", GONDWANA_CONFIG=site)
        self.assert_problem("/nowhere/gondwana.toml cannot be read: .*; make it readable",
                            GONDWANA_CONFIG="/nowhere/gondwana.toml")

    def test_a_launcher_that_leaves_no_way_to_meet_is_a_problem(self):
        self.assert_problem("SLURM_STEP_NUM_TASKS=4: .*--mpi=pmix", SLURM_STEP_NUM_TASKS="4")

    def test_limits_that_stop_every_job_are_problems(self):
        self.assert_problem(".*ulimit -f", limit=(resource.RLIMIT_FSIZE, 1 << 16))

    def test_a_limit_of_descriptors_that_stops_every_job_is_a_problem(self):
        if has_address_sanitizer(GONDWANA):
            self.skipTest("AddressSanitizer needs descriptors")
        self.assert_problem(".*raise ulimit -n", limit=(resource.RLIMIT_NOFILE, 4))

    def test_misspelt_variables_are_told_with_the_nearest(self):
        self.assert_warning("GONDWANA_HEAPSIZE is not a variable of Gondwana; "
                            "did you mean GONDWANA_HEAP_SIZE?", GONDWANA_HEAPSIZE="1G")
        self.assert_warning("SHMEM_SYMETRIC_SIZE is not read by Gondwana; "
                            "did you mean SHMEM_SYMMETRIC_SIZE?", SHMEM_SYMETRIC_SIZE="1G")
        self.assert_warning("SMA_DEBUGG is not read by Gondwana; did you mean SMA_DEBUG?",
                            SMA_DEBUGG="1")
        self.assert_warning("GASNET_MAX_SEGSIZ is not read by Gondwana; "
                            "did you mean GASNET_MAX_SEGSIZE?", GASNET_MAX_SEGSIZ="1")
        self.assertEqual(info(GASNET_ROOT="/x", GASNET_CONDUIT="smp").stderr, "")
        self.assert_warning("SHMEM_QUUX is not read by Gondwana", SHMEM_QUUX="1")

    def test_variables_of_the_profiler_are_known(self):
        self.assertEqual(info(SHMEM_PROFILE="off", SHMEM_PROFILE_FILE="x").stderr, "")

    def test_a_heap_that_does_not_fit_is_told(self):
        self.assertRegex(info(GONDWANA_HEAP_SIZE="900T").stderr, "lower GONDWANA_HEAP_SIZE to")
        self.assertEqual(info(GONDWANA_HEAP_SIZE="900T", GONDWANA_HEAP_OVERCOMMIT="1").stderr, "")

    def test_unknown_words_are_refused_with_the_nearest(self):
        done = info("--jsn")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--jsn is not an option; did you mean --json?", done.stderr)
        self.assertIn("Usage: gondwana info", info("--help").stdout)


if __name__ == "__main__":
    GONDWANA = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
