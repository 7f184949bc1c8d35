"""A picture of the table: the score of each row as a fraction of its aim."""

from pathlib import Path

from driver.report import OURS, show_score
from driver.sheet import NO_PICTURE, plotter
from driver.verdict import RowResult


def draw(path: Path, results: list[RowResult], peers: list[str]) -> str:
    """Writes the picture; returns a line with its path, or the reason why it is missing."""
    if (pyplot := plotter()) is None:
        return NO_PICTURE
    shown = [v for v in results if v.lines and v.row.aim.limit is not None]
    if not shown:
        return "no picture: nothing was measured"
    figure, axes = pyplot.subplots(figsize=(9, 1.5 + 0.3 * len(shown)), layout="constrained")
    for name, marker in zip((OURS, *peers), "osD^", strict=False):
        points = [(max(v.lines[name].score / v.row.aim.limit, 0.01), y)
                  for y, v in enumerate(shown) if name in v.lines]
        if points:
            axes.plot(*zip(*points, strict=True), marker, label=name)
    for y, result in enumerate(shown):
        if OURS in result.lines:
            line = result.lines[OURS]
            axes.annotate(show_score(result.row.aim.kind, line.score, line.unit),
                          (max(line.score / result.row.aim.limit, 0.01), y), fontsize=7,
                          textcoords="offset points", xytext=(6, 3))
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("of the aim (left of the line: met)")
    axes.set_yticks(range(len(shown)), [f"{v.row.title}  ({v.row.aim.text})" for v in shown],
                    fontsize=8)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return f"picture: {path}"
