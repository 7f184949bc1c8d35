"""Sums of tensors over all ranks: symmetric arrays as torch tensors, beside torch's own gloo.

A tensor shares the memory of a symmetric array, so that what peers put, and what a collective
writes, is in the tensor. The same ranks then add up the same tensors by torch.distributed.
"""

import argparse
import os
import sys
import time

import gondwana
import numpy as np

try:
    import torch
    from torch import distributed
except ImportError:
    if gondwana.rank() == 0:
        print("torch_sum: needs PyTorch: pip install torch")
    sys.exit(77)  # not run, as tests say it


def exchange(values, me, ranks):
    """Puts to the next rank and gets from it, by arrays that are tensors here."""
    peer = (me + 1) % ranks
    array = gondwana.zeros(values, np.float32)
    tensor = torch.from_dlpack(array)
    array.put(torch.full((values,), float(me)), peer)
    gondwana.barrier()
    if not bool((tensor == (me - 1) % ranks).all()):
        sys.exit("torch_sum: what was put is not in the tensor")
    tensor += 1
    gondwana.barrier()
    if not (array.get(peer) == me + 1).all():
        sys.exit("torch_sum: what the tensor has is not what was got")
    array.free()


def shared(values, me):
    """A sum in a symmetric array, whose memory is a tensor's too."""
    array = gondwana.zeros(values, np.float32)
    total = torch.from_dlpack(array)

    def add_up():
        total.fill_(me + 1)
        gondwana.reduce(array, array, "sum")
        return total

    return add_up, array


def by_gloo(values, me):
    total = torch.empty(values)

    def add_up():
        total.fill_(me + 1)
        distributed.all_reduce(total)
        return total

    return add_up


def times(calls, ranks, rounds):
    """Seconds of each call, the median of the slowest rank; the calls take turns."""
    taken = np.zeros((len(calls), rounds))
    for turn in range(rounds):
        for call, seconds in zip(calls, taken, strict=True):
            gondwana.barrier()
            began = time.perf_counter()
            total = call()
            seconds[turn] = time.perf_counter() - began
            if not bool((total == ranks * (ranks + 1) // 2).all()):
                sys.exit("torch_sum: a wrong sum")
    medians = gondwana.zeros(len(calls))
    medians.local[:] = np.median(taken, axis=1)
    gondwana.reduce(medians, medians, "max")
    slowest = medians.local.tolist()
    medians.free()
    return slowest


def main():
    arguments = argparse.ArgumentParser(description="sums of tensors over all ranks")
    arguments.add_argument("--rounds", type=int, default=200, help="for each size")
    arguments.add_argument("--port", type=int, default=29500, help="on which gloo's ranks meet")
    chosen = arguments.parse_args()

    me, ranks = gondwana.rank(), gondwana.size()
    torch.set_num_threads(1)
    exchange(1000, me, ranks)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", str(chosen.port))
    distributed.init_process_group("gloo", rank=me, world_size=ranks)
    if me == 0:
        print(f"sum of float32 tensors on {ranks} ranks, torch {torch.__version__}")
        print(f"{'values':>10} {'gondwana':>12} {'gloo':>12} {'ratio':>8}")
    for values in (1, 1000, 100_000, 4_000_000):
        add_up, array = shared(values, me)
        rounds = max(5, chosen.rounds // (1 + values // 20_000))
        ours, theirs = times([add_up, by_gloo(values, me)], ranks, rounds)
        if me == 0:
            print(f"{values:10} {ours * 1e6:9.1f} us {theirs * 1e6:9.1f} us {theirs / ours:8.1f}")
        array.free()
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
