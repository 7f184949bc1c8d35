"""Objects that exist in one job only."""

from typing import NoReturn, SupportsIndex


class Bound:
    """Memory or ranks of this job. Copies are refused: they would refer to nothing."""

    _cure = ""  # the end of the message: what to copy instead

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        # copy and deepcopy call this too.
        cls = type(self)
        raise TypeError(
            f"{cls.__module__.partition('._')[0]}.{cls.__name__} cannot be copied or pickled: it "
            f"belongs to this job{self._cure}"
        )
