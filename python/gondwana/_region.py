"""Regions that a program names, for traces."""

import ctypes
from contextlib import ContextDecorator
from typing import Self

from ._library import LIBRARY

_begin = LIBRARY.shmemx_region_begin
_begin.restype, _begin.argtypes = None, [ctypes.c_char_p]
_end = LIBRARY.shmemx_region_end
_end.restype, _end.argtypes = None, []


class region(ContextDecorator):  # noqa: N801 - it reads as a statement: with region("halo")
    """Names a part of a program: `with gondwana.region("halo"):`, or @region before a function.

    A trace shows it as a slice that contains the calls in it. Regions may be nested.
    """

    def __init__(self, name: str) -> None:
        self._name = name.encode()

    def __enter__(self) -> Self:
        _begin(self._name)
        return self

    def __exit__(self, *error: object) -> None:
        _end()
