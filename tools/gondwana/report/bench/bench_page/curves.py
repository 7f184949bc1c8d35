"""The pictures of a subject. Curves differ in markers and dashes, not only in colours."""

import chart
import figures

SEEN = 50  # 1 / SEEN is the smallest visible part of the axis
WIDTH = 440  # about the width of a phone, so that text has its normal size there

# Colours of Okabe and Ito, which differ with any colour vision: colour, mark, dashes.
STYLES = {
    "ours": ("#0072B2", "circle", ""),
    "control": ("#000000", "square", "6 3"),
}
PEER_STYLES = (
    ("#D55E00", "triangle", "2 3"),
    ("#009E73", "circle", "4 2 1 2"),
    ("#CC79A7", "square", "1 2"),
    ("#E69F00", "triangle", "8 2"),
)


def style(side: str, peers: dict[str, str]) -> tuple[str, str, str]:
    if side in STYLES:
        return STYLES[side]
    return PEER_STYLES[list(peers).index(side) % len(PEER_STYLES)]


def labels(result: dict) -> dict[str, str]:
    return {
        "ours": "Gondwana",
        "control": "control: " + result["control"],
        **{peer["key"]: "peer: " + peer["name"] for peer in result["peers"]},
    }


def short(number: float, _=None) -> str:
    """2048 -> 2K"""
    for unit, factor in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if number >= factor:
            return f"{number / factor:.4g}{unit}"
    return f"{number:.4g}"


def decimal(number: float, _=None) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.4g}"


def of_subject(result: dict) -> list[tuple[str, str]]:
    """The name and the SVG of each picture of a subject."""
    operations = figures.by_operation(result)
    pictures = [(name, _curves(result, rows)) for name, rows in operations.items() if len(rows) > 1]
    points = [rows[0] for rows in operations.values() if len(rows) == 1]
    if points:
        names = ", ".join(row["operation"] for row in points)
        pictures.append((names, _points(result, points)))
    return pictures


def _axis(result: dict) -> str:
    return f"{result['quantity'].lower()} ({result['unit']})"


def _sides(result: dict, rows: list[dict], at: list[float]) -> list[chart.Side]:
    """The measured sides, each with its style."""
    sides = []
    for name, label in labels(result).items():
        side = chart.Side(label, *style(name, figures.peers_of([result])))
        for place, row in zip(at, rows, strict=True):
            if found := figures.in_unit(result["unit"], row, name):
                side.points.append((place, *found))
        if side.points:
            sides.append(side)
    return sides


def _curves(result: dict, rows: list[dict]) -> str:
    sizes = [figures.size_of(row) for row in rows]
    axes = (figures.axis_of(rows[0]), _axis(result))
    sides = _sides(result, rows, sizes)
    return chart.curves(sides, WIDTH, 340, axes, (short, decimal), sizes)


def _points(result: dict, rows: list[dict]) -> str:
    places = list(range(len(rows)))
    sides = _sides(result, rows, places)
    values = [value for side in sides for point in side.points for value in point[1:]]
    names = [row["operation"] for row in rows]

    def scale(begin: float, end: float) -> chart.Scale:
        """A scale from 0, or a logarithmic one if our smallest median would be invisible."""
        medians = [figures.in_unit(result["unit"], row, "ours")[1] for row in rows]
        if max(medians) > SEEN * min(medians) and min(values) > 0:
            return chart.log_scale(values, begin, end)
        return chart.Scale(0, 1.05 * max(values) or 1, begin, end)

    return chart.points(sides, WIDTH, places, names, _axis(result), (scale, decimal))
