"""The job: its ranks, its beginning and end, and the order of what they do."""

import ctypes
import operator
import os
import threading

from ._library import routine

THREAD_MULTIPLE = 3


class Job:
    """What is asked so often that it is kept."""

    def __init__(self) -> None:
        self.rank = -1
        self.size = 0  # as long as the library is not set up
        self.session = 0  # how often it was ended
        self.lock = threading.Lock()
        self.forked = False  # this process is a child of the rank

    def leave(self) -> None:
        """In a child that was forked: the library would end it at its first call."""
        self.forked = True
        self.rank, self.size = -1, 0


job = Job()
os.register_at_fork(after_in_child=job.leave)


def init() -> None:
    """Sets the library up, collectively; needed only to do so before first use, or again."""
    check_process()
    with job.lock:
        if job.size:
            return
        provided = ctypes.c_int()
        if routine("init_thread")(THREAD_MULTIPLE, ctypes.addressof(provided)) != 0:
            raise RuntimeError("OpenSHMEM could not be set up")
        job.rank, job.size = routine("my_pe")(), routine("n_pes")()


def finalize() -> None:
    """Ends the use of the library, collectively; all symmetric arrays and teams are gone then.

    Not needed at the end of a program: one that ends with status 0 does it by itself.
    """
    with job.lock:
        if not job.size:
            return
        job.rank, job.size = -1, 0
        job.session += 1
        routine("finalize")()


def start() -> None:
    """Sets the library up unless it is: the first line of what may be called first."""
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
    """How many ranks there are."""
    start()
    return job.size


def checked_rank(number: int, ranks: int, of: str = "this job") -> int:
    """`number`, if it is one of `ranks`."""
    number = operator.index(number)
    if not 0 <= number < ranks:
        raise ValueError(f"rank {number}: {of} has {ranks} ranks, 0 to {ranks - 1}")
    return number


def quiet() -> None:
    """Waits until all that the caller has put or updated is there."""
    start()
    routine("quiet")()


def fence() -> None:
    """To each rank, puts and updates from before arrive before those from after."""
    start()
    routine("fence")()


def barrier() -> None:
    """Waits until all ranks are here, and all they have put or updated is there."""
    start()
    routine("barrier_all")()
