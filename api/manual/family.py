"""Writes the page of one family of routines."""

from collections.abc import Iterator
from dataclasses import dataclass

from table import Api

from manual import roff, synopsis
from manual.notes import Notes
from manual.page import Page

CONCEPTS = ("shmem_memory_model(7)", "shmem_teams(7)", "shmem_contexts(7)", "shmem_types(7)")
LIBRARY = "Gondwana OpenSHMEM; compile and link with oshcc(1) or with `pkg-config gondwana-shmem`."


@dataclass(frozen=True)
class FamilyWriter:
    api: Api
    notes: Notes
    page: Page
    near: list[str]  # the other pages of its section

    def lines(self) -> Iterator[str]:
        """Everything below the .TH line."""
        page = self.page
        yield from (".SH NAME", f"{', '.join(page.listed)} \\- {self._inline(page.summary)}")
        yield from (".SH LIBRARY", self._inline(LIBRARY))
        yield from self._synopsis()
        yield from self._section("DESCRIPTION", f"{page.family.text}\n\n{page.section.text}")
        yield from self._arguments()
        yield from self._section("RETURN VALUE", self._returns())
        for title in ("ENVIRONMENT", "NOTES", "EXAMPLE"):
            yield from self._section(title, "")
        source = f"{self.api.specification}, {page.section.clause}: {page.family.clause}."
        yield from (".SH CONFORMING TO", self._inline(source))
        names = ", ".join([f"{name}(3)" for name in self.near] + ["shmem(7)", *CONCEPTS])
        yield from (".SH SEE ALSO", self._inline(names))

    def _inline(self, text: str) -> str:
        return roff.Prose().inline(text)

    @property
    def _prose(self) -> roff.Prose:
        return roff.Prose(self.notes.folder / "families", frozenset(self.page.arguments))

    def _section(self, title: str, text: str) -> Iterator[str]:
        """`text` and what was written by hand for this section; nothing if both are empty."""
        remark = self.notes.remark(self.page.names, title)
        if text or remark:
            yield roff.heading(title)
            yield from self._prose.lines(f"{text.strip()}\n\n{remark}")

    def _synopsis(self) -> Iterator[str]:
        generics = synopsis.generics(self.page.patterns)
        yield from (".SH SYNOPSIS", ".nf", roff.bold("#include <shmem.h>"))
        if generics:
            yield from _declarations("C11 generic functions and C++ overloads:", generics)
        caption = "C and C++:" if generics else ""
        yield from _declarations(caption, [p.prototype for p in self.page.patterns])
        yield ".fi"
        yield from self._placeholders()

    def _placeholders(self) -> Iterator[str]:
        """What TYPENAME and SIZE stand for."""
        sets = self.page.type_sets
        for types, names in sets.items():
            where = f" of {', '.join(names)}" if len(sets) > 1 else ""
            listed = ", ".join(type_.name for type_ in types)
            text = f"*TYPENAME*{where} is one of {listed}; *TYPE* is its type, see shmem_types(7)."
            yield from (".PP", self._inline(text))
        for sizes in dict.fromkeys(p.sizes for p in self.page.patterns if p.sizes):
            listed = f"{', '.join(sizes[:-1])} or {sizes[-1]}"
            yield from (".PP", self._inline(f"*SIZE* is {listed}: the bits of one element."))

    def _arguments(self) -> Iterator[str]:
        if self.page.arguments:
            yield roff.heading("ARGUMENTS")
        for name in self.page.arguments:
            meaning = self.notes.argument(self.page.name, name)
            if meaning is None:
                raise ValueError(f"docs/man/arguments.md misses {name} of {self.page.name}")
            yield from roff.tagged(roff.italic(name), self._prose.inline(meaning))

    def _returns(self) -> str:
        """One paragraph where all routines return the same, otherwise a list."""
        meanings: dict[str, list[str]] = {}
        for pattern in self.page.patterns:
            meanings.setdefault(self._returned(pattern), []).append(pattern.generic or pattern.name)
        if len(meanings) == 1:
            return next(iter(meanings))
        unique = ((dict.fromkeys(names), meaning) for meaning, names in meanings.items())
        items = ((", ".join(f"`{name}`" for name in names), text) for names, text in unique)
        return "\n".join(f"- {names}: {text}" for names, text in items)

    def _returned(self, pattern: synopsis.Pattern) -> str:
        if pattern.prototype.returns == "void":
            return "Nothing."
        name = pattern.generic or pattern.name.replace("TYPENAME_", "")
        meaning = self.notes.returned(name)
        if meaning is None:
            raise ValueError(f"docs/man/returns.md misses {name}")
        return meaning


def _declarations(caption: str, prototypes: list[synopsis.Prototype]) -> Iterator[str]:
    yield ".PP"
    if caption:
        yield caption
        yield ".PP"
    for prototype in prototypes:
        yield from synopsis.declaration(prototype)
