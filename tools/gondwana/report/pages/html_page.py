"""The parts of the pages that Gondwana's commands write: one file each, without links to others,
readable on a phone and in print."""

import base64
from collections.abc import Iterable
from html import escape

STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 62em; margin: auto; padding: 1em }
body { color: #111; background: #fff }
img { max-width: 100%; height: auto }
.wide { overflow-x: auto }
p, code, h1, h2 { overflow-wrap: anywhere }
.warning { border-left: .4em solid #d55e00; padding-left: .6em }
table { border-collapse: collapse; font-size: 90% }
th, td { border-bottom: 1px solid #999; padding: .2em .6em; text-align: right; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
@media print { body { font-size: 10pt; max-width: none } .wide { overflow: visible } }
@media print { h2 { break-after: avoid } }
"""


def frame(title: str, style: str, body: str, data: tuple[str, str, str]) -> str:
    """`style` follows the style of all pages. `data`: a sentence, the name of the element that
    contains the data, and the data as JSON text.
    """
    about, name, text = data
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{body}"
        f"<h2>Data</h2>\n<p>{escape(about)} are embedded in this page, as JSON, in the element "
        f"<code>{name}</code>.</p>\n"
        f'<script type="application/json" id="{name}">\n{_in_script(text)}</script>\n'
        "</body>\n</html>\n"
    )


def _in_script(text: str) -> str:
    return text.replace("<", "\\u003c")


def image(kind: str, picture: bytes, words: str) -> str:
    # Embeds the SVG as an image, so that the names in one SVG cannot conflict with names in
    # another.
    encoded = base64.b64encode(picture).decode()
    return f'<img alt="{escape(words)}" src="data:image/{kind};base64,{encoded}">'


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>\n" for row in rows
    )
    return (
        f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n'
        "</table></div>\n"
    )
