"""compile_times.py BUILD: no file may take the compiler more than 7 times as long as {fmt}, which is compiled once for
all. A new file that does contains too much, or includes too much.

Reads ninja's log of the last build of each object. Other processes were running then, so the slowest
files are compiled again, and the processor time is compared with that of {fmt} on this machine."""

import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

CONTROL = "src/core/format/fmt.cpp"
LIMIT = 7  # times the processor time of CONTROL
AT_MOST = 4  # files are compiled once more


def noted_times(build):
    times = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        begin, end, _, target, _ = line.split("\t")
        times[target] = (int(end) - int(begin)) / 1000
    return times


def output_of(words):
    return words[words.index("-o") + 1]


def processor_time(entry):
    words = [word for word in shlex.split(entry["command"]) if Path(word).name != "ccache"]
    with tempfile.TemporaryDirectory() as folder:
        words[words.index("-o") + 1] = f"{folder}/object"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, cwd=entry["directory"], check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    build = Path(sys.argv[1])
    times = noted_times(build)
    entries = json.loads((build / "compile_commands.json").read_text())
    control = next(entry for entry in entries if entry["file"].endswith(CONTROL))
    longest_first = sorted(
        entries,
        key=lambda entry: -times.get(output_of(shlex.split(entry["command"])), 0),
    )
    most = LIMIT * processor_time(control)
    slow = []
    for entry in longest_first[:AT_MOST]:
        noted = times.get(output_of(shlex.split(entry["command"])), 0)
        if noted > most and (cost := processor_time(entry)) > most:
            slow.append(f"{os.path.relpath(entry['file'])}: {cost:.1f} s, and {most:.1f} s is the most")
    print(*slow, sep="\n", end="\n" if slow else "")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
