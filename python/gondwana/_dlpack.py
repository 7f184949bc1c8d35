"""Memory shared with other array libraries, by DLPack or by the CUDA array interface.

numpy creates and reads the capsules: it handles owners, deleters and versions. It only knows
memory of the host, so this module changes the device that a capsule names.
"""

import ctypes
from typing import Any

import numpy as np

from ._library import Array, array_at

Device = tuple[int, int]  # the type and the number of the device in DLPack

HOST: Device = (1, 0)
# The kinds of devices whose memory other libraries can use without a copy, and all others.
TYPES = {"cuda": 2, "hip": 10}
EXTENSION = 12
HAS_VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
IS_COPIED = 2


class Tensor(ctypes.Structure):
    """The first fields of a DLTensor, and so of a DLManagedTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("number", ctypes.c_int32)]


class Versioned(ctypes.Structure):
    """The first fields of a DLManagedTensorVersioned."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


_content = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_has_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)


def place(capsule: Any, device: Device, flags: int = 0) -> Any:
    """The capsule, changed to name this device."""
    if _has_name(capsule, b"dltensor_versioned"):
        whole = Versioned.from_address(_content(capsule, b"dltensor_versioned"))
        whole.flags |= flags
        tensor = whole.tensor
    else:
        tensor = Tensor.from_address(_content(capsule, b"dltensor"))
    tensor.type, tensor.number = device
    return capsule


def offered(array: Array, max_version: Any, device: Device = HOST, copied: bool = False) -> Any:
    """A capsule of an array's memory. The capsule keeps the array."""
    maker: Any = array
    made = maker.__dlpack__(max_version=max_version) if HAS_VERSIONS else maker.__dlpack__()
    return place(made, device, IS_COPIED if copied else 0)


def offered_on_host(array: Array, stream: Any, max_version: Any, device: Any, copy: Any) -> Any:
    """The result of `__dlpack__` for memory of the host."""
    if stream is not None:
        raise BufferError(f"memory of the host has no streams; stream is {stream}, not None")
    if device is not None and tuple(device) != HOST:
        raise BufferError(
            f"the array is memory of the host, device {HOST} of DLPack; the library that asks for "
            f"it on device {tuple(device)} has to copy it"
        )
    return offered(array.copy() if copy else array, max_version, copied=bool(copy))


class AsHost:
    """A capsule of memory of a device, for numpy, which reads only the address."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = place(capsule, HOST)

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> Device:
        return HOST


def taken(given: Any) -> tuple[Array, bool]:
    """The memory of an array, without a copy, and whether it lies on a device.

    If it does, only the addresses of the result may be used.
    """
    if isinstance(given, np.ndarray):
        return given, False
    if hasattr(given, "__dlpack_device__"):
        is_on_device = lies_on_device(given)
        source = AsHost(capsule_of(given)) if is_on_device else given
        try:
            return np.from_dlpack(source), is_on_device
        except RuntimeError as error:  # from numpy
            raise TypeError(
                f"numpy has no array for this {type(given).__name__}: {error}"
            ) from None
    if hasattr(given, "__cuda_array_interface__"):
        return described(given), True
    raise TypeError(
        "what is registered is an array of numpy, or of a library that has DLPack or the CUDA "
        f"array interface, not of type {type(given).__name__}"
    )


def lies_on_device(given: Any) -> bool:
    """Whether another library says that its array lies on a device that it shares."""
    if isinstance(given, np.ndarray):
        return False
    if hasattr(given, "__dlpack_device__"):
        return given.__dlpack_device__()[0] in TYPES.values()
    return hasattr(given, "__cuda_array_interface__")


def capsule_of(given: Any) -> Any:
    """The capsule of the newest version that the library supports; it waits for no stream."""
    try:
        return given.__dlpack__(stream=-1, max_version=(1, 0))
    except TypeError:  # it does not support versions
        return given.__dlpack__(stream=-1)


def described(given: Any) -> Array:
    """The memory that `__cuda_array_interface__` describes."""
    words = given.__cuda_array_interface__
    if words.get("mask") is not None:
        raise ValueError("an array with a mask cannot be registered; copy its values")
    (begin, is_read_only), strides = words["data"], words.get("strides")
    array = array_at(begin, words["shape"], np.dtype(words["typestr"]), given)
    if strides is not None and tuple(strides) != array.strides:
        raise ValueError("an array that is registered must be contiguous; copy it")
    array.flags.writeable = not is_read_only
    return array
