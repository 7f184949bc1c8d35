"""What has a page of its own: a family of the tables, under the names that users look up."""

import re
from dataclasses import dataclass

from table import Api, Family, Section, Type

from manual import synopsis
from manual.notes import Notes
from manual.synopsis import Pattern


@dataclass(frozen=True)
class Page:
    section: Section
    family: Family
    patterns: list[Pattern]
    names: list[str]  # the page's own first, then its aliases
    summary: str  # for the NAME section: no full stop at its end

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def listed(self) -> list[str]:
        """The names less those of other sizes, and less shmem_ctx_put, which is no routine."""
        real = {f.name for p in self.patterns for f in p.functions}
        real |= {p.generic for p in self.patterns}
        sizeless = [name for name in self.names if not synopsis.SIZE.search(name)] or self.names
        return [name for name in sizeless if name in real or not name.startswith("shmem_ctx_")]

    @property
    def typed_names(self) -> list[str]:
        """Routines that the page shows by their pattern alone, such as shmem_long_put."""
        shown = set(self.names)
        return [f.name for p in self.patterns for f in p.functions if f.name not in shown]

    @property
    def wanted(self) -> set[str]:
        """All names that lead here, or would if no earlier page had them."""
        return {*self.names, *synopsis.names(self.patterns)}

    @property
    def arguments(self) -> list[str]:
        """The names of all parameters; a context comes first, as it does in every call."""
        prototypes = (pattern.prototype for pattern in self.patterns)
        names = [parameter.name for p in prototypes for parameter in p.parameters if parameter.name]
        return list(dict.fromkeys(["ctx", *names] if "ctx" in names else names))

    @property
    def type_sets(self) -> dict[tuple[Type, ...], list[str]]:
        """Each set of types, with the patterns that run over it."""
        sets: dict[tuple[Type, ...], list[str]] = {}
        for pattern in self.patterns:
            if pattern.types:
                sets.setdefault(pattern.types, []).append(pattern.name)
        return sets


def pages_of(api: Api, notes: Notes) -> list[Page]:
    """In the order of the table. A name that two families have leads to the first of them; a family
    that has no other name gets one with its section's."""
    pages: list[Page] = []
    taken: set[str] = set()
    for section in api.sections:
        for family in section.families:
            patterns = synopsis.patterns(family)
            wanted = synopsis.names(patterns)
            names = [name for name in wanted if name not in taken]
            names = names or [f"{wanted[0]}_{section.name}"]
            taken.update(names)
            summary = notes.remark(names, "NAME") or first_sentence(family.text)
            pages.append(Page(section, family, patterns, names, summary))
    return pages


def first_sentence(text: str) -> str:
    """Or the first clause of it, in the form of a NAME section."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    first = re.split(r"(?<=[.:;])\s", paragraph, maxsplit=1)[0].rstrip(".:;").replace('"', "")
    begins_with_word = first[1:2].islower() or first[1:2] == " "
    return first[0].lower() + first[1:] if begins_with_word else first
