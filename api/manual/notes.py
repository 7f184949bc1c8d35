"""Reads the hand-written notes of docs/man that belong to generated pages."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from manual.roff import TERM


@dataclass(frozen=True)
class Notes:
    """What stands in docs/man beside the pages that are written whole."""

    folder: Path
    arguments: tuple[tuple[str, dict[str, str]], ...]  # patterns of pages, their arguments
    returns: tuple[tuple[str, str], ...]  # pattern of routines, what they return
    remarks: dict[str, dict[str, str]]  # routine, section of its page, text

    def argument(self, page: str, name: str) -> str | None:
        """What an argument means: as the last group says that is about this page."""
        meanings = (
            group[name]
            for patterns, group in reversed(self.arguments)
            if name in group and _matches(page, patterns)
        )
        return next(meanings, None)

    def returned(self, routine: str) -> str | None:
        return next((text for pattern, text in self.returns if fnmatchcase(routine, pattern)), None)

    def remark(self, routines: list[str], section: str) -> str:
        """The text of one section that was written for any of a page's routines."""
        texts = (
            self.remarks[routine].get(section) for routine in routines if routine in self.remarks
        )
        return "\n\n".join(text for text in texts if text)


def read(folder: Path) -> Notes:
    arguments = sections((folder / "arguments.md").read_text(encoding="utf-8"))
    returns = (folder / "returns.md").read_text(encoding="utf-8")
    return Notes(
        folder,
        tuple((patterns, dict(terms(text))) for patterns, text in arguments.items()),
        tuple(terms(returns)),
        {path.stem: sections(path.read_text("utf-8")) for path in folder.glob("families/*.md")},
    )


def sections(text: str) -> dict[str, str]:
    """Heading and text of each "## " section; what stands before the first is a title."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return {title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def terms(text: str) -> list[tuple[str, str]]:
    """The pairs of a list of "- `term`, `term`: text" items, one for each term."""
    pairs = []
    for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:]:
        match = TERM.fullmatch(item.strip())
        if match is None:
            raise ValueError(f'"- {item.strip()}" explains no `term`')
        pairs += [(term, match[2]) for term in re.findall(r"`([^`]+)`", match[1])]
    return pairs


def _matches(page: str, patterns: str) -> bool:
    return any(fnmatchcase(page, pattern) for pattern in patterns.split(", "))
