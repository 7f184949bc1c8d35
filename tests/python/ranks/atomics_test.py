"""Atomic updates, waiting, locks and threads. Every rank runs every test."""

import threading
import time
import unittest

import gondwana
import numpy as np

ME, RANKS = gondwana.rank(), gondwana.size()
NEXT = (ME + 1) % RANKS
ROUNDS = 200


class AtomicsTest(unittest.TestCase):
    def make(self, *arguments):
        array = gondwana.zeros(*arguments)
        self.addCleanup(array.free)
        return array

    def test_no_addition_is_lost(self):
        for dtype in ("i4", "i8", "u4", "u8"):
            counter = self.make((2, 2), dtype)
            seen = [counter.fetch_add((1, 0), 1, 0) for _ in range(ROUNDS)]
            counter.add((1, 0), 2, 0)
            gondwana.barrier()
            self.assertEqual(seen, sorted(set(seen)))
            self.assertEqual(counter.fetch((1, 0), 0), RANKS * (ROUNDS + 2))

    def test_each_operation_does_what_its_name_says(self):
        cell = self.make(2, np.int64)
        cell.set(1, 12, NEXT)
        self.assertEqual(cell.swap(1, 10, NEXT), 12)
        self.assertEqual(cell.compare_swap(1, 11, 5, NEXT), 10)
        self.assertEqual(cell.compare_swap(1, 10, 6, NEXT), 10)
        self.assertEqual(cell.fetch_or(1, 9, NEXT), 6)
        self.assertEqual(cell.fetch_and(1, 13, NEXT), 15)
        self.assertEqual(cell.fetch_xor(1, -1, NEXT), 13)
        self.assertEqual(cell.fetch(1, NEXT), ~13)
        gondwana.barrier()
        self.assertEqual(cell.local.tolist(), [0, ~13])

    def test_real_numbers_can_be_fetched_set_and_swapped(self):
        cell = self.make(1, np.float64)
        cell.set(0, 1.5, NEXT)
        self.assertEqual(cell.swap(0, np.float32(2.5), NEXT), 1.5)
        self.assertEqual(cell.fetch(0, NEXT), 2.5)

    def test_what_the_type_cannot_do_or_hold_is_refused(self):
        with self.assertRaisesRegex(TypeError, "no atomic_fetch_add for values of type float64"):
            self.make(1).fetch_add(0, 1, NEXT)
        with self.assertRaisesRegex(TypeError, "no atomic_add for values of type >i8"):
            self.make(1, ">i8").add(0, 1, NEXT)
        cell = self.make(3, np.uint32)
        for value in (-1, 2**32):
            with self.assertRaisesRegex(ValueError, "not a value of type uint32"):
                cell.add(0, value, NEXT)
        with self.assertRaises(TypeError):
            cell.add(0, 1.0, NEXT)
        with self.assertRaisesRegex(ValueError, "one number is meant, not 2"):
            cell.add(slice(2), 1, NEXT)
        with self.assertRaisesRegex(ValueError, f"rank {RANKS}"):
            cell.add(0, 1, RANKS)

    def test_waiting_ends_with_the_value(self):
        flag = self.make(3, np.int64)
        self.assertFalse(flag.test(2, "!=", 0))
        gondwana.barrier()
        flag.set(2, ME + 5, NEXT)
        self.assertEqual(flag.wait_until(2, ">", 4), (ME - 1) % RANKS + 5)
        self.assertTrue(flag.test(2, ">=", 5))
        with self.assertRaisesRegex(ValueError, "'=' is none of == !="):
            flag.wait_until(2, "=", 1)

    def test_waiting_lets_other_threads_run(self):
        flag = self.make(1, np.int64)
        waiter = threading.Thread(target=flag.wait_until, args=(0, "==", 1))
        waiter.start()
        time.sleep(0.01)
        self.assertTrue(waiter.is_alive())  # and this thread is here
        flag.set(0, 1, ME)
        waiter.join()

    def test_threads_call_at_the_same_time(self):
        counter = self.make(1, np.int64)

        def count():
            for _ in range(ROUNDS):
                counter.add(0, 1, NEXT)

        threads = [threading.Thread(target=count) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gondwana.barrier()
        self.assertEqual(counter.local[0], 3 * ROUNDS)

    def test_a_lock_excludes_the_others(self):
        lock = gondwana.Lock()
        cell = self.make(1, np.int64)
        for _ in range(20):
            with lock:
                cell.put(cell.get(0, 0) + 1, 0, at=0)
        gondwana.barrier()
        self.assertEqual(cell.get(0, 0), 20 * RANKS)
        if ME == 0:
            self.assertTrue(lock.acquire(blocking=False))
        gondwana.barrier()
        if ME != 0:
            self.assertFalse(lock.acquire(blocking=False))
        gondwana.barrier()
        if ME == 0:
            lock.release()
        lock.free()


if __name__ == "__main__":
    unittest.main()
