"""Arrays that any rank allocates at any other. Every rank runs every test."""

import unittest

import gondwana
import numpy as np

ME, RANKS = gondwana.rank(), gondwana.size()
NEXT = (ME + 1) % RANKS


class RemoteTest(unittest.TestCase):
    def test_a_rank_allocates_uses_and_frees_an_array_of_another(self):
        if ME == 0:
            for rank in range(RANKS):
                array = gondwana.allocate_at(rank, (3, 4), np.int64)
                self.assertEqual((array.rank, array.shape, array.dtype), (rank, (3, 4), np.int64))
                array.put(np.arange(12).reshape(3, 4))
                self.assertEqual(array.fetch_add((1, 2), 100), 6)
                self.assertEqual(array.compare_swap((0, 0), 0, 7), 0)
                self.assertEqual(array.swap((0, 1), 8), 1)
                array.set((0, 2), 9)
                gondwana.quiet()
                np.testing.assert_array_equal(array.get(0), [7, 8, 9, 3])
                self.assertEqual(array.get((1, 2)), 106)
                if array.local is not None:
                    self.assertEqual(array.local[1, 2], 106)
                array.free()
                with self.assertRaises(ValueError):
                    array.get()
        gondwana.barrier()

    def test_another_rank_uses_and_frees_it_by_its_pointer(self):
        pointers = gondwana.zeros(1, np.uint64)
        array = gondwana.allocate_at(ME, 10, "f4")
        array.put(np.full(10, ME))
        gondwana.quiet()
        pointers.put(array.pointer, NEXT, 0)
        gondwana.barrier()
        other = gondwana.RemoteArray(int(pointers.local[0]), 10, "f4")
        np.testing.assert_array_equal(other.get(), np.full(10, other.rank))
        other.free()
        gondwana.barrier()
        with self.assertRaises(ValueError):
            array.free()
        pointers.free()

    def test_wrong_calls_raise(self):
        with self.assertRaises(ValueError):
            gondwana.allocate_at(RANKS, 1)
        with self.assertRaises(MemoryError):
            gondwana.allocate_at(NEXT, 1 << 60, "u1")
        with self.assertRaises(ValueError):
            gondwana.RemoteArray(0, 1)


if __name__ == "__main__":
    unittest.main()
