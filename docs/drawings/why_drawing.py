"""A terminal: a job that hangs, and the output of `gondwana why` for it."""

from svg import Drawing

COLUMN, ROW = 8.45, 20  # width of a character of 14 pixels
MARGIN = 24
TOP = 58

# As the commands print it on 80 columns, for the case missing_barrier of examples/mistakes.c. "$"
# begins a typed line, "!" the line that names the cause.
SHOWN = [
    "$ gondwana ps",
    "  JOB        RANKS  NODES      TIME STATE      PROGRAM",
    "  ca97fffe       4      1  00:00:04 3 wait     ./mistakes missing_barrier",
    "$ gondwana why",
    "! rank 3 keeps the others waiting: it computes in the program, without a call of",
    "! the library in the 1.0 s that it was watched; ranks 0-2 wait in",
    "! shmem_barrier_all for 4.0 s",
    "!   rank 3 (process 14): missing_barrier at mistakes.c:125",
    "!     every sample found it in a short loop there; if the loop waits for a write",
    "!         of another rank, use a call such as shmem_int_wait_until",
    "  job ca97fffe, 4 ranks of ./mistakes missing_barrier",
    "    RANKS      SINCE  PROCESSOR  EACH",
    "    3                      43 %  is in the program",
    "    0-2        4.0 s        0 %  waits in shmem_barrier_all",
]
STYLES = {"$": "typed", "!": "culprit", " ": ""}


def draw() -> Drawing:
    width = round(2 * MARGIN + 80 * COLUMN)
    height = TOP + ROW * len(SHOWN) + 8
    drawing = Drawing(
        width, height, "gondwana why names the rank that keeps the others waiting, and its line"
    )
    drawing.box(8, 8, width - 16, height - 16, "panel", radius=10)
    for number in range(3):
        drawing.box(24 + 20 * number, 20, 11, 11, "guard", radius=5.5)
    for number, line in enumerate(SHOWN):
        text = line if line.startswith("$") else line[2:]
        style = f"mono {STYLES[line[0]]}".strip()
        # Non-breaking spaces keep their number.
        drawing.text(
            MARGIN,
            TOP + ROW * number,
            text.replace(" ", "\u00a0"),
            14,
            "start",
            style,
            bold=line.startswith("$"),
        )
    return drawing
