"""Writes the pages about all routines: shmem(7), the index, and shmem_types(7)."""

from collections.abc import Iterator

from table import Api, Type

from manual import roff
from manual.family import CONCEPTS
from manual.page import Page

TYPES_TEXT = """
The routines that move or combine typed data exist once for every type. In the synopsis of their
pages *TYPENAME* is the part of the name and *TYPE* the type of C or C++ that goes with it:
shmem_TYPENAME_put is shmem_double_put for `double` and shmem_longlong_put for `long long`.

A program in C11 or C++ can leave the name of the type out: shmem_put selects by the type of the
object that its first pointer leads to. Types that are another name of a type in the list, such as
`int64_t`, which is `long` or `long long`, need no selection of their own.
"""


def index_lines(api: Api, pages: list[Page]) -> Iterator[str]:
    """shmem(7): every routine, by section, with one sentence."""
    prose = roff.Prose()
    yield from (".SH NAME", rf"shmem \- the routines of {api.specification}")
    yield ".SH DESCRIPTION"
    yield from prose.lines(api.preamble)
    for section in api.sections:
        yield roff.heading(section.title.upper())
        if section.text:
            yield from prose.lines(section.text)
        for page in (page for page in pages if page.section is section):
            terms = ", ".join(f"`{name}`" for name in page.listed)
            yield from roff.tagged(prose.inline(terms), prose.inline(page.summary))
    links = ", ".join(("gondwana(1)", *CONCEPTS, "shmem_environment(7)", "oshcc(1)", "oshrun(1)"))
    yield from (".SH SEE ALSO", prose.inline(links))


def type_lines(pages: list[Page]) -> Iterator[str]:
    """shmem_types(7): what each TYPENAME is, and which routines exist for which."""
    prose = roff.Prose()
    yield from (".SH NAME", r"shmem_types \- the types that typed routines exist for")
    yield ".SH DESCRIPTION"
    yield from prose.lines(TYPES_TEXT)
    sets = _users_of_type_sets(pages)
    yield roff.heading("NAMES AND TYPES")
    for type_ in dict.fromkeys(type_ for types in sets for type_ in types):
        spelled = f"`{type_.c}`"
        if type_.cxx != type_.c:
            spelled += f", in C++ `{type_.cxx}`"
        yield from roff.tagged(roff.bold(type_.name), prose.inline(spelled))
    yield roff.heading("TYPES OF EACH ROUTINE")
    for types, users in sets.items():
        yield from (".PP", prose.inline(", ".join(f"`{name}`" for name in users) + ":"))
        names = ", ".join(type_.name for type_ in types)
        yield from (".RS 4", prose.inline(f"{names} ({len(types)} types)"), ".RE")
    yield from (".SH SEE ALSO", prose.inline("shmem(7)"))


def _users_of_type_sets(pages: list[Page]) -> dict[tuple[Type, ...], list[str]]:
    sets: dict[tuple[Type, ...], list[str]] = {}
    for page in pages:
        for pattern in (pattern for pattern in page.patterns if pattern.types):
            users = sets.setdefault(pattern.types, [])
            name = pattern.generic or pattern.name
            if name not in users:
                users.append(name)
    return sets
