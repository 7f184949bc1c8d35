"""The layout of generated C and C++: comments, wrapped lines, prototypes."""

import textwrap
from dataclasses import replace

from table import Prototype

WIDTH = 100
CONTINUATION = 6  # the indentation of arguments that do not fit after an opening parenthesis


def comment(text: str) -> str:
    """A block comment. In `text`, blank lines separate paragraphs, and "- " starts an item."""
    lines = []
    for paragraph in text.strip().split("\n\n"):
        indent = "  " if paragraph.startswith("- ") else ""
        lines += textwrap.wrap(" ".join(paragraph.split()), WIDTH - 3, subsequent_indent=indent)
        lines.append("")
    if len(lines) == 2 and len(lines[0]) <= WIDTH - 6:
        return f"/* {lines[0]} */"
    body = "\n".join(f" * {line}".rstrip() for line in lines[:-1])
    return f"/*\n{body}\n */"


def banner(title: str) -> str:
    return f"/* {'-' * 10} {title} {'-' * (WIDTH - len(title) - 18)} */"


def declaration(prototype: Prototype, suffix: str) -> str:
    """A prototype, on one line or with a line for each parameter; `suffix` is ";" or " {"."""
    parameters = [str(parameter) for parameter in prototype.parameters] or ["void"]
    return hanging(f"{prototype.returns} {prototype.name}(", parameters, f"){suffix}")


def hanging(head: str, items: list[str], tail: str, width: int = WIDTH) -> str:
    """`head`, the comma-separated items and `tail`; items on further lines align with the first."""
    pieces = [f"{item}," for item in items[:-1]] + [items[-1] + tail]
    indent = len(head)
    lines = [head + pieces[0]]
    if indent + max(map(len, pieces)) > width:
        indent = CONTINUATION
        lines = [head, " " * indent + pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= width:
            lines[-1] += " " + piece
        else:
            lines.append(" " * indent + piece)
    return "\n".join(lines)


def statement(prototype: Prototype, callee: str, arguments: list[str]) -> str:
    """The only statement of a function with this prototype: it calls `callee`."""
    returns = "" if prototype.returns == "void" else "return "
    return hanging(f"  {returns}{callee}(", arguments, ");")


def named(prototype: Prototype, name: str) -> Prototype:
    return replace(prototype, name=name)
