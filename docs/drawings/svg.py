"""The parts of drawings: boxes, lines and text, in colours for light and dark screens."""

from dataclasses import dataclass, field
from html import escape

# Class: colours on a light screen, colours on a dark one (fill, line).
COLOURS = {
    "paper": (("#ffffff", "#d0d7de"), ("#161b22", "#30363d")),
    "panel": (("#f6f8fa", "#d0d7de"), ("#0d1117", "#30363d")),
    "plain": (("#ffffff", "#57606a"), ("#21262d", "#8b949e")),
    "start": (("#ddf4ff", "#0969da"), ("#0c2d6b", "#58a6ff")),
    "rank": (("#dafbe1", "#1a7f37"), ("#033a16", "#3fb950")),
    "agent": (("#fff8c5", "#9a6700"), ("#3b2300", "#d29922")),
    "memory": (("#fbefff", "#8250df"), ("#271052", "#a371f7")),
    "guard": (("#eaeef2", "#8c959f"), ("#30363d", "#6e7681")),
}
TEXT = ("#1f2328", "#e6edf3")
FAINT = ("#59636e", "#9198a1")
TYPED = ("#0969da", "#58a6ff")
CULPRIT = ("#bc4c00", "#f0883e")
MONO = "ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,monospace"
# Class of a line: colour on light, on dark, dashes.
LINES = {
    "starts": ("#0969da", "#58a6ff", ""),
    "pipe": ("#57606a", "#8b949e", "5 4"),
    "net": ("#bc4c00", "#db6d28", ""),
    "load": ("#1a7f37", "#3fb950", ""),
}


def rules(dark: int) -> str:
    """The style sheet for a light screen (0) or a dark one (1)."""
    lines = [
        f"text{{fill:{TEXT[dark]}}} .faint{{fill:{FAINT[dark]}}} .typed{{fill:{TYPED[dark]}}} "
        f".culprit{{fill:{CULPRIT[dark]}}} .mono{{font-family:{MONO}}}"
    ]
    for name, pair in COLOURS.items():
        fill, line = pair[dark]
        lines.append(f".{name}{{fill:{fill};stroke:{line}}}")
    for name, style in LINES.items():
        lines.append(f".{name}{{stroke:{style[dark]}}} .{name}-tip{{fill:{style[dark]}}}")
    return " ".join(lines)


@dataclass
class Drawing:
    width: int
    height: int
    title: str
    parts: list[str] = field(default_factory=list)

    def text(self, x, y, words, size=13, anchor="middle", style="", bold=False):
        weight = ' font-weight="600"' if bold else ""
        kind = f' class="{style}"' if style else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{weight}{kind}>'
            f"{escape(words)}</text>"
        )

    def box(self, x, y, width, height, style, title="", *notes, radius=6):
        """A box with its title, and smaller lines below, all centred."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" '
            f'class="{style}"/>'
        )
        if not title:
            return
        top = y + height / 2 + 5 - 8 * len(notes)
        self.text(x + width / 2, top, title, bold=True)
        for number, note in enumerate(notes, start=1):
            self.text(x + width / 2, top + 16 * number, note, 12, style="faint")

    def panel(self, x, y, width, height, title):
        self.box(x, y, width, height, "panel", radius=10)
        self.text(x + 14, y + 22, title, 14, "start", bold=True)

    def line(self, kind, *points, both=False):
        """A line through the points, with a tip at its end, or at both."""
        path = "M" + " L".join(f"{x:g} {y:g}" for x, y in points)
        self.path(kind, path, both)

    def path(self, kind, path, both=False):
        dashes = LINES[kind][2]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        start = f' marker-start="url(#{kind})"' if both else ""
        self.parts.append(
            f'<path d="{path}" fill="none" stroke-width="1.8" class="{kind}"{dashed}{start} '
            f'marker-end="url(#{kind})"/>'
        )

    def legend(self, x, y, entries):
        """Kinds of lines with their meaning, side by side: (kind, words, width)."""
        for kind, words, width in entries:
            self.line(kind, (x, y - 4), (x + 30, y - 4))
            self.text(x + 38, y, words, 12, "start", "faint")
            x += width

    def svg(self) -> str:
        tips = "".join(
            f'<marker id="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" '
            f'markerHeight="5" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" '
            f'class="{kind}-tip"/></marker>'
            for kind in LINES
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" '
            'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">'
        )
        style = f"<style>{rules(0)} @media (prefers-color-scheme: dark){{{rules(1)}}}</style>"
        paper = f'<rect width="{self.width}" height="{self.height}" rx="12" class="paper"/>'
        lines = [head, f"<title>{escape(self.title)}</title>", style, f"<defs>{tips}</defs>", paper]
        return "\n".join([*lines, *self.parts, "</svg>"]) + "\n"
