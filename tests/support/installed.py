"""What users do with Gondwana where it is installed: small programs, a project of CMake, commands."""

import os
import subprocess

WATCHDOG = 240  # seconds: against hangs only

# What is set here for the build or by whoever runs the tests is not what users have.
UNWANTED = (
    *("GASNET_", "GONDWANA_", "SHMEM_", "OSHCC_", "CMAKE_", "CTEST_", "PYTHON", "PIP_"),
    *("DESTDIR", "LD_", "CFLAGS", "LDFLAGS", "PKG_CONFIG"),
)

# Says on rank 0 what the numbers of all ranks sum up to, counted from 1.
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
    """With a plain environment and these variables."""
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
    """What a command that must succeed prints."""
    done = run(*command, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout
