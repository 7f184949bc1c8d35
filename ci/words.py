"""The words that this project does not use, and the files that may contain them.

People of the field read the code and the documents. Words that only this project uses cost them
time, as sentences without a subject do.
"""

import re
from collections.abc import Iterator

# In comments, documents and messages. The second column is the replacement.
PROSE = [
    (r"who(?:m|ever)?", "the rank, the process, the caller: name what acts"),
    (r"some(?:body|one)", "another rank, a process, a user: name what acts"),
    (r"so many", "that many, at most N"),
    (r"such an?", "this, that, one like it"),
    (r"taken for", "mistaken for, counted as, assumed"),
    (r"far ends?", "remote launcher, remote"),
    (r"cards?", "information, address"),
    (r"parcels?", "buffer, item"),
    (r"pati(?:ence|ent)", "timeout, wait policy"),
    (r"purse", "credit cache"),
    (r"crowd(?:ed)?|roomy", "oversubscribed"),
    (r"manners", "behaviour, options"),
]

# In names: parts of words that an underscore or a capital letter separates.
NAMES = [
    (r"far_end|FarEnd|far_input", "remote"),
    (r"is_watched", "checks_enabled"),
    (r"(?:Rank|Node)Card|Cards", "EndpointInfo, NodeInfo"),
    (r"Parcel|Letter", "Buffer, Header"),
    (r"Patience|patience_ms", "WaitPolicy, timeout_ms"),
    (r"Crowd|roomy", "Processors, is_oversubscribed"),
    (r"Seats?", "ThreadSlot"),
    (r"Verdict|Shown|Spot|Trouble|exit_trouble", "Diagnosis, Address, Error: what it is"),
    (r"Meeting|Reception|Knock|Visit", "Rendezvous, Server, Hello, Client"),
    (r"purse", "credit_cache"),
]

# Beginnings of paths that are not read, each with its reason.
EXCEPTIONS = {
    "CHANGELOG.md": "history stays as it was written",
    "LICENSE": "not ours",
    "ci/words.py": "names the words",
    "tests/codegen/words_test.py": "names the words",
    "include/shmem": "generated from api/",
    "include/pshmem": "generated from api/",
}

PROSE_PATTERNS = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), other) for words, other in PROSE]
NAME_PATTERNS = [(re.compile(rf"\b(?:\w*_)?(?:{names})(?:_|\b)"), other) for names, other in NAMES]

CPP = re.compile(r'//.*|"(?:[^"\\]|\\.)*"|^\s*/?\*.*')
QUOTED_CODE = re.compile(r"`[^`]*`")


def prose_of_line(name: str, line: str) -> str:
    """The text in the line; the rest is code."""
    if name.endswith((".c", ".h", ".cpp", ".hpp")):
        return " ".join(CPP.findall(line))
    return line


def findings(name: str, lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """The line number, the word and its replacement, for each wrong word of the file."""
    if name.startswith(tuple(EXCEPTIONS)):
        return
    is_example = False
    for number, line in enumerate(lines, start=1):
        if name.endswith(".md") and line.lstrip().startswith("```"):
            is_example = not is_example
        if is_example:
            continue
        prose = QUOTED_CODE.sub("", prose_of_line(name, line))
        for pattern, other in PROSE_PATTERNS:
            if match := pattern.search(prose):
                yield number, match[0], other
        if not name.endswith(".md"):
            for pattern, other in NAME_PATTERNS:
                if match := pattern.search(line):
                    yield number, match[0], other
