"""Arrays, copies and signals. Every rank runs every test."""

import copy
import os
import pickle
import unittest
import warnings

import gondwana
import numpy as np

ME, RANKS = gondwana.rank(), gondwana.size()
NEXT, BEFORE = (ME + 1) % RANKS, (ME - 1) % RANKS
TYPES = ("?", "b", "u2", "i4", "u8", "f4", "f8", "g", "F", "D", "S5", "U3", "M8[s]", "i4,f8")


class ArrayTest(unittest.TestCase):
    def make(self, how, *arguments):
        """An array that is freed when the test passes; a failed test ends the job."""
        array = how(*arguments)
        self.addCleanup(array.free)
        return array

    def test_local_is_the_memory_that_others_write(self):
        array = self.make(gondwana.full, (2, 3), -1, np.int32)
        local = array.local
        gondwana.barrier()
        array.put([[1, 2, 3], [4, 5, ME]], NEXT)
        gondwana.barrier()
        np.testing.assert_array_equal(local, [[1, 2, 3], [4, 5, BEFORE]])
        self.assertEqual(np.asarray(array).ctypes.data, local.ctypes.data)

    def test_arrays_of_the_caller_are_reached_once_registered(self):
        for own in (np.arange(50_000) + ME, np.arange(5) + ME):  # pages of its own, and a small block
            local = own.copy()
            array = gondwana.register(local)
            gondwana.barrier()
            self.assertEqual(array.get(NEXT, 3), 3 + NEXT)
            gondwana.barrier()
            array.put([70 + ME, 71], NEXT, slice(1, 3))
            array.add(4, 1, 0)
            gondwana.barrier()
            np.testing.assert_array_equal(local[1:3], [70 + BEFORE, 71])
            self.assertEqual(array.fetch(4, 0), 4 + RANKS)
            array.free()
            np.testing.assert_array_equal(local[1:3], [70 + BEFORE, 71])
        with self.assertRaises(ValueError):
            gondwana.register(np.zeros((4, 4))[:, 1])

    def test_every_type_of_fixed_size_can_be_put_and_got(self):
        for dtype in TYPES:
            values = np.arange(6).astype(dtype) if dtype != "i4,f8" else np.ones(6, dtype)
            array = gondwana.zeros(6, dtype)
            array.put(values, NEXT)
            gondwana.barrier()
            np.testing.assert_array_equal(array.local, values)
            np.testing.assert_array_equal(array.get(NEXT, slice(1, None, 2)), values[1::2])
            array.free()

    def test_parts_are_those_of_numpy(self):
        parts = (
            3,
            -1,
            (2, 3),
            (1, 2, 3, 4),
            slice(1, 4),
            slice(None, None, 2),
            np.s_[:, 2],
            np.s_[:, :, 1:3],
            np.s_[..., 1],
            np.s_[1:4, 1:3, 2:4, 1:5],
            np.s_[::3, 1, ::2, ::3],
            np.s_[2:2],
            np.s_[np.int64(1), ..., 0],
        )
        array = self.make(gondwana.zeros, (4, 4, 4, 6), int)
        for at in parts:
            with self.subTest(at=at):
                wanted = np.zeros(array.shape, int)
                values = np.arange(wanted[at].size).reshape(wanted[at].shape) + 1
                wanted[at] = values
                array.put(values, NEXT, at)
                gondwana.barrier()
                np.testing.assert_array_equal(array.local, wanted)
                np.testing.assert_array_equal(array.get(BEFORE, at), values)
                gondwana.barrier()
                array.local = 0
                gondwana.barrier()

    def test_values_are_broadcast_and_may_be_strided(self):
        array = self.make(gondwana.zeros, (3, 4))
        array.put(np.arange(8)[::2], NEXT)
        gondwana.barrier()
        np.testing.assert_array_equal(array.local, [[0, 2, 4, 6]] * 3)

    def test_local_can_be_changed_in_place(self):
        array = self.make(gondwana.full, 3, 1)
        array.local += 2
        array.local[1:] *= 2
        self.assertEqual(array.local.tolist(), [3, 6, 6])

    def test_get_fills_a_given_array(self):
        array = self.make(gondwana.full, 4, ME)
        out = np.empty(2, int)
        self.assertIs(array.get(NEXT, slice(2), out), out)
        self.assertEqual(out.tolist(), [NEXT, NEXT])
        with self.assertRaisesRegex(ValueError, "out has shape"):
            array.get(NEXT, out=out)
        with self.assertRaisesRegex(ValueError, "contiguous"):
            array.get(NEXT, slice(2), np.empty(4, int)[::2])

    def test_one_number_is_got_as_a_number(self):
        array = self.make(gondwana.full, (2, 2), 7)
        got = array.get(NEXT, (1, 0))
        self.assertIsInstance(got, np.integer)
        self.assertEqual(got, 7)

    def test_a_signal_comes_after_the_values(self):
        array, signals = self.make(gondwana.zeros, (4, 4)), self.make(gondwana.zeros, 2, "u8")
        for lap, at in enumerate((1, np.s_[:, 2], ...), start=1):
            array.put_signal(lap, NEXT, signals.part(1), 5, at, add=True)
            self.assertEqual(signals.wait_until(1, ">=", 5 * lap), 5 * lap)
            self.assertTrue((array.local[at] == lap).all())
            gondwana.barrier()
        self.assertEqual(signals.local.tolist(), [0, 15])

    def test_one_signal_comes_after_many_puts(self):
        array, signals = self.make(gondwana.zeros, 4), self.make(gondwana.zeros, 2, "u8")
        for at in range(4):
            array.put(at + 1, NEXT, at)
        signals.signal_after(NEXT, 7, at=1)
        signals.signal_after(NEXT, 2, at=1, add=True)
        self.assertEqual(signals.part(1).wait_until(..., "==", 9), 9)
        self.assertEqual(array.local.tolist(), [1, 2, 3, 4])
        with self.assertRaisesRegex(TypeError, "a signal is of type uint64"):
            array.signal_after(NEXT, at=0)

    def test_empty_arrays_are_arrays(self):
        array = self.make(gondwana.zeros, (0, 3))
        array.put(np.zeros((0, 3)), NEXT)
        self.assertEqual(array.get(NEXT).shape, (0, 3))

    def test_wrong_ranks_are_refused(self):
        array = self.make(gondwana.zeros, 2)
        for rank in (-1, RANKS):
            sentence = f"rank {rank}: this job has {RANKS} ranks, 0 to"
            with self.assertRaisesRegex(ValueError, sentence):
                array.put(1, rank)
        with self.assertRaises(TypeError):
            array.put(1, 0.0)

    def test_wrong_values_are_refused(self):
        array = self.make(gondwana.zeros, (2, 3), np.uint8)
        with self.assertRaisesRegex(ValueError, r"shape \(4,\) do not fit into shape \(2, 3\)"):
            array.put([1, 2, 3, 4], NEXT)
        for values in (0.5, "text", None, 1j):
            with self.assertRaisesRegex(TypeError, "do not go into an array of uint8"):
                array.put(values, NEXT)
        for values in (-1, [1, 2, 256]):
            with self.assertRaisesRegex(ValueError, "not all values of type uint8"):
                array.put(values, NEXT)

    def test_wrong_indices_are_refused(self):
        array = self.make(gondwana.zeros, 3)
        for at in ([0, 1], True, np.array([True, False, True]), (np.array([0, 1]),)):
            with self.assertRaisesRegex(TypeError, "whole numbers and slices"):
                array.get(NEXT, at)
        for at in (3, 1.0, "a", (0, 0)):
            with self.assertRaises(IndexError):
                array.get(NEXT, at)
        with self.assertRaisesRegex(ValueError, "must be positive"):
            array.get(NEXT, slice(None, None, -1))

    def test_an_index_without_a_rank_is_refused_with_what_to_write(self):
        array = self.make(gondwana.zeros, 3)
        with self.assertRaisesRegex(TypeError, r"array\.local\[\.\.\.\].*array\.get\(rank, at="):
            array[0]
        with self.assertRaisesRegex(TypeError, r"array\.local\[\.\.\.\].*array\.put\(values, rank"):
            array[0] = 1
        with self.assertRaises(TypeError):
            iter(array).__next__()
        self.assertEqual(np.asarray(array).shape, (3,))

    def test_wrong_shapes_and_types_are_refused(self):
        with self.assertRaisesRegex(ValueError, "shape"):
            gondwana.zeros((2, -1))
        with self.assertRaisesRegex(TypeError, "Python objects"):
            gondwana.zeros(2, object)
        for length in (2**50, 2**70):
            with self.assertRaisesRegex(MemoryError, "shmem_malloc of .* raise GONDWANA_HEAP_SIZE"):
                gondwana.empty(length)

    def test_what_belongs_to_the_job_is_neither_copied_nor_pickled(self):
        array = self.make(gondwana.zeros, 4, int)
        lock = self.make(gondwana.Lock)
        for of_job in (array, array.part(0), lock, gondwana.WORLD):
            for how in (copy.copy, copy.deepcopy, pickle.dumps):
                name = f"gondwana.{type(of_job).__name__}"
                with self.assertRaisesRegex(TypeError, f"{name} cannot be copied or pickled"):
                    how(of_job)
        with self.assertRaisesRegex(TypeError, r"array\.local\.copy\(\) is a numpy array"):
            copy.deepcopy({"table": [array]})
        self.assertEqual(copy.deepcopy(array.local).tolist(), [0] * 4)

    def test_the_length_is_that_of_numpy(self):
        array = self.make(gondwana.zeros, (3, 5))
        self.assertEqual((len(array), len(array.part(0))), (3, 5))
        with self.assertRaises(TypeError):
            len(array.part((0, 0)))

    def test_a_forked_child_is_no_rank(self):
        array = self.make(gondwana.full, 2, 7)
        lock = self.make(gondwana.Lock)
        uses = (
            gondwana.rank,
            gondwana.init,
            gondwana.barrier,
            gondwana.WORLD.size,
            lock.acquire,
            lambda: array.put(1, NEXT),
            lambda: array.wait_until(0, "==", 7),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads
            child = os.fork()
        if child == 0:
            refused = 0
            for use in uses:
                try:
                    use()
                except RuntimeError as error:
                    refused += "only the rank itself is part of the job" in str(error)
            os._exit(refused)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(uses))
        gondwana.barrier()

    def test_parts_have_parts(self):
        array = self.make(gondwana.zeros, (4, 6))
        part = array.part(np.s_[1:, ::2]).part(np.s_[1])
        part.put([1, 2, 3], NEXT)
        gondwana.barrier()
        self.assertEqual(array.local[2].tolist(), [1, 0, 2, 0, 3, 0])
        self.assertEqual(array.local.sum(), 6)

    def test_what_is_freed_is_refused(self):
        array = gondwana.zeros(3)
        part = array.part(slice(2))
        with self.assertRaisesRegex(ValueError, "with the whole"):
            part.free()
        array.free()
        array.free()
        for used in (array, part):
            with self.assertRaisesRegex(ValueError, "was freed"):
                used.put(1, NEXT)
        self.assertIn("freed", repr(array))

    def test_an_array_that_is_dropped_is_said(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            gondwana.zeros(1)
        self.assertEqual([warning.category for warning in caught], [ResourceWarning])


if __name__ == "__main__":
    unittest.main()
