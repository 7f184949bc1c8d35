"""Emits the wrappers of the profiling library for the calls of ARMCI."""

from pathlib import Path

from counter import counter
from layout import declaration, hanging, statement

from armci import calls
from armci.calls import NOTICE, Call

# These begin and end what is counted: tools/profile/armci_lifecycle.cpp.
HAND_WRITTEN = {
    "ARMCI_Init",
    "ARMCI_Init_args",
    "ARMCI_Init_thread",
    "ARMCI_Finalize",
    "armci_msg_init",
    "armci_msg_finalize",
}


def routines(root: Path) -> list[Call]:
    """Those with a second name, by which the wrapper calls them."""
    return [
        call
        for table in calls.load(root)
        for call in table.profiled
        if call.name.startswith("ARMCI_")
    ]


def names(root: Path) -> list[str]:
    found = [call.name for call in routines(root)]
    return [*found, *sorted(HAND_WRITTEN - set(found))]


def wrappers(root: Path, numbers: dict[str, int]) -> str:
    bodies = (
        _wrapper(call, numbers[call.name])
        for call in routines(root)
        if call.name not in HAND_WRITTEN
    )
    return "\n".join(
        [
            f"// ARMCI: the wrappers that count.\n// {NOTICE}\n// clang-format off",
            '#include "armci_call.hpp"\n',
            "using namespace gondwana::profile;\n",
            'extern "C" {',
            *bodies,
            '}  // extern "C"\n',
        ]
    )


def _wrapper(call: Call, number: int) -> str:
    prototype = call.prototype
    lookup = f"  static const auto next = armci_call<decltype({call.name})>("
    arguments = [parameter.name for parameter in prototype.parameters] or [""]
    return "\n".join(
        [
            declaration(prototype, " {"),
            hanging(lookup, [f'"{call.second_name}"'], ");"),
            counter(call.effect, number),
            statement(prototype, "next", arguments),
            "}",
        ]
    )
