"""The ARMCI library without MPI, and its calls as Python functions."""

import ctypes
import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._job import check_process
from ._library import Array, Dtype, address

NAME = "libarmci.so.0"

# The result and the parameters of each call, by the letters below.
SIGNATURES = {
    "v": "ARMCI_Barrier",
    "i": "ARMCI_Init armci_msg_me armci_msg_nproc",
    "ip": "ARMCI_Free ARMCI_Wait",
    "ipl": "ARMCI_Malloc",
    "ippii": "ARMCI_Put ARMCI_Get",
    "iippii": "ARMCI_Rmw",
    "iipppii": "ARMCI_Acc",
    "ippiip": "ARMCI_NbGet",
    "ipppppii": "ARMCI_PutS ARMCI_GetS",
    "iippppppii": "ARMCI_AccS",
    "ipppppiip": "ARMCI_NbGetS",
    "vpii": "armci_msg_brdcst",
    "vpis": "armci_msg_igop armci_msg_lgop armci_msg_fgop armci_msg_dgop",
}
SIGNATURE_OF = {name: letters for letters, names in SIGNATURES.items() for name in names.split()}
LETTERS: dict[str, Any] = {
    "v": None,
    "p": ctypes.c_void_p,
    "i": ctypes.c_int,
    "l": ctypes.c_long,
    "s": ctypes.c_char_p,
}
LARGEST = 2**31 - 1  # sizes and strides are of type int

REDUCTIONS = {"sum": b"+", "prod": b"*", "min": b"min", "max": b"max"}


class Kind(NamedTuple):
    """The names of a type in ARMCI."""

    accumulate: int  # ARMCI_ACC_INT to ARMCI_ACC_DCP
    reduce: str
    numbers: int  # a complex number is reduced as two


KINDS: dict[Dtype, Kind] = {
    np.dtype(np.int32): Kind(0, "armci_msg_igop", 1),
    np.dtype(np.int64): Kind(1, "armci_msg_lgop", 1),
    np.dtype(np.float32): Kind(2, "armci_msg_fgop", 1),
    np.dtype(np.float64): Kind(3, "armci_msg_dgop", 1),
    np.dtype(np.complex64): Kind(4, "armci_msg_fgop", 2),
    np.dtype(np.complex128): Kind(5, "armci_msg_dgop", 2),
}


class Handle(ctypes.Structure):
    """armci_hdl_t: an operation in flight. ARMCI_INIT_HANDLE sets all fields to zero."""

    _fields_ = (("transfer", ctypes.c_int), ("aggregate", ctypes.c_int))


class Process:
    """The rank and the size of the job, kept because they are read often."""

    def __init__(self) -> None:
        self.rank = -1
        self.size = 0  # until the library is initialised

    def leave(self) -> None:
        """Called in a forked child."""
        self.rank, self.size = -1, 0


process = Process()
os.register_at_fork(after_in_child=process.leave)
starting = threading.Lock()


def find() -> str:
    """The ARMCI library of the same installation or build as the OpenSHMEM library."""
    if named := os.environ.get("GONDWANA_LIBRARY"):
        folder = Path(named).resolve().parent
        places = [folder / "gondwana/armci", folder.parent / "armci"]
    else:
        above = Path(__file__).resolve().parents
        parts = ("gondwana/armci", "lib/gondwana/armci")
        places = [folder / part for folder in above for part in parts]
    for place in places:
        if (library := place / NAME).exists():
            return str(library)
    raise ImportError(
        f"{NAME} is not in gondwana/armci beside Gondwana's OpenSHMEM library; use the package of "
        "an installation, or let GONDWANA_LIBRARY name the libgondwana_shmem.so of one"
    )


def load() -> ctypes.CDLL:
    path = find()
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"cannot load Gondwana's ARMCI library: {error}; use the package of an installation"
        ) from None


LIBRARY = load()


@cache
def routine(name: str) -> Callable[..., Any]:
    """The call `name` as a Python function."""
    function = getattr(LIBRARY, name)
    function.restype, *function.argtypes = (LETTERS[letter] for letter in SIGNATURE_OF[name])
    call: Callable[..., Any] = function
    return call


def start() -> None:
    """Initialises the library at first use, collectively; it ends with the program."""
    if process.size:
        return
    check_process()
    with starting:
        if not process.size:
            routine("ARMCI_Init")()
            process.rank = routine("armci_msg_me")()
            process.size = routine("armci_msg_nproc")()


def kind_of(dtype: Dtype) -> Kind:
    kind = KINDS.get(dtype)
    if kind is None:
        raise TypeError(
            f"type {dtype}: Global Arrays have int32, int64, float32, float64, complex64 and "
            "complex128; convert the values to one of these"
        )
    return kind


def combine(values: Array, operation: str) -> None:
    """Reduces the contiguous values over all ranks, in place; all ranks get the result."""
    kind = kind_of(values.dtype)
    if operation not in REDUCTIONS:
        raise ValueError(f"{operation!r} is none of {' '.join(REDUCTIONS)}")
    if kind.numbers == 2 and operation != "sum":
        raise TypeError(f"complex numbers have no {operation} over ranks, only a sum")
    count = values.size * kind.numbers
    if count > LARGEST:
        raise ValueError(f"a reduction of {values.size} elements: at most {LARGEST} go at once")
    if count:
        routine(kind.reduce)(address(values), count, REDUCTIONS[operation])
