"""The tables of the GASNet-EX door: reads the TOML files of this folder.

Each says of which header it is a part and lists families of routines; message_calls.toml and
vis_calls.toml explain the two kinds of rows.
"""

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

import effects
from table import fill

MOST_ARGUMENTS = 16
COUNT = "[M]"


@dataclass(frozen=True)
class Row:
    """One prototype, and what an inline routine of that prototype does; none: it is exported."""

    c: str
    call: str | None
    effect: dict[str, str] = field(hash=False)  # what ../effects.py describes

    @property
    def is_counted(self) -> bool:
        """Whether it stands for routines with any number of arguments."""
        return COUNT in self.c

    def filled(self, words: dict[str, str]) -> "Row":
        call = fill(self.call, words) if self.call else None
        return replace(self, c=fill(self.c, words), call=call)


@dataclass(frozen=True)
class Family:
    clause: str
    text: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    name: str
    part_of: str  # the header that programs include
    includes: tuple[str, ...]  # headers that declare the types
    families: tuple[Family, ...]

    @property
    def rows(self) -> list[Row]:
        return [row for family in self.families for row in family.rows]


def load(path: Path) -> Table:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    variants = content.get("variants", [{}])
    families = tuple(_family(row, variants) for row in content["families"])
    return Table(path.stem, content["part_of"], tuple(content["includes"]), families)


def _family(content: dict, variants: list[dict[str, str]]) -> Family:
    rows = [Row(form, None, {}) for form in content.get("forms", ())]
    common = effects.columns(content)
    for row in content.get("calls", ()):
        rows.append(Row(row["c"], row.get("call"), common | effects.columns(row)))
    filled = (row.filled(words) for row in rows for words in variants)
    return Family(content["clause"], content["text"], tuple(filled))
