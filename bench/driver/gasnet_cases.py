"""The rows of the GASNet-EX door, their controls and their aims."""

from driver.case import INFORMATIVE, MS, Aim, Case, Row, Run, rate, ratio

KIB = 1 << 10
PIECES = (("8 KiB", 8 * KIB, 25), ("128 KiB", 128 * KIB, 25), ("2 MiB", 2048 * KIB, 25),
          ("128 KiB", 128 * KIB, 50))  # bytes; their percentage of the memory
DIMENSIONS = (1, 3, 8, 32)
SAME = ratio(1.1)  # for operations that should take the same time


def message_cases() -> list[Case]:
    """Active messages of ranks 0 and 1; the control is measured in the same processes."""
    def medium(title: str, size: int, negotiated: float) -> tuple[Row, ...]:
        ways = {"negotiated": ratio(negotiated), "fixed": INFORMATIVE,
                "negotiated_read": INFORMATIVE, "fixed_read": INFORMATIVE}
        return tuple(Row(f"gex Medium {title} {way.replace('_', ', ')}", f"gasnet_{way}_{size}",
                         aim) for way, aim in ways.items())
    both = Row("gex 64 KiB, negotiated to fixed", "gasnet_negotiated_65536", rate(1.5),
               ("gasnet_fixed_65536",))
    return [
        Case("gasnet_ping_pong", 2, (Run("gasnet_ping_pong"),),
             (Row("gex Short, there and back", "gasnet_short", ratio(1.4)),
              Row("gex Medium 8 B, there and back", "gasnet_medium_8", ratio(1.4)))),
        Case("gasnet_medium", 2, (Run("gasnet_medium", ("4096", "65536")),),
             (*medium("4 KiB", 4 * KIB, 0.8), *medium("64 KiB", 64 * KIB, 0.5), both)),
        Case("gasnet_flood", 2, (Run("gasnet_flood"),),
             (Row("gex Short, one way, many", "gasnet_flood", rate(4)),)),
        Case("gasnet_served", 2, (Run("gasnet_served"),),
             tuple(Row(f"gex Short to a rank in a wait: {kind}", f"gasnet_served_{kind}", ratio(2))
                   for kind in ("barrier", "event", "word", "lock"))),
    ]


def small_case() -> Case:
    """Puts and gets of 8 bytes."""
    kinds = {"put8": "put 8 B", "get8": "get 8 B", "put8_nbi": "put 8 B, NBI",
             "get8_nbi": "get 8 B, NBI"}
    return Case("gasnet_small", 2, (Run("gasnet_small"),),
                tuple(Row(f"gex {title}", f"gasnet_{name}", ratio(1.5))
                      for name, title in kinds.items()))


def pieces_case(title: str, size: int, density: int) -> Case:
    """Pieces of 8 bytes. Each way is compared with memcpy of the lines that it touches; strided
    ways are compared with the way of a single dimension."""
    aim = Aim("ratio", 1 / 0.75, "75 %")
    what = f"{title} {density} %"

    def figure(dimensions: int) -> str:
        return f"gasnet_strided_{dimensions}_{size}_{density}"
    rows = (Row(f"gex indexed {what}", f"gasnet_indexed_{size}_{density}", aim),
            *(Row(f"gex strided {d}-d {what}", figure(d), aim) for d in DIMENSIONS),
            *(Row(f"gex {d}-d to 1-d {what}", figure(d), SAME, (figure(1),))
              for d in DIMENSIONS[1:]))
    return Case(f"gasnet_pieces_{size}_{density}", 2,
                (Run("gasnet_pieces", ("lines", str(density), str(size))),), rows)


def strided_cases() -> list[Case]:
    """Noncontiguous transfers."""
    return [
        *(pieces_case(*pieces) for pieces in PIECES),
        Case("gasnet_transpose", 2, (Run("gasnet_transpose"),),
             (Row("gex transposition 6400^2", "gasnet_transpose_6400", ratio(1)),)),
    ]


def atomic_cases() -> list[Case]:
    """Fetch-and-add, alone and by all ranks at once."""
    def hot_spot(ranks: int) -> Case:
        name = f"gasnet_hot_spot_{ranks}"
        return Case(name, ranks, (Run("gasnet_hot_spot"),),
                    (Row(f"gex fetch-add, {ranks} at once", name, ratio(1.2)),))
    alone = (Row("gex fetch-add", "gasnet_fetch_add_U64", ratio(1.2)),
             Row("gex fetch-add, NBI", "gasnet_fetch_adds_U64", ratio(1.2)))
    return [Case("gasnet_fetch_add", 2, (Run("gasnet_fetch_add"),), alone),
            *(hot_spot(ranks) for ranks in (2, 4, 8))]


def barrier_case(ranks: int, kinds: tuple[str, ...], batch: int, samples: int, aim: Aim,
                 busy: int = 0) -> Case:
    """The barrier compared with the barriers of `kinds`, on the same number of processes."""
    numbers = (str(batch), str(samples))
    beside = f", {busy} busy loops" if busy else ""
    rows = [Row(f"gex barrier {ranks}{beside}" + (", mean" if busy else ""),
                f"gasnet_barrier_{ranks}", aim, tuple(f"barrier_{k}_{ranks}" for k in kinds),
                by="mean" if busy else "median")]
    if busy:
        rows.append(Row(f"gex barrier {ranks}{beside}, max", f"gasnet_barrier_longest_{ranks}",
                        Aim("absolute", MS, "1 ms")))
    return Case(f"gasnet_barrier_{ranks}" + ("_busy" if busy else ""), ranks,
                (Run("gasnet_barrier", numbers),), tuple(rows),
                tuple(("barrier", k, str(ranks), *numbers) for k in kinds), busy)


def collective_cases() -> list[Case]:
    """Reductions of two ranks, and barriers."""
    sizes = {"8 B": (8, 2), "4 KiB": (4096, 1.5), "64 KiB": (65536, 2)}
    return [
        Case("gasnet_reduce", 2, (Run("gasnet_reduce", tuple(str(n) for n, _ in sizes.values())),),
             tuple(Row(f"gex reduce-to-all {title}", f"gasnet_reduce_{size}", ratio(limit))
                   for title, (size, limit) in sizes.items())),
        barrier_case(2, ("pair", "spin"), 1000, 200, ratio(1.3)),
        barrier_case(4, ("yield",), 1, 1000, ratio(1.2)),
        barrier_case(8, ("yield",), 1, 1000, ratio(1.2)),
        barrier_case(4, ("futex",), 1, 500, ratio(1.5), busy=2),
        barrier_case(8, ("futex",), 1, 500, ratio(1.5), busy=2),
    ]


def immediate_case(ranks: int) -> Case:
    """Messages to ranks that sleep; the control takes as long as the copies or the sleeps."""
    blocks = {"1": "1", "5": "5", "all": "0"}

    def figure(way: str, block: str) -> str:
        return f"gasnet_{way}_{ranks}_{blocks[block]}"
    rows = [Row(f"gex dynamic, {ranks}, block {block}", figure("dynamic", block), ratio(1.2))
            for block in blocks]
    rows += [Row(f"gex static, {ranks}, block {block}", figure("static", block), INFORMATIVE)
             for block in blocks]
    rows.append(Row(f"gex room of a sleeper, {ranks}", f"gasnet_room_{ranks}",
                    Aim("absolute", None, "-")))
    return Case(f"gasnet_immediate_{ranks}", ranks,
                (Run("gasnet_immediate", ("1000", *blocks.values())),), tuple(rows))


def gasnet_cases() -> list[Case]:
    """Every case of this door, in the order of the table."""
    return [
        *message_cases(),
        small_case(),
        *strided_cases(),
        *atomic_cases(),
        *collective_cases(),
        *(immediate_case(ranks) for ranks in (3, 5, 9)),
        Case("gasnet_stopped", 3, (Run("gasnet_stopped"),),
             (Row("gex Medium beside one stopped", "gasnet_stopped", SAME),)),
    ]
