"""The memory of a rank and of a node. Offsets are read from src."""

import re
from pathlib import Path

from svg import Drawing

WIDTH = 900
SOURCE = Path(__file__).resolve().parents[2] / "src"
MEMORY = SOURCE / "memory"
LISTS = (
    "memory/layout.hpp",
    "engine/collectives/common/team_scratch.hpp",
    "front/armci/shared_place.hpp",
    "front/gasnet/segment_directory.hpp",
)
PLACES = {
    "kept_heap": "blocks of the heap, for a process that is started again",
    "data_bell": "doorbell of a rank that waits for a put",
    "facts": "what must be the same on all ranks",
    "segment_directory": "segments that a door publishes",
    "exit_tallies": "how many ranks leave, at rank 0",
    "endpoint_info": "address for other nodes",
    "files": "files that lie over parts of the arena",
    "remote_heap": "free blocks that any rank may allocate here",
    "armci_place": "where the ARMCI door has laid what peers use",
    "team_places": "by team: where members on several nodes show things",
    "call_notes": "by team: calls that checks compare",
    "team_flags": "by team: flags of collectives made of puts",
}


def constant(text: str) -> int:
    """The value of a product or sum of whole numbers, with the same syntax in C++ and Python."""
    if not re.fullmatch(r"[\d\s*+x\-A-Fa-f()]+", text):
        raise ValueError(f"{text!r} is no constant that this script reads")
    return eval(text)  # only digits and operators


def system_area() -> list[tuple[str, int]]:
    text = "".join((SOURCE / name).read_text() for name in LISTS)
    places = re.findall(r"inline constexpr Area (\w+)\{([^,]+),", text)
    if {name for name, _ in places} != set(PLACES):
        raise ValueError("src has places that the drawing lacks, or the other way round")
    found = [(name, constant(offset)) for name, offset in places]
    return sorted(found, key=lambda place: place[1])


def planned(name: str) -> int:
    text = (MEMORY / "node_plan.hpp").read_text()
    found = re.search(rf"constexpr std::size_t {name} = ([^;]+);", text)
    if not found:
        raise ValueError(f"src/memory/node_plan.hpp has no {name}")
    return constant(found[1])


def kib(size: int) -> str:
    if size >= 1 << 20:
        return f"{round(size / (1 << 20), 2):g} MiB"
    return f"{round(size / 1024, 2):g} KiB"


def arena(drawing: Drawing, top: int) -> tuple[int, int]:
    title = "Arena of a rank: one sparse memfd, shared by the node"
    drawing.text(40, top, title, 14, "start", bold=True)
    parts = [
        (104, "agent", "system", kib(planned("system_size")), "the engine's own"),
        (122, "rank", "globals", "of the program", "laid over .data, .bss"),
        (130, "rank", "remote heap", "shmemx_malloc_at", "for any rank"),
        (166, "rank", "symmetric heap", "shmem_malloc", "from a huge page's boundary"),
        (128, "rank", "segments ...", "GASNet-EX, ARMCI", "at any offset"),
        (100, "start", "inbox", "active messages", "at the end"),
        (70, "guard", "guard", kib(planned("guard")), "not mapped"),
    ]
    x = 40
    for width, style, title, note, below in parts:
        drawing.box(x, top + 12, width, 48, style, title, note, radius=0)
        drawing.text(x + width / 2, top + 76, below, 11, style="faint")
        x += width
    return 40, 40 + parts[0][0]


def system(drawing: Drawing, top: int, left: int, right: int) -> None:
    drawing.parts.append(
        f'<path d="M{left} {top - 66} L{left} {top} M{right} {top - 66} L{right} {top - 24} '
        f'L860 {top - 24} L860 {top}" fill="none" class="pipe" stroke-dasharray="3 3"/>'
    )
    places = system_area()
    drawing.box(40, top, 820, 30 + 22 * ((len(places) + 1) // 2), "agent", radius=4)
    for number, (name, offset) in enumerate(places):
        column, row = divmod(number, (len(places) + 1) // 2)
        x, y = 56 + column * 410, top + 32 + row * 22
        drawing.text(x + 66, y, kib(offset), 12, "end", "faint")
        drawing.text(x + 78, y, name.replace("_", " "), 12, "start", bold=True)
        drawing.text(x + 184, y, PLACES[name], 11, "start", "faint")


def windows(drawing: Drawing, top: int) -> None:
    drawing.text(40, top, "Address space of every rank of the node", 14, "start", bold=True)
    y = top + 34
    for rank in range(4):
        x = 40 + rank * 205
        drawing.box(x, y, 185, 42, "memory", f"arena of rank {rank}", radius=0)
        drawing.box(x + 185, y, 20, 42, "guard", radius=0)
    drawing.line("load", (40, y - 10), (245, y - 10), both=True)
    drawing.text(255, y - 6, "stride, the same for all arenas", 12, "start", "faint")
    words = "address in a peer's arena = base + rank on the node * stride + offset"
    drawing.text(40, y + 62, words, 13, "start")
    drawing.text(860, y + 62, "an offset means the same on every rank and node", 12, "end", "faint")


def control(drawing: Drawing, top: int) -> None:
    drawing.text(40, top, "Control memory: one sparse memfd for each node", 14, "start", bold=True)
    parts = [
        (90, "node", "header", "is it over?"),
        (180, "pages", "one for each rank", "state, bell, counters"),
        (120, "entries", "one for each node", "how to reach it"),
        (140, "relays, batches", "one for each rank", "to the agent"),
        (150, "scratch", "team x rank", "collectives on the node"),
        (140, "sync lines", "team x rank", "barriers"),
    ]
    x = 40
    for width, title, note, below in parts:
        drawing.box(x, top + 12, width, 48, "memory", title, note, radius=0)
        drawing.text(x + width / 2, top + 76, below, 11, style="faint")
        x += width


def draw() -> Drawing:
    drawing = Drawing(WIDTH, 560, "The memory of a rank and of a node")
    left, right = arena(drawing, 36)
    system(drawing, 164, left, right)
    windows(drawing, 346)
    control(drawing, 472)
    return drawing
