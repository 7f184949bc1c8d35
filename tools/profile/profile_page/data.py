"""The counts of a job, read from the JSON of the profiling library."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMAT = "gondwana profile 1"
KINDS = {  # kinds of traffic, with their names in the report
    "put": "put",
    "get": "got",
    "atomic": "of atomics and signals",
    "message": "of active messages",
}


@dataclass(frozen=True)
class Calls:
    count: int
    seconds: float
    bytes: int


@dataclass(frozen=True)
class RawPath:
    call: str
    calls: int
    seconds: float
    bytes: int
    places: list[tuple[str, int]]  # file and return address in it, innermost first


@dataclass(frozen=True)
class Rank:
    host: str
    node_leader: int  # the first rank of its node
    seconds: float  # since the library began; 0: unknown
    calls: dict[str, Calls]
    traffic: dict[str, dict[int, int]]  # kind -> peer -> bytes
    paths: list[RawPath] = field(default_factory=list)
    regions: dict[str, Calls] = field(default_factory=dict)  # regions that the program names
    devices: dict[str, tuple[int, int]] = field(default_factory=dict)  # kind -> bytes to, from
    bounced: int = 0  # bytes of these copies that passed through host memory

    @property
    def inside(self) -> float:
        """The seconds in the library, summed over all threads."""
        return sum(calls.seconds for calls in self.calls.values())

    def bytes_to(self) -> dict[int, int]:
        """The bytes of all kinds to each peer."""
        sums: dict[int, int] = {}
        for row in self.traffic.values():
            for peer, size in row.items():
                sums[peer] = sums.get(peer, 0) + size
        return sums


@dataclass(frozen=True)
class Profile:
    title: str
    of_threads: bool
    ranks: list[Rank]
    text: str = field(repr=False)  # the data as they were read

    @property
    def nodes(self) -> list[list[int]]:
        """The ranks of each node."""
        leaders: dict[int, list[int]] = {}
        for number, rank in enumerate(self.ranks):
            leaders.setdefault(rank.node_leader, []).append(number)
        return list(leaders.values())

    def calls(self) -> list[str]:
        """All calls, sorted by total time, longest first."""
        seconds: dict[str, float] = {}
        for rank in self.ranks:
            for name, calls in rank.calls.items():
                seconds[name] = seconds.get(name, 0) + calls.seconds
        return sorted(seconds, key=lambda name: -seconds[name])

    def regions(self) -> list[str]:
        """All regions that the program has named, sorted by total time, longest first."""
        seconds: dict[str, float] = {}
        for rank in self.ranks:
            for name, region in rank.regions.items():
                seconds[name] = seconds.get(name, 0) + region.seconds
        return sorted(seconds, key=lambda name: -seconds[name])

    def machine(self) -> str:
        hosts = list(dict.fromkeys(rank.host for rank in self.ranks))
        shown = ", ".join(hosts[:8]) + (f" and {len(hosts) - 8} more" if len(hosts) > 8 else "")
        nodes = len(self.nodes)
        return f"{len(self.ranks)} ranks on {nodes} node{'s' * (nodes > 1)}: {shown}"


def read(file: Path) -> Profile:
    """Reads the data; raises ValueError if the library cannot have written them."""
    text = file.read_text(encoding="utf-8")
    try:
        found = json.loads(text)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f'its "format" is not "{FORMAT}"')
        ranks = [_rank(rank) for rank in found["ranks"]]
        if not ranks:
            raise ValueError("it has no rank")
        return Profile(_of(str, found["title"]), _of(bool, found["of_threads"]), ranks, text)
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise ValueError(f"the library does not write this: {error!r}") from error
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{value!r:.40} is not of type {kind.__name__}")
    return value


def _count(value: Any) -> int:
    if _of(int, value) < 0:
        raise ValueError(f"{value} is not a count")
    return value


def _seconds(value: Any) -> float:
    seconds = float(value) if isinstance(value, int) and value is not True else _of(float, value)
    if not 0 <= seconds < math.inf:
        raise ValueError(f"{value} is not a time")
    return seconds


def _rank(found: dict[str, Any]) -> Rank:
    calls = {
        _of(str, name): Calls(_count(count), _seconds(nanoseconds) / 1e9, _count(size))
        for name, count, nanoseconds, size in found["calls"]
    }
    traffic = {
        kind: {_count(peer): _count(size) for peer, size in found[kind]} for kind in KINDS
    }
    modules = found.get("modules", [])
    paths = [
        RawPath(
            _of(str, call),
            _count(count),
            _seconds(nanoseconds) / 1e9,
            _count(size),
            [(_of(str, modules[_count(at)]), _count(where)) for at, where in places],
        )
        for call, count, nanoseconds, size, *places in found.get("paths", [])
    ]
    regions = {
        _of(str, name): Calls(_count(count), _seconds(nanoseconds) / 1e9, 0)
        for name, count, nanoseconds in found.get("regions", [])
    }
    return Rank(
        _of(str, found["host"]),
        _count(found["node_leader"]),
        _seconds(found["seconds"]),
        calls,
        traffic,
        paths,
        regions,
        {
            _of(str, kind): (_count(to), _count(from_))
            for kind, to, from_ in found.get("devices", [])
        },
        _count(found.get("bounced", 0)),
    )
