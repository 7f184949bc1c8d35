"""One array, divided into blocks over all ranks; each rank can read and write all of it."""

import ctypes
import math
import operator
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, NoReturn, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._armci import Handle, combine, kind_of, process, routine, start
from ._blocks import Blocks, Box, Index, Lengths, grid_of, selection
from ._bound import Bound
from ._copying import converted
from ._job import check_process, checked_rank
from ._library import Array, Dtype, address, number
from ._transfer import Section, has_plain_rows, sections, transfer

Shape = SupportsIndex | Sequence[SupportsIndex]
Scalar = complex | np.number[Any]  # includes int and float

DIMENSIONS = 7
INTEGERS = {np.dtype(np.int32): 0, np.dtype(np.int64): 1}  # the ARMCI_FETCH_AND_ADD of each


class GlobalArray(Bound):
    """An array in blocks over all ranks. Each rank can read and write any part of it.

    An index consists of whole numbers, slices with step 1 and `...`. `a[2:5, :]` reads a part,
    `a[2:5, :] = 1` writes it. A rank sees its own writes at once;
    other ranks see them after `sync`.

    All ranks call a collective method, in the same order. It waits before and after its work, for
    all ranks and for their writes.

    An array that is dropped without `free` keeps its memory until the job ends. Python then
    shows a ResourceWarning, if these are on (`python3 -X dev`).
    """

    _cure = "; array.to_numpy() is a numpy array of the values of all ranks"

    def __init__(self, blocks: Blocks, dtype: Dtype, name: str | None) -> None:
        """Not for programs: they call create or zeros."""
        self._freed = True  # until there is memory
        self._blocks, self._dtype, self._name = blocks, dtype, name
        shape = blocks.box(process.rank).shape
        size = math.prod(shape) * dtype.itemsize
        bases = (ctypes.c_void_p * process.size)()
        # All ranks fail together, even if only one asks for too much.
        asked = min(size, sys.maxsize)
        if routine("ARMCI_Malloc")(ctypes.addressof(bases), asked) != 0:
            raise MemoryError(
                f"no memory for {self._title} of shape {blocks.shape} and type {dtype}: "
                f"a block has {size} bytes; free arrays, or start the job on more nodes"
            )
        self._freed = False
        self._bases: list[int | None] = list(bases)
        self._base = self._bases[process.rank]
        if self._base is None:
            self._local: Array = np.empty(shape, dtype)
        else:
            memory = memoryview((ctypes.c_char * size).from_address(self._base))
            self._local = np.ndarray(shape, dtype, buffer=memory)

    def __del__(self) -> None:
        # Freeing is collective, and this rank cannot know when the others get here.
        if not getattr(self, "_freed", True) and not sys.is_finalizing():
            message = f"{self._title} was dropped without free(); its memory stays taken"
            warnings.warn(message, ResourceWarning, stacklevel=2)

    @property
    def shape(self) -> Lengths:
        return self._blocks.shape

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements of the whole array."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> Dtype:
        return self._dtype

    @property
    def nbytes(self) -> int:
        """The bytes of the whole array."""
        return self.size * self._dtype.itemsize

    @property
    def local(self) -> Array:
        """The caller's own block: memory that the others can access. Do not use it after `free`."""
        self._check_there()
        return self._local

    @local.setter
    def local(self, values: ArrayLike) -> None:  # also completes `array.local += 1`
        if values is not self._local:
            self.local[...] = values

    def __repr__(self) -> str:
        name = f", name={self._name!r}" if self._name else ""
        freed = ", freed" if self._freed else ""
        return f"gondwana.ga.GlobalArray(shape={self.shape}, dtype={self.dtype}{name}{freed})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NoReturn:
        raise TypeError(
            "a global array lies on all ranks: array.to_numpy() or array[...] reads it from them, "
            "array.local is the caller's own block"
        )

    def __enter__(self) -> "GlobalArray":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:  # after an error the other ranks may not get here
            self.free()

    def free(self) -> None:
        """Frees the array; collective."""
        if not self._freed:
            self._freed = True
            routine("ARMCI_Free")(self._base)

    # Where elements lie

    def distribution(self, rank: int | None = None) -> tuple[slice, ...]:
        """The part of the array in the block of a rank, by default the caller; it may be empty."""
        known = process.rank if rank is None else checked_rank(rank, process.size)
        return self._blocks.box(known).slices

    def locate(self, index: SupportsIndex | tuple[SupportsIndex, ...]) -> int:
        """The rank whose block contains an element."""
        return self._blocks.owner(self._element(index))

    # Copying

    def get(self, at: Index = ..., out: Array | None = None) -> Any:
        """Reads a part; returns a new array, a number or `out`."""
        box, shape = self._select(at)
        if out is None:
            target = np.empty(shape, self.dtype)
        elif out.shape != shape or out.dtype != self.dtype or not out.flags.writeable:
            raise ValueError(
                f"out has shape {out.shape} and type {out.dtype}; "
                f"a writeable array of shape {shape} and type {self.dtype} is needed"
            )
        else:
            fits = has_plain_rows(out) and not np.may_share_memory(out, self._local)
            target = out if fits else np.empty(shape, self.dtype)
        self._move("Get", box, target)
        if out is None:
            return target[()]
        if target is not out:
            out[...] = target
        return out

    def put(self, values: ArrayLike, at: Index = ...) -> None:
        """Writes values, broadcast to the part. The caller may change them at once."""
        box, shape = self._select(at)
        self._move("Put", box, self._fitting(values, shape))

    def acc(self, values: ArrayLike, at: Index = ..., scale: Scalar = 1) -> None:
        """Adds `scale * values`. Additions of all ranks to one element are atomic."""
        box, shape = self._select(at)
        source = self._fitting(values, shape)
        factor = self._fitting(scale, ())
        self._move("Acc", box, source, kind_of(self.dtype).accumulate, address(factor))

    def __getitem__(self, at: Index) -> Any:
        return self.get(at)

    def __setitem__(self, at: Index, values: ArrayLike) -> None:
        self.put(values, at)

    def to_numpy(self) -> Array:
        """A copy of the whole array."""
        whole: Array = self.get(...)
        return whole

    def read_inc(self, index: SupportsIndex | tuple[SupportsIndex, ...], amount: int = 1) -> int:
        """Adds to an element, int32 or int64, and returns the old value; atomic."""
        self._check_there()
        if self.dtype not in INTEGERS:
            raise TypeError(
                f"read_inc takes elements of int32 and int64, not of {self.dtype}; use acc to add"
            )
        change = int(number(amount, np.dtype(np.int32)))
        element = self._element(index)
        owner = self._blocks.owner(element)
        before = np.empty((), self.dtype)
        far = self._address(owner, element)
        routine("ARMCI_Rmw")(INTEGERS[self.dtype], address(before), far, change, owner)
        return int(before)

    # Collective operations on the whole array

    def fill(self, value: Scalar) -> None:
        """Sets all elements; collective."""
        constant = self.constant(value)
        sync()
        self.local[...] = constant
        sync()

    def scale(self, factor: Scalar) -> None:
        """Multiplies all elements; collective."""
        constant = self.constant(factor)
        sync()
        self.local[...] *= constant
        sync()

    def copy_to(self, other: "GlobalArray") -> None:
        """Copies all elements to an array of the same shape and type; collective."""
        self.check_alike(other)
        sync()
        other.local[...] = self.part_of_block(other)
        sync()

    def dot(self, other: "GlobalArray") -> Any:
        """The sum of the products of all elements; collective, all ranks get the same result."""
        self.check_alike(other)
        sync()
        product = np.dot(self._local.ravel(), other.part_of_block(self).ravel())
        total = np.array(product, self.dtype)
        combine(total, "sum")
        sync()
        return total[()]

    # For this package

    def constant(self, value: Scalar) -> Any:
        """A number of the array's type."""
        return self._fitting(value, ())[()]

    def check_alike(self, other: "GlobalArray") -> None:
        """Checks that neither array was freed, and that they have one shape and type."""
        self._check_there()
        other._check_there()
        if self.shape != other.shape:
            raise ValueError(f"the arrays have shapes {self.shape} and {other.shape}, not the same")
        if self.dtype != other.dtype:
            raise TypeError(f"the arrays have types {self.dtype} and {other.dtype}, not the same")

    def part_of_block(self, other: "GlobalArray") -> Array:
        """The part of this array at the indices of the caller's block of the other array."""
        if self._blocks.grid == other._blocks.grid:
            return self.local
        part: Array = np.asarray(self.get(other.distribution()))
        return part

    def begin_get(self, at: Index) -> Callable[[], Array]:
        """Begins to read a part; the returned function waits, and returns the part."""
        box, shape = self._select(at)
        target = np.empty(shape, self.dtype)
        handles = []
        for rank, section in self._sections(box, target):
            handles.append(Handle())
            transfer("NbGet", rank, section, after=(ctypes.addressof(handles[-1]),))

        def wait() -> Array:
            for handle in handles:
                routine("ARMCI_Wait")(ctypes.addressof(handle))
            return target

        return wait

    @property
    def _title(self) -> str:
        return f"global array {self._name!r}" if self._name else "a global array"

    def _check_there(self) -> None:
        check_process()
        if self._freed:
            raise ValueError(f"{self._title} was freed; create it anew")

    def _select(self, at: Index) -> tuple[Box, Lengths]:
        self._check_there()
        return selection(at, self.shape)

    def _element(self, index: SupportsIndex | tuple[SupportsIndex, ...]) -> Lengths:
        box, shape = selection(index, self.shape)
        if shape:
            raise IndexError(f"one element is meant; give {self.ndim} whole numbers, not {index!r}")
        return box.begin

    def _fitting(self, values: ArrayLike, shape: Lengths) -> Array:
        """The values with the array's type and this shape, in memory that ARMCI can read."""
        source = np.asarray(values)
        if source.dtype != self.dtype:
            source = converted(source, self.dtype)
        if source.shape != shape:
            try:
                source = np.broadcast_to(source, shape)
            except ValueError:
                sentence = f"values of shape {source.shape} do not fit into shape {shape}"
                raise ValueError(sentence) from None
        # If the source is part of the array, an element could be read after it was overwritten.
        fits = has_plain_rows(source) and not np.may_share_memory(source, self._local)
        return source if fits else np.array(source, order="C")

    def _address(self, rank: int, element: Lengths) -> int:
        block = self._blocks.block(rank)
        steps = map(operator.sub, element, block.begin)
        return (self._bases[rank] or 0) + int(sum(map(operator.mul, steps, block.strides)))

    def _sections(self, box: Box, near: Array) -> Iterator[tuple[int, Section]]:
        """The pieces of a box of the array and of its values, each with the rank of its block."""
        shape = box.shape
        if 0 in shape:
            return
        values = near.reshape(shape)  # with the dimensions that the index removed
        begin, strides = address(values), values.strides
        for rank, piece in self._blocks.pieces(box):
            steps = map(operator.sub, piece.begin, box.begin)
            here = begin + sum(map(operator.mul, steps, strides))
            there = self._address(rank, piece.begin)
            far_strides = self._blocks.block(rank).strides
            size = self.dtype.itemsize
            for each in sections(there, here, piece.shape, far_strides, strides, size):
                yield rank, each

    def _move(self, call: str, box: Box, near: Array, *before: int) -> None:
        for rank, section in self._sections(box, near):
            transfer(call, rank, section, before)


def sync() -> None:
    """Waits until all ranks have called it and all their writes have arrived; collective."""
    start()
    routine("ARMCI_Barrier")()


def _lengths(shape: Shape) -> Lengths:
    given = (shape,) if isinstance(shape, SupportsIndex) else shape
    return tuple(operator.index(length) for length in given)


def check_agreement(words: str, what: str = "ask for different arrays") -> None:
    """Checks that all ranks pass the same words."""
    code = zlib.crc32(words.encode())
    both = np.array([code, -code], np.int64)
    combine(both, "max")
    if both[0] != -both[1]:
        raise ValueError(f"the ranks {what}; this one: {words}")


def create(
    shape: Shape, dtype: DTypeLike = float, chunk: Shape | None = None, name: str | None = None
) -> GlobalArray:
    """A global array with any content; collective, with the same arguments on all ranks.

    `chunk`: the minimum length of a block in each dimension. A dimension is not cut if its minimum
    is the length of the array. Error messages show the `name`.
    """
    lengths, kind = _lengths(shape), np.dtype(dtype)
    kind_of(kind)
    if not 1 <= len(lengths) <= DIMENSIONS or min(lengths) < 0:
        raise ValueError(
            f"shape {lengths}: a global array has 1 to {DIMENSIONS} dimensions, of lengths from 0"
        )
    least = (1,) * len(lengths) if chunk is None else _lengths(chunk)
    if len(least) != len(lengths) or min(least) < 1:
        raise ValueError(f"chunk {least}: shape {lengths} needs {len(lengths)} lengths from 1")
    start()
    grid = grid_of(lengths, least, process.size)
    check_agreement(f"shape {lengths}, type {kind} and a grid of {grid}")
    return GlobalArray(Blocks(lengths, grid, kind.itemsize), kind, name)


def zeros(
    shape: Shape, dtype: DTypeLike = float, chunk: Shape | None = None, name: str | None = None
) -> GlobalArray:
    """A global array of zeros; collective, like `create`."""
    array = create(shape, dtype, chunk, name)
    array.local[...] = 0
    sync()  # or a put could arrive before the zeros
    return array
