"""Draws pictures as SVG, without modules outside Python's standard library. Every browser shows
SVG. Shapes distinguish things, not only colours.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

LETTER = 0.56  # approximate width of a letter, relative to its height
SMALL = 11
GRID = "#dddddd"
MARK = 3.5  # half the width of a mark

Point = tuple[
    float, float, float, float
]  # position, lower end, middle, upper end


def width_of(text: str, height: float = SMALL) -> float:
    return len(text) * height * LETTER


class Picture:
    """A drawing; coordinates begin at the upper left corner."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []

    def line(self, points: Iterable[tuple[float, float]], colour: str, **style: str) -> None:
        at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._add("polyline", points=at, fill="none", stroke=colour, **style)

    def box(self, x: float, y: float, width: float, height: float, fill: str, **style: str) -> None:
        place = {"x": x, "y": y, "width": width, "height": height}
        self._add("rect", fill=fill, **{name: f"{at:.1f}" for name, at in place.items()}, **style)

    def mark(self, kind: str, x: float, y: float, colour: str) -> None:
        r = MARK
        if kind == "circle":
            self._add("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=str(r), fill=colour)
        elif kind == "square":
            self.box(x - r, y - r, 2 * r, 2 * r, "white", stroke=colour)
        else:
            at = f"{x - r:.1f},{y + r:.1f} {x + r:.1f},{y + r:.1f} {x:.1f},{y - r:.1f}"
            self._add("polygon", points=at, fill=colour)

    def text(self, x: float, y: float, words: str, anchor: str = "start", height: float = SMALL,
             colour: str = "black", upright: bool = False) -> None:  # fmt: skip
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if upright else ""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{height}" '
            f'fill="{colour}"{turn}>{escape(words)}</text>'
        )

    def add(self, part: str) -> None:
        self._parts.append(part)

    def svg(self) -> str:
        size = f"{self.width:.0f} {self.height:.0f}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
            f'width="{self.width:.0f}" height="{self.height:.0f}" font-family="sans-serif">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(self._parts)
            + "\n</svg>\n"
        )

    def _add(self, name: str, **attributes: str) -> None:
        words = " ".join(
            f'{key.replace("_", "-")}="{escape(value)}"' for key, value in attributes.items()
        )
        self._parts.append(f"<{name} {words}/>")


@dataclass(frozen=True)
class Scale:
    """A scale of values, from `begin` to `end` in the picture."""

    least: float
    most: float
    begin: float
    end: float
    base: int = 0  # base of the logarithm; 0: linear

    def __call__(self, value: float) -> float:
        return self.begin + (self.end - self.begin) * self.part(value)

    def part(self, value: float) -> float:
        if not self.base:
            return (value - self.least) / (self.most - self.least)
        return math.log(value / self.least) / math.log(self.most / self.least)

    def ticks(self, at_most: int = 7) -> list[float]:
        return self._powers(at_most) if self.base else self._steps(at_most)

    def _steps(self, at_most: int) -> list[float]:
        rough = (self.most - self.least) / at_most
        power = 10 ** math.floor(math.log10(rough))
        step = next(power * by for by in (1, 2, 5, 10) if power * by >= rough)
        first, last = math.ceil(self.least / step - 1e-9), math.floor(self.most / step + 1e-9)
        return [number * step for number in range(first, last + 1)]

    def _powers(self, at_most: int) -> list[float]:
        first = math.ceil(math.log(self.least, self.base) - 1e-9)
        last = math.floor(math.log(self.most, self.base) + 1e-9)
        count = last - first + 1
        if count >= 3 or self.base == 2:
            return [
                float(self.base) ** power
                for power in range(first, last + 1, -(-count // at_most) or 1)
            ]
        for factors in ((1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
            ticks = [by * 10.0**power for power in range(first - 1, last + 1) for by in factors]
            inside = [tick for tick in ticks if self.least <= tick <= self.most]
            if len(inside) <= at_most:
                break
        return inside or [self.least, self.most]


def log_scale(values: Sequence[float], begin: float, end: float, base: int = 10) -> Scale:
    """A logarithmic scale for positive values, with a margin."""
    margin = max(1.15, (max(values) / min(values)) ** 0.06)
    return Scale(min(values) / margin, max(values) * margin, begin, end, base)


@dataclass
class Side:
    """One side of a comparison."""

    label: str
    colour: str
    mark: str
    dashes: str = ""  # the mark of its curve
    points: list[Point] = field(default_factory=list)


def legend(picture: Picture, sides: Sequence[Side], with_line: bool) -> float:
    """Draws a line of text for each side, because names can be long. Returns the top of the
    axes.
    """
    for place, side in enumerate(sides):
        y = 12 + 15 * place
        if with_line:
            picture.line(
                [(4, y - 4), (30, y - 4)], side.colour, stroke_dasharray=side.dashes or "none"
            )
        picture.mark(side.mark, 17, y - 4, side.colour)
        picture.text(36, y, side.label)
    return 12 + 15 * len(sides)


def curves(sides: Sequence[Side], width: float, height: float, labels: tuple[str, str],
           formats: tuple, at: Sequence[float]) -> str:  # fmt: skip
    """Curves on two logarithmic axes, over powers of 2. `labels` and `formats`: across and up."""
    picture = Picture(width, height)
    top = legend(picture, sides, with_line=True)
    bottom = height - 36
    values = [value for side in sides for point in side.points for value in point[1:]]
    up = log_scale(values, bottom, top)
    marks = up.ticks()
    left = 22 + max(width_of(formats[1](tick)) for tick in marks)
    across = Scale(min(at) / 1.5, max(at) * 1.5, left, width - 8, 2)
    for tick in marks:
        picture.line([(left, up(tick)), (width - 8, up(tick))], GRID)
        picture.text(left - 4, up(tick) + 4, formats[1](tick), "end")
    for tick in across.ticks():
        picture.line([(across(tick), top), (across(tick), bottom)], GRID)
        picture.text(across(tick), bottom + 14, formats[0](tick), "middle")
    picture.box(left, top, width - 8 - left, bottom - top, "none", stroke="#666666")
    picture.text((left + width) / 2, height - 6, labels[0], "middle")
    picture.text(12, (top + bottom) / 2, labels[1], "middle", upright=True)
    for side in sides:
        middles = [(across(x), up(middle)) for x, _, middle, _ in side.points]
        picture.line(
            middles, side.colour, stroke_dasharray=side.dashes or "none", stroke_width="1.5"
        )
        for x, low, middle, high in side.points:
            picture.line([(across(x), up(low)), (across(x), up(high))], side.colour)
            picture.mark(side.mark, across(x), up(middle), side.colour)
    return picture.svg()


def points(sides: Sequence[Side], width: float, places: Sequence[float], names: Sequence[str],
           label: str, scale: tuple, one: float | None = None) -> str:  # fmt: skip
    """Draws values from left to right, with a name for each row. `places`: the rows' distances from
    the top, in rows. A point is (row, ...). `scale`: a function that makes the scale of begin and
    end, and the format of a value. `one`: draws a line at this value.
    """
    row = 22
    shown = [name if len(name) <= 34 else name[:33] + "\N{HORIZONTAL ELLIPSIS}" for name in names]
    top = 12 + 15 * len(sides) + 4
    bottom = top + row * (max(places) + 1)
    picture = Picture(width, bottom + 38)
    legend(picture, sides, with_line=False)
    left = 10 + min(max(map(width_of, shown)), width * 0.5)
    make, write = scale
    across = make(left, width - 12)
    for tick in across.ticks(max(2, int((width - left) / 55))):
        picture.line([(across(tick), top), (across(tick), bottom)], GRID)
        picture.text(across(tick), bottom + 14, write(tick), "middle")
    if one is not None:
        picture.line([(across(one), top), (across(one), bottom)], "#0072B2", stroke_width="1.5")
    picture.box(left, top, width - 12 - left, bottom - top, "none", stroke="#666666")
    for place, name in zip(places, shown, strict=True):
        fits = min(SMALL, SMALL * (left - 8) / width_of(name or " "))
        picture.text(left - 5, top + row * (place + 0.5) + 4, name, "end", round(fits, 1))
    for number, side in enumerate(sides):
        shift = 5 * (number - (len(sides) - 1) / 2)
        for at, low, middle, high in side.points:
            y = top + row * (at + 0.5) + shift
            picture.line([(across(low), y), (across(high), y)], side.colour)
            picture.mark(side.mark, across(middle), y, side.colour)
    picture.text(width / 2, bottom + 32, label, "middle")
    return picture.svg()
