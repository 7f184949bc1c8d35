"""A Slurm of one node, for as long as a test lasts. Nothing of it is reachable from outside."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
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
SlurmdSpoolDir={folder}
TmpFS={folder}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs=64 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class OneNode:
    """Started by `start`, which gives the reason where that cannot be; ended by `stop`."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="one-node-slurm-")
        self.daemons: list[subprocess.Popen] = []
        self.environment = {**os.environ, "SLURM_CONF": f"{self.folder}/slurm.conf"}

    def start(self) -> str:
        for needed in ("slurmctld", "slurmd", "sinfo", "srun"):
            if shutil.which(needed) is None:
                return f"{needed} is not installed"
        if os.geteuid() != 0:
            return "the daemons of Slurm need root"
        host = socket.gethostname().partition(".")[0]
        self.configure(host)
        # -D: in the foreground, so that they end with us and not later.
        for words in (["slurmctld", "-D"], ["slurmd", "-D", "-N", host]):
            self.daemons.append(
                subprocess.Popen(
                    words,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        return "" if self.is_ready() else "no node of Slurm came up:\n" + self.log()

    def configure(self, host: str) -> None:
        text = CONFIGURATION.format(
            host=host, folder=self.folder, control_port=free_port(), node_port=free_port()
        )
        with open(f"{self.folder}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(text)
        with open(f"{self.folder}/cgroup.conf", "w", encoding="utf-8") as file:
            file.write("CgroupPlugin=cgroup/v1\n")  # never used, but it must be loadable

    def is_ready(self, patience: float = 30) -> bool:
        end = time.monotonic() + patience
        question = ["sinfo", "-h", "-t", "idle", "-o", "%D"]
        while time.monotonic() < end:
            answer = subprocess.run(
                question, env=self.environment, capture_output=True, text=True, check=False
            )
            if answer.stdout.strip() == "1":
                return True
            time.sleep(0.2)
        return False

    def log(self) -> str:
        lines = []
        for name in ("slurmctld.log", "slurmd.log"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    lines += file.readlines()[-5:]
        return "".join(lines)

    def stop(self) -> None:
        if len(self.daemons) == 2:  # or what a failed test left would outlive them
            subprocess.run(
                ["scancel", "-u", "root"], env=self.environment, capture_output=True, check=False
            )
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
