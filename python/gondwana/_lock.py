"""A lock that one rank at a time holds."""

import ctypes
from types import TracebackType

import numpy as np

from ._bound import Bound
from ._create import zeros
from ._job import start
from ._library import routine


class Lock(Bound):
    """A lock for all ranks, which create it collectively: `with lock: ...`.

    A rank holds it, not a thread: threads of one rank must exclude each other in another way.
    Waiting ranks get it in the order in which they called.
    """

    def __init__(self) -> None:
        self._word = zeros(1, np.dtype(ctypes.c_long))

    def acquire(self, blocking: bool = True) -> bool:
        """Takes the lock, or without `blocking` tries to. Returns whether the caller has it."""
        start()
        word = self._word._element(0)
        if not blocking:
            return bool(routine("test_lock")(word) == 0)
        routine("set_lock")(word)
        return True

    def release(self) -> None:
        """Completes the puts of the caller, then releases the lock."""
        start()
        routine("clear_lock")(self._word._element(0))

    def free(self) -> None:
        """Frees the memory of the lock, collectively."""
        self._word.free()

    def __enter__(self) -> "Lock":
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
