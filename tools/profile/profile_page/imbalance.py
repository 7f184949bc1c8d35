"""The balance of the work, and the ranks that the others wait for."""

import re
from dataclasses import dataclass

from data import Profile

# Calls that wait until other ranks have called or have done something.
WAITS = re.compile(
    r"barrier|sync|wait|broadcast|collect|alltoall|reduce|_to_all|GASNET_BLOCKUNTIL"
    r"|gex_Event_Wait|gex_Coll|gasnet_coll|set_lock|ARMCI_Barrier|ARMCI_Lock"
)
STARTS = re.compile(
    r"shmem_(?:init|finalize)|start_pes|_Init|_init$|[aA]ttach|_exit$|_[fF]inalize$"
)
SHARE = 0.05  # share of the time between start and end; smaller losses are not reported


@dataclass(frozen=True)
class Spread:
    """The time that each rank spends on one activity, in seconds."""

    seconds: list[float]

    @property
    def mean(self) -> float:
        return sum(self.seconds) / len(self.seconds)

    @property
    def least(self) -> tuple[float, int]:
        return min((value, rank) for rank, value in enumerate(self.seconds))

    @property
    def most(self) -> tuple[float, int]:
        value, rank = min((-value, rank) for rank, value in enumerate(self.seconds))
        return -value, rank

    @property
    def factor(self) -> float:
        """The largest time divided by the mean: 1 if all are equal."""
        return self.most[0] / self.mean if self.mean > 0 else 1.0


def of_call(profile: Profile, name: str) -> Spread:
    return Spread(
        [rank.calls[name].seconds if name in rank.calls else 0.0 for rank in profile.ranks]
    )


def of_region(profile: Profile, name: str) -> Spread:
    return Spread(
        [rank.regions[name].seconds if name in rank.regions else 0.0 for rank in profile.ranks]
    )


def inside(profile: Profile) -> Spread:
    return Spread([rank.inside for rank in profile.ranks])


def outside(profile: Profile) -> Spread | None:
    """The program's own work; unknown if a rank has several threads, or was cut off."""
    if profile.of_threads or any(rank.seconds == 0 for rank in profile.ranks):
        return None
    return Spread([max(0.0, rank.seconds - rank.inside) for rank in profile.ranks])


def waiting(profile: Profile) -> Spread:
    return _of_calls(profile, WAITS)


def starting(profile: Profile) -> Spread:
    """The time of starting and ending the library."""
    return _of_calls(profile, STARTS)


def _of_calls(profile: Profile, names: re.Pattern[str]) -> Spread:
    return Spread(
        [
            sum(calls.seconds for name, calls in rank.calls.items() if names.search(name))
            for rank in profile.ranks
        ]
    )


def _lost(profile: Profile) -> float:
    """The mean of the seconds that ranks wait for others."""
    waits = waiting(profile)
    return waits.mean - waits.least[0]


def is_uneven(profile: Profile) -> bool:
    starts = starting(profile).seconds
    passed = max(
        max(rank.seconds, rank.inside) - start
        for rank, start in zip(profile.ranks, starts, strict=True)
    )
    return _lost(profile) > SHARE * passed


def finding(profile: Profile) -> str:
    """A sentence about the ranks that wait for others, and the ranks that they wait for."""
    if not is_uneven(profile):
        return "No rank keeps the others waiting for long."
    waits, lost = waiting(profile), _lost(profile)
    late = [r for r, value in enumerate(waits.seconds) if value < waits.least[0] + lost / 4]
    names = ", ".join(map(str, late[:8])) + (" and others" if len(late) > 8 else "")
    one = len(late) == 1
    return (
        f"The others wait for rank{'' if one else 's'} {names}: a rank waits {seconds(waits.mean)} "
        f"on average, {'this one' if one else 'these'} {seconds(waits.least[0])}."
    )


def seconds(value: float) -> str:
    """The time with three digits and a unit."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if value * factor >= 0.9995:
            return f"{value * factor:#.3g}".rstrip(".") + f" {unit}"
    return f"{value * 1e9:.0f} ns"
