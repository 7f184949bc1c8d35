#!/usr/bin/env python3
"""On aarch64 the inline puts and gets of GASNet-EX are ordered with what the caller does next.

A peer that sees a flag stored after a completed put must see the put. Loads after a get must not
return older data than the get. x86 orders both by itself, so only the aarch64 instructions show
it.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"
HERE = "/usr/include/x86_64-linux-gnu"  # these headers of the C library suit other machines too
OTHER_HEADERS = {  # headers that do not
    "bits/wordsize.h": "#define __WORDSIZE 64\n#define __WORDSIZE_TIME64_COMPAT32 0\n",
    "gnu/stubs-32.h": "",
}
COMPILERS = [
    ["aarch64-linux-gnu-gcc"],
    ["clang-19", "--target=aarch64-linux-gnu", f"-I{HERE}"],
    ["clang", "--target=aarch64-linux-gnu", f"-I{HERE}"],
]
CALLS = """
#include <gasnetex.h>
#define CALLER(kind, size)                                                            \\
  int put_##kind(gex_TM_t tm, gex_Rank_t rank, void* there, void* here) {             \\
    return gex_RMA_PutBlocking(tm, rank, there, here, size, 0);                       \\
  }                                                                                   \\
  int get_##kind(gex_TM_t tm, gex_Rank_t rank, void* there, void* here) {             \\
    return gex_RMA_GetBlocking(tm, here, rank, there, size, 0);                       \\
  }
CALLER(word, 8)
CALLER(bytes, 24)
int put_value(gex_TM_t tm, gex_Rank_t rank, void* there, gex_RMA_Value_t value) {
  return gex_RMA_PutBlockingVal(tm, rank, there, value, 8, 0);
}
gex_RMA_Value_t get_value(gex_TM_t tm, gex_Rank_t rank, void* there) {
  return gex_RMA_GetBlockingVal(tm, rank, there, 8, 0);
}
"""


def assembler() -> str:
    """The assembly of CALLS; empty without a compiler for aarch64."""
    for compiler in COMPILERS:
        if shutil.which(compiler[0]) is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "calls.c"
            source.write_text(CALLS, encoding="utf-8")
            for name, text in OTHER_HEADERS.items():
                stub = Path(folder) / name
                stub.parent.mkdir()
                stub.write_text(text, encoding="utf-8")
            command = [compiler[0], f"-I{folder}", *compiler[1:], f"-I{INCLUDE}"]
            command += ["-O2", "-DGASNET_SEQ=1", "-S", "-o", "-"]
            ran = subprocess.run(
                [*command, source], capture_output=True, text=True, timeout=60, check=False
            )
            if ran.returncode == 0:
                return ran.stdout
    return ""


def instructions(text: str, function: str) -> list[str]:
    pattern = rf"^{function}:[^\n]*\n(.*?)^\s*\.size\s+{function},"
    body = re.search(pattern, text, re.MULTILINE | re.DOTALL)[1]
    return [line.split("//")[0].strip() for line in body.splitlines() if line.startswith("\t")]


class GasnetOrderTest(unittest.TestCase):
    def barriers(self, function: str) -> list[str]:
        return [text for text in instructions(TEXT, function) if text.startswith("dmb")]

    def test_what_follows_a_put_is_stored_after_it(self):
        for function in ("put_word", "put_bytes", "put_value"):
            self.assertIn("dmb\tish", self.barriers(function), function)

    def test_what_follows_a_get_is_done_after_it(self):
        for function in ("get_word", "get_bytes", "get_value"):
            self.assertIn("dmb\tishld", self.barriers(function), function)


if __name__ == "__main__":
    TEXT = assembler()
    if not TEXT:
        print("skipped: no compiler here makes code for aarch64")
        sys.exit(77)
    unittest.main()
