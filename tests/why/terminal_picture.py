"""A terminal in memory, by pyte, and a picture of it as SVG."""

from html import escape

import pyte

COLUMN, LINE = 8, 17  # pixels
SIZE = 13
NO_BREAK = "\N{NO-BREAK SPACE}"
PAPER, INK = "#ffffff", "#1f2328"


class Terminal:
    def __init__(self, columns, lines):
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)

    def feed(self, data):
        self.stream.feed(data)

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def svg(self, path, name):
        """With `name` where the screen has `path`."""
        width, height = self.screen.columns * COLUMN + 16, self.screen.lines * LINE + 16
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'font-family="monospace" font-size="{SIZE}">',
            f'<rect width="100%" height="100%" fill="{PAPER}" stroke="{INK}"/>',
        ]
        for number in range(self.screen.lines):
            parts += self.line(number, self.screen.display[number].replace(path, name))
        return "\n".join([*parts, "</svg>", ""])

    def line(self, number, text):
        if not text.strip():
            return
        top = 8 + number * LINE
        is_reverse = self.screen.buffer[number][0].reverse
        text = text.ljust(self.screen.columns) if is_reverse else text.rstrip()
        width = len(text) * COLUMN
        if is_reverse:
            yield f'<rect x="8" y="{top}" width="{width}" height="{LINE}" fill="{INK}"/>'
        # The length holds whatever font the viewer has. Spaces that are not broken stay as many as they are.
        yield (
            f'<text x="8" y="{top + SIZE}" textLength="{width}" '
            f'lengthAdjust="spacingAndGlyphs" fill="{PAPER if is_reverse else INK}">'
            f"{escape(text).replace(' ', NO_BREAK)}</text>"
        )
