"""Writes roff, the language of manual pages, from the small part of Markdown that docs/man uses.

## and ###       section and subsection
- item           list; "- `term` ...: text" explains a term
``` ... ```      verbatim
[x](path)        alone on a line: the file, verbatim; found from the folder given
`code` *argument* **strong**; names of routines, variables and pages are found without marks
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

INLINE = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|(?<![\w*])\*(?P<argument>[^\s*](?:[^*]*[^\s*])?)\*(?![\w*])"
    r'|"(?P<quoted>\w+)"'
    r"|(?P<page>\b[\w+-]+)\((?P<number>[1-8])\)"
    r"|(?P<name>\b(?:p?shmemx?|SHMEMX?|SMA|GONDWANA|OSHCC|OSHCXX)_\w*\*?|\bstart_pes\b)"
)
INCLUDE = re.compile(r"\[[^]]*\]\(([\w./-]+)\)")
TERM = re.compile(r"(`[^`]+`[^:]*):\s+(.+)", re.DOTALL)
# What typesetters would turn into another character, in text that is to be typed as it stands.
LITERAL = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}


@dataclass(frozen=True)
class Prose:
    """How text is turned into roff: where it finds files, and which quoted words are arguments."""

    folder: Path | None = None
    arguments: frozenset[str] = frozenset()

    def lines(self, text: str) -> Iterator[str]:
        """The roff of `text`, line by line, without the head of a page."""
        for block in _blocks(text):
            yield from self._block(block)

    def inline(self, text: str) -> str:
        """One paragraph's text on one line."""
        text = " ".join(text.split())
        parts, end = [], 0
        for match in INLINE.finditer(text):
            parts += [_escape(text[end : match.start()]), self._mark(match)]
            end = match.end()
        return guard("".join(parts) + _escape(text[end:]))

    def _mark(self, match: re.Match) -> str:
        if match["argument"]:
            return italic(match["argument"])
        if match["quoted"]:
            known = match["quoted"] in self.arguments
            return italic(match["quoted"]) if known else _escape(match[0])
        if match["page"]:
            return _whole(match, bold(match["page"])) + f"({match['number']})"
        if match["name"]:
            return _whole(match, bold(match["name"]))
        return bold(match["code"] or match["strong"])

    def _block(self, block: str) -> Iterator[str]:
        if block.startswith("### "):
            yield f".SS {_escape(block[4:])}"
        elif block.startswith("## "):
            yield heading(_escape(block[3:]))
        elif block.startswith("```"):
            yield from verbatim(block.split("\n", 1)[1].rsplit("\n", 1)[0])
        elif block.startswith("- "):
            yield from self._items(block)
        elif match := INCLUDE.fullmatch(block):
            yield from verbatim((self.folder / match[1]).read_text(encoding="utf-8"))
        else:
            yield ".PP"
            yield self.inline(block)

    def _items(self, block: str) -> Iterator[str]:
        for item in re.split(r"\n- ", block[2:]):
            if match := TERM.fullmatch(item):
                yield from tagged(self.inline(match[1]), self.inline(match[2]))
            else:
                yield from (r".IP \(bu 3", self.inline(item))


def tagged(term: str, text: str) -> list[str]:
    """An entry of a list of explained terms; both are roff."""
    return [".TP", term, text]


def verbatim(text: str) -> list[str]:
    code = (guard(literal(line)) or r"\&" for line in text.rstrip("\n").split("\n"))
    return [".PP", ".in +4n", ".EX", *code, ".EE", ".in"]


def heading(title: str) -> str:
    return f".SH {title}"  # all the words of the line are the title


def bold(text: str) -> str:
    return rf"\fB{literal(text)}\fR"


def italic(text: str) -> str:
    return rf"\fI{literal(text)}\fR"


def literal(text: str) -> str:
    return "".join(LITERAL.get(character, character) for character in text)


def guard(line: str) -> str:
    """A line of text that begins like a request must not count as one."""
    return rf"\&{line}" if line.startswith((".", "'")) else line


def _whole(match: re.Match, marked: str) -> str:
    """Not to be hyphenated. Inside a word the same mark allows it, so only at the beginning."""
    at_beginning = match.string[: match.start()][-1:].strip() == ""
    return rf"\%{marked}" if at_beginning else marked


def _escape(text: str) -> str:
    return text.replace("\\", r"\e").replace(" - ", r" \- ")


def _blocks(text: str) -> Iterator[str]:
    """Parts `text` at blank lines, but not inside a fence; headings stand alone."""
    block: list[str] = []
    fenced = False
    for line in [*text.strip("\n").split("\n"), ""]:
        fence = line.startswith("```")
        ends = not fenced and (not line.strip() or fence or line.startswith("#"))
        if ends and block:
            yield "\n".join(block)
            block = []
        if line.strip() or fenced:
            block.append(line)
        if (fence and fenced) or (line.startswith("#") and not fenced):
            yield "\n".join(block)
            block = []
        fenced ^= fence
