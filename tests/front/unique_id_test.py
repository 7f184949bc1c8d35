"""Start by a unique id: `unique_id_test.py GONDWANA PROGRAM PROGRAM_STATIC`."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import JobTest, take_path
from processes import eventually, free_port, has_address_sanitizer, read_proc

WATCHDOG = 120  # seconds: against hangs only
PROGRAM = ""
STATIC = ""
SIZE = 4


class UniqueIdTest(JobTest):
    def command(self):
        return []

    def tearDown(self):
        eventually(lambda: not self.marked())  # agents end after their ranks
        super().tearDown()

    def rank(self, how, rank, size=SIZE, program="", **more):
        return self.start(program or PROGRAM, how, self.folder, str(rank), str(size), **more)

    def ranks(self, how, size=SIZE, program="", **more):
        return [self.rank(how, rank, size, program, **more) for rank in range(size)]

    def end_of(self, job):
        out, err = job.communicate(timeout=WATCHDOG)
        return job.returncode, out, err

    def ends(self, jobs):
        return [self.end_of(job) for job in jobs]

    def all_end_well(self, jobs):
        for rank, (status, out, err) in enumerate(self.ends(jobs)):
            self.assertEqual((status, err), (0, ""), f"rank {rank}: {out}")

    def has_id(self):
        return os.path.exists(f"{self.folder}/id")

    def joined(self, jobs):
        for job in jobs:
            self.assertEqual(job.stdout.readline(), "joined\n")

    def end_waiting(self, jobs):
        for job in jobs:
            job.stdin.write("\n")
            job.stdin.flush()
        self.all_end_well(jobs)

    def waiting_ranks(self, size=2):
        jobs = self.ranks("waits", size, stdin=subprocess.PIPE)
        self.joined(jobs)
        return jobs


class Starts(UniqueIdTest):
    def test_processes_become_a_job(self):
        self.all_end_well(self.ranks("once"))

    def test_a_job_may_have_one_rank(self):
        self.all_end_well(self.ranks("once", 1))

    def test_the_library_may_be_part_of_the_program(self):
        self.all_end_well(self.ranks("once", program=STATIC))

    def test_a_process_joins_one_job_after_another(self):
        self.all_end_well(self.ranks("again"))

    def test_the_library_may_be_part_of_a_program_that_changes_jobs(self):
        self.all_end_well(self.ranks("again", program=STATIC))

    def test_variables_of_a_program_with_threads_stay_private(self):
        self.all_end_well(self.ranks("threads"))

    def test_forked_children_become_a_job(self):
        self.all_end_well([self.rank("forks", 0)])

    def test_hosts_may_be_played(self):
        self.all_end_well(self.ranks("once", env={"GONDWANA_NODE_RANKS": "2"}))

    def test_hosts_may_be_played_in_one_job_after_another(self):
        self.all_end_well(self.ranks("again", env={"GONDWANA_NODE_RANKS": "2"}))


class Meets(UniqueIdTest):
    """The ranks know from their environment where rank 0 listens."""

    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.secret("secret", "of this job")

    def secret(self, name, text):
        Path(self.folder, name).write_text(text, encoding="utf-8")
        return {"GONDWANA_MEET_SECRET": f"{self.folder}/{name}"}

    def meet(self, variables, program="", size=3):
        """Starts the ranks, rank 0 last; `variables`: those of a rank."""
        common = {"GONDWANA_MEET": f"localhost:{self.port}", **self.secret("secret", "of this job")}
        jobs = []
        for rank in reversed(range(size)):
            env = {**common, **variables(rank)}
            env = {name: text for name, text in env.items() if text is not None}
            jobs.append(self.rank("meets", rank, size, program, env=env))
        return jobs[::-1]

    @staticmethod
    def torchrun(rank):
        return {"RANK": str(rank), "WORLD_SIZE": "3", "ROLE_WORLD_SIZE": "3"}

    def test_ranks_of_torchrun_meet(self):
        place = {"GONDWANA_MEET": f":{self.port}", "MASTER_ADDR": "127.0.0.1"}
        self.all_end_well(self.meet(lambda rank: {**self.torchrun(rank), **place}))

    def test_ranks_of_an_indexed_job_meet(self):
        self.all_end_well(
            self.meet(lambda rank: {"JOB_COMPLETION_INDEX": str(rank), "GONDWANA_MEET_SIZE": "3"})
        )

    def test_the_library_may_be_part_of_the_program(self):
        self.all_end_well(self.meet(self.torchrun, STATIC))

    def apinfo(self, version):
        """The file of PALS for three ranks on this machine."""
        header, profile, nic = {1: (136, 52, 48), 5: (160, 40, 120)}[version]
        sections = [
            (profile, b""),
            (12, struct.pack("=3i", 3, 3, 1)),
            (12, b"".join(struct.pack("=3i", rank, 0, 0) for rank in range(3))),
            (68, struct.pack("=i64s", 1, b"localhost")),
            (nic, b""),
        ]
        content, described = b"", b""
        for size, elements in sections:
            described += struct.pack("@QQixxxx", size, header + len(content), len(elements) // size)
            content += elements
        described = struct.pack("@iQ", version, header + len(content)) + described
        path = Path(self.folder, f"apinfo{version}")
        if not path.exists():  # a rank may read it already
            path.write_bytes(described.ljust(header, b"\0") + content)
        return str(path)

    def pals(self, version, rank):
        return {
            "GONDWANA_MEET": None,
            "GONDWANA_MEET_SECRET": None,
            "PALS_APINFO": self.apinfo(version),
            "PALS_RANKID": str(rank),
            "PMI_SHARED_SECRET": "12345678901234567890",
        }

    def test_ranks_of_pals_meet_at_the_port_that_it_reserved(self):
        ports = {"PMI_CONTROL_PORT": f"1,{self.port}"}
        self.all_end_well(self.meet(lambda rank: {**self.pals(1, rank), **ports}))

    def test_ranks_of_pals_on_one_host_need_no_port(self):
        name = {"PALS_APID": self.mark}
        self.all_end_well(self.meet(lambda rank: {**self.pals(5, rank), **name}))

    def test_a_rank_with_another_secret_is_refused(self):
        other = self.secret("other", "a guessed one")
        short = {"GONDWANA_JOIN_TIMEOUT": "1"}
        jobs = self.meet(lambda rank: {**self.torchrun(rank), **(other if rank == 1 else short)})
        ends = self.ends(jobs)
        self.assertIn("the secrets of GONDWANA_MEET_SECRET differ", ends[1][2])
        self.assertIn("its unique id or secret is a different one", ends[0][2])
        self.assertNotEqual(ends[0][0], 0)

    def test_ranks_without_a_secret_are_told(self):
        [job] = self.meet(lambda _: {"GONDWANA_MEET_SECRET": None, **self.torchrun(0)}, size=1)
        self.assertIn("any process that reaches the port could join", self.end_of(job)[2])


class InAJob(UniqueIdTest):
    def outer(self, outer, inner):
        script = (
            f'n=$((GONDWANA_RANK / {inner})); mkdir -p "$1/$n"; '
            f'exec "$0" again "$1/$n" $((GONDWANA_RANK % {inner})) {inner}'
        )
        words = (job_case.GONDWANA, "run", "-n", str(outer), "sh", "-c", script)
        return self.run_job(*words, PROGRAM, self.folder, env={"OUTER": str(outer)})

    def test_ranks_of_a_job_become_a_job_and_return(self):
        status, out, err = self.outer(4, 2)
        self.assertEqual((status, out, err), (0, "", ""))


class Limits(UniqueIdTest):
    def test_a_rank_that_gets_no_more_descriptors_or_memory_is_told_and_goes_on(self):
        words = (job_case.GONDWANA, "run", "-n", "2", PROGRAM, "limits", self.folder, "0", "0")
        status, _, err = self.run_job(*words)
        self.assertEqual(status, 0, err)
        self.assertRegex(err, "shmemx_get_uniqueid: cannot .*; raise ulimit -n")
        if not has_address_sanitizer(PROGRAM):  # it needs address space itself
            self.assertRegex(err, "shmemx_get_uniqueid: cannot start the thread .*; raise ulimit -u")
        self.assertRegex(err, "rank 1: shmemx_buffer_register: .* Too many open files; raise ulim")
        self.assertRegex(err, "shmem_malloc of .*: the largest free piece of the symmetric heap")


class Ends(UniqueIdTest):
    def test_global_exit_ends_all(self):
        for status, _, err in self.ends(self.ranks("exits")):
            self.assertEqual((status, err), (5, ""))

    def test_a_rank_that_fails_ends_all(self):
        ends = self.ends(self.ranks("fails"))
        self.assertEqual([status for status, _, _ in ends], [6] * SIZE)
        self.assertIn("rank 1 ends with status 6", ends[1][2])

    def test_a_rank_that_dies_ends_all(self):
        ends = self.ends(self.ranks("dies"))
        self.assertEqual(ends[1][0], -signal.SIGABRT)
        for rank in (0, 2, 3):
            self.assertEqual(ends[rank][0], 1, ends[rank])
        self.assertTrue(any("rank 1" in err for _, _, err in ends))


class Refusals(UniqueIdTest):
    def guest(self, rank, size, status):
        job = self.rank("guest", rank, size)
        end, _, err = self.end_of(job)
        self.assertEqual(end, status, err)
        return err

    def test_a_rank_comes_once_and_all_have_one_size(self):
        first = self.rank("once", 0, 2)
        self.assertTrue(eventually(self.has_id))
        # The first may come after the guests: they say the same as it would.
        self.assertTrue(eventually(lambda: self.connections(first) > 0))
        self.assertIn("another process has already come as rank 0", self.guest(0, 2, 4))
        self.assertIn("this process says that the job has 3 ranks", self.guest(1, 3, 4))
        second = self.rank("once", 1, 2)
        ends = self.ends([first, second])
        self.assertEqual([status for status, _, _ in ends], [0, 0], ends)
        self.assertEqual(ends[0][2].count("refused a connection from 127.0.0.1"), 2)
        self.assertIn("number 2: ", ends[0][2])

    @staticmethod
    def connections(job):
        """Connections over the network in which a process has checked in, and its own end."""
        text = read_proc(job.pid, "net/tcp").decode()
        inodes = {line.split()[9] for line in text.splitlines()[1:] if line.split()[3] == "01"}
        own = set()
        for name in os.listdir(f"/proc/{job.pid}/fd"):
            try:
                own.add(os.readlink(f"/proc/{job.pid}/fd/{name}"))
            except OSError:
                continue
        return len([inode for inode in inodes if f"socket:[{inode}]" in own])

    def test_an_id_starts_one_job(self):
        jobs = self.waiting_ranks()
        self.assertIn("has already started a job of 2 ranks", self.guest(1, 2, 4))
        for job in jobs:
            job.stdin.write("\n")
            job.stdin.flush()
        ends = self.ends(jobs)
        self.assertEqual([status for status, _, _ in ends], [0, 0])
        self.assertIn("refused a connection from 127.0.0.1, number 1: ", ends[0][2])

    def test_the_id_of_an_ended_job_is_refused(self):
        self.all_end_well(self.ranks("once", 2))
        self.assertIn("it has ended, or the job that it started has", self.guest(1, 2, 4))

    def test_a_guessed_id_is_refused(self):
        jobs = self.waiting_ranks()
        with open(f"{self.folder}/id", "r+b") as file:
            file.seek(40)
            file.write(b"guess")
        self.assertIn("was changed on its way", self.guest(1, 2, 4))
        with open(f"{self.folder}/id", "r+b") as file:
            file.write(bytes(128))
        self.assertIn("not a unique id of Gondwana", self.guest(1, 2, 4))
        self.end_waiting(jobs)

    def test_a_stranger_at_the_port_is_refused(self):
        jobs = self.waiting_ranks()
        with open(f"{self.folder}/id", "rb") as file:
            port = int.from_bytes(file.read(6)[4:], sys.byteorder)
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(b"GET / HTTP/1.1\n")
            self.assertIn(b"refused this is where the ranks of a Gondwana job meet", line.recv(500))
        self.assertEqual(self.refused_in(jobs), 1)
        for job in jobs:
            job.stdin.write("\n")
            job.stdin.flush()
        ends = self.ends(jobs)
        self.assertEqual([status for status, _, _ in ends], [0, 0])
        self.assertIn("number 1: this is where the ranks of a Gondwana job meet", ends[0][2])

    def refused_in(self, jobs):
        """What `gondwana ps` says about the job of these processes."""
        words = [job_case.GONDWANA, "ps", "--json", str(jobs[0].pid)]
        listed = subprocess.run(words, capture_output=True, text=True, timeout=WATCHDOG, check=True)
        [row] = json.loads(listed.stdout)
        return row["refused"]

    def test_ranks_that_do_not_come_are_named(self):
        first = self.rank("once", 0, 4)  # it waits longer
        self.assertTrue(eventually(self.has_id))
        self.assertTrue(eventually(lambda: self.connections(first) > 0))
        guest = self.rank("guest", 2, 4, env={"GONDWANA_JOIN_TIMEOUT": "2"})
        status, _, err = self.end_of(guest)
        self.assertEqual(status, 4)
        self.assertRegex(err, r"rank 2 of 4: of 4 ranks these did not come within 2 s .*: 1, 3")
        status, _, err = self.end_of(first)
        self.assertEqual(status, 70)
        self.assertIn("rank 2 ended before all ranks had joined; these had not come: 1, 3", err)


if __name__ == "__main__":
    job_case.GONDWANA, PROGRAM, STATIC = take_path(), take_path(), take_path()
    unittest.main(verbosity=2)
