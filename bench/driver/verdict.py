"""Computes the line of the table from the rounds of a row."""

import math
from dataclasses import dataclass
from statistics import median

from driver.case import Row
from driver.figures import Figure
from driver.rounds import CONTROL, Measured, Outcome


@dataclass(frozen=True)
class Line:
    """One library in one row: medians over rounds; the aim limits `score`."""

    library: str
    rounds: int
    unit: str
    value: float  # the median within a round, or the mean if the row compares means
    value_p90: float  # within a round
    control: float | None
    control_name: str
    score: float
    score_p90: float  # over rounds


@dataclass(frozen=True)
class RowResult:
    """One row: ours, its peers, and whether the aim is met (None: it has no aim or no figure)."""

    row: Row
    lines: dict[str, Line]
    measured: bool  # ours; a row of a skipped case counts as measured
    met: bool | None


def value_of(row: Row, figure: Figure) -> float:
    """The median of the samples, or their mean if the row compares means."""
    return figure.mean if row.by == "mean" else figure.median


def control_of(row: Row, measured: Measured, library: str) -> Figure | None:
    """The control of a row in one round: from the row's own process, or the fastest named one."""
    own = measured[library]
    if not row.controls:
        return own[CONTROL].get(row.figure)
    places = (measured[CONTROL][CONTROL], own["ours"])
    names = [name for name in row.controls if name != row.figure]  # no row is its own control
    found = [place[name] for name in names for place in places if name in place]
    return min(found, key=lambda figure: value_of(row, figure), default=None)


def score(row: Row, ours: Figure, control: Figure | None) -> float:
    """The value that the aim limits, in one round."""
    value = value_of(row, ours)
    if control is None or row.aim.kind == "absolute":
        return value
    limit = value_of(row, control)
    return value - limit if row.aim.kind == "difference" else value / (limit + row.aim.allowance)


def percentile(values: list[float], percent: int) -> float:
    """The value that `percent` % of the values do not exceed."""
    return sorted(values)[math.ceil(percent * len(values) / 100) - 1]


def line(row: Row, outcome: Outcome, library: str) -> Line | None:
    """One library in one row, or None if it was not measured."""
    rounds = [m for m in outcome.rounds if library in m and row.figure in m[library]["ours"]]
    if not rounds:
        return None
    ours = [m[library]["ours"][row.figure] for m in rounds]
    controls = [control_of(row, m, library) for m in rounds]
    known = [c for c in controls if c is not None]
    if row.aim.kind != "absolute" and len(known) < len(rounds):
        return None  # no control to compare with
    names = [c.name for c in known]
    scores = [score(row, o, c) for o, c in zip(ours, controls, strict=True)]
    return Line(library, len(rounds), ours[0].unit, median(value_of(row, o) for o in ours),
                median(o.p90 for o in ours),
                median(value_of(row, c) for c in known) if known else None,
                max(set(names), key=names.count) if names else "", median(scores),
                percentile(scores, 90))


def judge(row: Row, outcome: Outcome, ours: str, peers: list[str]) -> RowResult:
    """Computes one row of the table."""
    lines = {name: found for name in (ours, *(peers if row.peers else ()))
             if (found := line(row, outcome, name)) is not None}
    limit = row.aim.limit
    met = lines[ours].score <= limit if ours in lines and limit is not None else None
    return RowResult(row, lines, ours in lines or bool(outcome.skipped), met)
