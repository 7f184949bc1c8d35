"""The page: one file without links to others, readable on a phone, in print and without colours."""

from html import escape

import advice
import circumstances
import html_page
import imbalance
from data import Profile
from imbalance import Spread, seconds
from paths import Path

STYLE = """
td:nth-child(7) { text-align: left }
"""
MAX_CALLS = 40
MAX_PATHS = 25
MAX_REGIONS = 40


def page(
    profile: Profile, paths: list[Path], words: list[str], matrix: str | None, balance: str
) -> str:
    """The whole page. `words`: the command line and the load average, passed by the command."""
    ranks = max(map(len, profile.nodes))
    body = (
        f"<p>{escape(profile.title)}<br>{escape(profile.machine())}</p>\n"
        f"{circumstances.as_html(words, ranks)}"
        f"<h2>Advice</h2>\n<ul>{_advice(profile, paths)}</ul>\n"
        f"<h2>Calls</h2>\n{_calls(profile)}"
        f"{_devices(profile)}"
        f"{_regions(profile)}"
        f"<h2>Time by call path</h2>\n{_paths(paths)}"
        f"<h2>Load imbalance</h2>\n{_imbalance(profile, balance)}"
        f"<h2>Communication matrix</h2>\n{_matrix(matrix)}"
    )
    data = ("The data", "profile-data", profile.text)
    return html_page.frame("Gondwana profile", STYLE, body, data)


def _advice(profile: Profile, paths: list[Path]) -> str:
    return "".join(f"<li>{escape(text)}</li>\n" for text in advice.of_job(profile, paths))


def _image(svg: str, words: str) -> str:
    return f"<p>{html_page.image('svg+xml', svg.encode(), words)}</p>\n"


def _calls(profile: Profile) -> str:
    names = profile.calls()
    all_seconds = sum(rank.inside for rank in profile.ranks)
    rows = []
    for name in names[:MAX_CALLS]:
        made = [rank.calls[name] for rank in profile.ranks if name in rank.calls]
        count, time = sum(c.count for c in made), sum(c.seconds for c in made)
        share = 100 * time / all_seconds if all_seconds > 0 else 0
        moved = sum(c.bytes for c in made)
        rows.append(
            [name, str(count), seconds(time), seconds(time / count), str(moved), f"{share:.1f} %"]
        )
    left_out = f"<p>{len(names) - MAX_CALLS} more in the data.</p>\n"
    note = left_out if len(names) > MAX_CALLS else ""
    heads = ("call", "calls", "time", "mean", "bytes", "share")
    return "<p>On all ranks together.</p>\n" + html_page.table(heads, rows) + note


def _devices(profile: Profile) -> str:
    """The bytes of devices; empty if no device was used."""
    rows = []
    for kind in sorted({kind for rank in profile.ranks for kind in rank.devices}):
        moved = [rank.devices.get(kind, (0, 0)) for rank in profile.ranks]
        rows.append([kind, str(sum(to for to, _ in moved)), str(sum(from_ for _, from_ in moved))])
    if not rows:
        return ""
    bounced = sum(rank.bounced for rank in profile.ranks)
    return (
        "<h2>Memory of devices</h2>\n<p>What copies moved, on all ranks together. Of these "
        f"{bounced} bytes passed through host memory on their way.</p>\n"
        + html_page.table(("kind", "bytes to it", "bytes from it"), rows)
    )


def _regions(profile: Profile) -> str:
    """The table of regions; empty if the program names none."""
    names = profile.regions()
    if not names:
        return ""
    rows = []
    for name in names[:MAX_REGIONS]:
        count = sum(rank.regions[name].count for rank in profile.ranks if name in rank.regions)
        spread = imbalance.of_region(profile, name)
        (least, first), (most, last) = spread.least, spread.most
        figures = (seconds(sum(spread.seconds)), seconds(least), str(first), seconds(most))
        rows.append([name, str(count), *figures, str(last), f"{spread.factor:.2f}"])
    heads = ("region", "times", "time", "minimum", "of rank", "maximum", "of rank", "max/mean")
    left_out = f"<p>{len(names) - MAX_REGIONS} more in the data.</p>\n"
    return (
        "<h2>Regions</h2>\n<p>The regions that the program names by <code>shmemx_region_begin</code>, with "
        "the calls and regions within. The time is the sum over all ranks; the columns after it "
        "compare the ranks.</p>\n"
        + html_page.table(heads, rows)
        + (left_out if len(names) > MAX_REGIONS else "")
    )


def _paths(paths: list[Path]) -> str:
    if not paths:
        return "<p>No call paths were counted.</p>\n"
    rows = []
    for path in paths[:MAX_PATHS]:
        most, rank = path.slowest
        figures = (str(path.calls), seconds(path.all_seconds), seconds(most), str(rank))
        rows.append([path.call, *figures, str(path.bytes), str(path)])
    heads = ("call", "calls", "time", "maximum", "of rank", "bytes", "from")
    return (
        "<p>The lines of the program that make the calls, on all ranks together; the caller "
        "follows &lt;.</p>\n" + html_page.table(heads, rows)
    )


def _imbalance(profile: Profile, balance: str) -> str:
    rows = []
    if (outside := imbalance.outside(profile)) is not None:
        rows.append(_spread("in the program", outside))
    rows.append(_spread("in the library", imbalance.inside(profile)))
    rows.append(_spread("in calls that start or end it", imbalance.starting(profile)))
    rows.append(_spread("in calls that wait", imbalance.waiting(profile)))
    rows += [
        _spread(name, imbalance.of_call(profile, name)) for name in profile.calls()[:MAX_CALLS]
    ]
    heads = ("time", "minimum", "of rank", "mean", "maximum", "of rank", "max/mean")
    return (
        "<p>The time of a rank, including waits. The others wait for the rank that waits "
        "least.</p>\n"
        + _image(balance, "Time of each rank")
        + html_page.table(heads, rows)
    )


def _spread(name: str, spread: Spread) -> list[str]:
    (least, first), (most, last) = spread.least, spread.most
    figures = (seconds(least), str(first), seconds(spread.mean), seconds(most), str(last))
    return [name, *figures, f"{spread.factor:.2f}"]


def _matrix(matrix: str | None) -> str:
    if matrix is None:
        return "<p>No bytes were moved between two ranks by calls that name the peer.</p>\n"
    return (
        "<p>Bytes by the calling rank, in the row, and its peer, in the column. Collectives are "
        "not in it. Lines separate nodes.</p>\n" + _image(matrix, "Communication matrix")
    )
