"""Time by call path: attributes the time in the library to lines of the program."""

import os
import re
from dataclasses import dataclass, field

import addresses
from addresses import Frame
from data import Profile, RawPath

# Inline code of the headers; its caller is the line of the program.
OF_HEADERS = re.compile(r"_?(?:gex|gasnete?|gondwana)_")

# Functions that call the program: a thread, main or a handler.
OF_RUNTIME = re.compile(r"libc\.so|libpthread|libstdc\+\+|libgondwana")


@dataclass
class Path:
    call: str
    frames: tuple[Frame, ...]  # innermost first
    calls: int = 0
    bytes: int = 0
    seconds: dict[int, float] = field(default_factory=dict)  # for each rank

    @property
    def all_seconds(self) -> float:
        return sum(self.seconds.values())

    @property
    def slowest(self) -> tuple[float, int]:
        seconds, rank = min((-seconds, rank) for rank, seconds in self.seconds.items())
        return -seconds, rank

    def __str__(self) -> str:
        return " < ".join(map(str, self.frames)) or "an address outside of all files"


def of_job(profile: Profile) -> list[Path]:
    """The paths of all ranks together, sorted by time, longest first."""
    found: dict[tuple[str, tuple[Frame, ...]], Path] = {}
    for number, rank in enumerate(profile.ranks):
        for raw in rank.paths:
            frames = _frames(raw)
            path = found.setdefault((raw.call, frames), Path(raw.call, frames))
            path.calls += raw.calls
            path.bytes += raw.bytes
            path.seconds[number] = path.seconds.get(number, 0) + raw.seconds
    return sorted(found.values(), key=lambda path: -path.all_seconds)


def _frames(raw: RawPath) -> tuple[Frame, ...]:
    frames: list[Frame] = []
    for module, address in raw.places:
        if frames and OF_RUNTIME.match(os.path.basename(module)):
            break
        frames += addresses.frames(module, address)
    while len(frames) > 1 and OF_HEADERS.match(frames[0].function):
        del frames[0]
    functions = [frame.function for frame in frames]
    if "main" in functions:
        del frames[functions.index("main") + 1 :]
    return tuple(frames)
