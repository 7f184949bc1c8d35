"""Arrays in memory of devices. Every rank runs every test."""

import contextlib
import copy
import os
import unittest
import warnings

import gondwana
import numpy as np

ME, RANKS = gondwana.rank(), gondwana.size()
NEXT, BEFORE = (ME + 1) % RANKS, (ME - 1) % RANKS
DEVICES = gondwana.devices()


@contextlib.contextmanager
def without_stderr():
    """The library says there, too, what it cannot do."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@unittest.skipUnless(len(DEVICES) > 1, "needs GONDWANA_EMULATED_DEVICES=2")
class DeviceTest(unittest.TestCase):
    def make(self, how, *arguments, device=DEVICES[-1], **options):
        """An array that is freed when the test passes; a failed test ends the job."""
        array = how(*arguments, device=device, **options)
        self.addCleanup(array.free)
        return array

    def test_peers_put_to_an_array_on_a_device_and_get_from_it(self):
        self.assertEqual(DEVICES[-2:], ["emulated:0", "emulated:1"])
        array = self.make(gondwana.zeros, (3, 4), np.int32)
        self.assertIsInstance(array, gondwana.DeviceArray)
        self.assertEqual(array.device, "emulated:1")
        array.put(np.arange(4) + ME, NEXT, 1)
        array.put(7 + ME, NEXT, np.s_[::2, 1])
        gondwana.barrier()
        wanted = np.zeros((3, 4), np.int32)
        wanted[1], wanted[::2, 1] = np.arange(4) + BEFORE, 7 + BEFORE
        np.testing.assert_array_equal(array.to_host(), wanted)
        self.assertEqual(array.get(NEXT, (1, 3)), 3 + ME)
        gondwana.barrier()
        array.add((2, 3), 1, 0)
        gondwana.barrier()
        self.assertEqual(array.fetch((2, 3), 0), RANKS)

    def test_own_elements_are_read_and_written_by_copies(self):
        array = self.make(gondwana.full, (2, 3), 1.5)
        array[1, 1:] = [2, 3]
        array.local[0, 0] = 9
        self.assertEqual(array[...].tolist(), [[9, 1.5, 1.5], [1.5, 2, 3]])
        self.assertEqual((array[1, 2], array.part(1)[0], len(array)), (3, 1.5, 2))
        array.copy_from(np.zeros((2, 3)))
        array.local = array.to_host() + 1
        self.assertEqual(array.to_host().tolist(), [[1, 1, 1], [1, 1, 1]])

    def test_devices_are_a_source_and_a_target_of_copies(self):
        one = self.make(gondwana.full, 5, ME, device=DEVICES[-2])
        other = self.make(gondwana.zeros, 5, int)
        host = gondwana.zeros(5, int)
        self.addCleanup(host.free)
        other.put(one, NEXT)
        gondwana.barrier()
        self.assertEqual(other[...].tolist(), [BEFORE] * 5)
        host.put(one.part(np.s_[1:]), NEXT, np.s_[1:])
        gondwana.barrier()
        self.assertEqual(host.local.tolist(), [0, *[BEFORE] * 4])
        self.assertIs(other.get(NEXT, out=one), one)
        self.assertEqual(one[...].tolist(), [ME] * 5)
        gondwana.barrier()
        for source, sentence in (
            (one.part(np.s_[1:]), r"shape \(4,\) and type int64, not \(5,\)"),
            (self.make(gondwana.zeros, (5, 2), int).part(np.s_[:, 0]), "must be contiguous"),
        ):
            with self.assertRaisesRegex(ValueError, sentence):
                other.put(source, NEXT)

    def test_collectives_take_arrays_on_devices_and_registered_ones(self):
        source = self.make(gondwana.full, 3, ME + 1, np.int64)
        own = np.zeros(3, np.int64)
        registered = gondwana.register(own)
        self.addCleanup(registered.free)
        for dest in (self.make(gondwana.zeros, 3, np.int64, device=DEVICES[-2]), registered):
            gondwana.reduce(dest, source, "sum")
            values = own if dest is registered else dest.to_host()
            self.assertEqual(values.tolist(), [RANKS * (RANKS + 1) // 2] * 3)
            gondwana.barrier()
            gondwana.broadcast(dest, source, root=RANKS - 1)
            values = own if dest is registered else dest.to_host()
            self.assertEqual(values.tolist(), [RANKS] * 3)
            gondwana.barrier()

    def test_what_only_the_processor_can_do_is_refused_with_what_to_write(self):
        array = self.make(gondwana.zeros, 3, int)

        def in_place():
            array.local += 1

        for use in (
            in_place,
            lambda: array + 1,
            lambda: np.ones(3) - array,
            lambda: array == array,
            lambda: np.sum(array),
            lambda: np.asarray(array),
            lambda: array.wait_until(0, "==", 1),
            lambda: array.test(0, "==", 0),
        ):
            with self.assertRaisesRegex(TypeError, r"memory of emulated:1.*array\.to_host\(\)"):
                use()
        with self.assertRaisesRegex(AttributeError, r"emulated:1 has no mean, array\.to_host\(\)"):
            array.mean()
        with self.assertRaisesRegex(TypeError, r"array\.to_host\(\) is a numpy array"):
            copy.copy(array)

    def test_wrong_devices_and_types_are_refused(self):
        for device in ("cuda:0", "emulated:99", "gpu", 0):
            with self.assertRaisesRegex(ValueError, "this rank has emulated:0, emulated:1; GONDW"):
                gondwana.zeros(3, device=device)
        with self.assertRaisesRegex(TypeError, "Python objects"):
            gondwana.zeros(3, object, device=DEVICES[0])

    def test_the_peers_of_a_rank_without_the_device_are_told(self):
        if ME == RANKS - 1:
            with self.assertRaisesRegex(ValueError, "device 'nowhere:0': this rank has emulated:0"):
                gondwana.zeros(3, device="nowhere:0")
        else:
            with self.assertRaisesRegex(MemoryError, "this rank or another cannot have it"):
                gondwana.zeros(3, device="emulated:0")

    def test_a_device_without_so_much_memory_is_said_on_all_ranks(self):
        for length in (2**40, 2**70):
            with without_stderr(), self.assertRaisesRegex(MemoryError, "emulated:1.*EMULATED_MEM"):
                gondwana.zeros(length if ME == 0 else 1, device="emulated:1")

    def test_freed_memory_of_a_device_can_be_had_again(self):
        for _ in range(3):
            array = gondwana.zeros(700 << 20, np.uint8, device="emulated:0")
            array.free()
            with self.assertRaisesRegex(ValueError, "was freed"):
                array.to_host()
        self.assertIn("device='emulated:0', freed", repr(array))

    def test_an_array_that_is_dropped_stays_taken(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            gondwana.zeros(1, device="emulated:0")
        self.assertEqual([warning.category for warning in caught], [ResourceWarning])


if __name__ == "__main__":
    unittest.main()
