#!/usr/bin/env python3
"""Checks that includes point one way.

    front -> process -> engine -> {remote -> {network, spaces -> operations}, bootstrap} -> tracing
    -> memory -> sync -> core

A front door includes no other door and no public headers but its own. The door of NVSHMEM is an
exception: it calls OpenSHMEM through the public headers. Tools see the public
headers, bootstrap, tracing, memory, sync and core. Examples, benchmark rows and Python see what users see: the public
headers; benchmark rows see examples too. Tests may include anything; nothing else includes tests.

Includes inside the engine and inside the command gondwana point one way, too: see ENGINE_LAYERS and
TOOL_LAYERS. engine.hpp composes the folders of the engine, so none of them includes it. A file of the
command declares its names in the namespace of its folder.

process/layout joins the shared structures of all layers and doors, and includes them all.

Only the table of networks includes the folder of a network library (network/ofi), and only the table
of kinds the folder of a kind of memory (spaces/kinds/emulated).
"""

import re
import sys
from pathlib import Path

from includes import includes, resolve
from tree import CPP_SUFFIXES, ROOT, repository_files

BELOW_ENGINE = {
    "remote",
    "network",
    "spaces",
    "operations",
    "tracing",
    "memory",
    "bootstrap",
    "sync",
    "core",
}
# Area: the other areas that it sees. Every area sees itself.
SEES = {
    "core": set(),
    "sync": {"core"},
    "memory": {"sync", "core"},
    "tracing": {"memory", "sync", "core"},
    "bootstrap": {"memory", "sync", "core"},
    "operations": {"core"},
    "network": {"core"},
    "spaces": {"operations", "memory", "sync", "core"},
    "remote": {"network", "spaces", "operations", "tracing", "memory", "sync", "core"},
    "engine": BELOW_ENGINE,
    "process": BELOW_ENGINE | {"engine"},
    "front": BELOW_ENGINE | {"engine", "process"},
    "tools": {"include", "bootstrap", "tracing", "memory", "sync", "core"},
    "tools/agent": {"remote", "network", "spaces", "operations", "tracing", "memory", "bootstrap", "sync", "core"},
    "tools/scale": BELOW_ENGINE | {"engine", "tools"},
    "include": set(),
    "examples": {"include"},
    "docs": {"include"},
    "bench": {"include", "examples"},
    "python": {"include"},
}
# The layers of the engine: each may include those before it, but none of its own line.
ENGINE_LAYERS = (
    ("arguments",),
    ("symmetric",),
    ("spaces",),
    ("am",),
    ("wait",),
    ("rma",),
    ("locks", "teams"),
    ("collectives/common",),
    ("collectives/node", "collectives/reference", "collectives/staged"),
    ("collectives/levels",),
    ("collectives",),
    ("engine",),
    ("world",),  # a part of the engine that changes its world
)
PARTS = {"rma/bounce": "rma"}
COMMAND = "tools/gondwana/"
# The same for the command gondwana, from below. A name is a folder or a file without its suffix; what
# is not named belongs to the folder above.
TOOL_LAYERS = (
    ("base",),
    ("modules/binding", "modules/http", "modules/perfetto", "modules/screen", "modules/stacks"),
    ("link",),
    ("observe/jobs",),
    ("observe/stacks", "observe/trace"),
    ("observe/hosts",),
    ("report/bench", "report/info", "report/trace", "report/why"),
    ("report/bench/scale", "report/top"),
    ("run/job", "run/overloaded"),
    ("run/outcome", "run/profile_page"),
    ("run/io",),
    # What a launcher and its remote launchers say to each other.
    ("run/remote/frames",),
    ("run/remote/frame_link",),
    ("run/node/node_exchange", "run/remote/remote_output"),
    ("run/remote/uplink",),
    ("run/command_line",),
    ("run/debugger", "run/node"),
    ("run/remote",),
    ("run",),
    ("commands/list",),
    ("commands/completion",),
    ("commands",),
)
# The launcher starts it, and it starts the job as the launcher does.
TOOL_LAYER_OF = {"run/remote/remote_launcher": "run"}
# The highest layer that other tools may include.
HIGHEST_LAYER = {"tools/profile": "base", "tools/scale": "run"}
# The lowest layer has the namespace of src/core; this one has another name for what its folders do.
NAMESPACES = {"run": "launch"}
NAMESPACE = re.compile(r"^(?:inline )?namespace ([\w:]+)", re.MULTILINE)
# Joins what all layers and doors have in shared memory.
SHARED_LAYOUT = "src/process/layout/shared_layout.cpp"
# A folder whose folders only a table in it sees.
TABLES = {
    "src/network/": "src/network/networks.cpp",
    "src/spaces/kinds/": "src/spaces/kinds/kinds.cpp",
}
LAYERS = (
    "core",
    "sync",
    "memory",
    "tracing",
    "bootstrap",
    "operations",
    "spaces",
    "network",
    "remote",
    "engine",
    "process",
    "front",
)


def area(path: str) -> str:
    """The part of the tree that `path` belongs to: "engine", "front/shmem", "include", "tools"."""
    parts = path.split("/")
    if parts[0] == "src":
        parts = parts[1:]
    first_two = "/".join(parts[:2])
    return first_two if parts[0] == "front" or first_two in SEES else parts[0]


def meant_area(root: Path, file: str, name: str) -> str | None:
    """The area an include leads into; None: the system's headers."""
    path = resolve(root, file, name)
    if path is not None:
        return area(path)
    # A generated or misspelled header has no file here, but its name says its layer.
    return area(name) if "/" in name and name.split("/")[0] in LAYERS else None


def is_own_header(door: str, name: str) -> bool:
    """Whether public header `name` belongs to `door`: shmem.h, shmemx.h and pshmem.h to shmem."""
    if door == "front/nvshmem" and name in ("shmem.h", "shmemx.h"):
        return True
    return name.removeprefix("p").startswith(door.removeprefix("front/"))


def table_of(path: str) -> str | None:
    """The table that alone sees the folder of the file; None: the folder is no row of a table."""
    path = path if path.startswith("src/") else f"src/{path}"
    for folder, table in TABLES.items():
        if path.startswith(folder) and "/" in path.removeprefix(folder):
            return table
    return None


def refusal_of_library(file: str, path: str) -> str | None:
    """Why `file` may not include `path`, which belongs to a row of a table; None: it may."""
    table = table_of(path)
    if file.startswith("tests/") or table is None or file == table:
        return None
    same = Path(file).parent.name == Path(path).parent.name
    return None if same else f"only {table} sees the folders of its rows"


def refusal(source: str, target: str, name: str) -> str | None:
    """Why files of `source` may not include `name`, which is of `target`; None: they may."""
    if source in (target, "tests"):
        return None
    kind = source if source in SEES else source.split("/")[0]
    if kind not in SEES:
        return f"{source} is no layer, ci/layers.py does not know what it may include"
    if kind == "front" and target.startswith("front/"):
        return "a front door never includes another"
    if kind == "front" and target == "include":
        return None if is_own_header(source, name) else "it is the header of another front door"
    if target in SEES[kind]:
        return None
    return f"{kind} sees {' and '.join(sorted(SEES[kind])) or 'nothing else of the repository'}"


def engine_layer(path: str) -> str:
    """The layer of a file of the engine: its folder, or its name if it is in none. A part of a layer has a folder of
    its own (PARTS)."""
    inside = Path(path).relative_to("src/engine")
    folder = PARTS.get(inside.parent.as_posix(), inside.parent.as_posix())
    return inside.stem if folder == "." else folder


def tool_layer(path: str) -> str:
    """The layer of a file of the command, or the highest one that a file of another tool may include."""
    if not path.startswith(COMMAND):
        return HIGHEST_LAYER.get("/".join(path.split("/")[:2]), "no layer")
    file = Path(path).relative_to(COMMAND).with_suffix("")
    known = {name for line in TOOL_LAYERS for name in line}
    names = [each.as_posix() for each in (file, *file.parents)]
    return TOOL_LAYER_OF.get(names[0]) or next((name for name in names if name in known), names[1])


def order_refusal(ours: str, theirs: str, lines: tuple[tuple[str, ...], ...]) -> str | None:
    """Why what is in `ours` may not include what is in `theirs`; None: it may."""
    order = {name: at for at, line in enumerate(lines) for name in line}
    if ours == theirs:
        return None
    for name in (ours, theirs):
        if name not in order:
            return f"{name} is no folder that ci/layers.py knows"
    return None if order[theirs] < order[ours] else f"{theirs} is not below {ours}"


def inner_refusal(source: str, target: str) -> str | None:
    """The same for two files of the engine, and for what tools include of the command."""
    if source.startswith("src/engine/") and target.startswith("src/engine/"):
        return order_refusal(engine_layer(source), engine_layer(target), ENGINE_LAYERS)
    if source.startswith("tools/") and target.startswith(COMMAND):
        return order_refusal(tool_layer(source), tool_layer(target), TOOL_LAYERS)
    return None


def wrong_namespace(root: Path, file: str) -> str | None:
    """The namespace that a file of the command should have and has not; None: it has."""
    if not file.startswith(COMMAND):
        return None
    folders = Path(file).relative_to(COMMAND).parent.parts
    found = [name.split("::") for name in NAMESPACE.findall((root / file).read_text("utf-8"))]
    if not folders or folders[0] == "base":
        return None if not found or ["gondwana"] in found else "gondwana"
    wanted = NAMESPACES.get(folders[0], folders[-1])
    return None if not found or any(wanted in name for name in found) else wanted


def violations(root: Path, files: list[str]) -> list[str]:
    """One sentence for each include that points the wrong way."""
    found = []
    for file in files:
        if file.startswith("src/") and area(file).split("/")[0] not in LAYERS:
            found.append(f"{file}:1: src/ holds only the layers {', '.join(LAYERS)}")
            continue
        if namespace := wrong_namespace(root, file):
            found.append(f"{file}:1: the namespace of its folder is {namespace}")
        for line, name in includes(root, file):
            target = meant_area(root, file, name)
            reason = target and (
                refusal(area(file), target, name)
                or refusal_of_library(file, resolve(root, file, name) or name)
            )
            path = resolve(root, file, name) or f"src/{name}"
            reason = reason or inner_refusal(file, path)
            if reason and file != SHARED_LAYOUT:
                found.append(f"{file}:{line}: {area(file)} may not include {name}: {reason}")
    return found


def main() -> int:
    found = violations(ROOT, repository_files(*CPP_SUFFIXES))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
