"""The rows of jobs on several nodes: libfabric over TCP between two nodes of this machine."""

from driver.case import INFORMATIVE, MS, Aim, Case, Row, Run, rate, ratio

SIZES = {"64 KiB": 64 << 10, "1 MiB": 1 << 20, "16 MiB": 16 << 20}
STRIDED = {
    "network ibput": "network_strided",
    "network ibget": "network_strided_get",
    "gex far strided put, 3 dimensions": "gasnet_far_put",
    "gex far strided get, 3 dimensions": "gasnet_far_get",
}
BARE = ("ofi_bare", "spin")
TCP = ("tcp",)


def share(part: float) -> Aim:
    """At least this fraction of the bandwidth or rate of the control."""
    return Aim("ratio", 1 / part, f"{part:.0%}")


def small_case(title: str, mode: str, bare: str) -> Case:
    """Operations of 8 bytes, compared with bare libfabric with the same kind of target. Open MPI
    never completes them while the target computes."""
    def row(name: str, figure: str, control: str) -> Row:
        return Row(f"network {name}, {title}", f"network_{figure}_{mode}", ratio(1.2),
                   (f"bare_{control}_{bare}",))
    return Case(f"network_{mode}", 2, (Run("network_small", (mode,), nodes=2),),
                (row("put 8 B + quiet", "put", "put_8"), row("get 8 B", "get", "get_8"),
                 row("fetch_add", "fetch_add", "message_48")),
                (("ofi_bare", bare),), peers=mode != "computing")


def bulk_case() -> Case:
    """Bandwidth and message rate."""
    rows = []
    for name, size in SIZES.items():
        for way in ("put", "get"):
            figure = f"network_{way}_{size}"
            if size <= 1 << 20:
                rows.append(Row(f"network {way} {name}, bare", figure, share(0.95),
                                (f"bare_{way}_{size}_spin",)))
            rows += [Row(f"network {way} {name}, TCP stream", figure, share(0.9),
                         (f"tcp_stream_{size}",)),
                     Row(f"network {way} {name}, GONDWANA_ROUTE=agent", f"{figure}_agent",
                         ratio(1.5), (figure,), peers=False)]
    rate = Row("network put_nbi 8 B, 64 and quiet", "network_put_rate", share(0.8),
               ("bare_put_rate_spin",))
    through_agent = Run("network_bulk", ("_agent",), {"GONDWANA_ROUTE": "agent"}, nodes=2)
    return Case("network_bulk", 2, (Run("network_bulk", nodes=2), through_agent), (rate, *rows),
                (BARE, TCP))


STREAMS = {
    "put_nbi": "put_nbi 8 B",
    "p": "p",
    "add": "atomic_add",
    "fetch_add_nbi": "atomic_fetch_add_nbi",
    "put_signal_nbi": "put_signal_nbi 8 B",
    "get_nbi": "get_nbi 8 B",
}


def times(factor: int) -> Aim:
    """At least `factor` times as fast as the control."""
    return Aim("ratio", 1 / factor, f"{factor}x as fast")


def stream_case(targets: int) -> Case:
    """Streams of small operations, compared with one network write each."""
    ranks = 2 * targets
    rows = tuple(
        Row(f"network {title}, stream of {length} to {targets}",
            f"network_{name}_{length}_to_{targets}", times(aim), ("bare_put_rate_spin",))
        for name, title in STREAMS.items() for length, aim in ((64, 8), (4096, 40)))
    rows += (Row(f"network put_nbi 8 B in a session, stream of 64 to {targets}",
                 f"network_put_nbi_session_64_to_{targets}", times(12), ("bare_put_rate_spin",)),)
    if targets == 1:
        rows += tuple(
            Row(f"network put_nbi 8 B, stream of {length} to 1, then one signal",
                f"network_signal_after_{length}_to_1", ratio(0.9),
                (f"network_put_signal_nbi_{length}_to_1",)) for length in (64, 4096))
    return Case(f"network_streams_{targets}", ranks,
                (Run("network_streams", (str(targets),), nodes=2),), rows, (BARE,), peers=False)


def updates_case() -> Case:
    """Irregular programs, compared with themselves without batches."""
    def row(title: str, name: str, aim: Aim) -> Row:
        return Row(f"network {title}, 2 + 2, batches", f"network_{name}_gathered", aim,
                   (f"network_{name}_alone",))
    return Case("network_updates", 4,
                (Run("network_updates", ("gathered",), nodes=2),
                 Run("network_updates", ("alone",), {"GONDWANA_BATCH_LIMIT": "0"}, nodes=2)),
                (row("GUPS", "gups", times(20)), row("histogram", "histogram", times(20)),
                 row("indexgather", "indexgather", times(20)),
                 row("get of each value", "get_one", INFORMATIVE),
                 row("compare_swap", "compare_swap", INFORMATIVE)), peers=False)


def left_case() -> Case:
    """The delay of operations whose rank makes no further call."""
    return Case("network_left", 2, (Run("network_left", nodes=2),),
                (Row("network p that gathered, rank computes: one way", "network_left",
                     INFORMATIVE, ("bare_put_8_spin",)),
                 Row("the same, p99", "network_left_p99", INFORMATIVE, ("bare_put_8_spin",)),
                 Row("network p, fence, p, rank computes: one way", "network_one_way",
                     INFORMATIVE, ("bare_put_8_spin",))), (BARE,), peers=False)


def node_controls(name: str, ranks: int,
                  size: int) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The figures and the programs of the minimal collective of two nodes, by processes that
    yield or sleep."""
    kinds = ("yield", "futex")
    return (tuple(f"{name}_{size}_nodes_{kind}_{ranks}" for kind in kinds),
            tuple(("node_collective", kind, name, str(ranks), str(size)) for kind in kinds))


def barrier_case(ranks: int) -> Case:
    """barrier_all on two nodes, compared with a barrier on each and one exchange, by TCP and by
    bare libfabric."""
    title, figure = f"network barrier_all {ranks // 2} + {ranks // 2}", f"barrier_all_{ranks}"
    bare, programs = node_controls("barrier", ranks, 8)
    return Case(f"network_barrier_{ranks}", ranks, (Run("barrier", ("1", "5000"), nodes=2),),
                (Row(title, figure, ratio(1.5), (f"node_barrier_{ranks}",)),
                 Row(f"{title}, bare", figure, ratio(1.4), bare)),
                (("node_barrier", str(ranks)), *programs))


COLLECTIVES = {"reduce": ("sum reduction", {"8 B": 8, "4 KiB": 4 << 10, "64 KiB": 64 << 10}),
               "broadcast": ("broadcast", {"8 B": 8, "64 KiB": 64 << 10}),
               "alltoall": ("alltoall, blocks of", {"8 B": 8, "4 KiB": 4 << 10})}


def collective_case(program: str, title: str, name: str, size: int, ranks: int) -> Case:
    """A collective on two nodes, compared with a barrier on each and an exchange of the bytes that
    must go to the other node. `size` is a vector or a block."""
    ours = f"{'sum_' if program == 'reduce' else ''}{program}"
    argument = size * ranks if program == "alltoall" else size
    bare, programs = node_controls(program, ranks, size)
    row = Row(f"network {title} {name}, {ranks // 2} + {ranks // 2}",
              f"{ours}_{ranks}", ratio(1.4), bare)
    return Case(f"network_{program}_{size}_{ranks}", ranks,
                (Run("collectives", (ours, str(argument), "20"), nodes=2),), (row,), programs)


def collective_cases() -> list[Case]:
    """Every collective and size, on 2 + 2 and 4 + 4 ranks."""
    return [collective_case(program, title, name, size, ranks)
            for program, (title, sizes) in COLLECTIVES.items()
            for name, size in sizes.items() for ranks in (4, 8)]


def flood_case() -> Case:
    """Active messages one way, compared with one bare message each."""
    kinds = {"Short": ("short", 48), "Medium 64 B": ("medium_64", 112)}
    return Case("network_flood", 2, (Run("gasnet_flood", ("far",), nodes=2),),
                tuple(Row(f"gex {title}, one way, many, two nodes", f"gasnet_far_flood_{name}",
                          times(8), (f"bare_message_rate_{size}_spin",))
                      for title, (name, size) in kinds.items()), (BARE,))


def network_cases() -> list[Case]:
    """Every case of two nodes."""
    return [
        small_case("target in the library", "waiting", "spin"),
        small_case("target computes", "computing", "asleep"),
        Case("network_messages", 2, (Run("gasnet_ping_pong", ("far",), nodes=2),),
             tuple(Row(f"network gex {title}, there and back", figure, ratio(1.5),
                       ("bare_message_48_spin",))
                   for title, figure in (("AM Short", "network_am_short"),
                                         ("AM Medium 8 B", "network_am_medium_8"))), (BARE,)),
        Case("network_remote_malloc", 2, (Run("remote_malloc", nodes=2),),
             (Row("network malloc_at + free_at 64 B, two fetch_adds", "network_remote_malloc",
                  ratio(1.2), peers=False),), peers=False),
        flood_case(),
        bulk_case(),
        stream_case(1),
        stream_case(4),
        updates_case(),
        left_case(),
        barrier_case(4),
        barrier_case(8),
        *collective_cases(),
        Case("network_strided", 2,
             (Run("network_strided", nodes=2), Run("gasnet_far_pieces", nodes=2)),
             tuple(Row(f"{name} 128 KiB of 64 B, 25 %", figure, share(0.7),
                       ("tcp_stream_131072",)) for name, figure in STRIDED.items()), (TCP,)),
        Case("network_strided_messages", 2, (Run("gasnet_far_strided", nodes=2),),
             (Row("gex far strided put by messages, negotiated against fixed payload",
                  "gasnet_far_negotiated_131072", rate(1.05), ("gasnet_far_fixed_131072",)),)),
        Case("network_idle", 4, (Run("network_idle", nodes=2),),
             (Row("network job asleep, CPU a second", "network_idle",
                  Aim("absolute", 10 * MS, "10 ms")),)),
    ]
