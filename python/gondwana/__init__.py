"""Numpy arrays that every rank of a job can access: Gondwana's OpenSHMEM for Python.

    import gondwana

    table = gondwana.zeros(100, int)                   # one array of this shape on every rank
    table.put([1, 2, 3], rank=0, at=slice(10, 13))     # write into the array of rank 0
    gondwana.barrier()                                 # now all writes have arrived
    print(table.get(rank=0, at=slice(10, 13)))         # read it; `table.local` is the caller's own

Start it by `gondwana run -n 4 python3 program.py`, or without a launcher by a unique id, see `init`,
`spawn`, `init_by_file`, `init_by_mpi` and `init_by_torch`. The library is initialised at first use and ends
with the program; a rank that ends with an exception ends the job. All threads may call. The memory
model is OpenSHMEM's: `put` may return before its values have arrived, see `quiet`.

For memory of devices, see `devices` and `DeviceArray`. Other libraries use an array by
`torch.from_dlpack(array)`; `register` makes one of their arrays symmetric.
"""

from . import _needs as _needs  # before modules that import numpy
from ._array import Symmetric
from ._create import empty, full, register, zeros
from ._device import DeviceArray, devices
from ._job import barrier, fence, finalize, init, quiet, rank, size
from ._lock import Lock
from ._region import region
from ._remote import RemoteArray, allocate_at
from ._team import WORLD, Team
from ._unique_id import get_unique_id, init_by_file, init_by_mpi, init_by_torch, spawn

__version__ = "0.1.0"

broadcast = WORLD.broadcast
reduce = WORLD.reduce
collect = WORLD.collect
fcollect = WORLD.fcollect
alltoall = WORLD.alltoall
from_dlpack = register

__all__ = [
    "WORLD",
    "DeviceArray",
    "Lock",
    "RemoteArray",
    "Symmetric",
    "Team",
    "allocate_at",
    "alltoall",
    "barrier",
    "broadcast",
    "collect",
    "devices",
    "empty",
    "fcollect",
    "fence",
    "finalize",
    "from_dlpack",
    "full",
    "get_unique_id",
    "init",
    "init_by_file",
    "init_by_mpi",
    "init_by_torch",
    "quiet",
    "rank",
    "reduce",
    "region",
    "register",
    "size",
    "spawn",
    "zeros",
]
