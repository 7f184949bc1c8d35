"""What `gondwana run --trace` and `gondwana trace` write, as Perfetto reads it.

trace_test.py GONDWANA EVENTS PACKAGES MPIRUN GASNET ARMCI NVTX

GASNET and ARMCI are programs of the profile's tests. NVTX is a library that prints what it is told.
"""

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
import job_case
from job_case import WATCHDOG, run_tests, take_path
from launcher_case import LauncherCase
from trace_case import read_trace, take_packages

EVENTS = ""
MPIRUN = ""
GASNET = ""
ARMCI = ""
NVTX = ""
NODES_OF_ONE = {"GONDWANA_NODE_RANKS": "1", "GONDWANA_NETWORK": "127.0.0.0/8"}
PUT, ADD, WAIT = "shmem_long_p", "shmem_long_atomic_add", "shmem_long_wait_until"


def line_of(text):
    """Where it stands in the program."""
    lines = Path(__file__).with_name("events.c").read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if text in line]
    return f"events.c:{number}"


class TraceTest(LauncherCase):
    def trace_of_run(self, *words, ranks=2, env=None, status=0):
        """Runs the program to its end; returns the file and what was said of it."""
        file = f"{self.folder}/run.pftrace"
        ended, _, err = self.run_job(
            "-n", str(ranks), "--trace", file, EVENTS, *words, env=env
        )
        self.assertEqual(ended, status, err)
        return file, err

    def tool(self, *words):
        said = subprocess.run(
            [job_case.GONDWANA, "trace", *words], capture_output=True, text=True, timeout=WATCHDOG,
            cwd=self.folder,
        )
        return said.returncode, said.stdout, said.stderr

    def begin_loop(self, *before, env=None, what="loop", ready=1):
        env = {"GONDWANA_TRACE_SIZE": "256K", **(env or {})}
        return super(LauncherCase, self).start_ready(
            "-n", "2", *before, EVENTS, what, ranks=ready, program=(), env=env
        )

    def end(self, job):
        job.terminate()
        job.wait(WATCHDOG)

    def check_play(self, trace, times):
        """Every wait was ended by the put or addition that was made for it."""
        self.assertEqual(trace.problems, [])
        for rank in (0, 1):
            process = f"rank {rank}"
            self.assertEqual(len(trace.named(PUT, process)), times)
            self.assertEqual(len(trace.named(WAIT, process)), times + rank)
            self.assertEqual(len(trace.named("shmem_barrier_all", process)), 2)
            self.assertEqual(len(trace.named("shmem_init", process)), 1)
            puts = trace.named(PUT, process)
            waits = trace.named(WAIT, f"rank {1 - rank}")
            flows = [(a, b) for a, b in trace.flows if a.process == process and a.name == PUT]
            self.assertEqual(flows and sorted(flows, key=lambda flow: flow[0].begin),
                             list(zip(puts, waits[:times], strict=True)))
            for put, wait in flows:
                self.assertLess(put.begin, wait.end)
                self.assertEqual((put.bytes, put.rank, put.category), (8, 1 - rank, "call"))
                self.assertEqual((put.place, wait.place, wait.category), ("flag", "flag", "call"))
        (add,) = trace.named(ADD)
        block = line_of("words = shmem_calloc")
        self.assertRegex(add.place, rf"^heap\+0x[0-9a-f]*18 \(byte 24 of 64 from {block}\)$")
        self.assertEqual((add.source, add.function), (line_of("shmem_long_atomic_add"), "play"))
        ((last, woken),) = [flow for flow in trace.flows if flow[0].name == ADD]
        self.assertEqual((last, woken), (add, trace.named(WAIT, "rank 1")[-1]))

    def test_calls_and_what_ended_waits(self):
        file, said = self.trace_of_run("play", "10")
        self.assertRegex(
            said, rf"--trace: \d+ events of 2 ranks in {file}; https://ui.perfetto.dev shows it\n"
        )
        with read_trace(file) as trace:
            self.assertEqual(trace.processes, ["rank 0", "rank 1"])
            self.check_play(trace, 10)

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_two_nodes_by_one_clock(self):
        file, said = self.trace_of_run("play", "10", env=NODES_OF_ONE)
        (error,) = re.findall(r"clocks of the hosts agree to (\d+) us", said)
        with read_trace(file) as trace:
            self.assertEqual(
                trace.processes, ["rank 0", "rank 1", "agent of node 0", "agent of node 1"]
            )
            self.check_play(trace, 10)
            self.assertTrue(trace.named("batch to node 1", "rank 0"))
            self.assertTrue(trace.named("batch from rank 0", "agent of node 1"))
            # Both nodes are on this machine: no answer comes before its question.
            for put, wait in trace.flows:
                self.assertLess(put.begin, wait.end + 2000 * int(error))

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_steps_of_a_collective_between_nodes(self):
        two_of_two = {**NODES_OF_ONE, "GONDWANA_NODE_RANKS": "2"}
        file, _ = self.trace_of_run("sum", ranks=4, env=two_of_two)
        with read_trace(file) as trace:
            self.assertEqual(trace.problems, [])
            for rank, names in enumerate((["on this node", "between nodes"], ["on this node"])):
                (call,) = trace.named("shmem_long_sum_reduce", f"rank {rank}")
                steps = [
                    one for one in trace.slices if one.category == "step"
                    and one.process == call.process and call.begin <= one.begin < call.end
                ]
                self.assertEqual([one.name for one in steps][: len(names)], names)
                self.assertEqual([one.step for one in steps], list(range(1, len(steps) + 1)))
                self.assertLessEqual(steps[-1].end, call.end)
                self.assertGreater(steps[len(names) - 1].duration, 0.1e9)  # the other node is late

    def check_meeting(self, trace, ranks):
        self.assertEqual(trace.problems, [])
        last, released = ranks - 1, {f"rank {rank}" for rank in range(ranks - 1)}
        barriers = [one for one in trace.named("shmem_barrier_all") if one.begin >= trace.named(
            "shmem_barrier_all", f"rank {last}")[0].begin - 0.2e9]
        self.assertEqual([one.last for one in barriers], [last] * ranks)
        (late,) = [one for one in barriers if one.late_ns is not None]
        self.assertGreater(late.late_ns, 0.05e9)
        flows = [(one, other) for one, other in trace.flows if one.name == "shmem_barrier_all"]
        self.assertEqual({one.process for one, _ in flows}, {f"rank {last}"})
        self.assertEqual({other.process for _, other in flows}, released)
        teams = trace.named("shmem_team_sync")
        self.assertEqual([one.last for one in teams], [1] * (ranks // 2))
        self.assertEqual(len(trace.named("shmem_sync_all")), ranks)

    def test_who_came_last_and_who_had_the_lock(self):
        nodes = (None, {**NODES_OF_ONE, "GONDWANA_NODE_RANKS": "2"})
        for env in nodes if find_library("fabric") else (None,):
            file, _ = self.trace_of_run("meet", ranks=4, env=env)
            with read_trace(file) as trace:
                self.check_meeting(trace, 4)
                flows = [(a, b) for a, b in trace.flows if a.name == "shmem_clear_lock"]
                self.assertGreaterEqual(len(flows), 3)
                takers = [b.process for _, b in flows if b.name == "shmem_set_lock"]
                self.assertEqual(sorted(takers), ["rank 1", "rank 2", "rank 3"])
                self.assertEqual(flows[0][0].process, "rank 0")
                for release, taken in flows:
                    self.assertEqual((release.place, taken.place), ("lock", "lock"))
                    self.assertNotEqual(release.process, taken.process)

    def test_memory_of_devices_and_buffers_is_named(self):
        file, _ = self.trace_of_run("buffers", env={"GONDWANA_EMULATED_DEVICES": "1"})
        with read_trace(file) as trace:
            puts = [(put.place, put.device) for put in trace.named("shmem_putmem", "rank 0")]
            self.assertEqual(
                puts, [("memory of emulated:0+0x40", "emulated:0"), ("registered buffer+0x80", None)]
            )

    def test_regions_of_the_program(self):
        file, said = self.trace_of_run("regions", "3", env={"GONDWANA_DEBUG": "yes"})
        self.assertIn("shmemx_region_end: this thread has no open region", said)
        with read_trace(file) as trace:
            for rank in ("rank 0", "rank 1"):
                (outer,) = trace.named("outer", rank)
                inner = trace.named("inner", rank)
                self.assertEqual([one.category for one in inner], ["region"] * 3)
                for one, put in zip(inner, trace.named(PUT, rank), strict=True):
                    self.assertTrue(outer.begin <= one.begin <= put.begin <= put.end <= one.end)
                    self.assertLessEqual(one.end, outer.end)
                (left,) = trace.named("open", rank)
                self.assertEqual(left.duration, -1)

    def test_regions_are_ranges_of_nvtx_where_that_is_loaded(self):
        env = {"LD_PRELOAD": NVTX}
        status, out, err = self.run_job("-n", "1", EVENTS, "regions", "1", env=env)
        self.assertEqual(status, 0, err)
        self.assertEqual(out, "push outer\npush inner\npop\npop\npush open\n")

    def test_a_region_outlasts_its_ring(self):
        file, _ = self.trace_of_run("regions", "5000", env={"GONDWANA_TRACE_SIZE": "16K"})
        with read_trace(file) as trace:
            self.assertEqual(trace.problems, [])
            (outer,) = trace.named("outer", "rank 0")
            self.assertLess(outer.begin, trace.named("inner", "rank 0")[0].begin)

    def trace_of_program(self, *program, ranks=2, env=None):
        file = f"{self.folder}/program.pftrace"
        status, _, err = self.run_job("-n", str(ranks), "--trace", file, *program, env=env)
        self.assertEqual(status, 0, err)
        return file

    def test_calls_and_messages_of_gasnet(self):
        for env in (None, NODES_OF_ONE) if find_library("fabric") else (None,):
            with read_trace(self.trace_of_program(GASNET, "all_kinds", env=env)) as trace:
                self.assertEqual(trace.problems, [])
                for rank in (0, 1):
                    own, other = f"rank {rank}", f"rank {1 - rank}"
                    requests = trace.named("gex_AM_RequestMedium", own)
                    handled = trace.named(f"request from {own}", other)
                    self.assertEqual((len(requests), len(handled)), (7, 7))
                    self.assertEqual({one.category for one in handled}, {"message"})
                    self.assertEqual(len(trace.named(f"reply from {other}", own)), 7)
                    self.assertEqual(len(trace.named("gex_RMA_GetBlocking", own)), 5)
                    for request, handler in zip(requests, handled, strict=True):
                        self.assertLess(request.begin, handler.end)

    def test_calls_of_armci(self):
        with read_trace(self.trace_of_program(ARMCI, "all_kinds")) as trace:
            self.assertEqual(trace.problems, [])
            self.assertTrue(trace.named("ARMCI_Put", "rank 0"))

    def test_waits_say_for_whom(self):
        file, _ = self.trace_of_run("play", "200", ranks=4)
        with read_trace(file) as trace:
            calls = {one.call for one in trace.slices if one.category == "wait"}
            self.assertIn("shmem_barrier_all", calls)

    def test_a_crash_leaves_what_was_under_way(self):
        file, said = self.trace_of_run("crash", status=128 + signal.SIGSEGV)
        with read_trace(file) as trace:
            self.assertEqual(trace.problems, [])
            self.assertEqual(len(trace.named(ADD)), 1)
            last = trace.named(WAIT, "rank 0")[-1]
            self.assertEqual(last.duration, -1)
            self.assertEqual(len([one for one in trace.slices if one.duration == -1
                                  and one.category == "call"]), 1)

    def test_a_rank_that_is_started_again(self):
        file = self.trace_of_program("--restart", "1", "--keep-memory", EVENTS, "die")
        with read_trace(file) as trace:
            self.assertEqual(trace.problems, [])
            first, second = trace.named("shmem_init", "rank 1")
            (wait,) = trace.named(WAIT, "rank 1")
            (put,) = trace.named(PUT, "rank 1")
            self.assertLess(first.end, wait.begin)
            self.assertTrue(wait.begin < wait.end <= second.begin, (wait, second))
            self.assertLess(second.end, put.begin)

    def test_a_forked_child_is_not_the_rank(self):
        with read_trace(self.trace_of_program(EVENTS, "fork", ranks=1)) as trace:
            (asked,) = trace.named("shmem_n_pes")
            self.assertNotEqual(asked.tid, asked.pid)
            (init,) = trace.named("shmem_init")
            self.assertEqual((init.pid, init.tid), (asked.pid, asked.pid))

    def test_a_failed_job_leaves_its_trace_if_the_variable_says_so(self):
        for what, status in {"play": 0, "crash": 128 + signal.SIGSEGV}.items():
            ended, _, err = self.run_job(
                "-n", "2", EVENTS, what, env={"GONDWANA_TRACE": "yes"}, cwd=self.folder
            )
            self.assertEqual(ended, status)
            files = re.findall(r"--trace: \d+ events of 2 ranks in (\S+);", err)
            self.assertEqual(len(files), 1 if status else 0)
        self.assertEqual([name for name in os.listdir(self.folder) if "trace" in name], files)
        with read_trace(f"{self.folder}/{files[0]}") as trace:
            self.assertEqual(trace.named(WAIT, "rank 0")[-1].duration, -1)

    def test_only_the_last_seconds(self):
        file = f"{self.folder}/last.pftrace"
        words = ("--trace", file, "--trace-last", "0.05", "--timeout", "1", EVENTS, "loop")
        status, _, err = self.run_job("-n", "2", *words)
        self.assertEqual(status, 124, err)
        with read_trace(file) as trace:
            ends = [one.end for one in trace.slices if one.duration >= 0]
            self.assertLess(max(ends) - min(ends), 0.06e9)

    def test_the_newest_events_stay(self):
        file, said = self.trace_of_run("play", "5000", env={"GONDWANA_TRACE_SIZE": "64K"})
        self.assertRegex(said, r"; \d+ earlier events were overwritten: raise GONDWANA_TRACE_SIZE")
        with read_trace(file) as trace:
            self.assertEqual(trace.problems, [])
            self.assertEqual(len(trace.named(ADD)), 1)
            events = [one for one in trace.slices if one.name != "arrival"]
            self.assertLessEqual(len(events), 2 * 2048)
            self.assertGreater(len(events), 2000)

    def test_at_any_time_while_the_job_goes_on(self):
        job = self.begin_loop("--trace", f"{self.folder}/end.pftrace")
        for _ in range(2):
            status, out, err = self.tool("-o", "now.pftrace", "--last", "0.2", str(job.pid))
            self.assertEqual((status, err), (0, ""))
            self.assertRegex(out, r"^\d+ events of 2 ranks in now.pftrace; ")
            self.assertIsNone(job.poll())
        with read_trace(f"{self.folder}/now.pftrace") as trace:
            self.assertEqual(trace.problems, [])
            self.assertTrue(trace.named(PUT, "rank 0") and trace.named(PUT, "rank 1"))
            self.assertTrue(trace.flows)
            ends = [one.end for one in trace.slices if one.duration >= 0]
            self.assertLess(max(ends) - min(ends), 0.3e9)
        self.end(job)
        with read_trace(f"{self.folder}/end.pftrace") as trace:
            self.assertEqual(trace.problems, [])
            self.assertTrue(trace.named(PUT))

    def test_waits_of_a_job_that_nobody_prepared(self):
        job = self.begin_loop(what="stay", ready=2)
        time.sleep(0.3)  # both are where they stay
        status, out, err = self.tool("--watch", "0.2", str(job.pid))
        self.assertEqual((status, err), (0, ""))
        (file,) = re.findall(r"(gondwana-\w+\.pftrace); .*; the job is not traced, ", out)
        with read_trace(f"{self.folder}/{file}") as trace:
            (wait,) = trace.slices
            self.assertEqual((wait.name, wait.category, wait.process), ("wait", "wait", "rank 0"))
            self.assertEqual((wait.call, wait.duration), (WAIT, -1))
            self.assertRegex(wait.place, r"^heap\+0x")
        self.end(job)

    def begin_by_mpirun(self, *words, env):
        if not MPIRUN:
            self.skipTest("no mpirun here")
        root = ("--allow-run-as-root",) if os.geteuid() == 0 else ()
        job = subprocess.Popen(
            [MPIRUN, *root, "--oversubscribe", "-n", "2", EVENTS, *words],
            env=self.environment(env), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.addCleanup(self.close, job)
        self.assertEqual(job.stdout.readline(), "ready\n")
        return job

    def test_the_end_of_a_job_of_another_launcher(self):
        library = Path(job_case.GONDWANA).parent / "libgondwana_shmem_profile.so"
        ours = {"GONDWANA_TRACE": "yes", "SHMEM_PROFILE": "none", "LD_PRELOAD": str(library)}
        job = self.begin_by_mpirun("loop", env=ours)
        with subprocess.Popen(
            [job_case.GONDWANA, "trace", "-o", f"{self.folder}/end.pftrace", "--until-end",
             str(job.pid)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as tool:
            time.sleep(0.5)
            self.assertIsNone(tool.poll())
            job.terminate()
            out, err = tool.communicate(timeout=WATCHDOG)
        self.assertEqual((tool.returncode, err), (0, ""))
        self.assertIn(" events of 2 ranks in ", out)
        job.wait(WATCHDOG)
        self.assertTrue(self.nobody_left())
        with read_trace(f"{self.folder}/end.pftrace") as trace:
            self.assertEqual(trace.problems, [])
            self.assertTrue(trace.named(PUT))

    def test_64_ranks_on_few_processors(self):
        file, said = self.trace_of_run("play", "3", ranks=64)
        with read_trace(file) as trace:
            self.assertEqual(trace.problems, [])
            self.assertEqual(trace.processes, [f"rank {rank}" for rank in range(64)])
            self.assertEqual(len(trace.named("shmem_barrier_all")), 2 * 64)
            flows = [one for one in trace.flows if one[0].name in (PUT, ADD)]
            self.assertEqual(len(flows), 2 * 3 + 1)

    def test_mistakes_get_a_sentence(self):
        for words, sentence in {
            ("-n", "1", "--trace", "/nowhere/x", EVENTS): "--trace /nowhere/x: there is no folder",
            ("-n", "1", "--trace", self.folder, EVENTS): f"--trace {self.folder}: is a folder",
            ("-n", "1", "--trace", "--label", EVENTS): "--trace --label: expected a file",
            ("-n", "1", "--trace-last", "1", EVENTS): "--trace-last without --trace, which names",
        }.items():
            status, out, err = self.run_job(*words)
            self.assertEqual((status, out, err.count("\n")), (1, "", 1))
            self.assertIn(sentence, err)
        for words, sentence in {
            ("nonsense",): "no job of yours on this machine has the id, process or program nonsense",
            (__file__,): f"{__file__} is a file, not a job; open it at https://ui.perfetto.dev",
            ("--last", "x"): '--last "x": expected seconds',
            ("-o",): "-o needs a value: FILE",
            ("-o", ""): '-o "": its value is empty',
            ("--loud",): "--loud is not an option; see gondwana trace --help",
        }.items():
            status, out, err = self.tool(*words)
            self.assertEqual((status, out, err.count("\n")), (1, "", 1))
            self.assertIn(sentence, err)

    def test_what_is_no_regular_file_is_written_as_it_is(self):
        job = self.begin_loop(what="stay", ready=2)
        link, pipe = f"{self.folder}/link", f"{self.folder}/pipe"
        os.symlink("behind", link)
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
            for name in (link, pipe):
                status, _, err = self.tool("-o", name, "--watch", "0.2", str(job.pid))
                self.assertEqual((status, err), (0, ""))
            self.assertGreater(len(reader.stdout.read()), 100)
        self.assertEqual(os.readlink(link), "behind")
        self.assertGreater(os.path.getsize(f"{self.folder}/behind"), 100)
        self.assertEqual([name for name in os.listdir(self.folder) if "unfinished" in name], [])
        self.end(job)

    def test_a_job_that_does_not_start_has_no_trace(self):
        file = f"{self.folder}/none.pftrace"
        for name in ("SHMEM_SYMMETRIC_SIZE", "GONDWANA_TRACE_SIZE"):
            env = {name: "bogus"}
            status, _, err = self.run_job("-n", "2", "--trace", file, EVENTS, env=env)
            self.assertNotEqual(status, 0)
            self.assertIn("--trace: there are no events: no rank has initialised the library\n", err)
            self.assertFalse(Path(file).exists())

    def test_a_program_without_the_library_has_no_trace(self):
        file = f"{self.folder}/none.pftrace"
        status, _, err = self.run_job("-n", "1", "--trace", file, "true")
        self.assertEqual(status, 1)
        self.assertIn("--trace: there are no events: no rank has initialised the library\n", err)
        self.assertFalse(Path(file).exists())


if __name__ == "__main__":
    EVENTS, MPIRUN = take_path(2), sys.argv.pop(3)
    GASNET, ARMCI, NVTX = take_path(3), take_path(3), take_path(3)
    take_packages(2)
    run_tests()
