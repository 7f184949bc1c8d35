"""Functions and lines of addresses, by libdw in a module of the command."""

import ctypes
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MODULE = "libgondwana_stacks.so"


@dataclass(frozen=True)
class Frame:
    function: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return (
            f"{self.function} at {Path(self.file).name}:{self.line}" if self.file else self.function
        )


@cache
def _library() -> ctypes.CDLL | None:
    """The module next to the folder that is run; None if it was built without libdw."""
    try:
        return ctypes.CDLL(str(Path(sys.argv[0]).absolute().parent / MODULE))
    except OSError:
        return None


@cache
def frames(module: str, address: int) -> tuple[Frame, ...]:
    """The frames of a return address, innermost first; several if functions are inlined."""
    library = _library()
    text = ctypes.create_string_buffer(8192)
    if library is not None:
        where = ctypes.c_uint64(address - 1)  # inside the call instruction
        library.gondwana_lines_of_address(module.encode(), where, text, ctypes.c_size_t(len(text)))
    lines = text.value.decode(errors="replace").splitlines()
    found = [line.split("\t") for line in lines if line.count("\t") == 2]
    if not found:
        return (Frame(f"{Path(module).name}+0x{address:x}"),)
    return tuple(Frame(function, file, int(line)) for function, file, line in found)
