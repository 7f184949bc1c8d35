"""The processes of a job, and the connections between them."""

from svg import Drawing

WIDTH = 900


def one_node(drawing: Drawing, top: int) -> None:
    drawing.panel(20, top, WIDTH - 40, 230, "One node:  gondwana run -n 4 ./program")
    row = top + 42
    drawing.box(40, row, 150, 52, "start", "launcher", "gondwana run")
    drawing.box(240, row, 150, 52, "start", "sweeper", "ends what is left")
    drawing.box(440, row, 420, 52, "start", "guardian", "makes the memory, starts the ranks")
    drawing.line("starts", (190, row + 20), (240, row + 20))
    drawing.line("starts", (390, row + 20), (440, row + 20))
    bend = row + 68
    up = ((415, bend), (415, row + 38), (440, row + 38))
    drawing.line("pipe", (115, row + 52), (115, bend), *up)
    drawing.text(265, bend + 17, "signals, and the end of the launcher", 12, style="faint")
    ranks = row + 80
    for rank in range(4):
        x = 440 + rank * 108
        drawing.box(x, ranks, 96, 34, "rank", f"rank {rank}")
        drawing.line("starts", (x + 34, row + 52), (x + 34, ranks))
        drawing.line("pipe", (x + 62, ranks), (x + 62, row + 52), both=True)
        drawing.line("load", (x + 48, ranks + 34), (x + 48, ranks + 60), both=True)
    drawing.box(440, ranks + 60, 420, 34, "memory", "control memory, and an arena for each rank")
    drawing.text(425, ranks + 82, "memfds without names, mapped by all ranks", 12, "end", "faint")


def node(drawing: Drawing, x: int, top: int, title: str, ranks: tuple[int, int], mirror: bool):
    """A host with its processes; the agent is on the side of the other host."""
    width = 350
    drawing.panel(x, top, width, 264, title)
    row = top + 36

    def at(offset: float, size: float) -> float:
        return x + width - offset - size if mirror else x + offset

    drawing.box(x + 14, row, 136, 34, "start", "remote launcher")
    drawing.box(x + 170, row, 72, 34, "start", "sweeper")
    drawing.box(x + 262, row, 74, 34, "start", "guardian")
    drawing.line("starts", (x + 150, row + 17), (x + 170, row + 17))
    drawing.line("starts", (x + 242, row + 17), (x + 262, row + 17))
    line = row + 116
    middle = x + 299
    spread = row + 50
    for number, rank in enumerate(ranks):
        left = at(14 + number * 106, 92)
        drawing.box(left, line, 92, 36, "rank", f"rank {rank}")
        fork = ((middle, row + 34), (middle, spread), (left + 46, spread))
        drawing.line("starts", *fork, (left + 46, line))
        drawing.line("load", (left + 46, line + 36), (left + 46, line + 62), both=True)
    agent = at(240, 96)
    drawing.box(agent, line, 96, 36, "agent", "node agent")
    drawing.line("starts", (middle, spread), (agent + 48, spread), (agent + 48, line))
    drawing.line("load", (agent + 48, line + 36), (agent + 48, line + 62), both=True)
    drawing.box(x + 14, line + 62, width - 28, 34, "memory", "control memory and arenas")
    return line


def two_nodes(drawing: Drawing, top: int) -> None:
    drawing.panel(20, top, WIDTH - 40, 424, "Two nodes:  gondwana run --hosts a:2,b:2 ./program")
    row = top + 40
    drawing.box(250, row, 150, 44, "start", "launcher", "gondwana run")
    drawing.box(517, row, 150, 44, "start", "conductor")
    drawing.line("starts", (400, row + 22), (517, row + 22))
    nodes = row + 90
    line = node(drawing, 40, nodes, "Host a", (0, 1), mirror=False)
    node(drawing, 510, nodes, "Host b", (3, 2), mirror=True)
    bend = row + 68
    drawing.line("starts", (560, row + 44), (560, bend), (122, bend), (122, nodes + 36))
    drawing.line("starts", (592, row + 44), (592, nodes + 36))
    words = "by ssh, over whose input and output the launchers talk"
    drawing.text(132, bend - 6, words, 12, "start", "faint")
    drawing.line("net", (376, line + 18), (524, line + 18), both=True)
    drawing.text(450, line + 12, "signs of life", 12, style="faint")
    drawing.path("net", f"M226 {line} C240 {line - 50} 545 {line - 50} 550 {line}")
    drawing.text(450, line - 43, "put, get, atomic", 12, style="faint")
    drawing.path(
        "net", f"M188 {line} C198 {line - 98} 702 {line - 98} 712 {line}", both=True
    )
    drawing.text(450, line - 79, "active messages", 12, style="faint")


def draw() -> Drawing:
    drawing = Drawing(WIDTH, 742, "The processes of a job on one node and on two")
    one_node(drawing, 20)
    two_nodes(drawing, 266)
    drawing.legend(
        40,
        720,
        [
            ("starts", "starts", 110),
            ("pipe", "pipe or socket pair", 190),
            ("load", "loads and stores", 170),
            ("net", "network (libfabric)", 160),
        ],
    )
    return drawing
