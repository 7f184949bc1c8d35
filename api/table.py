"""The API table: reads the TOML files of a folder and expands their forms over types and sizes.

common.toml contains shared rows and the ordered list of the sections; each section is a file in
the same folder.
"""

import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

import effects


@dataclass(frozen=True)
class Type:
    name: str
    c: str
    cxx: str
    same_as: tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    type: str  # "const long*"; "..." for a variable argument list
    name: str

    def __str__(self) -> str:
        return f"{self.type} {self.name}".strip()


CONTEXT = Parameter("shmem_ctx_t", "ctx")


@dataclass(frozen=True)
class Prototype:
    returns: str
    name: str
    parameters: tuple[Parameter, ...]

    @classmethod
    def parse(cls, text: str) -> "Prototype":
        match = re.fullmatch(r"(.+[ *])(\w+)\((.*)\)", text)
        if match is None:
            raise ValueError(f'"{text}" is not a prototype')
        returns, name, inside = match.groups()
        return cls(returns.strip(), name, tuple(_parse_parameters(inside)))


def _parse_parameters(text: str) -> list[Parameter]:
    if text == "void":
        return []
    parameters = []
    for part in text.split(", "):
        match = re.fullmatch(r"(.+[ *])(\w+)", part)
        parameters.append(Parameter(match[1].strip(), match[2]) if match else Parameter(part, ""))
    return parameters


@dataclass(frozen=True)
class Function:
    """One routine of the C API; `c` and `cxx` differ only where a type is spelled differently."""

    c: Prototype
    cxx: Prototype
    type: Type | None
    call: str | None  # the function of the front door; empty: the routine does nothing
    arguments: tuple[str, ...]
    noreturn: bool
    before_init: bool  # may be called without an engine
    on_context: bool  # its first parameter is the context
    effect: dict[str, str] = field(hash=False, compare=False)  # the columns of effects.py

    @property
    def name(self) -> str:
        return self.c.name


@dataclass(frozen=True)
class Form:
    """One line of the specification's C binding, and all routines that it expands to."""

    plain: tuple[Function, ...]
    contexts: tuple[Function, ...]  # the same with a context first; may be empty
    type_set: str | None
    generic: str | None
    selector: int | None  # the parameter of the plain routines whose type a generic selects on

    @property
    def functions(self) -> list[Function]:
        return [*self.plain, *self.contexts]

    @property
    def distinct(self) -> list[Function]:
        """The functions from which a generic selects: one for each distinct C type."""
        return _distinct(self.plain)

    @property
    def distinct_contexts(self) -> list[Function]:
        return _distinct(self.contexts)


def _distinct(functions: tuple[Function, ...]) -> list[Function]:
    present = {function.type.name for function in functions if function.type}
    return [f for f in functions if not (f.type and present & set(f.type.same_as))]


@dataclass(frozen=True)
class Family:
    clause: str
    text: str
    forms: tuple[Form, ...]

    @property
    def functions(self) -> list[Function]:
        return [function for form in self.forms for function in form.functions]


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    clause: str
    text: str
    headers: tuple[str, ...]  # the headers of the front door that declare what the thunks call
    using: tuple[str, ...]
    families: tuple[Family, ...]

    @property
    def functions(self) -> list[Function]:
        return [function for family in self.families for function in family.functions]


@dataclass(frozen=True)
class Constant:
    name: str
    value: str
    handle: str | None  # its type, if it is a handle; the library also exports handles as variables

    @property
    def macro(self) -> str:
        return f"(({self.handle}){self.value})" if self.handle else self.value


@dataclass(frozen=True)
class Constants:
    text: str
    values: tuple[Constant, ...]

    @property
    def handles(self) -> list[Constant]:
        return [constant for constant in self.values if constant.handle]


@dataclass(frozen=True)
class Declaration:
    text: str
    c: str


@dataclass(frozen=True)
class Api:
    specification: str
    other_names: tuple[str, ...]  # exported names that are in no table
    extensions: tuple[Function, ...]  # of shmemx.h, which declares them by hand
    preamble: str
    declarations: tuple[Declaration, ...]
    constants: tuple[Constants, ...]
    sections: tuple[Section, ...]

    @property
    def forms(self) -> list[Form]:
        return [form for s in self.sections for family in s.families for form in family.forms]

    @property
    def functions(self) -> list[Function]:
        return [function for section in self.sections for function in section.functions]


class Expander:
    """Converts the rows of the TOML files to the classes above."""

    def __init__(self, common: dict):
        self._types = {
            name: Type(name, row["c"], row.get("cxx", row["c"]), tuple(row.get("same_as", ())))
            for name, row in common["types"].items()
        }
        self._type_sets = common["type_sets"]

    def section(self, name: str, row: dict) -> Section:
        return Section(
            name,
            row["title"],
            row["clause"],
            row.get("text", ""),
            tuple(row.get("headers", [name])),
            tuple(row.get("using", ())),
            tuple(self._family(family) for family in row["families"]),
        )

    def _family(self, row: dict) -> Family:
        forms = (self.form(effects.columns(row) | form) for form in row["forms"])
        return Family(row["clause"], row["text"], tuple(forms))

    def form(self, row: dict) -> Form:
        prototype = Prototype.parse(row["c"])
        type_set = row.get("types")
        generic = row.get("generic", _generic_name(prototype) if type_set else False)
        return Form(
            plain=tuple(self.functions(row)),
            contexts=tuple(map(_on_context, self.functions(row))) if row.get("context") else (),
            type_set=type_set,
            generic=generic or None,
            selector=_selector(prototype) if type_set and generic else None,
        )

    def functions(self, row: dict) -> list[Function]:
        """The functions of a form, without contexts."""
        if "types" in row:
            return [self._typed(row, name) for name in self._type_sets[row["types"]]]
        if "sizes" in row:
            return [self._sized(row, bits) for bits in row["sizes"]]
        return [_function(row, None, {}, {})]

    def _typed(self, row: dict, name: str) -> Function:
        type_ = self._types[name]
        c = {"TYPENAME": name, "TYPE": type_.c}
        return _function(row, type_, c, {"TYPENAME": name, "TYPE": type_.cxx})

    def _sized(self, row: dict, bits: int) -> Function:
        words = {"SIZE": str(bits), "BYTES": str(bits // 8)}
        return _function(row, None, words, words)


def _function(row: dict, type_: Type | None, c: dict, cxx: dict) -> Function:
    prototype = Prototype.parse(fill(row["c"], cxx))
    own = [parameter.name for parameter in prototype.parameters]
    call = row.get("call")
    return Function(
        c=Prototype.parse(fill(row["c"], c)),
        cxx=prototype,
        type=type_,
        call=fill(call, cxx) if call else None,
        arguments=tuple(row["args"].split(", ") if "args" in row else own),
        noreturn=row.get("noreturn", False),
        before_init=row.get("before_init", False),
        on_context=False,
        effect={name: fill(text, cxx) for name, text in effects.columns(row).items()},
    )


def _on_context(function: Function) -> Function:
    c, cxx = (_with_context(prototype) for prototype in (function.c, function.cxx))
    return replace(function, c=c, cxx=cxx, on_context=True)


def _with_context(prototype: Prototype) -> Prototype:
    name = re.sub("^(shmemx?_)", r"\1ctx_", prototype.name)
    return replace(prototype, name=name, parameters=(CONTEXT, *prototype.parameters))


def fill(text: str, words: dict) -> str:
    """Replaces the placeholders, longest first: TYPENAME contains TYPE."""
    for placeholder in sorted(words, key=len, reverse=True):
        text = text.replace(placeholder, words[placeholder])
    return text


def _generic_name(prototype: Prototype) -> str:
    return prototype.name.replace("TYPENAME_", "")


def _selector(prototype: Prototype) -> int:
    pointers = ("TYPE*", "const TYPE*")
    for position, parameter in enumerate(prototype.parameters):
        if parameter.type in pointers:
            return position
    raise ValueError(f"{prototype.name} has no pointer to TYPE for a generic to select on")


def load(folder: Path, version: str) -> Api:
    """Reads an API table; `version` replaces {VERSION} in its constants."""
    common = _read(folder / "common.toml")
    expander = Expander(common)
    constants = (
        Constants(row["text"], tuple(_constant(version, *words) for words in row["values"]))
        for row in common["constants"]
    )
    return Api(
        common["specification"],
        tuple(common["other_names"]),
        tuple(f for row in common.get("extensions", ()) for f in expander.form(row).functions),
        common["preamble"],
        tuple(Declaration(row["text"], row["c"]) for row in common["declarations"]),
        tuple(constants),
        tuple(expander.section(n, _read(folder / f"{n}.toml")) for n in common["sections"]),
    )


def _constant(version: str, name: str, value: str, handle: str | None = None) -> Constant:
    return Constant(name, value.replace("{VERSION}", version), handle)


def _read(path: Path) -> dict:
    return tomllib.loads(path.read_text(encoding="utf-8"))
