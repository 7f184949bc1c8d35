"""The page: one file without links to others, readable on a phone, in print and without colours."""

from html import escape

import circumstances
import figures
import html_page

STYLE = """
body { overflow-wrap: anywhere }
img { width: 100% }
figure { margin: 0 }
figcaption { font-weight: bold }
h2 { border-top: 1px solid #999; padding-top: .5em }
.figures { display: grid; gap: 1em }
.figures { grid-template-columns: repeat(auto-fill, minmax(min(100%, 25em), 1fr)) }
.glance { max-width: 40em }
table { font-size: 85%; font-variant-numeric: tabular-nums }
summary { cursor: pointer; padding: .4em 0 }
@media (max-width: 30em) { th, td { padding: .2em .3em } table { font-size: 75% } }
.ratios td { white-space: normal }
@media print { body { font-size: 9pt; padding: 0 } }
@media print { figcaption { break-after: avoid } section, figure, tr { break-inside: avoid } }
@media print { .figures { grid-template-columns: 1fr 1fr } .glance { max-width: 8.5cm } }
@media print { details { display: none } }
"""

READING = (
    "Each round measures the operation and, right after it, a control: the same work on the same "
    "memory without a library. {peer}Curves show medians over the rounds, bars the lower and the "
    "upper quartile. Compare ratios rather than times: the processors of a virtual machine change "
    "their speed."
)
PEER = "A peer runs the same program, alternately with Gondwana. "


def page(
    results: list[dict],
    words: list[str],
    glance: str,
    pictures: list[list[tuple[str, str]]],
    spreads: list[tuple],
    text: str,
) -> str:
    peers = figures.peers_of(results)
    sections = "".join(
        _section(result, shown) for result, shown in zip(results, pictures, strict=True)
    )
    body = (
        f"{circumstances.as_html(words, 2)}"
        f"<p>{escape(_libraries(results[0], peers))}</p>\n"
        f"<p>{escape(READING.format(peer=PEER if peers else ''))}</p>\n"
        f"{_glance(glance, spreads, peers)}{sections}"
    )
    data = ("The values of every round", "bench-data", text)
    return html_page.frame("Gondwana benchmarks", STYLE, body, data)


def _libraries(first: dict, peers: dict[str, str]) -> str:
    names = [f"{key}: {name}" for key, name in peers.items()]
    return "; ".join([f"Gondwana {first['version']}", *names])


def _glance(svg: str, spreads: list[tuple], peers: dict[str, str]) -> str:
    rows = [
        (f"{subject}: {operation}", *map(_spread, found)) for subject, operation, *found in spreads
    ]
    heads = ("", "control", *peers)
    return (
        "<h2>At a glance</h2>\n<p>Times, of memory bytes, divided by those of Gondwana: the mean "
        "over all sizes, in brackets the least and the greatest. More than 1: it takes more than "
        "Gondwana.</p>\n"
        '<div class="figures"><div class="glance">'
        f"{_figure('', svg, 'Ratios of all subjects')}</div>\n"
        f'<div class="ratios">{html_page.table(heads, rows)}</div></div>\n'
    )


def _spread(found: tuple[float, float, float] | None) -> str:
    if found is None:
        return "-"
    mean, least, most = found
    if least == most:
        return f"{mean:.2f}"
    brackets = f"({least:.2f} to {most:.2f})".replace(" ", "\N{NO-BREAK SPACE}")
    return f"{mean:.2f} {brackets}"


def _section(result: dict, pictures: list[tuple[str, str]]) -> str:
    shown = "".join(
        _figure(name, svg, f"Curves of {result['subject']}: {name}") for name, svg in pictures
    )
    return (
        f"<section>\n<h2>{escape(result['subject'])}</h2>\n"
        f"<p>{escape(result['door'])}: {escape(result['title'])}; {escape(result['job'])}, "
        f"{result['rounds']} rounds</p>\n"
        f'<div class="figures">{shown}</div>\n'
        f"<details><summary>Table</summary>{_values(result)}</details>\n</section>\n"
    )


def _figure(caption: str, svg: str, alternative: str) -> str:
    title = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{title}{html_page.image('svg+xml', svg.encode(), alternative)}</figure>\n"


def _values(result: dict) -> str:
    keys = [peer["key"] for peer in result["peers"]]
    unit = result["unit"]
    heads = ["operation", _axis(result), unit, "25%", "75%", "control", "control/ours"]
    for key in keys:
        heads += [key, f"{key}/ours"]
    rows = []
    for name, all_series in figures.by_operation(result).items():
        for series in all_series:
            lower, median, upper = figures.in_unit(unit, series, "ours") or (None, None, None)
            row = [name, str(figures.size_of(series)), *map(_number, (median, lower, upper))]
            row += [_median(unit, series, "control"), _number(figures.control_to_ours(series), 3)]
            for key in keys:
                row += [_median(unit, series, key), _number(figures.peer_to_ours(series, key), 3)]
            rows.append(row)
    return html_page.table(heads, rows)


def _axis(result: dict) -> str:
    return figures.axis_of(result["series"][0])


def _median(unit: str, series: dict, side: str) -> str:
    found = figures.in_unit(unit, series, side)
    return _number(found[1]) if found else "-"


def _number(value: float | None, digits: int = 4) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.{digits}g}"
