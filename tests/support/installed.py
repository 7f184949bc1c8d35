"""Uses an installed Gondwana as users do: small programs, a CMake project, commands."""

import os
import subprocess

WATCHDOG = 240  # seconds: against hangs only

# Variables that the build or the user of the tests may have set, and that users do not have.
UNWANTED = (
    *("GASNET_", "GONDWANA_", "SHMEM_", "OSHCC_", "CMAKE_", "CTEST_", "PYTHON", "PIP_"),
    *("DESTDIR", "LD_", "CFLAGS", "LDFLAGS", "PKG_CONFIG"),
)

# Prints on rank 0 the sum of the numbers of all ranks, counted from 1.
PROGRAM = """\
#include <shmem.h>
#include <stdio.h>
static int sum;
int main(void) {
  shmem_init();
  shmem_int_atomic_add(&sum, shmem_my_pe() + 1, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("%d\\n", sum);
  shmem_finalize();
}
"""

CMAKE_PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(hello C)
find_package(Gondwana REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE Gondwana::shmem)
"""


def plain_environment() -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith(UNWANTED)}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command, variables=None, **more) -> subprocess.CompletedProcess:
    """Runs with a plain environment and these variables."""
    return subprocess.run(
        command,
        env={**plain_environment(), **(variables or {})},
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
        **more,
    )


def run_well(*command, **more) -> str:
    """The output of a command that must succeed."""
    done = run(*command, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout
