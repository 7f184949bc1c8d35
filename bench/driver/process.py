"""Runs one program of the benchmark with a timeout."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from driver.figures import Figure, parse

TIMEOUT_S = 60
TERM_GRACE_S = 5


class RunError(Exception):
    """A program printed no figures; the text names the program and the reason."""


def end(process: subprocess.Popen) -> None:
    """Ends a process and its group. A launcher first gets time to end its ranks."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.communicate(timeout=TERM_GRACE_S)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def output_of(command: Sequence[str | Path], environment: Mapping[str, str]) -> str:
    """Runs a command and returns its output. Raises RunError."""
    words = [str(word) for word in command]
    try:
        process = subprocess.Popen(words, env={**os.environ, **environment}, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
    except OSError as error:
        raise RunError(f"{words[0]} does not start: {error.strerror}") from error
    try:
        output, errors = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise RunError(f"no answer in {TIMEOUT_S} s: {' '.join(words)}") from error
    finally:
        if process.returncode is None:
            end(process)
    if process.returncode != 0:
        last = " / ".join(errors.strip().splitlines()[-2:])
        raise RunError(f"status {process.returncode}: {' '.join(words)}: {last}")
    return output


def run(command: Sequence[str | Path], environment: Mapping[str, str]) -> list[Figure]:
    """Runs a command and returns the figures it prints. Raises RunError."""
    figures = parse(output_of(command, environment))
    if not figures:
        raise RunError(f"no figures: {' '.join(map(str, command))}")
    return figures


@contextmanager
def busy_loops(program: Path, count: int) -> Iterator[None]:
    """Keeps `count` processors busy with an unrelated program."""
    loops = [subprocess.Popen([str(program), str(10 * TIMEOUT_S)]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
