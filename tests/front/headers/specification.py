"""What OpenSHMEM 1.6 declares, read from openshmem_1_6.txt, not from the API tables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LINES = Path(__file__).resolve().parent / "openshmem_1_6.txt"

C_TYPES = {
    "char": "char",
    "schar": "signed char",
    "short": "short",
    "int": "int",
    "long": "long",
    "longlong": "long long",
    "ptrdiff": "ptrdiff_t",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "ulonglong": "unsigned long long",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "size": "size_t",
    "float": "float",
    "double": "double",
    "longdouble": "long double",
    "complexd": "double _Complex",
    "complexf": "float _Complex",
}
CXX_TYPES = C_TYPES | {"complexd": "std::complex<double>", "complexf": "std::complex<float>"}

REAL = "float double longdouble"
COMPLEX = "complexd complexf"
UNSIGNED_ATOMIC = "uint ulong ulonglong int32 int64 uint32 uint64"
STANDARD = f"int long longlong {UNSIGNED_ATOMIC} size ptrdiff"
REDUCE_BITWISE = (
    "uchar ushort uint ulong ulonglong int8 int16 int32 int64 uint8 uint16 uint32 uint64 size"
)
REDUCE_ORDER = f"char schar short int long longlong ptrdiff {REDUCE_BITWISE} {REAL}"
SIGNED = "short int long longlong"

MATRICES = {
    "rma": REDUCE_ORDER,  # the same 24 types
    "standard": STANDARD,
    "extended": f"float double {STANDARD}",
    "bitwise": UNSIGNED_ATOMIC,
    "wait": f"short ushort {STANDARD}",
    "reduce bitwise": REDUCE_BITWISE,
    "reduce order": REDUCE_ORDER,
    "reduce arithmetic": f"{REDUCE_ORDER} {COMPLEX}",
    "old standard": "int long longlong",
    "old extended": "float double int long longlong",
    "old wait": SIGNED,
    "old reduce bitwise": SIGNED,
    "old reduce order": f"{SIGNED} {REAL}",
    "old reduce arithmetic": f"{SIGNED} {REAL} {COMPLEX}",
}
SIZES = (8, 16, 32, 64, 128)

RENAMED = """
    SYNC_VALUE BARRIER_SYNC_SIZE BCAST_SYNC_SIZE COLLECT_SYNC_SIZE REDUCE_SYNC_SIZE
    REDUCE_MIN_WRKDATA_SIZE MAJOR_VERSION MINOR_VERSION MAX_NAME_LEN VENDOR_STRING
    CMP_EQ CMP_NE CMP_LT CMP_LE CMP_GT CMP_GE
"""
HANDLES = "TEAM_INVALID TEAM_WORLD TEAM_SHARED CTX_INVALID CTX_DEFAULT"
CONSTANTS = f"""
    {RENAMED} SYNC_SIZE ALLTOALL_SYNC_SIZE ALLTOALLS_SYNC_SIZE
    THREAD_SINGLE THREAD_FUNNELED THREAD_SERIALIZED THREAD_MULTIPLE
    {HANDLES} TEAM_NUM_CONTEXTS
    CTX_PRIVATE CTX_SERIALIZED CTX_NOSTORE
    CTX_SESSION_BATCH CTX_SESSION_TOTAL_OPS SIGNAL_SET SIGNAL_ADD
    MALLOC_ATOMICS_REMOTE MALLOC_SIGNAL_REMOTE
"""


def constants() -> set[str]:
    """Constants and predefined handles, and the deprecated names of some."""
    old = {f"_SHMEM_{name}" for name in RENAMED.split()}
    return old | {f"SHMEM_{name}" for name in CONSTANTS.split()}


@dataclass(frozen=True)
class Line:
    matrix: str
    generic: bool
    text: str

    def expanded(self, cxx: bool) -> Iterator[str]:
        """Its prototypes, with the types as C or C++ spells them."""
        if self.matrix == "none":
            yield self.text
        elif self.matrix == "sizes":
            yield from (self.text.replace("SIZE", str(bits)) for bits in SIZES)
        else:
            for name in MATRICES[self.matrix].split():
                text = self.text.replace("TYPENAME", name)
                yield text.replace("TYPE", (CXX_TYPES if cxx else C_TYPES)[name])


def lines() -> list[Line]:
    found, matrix = [], ""
    for text in LINES.read_text(encoding="utf-8").splitlines():
        if text.startswith("["):
            matrix = text.strip("[]")
        elif text and not text.startswith("#"):
            kind, prototype = text.split(maxsplit=1)
            found.append(Line(matrix, kind == "C11", prototype))
    return found


def functions(cxx: bool = False) -> list[str]:
    """The prototype of every C function."""
    return [text for line in lines() if not line.generic for text in line.expanded(cxx)]


def generics(cxx: bool = False) -> list[str]:
    """The prototype of every generic, once for each type that it takes."""
    return [text for line in lines() if line.generic for text in line.expanded(cxx)]


def name_of(prototype: str) -> str:
    return re.search(r"(\w+)\(", prototype)[1]


def parameters_of(prototype: str) -> list[str]:
    """The names of its parameters."""
    inside = prototype[prototype.index("(") + 1 : -1]
    return [re.search(r"(\w+)$", part)[1] for part in inside.split(", ") if part != "void"]
