#!/usr/bin/env python3
"""Measures Gondwana and small control programs that do the same without any library.

A round measures the distance between two cores, the controls, the rows, the controls again and the
distance again. Our figure is divided by the control of the same round; the median over rounds is shown. A
round in which the core distance changed is rejected and counted.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from driver import cases, machine, report
from driver.figures import Figure, show
from driver.library import Build, find_build
from driver.picture import draw
from driver.process import run
from driver.rounds import Outcome, Rounds
from driver.verdict import RowResult, judge

QUICK_ROUNDS = 3


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="rounds that must count (9)")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} rounds, no limits")
    parser.add_argument("--row", action="append", default=[], metavar="TEXT",
                        help="only cases with TEXT in their name or in a row's title; repeatable")
    parser.add_argument("--list", action="store_true", help="list cases and rows, measure nothing")
    parser.add_argument("--pin", action="store_true",
                        help="keep each process, of rows and controls alike, on one processor")
    parser.add_argument("--no-peers", action="store_true", help="Gondwana alone")
    parser.add_argument("--build", type=Path, default=root / "build" / "release",
                        help="build folder (build/release)")
    parser.add_argument("--launcher", help="the `gondwana` command (that of the build folder)")
    parser.add_argument("--out", type=Path, default=root / "build" / "bench",
                        help="folder for result.json and result.png (build/bench)")
    return parser.parse_args()


def chosen(texts: list[str]) -> list[cases.Case]:
    """The cases that match one of the texts; without texts, all cases."""
    def matches(case: cases.Case) -> bool:
        names = [case.name, *(row.title for row in case.rows)]
        return not texts or any(text in name for text in texts for name in names)
    found = [case for case in cases.all_cases() if matches(case)]
    if not found:
        raise SystemExit(f"bench: no case or row has {' or '.join(texts)} in its name; see --list")
    return found


def list_cases(found: list[cases.Case]) -> None:
    """Prints the cases and rows without measuring."""
    for case in found:
        print(f"{case.name} ({case.ranks} ranks)")
        for row in case.rows:
            print(f"    {row.title:<34} aim {row.aim.text}")


def measure_limits(build: Build, environment: dict[str, str]) -> list[Figure]:
    """Runs the controls that show the limits of this machine, and prints them."""
    figures = [figure for program, *words in cases.LIMITS
               for figure in run([build.control(program), *words], environment)]
    for figure in figures:
        print(f"  {figure.name:<28} {show(figure.median, figure.unit):>10}"
              f"   p90 {show(figure.p90, figure.unit)}")
    return figures


def progress(outcome: Outcome, rounds: int, place: str) -> None:
    """Prints on standard error what is being measured; a terminal shows the last line only."""
    text = f"[{place}] {outcome.case.name}: round {len(outcome.rounds) + 1} of {rounds}"
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif not outcome.rounds and not outcome.rejected:
        print(text, file=sys.stderr, flush=True)


def measure(build: Build, found: list[cases.Case], rounds: int,
            environment: dict[str, str]) -> tuple[list[Outcome], list[RowResult]]:
    """Measures every case and prints its rows as soon as they are known."""
    peers = [peer.name for peer in build.peers]
    outcomes: list[Outcome] = []
    results: list[RowResult] = []
    print(report.heading(peers), flush=True)
    for number, case in enumerate(found, start=1):
        tell = partial(progress, rounds=rounds, place=f"{number}/{len(found)}")
        outcome = Rounds(build, case, environment).run(rounds, tell)
        outcomes.append(outcome)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        for row in case.rows:
            results.append(judge(row, outcome, report.OURS, peers))
            print(report.table_line(results[-1], peers), flush=True)
        for remark in report.remarks(outcome, rounds):
            print(f"    ! {remark}", flush=True)
    return outcomes, results


def main() -> int:
    """Runs the benchmark. The status says whether Gondwana was measured, not whether it was fast."""
    options = arguments()
    found = chosen(options.row)
    if options.list:
        list_cases(found)
        return 0
    rounds = QUICK_ROUNDS if options.quick else options.rounds
    build = find_build(options.build, options.launcher, not options.no_peers)
    environment = {"BENCH_PIN": "1"} if options.pin else {}
    facts = {"machine": machine.describe(), "rounds": rounds, "pinned": options.pin,
             "warnings": machine.warnings(build)}
    print(f"{facts['machine']['processor']}, {facts['machine']['processors']} processors")
    for warning in facts["warnings"]:
        print(f"! {warning}")
    if build.ours is None:
        print("! Gondwana is not in this build: only controls and peers are measured")

    limits = [] if options.quick or options.row else measure_limits(build, environment)
    outcomes, results = measure(build, found, rounds, environment)
    for line in report.footer(outcomes, results):
        print(line)
    report.write_json(options.out / "result.json", facts, limits, outcomes, results)
    print(f"figures: {options.out / 'result.json'}")
    print(draw(options.out / "result.png", results, [peer.name for peer in build.peers]))
    return 0 if all(result.measured for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
