"""Routines with a number of arguments: one for each number, and a macro that counts."""

from dataclasses import replace

from layout import declaration, hanging
from table import Parameter, Prototype

from gasnet.tables import COUNT, MOST_ARGUMENTS, Row, Table

ARGUMENT = "gex_AM_Arg_t"


def routines(row: Row) -> str:
    """The routines with 0 to 16 arguments, and behind them the macro without a number."""
    parts = [_routine(row, count) for count in range(MOST_ARGUMENTS + 1)]
    return "\n".join([*parts, _counting(row)])


def pickers(table: Table) -> str:
    """The macros that find a routine's name by how many arguments follow the first ones."""
    fixed = sorted({len(_prototype(row, 0).parameters) for row in table.rows if row.is_counted})
    return "\n".join(_picker(table, number) for number in fixed)


def _prototype(row: Row, count: int) -> Prototype:
    prototype = Prototype.parse(row.c.replace(COUNT, str(count)))
    arguments = tuple(Parameter(ARGUMENT, f"arg{i}") for i in range(count))
    return replace(prototype, parameters=prototype.parameters + arguments)


def _routine(row: Row, count: int) -> str:
    prototype = _prototype(row, count)
    returns = "(void)" if prototype.returns == "void" else "return "
    names = ", ".join(f"arg{i}" for i in range(count))
    array = [hanging(f"  const {ARGUMENT} args[] = {{", names.split(", "), "};")] if count else []
    arguments = f"{count}, args" if count else "0, NULL"
    inline = replace(prototype, returns=f"static inline {prototype.returns}")
    head, _, tail = row.call.replace("ARGUMENTS", arguments).partition("(")
    call = hanging(f"  {returns}{head}(", tail.removesuffix(")").split(", "), ");")
    return "\n".join([declaration(inline, " {"), *array, call, "}"])


def _counting(row: Row) -> str:
    """gex_AM_RequestShort(tm, ...) is gex_AM_RequestShort0(tm, ...) to gex_AM_RequestShort16."""
    prototype = _prototype(row, 0)
    names = [_prototype(row, count).name for count in range(MOST_ARGUMENTS, -1, -1)]
    name = prototype.name.replace("0", "", 1)
    picked = hanging(
        f"  {_picker_name(row, prototype)}(", ["__VA_ARGS__", *names, "0"], ")(__VA_ARGS__)", 98
    )
    lines = [f"#define {name}(...)", *picked.split("\n")]
    return " \\\n".join(lines)


def _picker_name(row: Row, prototype: Prototype) -> str:
    prefix = "GONDWANA_GASNET" if prototype.name.startswith("gasnet_") else "GONDWANA_GEX"
    return f"{prefix}_PICK_{len(prototype.parameters)}"


def _picker(table: Table, fixed: int) -> str:
    sample = next(row for row in table.rows if len(_prototype(row, 0).parameters) == fixed)
    name = _picker_name(sample, _prototype(sample, 0))
    given = [f"f{i}" for i in range(fixed)] + [f"a{i}" for i in range(MOST_ARGUMENTS)]
    head = hanging(f"#define {name}(", [*given, "name", "..."], ") name", 98)
    return " \\\n".join(head.split("\n"))
