"""The pictures, by matplotlib: the communication matrix, and the time of each rank."""

import io
from dataclasses import dataclass

import imbalance
import numpy as np
from data import Profile
from matplotlib import colors
from matplotlib import pyplot as plt

plt.switch_backend("Agg")  # draws without a display

MOST_ROWS = 64  # of the picture: a row must be wide enough to be seen
MOST_WITH_FIGURES = 8
UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


@dataclass(frozen=True)
class Folded:
    """The matrix in blocks of ranks that follow each other, or of nodes."""

    sizes: np.ndarray
    labels: list[str]
    what: str  # the axes' name


def _blocks(profile: Profile) -> tuple[list[list[int]], str]:
    ranks = len(profile.ranks)
    if ranks <= MOST_ROWS:
        return [[rank] for rank in range(ranks)], "rank"
    nodes = profile.nodes
    if 1 < len(nodes) <= MOST_ROWS:
        return nodes, "node, all its ranks added up"
    size = -(-ranks // MOST_ROWS)
    blocks = [list(range(at, min(at + size, ranks))) for at in range(0, ranks, size)]
    return blocks, f"block of {size} ranks, added up"


def fold(profile: Profile) -> Folded:
    blocks, what = _blocks(profile)
    block_of = {rank: number for number, block in enumerate(blocks) for rank in block}
    sizes = np.zeros((len(blocks), len(blocks)))
    for rank, counted in enumerate(profile.ranks):
        for peer, size in counted.bytes_to().items():
            sizes[block_of[rank], block_of[peer]] += size
    labels = [str(block[0]) if len(block) == 1 else f"{block[0]}-{block[-1]}" for block in blocks]
    return Folded(sizes, labels, what)


def size(value: float) -> str:
    for unit in UNITS:
        if value < 1000 or unit == UNITS[-1]:
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"


def matrix(profile: Profile) -> bytes | None:
    """As a PNG file; None where no byte was moved."""
    folded = fold(profile)
    if not folded.sizes.any():
        return None
    figure, axes = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
    shown = np.ma.masked_equal(folded.sizes, 0)
    least, most = float(shown.min()), float(shown.max())
    # The scale is logarithmic; cividis is read alike with any colour vision, and in grey.
    scale = colors.LogNorm(vmin=least if least < most else most / 10, vmax=most)
    image = axes.imshow(shown, cmap="cividis_r", norm=scale, interpolation="nearest")
    bar = figure.colorbar(image)
    ticks = np.geomspace(scale.vmin, scale.vmax, 5)
    bar.set_ticks(ticks, labels=[size(tick) for tick in ticks])
    bar.minorticks_off()
    bar.set_label("bytes moved (white: none)")
    _name_axes(axes, folded, profile)
    if len(folded.labels) <= MOST_WITH_FIGURES:
        _write_figures(axes, folded, scale)
    return _png(figure)


def _name_axes(axes, folded: Folded, profile: Profile) -> None:
    step = -(-len(folded.labels) // 16)
    places = range(0, len(folded.labels), step)
    labels = [folded.labels[place] for place in places]
    axes.set_xticks(places, labels, rotation=90 if len(labels[-1]) > 3 else 0)
    axes.set_yticks(places, labels)
    axes.set_ylabel(f"calling {folded.what}")
    axes.set_xlabel(f"peer {folded.what}")
    axes.set_title("Bytes put, got, updated and sent")
    if folded.what != "rank":
        return
    for first in [ranks[0] for ranks in profile.nodes][1:]:  # lines between nodes
        axes.axhline(first - 0.5, color="black", linewidth=1)
        axes.axvline(first - 0.5, color="black", linewidth=1)


def _write_figures(axes, folded: Folded, scale) -> None:
    for (row, column), value in np.ndenumerate(folded.sizes):
        if value > 0:
            ink = "white" if scale(value) > 0.5 else "black"
            axes.text(column, row, size(value), ha="center", va="center", color=ink, fontsize=8)


def balance(profile: Profile) -> bytes:
    """The time of each rank: starting, waiting, in other calls, in the program."""
    starts = np.array(imbalance.starting(profile).seconds)
    waits = np.array(imbalance.waiting(profile).seconds)
    others = np.array(imbalance.inside(profile).seconds) - waits - starts
    outside = imbalance.outside(profile)
    parts = [("in the program", np.array(outside.seconds), "white", "")] if outside else []
    parts += [("in calls that start or end the library", starts, "0.9", "...")]
    parts += [("in other calls", others, "0.75", "////")]
    parts += [("in calls that wait for others", waits, "0.35", "")]
    figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
    bottom = np.zeros(len(profile.ranks))
    for label, seconds, colour, hatch in parts:
        axes.bar(
            range(len(bottom)),
            seconds,
            bottom=bottom,
            label=label,
            color=colour,
            edgecolor="black",
            hatch=hatch,
            linewidth=0.6 if len(bottom) <= 64 else 0,
        )
        bottom += seconds
    axes.set_xlabel("rank")
    axes.set_ylabel("seconds")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False, fontsize=8)
    return _png(figure)


def _png(figure) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, dpi=120, format="png", metadata={"Software": None})
    plt.close(figure)
    return file.getvalue()
