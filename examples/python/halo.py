"""Heat spreads over a plate that is cut into bands of rows, one for each rank.

A rank needs the rows beside its band. Each puts its outer rows into its neighbours' arrays, with a
signal that says for which step they are; no barrier is needed. Rank 0 checks the result against
its own computation of the whole plate, and draws it where matplotlib is installed.
"""

import argparse
import sys

import gondwana
import numpy as np


def step(plate):
    """One step of all but the outermost rows and columns; those stay as cold as they are."""
    beside = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    return plate[1:-1, 1:-1] + 0.2 * (beside - 4 * plate[1:-1, 1:-1])


def first_plate(size):
    plate = np.zeros((size, size))
    plate[size // 4 : size // 2, size // 4 : size // 2] = 100
    return plate


def spread(plate, steps):
    """Computes the caller's band in all steps; returns it, with a row of each neighbour."""
    me, ranks = gondwana.rank(), gondwana.size()
    rows = len(plate) // ranks
    # Two arrays by turns: a neighbour may be a step ahead and must not write where we still read.
    bands = [gondwana.zeros((rows + 2, len(plate))) for _ in range(2)]
    signals = gondwana.zeros(2, np.uint64)  # of which step the rows above and below are
    padded = np.pad(plate, ((1, 1), (0, 0)))
    for band in bands:
        band.local = padded[me * rows : (me + 1) * rows + 2]
    gondwana.barrier()
    for now in range(1, steps + 1):
        old, new = bands[(now - 1) % 2], bands[now % 2]
        new.local[1:-1, 1:-1] = step(old.local)
        if me > 0:
            new.put_signal(new.local[1], me - 1, signals.part(1), now, at=-1)
        if me < ranks - 1:
            new.put_signal(new.local[-2], me + 1, signals.part(0), now, at=0)
        if me > 0:
            signals.wait_until(0, ">=", now)
        if me < ranks - 1:
            signals.wait_until(1, ">=", now)
    bands[(steps + 1) % 2].free()  # waits until all ranks are here
    signals.free()
    return bands[steps % 2]


def check(result, plate, steps):
    alone = np.pad(plate, ((1, 1), (0, 0)))
    for _ in range(steps):
        alone[1:-1, 1:-1] = step(alone)
    if not np.array_equal(result, alone[1:-1]):
        sys.exit("the plate of all ranks differs from that of one")


def draw(plate, file):
    try:
        import matplotlib
    except ImportError:
        print("matplotlib is not installed, so nothing is drawn")
        return
    matplotlib.use("agg")
    from matplotlib import pyplot

    pyplot.imshow(plate, cmap="inferno")
    pyplot.colorbar(label="temperature")
    pyplot.savefig(file)


def main():
    arguments = argparse.ArgumentParser(description="heat on a plate")
    arguments.add_argument("--size", type=int, default=240, help="rows and columns, about")
    arguments.add_argument("--steps", type=int, default=500)
    arguments.add_argument("--picture", metavar="FILE", help="where to draw the end")
    options = arguments.parse_args()

    size = max(options.size // gondwana.size(), 1) * gondwana.size()
    plate = first_plate(size)
    band = spread(plate, options.steps)
    if gondwana.rank() == 0:
        ranks, inner = range(gondwana.size()), slice(1, -1)
        result = np.concatenate([band.get(rank, at=inner) for rank in ranks])
        check(result, plate, options.steps)
        print(f"{size} x {size}, {options.steps} steps: at most {result.max():.1f} degrees, right")
        if options.picture:
            draw(result, options.picture)
    band.free()


if __name__ == "__main__":
    main()
