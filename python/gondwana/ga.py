"""Global Arrays for numpy: one array in blocks over all ranks; each rank can access all of it.

    from gondwana import ga

    a = ga.zeros((1000, 1000))            # one array, in blocks over the ranks; all ranks call
    a[10:20, :5] = ga.rank()              # write a part, wherever it lies
    a.acc(2.5, at=(0, slice(None)))       # add to a row, atomically
    ga.sync()                             # now all writes have arrived
    print(a[0, :3], a.local.shape)        # read a part; `a.local` is the own block
    a.free()                              # all ranks call

Start it by `gondwana run -n 4 python3 program.py`. The library is initialised at first use and ends
with the program. All functions of this module are collective, except `rank` and `size`: all ranks
call them in the same order. Functions of arrays wait for all ranks before and after. Threads may
call; one runs at a time.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from ._armci import LARGEST, combine, kind_of, process, routine, start
from ._global_array import GlobalArray, Scalar, check_agreement, create, sync, zeros
from ._job import checked_rank
from ._library import Array, address

__all__ = [
    "GlobalArray",
    "add",
    "brdcst",
    "create",
    "gemm",
    "rank",
    "reduce",
    "size",
    "sync",
    "transpose",
    "zeros",
]

PANEL = 512  # columns of a and rows of b that gemm reads at a time


def rank() -> int:
    """The number of the caller, from 0."""
    start()
    return process.rank


def size() -> int:
    """The number of ranks."""
    start()
    return process.size


def add(alpha: Scalar, a: GlobalArray, beta: Scalar, b: GlobalArray, c: GlobalArray) -> None:
    """Computes c = alpha * a + beta * b, element by element; `c` may be `a` or `b`."""
    a.check_alike(b)
    a.check_alike(c)
    first, second = a.constant(alpha), a.constant(beta)
    sync()
    values = first * a.part_of_block(c) + second * b.part_of_block(c)
    if c is a or c is b:
        sync()  # others may read its old elements
    c.local[...] = values
    sync()


def transpose(a: GlobalArray, b: GlobalArray) -> None:
    """Computes b = a.T, of two dimensions."""
    _check_matrices(a, b)
    if b.shape != a.shape[::-1]:
        raise ValueError(f"the transpose of shape {a.shape} does not fit into shape {b.shape}")
    if a is b:
        raise ValueError("the transpose needs an array of its own: ranks read a while b is written")
    rows, columns = b.distribution()
    sync()
    b.local[...] = a.get((columns, rows)).T
    sync()


def gemm(alpha: Scalar, a: GlobalArray, b: GlobalArray, beta: Scalar, c: GlobalArray) -> None:
    """Computes c = alpha * a @ b + beta * c, of two dimensions; each rank computes its block."""
    _check_matrices(a, b, c)
    if a.shape[1] != b.shape[0] or c.shape != (a.shape[0], b.shape[1]):
        raise ValueError(f"shapes {a.shape} @ {b.shape} do not make {c.shape}")
    if c is a or c is b:
        raise ValueError("the product needs an array of its own: ranks read a while c is written")
    factor, kept = c.constant(alpha), c.constant(beta)
    sync()
    block = c.local
    if kept == 0:
        block[...] = 0  # also if it contained NaN
    else:
        block *= kept
    for left, right in _panels(a, b, c.distribution()):
        product = left @ right
        if factor != 1:
            product *= factor
        block += product
    sync()


def _panels(
    a: GlobalArray, b: GlobalArray, block: tuple[slice, ...]
) -> Iterator[tuple[Array, Array]]:
    """The panels of `a` and `b` that the block needs; the next get is in flight meanwhile."""
    rows, columns = block
    if rows.start == rows.stop or columns.start == columns.stop:
        return
    ranges = [slice(first, first + PANEL) for first in range(0, a.shape[1], PANEL)]
    coming = None
    for inner in [*ranges, None]:
        ready = coming
        coming = inner and (a.begin_get((rows, inner)), b.begin_get((inner, columns)))
        if ready:
            yield ready[0](), ready[1]()


def _check_matrices(*arrays: GlobalArray) -> None:
    for array in arrays:
        if array.ndim != 2:
            raise ValueError(f"shape {array.shape}: an array of two dimensions is needed")
        if array.dtype != arrays[0].dtype:
            raise TypeError(
                f"the arrays have types {arrays[0].dtype} and {array.dtype}, not the same"
            )
        array.check_alike(array)  # not freed


def reduce(values: ArrayLike, operation: str = "sum") -> Array:
    """Combines the values of all ranks by sum, prod, min or max; all ranks get the result.

    All ranks pass the same shape and type. Complex numbers support only sum.
    """
    start()
    result = np.array(values, order="C")
    kind_of(result.dtype)
    check_agreement(_words(result, operation), "give different values to a reduction")
    combine(result, operation)
    return result


def _words(values: Array, more: object) -> str:
    return f"shape {values.shape}, type {values.dtype}, {more}"


def brdcst(values: ArrayLike, root: int = 0) -> Array:
    """Returns the values of one rank on all. All ranks pass values of the same shape and type."""
    start()
    result = np.array(values, order="C")
    kind_of(result.dtype)
    if result.nbytes > LARGEST:
        raise ValueError(f"a broadcast of {result.nbytes} bytes: at most {LARGEST} go at once")
    giver = checked_rank(root, process.size)
    check_agreement(_words(result, giver), "give different values to a broadcast")
    if result.nbytes:
        routine("armci_msg_brdcst")(address(result), result.nbytes, giver)
    return result
