"""What wrong OpenSHMEM programs are told, and how they end: `door_errors_test.py GONDWANA FOLDER_OF_PROGRAMS`."""

import os
import re
import signal
import subprocess
import sys
import time
import unittest
from ctypes.util import find_library
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

import door_case  # noqa: E402
from door_case import WATCHDOG, program, rank_of_job, run, run_on, run_tests, wait_for  # noqa: E402
from processes import descendants_of, has_address_sanitizer, read_proc  # noqa: E402

DEBUG_NAMES_IT = r"; run again with -x GONDWANA_DEBUG=yes: it names the call that first leaves its block or variable \(in"


class Errors(unittest.TestCase):
    def assert_told(self, ended, status, *patterns):
        for pattern in patterns:
            self.assertRegex(ended.stderr, pattern)
        self.assertEqual(ended.returncode, status, ended.stderr)

    def test_misuse_is_told_with_rank_call_and_reason(self):
        for how, sentence in {
            "rank": r"rank 1: shmem_long_put: put of 8 B to rank 99: this job has 3 ranks, 0 to 2",
            "address": r"rank 1: shmem_long_p: put of 8 B at address .* not symmetric memory; "
            r"it is on the stack of do_wrong: make it static, or allocate it by shmem_malloc; "
            r"the symmetric heap is 0x\w+ to 0x\w+, its global variables are 0x",
            "malloc": r"not symmetric memory; it is memory from malloc: make it static, or allocate it by shmem_m",
            "constant": r"not symmetric memory; it is the constant table, which no rank can write",
            "thread_local": r"not symmetric memory; it is a thread-local variable: make it static",
            "null": r"not symmetric memory; it is null: did shmem_malloc return it",
            "window": r"it is memory of rank 0, as shmem_ptr returns it: pass this rank's address",
            "leaves": r"get of 8 MiB at address .* not symmetric memory; \S+ \w+ remain from there to its end;.*"
            + DEBUG_NAMES_IT,
            "past_heap": r"not symmetric memory; it is \S+ \w+ past the end of the symmetric heap;.*" + DEBUG_NAMES_IT,
            "negative": r"shmem_getmem: get of a negative size \(-8\)" + DEBUG_NAMES_IT,
            "library": r"rank 1: shmem_long_p: put of 8 B at address .* not symmetric memory; it is "
            r"(in|the variable \w+ of) \S*/libc\.so\.6, and only variables of the executable are symmetric; the",
            "comparison": r"rank 1: shmem_long_wait_until: comparison 77: expected SHMEM_CMP_EQ",
            "free": r"rank 1: shmem_free: .* is not the start of a block",
            "early": r"ranks? [\d, -]+: shmem_my_pe: called before shmem_init",
            "late": r"ranks? [\d, -]+: shmem_barrier_all: called after shmem_finalize",
            "fork": r"rank 1: shmem_my_pe: called in a child process that the rank forked",
        }.items():
            with self.subTest(how=how):
                if how == "free":  # collective: the others would never call
                    self.assert_told(run(1, "misuse", how), 1, sentence.replace("rank 1", "rank 0"))
                else:
                    heap = {"GONDWANA_HEAP_SIZE": "1M"} if how == "past_heap" else {}
                    self.assert_told(run(3, "misuse", how, **heap), 1, sentence)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    @unittest.skipIf(os.sysconf("SC_THREAD_STACK_MIN") > 16 << 10, "no thread has a stack as small")
    def test_a_stack_that_the_network_would_run_over_is_refused(self):
        alone = {"GONDWANA_NODE_RANKS": "1", "GONDWANA_ROUTE": "endpoint"}
        for how, enough in (("call", 32), ("init", 64)):
            with self.subTest(how=how):
                if has_address_sanitizer(program("stacks")):
                    self.skipTest("AddressSanitizer takes more of a stack")
                told = f"this thread has a stack of 16 KiB, but needs at least {enough} KiB"
                self.assert_told(run(2, "stacks", how, "16", **alone), 1, told)
                self.assert_told(run(2, "stacks", how, str(enough), **alone), 0)
                self.assert_told(run(2, "stacks", how, "16"), 0)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_limit_of_stacks_that_the_network_would_run_over_is_told(self):
        command = [door_case.GONDWANA, "run", "-n", "2", "sh", "-c", 'ulimit -s 48; exec "$0" call 64', program("stacks")]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG, check=False,
                               env={**os.environ, "GONDWANA_NODE_RANKS": "1", "GONDWANA_ROUTE": "endpoint"})
        self.assert_told(ended, 1, r"this thread has a stack of 48 KiB, but needs at least 64 KiB .* ulimit -s")

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_misaligned_word_is_refused_before_it_leaves_the_node(self):
        ended = run(3, "misuse", "misaligned", GONDWANA_NODE_RANKS="1")
        self.assert_told(ended, 1, r"rank 1: shmem_long_atomic_inc: a word of 8 bytes on rank")

    def test_the_place_of_the_call_ends_an_error(self):
        self.assert_told(run(2, "misuse", "rank"), 1, r"0 to 1 \(in do_wrong(, misuse\.c:\d+)?\)\n")

    def test_a_transfer_that_leaves_a_variable_is_told_with_the_checks(self):
        self.assert_told(run(2, "misuse", "variable", GONDWANA_DEBUG="yes"), 1, r"shmem_long_get: argument "
                         r"source is 0x\w+: 24 B starting at byte 0 exceed the variable cells of 16 B \(in")

    def test_a_rank_alone_that_names_another_is_told_how_to_start_more(self):
        how = r"0 to 0; start it with gondwana run -n 2 \S*misuse"
        self.assert_told(run(1, "misuse", "second"), 1, "this job has 1 rank, " + how)
        self.assert_told(run(1, "misuse", "second", GONDWANA_DEBUG="yes"), 1, "this job has 1 PE, " + how)

    def test_a_death_is_told_with_rank_reason_and_call(self):
        others = r"ranks? 0.* waits? in shmem_(init|barrier_all)"
        self.assert_told(run(3, "misuse", "kill"), 137, r"rank 1 .* killed by SIGKILL", others)
        self.assert_told(run(3, "misuse", "crash"), 139, r"rank 1 .* killed by SIGSEGV", others)
        self.assert_told(run(3, "misuse", "exit0"), 1, r"rank 1 .* ended with status 0", others)
        self.assert_told(run(3, "misuse", "exit3"), 3, r"rank 1 .* ended with status 3", others)

    def test_a_rank_that_runs_another_program_is_told_whatever_the_others_wait_for(self):
        for call in ("barrier", "lock", "reduction", "wait_until", "put"):
            with self.subTest(call=call):
                told = r"rank 2 .* replaced its program \(exec\)"
                self.assert_told(run(3, "ends", "exec", call), 1, told)

    def test_a_rank_that_runs_its_program_again_is_told(self):
        told = r"rank 2 .* replaced its program \(exec\)"
        nodes = [{}]
        if find_library("fabric") is not None:
            nodes.append({"GONDWANA_NODE_RANKS": "2"})
        for variables in nodes:
            with self.subTest(**variables):
                self.assert_told(run(3, "ends", "again", "barrier", **variables), 1, told)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_rank_that_runs_another_program_on_another_node_is_told(self):
        told = r"rank 2 .* replaced its program \(exec\)"
        for call in ("barrier", "wait_until"):
            ended = run(3, "ends", "exec", call, GONDWANA_NODE_RANKS="2")
            self.assert_told(ended, 1, told)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_rank_that_closes_all_descriptors_is_told_where_it_needs_them(self):
        told = r"rank 2: .*the connections of this rank to other nodes were closed, for example by closefrom\(3\)"
        for call in ("barrier", "wait_until", "reduction"):
            with self.subTest(call=call):
                nodes = {"GONDWANA_NODE_RANKS": "2"}
                for variables in ({}, {"GONDWANA_ROUTE": "agent", **nodes}):
                    ended = run(3, "ends", "close", call, **variables)
                    self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                self.assert_told(run(3, "ends", "close", call, GONDWANA_ROUTE="endpoint", **nodes), 1, told)

    def test_ranks_that_wait_for_one_that_has_called_exit_are_told(self):
        nobody = "no remaining rank can continue, and all are ended"
        for call in ("lock", "wait_until"):
            with self.subTest(call=call):
                self.assert_told(run(3, "ends", "exit", call), 1, "rank 2 has called exit .* " + nobody)
        for call in ("barrier", "reduction"):  # the others may count the end of rank 2 as arrival
            with self.subTest(call=call):
                self.assert_told(run(3, "ends", "exit", call), 1, "rank 2 has .* " + nobody)

    def test_the_thread_of_a_device_is_not_the_programs(self):
        ended = run(3, "ends", "exit", "lock", GONDWANA_EMULATED_DEVICES="1")
        self.assert_told(ended, 1, "rank 2 has called exit .* no remaining rank can continue, and all are ended")

    def test_a_rank_may_run_where_it_could_run_before(self):
        for ranks in (2, 5):
            with self.subTest(ranks=ranks):
                ended = run(ranks, "placement")
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_ranks_of_several_threads_are_judged_where_all_threads_wait(self):
        self.assert_told(run(3, "ends", "exit", "lock", "waits"), 1, "rank 2 has called exit")
        ended = run(3, "ends", "exit", "wait_until", "helps")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_ranks_on_several_nodes_that_wait_for_one_that_has_called_exit_are_told(self):
        told = (
            r"on host \S+ ranks 0, 1 wait in shmem_\w+.*; on host \S+ rank 2 has called exit .*"
            "no remaining rank can continue, and all are ended"
        )
        for route in ("endpoint", "agent"):
            for call in ("lock", "wait_until", "reduction"):
                with self.subTest(route=route, call=call):
                    variables = {"GONDWANA_NODE_RANKS": "2", "GONDWANA_ROUTE": route}
                    self.assert_told(run(3, "ends", "exit", call, **variables), 1, told)
        # The others count the end of rank 2 as arrival; it does not receive their next messages.
        # They learn it from the silence of its agent, earlier from a broken connection, or from the
        # launcher, which sees that they wait.
        variables = {"GONDWANA_NODE_RANKS": "2", "GONDWANA_PEER_TIMEOUT": "2"}
        ended = run(3, "ends", "exit", "barrier", **variables)
        lost = r"ranks? [01, ]+: (shmem_finalize|network): rank 2 on host \S+ cannot be reached: "
        still = r"ranks 0, 1 wait in shmem_finalize; on host \S+ rank 2 has ended; "
        self.assert_told(ended, 1, f"{lost}|{still}")

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_rank_in_exit_waits_for_a_thread_on_another_node(self):
        ended = run(3, "ends", "exit", "wait_until", "helps", GONDWANA_NODE_RANKS="2")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_an_exit_while_finalize_waits_is_told_or_waits_too(self):
        told = r"rank 1: exit: called by a signal handler during shmem_finalize"
        for variables in ({}, {"SHMEM_DEBUG": "1"}):
            self.assert_told(run(3, "misuse", "exit_by_signal", **variables), 1, told)
        ended = run(3, "misuse", "exit_by_thread")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_rank_killed_while_it_waits_is_told_with_its_call(self):
        command = [door_case.GONDWANA, "run", "-n", "2", program("misuse"), "wait"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as job:
            wait_for(job, "waiting")
            time.sleep(0.2)
            victim = rank_of_job(job.pid, 1)
            os.kill(victim, signal.SIGKILL)
            _, errors = job.communicate(timeout=WATCHDOG)
        self.assertEqual(job.returncode, 137)
        self.assertRegex(errors, r"rank 1 .* SIGKILL .* in shmem_long_wait_until, waiting for")

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_a_rank_killed_in_transfers_of_a_device_is_told(self):
        on_two_hosts = [door_case.GONDWANA, "run", "--hosts", "localhost:1,localhost:1"]
        for at in (0, 1):
            with (
                self.subTest(killed=at),
                subprocess.Popen(
                    [*on_two_hosts, program("device_heap"), "endless"],
                    env={**os.environ, "GONDWANA_EMULATED_DEVICES": "1"},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                ) as job,
            ):
                wait_for(job, "transferring")
                time.sleep(0.2)
                os.kill(rank_of_job(job.pid, at), signal.SIGKILL)
                _, errors = job.communicate(timeout=WATCHDOG)
            self.assertEqual(job.returncode, 137, errors)
            self.assertRegex(errors, rf"rank {at} .* SIGKILL")

    def test_global_exit_gives_its_status_and_loses_no_output(self):
        ended = run(3, "misuse", "global_exit")
        self.assertEqual((ended.returncode, ended.stdout), (7, "goodbye\n"), ended.stderr)

    def test_global_exit_loses_no_output_of_any_rank(self):
        words = sorted(f"{language} of rank {rank}" for language in ("C", "C++") for rank in range(4))
        calls = ("all", "barrier", "wait_until", "lock", "test", "fetch", "g", "p", "add", "quiet", "put")
        for how in calls:
            with self.subTest(how=how):
                ended = run(4, "last_words", how)
                self.assertEqual((ended.returncode, ended.stderr), (7, ""))
                self.assertEqual(sorted(ended.stdout.splitlines()), words)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_global_exit_loses_no_output_of_other_nodes(self):
        words = sorted(f"{language} of rank {rank}" for language in ("C", "C++") for rank in range(4))
        for how in ("all", "barrier", "fetch"):
            for route in ("endpoint", "agent"):
                with self.subTest(how=how, route=route):
                    ended = run_on("localhost:2,localhost:2", "last_words", how, GONDWANA_ROUTE=route)
                    self.assertEqual((ended.returncode, ended.stderr), (7, ""))
                    self.assertEqual(sorted(ended.stdout.splitlines()), words)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_an_agent_that_dies_when_all_have_finalized_is_no_loss(self):
        with subprocess.Popen(
            [door_case.GONDWANA, "run", "--hosts", "localhost:1,localhost:1", program("last_words"), "late"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as job:
            wait_for(job, "finalized")
            wait_for(job, "finalized")
            for pid in descendants_of(job.pid):
                if b"gondwana-agent" in read_proc(pid, "cmdline"):
                    os.kill(pid, signal.SIGKILL)
            _, errors = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, errors), (0, ""))

    def test_global_exit_with_a_status_of_more_than_8_bits_is_no_success(self):
        self.assertEqual(run(2, "misuse", "global_exit_256").returncode, 1)

    def test_global_exit_of_a_thread_ends_the_others_in_silence(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                ended = run(ranks, "global_exit")
                self.assertEqual(
                    (ended.returncode, ended.stdout, ended.stderr),
                    (7, f"goodbye of rank {ranks - 1}\n", ""),
                )

    def test_a_full_heap_is_explained(self):
        ended = run(2, "misuse", "full")
        self.assert_told(ended, 0, r"rank 0: shmem_malloc of 1 PiB: the largest free piece")

    def test_heaps_beyond_memory_are_refused_with_the_size_that_fits(self):
        ended = run(2, "misuse", GONDWANA_HEAP_SIZE="4T")
        self.assert_told(ended, 1, r"a heap of 4 TiB on each of 2 ranks needs 8 TiB, this node has")
        fits = re.search(r"lower GONDWANA_HEAP_SIZE to (\d+M)", ended.stderr)[1]
        self.assertEqual(run(2, "misuse", GONDWANA_HEAP_SIZE=fits).returncode, 0)

    def test_heaps_beyond_what_is_left_are_refused_before_they_are_taken(self):
        heap = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4 >> 20
        ended = run(2, "prefault", "local", GONDWANA_PREFAULT="local",
                    GONDWANA_HEAP_SIZE=f"{heap}M", GONDWANA_HEAP_OVERCOMMIT="yes")
        self.assert_told(ended, 1, r"GONDWANA_PREFAULT: a heap of .* on each of 2 ranks needs .*, "
                                   r"this node has .* left; lower GONDWANA_HEAP_SIZE to \d+M")

    def test_variables_that_make_no_sense_are_named(self):
        ended = run(2, "misuse", SHMEM_SYMMETRIC_SIZE="8q")
        self.assert_told(ended, 1, r'SHMEM_SYMMETRIC_SIZE "8q": expected a nonnegative number')
        ended = run(2, "misuse", GONDWANA_HEAP_SIZ="1G")
        self.assert_told(ended, 0, r"did you mean GONDWANA_HEAP_SIZE\?")

    def test_programs_without_a_build_id_are_told_apart(self):
        self.assert_told(run(2, "layout"), 0)
        self.assert_layouts_are_told_apart()

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_programs_without_a_build_id_are_told_apart_on_two_nodes(self):
        self.assert_layouts_are_told_apart("--hosts", "localhost:1,localhost:1")

    def assert_layouts_are_told_apart(self, *options):
        command = [door_case.GONDWANA, "run", *options, "-n", "1", program("layout")]
        command += [":", "-n", "1", program("layout_swapped")]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=WATCHDOG, check=False
        )
        self.assert_told(ended, 1, r"rank 1: .* runs a different program than rank 0")

    def test_a_limit_of_file_sizes_is_named_by_a_program_without_a_launcher(self):
        ended = subprocess.run(
            ["sh", "-c", f"ulimit -f 64; exec {program('misuse')}"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assert_told(ended, 1, r"shmem_init: cannot extend shared memory to .*: .*ulimit -f")

    def test_another_launcher_is_not_taken_for_none(self):
        ended = subprocess.run(
            [program("misuse")],
            env={**os.environ, "PMI_SIZE": "4"},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assert_told(ended, 1, r"PMI_SIZE=4: another launcher started 4 processes")


if __name__ == "__main__":
    run_tests()
