"""The curves of a subject by matplotlib, as SVG: told apart by markers and lines, not only colours."""

import io
import statistics

from matplotlib import pyplot as plt

plt.switch_backend("Agg")  # draws without a display
plt.rcParams["svg.fonttype"] = "path"  # a phone may lack the font

# Colours of Okabe and Ito, which differ with any colour vision.
SIDES = (
    ("ours_ns", "Gondwana", "#0072B2", "o", "-"),
    ("control_ns", "control", "#000000", "s", "--"),
    ("peer_ns", "peer", "#D55E00", "^", ":"),
)


def quartiles(values: list[float]) -> tuple[float, float, float]:
    if len(values) < 2:
        return values[0], values[0], values[0]
    lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, median, upper


def of_subject(result: dict) -> list[tuple[str, str]]:
    """The name and the SVG of each picture."""
    operations: dict[str, list[dict]] = {}
    for series in result["series"]:
        operations.setdefault(series["operation"], []).append(series)
    curves = [(name, rows) for name, rows in operations.items() if len(rows) > 1]
    points = [rows[0] for rows in operations.values() if len(rows) == 1]
    pictures = [(name, _curves(rows)) for name, rows in curves]
    if points:
        pictures.append(("operations without sizes", _points(points)))
    return pictures


def _draw(axes, places: list[int], rows: list[dict], lines: bool) -> None:
    for key, label, colour, marker, line in SIDES:
        shown = [(at, quartiles(row[key])) for at, row in zip(places, rows, strict=True) if row[key]]
        if not shown:
            continue
        at = [place for place, _ in shown]
        median = [figures[1] / 1e3 for _, figures in shown]
        spread = [
            [(figures[1] - figures[0]) / 1e3 for _, figures in shown],
            [(figures[2] - figures[1]) / 1e3 for _, figures in shown],
        ]
        style = line if lines else "none"
        axes.errorbar(
            at, median, spread, label=label, color=colour, marker=marker, linestyle=style, capsize=3
        )
    axes.set_yscale("log")
    axes.set_ylabel("time of one operation (us)")
    axes.legend(frameon=False)


def _curves(rows: list[dict]) -> str:
    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    _draw(axes, [row["bytes"] for row in rows], rows, lines=True)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("bytes")
    return _svg(figure)


def _points(rows: list[dict]) -> str:
    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    _draw(axes, list(range(len(rows))), rows, lines=False)
    axes.set_xticks(range(len(rows)), [row["operation"] for row in rows])
    return _svg(figure)


def _svg(figure) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close(figure)
    text = file.getvalue()
    return text[text.index("<svg") :]
