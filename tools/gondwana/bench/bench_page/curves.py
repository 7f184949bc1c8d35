"""The pictures by matplotlib, as SVG: told apart by markers and lines, not only by colours."""

import io

import figures
from matplotlib import pyplot as plt
from matplotlib.container import ErrorbarContainer
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

plt.switch_backend("Agg")  # draws without a display
plt.rcParams["svg.fonttype"] = "path"  # a phone may lack the font
plt.rcParams["font.size"] = 9
SEEN = 50  # a part of the axis that is still seen is 1 / SEEN
WIDTH = 4.6  # inches: about the width of a phone, so that its letters keep their size

# Colours of Okabe and Ito, which differ with any colour vision.
STYLES = {
    "ours": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "control": {"color": "#000000", "marker": "s", "linestyle": "--", "markerfacecolor": "white"},
    "peer": {"color": "#D55E00", "marker": "^", "linestyle": ":"},
}


def labels(result: dict) -> dict[str, str]:
    return {
        "ours": "Gondwana",
        "control": "control: " + result["control"],
        "peer": "peer: " + result["peer"],
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
    """The name and the SVG of each picture."""
    operations = figures.by_operation(result)
    pictures = [(name, _curves(result, rows)) for name, rows in operations.items() if len(rows) > 1]
    points = [rows[0] for rows in operations.values() if len(rows) == 1]
    if points:
        names = ", ".join(row["operation"] for row in points)
        pictures.append((names, _points(result, points)))
    return pictures


def _axis(result: dict) -> str:
    return f"{result['quantity'].lower()} ({result['unit']})"


def _curves(result: dict, rows: list[dict]) -> str:
    figure, axes = plt.subplots(figsize=(WIDTH, 3.5), layout="constrained")
    for side, label in labels(result).items():
        measured = [(row, figures.in_unit(result["unit"], row, side)) for row in rows]
        measured = [(figures.size_of(row), found) for row, found in measured if found]
        if not measured:
            continue
        median = [found[1] for _, found in measured]
        bars = [
            [found[1] - found[0] for _, found in measured],
            [found[2] - found[1] for _, found in measured],
        ]
        axes.errorbar(
            [size for size, _ in measured],
            median,
            bars,
            label=label,
            capsize=2,
            markersize=4,
            linewidth=1.3,
            **STYLES[side],
        )
    sizes = [figures.size_of(row) for row in rows]
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(sizes) / 1.5, max(sizes) * 1.5)
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(LogLocator(base=2, numticks=7))
    axes.xaxis.set_major_formatter(FuncFormatter(short))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(decimal))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(figures.axis_of(rows[0]))
    axes.set_ylabel(_axis(result))
    axes.grid(True, color="#dddddd", linewidth=0.6)
    add_legend(figure, axes)
    return svg(figure)


def _points(result: dict, rows: list[dict]) -> str:
    figure, axes = plt.subplots(figsize=(WIDTH, 1.3 + 0.35 * len(rows)), layout="constrained")
    for shift, (side, label) in zip((0.2, 0, -0.2), labels(result).items(), strict=True):
        places = []
        measured = []
        for place, row in enumerate(rows):
            found = figures.in_unit(result["unit"], row, side)
            if found:
                places.append(len(rows) - place + shift)
                measured.append(found)
        if not measured:
            continue
        median = [found[1] for found in measured]
        bars = [
            [found[1] - found[0] for found in measured],
            [found[2] - found[1] for found in measured],
        ]
        style = {**STYLES[side], "linestyle": "none"}
        axes.errorbar(median, places, xerr=bars, label=label, capsize=2, markersize=5, **style)
    axes.set_yticks(range(len(rows), 0, -1), [row["operation"] for row in rows])
    axes.set_ylim(0.5, len(rows) + 0.5)
    _scale_points(axes, [figures.in_unit(result["unit"], row, "ours")[1] for row in rows])
    axes.set_xlabel(_axis(result))
    axes.grid(True, axis="x", color="#dddddd", linewidth=0.6)
    add_legend(figure, axes)
    return svg(figure)


def _scale_points(axes, medians: list[float]) -> None:
    """From 0, unless the smallest of them could not be seen there."""
    if max(medians) <= SEEN * min(medians):
        axes.set_xlim(left=0)
        return
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(base=10, numticks=7))
    axes.xaxis.set_major_formatter(FuncFormatter(decimal))
    axes.xaxis.set_minor_formatter(NullFormatter())


def add_legend(figure, axes) -> None:
    """Above the axes, a line for each side, from the left edge: names of peers can be long."""
    handles, names = axes.get_legend_handles_labels()
    handles = [handle[0] if isinstance(handle, ErrorbarContainer) else handle for handle in handles]
    height = 0.17 * len(names) / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - height))
    figure.legend(
        handles, names, frameon=False, fontsize=8, loc="upper left", borderpad=0, labelspacing=0.15
    )


def svg(figure) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close(figure)
    text = file.getvalue()
    return text[text.index("<svg") :]
