"""Writes the summary on standard error."""

import advice
from data import Profile
from imbalance import seconds
from paths import Path

MAX_PATHS = 5


def text(profile: Profile, paths: list[Path]) -> str:
    lines = advice.of_job(profile, paths)
    if paths:
        lines.append("time by call path, of all ranks:")
    for path in paths[:MAX_PATHS]:
        lines.append(f"  {seconds(path.all_seconds):>8}  {path.calls:>8} x {path.call}, {path}")
    return "".join(f"  {line}\n" for line in lines)
