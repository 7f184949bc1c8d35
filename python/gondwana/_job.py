"""The job: its ranks, its start and end, and the order of operations."""

import ctypes
import operator
import os
import threading

from ._library import LIBRARY, routine

THREAD_MULTIPLE = 3
WITH_UNIQUE_ID = 8


class Attributes(ctypes.Structure):
    """`shmemx_init_attr_t`."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("rank", ctypes.c_int),
        ("size", ctypes.c_int),
        ("thread_level", ctypes.c_int),
        ("unique_id", ctypes.c_char * 128),
        ("reserved", ctypes.c_char * 48),
    )


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


def init(
    *, unique_id: bytes | None = None, rank: int | None = None, size: int | None = None
) -> None:
    """Initialises the library, collectively.

    Needed only to initialise it before its first use, or again after `finalize`. With a unique id
    (see `get_unique_id`) the process becomes rank `rank` of a job of `size` ranks without a launcher.
    """
    if unique_id is not None:
        return join(unique_id, rank, size)
    if rank is not None or size is not None:
        raise ValueError("rank and size belong to a unique id; a launcher gives them otherwise")
    check_process()
    with job.lock:
        if job.size:
            return
        provided = ctypes.c_int()
        if routine("init_thread")(THREAD_MULTIPLE, ctypes.addressof(provided)) != 0:
            raise RuntimeError("OpenSHMEM could not be set up")
        job.rank, job.size = routine("my_pe")(), routine("n_pes")()


def join(unique_id: bytes, rank: int | None, size: int | None) -> None:
    """A forked child may join, too."""
    if rank is None or size is None:
        raise ValueError("a unique id needs rank and size")
    if len(unique_id) != Attributes.unique_id.size:
        raise ValueError(f"a unique id has {Attributes.unique_id.size} bytes, not {len(unique_id)}")
    attributes = Attributes(0, checked_rank(rank, size), size, THREAD_MULTIPLE)
    place = ctypes.addressof(attributes) + Attributes.unique_id.offset
    ctypes.memmove(place, unique_id, len(unique_id))
    with job.lock:
        if job.size:
            raise RuntimeError("the library is initialised; call gondwana.finalize() before")
        if LIBRARY.shmemx_init_attr(WITH_UNIQUE_ID, ctypes.byref(attributes)) != 0:
            raise RuntimeError(
                f"rank {rank} of {size} could not join; the message on standard error says why"
            )
        job.forked = False
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
