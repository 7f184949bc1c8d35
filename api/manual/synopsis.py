"""Folds the functions of a family back into the lines that the specification prints for them."""

import re
from dataclasses import dataclass, replace

from table import Family, Form, Function, Prototype, Type

from manual.roff import bold, italic, literal

WIDTH = 74  # of a synopsis: 80 columns less the indentation of a page
SIZE = re.compile(r"(?<=[a-z])(8|16|32|64|128)(?=$|_)")


@dataclass(frozen=True)
class Pattern:
    """Functions that differ only in a type or a size, as one prototype over TYPE or SIZE."""

    prototype: Prototype
    generic: str | None
    functions: tuple[Function, ...]

    @property
    def name(self) -> str:
        return self.prototype.name

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(function.type for function in self.functions if function.type)

    @property
    def sizes(self) -> tuple[str, ...]:
        if "SIZE" not in self.name:
            return ()
        return tuple(SIZE.search(function.name)[1] for function in self.functions)


def patterns(family: Family) -> list[Pattern]:
    """In the order of the table."""
    groups: dict[str, list[tuple[Form, Function]]] = {}
    for form in family.forms:
        for function in form.functions:
            groups.setdefault(_folded_name(function), []).append((form, function))
    return [_pattern(name, group) for name, group in groups.items()]


def _folded_name(function: Function) -> str:
    if function.type:
        return function.name.replace(f"_{function.type.name}_", "_TYPENAME_", 1)
    return SIZE.sub("SIZE", function.name)


def _pattern(name: str, group: list[tuple[Form, Function]]) -> Pattern:
    functions = tuple(function for _, function in group)
    generic = group[0][0].generic
    if len(functions) == 1:
        return Pattern(functions[0].c, generic, functions)
    first, second = functions[:2]
    prototype = replace(first.c, name=name)
    if first.type:
        prototype = _over_type(prototype, second.c, first.type)
    return Pattern(prototype, generic, functions)


def _over_type(prototype: Prototype, other: Prototype, type_: Type) -> Prototype:
    """What differs between two types is TYPE; the pSync of a `long` reduction does not."""

    def over(mine: str, theirs: str) -> str:
        return mine if mine == theirs else mine.replace(type_.c, "TYPE")

    pairs = zip(prototype.parameters, other.parameters, strict=True)
    parameters = tuple(replace(mine, type=over(mine.type, theirs.type)) for mine, theirs in pairs)
    return Prototype(over(prototype.returns, other.returns), prototype.name, parameters)


def generics(family: list[Pattern]) -> list[Prototype]:
    """The C11 generics and C++ overloads, each once."""
    named = (replace(p.prototype, name=p.generic) for p in family if p.generic)
    return list(dict.fromkeys(named))


def names(family: list[Pattern]) -> list[str]:
    """What users look up: generics, and names without their type; the page's name first."""
    found: list[str] = []
    for pattern in family:
        found += [pattern.generic] if pattern.generic else []
        if pattern.sizes:
            found += [function.name for function in pattern.functions]
        else:
            found.append(pattern.name.replace("TYPENAME_", ""))
    return list(dict.fromkeys(found))


def declaration(prototype: Prototype) -> list[str]:
    """A prototype in roff, wrapped between its parameters."""
    head = f"{prototype.returns} {prototype.name}("
    pieces = [(f"{p.type} ", p.name) if p.name else (p.type, "") for p in prototype.parameters]
    lines, column = [bold(head)], len(head)
    for position, (type_, name) in enumerate(pieces or [("void", "")]):
        end = ");" if position + 1 >= len(pieces) else ","
        width = len(type_) + len(name) + len(end)
        if position and column + 1 + width > WIDTH:
            lines.append("    ")
            column = 4
        elif position:
            lines[-1] += " "
            column += 1
        lines[-1] += f"{literal(type_)}{italic(name) if name else ''}{end}"
        column += width
    return lines
