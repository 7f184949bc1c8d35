"""How a global array lies in blocks on a grid of ranks, and which blocks an index touches."""

import operator
from collections.abc import Iterator
from functools import cache
from itertools import product
from types import EllipsisType
from typing import Any, NamedTuple, SupportsIndex

Index = SupportsIndex | slice | EllipsisType | tuple[SupportsIndex | slice | EllipsisType, ...]
Lengths = tuple[int, ...]


class Box(NamedTuple):
    """A range in each dimension; `end` is not included."""

    begin: Lengths
    end: Lengths

    @property
    def shape(self) -> Lengths:
        return tuple(map(operator.sub, self.end, self.begin))

    @property
    def slices(self) -> tuple[slice, ...]:
        return tuple(map(slice, self.begin, self.end))


class Block(NamedTuple):
    """The block of a rank, in the order of C."""

    begin: Lengths
    strides: Lengths


def selection(at: Index, shape: Lengths) -> tuple[Box, Lengths]:
    """The box that an index selects, and the shape that numpy returns for it."""
    begin, end, kept = [], [], []
    for axis, (index, length) in enumerate(zip(expanded(at, len(shape)), shape, strict=True)):
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise ValueError(
                    f"a slice with step {index.step}: a global array takes step 1; "
                    "get the whole range and take the step from that"
                )
            first, last, _ = index.indices(length)
            last = max(first, last)
            kept.append(last - first)
        else:
            first = place(index, axis, length)
            last = first + 1
        begin.append(first)
        end.append(last)
    return Box(tuple(begin), tuple(end)), tuple(kept)


def expanded(at: Index, dimensions: int) -> tuple[Any, ...]:
    """One index for each dimension."""
    indices = at if isinstance(at, tuple) else (at,)
    gaps = [i for i, index in enumerate(indices) if index is ...]
    if len(gaps) > 1:
        raise IndexError("an index has one ... at most")
    given = len(indices) - len(gaps)
    if given > dimensions:
        raise IndexError(f"{given} indices for an array of {dimensions} dimensions")
    gap = gaps[0] if gaps else given
    before, after = indices[:gap], indices[gap + 1 :]
    whole: list[Any] = [slice(None)] * (dimensions - given)
    return (*before, *whole, *after)


def place(index: SupportsIndex, axis: int, length: int) -> int:
    """The index as a number from 0; fails if it is outside the array."""
    try:
        if isinstance(index, bool):
            raise TypeError
        number = operator.index(index)
    except TypeError:
        raise TypeError(
            f"an index is made of whole numbers and slices, not of {type(index).__name__}"
        ) from None
    if not -length <= number < length:
        raise IndexError(f"index {number} is outside of axis {axis}, which has length {length}")
    return number % length


@cache
def primes(number: int) -> Lengths:
    """The prime factors of `number`, the largest first."""
    divisor = next((d for d in range(2, int(number**0.5) + 1) if number % d == 0), number)
    return () if number == 1 else (*primes(number // divisor), divisor)


def grid_of(shape: Lengths, least: Lengths, ranks: int) -> Lengths:
    """The number of blocks in each dimension: nearly square blocks of at least the lengths `least`.

    If there are fewer blocks than ranks, the last ranks have none.
    """
    most = tuple(max(1, length // chunk) for length, chunk in zip(shape, least, strict=True))
    grids = (spread(count, shape, most) for count in range(ranks, 0, -1))
    return next(grid for grid in grids if grid is not None)


def spread(count: int, shape: Lengths, most: Lengths) -> Lengths | None:
    """The grid of `count` blocks: cuts the longest side of a block until there are `count`."""
    grid = [1] * len(shape)
    for prime in primes(count):
        axes = [axis for axis, cuts in enumerate(grid) if cuts * prime <= most[axis]]
        if not axes:
            return None
        longest = max(axes, key=lambda axis: shape[axis] / grid[axis])
        grid[longest] *= prime
    return tuple(grid)


class Blocks:
    """Block k of n in a dimension begins at length * k // n. Blocks are numbered like ranks."""

    def __init__(self, shape: Lengths, grid: Lengths, itemsize: int) -> None:
        self.shape, self.grid, self.itemsize = shape, grid, itemsize
        self._known: dict[int, Block] = {}

    def box(self, rank: int) -> Box:
        """The box of a rank; empty for ranks without a block."""
        places = []
        for cuts in reversed(self.grid):
            rank, here = divmod(rank, cuts)
            places.append(here)
        if rank:
            return Box((0,) * len(self.shape), (0,) * len(self.shape))
        sides = list(zip(reversed(places), self.shape, self.grid, strict=True))
        return Box(
            tuple(k * length // cuts for k, length, cuts in sides),
            tuple((k + 1) * length // cuts for k, length, cuts in sides),
        )

    def block(self, rank: int) -> Block:
        known = self._known.get(rank)
        if known is None:
            box = self.box(rank)
            known = self._known[rank] = Block(box.begin, strides_of(box.shape, self.itemsize))
        return known

    def owner(self, index: Lengths) -> int:
        """The rank whose block contains an element."""
        rank = 0
        for i, length, cuts in zip(index, self.shape, self.grid, strict=True):
            rank = rank * cuts + ((i + 1) * cuts - 1) // length
        return rank

    def pieces(self, box: Box) -> Iterator[tuple[int, Box]]:
        """The parts of a non-empty box, each with the rank whose block contains it."""
        first, last = self.owner(box.begin), self.owner(tuple(i - 1 for i in box.end))
        if first == last:
            yield first, box
            return
        for sides in product(*map(cut, box.begin, box.end, self.shape, self.grid)):
            begin, end = tuple(side[0] for side in sides), tuple(side[1] for side in sides)
            yield self.owner(begin), Box(begin, end)


def cut(begin: int, end: int, length: int, cuts: int) -> list[tuple[int, int]]:
    """A range of one dimension, cut at the ends of blocks."""
    first, last = (((i + 1) * cuts - 1) // length for i in (begin, end - 1))
    ends = [k * length // cuts for k in range(first + 1, last + 1)]
    return list(zip([begin, *ends], [*ends, end], strict=True))


def strides_of(shape: Lengths, itemsize: int) -> Lengths:
    """The strides, in bytes, of an array in the order of C."""
    strides = []
    for length in reversed(shape):
        strides.append(itemsize)
        itemsize *= length
    return tuple(reversed(strides))
