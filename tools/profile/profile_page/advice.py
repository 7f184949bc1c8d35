"""Advice on what to change in the program, with figures. Small costs are omitted."""

import os
import re

import imbalance
from data import Profile
from imbalance import seconds
from paths import Path

LOCK_SHARE = 0.05  # of the time of all ranks
MANY_CALLS = 10_000  # of one line
SMALL = 64  # bytes
HOT_SHARE = 0.5  # share of all bytes, to one rank of three or more
HOT_BYTES = 1 << 16
MAX_LINES = 3

LOCKS = re.compile(r"set_lock$|ARMCI_Lock$")
GETS = re.compile(
    r"^shmem_(?:ctx_)?(?:\w+_)?(?:g|i?get\w*)$|^gex_RMA_Get|^gasnet_get|^ARMCI_(?:Nb)?Get"
)
PUTS = re.compile(
    r"^shmem_(?:ctx_)?(?:\w+_)?(?:p|i?put\w*)$|^gex_RMA_Put|^gasnet_put|^ARMCI_(?:Nb)?Put"
)
LARGER = (  # beginning of the name of a call -> calls that move more at once, to read and to write
    ("shmem_", "shmem_getmem", "shmem_putmem"),
    ("ARMCI_", "ARMCI_Get", "ARMCI_Put"),
    ("", "gex_RMA_GetBlocking", "gex_RMA_PutBlocking"),
)


def of_job(profile: Profile, paths: list[Path]) -> list[str]:
    """The advice as sentences, the most important first."""
    late = [imbalance.finding(profile)] if imbalance.is_uneven(profile) else []
    sentences = late + _locks(profile, paths) + _hot_rank(profile) + _small_transfers(paths)
    return sentences or [imbalance.finding(profile)]


def place(path: Path) -> str:
    """Such as plant.c:12, or the function if its file is unknown."""
    if not path.frames:
        return "an unknown place"
    frame = path.frames[0]
    return f"{os.path.basename(frame.file)}:{frame.line}" if frame.file else frame.function


def _by_line(paths: list[Path], names: re.Pattern[str]) -> list[tuple[str, str, list[Path]]]:
    """The paths of each call and line."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path in paths:
        if names.search(path.call):
            found.setdefault((path.call, place(path)), []).append(path)
    return [(call, where, of_line) for (call, where), of_line in found.items()]


def _locks(profile: Profile, paths: list[Path]) -> list[str]:
    """Advice on the line that waits longest for a lock."""
    costs = [
        (
            sum(path.all_seconds for path in of_line),
            sum(path.calls for path in of_line),
            call,
            where,
        )
        for call, where, of_line in _by_line(paths, LOCKS)
    ]
    passed = sum(max(rank.seconds, rank.inside) for rank in profile.ranks)
    if not costs or max(costs)[0] < LOCK_SHARE * passed:
        return []
    time, calls, call, where = max(costs)
    return [
        f"{call} at {where} costs most of all locks: {calls:,} calls took {seconds(time)}, "
        f"{100 * time / passed:.0f} % of the time of all ranks; do less while it is held, use a "
        "lock for each part of the data, or an atomic operation."
    ]


def _hot_rank(profile: Profile) -> list[str]:
    """Advice on the rank that exchanges most bytes with the others."""
    ranks = len(profile.ranks)
    to_rank = [0] * ranks
    senders = [0] * ranks
    for number, rank in enumerate(profile.ranks):
        for peer, size in rank.bytes_to().items():
            if peer != number and peer < ranks:
                to_rank[peer] += size
                senders[peer] += size > 0
    total, hot = sum(to_rank), max(range(ranks), key=lambda rank: to_rank[rank])
    if ranks < 3 or total < HOT_BYTES or to_rank[hot] < HOT_SHARE * total or senders[hot] < 2:
        return []
    return [
        f"{senders[hot]} of the {ranks - 1} other ranks send to rank {hot} or read from it: "
        f"{100 * to_rank[hot] / total:.0f} % of the bytes that ranks move, {to_rank[hot]:,} of "
        f"{total:,}; distribute its data over the ranks, or use a collective operation."
    ]


def _small_transfers(paths: list[Path]) -> list[str]:
    """Advice on lines that move many small pieces."""
    found = []
    for names, what, column in ((GETS, "gets", 1), (PUTS, "puts", 2)):
        for call, where, of_line in _by_line(paths, names):
            calls, moved = (sum(getattr(p, name) for p in of_line) for name in ("calls", "bytes"))
            if calls < MANY_CALLS or not 0 < moved <= SMALL * calls:
                continue
            larger = next(row[column] for row in LARGER if call.startswith(row[0]))
            time = sum(path.all_seconds for path in of_line)
            size = f"{moved // calls}" if moved % calls == 0 else f"about {moved / calls:.0f}"
            text = (
                f"{calls:,} {what} of {size} B at {where}, {seconds(time)} of all ranks: "
                f"one {larger} moves adjacent pieces together."
            )
            found.append((time, text))
    return [text for _, text in sorted(found, reverse=True)[:MAX_LINES]]
