"""The overview of the ratios of all subjects: a picture and its table.

Both sides are times, or bytes, divided by ours: a value above 1 is more than Gondwana takes.
"""

import chart
import curves
import figures

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
    places = _places(shown)
    names = {"control": "control", "peer": "peer: " + figures.peer_of(results)}
    sides = []
    for column, (name, _) in enumerate(COLUMNS, start=2):
        side = chart.Side(names[name], *curves.STYLES[name])
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
