"""Teams and collective operations. Every rank runs every test."""

import unittest

import gondwana
import numpy as np

ME, RANKS = gondwana.rank(), gondwana.size()
EVERYBODY = range(RANKS)


class TeamTest(unittest.TestCase):
    def make(self, *arguments):
        array = gondwana.zeros(*arguments)
        self.addCleanup(array.free)
        return array

    def pair(self, shape, values, dtype=np.int64):
        dest, source = self.make(shape, dtype), self.make(np.shape(values), dtype)
        source.local = values
        gondwana.barrier()
        return dest, source

    def test_broadcast_copies_the_source_of_the_root(self):
        root = RANKS - 1
        dest, source = self.pair((2, 2), [[ME, 1], [2, 3]])
        gondwana.broadcast(dest, source, root)
        self.assertEqual(dest.local.tolist(), [[root, 1], [2, 3]])

    def test_reductions_combine_all_sources(self):
        combine = {
            "sum": np.sum,
            "prod": np.prod,
            "min": np.min,
            "max": np.max,
            "and": np.bitwise_and.reduce,
            "or": np.bitwise_or.reduce,
            "xor": np.bitwise_xor.reduce,
        }
        dest, source = self.pair(3, [ME + 1, 6 - ME, 3])
        all_sources = np.array([[rank + 1, 6 - rank, 3] for rank in EVERYBODY])
        for name, function in combine.items():
            gondwana.reduce(dest, source, name)
            wanted = [function(column) for column in all_sources.T]
            self.assertEqual(dest.local.tolist(), wanted, name)

    def test_reductions_are_for_all_types_of_numbers(self):
        for dtype in ("b", "B", "h", "u2", "i", "l", "q", "u8", "f4", "f8", "g", "F", "D"):
            dest, source = self.pair(2, [ME, 1], dtype)
            gondwana.reduce(dest, source, "sum")
            self.assertEqual(dest.local.tolist(), [sum(EVERYBODY), RANKS], dtype)
        dest, source = self.pair(2, [ME == 0, True], bool)
        gondwana.reduce(dest, source, "and")
        self.assertEqual(dest.local.tolist(), [RANKS == 1, True])

    def test_a_reduction_may_be_in_place(self):
        array, _ = self.pair(2, 0)
        array.local = [ME, 1]
        gondwana.reduce(array, array, "max")
        self.assertEqual(array.local.tolist(), [RANKS - 1, 1])

    def test_collects_join_the_sources(self):
        dest, source = self.pair(2 * RANKS, [ME, ME + 10])
        gondwana.fcollect(dest, source)
        self.assertEqual(dest.local.reshape(-1, 2).tolist(), [[r, r + 10] for r in EVERYBODY])
        dest, source = self.pair(sum(EVERYBODY) + RANKS, np.full(RANKS, ME))
        gondwana.collect(dest, source.part(slice(ME + 1)))
        self.assertEqual(dest.local.tolist(), [r for r in EVERYBODY for _ in range(r + 1)])

    def test_alltoall_sends_to_each_its_piece(self):
        dest, source = self.pair((RANKS, 2), [(ME, to) for to in EVERYBODY])
        gondwana.alltoall(dest, source)
        self.assertEqual(dest.local.tolist(), [[from_, ME] for from_ in EVERYBODY])

    def test_teams_number_their_ranks(self):
        odd = gondwana.WORLD.split_strided(RANKS - 1, -1, RANKS)
        self.assertEqual((odd.rank(), odd.size()), (RANKS - 1 - ME, RANKS))
        self.assertEqual(odd.world_rank(0), RANKS - 1)
        dest, source = self.pair(RANKS, [ME])
        odd.fcollect(dest, source)
        self.assertEqual(dest.local.tolist(), list(reversed(EVERYBODY)))
        odd.barrier()
        odd.destroy()
        with self.assertRaisesRegex(ValueError, "destroyed"):
            odd.size()

    def test_who_is_not_in_a_team_gets_none(self):
        first = gondwana.WORLD.split_strided(0, 1, 1)
        self.assertEqual(first is None, ME != 0)
        if first is not None:
            self.assertEqual(first.size(), 1)
            first.destroy()

    def test_rows_and_columns(self):
        row, column = gondwana.WORLD.split_2d(2)
        self.assertEqual((row.rank(), column.rank()), (ME % 2, ME // 2))
        row.sync()
        row.destroy()
        column.destroy()

    def test_wrong_arrays_are_refused(self):
        dest, source = self.pair((4, 4), np.zeros((4, 4)))
        whole, other = gondwana.reduce, self.make((4, 4), np.float32)
        with self.assertRaisesRegex(TypeError, "of type float32, not int64"):
            whole(dest, other, "sum")
        with self.assertRaisesRegex(ValueError, "has 16 elements where 8 are needed"):
            whole(dest, source.part(slice(2)), "sum")
        with self.assertRaisesRegex(ValueError, "contiguous"):
            whole(dest.part(np.s_[:, 1]), source.part(np.s_[:, 2]), "sum")
        with self.assertRaisesRegex(ValueError, "overlap"):
            whole(dest.part(slice(2)), dest.part(slice(1, 3)), "sum")
        with self.assertRaisesRegex(ValueError, "overlap"):
            gondwana.broadcast(dest, dest)

    def test_wrong_operations_ranks_and_teams_are_refused(self):
        dest, source = self.pair(1, [0], float)
        with self.assertRaisesRegex(ValueError, "'mean' is none of sum"):
            gondwana.reduce(dest, source, "mean")
        with self.assertRaisesRegex(TypeError, "no xor_reduce for values of type float64"):
            gondwana.reduce(dest, source, "xor")
        with self.assertRaisesRegex(ValueError, f"rank {RANKS}: the team has {RANKS} ranks, 0 to"):
            gondwana.broadcast(dest, source, RANKS)
        with self.assertRaisesRegex(ValueError, "they leave the team"):
            gondwana.WORLD.split_strided(0, 1, RANKS + 1)
        with self.assertRaisesRegex(ValueError, "cannot be destroyed"):
            gondwana.WORLD.destroy()


if __name__ == "__main__":
    unittest.main()
