"""A Slurm cluster of one or more nodes for the duration of a test, reachable by its nodes alone."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

CONFIGURATION = """
ClusterName=test
SlurmctldHost={first}({address})
SlurmctldPort={control_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerType=sched/builtin
SwitchType=switch/none
KillWait=2
SlurmdParameters=config_overrides
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/%n
TmpFS={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n/slurmd.log
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def why_not() -> str:
    for needed in ("slurmctld", "slurmd", "sinfo", "srun"):
        if shutil.which(needed) is None:
            return f"{needed} is not installed"
    return "" if os.geteuid() == 0 else "the daemons of Slurm need root"


def here(_node: str, words: list[str], **more) -> subprocess.Popen:
    return subprocess.Popen(words, **more)


class Slurm:
    """`start` starts it or returns the reason why not; `stop` ends it."""

    def __init__(self, nodes: dict[str, str], begin: Callable[..., subprocess.Popen]) -> None:
        """Names and addresses of nodes, and how a command is started on one of them."""
        self.nodes = nodes
        self.begin = begin
        self.first = next(iter(nodes))
        self.folder = tempfile.mkdtemp(prefix="slurm-test-")
        self.daemons: list[subprocess.Popen] = []
        self.environment = {**os.environ, "SLURM_CONF": f"{self.folder}/slurm.conf"}

    def start(self) -> str:
        if reason := why_not():
            return reason
        self.configure()
        # -D: in the foreground, so that they end with this process.
        self.start_daemon(self.first, ["slurmctld", "-D"])
        for node in self.nodes:
            self.start_daemon(node, ["slurmd", "-D", "-N", node])
        return "" if self.is_ready() else "not all nodes of Slurm came up:\n" + self.log()

    def start_daemon(self, node: str, words: list[str]) -> None:
        nothing = subprocess.DEVNULL
        more = {"stdin": nothing, "stdout": nothing, "stderr": nothing}
        self.daemons.append(self.begin(node, words, env=self.environment, **more))

    def configure(self) -> None:
        text = CONFIGURATION.format(
            address=self.nodes[self.first],
            first=self.first,
            folder=self.folder,
            control_port=free_port(),
            node_port=free_port(),
        )
        for name, address in self.nodes.items():
            os.mkdir(f"{self.folder}/{name}")
            text += f"NodeName={name} NodeAddr={address} CPUs=64 State=UNKNOWN\n"
        Path(self.folder, "slurm.conf").write_text(text, encoding="utf-8")
        # Not used, but it must be loadable.
        Path(self.folder, "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="utf-8")

    def ask(self, *words: str) -> str:
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        with self.begin(self.first, list(words), env=self.environment, **more) as asked:
            return asked.communicate()[0].strip()

    def is_ready(self, timeout: float = 30) -> bool:
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.ask("sinfo", "-h", "-t", "idle", "-o", "%D") == str(len(self.nodes)):
                return True
            time.sleep(0.2)
        return False

    def log(self) -> str:
        lines = []
        for path in sorted(Path(self.folder).rglob("*.log")):
            lines += path.read_text(encoding="utf-8", errors="replace").splitlines(True)[-5:]
        return "".join(lines)

    def stop(self) -> None:
        if self.daemons:  # or leftovers of a failed test would outlive them
            self.ask("scancel", "-u", "root")
            self.is_ready(10)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def one_node() -> Slurm:
    """This machine."""
    return Slurm({socket.gethostname().partition(".")[0]: "127.0.0.1"}, here)
