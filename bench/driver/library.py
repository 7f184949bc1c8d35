"""The libraries under test: the folders of their rows, and their launchers."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from driver.case import Run

# Debian's Open MPI refuses root and more ranks than cores. OpenSHMEM programs crash with its rdma
# component.
OPENMPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_osc": "^rdma",
}
# Open MPI's ranks are still on one node, but do not use its shared memory.
OPENMPI_NETWORK = {
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,tcp",
    "OMPI_MCA_btl_tcp_if_include": "127.0.0.0/8",
    "UCX_TLS": "tcp,self",
    "UCX_NET_DEVICES": "lo",
}
OUR_NETWORK = {"GONDWANA_NETWORK": "127.0.0.0/8"}


@dataclass(frozen=True)
class Library:
    """One OpenSHMEM library: its built rows and its launcher."""

    name: str
    rows: Path
    launcher: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    # Additional settings for ranks on several nodes, so that they use TCP on 127.0.0.1.
    network: dict[str, str] = field(default_factory=dict)
    mpirun: tuple[str, ...] = ()  # for programs that call MPI
    has_hosts: bool = False  # starts nodes on one machine: --hosts localhost:1,localhost:1

    def has(self, program: str) -> bool:
        """Whether the row was built; it is not if the library lacks its calls."""
        return (self.rows / program).exists()

    def job(self, ranks: int, run: Run) -> list[str]:
        """The command that runs a row on `ranks` ranks."""
        count = ["-n", str(ranks)]
        if run.by_mpi:
            return [*self.mpirun, *count, str(self.rows / run.program), *run.arguments]
        if run.nodes > 1 and self.has_hosts:
            count = ["--hosts", ",".join([f"localhost:{ranks // run.nodes}"] * run.nodes)]
        return [*self.launcher, *count, str(self.rows / run.program), *run.arguments]

    def variables(self, run: Run) -> dict[str, str]:
        """The environment of that command."""
        network = self.network if run.nodes > 1 else {}
        return {**self.environment, **network, **run.environment}


@dataclass(frozen=True)
class Build:
    """The benchmark's part of a build folder of CMake."""

    folder: Path
    build_type: str
    ours: Library | None
    peers: tuple[Library, ...]

    def control(self, program: str) -> Path:
        """The path of a control program."""
        return self.folder / "control" / program


def mpirun_of(command: str) -> tuple[str, ...]:
    """Open MPI's launcher, with options for more ranks than processors; empty if missing."""
    return (command, "--oversubscribe", "--bind-to", "none") if command else ()


def find_build(folder: Path, launcher: str | None, with_peers: bool) -> Build:
    """Reads a build folder of the whole project or of bench/ alone."""
    inside = next((f for f in (folder / "bench", folder) if (f / "build.json").exists()), None)
    if inside is None:
        raise SystemExit(f"bench: {folder} holds no built benchmarks; build first: ./dev build")
    facts = json.loads((inside / "build.json").read_text())
    launcher = launcher or facts["launcher"]
    ours = None
    if launcher and Path(launcher).exists() and (inside / "rows" / "small").exists():
        ours = Library("Gondwana", inside / "rows", (launcher, "run"), OPENMPI_ENVIRONMENT,
                       OUR_NETWORK, mpirun_of(facts["mpirun"]), has_hosts=True)
    peers = []
    if with_peers and facts["oshrun"] and Path(facts["oshrun"]).exists():
        peers.append(Library("Open MPI", inside / "openmpi",
                             (facts["oshrun"], "--oversubscribe", "--bind-to", "none"),
                             OPENMPI_ENVIRONMENT, OPENMPI_NETWORK))
    if with_peers and (inside / "armci_mpi").exists():
        mpirun = mpirun_of(facts["mpirun"])
        peers.append(Library("ARMCI-MPI", inside / "armci_mpi", mpirun, OPENMPI_ENVIRONMENT,
                             OPENMPI_NETWORK, mpirun))
    return Build(inside.resolve(), facts["build_type"], ours, tuple(peers))
