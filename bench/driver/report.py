"""The table on the terminal and the file with every figure."""

import json
from dataclasses import asdict
from pathlib import Path
from statistics import median

from driver.figures import Figure, show
from driver.rounds import Outcome
from driver.verdict import Line, RowResult

OURS = "Gondwana"
HEADINGS = ("row", "ours", "p90", "control", "score", "p90", "aim", "met")
WIDTHS = (32, 10, 10, 10, 9, 9, 8, 4)


def show_score(kind: str, value: float, unit: str) -> str:
    """A ratio, a difference or a value, in the form of the row's aim."""
    if kind == "ratio":
        return f"{value:.2f}x"
    sign = "+" if kind == "difference" and value >= 0 else ""
    return sign + show(value, unit)


def cells(result: RowResult, line: Line | None) -> list[str]:
    """One library's part of a line: value, p90, control, score, its p90."""
    if line is None:
        return ["-"] * 5
    kind = result.row.aim.kind
    control = show(line.control, line.unit) if line.control is not None else "-"
    return [show(line.value, line.unit), show(line.value_p90, line.unit), control,
            show_score(kind, line.score, line.unit), show_score(kind, line.score_p90, line.unit)]


def columns(words: list[str], peers: int) -> str:
    """Words in columns, the first aligned to the left, the others to the right."""
    widths = [*WIDTHS[1:], *[10, 9] * peers]
    rest = "".join(f"{word:>{width}}" for word, width in zip(words[1:], widths, strict=True))
    return f"{words[0]:<{WIDTHS[0]}}{rest}"


def heading(peers: list[str]) -> str:
    """The first line of the table."""
    return "# " + columns([*HEADINGS, *[word for peer in peers for word in (peer, "score")]],
                          len(peers))


def table_line(result: RowResult, peers: list[str]) -> str:
    """One row of the table."""
    met = {True: "yes", False: "NO", None: "-"}[result.met]
    words = [result.row.title, *cells(result, result.lines.get(OURS)), result.row.aim.text, met]
    for peer in peers:
        value, _, _, score, _ = cells(result, result.lines.get(peer))
        words += [value, score]
    return "  " + columns(words, len(peers))


def remarks(outcome: Outcome, wanted: int) -> list[str]:
    """A line for each skipped case, each failure and rejected rounds."""
    name = outcome.case.name
    if outcome.skipped:
        return [f"{name}: skipped: {outcome.skipped}"]
    found = [f"{name}: {failure}" for failure in outcome.failures]
    if outcome.rejected:
        found.append(f"{name}: {outcome.rejected} rounds rejected: the cores moved meanwhile")
    if 0 < len(outcome.rounds) < wanted:
        found.append(f"{name}: only {len(outcome.rounds)} of {wanted} rounds count")
    return found


def footer(outcomes: list[Outcome], results: list[RowResult]) -> list[str]:
    """The core distances, the fastest controls, and the number of aims that are met."""
    distances = [d for outcome in outcomes for pair in outcome.distances for d in pair]
    lines = []
    if distances:
        lines.append(f"core distance (two-line ping-pong): median {show(median(distances), 'ns')}, "
                     f"{show(min(distances), 'ns')} to {show(max(distances), 'ns')}")
    lines += [f"{v.row.title}: the control is {v.lines[OURS].control_name}"
              for v in results if len(v.row.controls) > 1 and OURS in v.lines]
    judged = [v for v in results if v.met is not None]
    lines.append(f"{sum(v.met is True for v in judged)} of {len(judged)} aims met")
    return lines


def write_json(path: Path, facts: dict[str, object], limits: list[Figure],
               outcomes: list[Outcome], results: list[RowResult]) -> None:
    """Writes all figures to a file that other programs can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        **facts,
        "limits": [asdict(figure) for figure in limits],
        "rows": [{**asdict(v.row), "met": v.met,
                  "libraries": {name: asdict(line) for name, line in v.lines.items()}}
                 for v in results],
        "cases": [{"name": o.case.name, "skipped": o.skipped, "rejected": o.rejected,
                   "failures": o.failures, "distances_ns": o.distances,
                   "rounds": [{source: {side: {name: asdict(figure) for name, figure in f.items()}
                                        for side, f in sides.items()}
                               for source, sides in measured.items()} for measured in o.rounds]}
                  for o in outcomes],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")
