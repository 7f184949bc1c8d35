"""The pictures: the communication matrix, and the time of each rank."""

from dataclasses import dataclass

import imbalance
from chart import Picture, Scale, width_of
from data import Profile

MAX_ROWS = 64  # height of the picture; its rows must be high enough to be visible
MAX_WITH_FIGURES = 8
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
# Colours from few bytes to many. They are readable with any colour vision, and in grey.
COLOURS = ((254, 232, 56), (188, 175, 111), (124, 123, 120), (65, 77, 107), (0, 34, 78))


@dataclass(frozen=True)
class Folded:
    """The matrix, with consecutive ranks or the ranks of a node combined into one row."""

    sizes: list[list[int]]
    labels: list[str]
    what: str  # the label of the axes


def _blocks(profile: Profile) -> tuple[list[list[int]], str]:
    ranks = len(profile.ranks)
    if ranks <= MAX_ROWS:
        return [[rank] for rank in range(ranks)], "rank"
    nodes = profile.nodes
    if 1 < len(nodes) <= MAX_ROWS:
        return nodes, "node, all its ranks added up"
    size = -(-ranks // MAX_ROWS)
    blocks = [list(range(at, min(at + size, ranks))) for at in range(0, ranks, size)]
    return blocks, f"block of {size} ranks, added up"


def fold(profile: Profile) -> Folded:
    blocks, what = _blocks(profile)
    block_of = {rank: number for number, block in enumerate(blocks) for rank in block}
    sizes = [[0] * len(blocks) for _ in blocks]
    for rank, counted in enumerate(profile.ranks):
        for peer, moved in counted.bytes_to().items():
            sizes[block_of[rank]][block_of[peer]] += moved
    labels = [str(block[0]) if len(block) == 1 else f"{block[0]}-{block[-1]}" for block in blocks]
    return Folded(sizes, labels, what)


def size(value: float) -> str:
    for unit in UNITS:
        if value < 1000 or unit == UNITS[-1]:
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"


def _colour(part: float) -> str:
    at = min(max(part, 0.0), 1.0) * (len(COLOURS) - 1)
    first = min(int(at), len(COLOURS) - 2)
    mixed = (
        round(a + (b - a) * (at - first))
        for a, b in zip(COLOURS[first], COLOURS[first + 1], strict=True)
    )
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def matrix(profile: Profile) -> str | None:
    """The communication matrix as SVG; None if no byte was moved."""
    folded = fold(profile)
    moved = [value for row in folded.sizes for value in row if value > 0]
    if not moved:
        return None
    count = len(folded.labels)
    cell = max(6.0, min(48.0, 400 / count))
    side = cell * count
    left, top = 34 + max(map(width_of, folded.labels)), 34.0
    picture = Picture(left + side + 100, top + side + 34 + max(map(width_of, folded.labels)))
    least, most = min(moved), max(moved)
    scale = Scale(least if least < most else most / 10, most, top + side, top, 10)
    picture.text(left, 18, "Bytes put, got, updated and sent", height=13)
    for row, values in enumerate(folded.sizes):
        for column, value in enumerate(values):
            x, y = left + column * cell, top + row * cell
            if value > 0:
                picture.box(x, y, cell, cell, _colour(scale.part(value)))
            if value > 0 and count <= MAX_WITH_FIGURES:
                ink = "white" if scale.part(value) > 0.4 else "black"
                picture.text(x + cell / 2, y + cell / 2 + 3, size(value), "middle", 9, ink)
    picture.box(left, top, side, side, "none", stroke="black")
    _name_axes(picture, folded, profile, (left, top, cell))
    _colour_bar(picture, scale, left + side + 16)
    return picture.svg()


def _name_axes(
    picture: Picture, folded: Folded, profile: Profile, place: tuple[float, float, float]
) -> None:
    left, top, cell = place
    side = cell * len(folded.labels)
    step = -(-len(folded.labels) // 16)
    upright = len(folded.labels[-1]) > 3
    for number in range(0, len(folded.labels), step):
        at = (number + 0.5) * cell
        label = folded.labels[number]
        picture.text(left - 5, top + at + 4, label, "end")
        end = "end" if upright else "middle"
        below = top + side + (6 if upright else 14)
        picture.text(left + at + (4 if upright else 0), below, label, end, upright=upright)
    picture.text(left + side / 2, picture.height - 6, f"peer {folded.what}", "middle")
    picture.text(14, top + side / 2, f"calling {folded.what}", "middle", upright=True)
    if folded.what != "rank":
        return
    for first in [ranks[0] for ranks in profile.nodes][1:]:  # lines between nodes
        at = first * cell
        picture.line([(left, top + at), (left + side, top + at)], "black")
        picture.line([(left + at, top), (left + at, top + side)], "black")


def _colour_bar(picture: Picture, scale: Scale, x: float) -> None:
    steps = 40
    height = (scale.begin - scale.end) / steps
    for step in range(steps):
        y = scale.begin - (step + 1) * height
        picture.box(x, y, 12, height + 0.5, _colour((step + 0.5) / steps))
    for tick in range(5):
        value = scale.least * (scale.most / scale.least) ** (tick / 4)
        picture.text(x + 17, scale(value) + 4, size(value))
    picture.text(x, scale.begin + 24, "white: none")


def balance(profile: Profile) -> str:
    """The time of each rank by activity: start, waits, other calls, program."""
    starts = imbalance.starting(profile).seconds
    waits = imbalance.waiting(profile).seconds
    inside = imbalance.inside(profile).seconds
    others = [
        max(0.0, all_ - wait - start)
        for all_, wait, start in zip(inside, waits, starts, strict=True)
    ]
    outside = imbalance.outside(profile)
    parts = [("in the program", outside.seconds, "white")] if outside else []
    parts += [("in calls that start or end the library", starts, "#dddddd")]
    parts += [
        ("in other calls", others, "url(#lines)"),
        ("in calls that wait for others", waits, "#595959"),
    ]
    picture = Picture(460, 340)
    picture.add(
        '<defs><pattern id="lines" width="5" height="5" patternUnits="userSpaceOnUse">'
        '<rect width="5" height="5" fill="#bfbfbf"/><path d="M0 5L5 0" stroke="black"/>'
        "</pattern></defs>"
    )
    for number, (label, _, fill) in enumerate(parts):
        x, y = 10, 4 + 16 * number
        picture.box(x, y, 22, 11, fill, stroke="black")
        picture.text(x + 28, y + 10, label)
    top, bottom = 14.0 + 16 * len(parts), 302.0
    sums = [sum(seconds) for seconds in zip(*(part[1] for part in parts), strict=True)]
    up = Scale(0, max(sums) or 1, bottom, top)
    ticks = up.ticks(6)
    names = [f"{tick:.4g}" for tick in ticks]
    left = 24 + max(map(width_of, names))
    for tick, name in zip(ticks, names, strict=True):
        picture.line([(left, up(tick)), (454, up(tick))], "#dddddd")
        picture.text(left - 4, up(tick) + 4, name, "end")
    pitch = (454 - left) / len(sums)
    edge = {"stroke": "black", "stroke_width": "0.6"} if len(sums) <= MAX_ROWS else {}
    for rank in range(len(sums)):
        base = 0.0
        for _, seconds, fill in parts:
            height = up(base) - up(base + seconds[rank])
            x, y = left + (rank + 0.1) * pitch, up(base + seconds[rank])
            picture.box(x, y, 0.8 * pitch, height, fill, **edge)
            base += seconds[rank]
    step = -(-len(sums) // 16)
    for rank in range(0, len(sums), step):
        picture.text(left + (rank + 0.5) * pitch, bottom + 14, str(rank), "middle")
    picture.line([(left, bottom), (454, bottom)], "black")
    picture.text((left + 454) / 2, 334, "rank", "middle")
    picture.text(12, (top + bottom) / 2, "seconds", "middle", upright=True)
    return picture.svg()
