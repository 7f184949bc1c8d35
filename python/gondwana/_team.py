"""Teams of ranks, and their collective operations."""

import ctypes

import numpy as np

from ._array import Symmetric
from ._bound import Bound
from ._job import checked_rank, job, quiet, start
from ._library import address, routine

BITWISE = ("and", "or", "xor")
OPERATIONS = ("sum", "prod", "min", "max", *BITWISE)


class Team(Bound):
    """An ordered set of ranks, numbered from 0. `gondwana.WORLD` is all of them.

    All its ranks call a collective operation, in the same order, with one thread each. Arrays are
    symmetric, contiguous and of one type. Before the first rank calls, the destination must be free
    for use on all. On return the caller has its result; other ranks may still be in the call.
    """

    def __init__(self, handle: int) -> None:
        """Not for programs: they split a team."""
        self._handle = handle
        self._session = job.session

    def rank(self) -> int:
        """The number of the caller in the team."""
        return int(routine("team_my_pe")(self._valid()))

    def size(self) -> int:
        """The number of ranks of the team."""
        return int(routine("team_n_pes")(self._valid()))

    def world_rank(self, rank: int) -> int:
        """The world rank of a rank of the team: puts, gets and atomics take world ranks."""
        number = self._checked_rank(rank)
        return int(routine("team_translate_pe")(self._handle, number, WORLD._handle))

    def split_strided(self, start: int, stride: int, size: int) -> "Team | None":
        """Creates the team of the ranks start, start + stride ...; collective over this team.

        Returns None on ranks that are not in the new team.
        """
        made = ctypes.c_void_p()
        place = ctypes.addressof(made)
        if routine("team_split_strided")(self._valid(), start, stride, size, None, 0, place) != 0:
            raise ValueError(
                f"no team of {size} ranks from {start} by {stride}: they leave the team of "
                f"{self.size()}, or there are too many teams"
            )
        return Team(made.value) if made.value else None

    def split_2d(self, columns: int) -> "tuple[Team, Team]":
        """Divides the team into rows of `columns` ranks, and into columns; collective over it.

        Returns the teams of the caller's row and of its column.
        """
        row, column = ctypes.c_void_p(), ctypes.c_void_p()
        places = ctypes.addressof(row), ctypes.addressof(column)
        split = routine("team_split_2d")
        if split(self._valid(), columns, None, 0, places[0], None, 0, places[1]) != 0:
            raise ValueError(f"no teams by rows of {columns} ranks, or there are too many teams")
        return Team(row.value or 0), Team(column.value or 0)

    def destroy(self) -> None:
        """Ends the team, collectively."""
        if self is WORLD:
            raise ValueError("the team of all ranks cannot be destroyed")
        routine("team_destroy")(self._valid())
        self._handle = 0

    def sync(self) -> None:
        """Waits until all ranks of the team have called it; does not wait for puts."""
        routine("team_sync")(self._valid())

    def barrier(self) -> None:
        """Waits until all ranks of the team have called it, and their updates have arrived."""
        quiet()
        self.sync()

    def broadcast(self, dest: Symmetric, source: Symmetric, root: int = 0) -> None:
        """Copies the source of one rank, a number in the team, to the destination of all."""
        size = self._bytes(dest, source, 1)
        to, from_ = _addresses(dest, source)
        routine("broadcastmem")(self._handle, to, from_, size, self._checked_rank(root))

    def reduce(self, dest: Symmetric, source: Symmetric, operation: str) -> None:
        """Combines the sources, element by element, by sum, prod, min, max, and, or, or xor.

        All ranks get the result. `dest` may be `source`.
        """
        if operation not in OPERATIONS:
            raise ValueError(f"{operation!r} is none of {' '.join(OPERATIONS)}")
        self._bytes(dest, source, 1)
        to, from_ = _addresses(dest, source, may_be_same=True)
        as_bytes = source.dtype == np.bool_ and operation in BITWISE
        call = routine(f"{operation}_reduce", np.dtype(np.uint8) if as_bytes else source.dtype)
        call(self._handle, to, from_, source.size)

    def collect(self, dest: Symmetric, source: Symmetric) -> None:
        """Concatenates the sources in the order of the ranks; all ranks get the result.

        Sources may differ in size, such as `source.part(slice(count))`; `dest` must hold all.
        """
        size = self._bytes(dest, source, None)
        routine("collectmem")(self._handle, *_addresses(dest, source), size)

    def fcollect(self, dest: Symmetric, source: Symmetric) -> None:
        """Like `collect`, with sources of one size; faster."""
        size = self._bytes(dest, source, self.size())
        routine("fcollectmem")(self._handle, *_addresses(dest, source), size)

    def alltoall(self, dest: Symmetric, source: Symmetric) -> None:
        """Cuts each source into a piece for each rank; rank i gets all pieces i, in order."""
        size, ranks = self._bytes(dest, source, 1), self.size()
        if source.size % ranks != 0:
            raise ValueError(f"{source.size} elements cannot be cut into {ranks} equal pieces")
        routine("alltoallmem")(self._handle, *_addresses(dest, source), size // ranks)

    def __repr__(self) -> str:
        return f"gondwana.Team({self._handle})"

    def _valid(self) -> int:
        start()
        if not self._handle or (self is not WORLD and self._session != job.session):
            raise ValueError("the team was destroyed")
        return self._handle

    def _checked_rank(self, rank: int) -> int:
        return checked_rank(rank, self.size(), "the team")

    def _bytes(self, dest: Symmetric, source: Symmetric, times: int | None) -> int:
        """The bytes of the source. Checks that `dest` has its type and `times` its size."""
        self._valid()
        if dest.dtype != source.dtype:
            raise TypeError(f"the source is of type {source.dtype}, not {dest.dtype} as `dest`")
        wanted = source.size * (times or 1)
        if dest.size < wanted or (times is not None and dest.size > wanted):
            raise ValueError(f"dest has {dest.size} elements where {wanted} are needed")
        return source.size * source.dtype.itemsize


def _addresses(dest: Symmetric, source: Symmetric, may_be_same: bool = False) -> tuple[int, int]:
    to, from_ = dest._memory(), source._memory()
    if not (to.flags.c_contiguous and from_.flags.c_contiguous):
        raise ValueError("collectives take contiguous arrays; copy, or give whole rows")
    same = address(to) == address(from_)
    if np.may_share_memory(to, from_) and not (same and may_be_same):
        raise ValueError("dest and source overlap")
    return address(to), address(from_)


WORLD = Team(1)  # SHMEM_TEAM_WORLD
