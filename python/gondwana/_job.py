"""The job: its ranks, its start and end, and the order of operations."""

import ctypes
import operator
import os
import threading

from ._library import routine

THREAD_MULTIPLE = 3


class Job:
    """The state of the library, kept because it is read often."""

    def __init__(self) -> None:
        self.rank = -1
        self.size = 0  # while the library is not initialised
        self.session = 0  # how often the library was finalized
        self.lock = threading.Lock()
        self.forked = False  # this process is a child of the rank

    def leave(self) -> None:
        """Called in a forked child, whose first call of the library would end it."""
        self.forked = True
        self.rank, self.size = -1, 0


job = Job()
os.register_at_fork(after_in_child=job.leave)


def init() -> None:
    """Initialises the library, collectively.

    Needed only to initialise it before its first use, or again after `finalize`.
    """
    check_process()
    with job.lock:
        if job.size:
            return
        provided = ctypes.c_int()
        if routine("init_thread")(THREAD_MULTIPLE, ctypes.addressof(provided)) != 0:
            raise RuntimeError("OpenSHMEM could not be set up")
        job.rank, job.size = routine("my_pe")(), routine("n_pes")()


def finalize() -> None:
    """Ends the use of the library, collectively; all symmetric arrays and teams end, too.

    Not needed at the end of a program: a program that ends with status 0 finalizes by itself.
    """
    with job.lock:
        if not job.size:
            return
        job.rank, job.size = -1, 0
        job.session += 1
        routine("finalize")()


def start() -> None:
    """Initialises the library if necessary. Functions that may be called first begin with it."""
    if job.size:
        return
    check_process()
    if job.session:
        raise RuntimeError("gondwana.finalize() was called; gondwana.init() starts anew")
    init()


def check_process() -> None:
    if job.forked:
        raise RuntimeError(
            "called in a child process that the rank forked; only the rank itself is part of the job"
        )


def rank() -> int:
    """The number of the caller, from 0."""
    start()
    return job.rank


def size() -> int:
    """The number of ranks."""
    start()
    return job.size


def checked_rank(number: int, ranks: int, of: str = "this job") -> int:
    """`number`; fails if it is not one of `ranks`."""
    number = operator.index(number)
    if not 0 <= number < ranks:
        raise ValueError(f"rank {number}: {of} has {ranks} ranks, 0 to {ranks - 1}")
    return number


def quiet() -> None:
    """Waits until all puts and updates of the caller have arrived."""
    start()
    routine("quiet")()


def fence() -> None:
    """Puts and updates before the fence arrive at each rank before those after it."""
    start()
    routine("fence")()


def barrier() -> None:
    """Waits until all ranks have called it and all their puts and updates have arrived."""
    start()
    routine("barrier_all")()
