"""Copies between a rank's own memory and parts of symmetric arrays."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from ._library import Array, Dtype, address, routine


def converted(given: Array, dtype: Dtype) -> Array:
    """The values converted to another type; fails if the type cannot hold them."""
    both_whole = given.dtype.kind in "iu" and dtype.kind in "iu"
    if not both_whole and not np.can_cast(given.dtype, dtype, "same_kind"):
        raise TypeError(f"values of type {given.dtype} do not go into an array of {dtype}")
    values = given.astype(dtype)
    if both_whole and (values != given).any():
        raise ValueError(f"the values are not all values of type {dtype}")
    return values


def fitting(values: ArrayLike, part: Array) -> Array:
    """The values as a contiguous array with the type and shape of `part`."""
    source = np.asarray(values)
    if source.dtype != part.dtype:
        source = converted(source, part.dtype)
    if source.shape != part.shape:
        try:
            source = np.broadcast_to(source, part.shape)
        except ValueError:
            sentence = f"values of shape {source.shape} do not fit into shape {part.shape}"
            raise ValueError(sentence) from None
    return np.ascontiguousarray(source)


def unconverted(source: Array, part: Array, device: str) -> Array:
    """Memory of a device, which must have the type and shape of `part` already."""
    if (source.shape, source.dtype) != (part.shape, part.dtype):
        raise ValueError(
            f"the array on {device} has shape {source.shape} and type {source.dtype}, not "
            f"{part.shape} and {part.dtype}; only values on the host are converted"
        )
    if not source.flags.c_contiguous:
        raise ValueError(f"a part of an array on {device} that is put must be contiguous")
    return source


def pieces(part: Array) -> Iterator[tuple[int, int, int, int]]:
    """The memory of `part`: (address, bytes of a block, blocks, bytes from block to block)."""
    if part.size == 0:
        return
    if min(part.strides, default=0) < 0:
        raise ValueError("steps of slices must be positive; reverse the values instead")
    extents = [extent for extent in zip(part.shape, part.strides, strict=True) if extent[0] != 1]
    block = part.itemsize
    while extents and extents[-1][1] == block:
        block *= extents.pop()[0]
    count, stride = extents.pop() if extents else (1, block)
    begin = address(part)
    for offsets in product(*(range(0, length * step, step) for length, step in extents)):
        yield begin + sum(offsets), block, count, stride


def put(target: Array, source: Array, pe: int) -> None:
    near = address(source)
    for far, block, count, stride in pieces(target):
        if count == 1:
            routine("putmem")(far, near, block, pe)
        else:
            routine("ibput8")(far, near, stride, block, block, count, pe)
        near += block * count


def get(target: Array, source: Array, pe: int) -> None:
    near = address(target)
    for far, block, count, stride in pieces(source):
        if count == 1:
            routine("getmem")(near, far, block, pe)
        else:
            routine("ibget8")(near, far, block, stride, block, count, pe)
        near += block * count
