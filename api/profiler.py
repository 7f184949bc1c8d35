"""Emits the wrappers of the profiling library: each counts a call, then makes it."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from armci import profiler as armci
from gasnet import profiler as gasnet
from layout import WIDTH, declaration, statement
from table import Api, Function, Section
from thunks import NOTICE

# These begin and end what is counted: tools/profile/lifecycle.cpp.
HAND_WRITTEN = {
    "shmem_init",
    "shmem_init_thread",
    "start_pes",
    "shmem_finalize",
    "shmem_global_exit",
    "shmem_pcontrol",
}
TRANSFERS = {"rma", "rma_nbi", "signals", "atomics", "atomics_nbi", "deprecated"}
ALLOCATIONS = {"memory", "deprecated"}
COLLECTIVES = {"collectives", "active_sets"}
LOCK_CALLS = {
    "shmem_set_lock": "acquire",
    "shmem_test_lock": "try_acquire",
    "shmem_clear_lock": "release",
}
ACTIVE_SET = ("PE_start", "logPE_stride", "PE_size")
BARRIERS = {
    "shmem_barrier_all": (),
    "shmem_sync_all": (),
    "shmem_team_sync": ("team",),
    "shmem_barrier": ACTIVE_SET,
    "shmem_sync": ACTIVE_SET,
}
COUNTS = ("nelems", "nreduce", "bsize", "nblocks")


def files(api: Api, root: Path, folder: Path) -> dict[Path, str]:
    """The wrappers of each section, and the names that the numbers in them stand for."""
    names = [function.name for function in api.functions]
    of_gasnet = gasnet.names(root)
    all_names = [*names, *of_gasnet, *armci.names(root)]
    numbers = {name: number for number, name in enumerate(all_names)}
    wrappers = {
        folder / f"{section.name}.cpp": _section_file(section, numbers) for section in api.sections
    }
    wrappers[folder / "gasnet.cpp"] = gasnet.wrappers(root, numbers)
    wrappers[folder / "armci.cpp"] = armci.wrappers(root, numbers)
    firsts = {"gasnet": len(names), "armci": len(names) + len(of_gasnet)}
    return {folder / "call_names.hpp": _names_file(list(numbers), firsts), **wrappers}


def _names_file(names: list[str], firsts: dict[str, int]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    lines = textwrap.fill(quoted, WIDTH, initial_indent="    ", subsequent_indent="    ")
    return (
        f"// The calls by their number.\n// {NOTICE}\n// clang-format off\n#pragma once\n\n"
        "#include <array>\n#include <string_view>\n\nnamespace gondwana::profile {\n\n"
        f"inline constexpr std::array<std::string_view, {len(names)}> call_names{{\n{lines}}};\n\n"
        + "".join(
            f"inline constexpr std::size_t first_{door}_call = {first};\n"
            for door, first in firsts.items()
        )
        + "\n"
        "}  // namespace gondwana::profile\n"
    )


def _section_file(section: Section, numbers: dict[str, int]) -> str:
    return "\n".join(
        [
            f"// {section.title}: the wrappers that count.\n// {NOTICE}\n// clang-format off",
            '#include "call.hpp"\n#include "pshmem.h"\n',
            "using namespace gondwana::profile;\n",
            'extern "C" {',
            *_wrappers(section, numbers),
            '}  // extern "C"\n',
        ]
    )


def _wrappers(section: Section, numbers: dict[str, int]) -> Iterator[str]:
    for function in section.functions:
        if function.name not in HAND_WRITTEN:
            yield _wrapper(section, function, numbers[function.name])


def _wrapper(section: Section, function: Function, number: int) -> str:
    prototype = function.cxx
    arguments = [parameter.name for parameter in prototype.parameters] or [""]
    call = statement(prototype, "p" + function.name, arguments)
    if _is_allocation(section, function):
        call = f"  return call.made(p{function.name}({', '.join(arguments)}));"
    return f"{declaration(prototype, ' {')}\n  {_counter(section, function, number)}\n{call}\n}}"


def _counter(section: Section, function: Function, number: int) -> str:
    kind = _traffic(section, function)
    if awaited := _awaited(function):
        return f"const WordWait call({number}, {', '.join(awaited)});"
    if function.name in LOCK_CALLS:
        return f"const LockCall call({number}, gondwana::EventKind::{LOCK_CALLS[function.name]}, lock);"
    if function.name in BARRIERS:
        return f"const Barrier call({', '.join([str(number), *BARRIERS[function.name]])});"
    if _is_allocation(section, function):
        return f"Allocation call({number}, {_size(section, function)[0]});"
    if kind is None:
        arguments = [str(number), *_size(section, function)]
        return f"const Call call({', '.join(arguments)});"
    where = "ctx, pe" if function.on_context else "pe"
    place = _place(function, kind)
    return f"const Transfer call({number}, Traffic::{kind}, {_payload(function)}, {where}, {place});"


def _awaited(function: Function) -> list[str]:
    """The words of a routine that waits for them, and their bytes."""
    names = [parameter.name for parameter in function.cxx.parameters]
    if "wait" not in function.name:
        return []
    words = next((name for name in ("ivars", "ivar", "sig_addr") if name in names), None)
    if words is None:
        return []
    return [words, _payload(function) if words == "ivars" else _element(function)]


def _place(function: Function, kind: str) -> str:
    """Where in the memory of the target; of a put with a signal, the signal, which peers wait for."""
    names = [parameter.name for parameter in function.cxx.parameters]
    wanted = ("source",) if kind == "get" else ("sig_addr", "dest", "source")
    return next((name for name in wanted if name in names), "nullptr")


def _traffic(section: Section, function: Function) -> str | None:
    """What a routine that moves data between two PEs does; None: it is no such routine."""
    names = [parameter.name for parameter in function.cxx.parameters]
    if section.name not in TRANSFERS or "pe" not in names:
        return None
    if "rma" in section.name:
        return "get" if re.search(r"_i?b?get|_g$", function.name) else "put"
    return "put" if "_put" in function.name else "atomic"


def _size(section: Section, function: Function) -> list[str]:
    """The bytes of a routine without a target PE, where its parameters tell them."""
    names = [parameter.name for parameter in function.cxx.parameters]
    if section.name in COLLECTIVES and set(names) & set(COUNTS):
        return [_payload(function)]
    if section.name in ALLOCATIONS and "size" in names:
        return ["count * size" if "count" in names else "size"]
    return []


def _is_allocation(section: Section, function: Function) -> bool:
    return function.cxx.returns == "void*" and bool(_size(section, function))


def _payload(function: Function) -> str:
    counts = [p.name for p in function.cxx.parameters if p.name in COUNTS]
    element = _element(function)
    return " * ".join(counts if counts and element == "1" else [*counts, element])


def _element(function: Function) -> str:
    """The size of an element: that of the type, or what the door's template is told."""
    if function.type:
        return f"sizeof({function.type.cxx})"
    match = re.search(r"<(\d+)>", function.call or "")
    return match[1] if match else "sizeof(uint64_t)"  # a signal
