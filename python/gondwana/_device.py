"""Symmetric arrays in memory of devices, which the processor cannot access."""

import ctypes
import operator
import sys
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike

from . import _copying as copying
from . import _dlpack as dlpack
from ._array import Block, Index, Symmetric, fitting
from ._buffer import Buffer, register_memory
from ._job import job, start
from ._library import LIBRARY, Array, Dtype, array_at, routine

_devices = LIBRARY.shmemx_devices
_devices.restype, _devices.argtypes = ctypes.c_int, []
_name = LIBRARY.shmemx_device_name
_name.restype, _name.argtypes = ctypes.c_int, [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
_device_of = LIBRARY.shmemx_device_of
_device_of.restype, _device_of.argtypes = ctypes.c_int, [ctypes.c_void_p]
_malloc = LIBRARY.shmemx_device_malloc
_malloc.restype, _malloc.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_size_t]
_free = LIBRARY.shmemx_device_free
_free.restype, _free.argtypes = None, [ctypes.c_void_p]


def devices() -> list[str]:
    """The names of the devices that this rank has, for `device=` of `zeros`, `empty` and `full`."""
    start()
    name = ctypes.create_string_buffer(64)
    found = []
    for number in range(_devices()):
        if _name(number, name, len(name)) == 0:
            found.append(name.value.decode())
    return found


def names_of_devices() -> str:
    return ", ".join(devices()) or "no devices"


def device_of(begin: int) -> str | None:
    """The device of the memory; None: on the host."""
    number = _device_of(begin)
    return None if number < 0 else devices()[number]


def number_of(device: Any) -> int:
    names = devices()
    if device not in names:
        raise ValueError(
            f"device {device!r}: this rank has {names_of_devices()}; "
            "GONDWANA_EMULATED_DEVICES=2 gives each rank emulated:0 and emulated:1, and without a "
            "device the array is memory of the host"
        )
    return names.index(device)


class DeviceMemory:
    """Memory of this rank on a device, freed with the last reference."""

    def __init__(self, begin: int) -> None:
        self.begin = begin
        self.session = job.session

    def __del__(self) -> None:
        if self.session == job.session and not sys.is_finalizing():
            _free(self.begin)


class DeviceBlock(Buffer):
    """Registered memory of a device. Other libraries that use it also keep the owner."""

    def __init__(self, array: Array, owner: object, device: str) -> None:
        super().__init__(array, owner)
        self.device = device


class DeviceArray(NDArrayOperatorsMixin, Symmetric):
    """A symmetric array in memory of a device of each rank.

    Peers put to it, get from it and update it like any other. `put(values=...)` and `get(out=...)`
    also copy from device to device. The processor cannot access it: `array[...]` reads and writes
    the caller's own array by copies, like `to_host` and `copy_from`. `local` is the array itself.
    Only collectives compute with it; `wait_until` and `test` do not accept it.

    Other libraries use memory of CUDA and HIP without a copy, by DLPack or the CUDA array
    interface.
    """

    _cure = "; array.to_host() is a numpy array of the caller's values"

    def __init__(self, local: Array, block: Block) -> None:
        super().__init__(local, block)
        assert isinstance(block, DeviceBlock)
        self._device_block = block

    @property
    def device(self) -> str:
        """The name of the device, such as "emulated:0"."""
        return self._device_block.device

    @property
    def _place(self) -> str:  # type: ignore[override]
        return f", device={self.device!r}"

    @property
    def local(self) -> Any:
        return self

    @local.setter
    def local(self, values: ArrayLike | Symmetric) -> None:
        if values is not self:
            self.copy_from(values)

    # Copies between the device and the caller's memory.

    def to_host(self) -> Array:
        """A copy of the caller's own values."""
        view = self._memory()
        values = np.empty(view.shape, view.dtype)
        copying.get(values, view, job.rank)
        return values

    def copy_from(self, values: ArrayLike | Symmetric) -> None:
        """Writes the caller's own array; the values are in place on return."""
        self[...] = values

    def __getitem__(self, at: Index) -> Any:
        return self.get(job.rank, at)

    def __setitem__(self, at: Index, values: ArrayLike | Symmetric) -> None:
        target = self._view(at)
        copying.put(target, fitting(values, target), job.rank)
        routine("quiet")()

    def _as_source(self, target: Array) -> Array:
        return copying.unconverted(self._memory(), target, self.device)

    # Operations that only the processor could do

    def _refuse(self, what: str) -> NoReturn:
        raise TypeError(
            f"{what}: the array is memory of {self.device}, which the processor does not touch; "
            "array.to_host() is a copy to compute with, array.copy_from(values) writes one back"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *_: Any, **__: Any) -> NoReturn:
        self._refuse(f"numpy.{ufunc.__name__}")

    def __array_function__(self, function: Any, *_: Any, **__: Any) -> NoReturn:
        self._refuse(f"numpy.{function.__name__}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        self._refuse("a numpy array of it")

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(np.ndarray, name):
            raise AttributeError(
                f"an array on {self.device} has no {name}, array.to_host() has", name=name, obj=self
            )
        raise AttributeError(f"{type(self).__name__} has no {name}", name=name, obj=self)

    def _compare(self, name: str, index: Index, comparison: str, value: int) -> NoReturn:
        self._refuse(f"{name} of an element")

    # Other libraries

    def __dlpack_device__(self) -> dlpack.Device:
        kind, _, number = self.device.partition(":")
        return dlpack.TYPES.get(kind, dlpack.EXTENSION), int(number or 0)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        """Memory of CUDA and HIP without a copy; for `dl_device=(1, 0)` a copy on the host."""
        here = self.__dlpack_device__()
        wanted = here if dl_device is None else tuple(dl_device)
        if wanted == dlpack.HOST:
            if copy is False:
                raise BufferError(f"memory of {self.device} gets to the host by a copy only")
            return dlpack.offered(self.to_host(), max_version, copied=True)
        if here[0] == dlpack.EXTENSION:
            raise BufferError(
                f"other libraries cannot use memory of {self.device}; give them array.to_host(), a "
                f"copy in numpy, or ask for one on the host by dl_device={dlpack.HOST}"
            )
        if wanted != here or copy:
            raise BufferError(
                f"the array lies on {self.device}, device {here} of DLPack, and can be had there "
                f"without a copy, or on the host {dlpack.HOST} by one; not {wanted} with copy={copy}"
            )
        if stream == 0 and here[0] == dlpack.TYPES["cuda"]:
            raise BufferError("stream 0 is ambiguous in CUDA; 1 is the default stream")
        # Copies of this package are complete when its calls return, so no stream has to wait.
        return dlpack.offered(self._lasting(), max_version, here)

    def _lasting(self) -> Array:
        """The same memory as an array that keeps it, even after `free`."""
        view, block = self._memory(), self._device_block
        begin = block.array.ctypes.data
        whole = array_at(begin, block.array.shape, view.dtype, block.owner)
        return np.ndarray(view.shape, view.dtype, whole, view.ctypes.data - begin, view.strides)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.__dlpack_device__()[0] == dlpack.EXTENSION:
            raise AttributeError(f"memory of {self.device} is none of CUDA")
        view = self._memory()
        return {
            "shape": view.shape,
            "typestr": view.dtype.str,
            "data": (view.ctypes.data if view.size else 0, False),
            "version": 3,
            "strides": None if view.flags.c_contiguous else view.strides,
            "stream": None,
        }


def allocate_on(device: Any, shape: tuple[int, ...], dtype: Dtype, length: int) -> DeviceArray:
    """Allocates an array on a device. Collective: all ranks get the memory, or none."""
    try:
        number = number_of(device)
    except ValueError:
        all_say(False)  # the peers wait for this rank's answer
        raise
    begin = _malloc(number, length) if length <= sys.maxsize else None
    memory = DeviceMemory(begin) if begin else None
    if not all_say(memory is not None):
        raise MemoryError(
            f"shmemx_device_malloc of {length} B on {device}: this rank or another cannot have it "
            "and says why; an emulated device has GONDWANA_EMULATED_MEMORY of memory"
        )
    array = array_at(operator.index(begin), shape, dtype)
    register_memory(begin, length)
    return DeviceArray(array, DeviceBlock(array, memory, device))


def all_say(yes: bool) -> bool:
    """Whether all ranks pass True. Collective."""
    kind = np.dtype(np.int64)
    begin = routine("malloc")(2 * kind.itemsize)
    if not begin:
        raise MemoryError("the symmetric heap has no 16 B free; raise GONDWANA_HEAP_SIZE")
    words = array_at(begin, (2,), kind)
    words[1] = yes
    routine("and_reduce", kind)(1, begin, begin + kind.itemsize, 1)  # 1: the team of all ranks
    answer = bool(words[0])
    routine("free")(begin)
    return answer
