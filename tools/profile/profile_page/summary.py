"""What is worth a line on the standard error."""

import imbalance
from data import Profile


def text(profile: Profile) -> str:
    return f"  {imbalance.finding(profile)}\n"
