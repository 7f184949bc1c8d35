"""OpenSHMEM programs as users run them: `door_test.py GONDWANA FOLDER_OF_PROGRAMS`."""

import os
import pwd
import re
import subprocess
import sys
import tempfile
import unittest
from ctypes.util import find_library
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

import door_case  # noqa: E402
from door_case import WATCHDOG, program, rank_of_job, run, run_tests, wait_for  # noqa: E402


class Programs(unittest.TestCase):
    def assert_fine(self, ended):
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_globals_are_symmetric_and_a_child_has_its_own(self):
        for ranks in (1, 2, 4, 7):
            with self.subTest(ranks=ranks):
                self.assert_fine(run(ranks, "globals"))

    def test_children_started_in_any_way_are_no_ranks(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                ended = run(ranks, "children")
                self.assert_fine(ended)
                self.assertEqual(ended.stdout, "rank 0 of 1\n" * 3 * ranks)

    def test_threads_fork_while_others_do(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                self.assert_fine(run(ranks, "forks"))

    def test_collectives_work_on_globals(self):
        for ranks in (1, 2, 4, 7):
            with self.subTest(ranks=ranks):
                self.assert_fine(run(ranks, "collectives"))

    def test_collectives_of_named_algorithms_work_on_globals(self):
        for algorithm, collectives in {
            "linear": ("BARRIER", "BCAST", "REDUCE", "COLLECT", "FCOLLECT", "ALLTOALL", "SCAN"),
            "tree": ("BARRIER", "BCAST", "REDUCE"),
            "ring": ("REDUCE", "COLLECT", "FCOLLECT"),
            "recdbl": ("REDUCE", "COLLECT", "FCOLLECT", "SCAN"),
            "dissem": ("BARRIER",),
        }.items():
            names = {f"SHMEM_{name}_ALGORITHM": algorithm for name in collectives}
            with self.subTest(algorithm=algorithm):
                self.assert_fine(run(5, "collectives", **names))

    def test_the_library_can_be_started_again_and_again(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                self.assert_fine(run(ranks, "lifecycle"))

    def test_a_program_without_the_launcher_is_one_rank(self):
        for name in ("globals", "lifecycle"):
            ended = subprocess.run(program(name), capture_output=True, text=True, check=False)
            self.assert_fine(ended)

    def test_a_program_that_ends_well_without_finalize_is_finalized(self):
        self.assert_fine(run(4, "misuse", "no_finalize"))

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_rank_that_has_finalized_may_take_its_time_to_end(self):
        nodes = {"GONDWANA_NODE_RANKS": "2", "GONDWANA_ROUTE": "agent"}
        self.assert_fine(run(3, "ends", "late", "nothing", **nodes))

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_rank_may_start_later_than_ranks_of_other_launchers(self):
        script = 'if [ $GONDWANA_RANK = 1 ]; then sleep 2; fi; exec "$0"'
        # Here the launcher knows that the other node is there.
        limits = {"GONDWANA_NODE_RANKS": "1", "GONDWANA_JOIN_TIMEOUT": "1"}
        command = [door_case.GONDWANA, "run", "-n", "2", "sh", "-c", script, program("layout")]
        ended = subprocess.run(
            command, env={**os.environ, **limits}, capture_output=True, text=True,
            timeout=WATCHDOG, check=False)
        self.assert_fine(ended)

    def test_a_program_that_ends_before_init_may_do_so_and_is_told(self):
        sentence = r"ranks? [0-9, ]+ ended without a call of shmem_init or gex_Client_Init"
        for variables in ({}, {"GONDWANA_NODE_RANKS": "1"}):
            with self.subTest(**variables):
                ended = run(2, "misuse", "--help", **variables)
                self.assertEqual((ended.returncode, ended.stdout), (0, ""), ended.stderr)
                for line in ended.stderr.splitlines():
                    self.assertRegex(line, f"^gondwana run: {sentence}$")

    def test_core_dumps_have_the_heap_only_where_that_is_asked_for(self):
        for what, line in {
            "variables": "heap no no, behind it no, variables yes\n",
            "heap": "heap yes yes, behind it no, variables yes\n",
        }.items():
            with self.subTest(what=what):
                ended = run(2, "dump", GONDWANA_CORE=what)
                self.assert_fine(ended)
                self.assertEqual(ended.stdout, 2 * line)

    def test_the_heap_is_there_at_start_where_that_is_asked_for(self):
        for how in ("off", "local", "interleave"):
            for ranks in (1, 2, 3):
                with self.subTest(how=how, ranks=ranks):
                    self.assert_fine(run(ranks, "prefault", how, GONDWANA_PREFAULT=how,
                                         GONDWANA_HEAP_SIZE="16M"))


class Plugins(unittest.TestCase):
    def assert_unloaded(self, how, *doors):
        plugins = [os.path.join(door_case.PROGRAMS, f"door_plugin_{door}.so") for door in doors]
        ended = run(2, "host", how, *plugins)
        self.assertEqual((ended.returncode, ended.stdout), (55, ""), ended.stderr)

    def test_a_plugin_may_be_unloaded_when_it_has_finalized(self):
        for doors in (("shmem", "shmem", "shmem"), ("shmem_static",), ("armci",)):
            with self.subTest(doors=doors):
                self.assert_unloaded("finalize", *doors)

    def test_a_plugin_may_be_unloaded_before_the_job_ends(self):
        for door in ("shmem", "shmem_static", "gasnet", "armci"):
            with self.subTest(door=door):
                self.assert_unloaded("leave", door)


class StandardStreams(unittest.TestCase):
    """Closed standard descriptors become nothing of the library."""

    def run_without(self, streams, *words, **variables):
        script = f'exec "$0" "$@" {streams}'
        command = [door_case.GONDWANA, "run", "-n", "3", "sh", "-c", script, program("streams"), *words]
        return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True,
                              timeout=WATCHDOG, check=False)

    def assert_nothing_is_said(self, ended):
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (21, "", ""))

    def test_they_are_closed_at_the_start_or_before_init(self):
        nodes = [{}]
        if find_library("fabric") is not None:
            nodes += [{"GONDWANA_NODE_RANKS": "2", "GONDWANA_ROUTE": route} for route in ("endpoint", "agent")]
        for variables in nodes:
            with self.subTest(**variables):
                self.assert_nothing_is_said(self.run_without("<&- >&- 2>&-", **variables))
                self.assert_nothing_is_said(self.run_without("", "close", **variables))

    def test_an_error_that_nobody_can_read_ends_the_rank_with_its_status(self):
        ended = subprocess.run(["sh", "-c", 'exec "$0" early 2>&-', program("misuse")], timeout=WATCHDOG, check=False)
        self.assertEqual(ended.returncode, 1)


class Greetings(unittest.TestCase):
    def test_the_version_is_printed_once_whatever_the_value(self):
        for name in ("SHMEM_VERSION", "SMA_VERSION", "GONDWANA_VERSION"):
            ended = run(3, "watched", **{name: "1"})
            self.assertRegex(ended.stdout, r"\AGondwana [0-9.]+, OpenSHMEM 1\.6\n\Z")
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_the_variables_are_printed_with_value_origin_and_meaning(self):
        ended = run(2, "watched", SHMEM_INFO="", SMA_SYMMETRIC_SIZE="20kk", GONDWANA_SPINS="7")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        for line in (
            r'GONDWANA_HEAP_SIZE = "20kk" \(from SMA_SYMMETRIC_SIZE\)\n    symmetric heap of each',
            r'GONDWANA_SPINS = "7" \(from GONDWANA_SPINS\)',
            r'GONDWANA_JOIN_TIMEOUT = "60" \(default\)',
            r"also: SHMEM_DEBUG, SMA_DEBUG\n",
        ):
            self.assertEqual(len(re.findall(line, ended.stdout)), 1, line)


class Sites(unittest.TestCase):
    """The defaults of a site file reach every rank."""

    def site(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".toml")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name

    def test_ranks_take_what_the_environment_does_not_say(self):
        site = self.site("GONDWANA_INFO = true\nGONDWANA_HEAP_SIZE = \"3M\"\nGONDWANA_SPINS = 9\n")
        ended = run(2, "watched", GONDWANA_CONFIG=site, GONDWANA_SPINS="7")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertIn(f'GONDWANA_HEAP_SIZE = "3M" (from {site}:2)\n', ended.stdout)
        self.assertIn('GONDWANA_SPINS = "7" (from GONDWANA_SPINS)\n', ended.stdout)

    def test_a_wrong_line_stops_the_job_and_a_program_alone(self):
        site = self.site("\nGONDWANA_SPINS = \"many\"\n")
        sentence = f'{site}:2: GONDWANA_SPINS "many": expected a whole number'
        ended = run(2, "watched", GONDWANA_CONFIG=site)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn(f"gondwana run: {sentence}", ended.stderr)
        alone = subprocess.run([program("watched")], env={**os.environ, "GONDWANA_CONFIG": site},
                               capture_output=True, text=True, timeout=WATCHDOG, check=False)
        self.assertEqual(alone.returncode, 1)
        self.assertIn(f"shmem_init_thread: {sentence}", alone.stderr)

    def test_ranks_with_different_algorithms_are_told(self):
        one = ["-n", "1", program("watched")]
        for setting in ("GONDWANA_REDUCE_ALGORITHM=ring", "GONDWANA_BARRIER_ALGORITHM=linear"):
            ended = subprocess.run([door_case.GONDWANA, "run", *one, ":", "-x", setting, *one],
                                   capture_output=True, text=True, timeout=WATCHDOG, check=False)
            self.assertEqual(ended.returncode, 1, setting)
            self.assertIn("rank 1: shmem_init_thread: this rank uses different collective algorithms than rank 0",
                          ended.stderr)


class OtherUsers(unittest.TestCase):
    @unittest.skipUnless(os.geteuid() == 0, "needs root, to become another user")
    def test_another_user_cannot_open_a_jobs_memory(self):
        command = [door_case.GONDWANA, "run", "-n", "2", program("misuse"), "wait"]
        nobody = pwd.getpwnam("nobody").pw_uid
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
            wait_for(job, "waiting")
            rank = rank_of_job(job.pid, 0)
            for place in ("mem", "map_files", "fd", "environ"):
                for pid in (rank, job.pid):
                    with self.subTest(place=place, pid=pid):
                        self.assert_closed(f"/proc/{pid}/{place}", nobody)
            job.terminate()
            job.communicate(timeout=WATCHDOG)

    def assert_closed(self, path, user):
        reader = ["ls"] if os.path.isdir(path) else ["head", "-c1"]
        ended = subprocess.run(
            [*reader, path], user=user, capture_output=True, text=True, check=False
        )
        self.assertRegex(ended.stderr, "Permission denied|Operation not permitted")


if __name__ == "__main__":
    run_tests()
