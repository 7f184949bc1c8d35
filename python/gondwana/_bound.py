"""What exists in one job only."""

from typing import NoReturn, SupportsIndex


class Bound:
    """An object that stands for memory or ranks of this job. A copy of it would stand for nothing."""

    _cure = ""  # what to copy instead

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        # copy and deepcopy ask here too.
        cls = type(self)
        raise TypeError(
            f"{cls.__module__.partition('._')[0]}.{cls.__name__} cannot be copied or pickled: it "
            f"belongs to this job{self._cure}"
        )
