"""Start without a launcher of Gondwana: processes become a job by a unique id."""

import ctypes
import importlib
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ._job import init
from ._library import LIBRARY

_get = LIBRARY.shmemx_get_uniqueid
_get.restype, _get.argtypes = ctypes.c_int, [ctypes.c_void_p]

LENGTH = 128


def get_unique_id() -> bytes:
    """128 bytes with which processes start one job, by `init(unique_id=..., rank=..., size=...)`.

    One process calls it, which may also be one that is not a rank, and lives until all have joined.
    """
    unique_id = ctypes.create_string_buffer(LENGTH)
    if _get(ctypes.addressof(unique_id)) != 0:
        raise RuntimeError("no unique id; the message on standard error says why")
    return unique_id.raw


def init_by_file(path: str | os.PathLike[str], rank: int, size: int, timeout: float = 60) -> None:
    """Initialises the library: rank 0 writes a unique id to the file, the others wait for it.

    All need the same folder. Each start needs a new name: rank 0 replaces a file that is there, but
    others may have read it before. Rank 0 removes the file when all have joined.
    """
    file = Path(path)
    if rank == 0:
        unique_id = get_unique_id()
        _write(file, unique_id)
    else:
        unique_id = _await_file(file, timeout)
    init(unique_id=unique_id, rank=rank, size=size)
    if rank == 0:
        file.unlink(missing_ok=True)


def _write(file: Path, content: bytes) -> None:
    """Under its name the file is complete, and only its user can read it."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
    os.replace(name, file)


def _await_file(file: Path, timeout: float) -> bytes:
    end = time.monotonic() + timeout
    while True:
        try:
            return file.read_bytes()
        except FileNotFoundError:
            if time.monotonic() > end:
                raise TimeoutError(f"rank 0 has not written {file} within {timeout} s") from None
            time.sleep(0.01)


def init_by_mpi(communicator: Any) -> None:
    """Initialises the library with the ranks of a communicator of mpi4py, collectively."""
    rank, size = communicator.Get_rank(), communicator.Get_size()
    unique_id = communicator.bcast(get_unique_id() if rank == 0 else None, root=0)
    init(unique_id=unique_id, rank=rank, size=size)


def init_by_torch(group: Any = None) -> None:
    """Initialises the library with the ranks of torch.distributed, or of a group of them."""
    distributed: Any = importlib.import_module("torch.distributed")
    rank, size = distributed.get_rank(group), distributed.get_world_size(group)
    root = distributed.get_global_rank(group, 0) if group is not None else 0
    carrier = [get_unique_id() if rank == 0 else None]
    distributed.broadcast_object_list(carrier, src=root, group=group)
    init(unique_id=carrier[0], rank=rank, size=size)


def spawn(function: Callable[..., object], size: int, args: Iterable[Any] = ()) -> None:
    """Runs `function(*args)` in `size` new processes of `multiprocessing`, which are one job.

    Returns when all have ended. RuntimeError names the ranks that failed.
    """
    unique_id = get_unique_id()
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=_run, args=(function, unique_id, rank, size, tuple(args)))
        for rank in range(size)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    failed = {
        rank: process.exitcode for rank, process in enumerate(processes) if process.exitcode != 0
    }
    if failed:
        raise RuntimeError(f"these ranks of {size} ended with other statuses than 0: {failed}")


def _run(
    function: Callable[..., object], unique_id: bytes, rank: int, size: int, args: tuple[Any, ...]
) -> None:
    init(unique_id=unique_id, rank=rank, size=size)
    function(*args)
