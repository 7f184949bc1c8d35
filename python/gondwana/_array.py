"""Arrays in the symmetric heap: one on every rank, and all ranks can access each."""

import ctypes
import sys
import warnings
from types import EllipsisType
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _copying as copying
from . import _dlpack as dlpack
from ._bound import Bound
from ._job import checked_rank, job, size, start
from ._library import LIBRARY, Array, Dtype, address, number, routine

Index = SupportsIndex | slice | EllipsisType | tuple[SupportsIndex | slice | EllipsisType, ...]
Out = TypeVar("Out", bound="Array | Symmetric")

COMPARISONS = {"==": 1, "!=": 2, ">": 3, ">=": 4, "<": 5, "<=": 6}
SIGNAL = np.dtype(np.uint64)
_signal_after = LIBRARY.shmemx_signal_after
_signal_after.restype = None
_signal_after.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int, ctypes.c_int]


class Block:
    """Memory of the symmetric heap, held by an array and its parts."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.freed = False
        self.session = job.session

    def is_there(self) -> bool:
        return not self.freed and self.session == job.session

    def release(self) -> None:
        routine("free")(address(self.array))

    def __del__(self) -> None:
        # Freeing is collective, and this rank cannot know when the others get here.
        if self.is_there() and not sys.is_finalizing():
            message = "a symmetric array was dropped without free(); its memory stays taken"
            warnings.warn(message, ResourceWarning, stacklevel=2)
            self.keep()

    def keep(self) -> None:
        """Called for a dropped array. The memory is not freed: peers may still write there."""


class Symmetric(Bound):
    """A numpy array that exists on every rank, or a part of one.

    `local` is the caller's own array, without a copy. `at` in the methods is a numpy index of
    whole numbers and slices with positive steps: `at=3`, `at=(2, slice(1, None))`,
    `at=numpy.s_[::2, 0]`; without it a method uses the whole array.

    `free` is collective. An array that is dropped without it keeps its memory until the job ends.
    Python then shows a ResourceWarning, if these are on (`python3 -X dev`).
    """

    _cure = "; array.local.copy() is a numpy array of the caller's values"
    _place = ""  # where the array lies, for __repr__

    def __init__(self, local: Array, block: Block) -> None:
        """Not for programs: they call empty, zeros or full."""
        self._local = local
        self._block = block

    @property
    def local(self) -> Array:
        """The caller's own array: memory that the others can access. Do not use it after `free`."""
        return self._memory()

    @local.setter
    def local(self, values: ArrayLike) -> None:  # also completes `array.local += 1`
        if values is not self._local:
            self.local[...] = values

    def _memory(self) -> Array:
        if not self._block.is_there():
            raise ValueError("the symmetric array was freed")
        return self._local

    @property
    def shape(self) -> tuple[int, ...]:
        return self._local.shape

    @property
    def dtype(self) -> Dtype:
        return self._local.dtype

    @property
    def size(self) -> int:
        return self._local.size

    def __len__(self) -> int:
        return len(self._local)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.local, dtype=dtype) if copy else np.asarray(self.local, dtype=dtype)

    def __dlpack_device__(self) -> dlpack.Device:
        return dlpack.HOST

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        """For `from_dlpack` of other libraries: the caller's own memory, without a copy."""
        return dlpack.offered_on_host(self.local, stream, max_version, dl_device, copy)

    def __repr__(self) -> str:
        freed = "" if self._block.is_there() else ", freed"
        name = type(self).__name__
        return f"gondwana.{name}(shape={self.shape}, dtype={self.dtype}{self._place}{freed})"

    if not TYPE_CHECKING:  # type checkers refuse an index by themselves

        def __getitem__(self, at):
            raise TypeError(
                "a symmetric array exists on every rank, so an index needs a rank: "
                "array.local[...] is one's own, array.get(rank, at=...) reads that of a rank"
            )

        def __setitem__(self, at, values):
            raise TypeError(
                "a symmetric array exists on every rank, so an index needs a rank: "
                "array.local[...] is one's own, array.put(values, rank, at=...) writes that of a rank"
            )

    def part(self, at: Index) -> "Symmetric":
        """The part at `at` of every rank's array: for collectives, or as a signal."""
        return type(self)(self._view(at), self._block)

    def free(self) -> None:
        """Frees the array. Collective; no rank may use it or its parts afterwards."""
        if self._local is not self._block.array:
            raise ValueError("a part of a symmetric array is freed with the whole")
        if self._block.is_there():
            start()
            self._block.release()
            self._block.freed = True

    # Copying

    def put(self, values: "ArrayLike | Symmetric", rank: int, at: Index = ...) -> None:
        """Writes values into the array of a rank; `values` may be changed at once.

        They have arrived after `quiet`, or after a barrier.
        """
        target = self._view(at)
        copying.put(target, fitting(values, target), checked_rank(rank, size()))

    @overload
    def get(self, rank: int, at: EllipsisType | slice = ..., out: None = None) -> Array: ...
    @overload
    def get(self, rank: int, at: Index = ..., *, out: Out) -> Out: ...
    @overload
    def get(self, rank: int, at: Index, out: Out) -> Out: ...
    @overload
    def get(self, rank: int, at: Index = ..., out: None = None) -> Any: ...

    def get(self, rank: int, at: Index = ..., out: "Array | Symmetric | None" = None) -> Any:
        """Reads the array of a rank; returns a new array, a number or `out`.

        `out` must be contiguous.
        """
        source = self._view(at)
        if out is None:
            target = np.empty(source.shape, source.dtype)
        else:
            target = out._memory() if isinstance(out, Symmetric) else out
        if target.shape != source.shape or target.dtype != source.dtype:
            raise ValueError(
                f"out has shape {target.shape} and type {target.dtype}, "
                f"not {source.shape} and {source.dtype}"
            )
        if not target.flags.c_contiguous or not target.flags.writeable:
            raise ValueError("out must be contiguous and writeable")
        copying.get(target, source, checked_rank(rank, size()))
        return target[()] if out is None else out

    def put_signal(
        self,
        values: "ArrayLike | Symmetric",
        rank: int,
        signal: "Symmetric",
        value: int = 1,
        at: Index = ...,
        add: bool = False,
    ) -> None:
        """Puts, then sets the signal of that rank to `value`, or adds it.

        A rank that sees the signal sees the values too. A signal is one number of type uint64, for
        example `signals.part(3)`.
        """
        target = self._view(at)
        source = fitting(values, target)
        pe = checked_rank(rank, size())
        if signal.dtype != SIGNAL:
            raise TypeError(f"a signal is of type uint64, not {signal.dtype}")
        flag, amount = signal._element(...), number(value, SIGNAL)
        if target.flags.c_contiguous:
            to, from_ = address(target), address(source)
            routine("putmem_signal")(to, from_, target.nbytes, flag, amount, int(add), pe)
        else:
            copying.put(target, source, pe)
            routine("fence")()
            routine("signal_add" if add else "signal_set")(flag, amount, pe)

    def signal_after(
        self, rank: int, value: int = 1, at: Index = ..., add: bool = False
    ) -> None:
        """Sets this signal of that rank to `value`, or adds it, after all earlier puts to it.

        One signal for many puts: a rank that sees it sees the values of all of them.
        """
        if self.dtype != SIGNAL:
            raise TypeError(f"a signal is of type uint64, not {self.dtype}")
        flag, amount = self._element(at), number(value, SIGNAL)
        _signal_after(flag, amount, int(add), checked_rank(rank, size()))

    # Atomic access to the number at `index`: a whole number of 32 or 64 bits. fetch, set and swap
    # also take float32 and float64.

    def fetch(self, index: Index, rank: int) -> Any:
        """Reads a number."""
        return self._atomic("fetch", index, (), rank)

    def set(self, index: Index, value: float, rank: int) -> None:
        """Writes a number."""
        self._atomic("set", index, (value,), rank)

    def swap(self, index: Index, value: float, rank: int) -> Any:
        """Writes a number and returns the old value."""
        return self._atomic("swap", index, (value,), rank)

    def compare_swap(self, index: Index, expected: int, value: int, rank: int) -> int:
        """Writes `value` if the old value is `expected`; returns the old value."""
        return int(self._atomic("compare_swap", index, (expected, value), rank))

    def add(self, index: Index, value: int, rank: int) -> None:
        """Adds `value`, and does not wait until it is done."""
        self._atomic("add", index, (value,), rank)

    def fetch_add(self, index: Index, value: int, rank: int) -> int:
        """Adds `value` and returns the old value."""
        return int(self._atomic("fetch_add", index, (value,), rank))

    def fetch_and(self, index: Index, value: int, rank: int) -> int:
        """Clears the bits that are not set in `value`; returns the old value."""
        return int(self._atomic("fetch_and", index, (value,), rank))

    def fetch_or(self, index: Index, value: int, rank: int) -> int:
        """Sets the bits of `value`; returns the old value."""
        return int(self._atomic("fetch_or", index, (value,), rank))

    def fetch_xor(self, index: Index, value: int, rank: int) -> int:
        """Inverts the bits of `value`; returns the old value."""
        return int(self._atomic("fetch_xor", index, (value,), rank))

    # Waiting for changes of the caller's own array

    def wait_until(self, index: Index, comparison: str, value: int) -> int:
        """Waits until a number of `local` is `==`, `!=`, `>`, `>=`, `<` or `<=` value; returns it.

        Other threads continue meanwhile.
        """
        self._compare("wait_until", index, comparison, value)
        return int(self._view(index).item())

    def test(self, index: Index, comparison: str, value: int) -> bool:
        """Whether `wait_until` would return at once."""
        return bool(self._compare("test", index, comparison, value))

    def _view(self, at: Index) -> Array:
        """The part at `at` of `local`, always as an array that shares its memory."""
        if at is ...:
            return self._memory()
        indices = at if isinstance(at, tuple) else (at,)
        if not any(index is ... for index in indices):
            indices = (*indices, ...)  # without this, numpy would copy a single number
        view: Array = self._memory()[indices]
        if view.base is not self._block.array:  # it is a copy
            raise TypeError("an index is made of whole numbers and slices, not of lists or bool")
        return view

    def _as_source(self, target: Array) -> Array:
        """The values as memory that can be copied to the target."""
        return copying.fitting(self._memory(), target)

    def _element(self, index: Index) -> int:
        """The address of one number."""
        view = self._view(index)
        if view.size != 1:
            raise ValueError(f"one number is meant, not {view.size}; give the index of one")
        return address(view)

    def _atomic(self, name: str, index: Index, values: tuple[Any, ...], rank: int) -> Any:
        call = routine(f"atomic_{name}", self.dtype)
        numbers = [number(value, self.dtype) for value in values]
        return call(self._element(index), *numbers, checked_rank(rank, size()))

    def _compare(self, name: str, index: Index, comparison: str, value: int) -> Any:
        if comparison not in COMPARISONS:
            raise ValueError(f"{comparison!r} is none of {' '.join(COMPARISONS)}")
        start()
        call = routine(name, self.dtype)
        amount = number(value, self.dtype)
        return call(self._element(index), COMPARISONS[comparison], amount)


def fitting(values: ArrayLike | Symmetric, target: Array) -> Array:
    """The values as memory with the type and shape of the target."""
    if isinstance(values, Symmetric):
        return values._as_source(target)
    if dlpack.lies_on_device(values):
        return copying.unconverted(dlpack.taken(values)[0], target, "a device")
    return copying.fitting(values, target)
