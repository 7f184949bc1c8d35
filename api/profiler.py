"""Emits the wrappers of the profiling library: each counts a call, then makes it."""

import textwrap
from pathlib import Path

from armci import profiler as armci
from counter import counter
from gasnet import profiler as gasnet
from layout import WIDTH, declaration, statement
from table import Api, Function, Section
from thunks import NOTICE

# These begin and end the counting: tools/profile/lifecycle.cpp.
HAND_WRITTEN = {
    "shmem_init",
    "shmem_init_thread",
    "start_pes",
    "shmem_finalize",
    "shmem_global_exit",
    "shmem_pcontrol",
}


def files(api: Api, root: Path, folder: Path) -> dict[Path, str]:
    """The wrappers of each section, and the names of the numbers in them."""
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
            *(
                wrapper(function, numbers[function.name])
                for function in section.functions
                if function.name not in HAND_WRITTEN
            ),
            '}  // extern "C"\n',
        ]
    )


def wrapper(function: Function, number: int) -> str:
    prototype = function.cxx
    arguments = [parameter.name for parameter in prototype.parameters] or [""]
    call = statement(prototype, "p" + function.name, arguments)
    if "allocates" in function.effect:
        call = f"  return call.made(p{function.name}({', '.join(arguments)}));"
    peer = {"peer": "ctx, pe" if function.on_context else "pe"}
    effect = function.effect | (peer if "moves" in function.effect else {})
    return f"{declaration(prototype, ' {')}\n{counter(effect, number)}\n{call}\n}}"
