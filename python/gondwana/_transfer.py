"""Transfers between blocks of other ranks and memory of the caller, each by one call of ARMCI."""

import ctypes
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ._armci import LARGEST, routine
from ._blocks import Lengths
from ._library import Array


class Section(NamedTuple):
    """Memory on both sides as ARMCI describes it: pieces of counts[0] bytes, then levels."""

    far: int
    near: int
    far_strides: Sequence[int]
    near_strides: Sequence[int]
    counts: Sequence[int]


def sections(
    far: int,
    near: int,
    shape: Lengths,
    far_strides: Lengths,
    near_strides: Lengths,
    itemsize: int,
) -> Iterator[Section]:
    """A box of two arrays as sections whose numbers fit into the types of ARMCI."""
    counts = [itemsize]
    far_levels: list[int] = []
    near_levels: list[int] = []
    for length, from_, to in zip(shape[::-1], far_strides[::-1], near_strides[::-1], strict=True):
        if length == 1:
            continue
        if not far_levels and from_ == to == counts[0]:
            counts[0] *= length
            continue
        counts.append(length)
        far_levels.append(from_)
        near_levels.append(to)
    if max(*counts, *far_levels, *near_levels, 0) <= LARGEST:
        yield Section(far, near, far_levels, near_levels, counts)
        return
    axis = next(axis for axis, length in enumerate(shape) if length > 1)
    half = shape[axis] // 2
    for first, length in ((0, half), (half, shape[axis] - half)):
        yield from sections(
            far + first * far_strides[axis],
            near + first * near_strides[axis],
            (*shape[:axis], length, *shape[axis + 1 :]),
            far_strides,
            near_strides,
            itemsize,
        )


def transfer(
    call: str,
    rank: int,
    section: Section,
    before: tuple[int, ...] = (),
    after: tuple[int, ...] = (),
) -> None:
    """One call of ARMCI: a piece or a section."""
    is_get = call.endswith("Get")
    far, near, far_strides, near_strides, counts = section
    ends = (far, near) if is_get else (near, far)
    if not far_strides:
        routine(f"ARMCI_{call}")(*before, *ends, counts[0], rank, *after)
        return
    levels = len(far_strides)
    both = tuple((ctypes.c_int * levels)(*strides) for strides in (far_strides, near_strides))
    first, second = both if is_get else both[::-1]
    source, target = ends
    count = (ctypes.c_int * (levels + 1))(*counts)
    routine(f"ARMCI_{call}S")(*before, source, first, target, second, count, levels, rank, *after)


def has_plain_rows(array: Array) -> bool:
    """Whether rows are contiguous and follow each other without overlap, as in the order of C."""
    if array.flags.c_contiguous:
        return True
    if array.shape[-1] != 1 and array.strides[-1] != array.itemsize:
        return False
    extent = array.itemsize
    for length, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if length > 1:
            if stride < extent:
                return False
            extent = stride * length
    return True
