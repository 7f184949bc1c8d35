"""Kills ranks of a job again and again, and watches that it goes on: `./dev survive`.

The job is examples/mortal_table.c, with ranks that are started again with their memory. With --hosts it is
examples/mortal_stencil.c on two nodes, whose agents and guardians are killed, too. It must end with right values,
and its launcher and guardians must not grow.
"""

import argparse
import atexit
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from processes import children_of, command_line

MORE_KIB = 1024  # of private memory that a process may take while it watches some thousand restarts
MORE_FOR_NODE_KIB = 6  # that the conductor keeps of each lost node; a job loses at most 1000
MORE_DESCRIPTORS = 8
MORE_SHARED_KIB = 8192  # that ranks which are started again may use in the memory of the node
OTHERS = 4  # the agents and the guardians of two nodes
WARM_UP = 8  # kills before the first sample: the table is full then
TIMEOUT = 300  # seconds for the check at the end, on a busy machine, and a third of the time of the kills


def facts_of(pid):
    """The private memory of a process in KiB, and the number of its descriptors."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", status)[1]), len(os.listdir(f"/proc/{pid}/fd"))


def shared_memory_of(pid):
    """The memory files that a process holds, in KiB: all memory that the ranks of a node share."""
    files = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        if os.readlink(f"/proc/{pid}/fd/{name}").startswith("/memfd:"):
            found = os.stat(f"/proc/{pid}/fd/{name}")
            files[found.st_ino] = found.st_blocks // 2
    return sum(files.values())


def parent_of(pid):
    return int(re.search(r"PPid:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])


def parent_of_any(pids):
    for pid in pids:
        try:
            return parent_of(pid)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
    return None


class Job:
    """The job, and the processes of its ranks as the launcher names them."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        atexit.register(self.process.terminate)
        self.pids = {}
        self.starts = {}  # how many processes each rank has had
        self.starts_at_loss = {}  # of its node
        self.restarts = 0
        self.tail = []
        self.result = None
        # For each rank of a lost node: its own data are missing, or the copy that it keeps of another rank's data.
        self.unsafe = set()
        self.readers = [threading.Thread(target=read, daemon=True) for read in (self.read_errors, self.read_output)]
        for reader in self.readers:
            reader.start()

    def read_errors(self):
        for line in self.process.stderr:
            self.tail = [*self.tail[-40:], line]
            if found := re.search(r"rank (\d+).* is pid (\d+)", line):
                self.pids[int(found[1])] = int(found[2])
                self.starts[int(found[1])] = self.starts.get(int(found[1]), 0) + 1
            self.restarts += "started again, restart" in line

    def read_output(self):
        for line in self.process.stdout:
            if found := re.match(r"rank (\d+) has its cells from", line):
                self.unsafe.discard(("its own", int(found[1])))
            elif found := re.match(r"rank \d+ keeps its cells again at rank (\d+), restarted (\d+)", line):
                if int(found[2]) >= self.starts_at_loss.get(int(found[1]), 0):  # not a former process
                    self.unsafe.discard(("of another", int(found[1])))
            else:
                self.result = line.strip()

    def await_start(self, gondwana):
        """Until all ranks run. A rank that dies before would end the job."""
        while self.process.poll() is None:
            seen = subprocess.run([gondwana, "ps"], capture_output=True, text=True, check=False)
            runs = re.search(r" \d+ +[\d:-]+ +(running|all wait|\d+ wait) .*mortal_", seen.stdout)  # not 1/2 nodes
            if runs and "not examined" not in seen.stdout + seen.stderr:
                return
            time.sleep(0.2)

    def kill(self, rank):
        try:
            os.kill(self.pids[rank], signal.SIGKILL)
        except (ProcessLookupError, KeyError):
            return 0
        return 1

    def kill_node(self, rank, chance):
        """Kills the node agent of the rank, or the guardian, unless ranks are being started."""
        try:
            if not all(Path(f"/proc/{pid}").exists() for pid in self.pids.values()):
                return 0
            guardian = parent_of(self.pids[rank])
            ranks = [each for each, pid in self.pids.items() if parent_of(pid) == guardian]
            agents = [pid for pid in children_of(guardian) if "gondwana-agent" in command_line(pid)]
            self.starts_at_loss = {each: self.starts[each] for each in ranks}
            self.unsafe = {(which, each) for each in ranks for which in ("its own", "of another")}
            os.kill(chance.choice([guardian, *agents]), signal.SIGKILL)
        except (ProcessLookupError, FileNotFoundError, KeyError):
            return 0
        return 1

    def end(self, timeout):
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        for reader in self.readers:
            reader.join()


class Watch:
    """What the launcher, the guardian and the ranks together need, from sample to sample."""

    def __init__(self):
        self.samples = {}
        self.shared = []

    def look(self, job):
        guardian = parent_of_any(job.pids.values())
        conductors = [("conductor", pid) for pid in children_of(job.process.pid) if pid != guardian]
        for name, pid in (("launcher", job.process.pid), ("guardian", guardian), *conductors[:1]):
            try:
                self.samples.setdefault(name, []).append(facts_of(pid))
                if name == "guardian":
                    self.shared.append(shared_memory_of(pid))
            except (FileNotFoundError, ProcessLookupError, TypeError):
                pass  # it ends

    def growth(self, lost_nodes):
        """Sentences about what has grown."""
        for name, samples in sorted(self.samples.items()):
            (kib, files), (most_kib, most_files) = samples[0], [max(column) for column in zip(*samples)]
            print(f"{name}: {kib} KiB of private memory and {files} descriptors at first, "
                  f"at most {most_kib} KiB and {most_files}, in {len(samples)} samples")
            more_kib = MORE_KIB + (lost_nodes * MORE_FOR_NODE_KIB if name == "conductor" else 0)
            if most_kib > kib + more_kib or most_files > files + MORE_DESCRIPTORS:
                yield f"the {name} has grown"
        if not self.shared:
            yield "no sample was taken"
            return
        print(f"node: {self.shared[0]} KiB of shared memory at first, at most {max(self.shared)} KiB")
        if max(self.shared) > self.shared[0] + MORE_SHARED_KIB:
            yield "the memory of the node has grown"


def busy(loops):
    code = "while True: pass"
    return [subprocess.Popen([sys.executable, "-c", code]) for _ in range(loops)]


def words_of(options, seconds):
    if not options.hosts:
        table = Path(options.examples, "mortal_table")
        return ["-n", str(options.ranks), table, "--rounds", "1000000000", "--seconds", str(seconds)]
    half = options.ranks // 2
    hosts = f"localhost:{half},localhost:{options.ranks - half}"
    return ["--hosts", hosts, Path(options.examples, "mortal_stencil"), "--steps", str(seconds * options.steps), "--cells", "100"]


def run(options, chance):
    seconds = round(options.minutes * 60)
    job = Job([options.gondwana, "run", "-v", "--restart", "10000", "--keep-memory", *words_of(options, seconds)])
    job.await_start(options.gondwana)
    watch = Watch()
    last = TIMEOUT + seconds / 3
    kills = node_kills = 0
    begin = time.monotonic()
    while job.process.poll() is None and job.result is None and time.monotonic() < begin + seconds + last:
        time.sleep(options.every * (0.5 + chance.random()))
        if time.monotonic() > begin + seconds:
            continue
        rank = chance.randrange(options.ranks)
        if options.hosts and not job.unsafe and chance.random() < OTHERS / (OTHERS + options.ranks):
            node_kills += job.kill_node(rank, chance)
            continue
        kills += job.kill(rank)
        if kills >= WARM_UP:
            watch.look(job)
    job.end(last)
    nodes = f" and {node_kills} of agents and guardians" if options.hosts else ""
    print(f"{kills} kills{nodes}, {job.restarts} restarts in {time.monotonic() - begin:.0f} s: {job.result}")
    faults = list(watch.growth(node_kills))
    if job.process.returncode != 0 or not (job.result or "").endswith(": right"):
        faults.append(f"the job ended with status {job.process.returncode}\n{''.join(job.tail)}")
    return faults


def main():
    parser = argparse.ArgumentParser(prog="./dev survive", description=__doc__)
    parser.add_argument("gondwana", help=argparse.SUPPRESS)
    parser.add_argument("examples", help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--hosts", action="store_true", help="two nodes, whose agents and guardians are killed, too")
    parser.add_argument("--every", type=float, default=2, help="seconds from a kill to the next one, on average")
    parser.add_argument("--steps", type=int, default=700, help="of the stencil in a second, on this machine")
    parser.add_argument("--load", type=int, default=os.cpu_count(), help="busy loops beside the job")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    loops = busy(options.load)
    try:
        faults = run(options, random.Random(options.seed))
    finally:
        for loop in loops:
            loop.kill()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
