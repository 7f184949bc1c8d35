"""The figures of a series: in the unit of its subject, quartiles, and ratios to ours."""

import statistics

# Converts the time of one operation in nanoseconds, or its bytes, to the unit.
UNITS = {
    "us": lambda ns, size: ns / 1e3,
    "MB/s": lambda ns, size: 1e3 * size / ns,
    "M/s": lambda ns, size: 1e3 / ns,
    "ms": lambda ns, size: ns / 1e6,
    "KiB": lambda size_in_bytes, size: size_in_bytes / 1024,
}


def axis_of(series: dict) -> str:
    return "ranks" if "ranks" in series else "bytes"


def size_of(series: dict) -> int:
    return series[axis_of(series)]


def values(series: dict, side: str) -> list[float]:
    """The values of the rounds of a side: "ours", "control" or the key of a peer."""
    return series.get(f"{side}_ns") or series.get(f"{side}_bytes") or []


def quartiles(found: list[float]) -> tuple[float, float, float]:
    if len(found) < 2:
        return found[0], found[0], found[0]
    lower, median, upper = statistics.quantiles(found, n=4, method="inclusive")
    return lower, median, upper


def in_unit(unit: str, series: dict, side: str) -> tuple[float, float, float] | None:
    """The quartiles of a side, or None if it was not measured."""
    found = [UNITS[unit](value, size_of(series)) for value in values(series, side) if value > 0]
    return quartiles(found) if found else None


def control_to_ours(series: dict) -> float | None:
    """The figure of the control divided by ours: the median over rounds."""
    pairs = zip(values(series, "control"), values(series, "ours"), strict=False)
    ratios = [control / ours for control, ours in pairs if control > 0 and ours > 0]
    return statistics.median(ratios) if ratios else None


def peer_to_ours(series: dict, key: str) -> float | None:
    """The median of a peer divided by ours: both ran alternately, not in one round."""
    peer, ours = values(series, key), values(series, "ours")
    return statistics.median(peer) / statistics.median(ours) if peer and ours else None


def peers_of(results: list[dict]) -> dict[str, str]:
    """The names of the peers by their keys. Not every subject has every peer."""
    return {peer["key"]: peer["name"] for result in results for peer in result["peers"]}


def by_operation(result: dict) -> dict[str, list[dict]]:
    """The series by operation. A peer may lack some of ours, but has no others."""
    operations: dict[str, list[dict]] = {}
    for series in result["series"]:
        if values(series, "ours"):
            operations.setdefault(series["operation"], []).append(series)
    return operations


def spread(ratios: list[float]) -> tuple[float, float, float] | None:
    """The geometric mean over sizes, the minimum and the maximum."""
    if not ratios:
        return None
    least, most = min(ratios), max(ratios)
    mean = statistics.geometric_mean(ratios)
    return min(max(mean, least), most), least, most  # rounding may leave the range
