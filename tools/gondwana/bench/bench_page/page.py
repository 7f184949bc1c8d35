"""The page: one file without links to others, readable on a phone, in print and without colours."""

import base64
import platform
import statistics
from html import escape

STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: auto; padding: 1em }
body { color: #111; background: #fff; overflow-wrap: anywhere }
img { width: 100%; max-width: 44em; height: auto }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: 90% }
th, td { border-bottom: 1px solid #999; padding: .2em .6em; text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
@media print { body { font-size: 10pt; max-width: none } .wide { overflow: visible } }
@media print { h2 { break-after: avoid } figure { break-inside: avoid } }
figure { margin: 1em 0 }
"""


def page(results: list[dict], pictures: list[list[tuple[str, str]]], text: str) -> str:
    first = results[0]
    sections = "".join(
        _section(result, shown) for result, shown in zip(results, pictures, strict=True)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Gondwana benchmarks</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>Gondwana benchmarks</h1>\n<p>Gondwana {escape(first['version'])}, {escape(first['job'])}, "
        f"{first['rounds']} rounds<br>{escape(_machine())}</p>\n"
        "<p>Curves show medians over the rounds; bars reach from the lower to the upper quartile.</p>\n"
        f"{sections}<h2>Data</h2>\n<p>The values of every round are embedded in this page, as JSON, in "
        "the element <code>bench-data</code>.</p>\n"
        f'<script type="application/json" id="bench-data">\n{_in_script(text)}</script>\n'
        "</body>\n</html>\n"
    )


def _machine() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    model = f"{len(names)} x {names[0]}" if names else platform.machine()
    return f"{model}, {platform.system()} {platform.release()}"


def _in_script(text: str) -> str:
    return text.replace("<", "\\u003c")


def _section(result: dict, pictures: list[tuple[str, str]]) -> str:
    return f"<h2>{escape(result['subject'])}</h2>\n" + "".join(
        _figure(*picture) for picture in pictures
    ) + _ratios(result["series"])


def _figure(name: str, svg: str) -> str:
    # As an image: names inside one SVG cannot meet those of another.
    encoded = base64.b64encode(svg.encode()).decode()
    return (
        f"<figure><figcaption>{escape(name)}</figcaption>"
        f'<img alt="Curves: {escape(name)}" src="data:image/svg+xml;base64,{encoded}"></figure>\n'
    )


def _ratios(series: list[dict]) -> str:
    rows = "".join(
        f"<tr><td>{escape(one['operation'])}</td><td>{one['bytes']}</td>"
        f"<td>{_to_control(one)}</td><td>{_to_peer(one)}</td></tr>\n"
        for one in series
    )
    return (
        '<div class="wide"><table>\n<thead><tr><th>operation</th><th>bytes</th><th>ours/control</th>'
        f"<th>peer/ours</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )


def _to_control(one: dict) -> str:
    pairs = zip(one["ours_ns"], one["control_ns"], strict=False)
    ratios = [ours / control for ours, control in pairs if control > 0]
    return f"{statistics.median(ratios):.2f}" if ratios else "-"


def _to_peer(one: dict) -> str:
    if not one["peer_ns"]:
        return "-"
    return f"{statistics.median(one['peer_ns']) / statistics.median(one['ours_ns']):.2f}"
