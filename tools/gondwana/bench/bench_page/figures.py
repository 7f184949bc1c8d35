"""The figures of a series: in the unit of its subject, quartiles, and times compared with ours."""

import statistics

# The time of one operation in nanoseconds, as the unit has it.
UNITS = {
    "us": lambda ns, size: ns / 1e3,
    "MB/s": lambda ns, size: 1e3 * size / ns,
    "M/s": lambda ns, size: 1e3 / ns,
}


def size_of(series: dict) -> int:
    return series["bytes"]


def quartiles(values: list[float]) -> tuple[float, float, float]:
    if len(values) < 2:
        return values[0], values[0], values[0]
    lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, median, upper


def in_unit(unit: str, series: dict, side: str) -> tuple[float, float, float] | None:
    """The quartiles of a side, or None if it was not measured."""
    values = [UNITS[unit](value, size_of(series)) for value in series[side] if value > 0]
    return quartiles(values) if values else None


def control_to_ours(series: dict) -> float | None:
    """The time of the control divided by ours: the median over rounds, which have both."""
    pairs = zip(series["control_ns"], series["ours_ns"], strict=False)
    ratios = [control / ours for control, ours in pairs if control > 0 and ours > 0]
    return statistics.median(ratios) if ratios else None


def peer_to_ours(series: dict) -> float | None:
    """The time of the peer divided by ours, of medians: they have run by turns."""
    if not series["peer_ns"] or not series["ours_ns"]:
        return None
    return statistics.median(series["peer_ns"]) / statistics.median(series["ours_ns"])


def peer_of(results: list[dict]) -> str:
    """What it calls itself; "" without one. Doors other than OpenSHMEM have none."""
    return next((result["peer"] for result in results if result["peer"]), "")


def by_operation(result: dict) -> dict[str, list[dict]]:
    """The series that we have, as a peer may lack an operation, but never has one alone."""
    operations: dict[str, list[dict]] = {}
    for series in result["series"]:
        if series["ours_ns"]:
            operations.setdefault(series["operation"], []).append(series)
    return operations


def spread(ratios: list[float]) -> tuple[float, float, float] | None:
    """The geometric mean over sizes, the least and the greatest."""
    if not ratios:
        return None
    least, most = min(ratios), max(ratios)
    mean = statistics.geometric_mean(ratios)
    return min(max(mean, least), most), least, most  # rounding may lead out of the range
