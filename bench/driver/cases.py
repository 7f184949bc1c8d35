"""What is measured: every row, its control and its aim."""

from dataclasses import dataclass, field

MS = 1e6  # figures of time are in ns
MIB = 1024  # figures of memory are in KiB


@dataclass(frozen=True)
class Aim:
    """How a figure is held against its control, and up to where that is good."""

    kind: str  # "ratio": ours / control; "difference": ours - control; "absolute": ours
    limit: float
    text: str


def ratio(limit: float) -> Aim:
    """At most so many times the control."""
    return Aim("ratio", limit, f"{limit:g}x")


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


@dataclass(frozen=True)
class Case:
    """What is run together in a round: controls before and after, rows of every library between."""

    name: str
    ranks: int
    runs: tuple[Run, ...]
    rows: tuple[Row, ...]
    controls: tuple[tuple[str, ...], ...] = ()  # control programs with their arguments
    busy: int = 0  # processors kept busy by somebody else meanwhile


def small_cases() -> list[Case]:
    """Operations of 8 bytes; the control is measured in the same process."""
    rows = (Row("p", "p", ratio(1.5)),
            Row("g", "g", ratio(1.5)),
            Row("put 8 B", "put8", ratio(1.5)),
            Row("get 8 B", "get8", ratio(1.5)),
            Row("sleeper's flag, after a store", "flag_check", Aim("difference", 0.5, "+0.5 ns"),
                peers=False),
            Row("fetch_add", "fetch_add", ratio(1.3)))
    return [
        Case("small", 2, (Run("small"),), rows),
        Case("contended", 2, (Run("contended"),),
             (Row("fetch_add, 2 at once", "fetch_add_contended", ratio(1.2)),)),
        Case("signal", 2, (Run("signal"),),
             (Row("p + wait_until, one way", "p_wait_until", ratio(1.2)),)),
    ]


def bulk_case() -> Case:
    """put and get of many bytes; the control is memcpy between the same pages."""
    sizes = {"4 KiB": 4 << 10, "64 KiB": 64 << 10, "1 MiB": 1 << 20, "4 MiB": 4 << 20,
             "64 MiB": 64 << 20}
    aim = Aim("ratio", 1 / 0.95, "95 %")
    rows = tuple(Row(f"{way} {name}", f"{way}_{size}", aim)
                 for way in ("put", "get") for name, size in sizes.items())
    return Case("bulk", 2, (Run("bulk", environment={"SHMEM_SYMMETRIC_SIZE": "256M"}),), rows)


def barrier_case(ranks: int, kinds: tuple[str, ...], batch: int, samples: int, aim: Aim,
                 busy: int = 0) -> Case:
    """barrier_all against the barriers of `kinds` by as many processes."""
    numbers = (str(batch), str(samples))
    title = f"barrier_all {ranks}" + (f", {busy} busy loops, mean" if busy else "")
    row = Row(title, f"barrier_all_{ranks}", aim, tuple(f"barrier_{k}_{ranks}" for k in kinds),
              by="mean" if busy else "median")
    return Case(f"barrier_{ranks}" + ("_busy" if busy else ""), ranks, (Run("barrier", numbers),),
                (row,), tuple(("barrier", k, str(ranks), *numbers) for k in kinds), busy)


def collective_case(program: str, figure: str, title: str, ranks: int, limit: float) -> Case:
    """A collective of 64 KiB against the bytes it must move."""
    name = f"{program}_{ranks}"  # of the case and of the control's figure
    row = Row(f"{title} 64 KiB, {ranks}", f"{figure}_{ranks}", ratio(limit), (name,))
    return Case(name, ranks, (Run(program),), (row,), ((program, str(ranks)),))


def hello_case(ranks: int, extra_ms: float) -> Case:
    """A hello from its start to its end, with a small and a large heap."""
    heaps = {"64 MiB": "64M", "8 GiB": "8G"}
    small, large = (f"hello_{ranks}_{size}" for size in heaps.values())
    control = f"fork_exec_{ranks}"
    runs = tuple(Run("hello", stopwatch=f"hello_{ranks}_{size}",
                     environment={"SHMEM_SYMMETRIC_SIZE": size, "GONDWANA_HEAP_OVERCOMMIT": "1"})
                 for size in heaps.values())
    aim = Aim("difference", extra_ms * MS, f"+{extra_ms:g} ms")
    rows = (*(Row(f"hello {ranks}, heap {name}", f"hello_{ranks}_{size}", aim, (control,))
              for name, size in heaps.items()),
            Row(f"hello {ranks}, 8 GiB against 64 MiB", large, ratio(1.1), (small,)))
    return Case(f"hello_{ranks}", ranks, runs, rows,
                (("fork_exec", control, "control", str(ranks), "10", "{control}/hello"),))


def all_cases() -> list[Case]:
    """Every case, in the order of the table."""
    return [
        *small_cases(),
        bulk_case(),
        barrier_case(2, ("pair", "spin"), 1000, 200, ratio(1.3)),
        barrier_case(4, ("yield",), 1, 1000, ratio(1.3)),
        barrier_case(8, ("yield",), 1, 1000, ratio(1.3)),
        barrier_case(16, ("yield",), 1, 500, ratio(1.5)),
        barrier_case(8, ("futex",), 1, 500, ratio(1.5), busy=2),
        collective_case("reduce", "sum_reduce", "sum reduction", 2, 2),
        collective_case("reduce", "sum_reduce", "sum reduction", 8, 2),
        collective_case("broadcast", "broadcast", "broadcast", 2, 1.5),
        collective_case("broadcast", "broadcast", "broadcast", 8, 1.5),
        hello_case(2, 10),
        hello_case(8, 25),
        Case("resident", 2, (Run("resident"),),
             (Row("resident set, heap untouched", "resident", Aim("absolute", 8 * MIB, "8 MiB")),)),
    ]


# Run once, before the rows: what this machine can do at all.
LIMITS: tuple[tuple[str, ...], ...] = (
    ("ping_pong", "1"), ("ping_pong", "2"), ("payload_ping_pong",), ("xadd", "1"), ("xadd", "2"),
    ("memcpy",), ("page_touch",),
)
