"""Creation of symmetric arrays."""

import math
import operator
import sys
from collections.abc import Sequence
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from . import _dlpack as dlpack
from ._array import Block, Symmetric
from ._buffer import Buffer, register_memory
from ._device import (
    DeviceArray,
    DeviceBlock,
    all_say,
    allocate_on,
    device_of,
    names_of_devices,
)
from ._job import start
from ._library import Array, Dtype, array_at, routine

Shape = SupportsIndex | Sequence[SupportsIndex]


def _lengths(shape: Shape) -> tuple[int, ...]:
    given = (shape,) if isinstance(shape, SupportsIndex) else shape
    lengths = tuple(operator.index(length) for length in given)
    if min(lengths, default=0) < 0:
        raise ValueError(f"an array cannot have the shape {lengths}")
    return lengths


def _checked_type(dtype: DTypeLike) -> Dtype:
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError("Python objects cannot lie in a symmetric array: they belong to one rank")
    return kind


def _allocate(shape: Shape, dtype: DTypeLike, device: str | None, zeroed: bool) -> Symmetric:
    start()
    kind, lengths = _checked_type(dtype), _lengths(shape)
    length = max(1, math.prod(lengths) * kind.itemsize)
    if device is not None:
        return allocate_on(device, lengths, kind, length)
    begin = 0
    if length <= sys.maxsize:
        begin = routine("calloc")(length, 1) if zeroed else routine("malloc")(length)
    if not begin:
        raise MemoryError(
            f"shmem_{'calloc' if zeroed else 'malloc'} of {length} B: the symmetric heap has no "
            "free piece of this size; raise GONDWANA_HEAP_SIZE, or --heap of `gondwana run`"
        )
    array = array_at(begin, lengths, kind)
    return Symmetric(array, Block(array))


def register(array: Any) -> Symmetric:
    """Makes an existing array of each rank accessible to all ranks; collective.

    It is an array of numpy, or of another library that supports DLPack, such as a torch tensor, or
    the CUDA array interface. Each rank passes an array of its own, of the same shape and type. An
    index selects the same element in the array of the target. The memory does not move and still
    belongs to the caller. `free` ends the access; before that the array may not be resized.
    """
    start()
    try:
        given, device = _accepted(array)
    except BaseException:
        all_say(False)  # the peers wait for this rank's answer
        raise
    if not all_say(True):
        raise MemoryError("the array of another rank cannot be shared; that rank says why")
    begin = given.ctypes.data
    memory = array_at(begin, given.shape, given.dtype, given)
    register_memory(begin, given.nbytes)
    if device is None:
        return Symmetric(memory, Buffer(memory, given))
    return DeviceArray(memory, DeviceBlock(memory, given, device))


def _accepted(array: Any) -> tuple[Array, str | None]:
    """The memory of an array to register, and its device; None: on the host, or empty."""
    given, is_on_device = dlpack.taken(array)
    _checked_type(given.dtype)
    if not given.flags.c_contiguous:
        raise ValueError("an array that is registered must be contiguous; copy it")
    if not given.flags.writeable:
        raise ValueError(
            f"an array that is registered must be writable; copy it{_why_read_only(array)}"
        )
    if given.nbytes == 0:
        return given, None
    device = device_of(given.ctypes.data)
    if is_on_device and device is None:
        raise ValueError(
            f"the array lies on a device that Gondwana does not use; it has: {names_of_devices()}"
        )
    return given, device


def _why_read_only(array: Any) -> str:
    if isinstance(array, np.ndarray) or dlpack.HAS_VERSIONS:
        return ""
    return (
        f", or register its numpy array, as tensor.numpy() of torch is: numpy {np.__version__} "
        "takes all that comes by DLPack for read-only, numpy 2.1 does not"
    )


@overload
def empty(shape: Shape, dtype: DTypeLike = float, *, device: None = None) -> Symmetric: ...
@overload
def empty(shape: Shape, dtype: DTypeLike = float, *, device: str) -> DeviceArray: ...


def empty(shape: Shape, dtype: DTypeLike = float, *, device: str | None = None) -> Symmetric:
    """A symmetric array with any content; collective, with the same arguments on all ranks.

    `device`: the device of its memory, such as "emulated:0" or "cuda:0"; see `devices` and
    `DeviceArray`.
    """
    return _allocate(shape, dtype, device, zeroed=False)


@overload
def zeros(shape: Shape, dtype: DTypeLike = float, *, device: None = None) -> Symmetric: ...
@overload
def zeros(shape: Shape, dtype: DTypeLike = float, *, device: str) -> DeviceArray: ...


def zeros(shape: Shape, dtype: DTypeLike = float, *, device: str | None = None) -> Symmetric:
    """A symmetric array of zeros; collective, like `empty`."""
    return _allocate(shape, dtype, device, zeroed=True)


@overload
def full(
    shape: Shape, value: ArrayLike, dtype: DTypeLike | None = None, *, device: None = None
) -> Symmetric: ...
@overload
def full(
    shape: Shape, value: ArrayLike, dtype: DTypeLike | None = None, *, device: str
) -> DeviceArray: ...


def full(
    shape: Shape, value: ArrayLike, dtype: DTypeLike | None = None, *, device: str | None = None
) -> Symmetric:
    """A symmetric array filled with a value; collective, like `empty`.

    Without `dtype` it has the type of the value. The shape and type must be the same on all ranks;
    the value may differ.
    """
    kind = np.asarray(value).dtype if dtype is None else dtype
    array = _allocate(shape, kind, device, zeroed=False)
    array.local[...] = value
    routine("sync_all")()  # or a put could arrive before the value is written
    return array
