"""Throws of dice are counted in one table that is spread over the ranks.

Each rank throws, and adds to counters wherever they lie. Addition is atomic, so no throw is lost.
"""

import argparse
import sys

import gondwana
import numpy as np

DICE = 10
SUMS = 6 * DICE + 1


def main():
    arguments = argparse.ArgumentParser(description="a histogram of throws of dice")
    arguments.add_argument("--throws", type=int, default=20000, help="of each rank")
    throws = arguments.parse_args().throws

    me, ranks = gondwana.rank(), gondwana.size()
    counters = gondwana.zeros(SUMS // ranks + 1, np.int64)  # of s: rank s % ranks, place s // ranks
    random = np.random.default_rng(me)
    for result in random.integers(1, 7, (throws, DICE)).sum(axis=1).tolist():
        counters.add(result // ranks, 1, result % ranks)
    gondwana.barrier()

    if me == 0:
        table = np.stack([counters.get(rank) for rank in range(ranks)], axis=1).ravel()[:SUMS]
        if table.sum() != throws * ranks:
            sys.exit(f"{throws * ranks} throws, but {table.sum()} were counted")
        for result in range(20, 51, 2):
            print(f"{result:3} {'#' * round(table[result] / table.max() * 60)}")
    counters.free()


if __name__ == "__main__":
    main()
