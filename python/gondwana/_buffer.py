"""Registered memory: peers access it without moving it."""

import ctypes

from ._array import Block
from ._library import LIBRARY, Array, address

_register = LIBRARY.shmemx_buffer_register
_register.restype, _register.argtypes = ctypes.c_int, [ctypes.c_void_p, ctypes.c_size_t]
_unregister = LIBRARY.shmemx_buffer_unregister
_unregister.restype, _unregister.argtypes = ctypes.c_int, [ctypes.c_void_p]

_kept: list[Block] = []


def register_memory(begin: int, length: int) -> None:
    """Registers the memory of each rank. Collective."""
    if _register(begin, length) != 0:
        raise MemoryError("the array of this rank or of another cannot be shared; it says why")


class Buffer(Block):
    """Registered memory outside the symmetric heap, which belongs to `owner`."""

    def __init__(self, array: Array, owner: object) -> None:
        super().__init__(array)
        self.owner = owner

    def release(self) -> None:
        _unregister(address(self.array))
        self.owner = None

    def keep(self) -> None:
        _kept.append(self)  # while peers can access it, its owner must not free it
