"""The OpenSHMEM library, and its routines as Python functions.

ctypes releases the GIL during every call, so a thread that waits does not block the others.
"""

import ctypes
import math
import operator
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Dtype = np.dtype[Any]
Array = NDArray[Any]

NAME = "libgondwana_shmem.so.0"

# The result and the parameters of each routine, by the letters below.
SIGNATURES = {
    "v": "finalize quiet fence barrier_all sync_all",
    "i": "my_pe n_pes",
    "iip": "init_thread",
    "pn": "malloc",
    "pnn": "calloc",
    "vp": "free team_destroy set_lock clear_lock",
    "ip": "team_sync team_my_pe team_n_pes test_lock",
    "ipip": "team_translate_pe",
    "ipiiiplp": "team_split_strided",
    "ipiplpplp": "team_split_2d",
    "vppni": "putmem getmem",
    "vppddnni": "ibput8 ibget8",
    "vppnpuii": "putmem_signal",
    "vpui": "signal_set signal_add",
    "Tpi": "atomic_fetch",
    "vpTi": "atomic_set atomic_add",
    "TpTi": "atomic_swap atomic_fetch_add atomic_fetch_and atomic_fetch_or atomic_fetch_xor",
    "TpTTi": "atomic_compare_swap",
    "vpiT": "wait_until",
    "ipiT": "test",
    "ipppni": "broadcastmem",
    "ipppn": "collectmem fcollectmem alltoallmem sum_reduce prod_reduce min_reduce max_reduce "
    "and_reduce or_reduce xor_reduce",
}
SIGNATURE_OF = {name: letters for letters, names in SIGNATURES.items() for name in names.split()}
LETTERS: dict[str, Any] = {
    "v": None,
    "p": ctypes.c_void_p,
    "n": ctypes.c_size_t,
    "d": ctypes.c_ssize_t,
    "i": ctypes.c_int,
    "l": ctypes.c_long,
    "u": ctypes.c_uint64,
    # T is the type in the routine's name.
}
# The name of a type in OpenSHMEM, and its type in ctypes. Complex numbers go by address only.
TYPES: dict[Dtype, tuple[str, Any]] = {
    np.dtype(np.float32): ("float", ctypes.c_float),
    np.dtype(np.float64): ("double", ctypes.c_double),
    np.dtype(np.longdouble): ("longdouble", ctypes.c_longdouble),
    np.dtype(np.complex64): ("complexf", None),
    np.dtype(np.complex128): ("complexd", None),
    **{
        np.dtype(name): (name, getattr(ctypes, f"c_{name}"))
        for name in (f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
    },
}


def find() -> str:
    """The library in a folder above this package, or in its folder lib."""
    for folder in Path(__file__).resolve().parents:
        for place in (folder, folder / "lib"):
            if (library := place / NAME).exists():
                return str(library)
    return NAME  # the search path of the loader


def load() -> ctypes.CDLL:
    """The library that GONDWANA_LIBRARY names, or the one installed with this package."""
    path = os.environ.get("GONDWANA_LIBRARY") or find()
    try:
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise ImportError(
            f"cannot load Gondwana's OpenSHMEM library: {error}; use the package that lies beside "
            "the library, in lib/gondwana/python, or let GONDWANA_LIBRARY name the library"
        ) from None
    # Routines are looked up in the whole process: a preloaded profiler comes first.
    return ctypes.CDLL(None)


LIBRARY = load()


@cache
def routine(name: str, dtype: Dtype | None = None) -> Callable[..., Any]:
    """The routine shmem_NAME, or shmem_TYPE_NAME for `dtype` if its name contains a type."""
    letters, symbol = LETTERS, f"shmem_{name}"
    if dtype is not None:
        type_name, passed = TYPES.get(dtype, ("", None))
        letters, symbol = LETTERS | {"T": passed}, f"shmem_{type_name}_{name}"
    # The library has symbols only for the types that a routine supports.
    function = getattr(LIBRARY, symbol, None)
    if function is None:
        raise TypeError(f"OpenSHMEM has no {name} for values of type {dtype}")
    signature = [letters[letter] for letter in SIGNATURE_OF[name]]
    function.restype, function.argtypes = signature[0], signature[1:]
    return function  # type: ignore[no-any-return]


def address(array: Array) -> int:
    """The address of an array: `array.ctypes.data`, in a third of the time."""
    memory: Any = array
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(memory))
    except (TypeError, ValueError, BufferError):  # read-only, not contiguous, or of a rare type
        return array.ctypes.data


def array_at(begin: int, shape: tuple[int, ...], dtype: Dtype, owner: object = None) -> Array:
    """An array over existing memory, which is not accessed. The array keeps the owner."""
    length = max(1, math.prod(shape) * dtype.itemsize)  # an empty array has an address too
    memory = (ctypes.c_char * length).from_address(begin)
    memory.owner = owner  # type: ignore[attr-defined]
    return np.ndarray(shape, dtype, buffer=memoryview(memory))


def number(value: Any, dtype: Dtype) -> int | float:
    """`value` as a Python number; fails if `dtype` cannot hold it."""
    if dtype.kind == "f":
        return float(value)
    whole = operator.index(value)
    if dtype in TYPES and TYPES[dtype][1](whole).value != whole:  # ctypes truncates values
        raise ValueError(f"{whole} is not a value of type {dtype}")
    return whole
