"""Arrays in the memory of one rank, which any rank allocates, uses and frees."""

import ctypes
import math
from types import EllipsisType
from typing import Any, SupportsIndex, overload

from numpy.typing import ArrayLike, DTypeLike

from ._array import Block, Index, Out, Symmetric
from ._bound import Bound
from ._create import Shape, _checked_type, _lengths
from ._job import checked_rank, size, start
from ._library import LIBRARY, Array, Dtype, array_at

OFFSET_BITS = 44


class GlobalPointer(ctypes.Structure):
    """shmemx_gptr_t."""

    _fields_ = (
        ("offset", ctypes.c_uint64),
        ("pe", ctypes.c_int32),
        ("space", ctypes.c_uint32),
    )


_malloc = LIBRARY.shmemx_malloc_at
_malloc.restype, _malloc.argtypes = GlobalPointer, [ctypes.c_int, ctypes.c_size_t]
_malloc_owned = LIBRARY.shmemx_malloc_at_owned
_malloc_owned.restype, _malloc_owned.argtypes = _malloc.restype, _malloc.argtypes
_free = LIBRARY.shmemx_free_at
_free.restype, _free.argtypes = ctypes.c_int, [GlobalPointer]
_address = LIBRARY.shmemx_gptr_addr
_address.restype, _address.argtypes = ctypes.c_void_p, [GlobalPointer]
_local = LIBRARY.shmemx_gptr_ptr
_local.restype, _local.argtypes = ctypes.c_void_p, [GlobalPointer]


class RemoteBlock(Block):
    """Stays until a rank frees it, also without an object."""

    def __del__(self) -> None:
        pass


class RemoteArray(Bound):
    """An array in the memory of one rank. Any rank may use and free it; nothing is collective.

    `pointer` is a number that other ranks turn into the array: `RemoteArray(pointer, shape, dtype)`.
    It may be stored in an array of type uint64, and exchanged there by `compare_swap`; 0 is never a
    pointer. The methods are those of a symmetric array, without the rank.
    """

    def __init__(self, pointer: int, shape: Shape, dtype: DTypeLike = float) -> None:
        start()
        self.pointer = pointer
        self.rank = checked_rank(pointer >> OFFSET_BITS, size())
        self._place = GlobalPointer(pointer & ((1 << OFFSET_BITS) - 1), self.rank, 0)
        begin = _address(self._place)
        if begin is None:
            raise ValueError(f"{pointer:#x} is not a pointer of allocate_at")
        memory = array_at(begin, _lengths(shape), _checked_type(dtype))
        self._array = Symmetric(memory, RemoteBlock(memory))

    def __repr__(self) -> str:
        freed = "" if self._array._block.is_there() else ", freed"
        return (
            f"gondwana.RemoteArray(rank={self.rank}, shape={self.shape}, dtype={self.dtype}{freed})"
        )

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def dtype(self) -> Dtype:
        return self._array.dtype

    @property
    def local(self) -> Array | None:
        """The array itself, without a copy, on the ranks of its node; None on others."""
        self._array._memory()
        begin = _local(self._place)
        return None if begin is None else array_at(begin, self.shape, self.dtype)

    def free(self) -> None:
        """Frees the array. No rank may use it afterwards."""
        self._array._memory()
        if _free(self._place) != 0:
            raise ValueError(f"{self.pointer:#x} is not an allocated array: was it freed?")
        self._array._block.freed = True

    def put(self, values: "ArrayLike | Symmetric", at: Index = ...) -> None:
        """Writes values, which may be changed at once. They have arrived after `quiet`."""
        self._array.put(values, self.rank, at)

    @overload
    def get(self, at: EllipsisType | slice = ..., out: None = None) -> Array: ...
    @overload
    def get(self, at: Index = ..., *, out: Out) -> Out: ...
    @overload
    def get(self, at: Index = ..., out: None = None) -> Any: ...

    def get(self, at: Index = ..., out: "Array | Symmetric | None" = None) -> Any:
        """Reads values; returns a new array, a number or `out`."""
        return self._array.get(self.rank, at, out=out)

    def fetch(self, index: Index) -> Any:
        """Reads a number."""
        return self._array.fetch(index, self.rank)

    def set(self, index: Index, value: float) -> None:
        """Writes a number."""
        self._array.set(index, value, self.rank)

    def swap(self, index: Index, value: float) -> Any:
        """Writes a number and returns the old value."""
        return self._array.swap(index, value, self.rank)

    def compare_swap(self, index: Index, expected: int, value: int) -> int:
        """Writes `value` if the old value is `expected`; returns the old value."""
        return self._array.compare_swap(index, expected, value, self.rank)

    def add(self, index: Index, value: int) -> None:
        """Adds `value`, and does not wait until it is done."""
        self._array.add(index, value, self.rank)

    def fetch_add(self, index: Index, value: int) -> int:
        """Adds `value` and returns the old value."""
        return self._array.fetch_add(index, value, self.rank)


def allocate_at(
    rank: SupportsIndex, shape: Shape, dtype: DTypeLike = float, *, owned: bool = False
) -> RemoteArray:
    """An array with any content in the memory of a rank, which makes no call. Not collective.

    An array that is `owned` may no longer be used once the calling rank has died or left.
    """
    start()
    where = checked_rank(int(rank), size())
    length = max(1, math.prod(_lengths(shape)) * _checked_type(dtype).itemsize)
    place = (_malloc_owned if owned else _malloc)(where, length)
    if place.offset == 0:
        raise MemoryError(
            f"the remote heap of rank {where} has no free piece of {length} B; raise "
            "GONDWANA_REMOTE_HEAP"
        )
    return RemoteArray(where << OFFSET_BITS | place.offset, shape, dtype)
