"""A figure or a table of a paper: numbers by size, as a table and as a picture."""

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

Cell = float | str
WIDTH = 12
NO_PICTURE = "no picture: matplotlib is not installed for this Python"


@dataclass(frozen=True)
class Sheet:
    """A table; the other columns depend on the first."""

    name: str  # its name in the paper, such as "Figure 1"
    title: str
    columns: list[str]
    rows: list[list[Cell]]
    drawn: tuple[str, ...] = ()  # columns in the picture; empty: no picture
    measure: str = ""  # the label of their axis


def show(value: Cell) -> str:
    """The number with three digits, or more if it is large."""
    if isinstance(value, (str, int)):
        return str(value)
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:.{digits}f}"


def table(sheet: Sheet) -> str:
    """Lines of columns under two header lines."""
    width = max(WIDTH, *(len(column) + 2 for column in sheet.columns))
    lines = [f"# {sheet.name}: {sheet.title}",
             f"# {sheet.columns[0]:<8}" + "".join(f"{c:>{width}}" for c in sheet.columns[1:])]
    for first, *others in sheet.rows:
        lines.append(f"  {show(first):<8}" + "".join(f"{show(cell):>{width}}" for cell in others))
    return "\n".join(lines)


def file_of(sheet: Sheet) -> str:
    """The file name of the picture of a sheet."""
    return f"seeds_{sheet.name.lower().replace(' ', '_')}.png"


def plotter() -> ModuleType | None:
    """matplotlib's pyplot, set to draw into files; None: not installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    return pyplot


def draw(folder: Path, sheets: list[Sheet]) -> str:
    """Writes a picture for each sheet that has one, and returns a line that names them."""
    if (pyplot := plotter()) is None:
        return NO_PICTURE
    written = []
    for sheet in (s for s in sheets if s.drawn):
        figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
        first = [str(row[0]) for row in sheet.rows]
        for name in sheet.drawn:
            at = sheet.columns.index(name)
            axes.plot(first, [row[at] for row in sheet.rows], "o-", label=name, markersize=4)
        axes.set_title(f"{sheet.name}: {sheet.title}", fontsize=8, wrap=True)
        axes.set_xlabel(sheet.columns[0])
        axes.set_ylabel(sheet.measure)
        axes.tick_params(axis="x", rotation=60, labelsize=7)
        if sheet.measure == "MB/s":
            axes.set_yscale("log")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
        figure.savefig(folder / file_of(sheet), dpi=120)
        pyplot.close(figure)
        written.append(file_of(sheet))
    return f"pictures in {folder}: {', '.join(written)}" if written else "no pictures"
