"""Describes the run of a page: the command, its time, its machine and the load."""

import os
import platform
import time
from html import escape


def machine() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [
                line.partition(":")[2].strip() for line in lines if line.startswith("model name")
            ]
    except OSError:
        names = []
    model = f"{len(names)} x {names[0]}" if names else platform.machine()
    return f"{model}, {platform.system()} {platform.release()}"


def command_and_load(words: list[str]) -> tuple[str, float | None]:
    """`words`: the command line, and the load average before it began, as the command passes them.
    A user that makes the page again passes neither.
    """
    try:
        return (words[0] if words else ""), float(words[1]) if len(words) > 1 else None
    except ValueError:
        return words[0], None


def as_html(words: list[str], ranks: int) -> str:
    """These facts as HTML. `ranks`: the ranks on this machine."""
    command, load = command_and_load(words)
    processors = len(os.sched_getaffinity(0))
    lines = [f"<code>{escape(command)}</code>"] if command else []
    lines.append(time.strftime("%Y-%m-%d %H:%M %Z"))
    lines.append(escape(machine()))
    if load is not None:
        lines.append(f"load average before it began: {load:.2f}, on {processors} processors")
    return "<p>" + "<br>\n".join(lines) + "</p>\n" + _warning(load, ranks, processors)


def _warning(load: float | None, ranks: int, processors: int) -> str:
    warnings = []
    if load is not None and load > 0.5 and load + ranks > processors:
        warnings.append(
            f"other programs kept about {min(load, processors):.1f} of {processors} processors "
            "busy: times on this page are unreliable; measure again on an idle machine"
        )
    if ranks > processors:
        warnings.append(f"{ranks} ranks share {processors} processors: each waits for its turn")
    return "".join(
        f'<p class="warning"><strong>Warning:</strong> {text}.</p>\n' for text in warnings
    )
