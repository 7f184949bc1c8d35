"""Runs a command with refused system calls: `seccomp.py CALL... -- COMMAND...`.

Each CALL fails with EPERM, as in containers that allow a list of system calls. The processes that
the command starts inherit the filter. Exits with status 77 where no filter can be set.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    "x86_64": {"membarrier": 324, "pidfd_open": 434, "process_vm_readv": 310,
               "process_vm_writev": 311},
    "aarch64": {"membarrier": 283, "pidfd_open": 434, "process_vm_readv": 270,
                "process_vm_writev": 271},
}
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # opcodes of the kernel's packet filters
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM


def instructions(numbers: list[int]) -> bytes:
    """The number of the call is the first word of the input of a filter."""
    refuse = [(JUMP_IF_EQUAL, len(numbers) - i, 0, n) for i, n in enumerate(numbers)]
    program = [(LOAD_WORD, 0, 0, 0), *refuse, (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("HBBI", *one) for one in program)


def install(numbers: list[int]) -> None:
    code = ctypes.create_string_buffer(instructions(numbers))
    count = (len(code) - 1) // 8
    program = ctypes.create_string_buffer(struct.pack("HP", count, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, FILTER, program, 0, 0
    ):
        give_up(f"no seccomp filter: {os.strerror(ctypes.get_errno())}")


def give_up(reason: str) -> None:
    print(f"seccomp.py: {reason}", file=sys.stderr)
    sys.exit(77)


if __name__ == "__main__":
    end = sys.argv.index("--")
    known = NUMBERS.get(platform.machine())
    if known is None:
        give_up(f"numbers of system calls on {platform.machine()} are unknown")
    install([known[name] for name in sys.argv[1:end]])
    os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])
