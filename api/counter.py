"""Emits the statement with which a wrapper of the profiling library counts its call."""

from layout import hanging


def counter(effect: dict[str, str], number: int) -> str:
    """The statement of a call; `effect` has the columns of effects.py."""
    match effect:
        case {"moves": kind, "bytes": size, "peer": peer}:
            place = effect.get("at", "nullptr")
            return _object("const Transfer", number, f"Traffic::{kind}", size, peer, place)
        case {"awaits": words, "bytes": size}:
            return _object("const WordWait", number, words, size)
        case {"allocates": size}:
            return _object("Allocation", number, size)
        case {"lock": step}:
            return _object("const LockCall", number, f"gondwana::EventKind::{step}", "lock")
        case {"barrier": members}:
            return _object("const Barrier", number, members)
        case {"bytes": size} if not effect.keys() - {"bytes"}:
            return _object("const Call", number, size)
        case {} if not effect:
            return _object("const Call", number)
    raise ValueError(f"{effect} does not say what a call does; see api/effects.py")


def _object(kind: str, number: int, *arguments: str) -> str:
    return hanging(f"  {kind} call(", [str(number), *filter(None, arguments)], ");")
