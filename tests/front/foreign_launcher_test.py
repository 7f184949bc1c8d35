"""Programs started by foreign launchers: `foreign_launcher_test.py HOW GONDWANA PROGRAMS`.

HOW is mpirun, prterun, mpiexec.hydra, srun-pmix, srun-pmi2, or none: variables of launchers without
a launcher. Exits with status 77 where that launcher is not installed.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

from slurm import one_node

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from flux import Flux
from processes import end_all, eventually, marked, read_proc, state_of

GONDWANA = ""
PROGRAMS = ""
WATCHDOG = 120  # seconds: against hangs only
AGENT = "gondwana-agent"

COMMANDS = {
    "mpirun": ["mpirun", "--allow-run-as-root", "--oversubscribe"],
    "prterun": ["prterun", "--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE"],
    "mpiexec.hydra": ["mpiexec.hydra"],
    "srun-pmix": ["srun", "-Q", "--mpi=pmix"],
    "srun-pmi2": ["srun", "-Q", "--mpi=pmi2"],
}


def program(name: str) -> str:
    return os.path.join(PROGRAMS, "door_" + name)


def quiet_sanitizers(**variables: str) -> dict[str, str]:
    """The libraries of the launchers leak on purpose, and a rank must die of its own signal."""
    return {"ASAN_OPTIONS": "handle_segv=0:detect_leaks=0", **variables}


class Job(unittest.TestCase):
    """One launcher; made by `tests_of`."""

    command: list[str] = []
    environment: dict[str, str] = {}
    abort_keeps_status = True
    ends_its_processes_when_killed = True
    notices_who_disappears = True
    notices_who_runs_another_program = False  # before its peers do

    def words(self, ranks, *words):
        return [*self.command, "-n", str(ranks), *words]

    def run_words(self, words, **variables):
        environment = {**self.environment, **quiet_sanitizers(**variables)}
        return subprocess.run(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WATCHDOG,
            check=False,
        )

    def run_job(self, ranks, *words, **variables):
        return self.run_words(self.words(ranks, *words), **variables)

    def assert_places(self, ended, expected):
        self.assertEqual(ended.returncode, 0, ended.stderr)
        places = re.findall(r"rank \d+ of \d+", ended.stdout)
        self.assertEqual(sorted(places), sorted(expected), ended.stdout + ended.stderr)

    def test_its_processes_become_one_job(self):
        for ranks in (1, 2, 4, 7):
            with self.subTest(ranks=ranks):
                ended = self.run_job(ranks, program("place"))
                self.assert_places(ended, [f"rank {i} of {ranks}" for i in range(ranks)])

    def test_globals_are_symmetric(self):
        ended = self.run_job(4, program("globals"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_the_library_can_be_started_again_and_again(self):
        ended = self.run_job(3, program("lifecycle"))
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_global_exit_ends_the_job(self):
        ended = self.run_job(3, program("misuse"), "global_exit")
        self.assertIn("goodbye", ended.stdout)
        if self.abort_keeps_status:
            self.assertEqual(ended.returncode, 7, ended.stderr)
        else:
            self.assertNotEqual(ended.returncode, 0)

    def test_a_rank_that_gives_up_ends_the_job(self):
        ended = self.run_job(3, program("misuse"), "exit3")
        self.assertIn("rank 1 ends with status 3 before it has finalized", ended.stderr)
        if self.abort_keeps_status:
            self.assertEqual(ended.returncode, 3, ended.stderr)
        else:
            self.assertNotEqual(ended.returncode, 0)

    def test_a_rank_that_disappears_ends_the_job(self):
        if not self.notices_who_disappears:
            self.skipTest("srun --mpi=pmi2 lets the others wait for ever")
        self.run_job(3, program("misuse"), "exit0")  # the launcher chooses the status

    def test_a_rank_that_runs_another_program_ends_the_job(self):
        # Without a node agent and with two.
        for together, how in (("0", "exec"), ("2", "exec"), ("0", "again")):
            with self.subTest(together=together, how=how):
                ended = self.run_job(
                    3, program("ends"), how, "wait_until", GONDWANA_NODE_RANKS=together
                )
                self.assertNotEqual(ended.returncode, 0)
                if not self.notices_who_runs_another_program:
                    self.assertRegex(ended.stderr, r"rank 2 on host .* \(exec\)")

    def test_a_rank_goes_on_after_its_first_thread_has_ended(self):
        for together in "02":
            with self.subTest(together=together):
                words = ("stays", "wait_until", "hands_over")
                ended = self.run_job(3, program("ends"), *words, GONDWANA_NODE_RANKS=together)
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_ranks_that_wait_for_one_that_has_called_exit_are_told(self):
        for together in "02":
            for call in ("lock", "wait_until"):
                with self.subTest(together=together, call=call):
                    mark = str(uuid.uuid4())
                    ended = self.run_job(
                        3,
                        program("ends"),
                        "exit",
                        call,
                        GONDWANA_NODE_RANKS=together,
                        FOREIGN_LAUNCHER_TEST=mark,
                    )
                    self.assertNotEqual(ended.returncode, 0)
                    self.assertIn("rank 2 has called exit and waits for the others", ended.stderr)
                    self.assertRegex(ended.stderr, "ranks 0, 1 wait in shmem_.*no remaining rank")
                    self.assertEqual(processes_left(mark), [])

    def test_ranks_that_wait_after_one_has_ended_are_told(self):
        for call in ("barrier", "reduction"):  # the others count the end of rank 2 as arrival
            ended = self.run_job(3, program("ends"), "exit", call)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("rank 2 has ", ended.stderr)

    def test_a_status_after_the_end_passes_through(self):
        ended = self.run_job(3, program("place"), "status", "5")
        self.assertEqual(ended.returncode, 5, ended.stderr)
        self.assertNotIn("gondwana", ended.stderr)

    def test_a_rank_that_dies_ends_the_job(self):
        ended = self.run_job(3, program("misuse"), "kill")
        self.assertNotEqual(ended.returncode, 0)

    def test_who_does_not_come_is_named(self):
        script = (
            f'case "$PMIX_RANK$PMI_RANK" in 1|3) exec sleep {WATCHDOG};; esac; '
            f"exec {program('place')}"
        )
        ended = self.run_job(4, "sh", "-c", script, GONDWANA_JOIN_TIMEOUT="3")
        self.assertNotEqual(ended.returncode, 0)
        self.assertRegex(
            ended.stderr,
            r"shmem_init: rank [02] of 4, started by .*: of 4 ranks these did not join within 3 s "
            r"\(GONDWANA_JOIN_TIMEOUT\): 1, 3\. Did .* start the same",
        )

    def test_a_program_that_a_rank_starts_is_not_that_rank(self):
        ended = self.run_job(2, program("place"), "child")
        self.assert_places(ended, ["rank 0 of 2", "rank 1 of 2", "rank 0 of 1"])

    def test_our_launcher_within_it_starts_jobs_of_its_own(self):
        ended = self.run_job(2, GONDWANA, "run", "-n", "3", program("place"))
        self.assert_places(ended, [f"rank {i} of 3" for i in range(3)] * 2)

    def test_one_machine_plays_several_nodes(self):
        for ranks, together in ((4, 2), (3, 2), (3, 1)):
            with self.subTest(ranks=ranks, together=together):
                mark = str(uuid.uuid4())
                ended = self.run_job(
                    ranks,
                    program("nodes"),
                    str(together),
                    GONDWANA_NODE_RANKS=str(together),
                    FOREIGN_LAUNCHER_TEST=mark,
                )
                self.assert_places(ended, [f"rank {i} of {ranks}" for i in range(ranks)])
                self.assertEqual(processes_left(mark), [])

    @contextlib.contextmanager
    def start_ranks(self, *words, **variables):
        """Four ranks, and the mark of their job. None is left afterwards."""
        mark = str(uuid.uuid4())
        more = quiet_sanitizers(FOREIGN_LAUNCHER_TEST=mark, **variables)
        with subprocess.Popen(
            self.words(4, *words),
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as job:
            try:
                yield job, mark
            except BaseException:
                end_all(marked(mark))  # or the wait for the job never ends
                raise
        self.assertEqual(processes_left(mark), [])

    @contextlib.contextmanager
    def waiting_ranks(self, together):
        """Ranks that wait for ever, `together` of them on a node (0: all)."""
        words = (program("misuse"), "wait")
        with self.start_ranks(*words, GONDWANA_NODE_RANKS=together) as (job, mark):
            self.assertEqual(job.stdout.readline(), "waiting\n")
            yield job, mark

    def test_no_node_agent_outlives_ranks_that_are_killed(self):
        with self.waiting_ranks("2") as (job, mark):
            self.assertEqual(len(processes_with(mark, AGENT)), 2)
            end_all(processes_with(mark, "door_"))
            job.wait(WATCHDOG)  # the agents hold nothing that the job waits for

    def test_a_node_agent_that_is_not_there_is_named(self):
        ended = self.run_job(2, program("place"), GONDWANA_NODE_RANKS="1", GONDWANA_PROVIDER="none")
        self.assertNotEqual(ended.returncode, 0)
        self.assertRegex(ended.stderr, r"rank [01] of 2, started by .*: the node agent did not start: .*none")

    def test_a_node_agent_that_is_gone_before_others_reach_it_ends_the_job(self):
        """Rank 3 is stopped in the first round, in which all ranks exchange their process infos.

        The second, in which nodes exchange the addresses of agents, cannot end before it goes on.
        """
        with tempfile.TemporaryDirectory() as folder:
            go = os.path.join(folder, "go")
            wait = f"until [ -e {go} ]; do sleep 0.01; done"
            wait = f'case "$PMIX_RANK$PMI_RANK" in 0|1|2) {wait};; esac; '
            with self.start_ranks(
                *("sh", "-c", f"{wait}exec {program('nodes')} 2"),
                GONDWANA_NODE_RANKS="2",
                GONDWANA_PEER_TIMEOUT="2",
            ) as (job, mark):
                last = eventually(lambda: waiting_in_first_round(mark, "3"), WATCHDOG)
                self.assertTrue(last, "rank 3 did not come")
                os.kill(last, signal.SIGSTOP)
                Path(go).touch()
                agent = eventually(lambda: serving_agent(mark, "0"), WATCHDOG)
                self.assertTrue(agent, "no agent serves the node of rank 0")
                end_all([agent])
                os.kill(last, signal.SIGCONT)
                _, err = job.communicate(timeout=WATCHDOG)
                self.assertNotEqual(job.returncode, 0)
                first_to_notice = "silent|the node agent on host .* has ended"
                self.assertRegex(err, f"{first_to_notice}|ranks 0 to 1 on host .* cannot be reached")

    def test_nobody_outlives_a_launcher_that_is_killed(self):
        if not self.ends_its_processes_when_killed:
            self.skipTest("srun runs nothing itself")
        for together in "03":  # without a node agent and with two
            with self.subTest(together=together), self.waiting_ranks(together) as (job, _):
                job.kill()


def processes_with(mark, *names):
    """Processes of the job with that mark whose program name begins so."""
    return [pid for pid in marked(mark) if program_of(pid).startswith(names)]


def program_of(pid):
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:  # gone meanwhile
        return ""


def processes_of_rank(mark, rank, name):
    """A node agent inherits the rank number of its parent."""
    numbers = {f"{variable}={rank}".encode() for variable in ("PMIX_RANK", "PMI_RANK")}
    return [
        pid
        for pid in processes_with(mark, name)
        if numbers & set(read_proc(pid, "environ").split(b"\0"))
    ]


def descriptors(pid):
    try:
        return {os.readlink(entry.path) for entry in os.scandir(f"/proc/{pid}/fd")}
    except OSError:  # gone meanwhile
        return set()


def waiting_in_first_round(mark, rank):
    """The process of a rank that has answered the roll call and sleeps until the others have."""
    for pid in processes_of_rank(mark, rank, "door_"):
        lines = Path("/proc/net/unix").read_text(encoding="utf-8", errors="replace").splitlines()
        names = [line.split() for line in lines if re.search(rf" @gondwana-[0-9a-f]+-{rank}$", line)]
        has_answered = {f"socket:[{words[6]}]" for words in names} & descriptors(pid)
        if has_answered and all(sleeps_for_a_moment(pid) for _ in range(20)):
            return pid
    return 0


def sleeps_for_a_moment(pid):
    time.sleep(0.01)
    return state_of(pid) == "S"


def serving_agent(mark, rank):
    """The agent of the rank, once the rank has closed its error pipe."""
    for pid in processes_of_rank(mark, rank, AGENT):
        pipes = {name for name in descriptors(pid) if name.startswith("pipe:")}
        ranks = processes_of_rank(mark, rank, "door_")
        if pipes and ranks and not pipes & descriptors(ranks[0]):
            return pid
    return 0


def processes_left(mark):
    """Ranks and agents still there after the watchdog's time. They are ended here."""
    eventually(lambda: not processes_with(mark, "door_", AGENT), WATCHDOG)
    left = processes_with(mark, "door_", AGENT)
    end_all(left)
    return left


class Variables(unittest.TestCase):
    """Variables of launchers without a launcher, or after its end."""

    def run_with(self, **variables):
        names = ("PMI", "OMPI_", "SLURM_", "MPI_", "PALS_", "FLUX_", "ROLE_", "GONDWANA_")
        clean = {name: text for name, text in os.environ.items() if not name.startswith(names)}
        return subprocess.run(
            [program("place")],
            env={**clean, **variables},
            capture_output=True,
            text=True,
            timeout=WATCHDOG,
            check=False,
        )

    def assert_alone(self, **variables):
        with self.subTest(**variables):
            ended = self.run_with(**variables)
            self.assertEqual((ended.returncode, ended.stdout), (0, "rank 0 of 1\n"), ended.stderr)

    def assert_told(self, pattern, **variables):
        with self.subTest(**variables):
            ended = self.run_with(**variables)
            self.assertRegex(ended.stderr, pattern)
            self.assertEqual((ended.returncode, ended.stdout), (1, ""))

    def test_without_any_a_program_is_alone(self):
        self.assert_alone()

    def test_within_an_allocation_but_not_started_by_srun_it_is_alone(self):
        self.assert_alone(SLURM_JOB_ID="7", SLURM_NTASKS="4", SLURM_PROCID="0")

    def test_the_only_process_of_a_launcher_is_alone(self):
        self.assert_alone(PMI_SIZE="1", PMI_RANK="0", PMI_FD="77")
        self.assert_alone(SLURM_STEP_NUM_TASKS="1", SLURM_PROCID="0")
        self.assert_alone(PMIX_NAMESPACE="gone", PMIX_RANK="0", OMPI_COMM_WORLD_SIZE="1")

    def test_one_of_several_that_cannot_meet_is_told_what_is_missing(self):
        self.assert_told(
            r"SLURM_STEP_NUM_TASKS=4: another launcher started 4 processes, srun \(Slurm\)"
            r".* without PMIx .* or PMI-1 .*cannot find each other.*Use `srun --mpi=pmix` or",
            SLURM_STEP_NUM_TASKS="4",
            SLURM_PROCID="2",
        )
        self.assert_told(
            r"PMI_SIZE=3: another launcher started 3 processes.*`gondwana run`",
            PMI_SIZE="3",
            PMI_RANK="0",
            PMI_FD="77",
        )
        self.assert_told(
            r"OMPI_COMM_WORLD_SIZE=4: another launcher started 4 processes, mpirun "
            r"\(Open MPI\): .*PMIx",
            OMPI_COMM_WORLD_SIZE="4",
            PMIX_NAMESPACE="gone",
            PMIX_RANK="1",
        )

    def test_ranks_of_flux_become_a_job(self):
        clean = {name: text for name, text in os.environ.items() if not name.startswith("PMI")}
        for together in ("0", "1"):
            variables = {**clean, "GONDWANA_NODE_RANKS": together}
            with self.subTest(together=together):
                ends = Flux(2, [program("place")], variables).run(WATCHDOG)
                self.assertEqual(
                    [(status, out) for status, out, _ in ends],
                    [(0, f"rank {rank} of 2\n") for rank in range(2)],
                    ends,
                )

    def test_torchrun_and_pals_are_named_if_nothing_joins_their_processes(self):
        self.assert_told(
            "ROLE_WORLD_SIZE=2: .* 2 processes, torchrun, .*init_by_torch.*or set GONDWANA_MEET",
            ROLE_WORLD_SIZE="2",
            WORLD_SIZE="2",
            RANK="1",
        )
        self.assert_told("PALS_APINFO=/none: No such file", PALS_APINFO="/none", PALS_RANKID="0")

    def test_info_says_where_the_ranks_meet(self):
        place = {"RANK": "1", "WORLD_SIZE": "2", "GONDWANA_MEET": "node7:7777"}
        words = [GONDWANA, "info"]
        said = subprocess.run(
            words, env={**os.environ, **place}, capture_output=True, text=True, timeout=WATCHDOG, check=False
        )
        self.assertIn("rank 1 of 2, which meet at port 7777 of node7", said.stdout)

    def test_a_timeout_that_is_none_is_named(self):
        self.assert_told(
            r'GONDWANA_JOIN_TIMEOUT "soon": expected a whole number', GONDWANA_JOIN_TIMEOUT="soon"
        )


def skip(reason: str) -> None:
    print(f"skipped: {reason}")
    sys.exit(77)


def run_tests(case: type[unittest.TestCase]) -> bool:
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    return unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful()


def run_with_slurm() -> bool:
    Job.ends_its_processes_when_killed = False
    cluster = one_node()
    try:
        if reason := cluster.start():
            skip(reason)
        # By default Slurm does not end the job when a rank is killed.
        Job.environment = {**cluster.environment, "SLURM_KILL_BAD_EXIT": "1"}
        return run_tests(Job)
    finally:
        cluster.stop()


def is_open_mpi(command: str) -> bool:
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return "Open MPI" in said.stdout


def main(how: str) -> bool:
    if how == "none":
        return run_tests(Variables)
    Job.command = COMMANDS[how]
    Job.environment = dict(os.environ)
    if shutil.which(Job.command[0]) is None:
        skip(f"{Job.command[0]} is not installed")
    if how == "mpirun" and not is_open_mpi("mpirun"):
        skip("mpirun is not that of Open MPI")
    Job.abort_keeps_status = how != "srun-pmi2"  # Slurm reports 137 there, whatever the status
    Job.notices_who_disappears = how != "srun-pmi2"
    Job.notices_who_runs_another_program = how == "mpiexec.hydra"
    return run_with_slurm() if how.startswith("srun") else run_tests(Job)


if __name__ == "__main__":
    HOW, GONDWANA, PROGRAMS = sys.argv[1:]
    sys.exit(0 if main(HOW) else 1)
