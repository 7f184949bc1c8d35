"""The overview of the ratios of all subjects: a picture and its table.

All sides are times, or bytes, divided by ours: a value above 1 is more than Gondwana takes.
"""

from functools import partial

import chart
import curves
import figures

Spread = tuple[float, float, float] | None


def rows(results: list[dict]) -> list[tuple]:
    """Subject, operation, and the spread over sizes of the control and of each peer."""
    ratios = [figures.control_to_ours]
    for key in figures.peers_of(results):
        ratios.append(partial(figures.peer_to_ours, key=key))
    found = []
    for result in results:
        for operation, series in figures.by_operation(result).items():
            spreads = [_spread(series, ratio) for ratio in ratios]
            found.append((result["subject"], operation, *spreads))
    return found


def _spread(series: list[dict], ratio) -> Spread:
    ratios = [ratio(one) for one in series]
    return figures.spread([one for one in ratios if one is not None])


def picture(results: list[dict]) -> str:
    shown = rows(results)
    places = _places(shown)
    peers = figures.peers_of(results)
    names = {"control": "control", **{key: "peer: " + name for key, name in peers.items()}}
    sides = []
    for column, (name, label) in enumerate(names.items(), start=2):
        side = chart.Side(label, *curves.style(name, peers))
        for place, row in zip(places, shown, strict=True):
            if row[column]:
                mean, least, most = row[column]
                side.points.append((place, least, mean, most))
        if side.points:
            sides.append(side)
    values = [1.0] + [value for side in sides for point in side.points for value in point[1:]]

    def scale(begin: float, end: float) -> chart.Scale:
        return chart.log_scale(values, begin, end)

    operations = [f"{subject}: {operation}" for subject, operation, *_ in shown]
    label = "time or memory divided by Gondwana's, which are the line"
    return chart.points(
        sides, curves.WIDTH, places, operations, label, (scale, curves.decimal), one=1
    )


def _places(shown: list[tuple]) -> list[float]:
    """The places of the rows, from top to bottom, with a gap before each subject."""
    places = []
    place = -1.0
    for row, before in zip(shown, [shown[0], *shown], strict=False):
        place += 1.0 if row[0] == before[0] else 1.4
        places.append(place)
    return places
