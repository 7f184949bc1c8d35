"""Gondwana in gdb: `source PREFIX/share/gondwana/gdb/gondwana.py`, or a line of ~/.gdbinit.

gdb prints handles as the objects that they name, and `gondwana waiting` shows the call in which
each thread of a rank is. Both use only types of the program and names of functions. So they work on
a running rank, on a core file, and with a library without debugging information.
"""

import re
import struct

import gdb

LIBRARY_CALL = re.compile(r"_*p?(shmem_\w+)|_*(gex_\w+|gasnet\w*_\w+)|_*(P?ARMCI_\w+|armci_\w+)")
WAITING = re.compile(r"gondwana::(LongWait|Waiter)::")


class Number:
    """A handle that is a small number. Some numbers have names."""

    def __init__(self, value, kind, names):
        self.number = int(value)
        self.kind = kind
        self.names = names

    def to_string(self):
        return self.names.get(self.number, f"{self.kind} {self.number}")


def ranks_text(first, stride, size):
    """ "ranks 0-3", "ranks 0, 2, ..., 14": numbers in the world team."""
    if size == 1:
        return f"rank {first}"
    if stride == 0:
        return f"{size} ranks in a list, rank {first} first"
    last = first + stride * (size - 1)
    if stride == 1:
        return f"ranks {first}-{last}"
    begin = ", ".join(str(first + stride * place) for place in range(min(size - 1, 2)))
    return f"ranks {begin}{', ...' if size > 3 else ''}, {last}"


def members_of(number):
    """The ranks of a team of the library, or None if a core file lacks the memory."""
    shown = struct.Struct("=IiI")  # ShownTeam: first, stride, size
    try:
        teams, numbers, distance = (
            int(gdb.parse_and_eval(f"((unsigned long*)&gondwana_debug_teams)[{word}]"))
            for word in range(3))
        if not 0 < number < numbers:  # the world has a name; a variable may have any value
            return None
        place = teams + distance * number
        memory = gdb.selected_inferior().read_memory(place, shown.size)
    except gdb.error:
        return None
    first, stride, size = shown.unpack(bytes(memory))
    return ranks_text(first, stride, size) if size else None


class ShmemTeam(Number):
    """A handle is the number of the team in the library, plus one."""

    def __init__(self, value):
        super().__init__(value, "team", {
            0: "SHMEM_TEAM_INVALID", 1: "SHMEM_TEAM_WORLD", 2: "SHMEM_TEAM_SHARED"})

    def to_string(self):
        members = members_of(self.number - 1)
        return super().to_string() + (f": {members}" if members else "")


class GexTeam:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        if int(self.value) == 0:
            return "GEX_TM_INVALID"
        team = self.value.dereference()
        try:
            return f"team of {int(team['size'])} ranks, this is {int(team['rank'])}"
        except gdb.MemoryError:
            return f"no team: nothing is at {int(self.value):#x}"


class ArmciHandle:
    def __init__(self, value):
        self.transfer = int(value["gondwana_transfer"])
        self.aggregate = int(value["gondwana_aggregate"])

    def to_string(self):
        if self.aggregate:
            return f"aggregate {self.aggregate}, transfer {self.transfer}"
        return f"transfer {self.transfer}" if self.transfer else "no transfer"


PRINTERS = {
    "shmem_team_t": ShmemTeam,
    "shmem_ctx_t": lambda value: Number(value, "context", {
        0: "SHMEM_CTX_INVALID", 1: "SHMEM_CTX_DEFAULT"}),
    "gex_Event_t": lambda value: Number(value, "event at", {
        0: "GEX_EVENT_INVALID (complete)", 1: "GEX_EVENT_NO_OP"}),
    "gex_TM_t": GexTeam,
    "armci_hdl_t": ArmciHandle,
}


class Printers:
    """The list of printers that gdb expects: a name for `disable pretty-printer`, and a call."""

    name = "gondwana"
    enabled = True

    def __call__(self, value):
        """The handles are typedefs of pointer types."""
        found = value.type.unqualified()
        while found.name not in PRINTERS and found.code == gdb.TYPE_CODE_TYPEDEF:
            found = found.target().unqualified()
        make = PRINTERS.get(found.name)
        return make(value) if make else None


def place_of(frame):
    line = frame.find_sal()
    name = frame.name() or f"{frame.pc():#x}"
    return f"{name} at {line.symtab.filename}:{line.line}" if line.symtab else name


def call_of(frame):
    """The name of the library call of this frame, or None."""
    found = LIBRARY_CALL.fullmatch((frame.name() or "").split("(")[0])
    return next(filter(None, found.groups())) if found else None


def frames():
    frame = gdb.newest_frame()
    while frame is not None:
        yield frame
        try:
            frame = frame.older()
        except gdb.error:  # the stack is damaged, or the code has no unwind information
            return


def describe_thread():
    """The outermost library call on the stack is the one that the program made."""
    stack = list(frames())
    calls = [i for i, frame in enumerate(stack) if call_of(frame)]
    if not calls:
        return f"outside the library, {place_of(stack[0])}"
    last = calls[-1]
    waits = any(WAITING.match(frame.name() or "") for frame in stack[:last])
    caller = f", called by {place_of(stack[last + 1])}" if last + 1 < len(stack) else ""
    return f"{'waits' if waits else 'is'} in {call_of(stack[last])}{caller}"


class Gondwana(gdb.Command):
    """Commands about a rank of Gondwana."""

    def __init__(self):
        super().__init__("gondwana", gdb.COMMAND_STATUS, prefix=True)


class Waiting(gdb.Command):
    """Prints for each thread its library call and the place of that call in the program."""

    def __init__(self):
        super().__init__("gondwana waiting", gdb.COMMAND_STATUS)

    def invoke(self, _arguments, _from_terminal):
        selected = gdb.selected_thread()
        if selected is None:
            raise gdb.GdbError("no process: attach to a rank, or load a core file")
        frame = gdb.selected_frame()
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda one: one.num):
            thread.switch()
            gdb.write(f"thread {thread.num} {describe_thread()}\n")
        selected.switch()
        frame.select()


if not any(getattr(printer, "name", None) == Printers.name for printer in gdb.pretty_printers):
    gdb.pretty_printers.append(Printers())
Gondwana()
Waiting()
