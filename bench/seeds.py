#!/usr/bin/env python3
"""Measures figures and tables of three papers, the seeds, with Gondwana, and prints them with the
numbers of the papers:

- figures 1, 2, 3, 5 and 6 and table 1 of the first (GASNet-EX on Cray Aries, PAW-ATM 2018), on one
  node, figure 6 on two nodes of this machine;
- graphs 4-1 to 4-4 of the second (Global Arrays, ARMCI, Cray SeaStar, 2010), on two nodes as well;
- figures 2 and 3 of the third (GASNet-EX memory kinds, SC21), as "Kinds 2" and "Kinds 3", on
  emulated devices.

The first seed compares two versions of a library. Here each figure compares two ways to program the
same transfer; its title names the column that the others are compared with.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import median

from driver import machine
from driver.case import Run
from driver.device_cases import DEVICES
from driver.library import Build, find_build
from driver.process import RunError, output_of, run
from driver.sheet import Cell, Sheet, draw, table
from driver.verdict import percentile

DIMENSIONS = (3, 8, 32)
BLOCKS = {"full": 0, "5": 5, "cyclic": 1}
SIZES_OF_ONE_RUN = 4  # so that a run ends within its timeout
EAGER_LIMITS = ("0", "2K", "8K", "64K")
# The patterns of memspeed, by the names that the program prints.
PATTERNS = {"own_device_to_host": "D-H", "own_host_to_device": "H-D", "own_device_put": "D-D",
            "peer_device_put": "D-D peer"}
HEAT_STEPS = {64: 1000, 128: 300}  # steps by size of the cube
WARM_UP_STEPS = 10
# The middles of the bars of a histogram, in medians. The last bar includes all longer times.
BARS = [number / 20 for number in range(12, 42)]

Steps = list[tuple[float, float]]  # seconds of exchange and of computation of each step


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Figures and tables of the seed, measured here.")
    parser.add_argument("--rounds", type=int, default=5, help="runs whose median counts (5)")
    parser.add_argument("--quick", action="store_true", help="one run, and fewer sizes")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="'figure 1', 'table 1' ...; repeatable")
    parser.add_argument("--messages", type=int, default=2000,
                        help="of figure 2, to all ranks together (2000; the seed: 20000)")
    parser.add_argument("--build", type=Path, default=root / "build" / "release",
                        help="build folder (build/release)")
    parser.add_argument("--launcher", help="the `gondwana` command (that of the build folder)")
    parser.add_argument("--out", type=Path, default=root / "build" / "bench",
                        help="folder for seeds.json and the pictures (build/bench)")
    return parser.parse_args()


class Bench:
    """Runs rows and returns the medians of their figures, in ns."""

    def __init__(self, build: Build, options: argparse.Namespace) -> None:
        if build.ours is None:
            raise SystemExit("seeds: Gondwana is not in this build")
        self.ours = build.ours
        self.rounds = 1 if options.quick else options.rounds
        self.quick = options.quick
        self.messages = options.messages

    def sizes(self, first: int, last: int) -> list[int]:
        """Powers of two, or every eighth power."""
        return list(powers(first, last, 8 if self.quick else 2))

    def times(self, ranks: int, program: str, *words: str | int, nodes: int = 1,
              environment: dict[str, str] | None = None) -> dict[tuple[str, str], float]:
        """The median over rounds of each figure and side."""
        found: dict[tuple[str, str], list[float]] = {}
        row = Run(program, tuple(str(word) for word in words), environment or {}, nodes=nodes)
        for _ in range(self.rounds):
            for figure in run(self.ours.job(ranks, row), self.ours.variables(row)):
                found.setdefault((figure.name, figure.side), []).append(figure.median)
        return {key: median(values) for key, values in found.items()}

    def times_by_size(self, program: str, words: tuple[str | int, ...], sizes: list[int],
                      nodes: int = 1, environment: dict[str, str] | None = None
                      ) -> dict[tuple[str, str], float]:
        """The same for two ranks and many sizes. Each run gets a few sizes, as its last
        arguments.
        """
        found = {}
        for i in range(0, len(sizes), SIZES_OF_ONE_RUN):
            found |= self.times(2, program, *words, *sizes[i:i + SIZES_OF_ONE_RUN],
                                nodes=nodes, environment=environment)
        return found

    def heat_steps(self, row: Run) -> Steps:
        """The time of each step of heat conduction on two ranks."""
        with tempfile.NamedTemporaryFile("r") as file:
            named = replace(row, arguments=(*row.arguments, file.name))
            output_of(self.ours.job(2, named), self.ours.variables(named))
            lines = [line.split() for line in file]
        return [(float(exchange), float(computation))
                for exchange, computation in lines[WARM_UP_STEPS:]]

    @cached_property
    def heat(self) -> dict[str, list[Steps]]:
        """The steps of all rounds, by size of the cube and way to exchange."""
        rows = {}
        for size, steps in ({24: 200} if self.quick else HEAT_STEPS).items():
            words = ("--size", str(size), "--steps", str(steps))
            rows |= {f"{size} dev": Run("device_heat", (*words, "--times"), DEVICES),
                     f"{size} host": Run("device_heat", (*words, "--host", "--times")),
                     f"{size} MPI": Run("heat_mpi", (str(size), str(steps)), by_mpi=True)}
        rows = {name: row for name, row in rows.items() if self.ours.has(row.program)}
        found: dict[str, list[Steps]] = {name: [] for name in rows}
        for _ in range(self.rounds):
            for name, row in rows.items():
                found[name].append(self.heat_steps(row))
        return found


def powers(first: int, last: int, factor: int) -> Iterator[int]:
    """The numbers first, first * factor ... up to last."""
    while first <= last:
        yield first
        first *= factor


def percent_faster(old: float, new: float) -> float:
    """The additional operations in the same time, in percent."""
    return 100 * (old / new - 1)


def megabytes(size: int, ns: float) -> float:
    """Millions of bytes a second."""
    return 1000 * size / ns


def figure_1(bench: Bench) -> Sheet:
    """Negotiated payload."""
    sizes = [0, *bench.sizes(1, 32768), 65472]
    ns = bench.times_by_size("gasnet_medium", (), sizes)
    rows = []
    for size in sizes:
        fixed, negotiated = (ns[f"gasnet_{way}_{size}", "ours"] for way in ("fixed", "negotiated"))
        rows.append([size, fixed / 1e3, negotiated / 1e3, megabytes(2 * size, fixed),
                     megabytes(2 * size, negotiated), percent_faster(fixed, negotiated)])
    return Sheet("Figure 1", "AM Medium ping-pong, payload generated on the fly: negotiated "
                 "payload against fixed",
                 ["Bytes", "fixed us", "neg. us", "fixed MB/s", "neg. MB/s", "gain %"], rows,
                 ("gain %",), "more bandwidth by negotiated payload, %")


def figure_2(bench: Bench) -> Sheet:
    """Immediate operations."""
    columns = ["Ranks"]
    for block in BLOCKS:
        columns += [f"{block}: ms", "imm. ms", f"{block}: saved %"]
    rows = []
    for ranks in (2, 3) if bench.quick else (2, 3, 5, 9):
        row: list[float] = [ranks]
        for block in BLOCKS.values():
            ns = bench.times(ranks, "gasnet_immediate", bench.messages, block)
            static, dynamic = (ns[f"gasnet_{way}_{ranks}_{block}", "ours"]
                               for way in ("static", "dynamic"))
            row += [static / 1e6, dynamic / 1e6, 100 * (static - dynamic) / static]
        rows.append(row)
    return Sheet("Figure 2", f"{bench.messages} AM Mediums of 4032 B to ranks that sleep 500 us "
                 "between polls: dynamic schedule with IMMEDIATE against static ones",
                 columns, rows, tuple(f"{block}: saved %" for block in BLOCKS),
                 "time saved by IMMEDIATE, %")


def figure_3(bench: Bench) -> Sheet:
    """Local completion."""
    sizes = bench.sizes(1, 2 << 20)
    ns = bench.times_by_size("gasnet_put_flood", (), sizes)
    columns = {"now": "now MB/s", "leaf": "leaf MB/s", "defer": "bulk MB/s"}
    rows = []
    for size in sizes:
        rates = [megabytes(size, ns[f"gasnet_put_{way}_{size}", "ours"]) for way in columns]
        copy = megabytes(size, ns[f"gasnet_put_now_{size}", "control"])
        rows.append([size, *rates, copy, 100 * rates[0] / copy])
    return Sheet("Figure 3", "Flood of puts from outside the segment: non-bulk (GEX_EVENT_NOW), "
                 "with a leaf event, bulk (GEX_EVENT_DEFER), against memcpy",
                 ["Bytes", *columns.values(), "memcpy MB/s", "of it %"], rows,
                 (*columns.values(), "memcpy MB/s"), "MB/s")


def figure_5(bench: Bench) -> Sheet:
    """Non-contiguous puts."""
    sizes = bench.sizes(16, 2 << 20)
    ns = bench.times_by_size("gasnet_pieces", ("loops", 25), sizes)
    ways = {"indexed": "indexed", **{f"strided_{d}": f"{d}d" for d in DIMENSIONS}}
    columns = ["Bytes"]
    for way in ways.values():
        columns += [f"{way} MB/s", f"{way}: x"]
    rows = []
    for size in sizes:
        row: list[float] = [size]
        for way in ways:
            ours, loops = (ns[f"gasnet_{way}_{size}_25", side] for side in ("ours", "control"))
            row += [megabytes(size, ours), loops / ours]
        rows.append(row)
    return Sheet("Figure 5", "Indexed and strided puts of pieces of 8 bytes, 25 % density: speedup "
                 "against loops, one for each dimension, with a memcpy for each piece",
                 columns, rows, tuple(f"{way}: x" for way in ways.values()), "speedup")


def figure_6(bench: Bench) -> Sheet:
    """Strided puts between nodes by messages."""
    sizes = bench.sizes(128, 2 << 20)
    ns = bench.times_by_size("gasnet_far_strided", (), sizes, nodes=2)
    rows = []
    for size in sizes:
        fixed, negotiated, vis = (ns[f"gasnet_far_{way}_{size}", "ours"]
                                  for way in ("fixed", "negotiated", "vis"))
        rows.append([size, *(megabytes(size, way) for way in (fixed, negotiated, vis)),
                     fixed / negotiated, fixed / vis])
    return Sheet("Figure 6", "Strided puts to another node, pieces of 64 bytes, 25 % density: packed by the "
                 "client for fixed payload, for negotiated payload, and gex_VIS_StridedPut",
                 ["Bytes", "fixed MB/s", "neg. MB/s", "VIS MB/s", "neg.: x", "VIS: x"], rows,
                 ("neg.: x", "VIS: x"), "speedup against fixed payload")


def table_1(bench: Bench) -> Sheet:
    """Remote atomics."""
    ns = (bench.times(2, "gasnet_fetch_add") | bench.times(2, "gasnet_fetch_add", "messages"))
    rows: list[list[float | str]] = []
    for kind in ("U32", "U64"):
        messages, domain = (ns[f"gasnet_{way}fetch_add_{kind}", "ours"]
                            for way in ("message_", ""))
        many, many_domain = (ns[f"gasnet_{way}fetch_adds_{kind}", "ours"]
                             for way in ("message_", ""))
        rows.append([kind, messages / 1e3, domain / 1e3, messages / domain, 1e6 / many,
                     1e6 / many_domain, many / many_domain])
    return Sheet("Table 1", "Fetch-and-add: atomic domain against active messages",
                 ["Type", "AM us", "domain us", "ratio", "AM kop/s", "dom. kop/s", "ratio"], rows)


def graph_4_1(bench: Bench) -> Sheet:
    """The limit of eager messages: graphs 4-1 to 4-4 in one."""
    sizes = (2048, 8192, 40960, 65536)
    columns = ["Way", "Bytes", *(f"limit {limit}: us" for limit in EAGER_LIMITS)]
    rows: list[list[float | str]] = []
    for way in ("put", "get"):
        ns = {limit: bench.times(4, "network_blocks", way, 0, *sizes, nodes=2,
                                 environment={"GONDWANA_EAGER_LIMIT": limit})
              for limit in EAGER_LIMITS}
        rows += [[way, size, *(ns[limit][f"network_blocks_{way}_{size}", "ours"] / 1e3
                               for limit in EAGER_LIMITS)] for size in sizes]
    return Sheet("Graph 4-1", "2 + 2 ranks, each with 16 blocks for the other node, and a barrier: "
                 "by GONDWANA_EAGER_LIMIT", columns, rows)


def kinds_2(bench: Bench) -> Sheet:
    """memspeed: copies between memories of two kinds."""
    sizes = bench.sizes(16, 16 << 20)
    ns: dict[tuple[str, str], float] = {}
    for where in ("own", "peer"):
        ns |= bench.times_by_size("gasnet_device_copies", (where, where), sizes,
                                  environment=DEVICES)
    columns = ["Bytes"]
    for pattern in PATTERNS.values():
        columns += [f"{pattern} copy", f"{pattern} shm", f"{pattern} gex"]
    rows = []
    for size in sizes:
        row: list[Cell] = [size]
        for pattern in PATTERNS:
            row += [megabytes(size, ns[f"{pattern}_{size}{suffix}", side]) for suffix, side in
                    (("", "control"), ("", "ours"), ("_gasnet", "ours"))]
        rows.append(row)
    return Sheet("Kinds 2", "memspeed, MB/s: from device (D) or host (H), on a rank and to a peer: "
                 "the copy engine alone, put or get of OpenSHMEM, and of GASNet-EX",
                 columns, rows, tuple(columns[i] for i in (1, 2, 4, 5, 7, 8, 11)), "MB/s")


def pairs_of_steps(rounds: list[Steps]) -> list[float]:
    """Microseconds of each two consecutive steps, as in the poster."""
    return [1e6 * (sum(first) + sum(second)) for steps in rounds
            for first, second in pairwise(steps)]


def kinds_3(bench: Bench) -> Sheet:
    """Times of steps of heat conduction."""
    rows: list[list[Cell]] = []
    for name, rounds in bench.heat.items():
        exchange, computation = ([1e6 * step[part] for steps in rounds for step in steps]
                                 for part in (0, 1))
        pairs = pairs_of_steps(rounds)
        rows.append([name, median(exchange), percentile(exchange, 99), median(computation),
                     median(pairs), *(percentile(pairs, share) / median(pairs)
                                      for share in (10, 90, 99, 100))])
    return Sheet("Kinds 3", "heat conduction in a cube on two ranks, us: field on devices (put with "
                 "signal; the computation copies it, as the device has no processor), on the "
                 "host, " + ("MPI on the host" if bench.ours.has("heat_mpi") else
                             "without MPI: no mpicc.openmpi with mpi.h here"),
                 ["Cube", "exchange", "its p99", "computing", "two steps", "p10: x", "p90: x",
                  "p99: x", "max: x"], rows)


def kinds_3_histogram(bench: Bench) -> Sheet:
    """The distribution of these times."""
    width = BARS[1] - BARS[0]
    shares = []
    for rounds in bench.heat.values():
        pairs = pairs_of_steps(rounds)
        middle = median(pairs)
        bars = [min(max(round((time / middle - BARS[0]) / width), 0), len(BARS) - 1)
                for time in pairs]
        shares.append([100 * bars.count(bar) / len(bars) for bar in range(len(BARS))])
    rows: list[list[Cell]] = [[f"{bar:.2f}", *cells]
                              for bar, cells in zip(BARS, zip(*shares, strict=True), strict=True)]
    return Sheet("Kinds 3 histogram", "times of two steps of heat conduction, in medians",
                 ["Median x", *bench.heat], rows, tuple(bench.heat), "% of pairs of steps")


SHEETS: tuple[Callable[[Bench], Sheet], ...] = (figure_1, figure_2, figure_3, figure_5, figure_6,
                                                table_1, graph_4_1, kinds_2, kinds_3,
                                                kinds_3_histogram)


def chosen(names: list[str]) -> list[Callable[[Bench], Sheet]]:
    """The sheets with these names, or all sheets without names."""
    wanted = {name.lower().replace(" ", "_").replace("-", "_") for name in names}
    known = {sheet.__name__ for sheet in SHEETS}
    if wrong := wanted - known:
        raise SystemExit(f"seeds: there is no {' or '.join(sorted(wrong))} here; there is "
                         + ", ".join(sorted(known)))
    return [sheet for sheet in SHEETS if not wanted or sheet.__name__ in wanted]


def main() -> int:
    """Measures and prints. The status is 0 if all sheets were measured."""
    options = arguments()
    sheets = chosen(options.only)
    build = find_build(options.build, options.launcher, with_peers=False)
    bench = Bench(build, options)
    facts = {"machine": machine.describe(), "rounds": bench.rounds,
             "warnings": machine.warnings(build)}
    print(f"# {facts['machine']['processor']}, {facts['machine']['processors']} processors")
    for warning in facts["warnings"]:
        print(f"! {warning}")
    done = []
    for make in sheets:
        try:
            sheet = make(bench)
        except RunError as failure:
            print(f"\n! {make.__name__}: {failure}")
            continue
        print("\n" + table(sheet), flush=True)
        done.append(sheet)
    options.out.mkdir(parents=True, exist_ok=True)
    content = {**facts, "sheets": [asdict(sheet) for sheet in done]}
    (options.out / "seeds.json").write_text(json.dumps(content, indent=1) + "\n")
    print(f"\nfigures: {options.out / 'seeds.json'}")
    print(draw(options.out, done))
    return 0 if len(done) == len(sheets) else 1


if __name__ == "__main__":
    sys.exit(main())
