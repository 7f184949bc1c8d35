"""The parts of a case of the benchmark: rows, their controls and aims, the programs to run."""

from dataclasses import dataclass, field

MS = 1e6  # figures of time are in ns
MIB = 1024  # figures of memory are in KiB


@dataclass(frozen=True)
class Aim:
    """How a figure is compared with its control, and the limit that is good."""

    kind: str  # "ratio": ours / control; "difference": ours - control; "absolute": ours
    limit: float | None  # None: the row has no aim
    text: str
    allowance: float = 0  # of a ratio: that is added to the control


def ratio(limit: float) -> Aim:
    """At most `limit` times the control."""
    return Aim("ratio", limit, f"{limit:g}x")


def rate(share: float) -> Aim:
    """At least `share` times the operations per second of the control."""
    return Aim("ratio", 1 / share, f"{1 / share:.2g}x")


INFORMATIVE = Aim("ratio", None, "-")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    title: str
    figure: str
    aim: Aim
    # Figures that may be the control; the fastest counts. None: the figure of the same name
    # from the process of the row.
    controls: tuple[str, ...] = ()
    # Which figure of the samples is compared. With a busy program most barriers are quick and a
    # few take a time slice: only the mean shows the time of a thousand.
    by: str = "median"
    peers: bool = True  # False: not comparable between libraries


@dataclass(frozen=True)
class Run:
    """One start of a row's program. With a stopwatch the program itself is timed."""

    program: str
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    stopwatch: str = ""  # name of the figure
    by_mpi: bool = False  # started by mpirun: the program calls MPI itself
    nodes: int = 1  # more: the ranks are spread over that many hosts, all of them this machine


@dataclass(frozen=True)
class Case:
    """The programs of a round: controls before and after, rows of every library between."""

    name: str
    ranks: int
    runs: tuple[Run, ...]
    rows: tuple[Row, ...]
    controls: tuple[tuple[str, ...], ...] = ()  # control programs with their arguments
    busy: int = 0  # processors that other programs keep busy meanwhile
    peers: bool = True  # False: others never end it
    processors: int = 1  # with fewer the case is skipped
