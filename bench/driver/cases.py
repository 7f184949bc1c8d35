"""The rows that are measured, their controls and their aims."""

from dataclasses import dataclass, replace

from driver.armci_cases import armci_cases
from driver.case import INFORMATIVE, MIB, MS, Aim, Case, Row, Run, rate, ratio
from driver.device_cases import device_cases
from driver.gasnet_cases import gasnet_cases
from driver.network_cases import network_cases


def small_cases() -> list[Case]:
    """Operations of 8 bytes; the control is measured in the same process."""
    rows = (Row("p", "p", ratio(1.5)),
            Row("g", "g", ratio(1.5)),
            Row("put 8 B", "put8", ratio(1.5)),
            Row("get 8 B", "get8", ratio(1.5)),
            Row("sleeper's flag, after a store", "flag_check", Aim("difference", 0.5, "+0.5 ns"),
                peers=False),
            Row("fetch_add", "fetch_add", ratio(1.3)),
            Row("lock + unlock, alone", "lock", ratio(3)),
            Row("put_nbi 8 B, bare stores", "put_nbi", rate(0.7)),
            Row("put_nbi 8 B, stores by calls", "put_nbi_call", rate(0.7)))
    return [
        Case("small", 2, (Run("small"),), rows),
        strided_case(),
        Case("contended", 2, (Run("contended"),),
             (Row("fetch_add, 2 at once", "fetch_add_contended", ratio(1.2)),)),
        Case("remote_malloc", 2, (Run("remote_malloc"),),
             (Row("malloc_at + free_at 64 B, malloc + free", "remote_malloc",
                  Aim("difference", 1000, "+1 us"), peers=False),), peers=False),
        Case("signal", 2, (Run("signal"),),
             (Row("p + wait_until, one way", "p_wait_until", ratio(1.2)),
              Row("put_signal + wait, one way", "put_signal", ratio(1.4)))),
    ]


def strided_case() -> Case:
    """Strided puts and gets of longs; the control is measured in the same process."""
    rows = [Row(f"{call} of {count} longs", f"{call}_{count}", aim)
            for count, aim in ((4, INFORMATIVE), (64, ratio(2)), (1024, ratio(1.5)))
            for call in ("iput", "iget")]
    return Case("strided", 2, (Run("strided"),), tuple(rows))


def thread_cases() -> list[Case]:
    """Threads of one rank: together at least as fast as one, faster if there are processors."""
    def together(threads: int, speedup: float) -> Case:
        row = Row(f"put 8 B, {threads} threads", f"threads_{threads}", rate(speedup))
        return Case(f"threads_{threads}", 2, (Run("threads", (str(threads),)),), (row,),
                    processors=threads)
    return [
        together(2, 1),
        together(4, 3.2),
        Case("multiple", 2, (Run("small", ("multiple",)),),
             (Row("p, any thread may call", "p_multiple", INFORMATIVE),)),
    ]


def lock_cases() -> list[Case]:
    """A lock that several ranks want."""
    def contended(ranks: int) -> Case:
        row = Row(f"lock + unlock, {ranks} at once", f"lock_contended_{ranks}", ratio(1.5))
        return Case(row.figure, ranks, (Run("lock_contended"),), (row,))
    return [contended(2), contended(4)]


def bulk_case() -> Case:
    """put and get of 64 B and more; the control is memcpy between the same pages."""
    sizes = {"64 B": 64, "512 B": 512, "4 KiB": 4 << 10, "64 KiB": 64 << 10, "1 MiB": 1 << 20,
             "4 MiB": 4 << 20, "64 MiB": 64 << 20}
    aim = Aim("ratio", 1 / 0.95, "95 %")
    rows = tuple(Row(f"{way} {name}", f"{way}_{size}", aim if size >= 4 << 10 else INFORMATIVE)
                 for way in ("put", "get") for name, size in sizes.items())
    return Case("bulk", 2, (Run("bulk", environment={"SHMEM_SYMMETRIC_SIZE": "256M"}),), rows)


def barrier_case(ranks: int, kinds: tuple[str, ...], batch: int, samples: int, aim: Aim,
                 busy: int = 0) -> Case:
    """barrier_all compared with the barriers of `kinds`, on the same number of processes."""
    numbers = (str(batch), str(samples))
    title = f"barrier_all {ranks}" + (f", {busy} busy loops, mean" if busy else "")
    row = Row(title, f"barrier_all_{ranks}", aim, tuple(f"barrier_{k}_{ranks}" for k in kinds),
              by="mean" if busy else "median")
    return Case(f"barrier_{ranks}" + ("_busy" if busy else ""), ranks, (Run("barrier", numbers),),
                (row,), tuple(("barrier", k, str(ranks), *numbers) for k in kinds), busy)


def burst_case(ranks: int, busy: int = 0) -> Case:
    """50 barriers after each pause of 3 ms in which rank 0 computes. The control is the faster of
    yields and futexes."""
    kinds, numbers = ("yield", "futex"), ("50", "100", "3000")
    title = f"barrier_all {ranks} in bursts" + (f", {busy} busy loops, mean" if busy else "")
    row = Row(title, f"barrier_bursts_{ranks}", ratio(1.5),
              tuple(f"barrier_bursts_{k}_{ranks}" for k in kinds), by="mean" if busy else "median")
    return Case(f"barrier_bursts_{ranks}" + ("_busy" if busy else ""), ranks,
                (Run("barrier", numbers),), (row,),
                tuple(("barrier", k, str(ranks), *numbers) for k in kinds), busy)


@dataclass(frozen=True)
class Collective:
    """A collective of 64 KiB; its control moves the same bytes."""

    name: str
    title: str
    limit: float
    control: str = ""  # the collective whose bytes the control moves, if it differs
    met: bool = False  # a second control, whose processes also synchronise after each call
    peers: bool = True  # Open MPI implements it

    def case(self, ranks: int) -> Case:
        """The case on `ranks` ranks."""
        control = self.control or self.name
        row = Row(f"{self.title} 64 KiB, {ranks}", f"{self.name}_{ranks}", ratio(self.limit),
                  (f"{control}_floor_{ranks}",))
        rows, controls = (row,), (("floor", control, str(ranks)),)
        if self.met:
            beside = replace(row, title=f"{row.title}, copies and a barrier", aim=INFORMATIVE,
                             controls=(f"{control}_met_floor_{ranks}",), peers=False)
            rows, controls = (*rows, beside), (*controls, (*controls[0], "65536", "met"))
        return Case(f"{self.name}_{ranks}", ranks, (Run("collectives", (self.name,)),), rows,
                    controls, peers=self.peers)


def collective_cases() -> list[Case]:
    """Collectives. 64 KiB are a vector, the contribution of one rank (fcollect; collect on
    average), or the sum of what one rank sends (alltoall)."""
    every = (2, 4, 8)
    words = [Case(f"reduce_word_{ranks}", ranks, (Run("reduce_word"),),
                  (Row(f"sum reduction 8 B, {ranks}", f"reduce_word_{ranks}", ratio(2)),))
             for ranks in every]
    kinds = (
        (Collective("sum_reduce", "sum reduction", 2), every),
        (Collective("broadcast", "broadcast", 1.5), (2, 8)),
        (Collective("fcollect", "fcollect", 1.5), every),
        (Collective("collect", "collect", 2, control="fcollect"), every),
        (Collective("alltoall", "alltoall", 1.5, met=True), every),
        (Collective("sum_inscan", "sum_inscan", 2, peers=False), every),
    )
    cases = words + [kind.case(ranks) for kind, counts in kinds for ranks in counts]
    return cases + [crowded_case("alltoall", 64 << 10), crowded_case("alltoall", 1 << 20),
                    crowded_case("broadcast", 64 << 10), crowded_case("fcollect", 64 << 10)]


def crowded_case(name: str, source_bytes: int, ranks: int = 16) -> Case:
    """A large collective of more ranks than processors. The control is two processes that copy the
    same bytes, and one barrier of the same number of processes."""
    size = f"{source_bytes >> 10} KiB" if source_bytes < 1 << 20 else "1 MiB"
    row = Row(f"{name} {size}, {ranks}", f"{name}_{ranks}", ratio(1.5),
              (f"{name}_{source_bytes}_copied_{ranks}",))
    return Case(f"{name}_{ranks}_{source_bytes}", ranks,
                (Run("collectives", (name, str(source_bytes), "10")),), (row,),
                (("copied", name, str(ranks), str(source_bytes)),))


def hello_case(ranks: int, extra_ms: float) -> Case:
    """The duration of a hello world, with a small and a large heap."""
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


def memory_cases() -> list[Case]:
    """The memory of heaps: populated at start, and its placement."""
    heap = {"GONDWANA_HEAP_SIZE": "128M", "GONDWANA_PREFAULT": "local"}
    runs = tuple(Run("prefault", (threads,), heap) for threads in ("1", "2"))
    rows = (Row("heap of 128 MiB at start, 2 threads", "prefault_2", ratio(1.1),
                ("touch_2", "touch_advised_2"), peers=False),
            Row("the same against 1 thread", "prefault_2", rate(1.8), ("prefault_1",),
                peers=False))

    def stream(name: str, how: str, *words: str) -> Run:
        return Run("stream", (f"stream_{name}", *words),
                   {"GONDWANA_HEAP_SIZE": "128M", "GONDWANA_PREFAULT": how})
    placed = (Row("STREAM triad, by all domains in turn", "stream_interleaved", INFORMATIVE,
                  ("stream_one",), peers=False),
              Row("STREAM triad, near each rank", "stream_local", INFORMATIVE, ("stream_one",),
                  peers=False))
    return [
        Case("prefault", 1, runs, rows, (("prefault", "2", "128"),), processors=2),
        Case("stream", 2, (stream("one", "off", "one"), stream("interleaved", "interleave"),
                           stream("local", "local")), placed, processors=2),
    ]


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
        barrier_case(256, ("futex",), 1, 100, ratio(2)),
        Case("barrier_first", 2, (Run("barrier", ("first", "2000")),),
             (Row("first 2000 barriers", "barrier_first_2", ratio(1.5)),)),
        burst_case(8),
        burst_case(16),
        burst_case(8, busy=2),
        *collective_cases(),
        *lock_cases(),
        *thread_cases(),
        hello_case(2, 10),
        hello_case(8, 25),
        Case("resident", 2, (Run("resident"),),
             (Row("resident set, heap untouched", "resident", Aim("absolute", 8 * MIB, "8 MiB")),)),
        *memory_cases(),
        *gasnet_cases(),
        *device_cases(),
        *armci_cases(),
        *network_cases(),
    ]


# The controls that run once, before the rows. They show the limits of this machine.
LIMITS: tuple[tuple[str, ...], ...] = (
    ("ping_pong", "1"), ("ping_pong", "2"), ("xadd", "1"), ("xadd", "2"),
)
