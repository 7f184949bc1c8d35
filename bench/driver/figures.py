"""Figures: the output of a control or a row, one JSON object per line, and its format on screen."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """The median, p90 and mean of one measurement in one run of one program."""

    name: str
    side: str  # "ours": the library under test; "control": the program it is compared with
    unit: str
    median: float
    p90: float
    mean: float
    samples: int


def parse(output: str) -> list[Figure]:
    """Returns the figures in a program's output; ignores other lines."""
    lines = (line.strip() for line in output.splitlines())
    return [Figure(**json.loads(line)) for line in lines if line.startswith("{")]


def show(value: float, unit: str) -> str:
    """A value with three digits, in a suitable unit."""
    steps = {"ns": (("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)),
             "KiB": (("KiB", 1.0), ("MiB", 1024.0), ("GiB", 1024.0 ** 2))}
    if unit not in steps:
        return f"{value:.3g} {unit}"
    name, size = max((step for step in steps[unit] if abs(value) >= step[1]),
                     key=lambda step: step[1], default=steps[unit][0])
    scaled = value / size
    digits = 2 if abs(scaled) < 10 else 1 if abs(scaled) < 100 else 0
    return f"{scaled:.{digits}f} {name}"
