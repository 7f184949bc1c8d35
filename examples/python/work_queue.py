"""Tasks of very different length, handed out by one counter.

A free rank takes the next number from rank 0, by fetch_add, and writes its result into the
array of rank 0. No rank serves the others, and none waits while there is work.
"""

import argparse
import sys

import gondwana
import numpy as np


def collatz(start):
    """How many steps the number takes to 1, halved if even and else tripled plus one."""
    steps = 0
    while start != 1:
        start = start // 2 if start % 2 == 0 else 3 * start + 1
        steps += 1
    return steps


def main():
    arguments = argparse.ArgumentParser(description="a queue of tasks")
    arguments.add_argument("--tasks", type=int, default=300, help="how many")
    arguments.add_argument("--width", type=int, default=50, help="numbers of a task")
    options = arguments.parse_args()

    next_task = gondwana.zeros(1, np.int64)
    longest = gondwana.zeros(options.tasks, np.int64)
    done = gondwana.zeros(gondwana.size(), np.int64)
    mine = 0
    while (task := next_task.fetch_add(0, 1, rank=0)) < options.tasks:
        first = 1 + task * options.width
        longest.put(max(map(collatz, range(first, first + options.width))), rank=0, at=task)
        mine += 1
    done.put(mine, rank=0, at=gondwana.rank())
    gondwana.barrier()

    if gondwana.rank() == 0:
        print(f"tasks of each rank: {done.local.tolist()}; longest way: {longest.local.max()}")
        numbers = range(1, 1 + options.tasks * options.width)
        if done.local.sum() != options.tasks or longest.local.max() != max(map(collatz, numbers)):
            sys.exit("a task was lost")
    for array in (next_task, longest, done):
        array.free()


if __name__ == "__main__":
    main()
