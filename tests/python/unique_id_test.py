"""Python programs that start without a launcher of Gondwana: multiprocessing, files, mpi4py, torch."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

WATCHDOG = 200  # seconds: against hangs only

# What each rank does: the sum over all ranks arrives at all of them.
WORK = """
import gondwana

def work(size):
    assert gondwana.size() == size
    table = gondwana.zeros(size, int)
    for rank in range(size):
        table.put(gondwana.rank() + 1, rank=rank, at=gondwana.rank())
    gondwana.barrier()
    print(f"rank {gondwana.rank()} of {size}: {table.local.sum()}\\n", end="", flush=True)
    table.free()
"""


def lines(size):
    total = size * (size + 1) // 2
    return [f"rank {rank} of {size}: {total}" for rank in range(size)]


class UniqueIdTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, program):
        path = self.folder / "program.py"
        path.write_text(WORK + textwrap.dedent(program), encoding="utf-8")
        return str(path)

    @staticmethod
    def start(words, **variables):
        return subprocess.Popen(
            words,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def all_work(self, processes, expected):
        ends = [process.communicate(timeout=WATCHDOG) for process in processes]
        said = "".join(err for _, err in ends)
        self.assertEqual([process.returncode for process in processes], [0] * len(ends), said)
        printed = [line for out, _ in ends for line in out.splitlines()]
        self.assertEqual(sorted(printed), sorted(expected), said)

    def run_alone(self, program, expected):
        self.all_work([self.start([sys.executable, self.write(program)])], expected)


class Starts(UniqueIdTest):
    def test_multiprocessing_spawns_a_job(self):
        program = """
            if __name__ == "__main__":
                gondwana.spawn(work, 3, (3,))
                gondwana.spawn(work, 2, (2,))
        """
        self.run_alone(program, lines(3) + lines(2))

    def test_a_spawned_rank_that_fails_is_named(self):
        program = """
            import sys
            def fail():
                if gondwana.rank() == 1:
                    sys.exit(7)
            if __name__ == "__main__":
                try:
                    gondwana.spawn(fail, 2)
                except RuntimeError as error:
                    print("1: 7" in str(error))
        """
        self.run_alone(program, ["True"])

    def test_forked_children_are_a_job(self):
        program = """
            import multiprocessing
            unique_id = gondwana.get_unique_id()
            def join(rank, size):
                gondwana.init(unique_id=unique_id, rank=rank, size=size)
                work(size)
                gondwana.finalize()
            context = multiprocessing.get_context("fork")
            children = [context.Process(target=join, args=(rank, 3)) for rank in range(3)]
            for child in children:
                child.start()
            for child in children:
                child.join()
                assert child.exitcode == 0
        """
        self.run_alone(program, lines(3))

    def test_a_file_carries_the_id(self):
        path = self.write(
            """
            import sys
            rank, size = int(sys.argv[2]), int(sys.argv[3])
            gondwana.init_by_file(sys.argv[1], rank, size)
            work(size)
            gondwana.finalize()
            if rank < 2:
                gondwana.init_by_file(sys.argv[1] + "2", 1 - rank, 2)
                work(2)
                gondwana.finalize()
            gondwana.init()
            work(1)
            """
        )
        words = [sys.executable, path, str(self.folder / "id")]
        ranks = [self.start([*words, str(rank), "3"]) for rank in range(3)]
        self.all_work(ranks, lines(3) + lines(2) + 3 * lines(1))
        self.assertEqual([file.name for file in self.folder.glob("id*")], [])

    def test_mistakes_are_exceptions(self):
        program = """
            def refused(*args, **more):
                try:
                    gondwana.init(*args, **more)
                except (RuntimeError, ValueError) as error:
                    print(error)
            refused(rank=0, size=1)
            refused(unique_id=bytes(128))
            refused(unique_id=bytes(5), rank=0, size=1)
            refused(unique_id=bytes(128), rank=1, size=1)
            refused(unique_id=bytes(128), rank=0, size=1)
            gondwana.init(unique_id=gondwana.get_unique_id(), rank=0, size=1)
            refused(unique_id=gondwana.get_unique_id(), rank=0, size=1)
        """
        expected = [
            "rank and size belong to a unique id; a launcher gives them otherwise",
            "a unique id needs rank and size",
            "a unique id has 128 bytes, not 5",
            "rank 1: this job has 1 ranks, 0 to 0",
            "rank 0 of 1 could not join; the message on standard error says why",
            "the library is initialised; call gondwana.finalize() before",
        ]
        self.run_alone(program, expected)


class OtherLaunchers(UniqueIdTest):
    def needs(self, module, command=None):
        if importlib.util.find_spec(module) is None:
            self.skipTest(f"no {module} here")
        beside = Path(sys.executable).parent / (command or "")
        found = str(beside) if command and beside.exists() else shutil.which(command or "true")
        if found is None:
            self.skipTest(f"no {command} here")
        return found

    def test_mpi4py_carries_the_id(self):
        self.needs("mpi4py")
        mpirun = self.needs("mpi4py", "mpirun")
        program = """
            from mpi4py import MPI
            size = MPI.COMM_WORLD.Get_size()
            half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.Get_rank() // 2)
            gondwana.init_by_mpi(half)
            work(2)
            gondwana.finalize()
            gondwana.init_by_mpi(MPI.COMM_WORLD)
            work(size)
            gondwana.finalize()
        """
        words = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable]
        job = self.start([*words, self.write(program)])
        self.all_work([job], 2 * lines(2) + lines(4))

    def test_torchrun_starts_ranks(self):
        self.needs("torch")
        program = """
            import torch.distributed
            torch.distributed.init_process_group("gloo")
            gondwana.init_by_torch()
            work(3)
            gondwana.finalize()
            torch.distributed.destroy_process_group()
        """
        words = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "3"]
        job = self.start([*words, "--master-port", "0", self.write(program)], OMP_NUM_THREADS="1")
        self.all_work([job], lines(3))

    def test_ray_starts_ranks(self):
        self.needs("ray")
        program = """
            import ray
            ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
            @ray.remote(num_cpus=1)
            class Worker:
                def rank_of(self, unique_id, rank, size):
                    import gondwana
                    gondwana.init(unique_id=unique_id, rank=rank, size=size)
                    total = gondwana.zeros(1, int)
                    total.fetch_add(0, rank + 1, rank=0)
                    gondwana.barrier()
                    found = int(total.get(rank=0)[0])
                    gondwana.finalize()
                    return found
            workers = [Worker.remote() for _ in range(2)]
            for size in (2, 1):
                unique_id = gondwana.get_unique_id()
                calls = [workers[rank].rank_of.remote(unique_id, rank, size) for rank in range(size)]
                print(ray.get(calls))
            ray.shutdown()
        """
        self.run_alone(program, ["[3, 3]", "[1]"])

    def test_dask_starts_ranks(self):
        self.needs("distributed")
        program = """
            from distributed import Client, LocalCluster
            def rank_of(unique_id, rank, size):
                gondwana.init(unique_id=unique_id, rank=rank, size=size)
                total = gondwana.zeros(1, int)
                total.fetch_add(0, rank + 1, rank=0)
                gondwana.barrier()
                found = int(total.get(rank=0)[0])
                gondwana.finalize()
                return found
            if __name__ == "__main__":
                with LocalCluster(n_workers=2, threads_per_worker=1) as cluster:
                    with Client(cluster) as client:
                        workers = list(client.scheduler_info()["workers"])
                        for size in (2, 1):
                            unique_id = gondwana.get_unique_id()
                            futures = [
                                client.submit(rank_of, unique_id, rank, size, workers=[worker])
                                for rank, worker in enumerate(workers[:size])
                            ]
                            print(client.gather(futures))
        """
        self.run_alone(program, ["[3, 3]", "[1]"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
