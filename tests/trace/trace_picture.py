"""Takes a picture of a trace file in Perfetto's user interface, without a network.

    python3 trace_picture.py PACKAGES TRACE PICTURE.png [--from MS] [--until MS] [--height PIXELS]
                             [--select NAME [--details]]

--select NAME selects the first visible slice of this name where a flow starts, and shows the flow.
PACKAGES is the folder that trace_processor.py describes. Needs chromium.
"""

import argparse
import functools
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from chromium import open_page
from trace_processor import interface_folder, open_trace

EXPAND_ALL = [{"id": "dev.perfetto.ExpandTracksByRegex", "args": [".*"]}]

# Ends when the trace is loaded and drawn. The user interface has waitForPerfettoIdle for tests.
DRAWN = """new Promise((resolve, reject) => {
  const look = () => {
    if (window.app?.trace) waitForPerfettoIdle(500).then(resolve, reject);
    else if (performance.now() > 60000) reject("the trace was not loaded within 60 s");
    else setTimeout(look, 50);
  };
  look();
})"""
SELECT = """app.trace.selection.selectSqlEvent(
  "slice", {slice}, {{switchToCurrentSelectionTab: {details}}})"""


class Handler(SimpleHTTPRequestHandler):
    """Serves the user interface, and the trace as /trace."""

    def __init__(self, trace: Path, *words, **more):
        self.trace = trace
        super().__init__(*words, **more)

    def translate_path(self, path: str) -> str:
        return str(self.trace) if path == "/trace" else super().translate_path(path)

    def log_message(self, *words) -> None:
        """Says nothing of requests."""


@contextmanager
def serve(trace: Path, pages: Path) -> Iterator[str]:
    """The address of the user interface."""
    handler = functools.partial(Handler, trace, directory=str(pages))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield "http://{}:{}".format(*server.server_address)
        server.shutdown()


def visible_time(processor, arguments) -> dict[str, int]:
    """What the user interface is to show, as it names that in links."""
    bounds = next(processor.query("select start_ts, end_ts from trace_bounds"))
    end = bounds.end_ts
    if arguments.end is not None:
        end = min(end, bounds.start_ts + int(arguments.end * 1e6))
    return {"visStart": bounds.start_ts + int(arguments.start * 1e6), "visEnd": end}


def first_flow(processor, name: str, view: dict[str, int]) -> int:
    """The first visible slice of this name where a flow starts."""
    quoted = name.replace("'", "''")
    found = processor.query(
        f"select id from slice where name = '{quoted}'"
        f" and ts between {view['visStart']} and {view['visEnd']}"
        " and id in (select slice_out from flow) order by ts limit 1"
    )
    for event in found:
        return event.id
    raise SystemExit(f"in the visible time no flow starts in a slice {name}")


def take_picture(arguments) -> bytes:
    with open_trace(arguments.trace, arguments.packages) as processor:
        view = visible_time(processor, arguments)
        selected = arguments.select and first_flow(processor, arguments.select, view)
    pages = interface_folder(arguments.packages).parent
    with serve(arguments.trace, pages) as address, open_page(1280, arguments.height) as page:
        link = {"url": f"{address}/trace", "hideSidebar": "true", **view}
        link["startupCommands"] = json.dumps(EXPAND_ALL)
        page.call("Page.navigate", url=f"{address}/#!/?{urlencode(link)}")
        page.evaluate(DRAWN)
        if selected is not None:
            details = json.dumps(arguments.details)
            page.evaluate(SELECT.format(slice=selected, details=details))
            page.evaluate(DRAWN)
        return page.picture()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=Path)
    parser.add_argument("trace", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--from", dest="start", type=float, default=0, metavar="MS")
    parser.add_argument("--until", dest="end", type=float, metavar="MS")
    parser.add_argument("--height", type=int, default=720, metavar="PIXELS")
    parser.add_argument("--select", metavar="NAME", help="a slice where a flow starts")
    parser.add_argument("--details", action="store_true", help="of the selected slice")
    arguments = parser.parse_args()
    arguments.picture.write_bytes(take_picture(arguments))


if __name__ == "__main__":
    main()
