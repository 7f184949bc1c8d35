"""The parts of a case of the benchmark: rows, their controls and aims, the programs to run."""

from dataclasses import dataclass, field

MS = 1e6  # in ns, the unit of times
MIB = 1024  # in KiB, the unit of memory


@dataclass(frozen=True)
class Aim:
    """The comparison of a figure with its control, and the limit that meets the aim."""

    kind: str  # "ratio": ours / control; "difference": ours - control; "absolute": ours
    limit: float | None  # None: the row has no aim
    text: str
    allowance: float = 0  # for a ratio: added to the control


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
    # Figures that may be the control; the fastest is used. None: the figure of the same name
    # from the process of the row.
    controls: tuple[str, ...] = ()
    # The figure of the samples that is compared. Next to a busy program most barriers are fast and
    # a few take a time slice: only the mean shows the time of a thousand.
    by: str = "median"
    peers: bool = True  # False: not comparable between libraries


@dataclass(frozen=True)
class Run:
    """One start of a row's program. With a stopwatch, the duration of the program is measured."""

    program: str
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    stopwatch: str = ""  # name of the figure
    by_mpi: bool = False  # started by mpirun, because the program calls MPI
    nodes: int = 1  # above 1: the ranks are divided over that number of hosts, all on this machine


@dataclass(frozen=True)
class Case:
    """The programs of a round: rows of every library, and controls before and after them."""

    name: str
    ranks: int
    runs: tuple[Run, ...]
    rows: tuple[Row, ...]
    controls: tuple[tuple[str, ...], ...] = ()  # control programs with their arguments
    busy: int = 0  # processors that other programs keep busy meanwhile
    peers: bool = True  # False: other libraries never end it
    processors: int = 1  # the case is skipped if there are fewer
