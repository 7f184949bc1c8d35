"""What the GASNet-EX headers must declare, read from gasnet_ex_0_19.txt, not from the tables."""

import re
from dataclasses import dataclass
from pathlib import Path

LINES = Path(__file__).resolve().parent / "gasnet_ex_0_19.txt"
NUMBERS = LINES.with_name("gasnet_ex_2025_8_0.txt")
MOST_ARGUMENTS = 16


@dataclass(frozen=True)
class Routine:
    header: str
    returns: str
    name: str
    parameters: str


@dataclass(frozen=True)
class Specification:
    types: dict[str, list[str]]  # by header
    constants: dict[str, list[str]]
    macros: dict[str, list[str]]
    routines: list[Routine]


def numbers() -> list[str]:
    """Lines of a name and its number."""
    lines = NUMBERS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def read() -> Specification:
    names: dict[str, dict[str, list[str]]] = {"types": {}, "constants": {}, "macros": {}}
    routines: list[Routine] = []
    kind = header = ""
    for line in LINES.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            kind, header = line.strip("[]").split()
        elif not line or line.startswith("#"):
            continue
        elif kind == "routines":
            routines += _routines(header, line)
        else:
            names[kind].setdefault(header, []).extend(line.split())
    return Specification(names["types"], names["constants"], names["macros"], routines)


def _routines(header: str, line: str) -> list[Routine]:
    """One, or, where its name has an N in place of a number, one for each number of arguments."""
    returns, name, parameters = re.fullmatch(r"(.+[ *])(\w+)\((.*)\)", line).groups()
    counted = re.fullmatch(r"(\w+[a-z])N(_v2)?", name)
    if counted is None or "_AM" not in name:
        return [Routine(header, returns.strip(), name, parameters)]
    first, last = counted[1], counted[2] or ""
    return [
        Routine(header, returns.strip(), f"{first}{count}{last}", parameters + _arguments(count))
        for count in range(MOST_ARGUMENTS + 1)
    ]


def _arguments(count: int) -> str:
    return ", gex_AM_Arg_t" * count
