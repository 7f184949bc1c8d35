"""The ratios of all subjects at a glance: a picture and its table.

Both sides are times, or bytes, divided by ours: what is right of 1 takes more than Gondwana.
"""

import curves
import figures
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

COLUMNS = (("control", figures.control_to_ours), ("peer", figures.peer_to_ours))

Spread = tuple[float, float, float] | None


def rows(results: list[dict]) -> list[tuple[str, str, Spread, Spread]]:
    """Subject, operation, and the spread over sizes of the control and of the peer."""
    found = []
    for result in results:
        for operation, series in figures.by_operation(result).items():
            spreads = [_spread(series, ratio) for _, ratio in COLUMNS]
            found.append((result["subject"], operation, *spreads))
    return found


def _spread(series: list[dict], ratio) -> Spread:
    ratios = [ratio(one) for one in series]
    return figures.spread([one for one in ratios if one is not None])


def picture(results: list[dict]) -> str:
    shown = rows(results)
    height = 1.4 + 0.24 * len(shown) + 0.12 * len(results)
    figure, axes = plt.subplots(figsize=(curves.WIDTH, height), layout="constrained")
    places = _places(shown)
    names = {"control": "control", "peer": "peer: " + figures.peer_of(results)}
    for column, (side, _) in enumerate(COLUMNS, start=2):
        at = [place for place, row in zip(places, shown, strict=True) if row[column]]
        spreads = [row[column] for row in shown if row[column]]
        if not spreads:
            continue
        means = [mean for mean, _, _ in spreads]
        bars = [
            [mean - least for mean, least, _ in spreads],
            [most - mean for mean, _, most in spreads],
        ]
        style = {**curves.STYLES[side], "linestyle": "none"}
        shift = 0.1 if side == "control" else -0.1
        axes.errorbar(
            means, [place + shift for place in at], xerr=bars, label=names[side], capsize=3, **style
        )
    axes.axvline(1, color=curves.STYLES["ours"]["color"], linewidth=1.5, label="Gondwana = 1")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(curves.decimal))
    axes.xaxis.set_minor_formatter(NullFormatter())
    least, most = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5) if most < 50 * least else (1,)))
    axes.set_yticks(places, [f"{subject}: {operation}" for subject, operation, *_ in shown])
    axes.set_ylim(min(places) - 0.6, max(places) + 0.6)
    axes.set_xlabel("time or memory divided by Gondwana's")
    axes.grid(True, axis="x", color="#dddddd", linewidth=0.6)
    curves.add_legend(figure, axes)
    return curves.svg(figure)


def _places(shown: list[tuple]) -> list[float]:
    """From top to bottom, with a gap before each subject."""
    places = []
    place = 0.0
    for row, before in zip(shown, [shown[0], *shown], strict=False):
        place -= 1.0 if row[0] == before[0] else 1.5
        places.append(place)
    return places
