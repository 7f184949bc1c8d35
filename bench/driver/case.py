"""What a case of the benchmark is made of: rows, their controls and aims, the programs to run."""

from dataclasses import dataclass, field

MS = 1e6  # figures of time are in ns
MIB = 1024  # figures of memory are in KiB


@dataclass(frozen=True)
class Aim:
    """How a figure is held against its control, and up to where that is good."""

    kind: str  # "ratio": ours / control; "difference": ours - control; "absolute": ours
    limit: float | None  # None: the row informs, and nothing is judged
    text: str


def ratio(limit: float) -> Aim:
    """At most so many times the control."""
    return Aim("ratio", limit, f"{limit:g}x")


def rate(share: float) -> Aim:
    """At least so many times as many operations a second as the control."""
    return Aim("ratio", 1 / share, f"{1 / share:.2g}x")


INFORMATIVE = Aim("ratio", None, "-")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    title: str
    figure: str
    aim: Aim
    # Figures that may be the control; the fastest counts. None: the figure of the same name that
    # the row's own process measured beside it.
    controls: tuple[str, ...] = ()
    # Which figure of the samples is compared. Beside a busy program most barriers are quick and a
    # few take a time slice: there only the mean tells how long a thousand of them take.
    by: str = "median"
    peers: bool = True  # False: it says nothing about a library


@dataclass(frozen=True)
class Run:
    """One start of a row's program. With a stopwatch the program itself is what is timed."""

    program: str
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    stopwatch: str = ""  # name of the figure
    nodes: int = 1  # more: the ranks are shared out among as many hosts, all of them this machine


@dataclass(frozen=True)
class Case:
    """What is run together in a round: controls before and after, rows of every library between."""

    name: str
    ranks: int
    runs: tuple[Run, ...]
    rows: tuple[Row, ...]
    controls: tuple[tuple[str, ...], ...] = ()  # control programs with their arguments
    busy: int = 0  # processors kept busy by somebody else meanwhile
    peers: bool = True  # False: others never end it
    processors: int = 1  # with fewer the case says nothing and is skipped
