"""Global arrays. Every rank runs every test. GA_TEST_SEED repeats a run with its random parts."""

import copy
import os
import pickle
import random
import threading
import unittest
import unittest.mock
import warnings

import gondwana
import numpy as np
from gondwana import ga
from gondwana._blocks import Blocks, grid_of, primes

ME, RANKS = ga.rank(), ga.size()
NEXT = (ME + 1) % RANKS
TYPES = ("i4", "i8", "f4", "f8", "c8", "c16")
SHAPES = ((17,), (9, 14), (5, 6, 7), (4, 3, 5, 2), (3, 2, 2, 3, 2, 2, 3))
LARGEST = "gondwana._transfer.LARGEST"
SEED = int(os.environ.get("GA_TEST_SEED") or ga.brdcst(random.randrange(2**31))[()])
if ME == 0:
    print(f"ga_test: GA_TEST_SEED={SEED}", flush=True)


def numbers(shape, dtype, source):
    """Small whole numbers: sums of them are exact in every type."""
    values = source.integers(-9, 10, shape).astype(dtype)
    return values + 1j * source.integers(-9, 10, shape) if values.dtype.kind == "c" else values


def part_of(shape, source):
    """A random index, and the shape of what it names."""
    indices = []
    for length in shape:
        begin = int(source.integers(-length, length))
        if source.integers(4) == 0:
            indices.append(begin)
        else:
            end = int(source.integers(-length, length + 3))
            indices.append(slice(*[None if source.integers(4) == 0 else i for i in (begin, end)]))
    if source.integers(3) == 0:
        indices[int(source.integers(len(indices))) :] = [...]
    return tuple(indices)


class GlobalArrayTest(unittest.TestCase):
    def make(self, *arguments, **named):
        """An array of zeros that is freed when the test passes; a failed test ends the job."""
        array = ga.zeros(*arguments, **named)
        self.addCleanup(array.free)
        return array

    def filled(self, values, **named):
        """A global array with the values, which are the same on all ranks."""
        array = self.make(values.shape, values.dtype, **named)
        array.local[...] = values[array.distribution()]
        ga.sync()
        return array

    def each_in_turn(self):
        for turn in range(RANKS):
            ga.sync()
            if turn == ME:
                yield
        ga.sync()

    def test_random_parts_are_those_of_numpy(self):
        for dtype in TYPES:
            for shape in SHAPES:
                source = np.random.default_rng(SEED)  # the same on all ranks
                wanted = numbers(shape, dtype, source)
                array = self.filled(wanted)
                for step in range(12):
                    at = part_of(shape, source)
                    values = numbers(wanted[at].shape, wanted.dtype, source)
                    with self.subTest(dtype=dtype, at=at, seed=SEED):
                        np.testing.assert_array_equal(array[at], wanted[at])
                        ga.sync()
                        if step % RANKS == ME:
                            array[at] = values
                        wanted[at] = values
                        ga.sync()
                        array.acc(values, at, scale=2)
                        wanted[at] += 2 * RANKS * values
                        ga.sync()
                np.testing.assert_array_equal(array.to_numpy(), wanted)
                np.testing.assert_array_equal(array.local, wanted[array.distribution()])

    def test_blocks_cover_the_array_once(self):
        for shape in (*SHAPES, (1,), (2, 2), (0, 3), (100, 2)):
            array = self.make(shape, np.int32)
            cover = np.zeros(shape, int)
            for rank in range(RANKS):
                part = array.distribution(rank)
                cover[part] += 1
                if cover[part].size:
                    self.assertEqual(array.locate(tuple(side.start for side in part)), rank)
                    self.assertEqual(array.locate(tuple(side.stop - 1 for side in part)), rank)
            self.assertTrue((cover == 1).all())
            self.assertEqual(array.local.shape, cover[array.distribution()].shape)

    def test_grids_are_near_to_squares_and_chunks_are_kept(self):
        self.assertEqual(primes(360), (5, 3, 3, 2, 2, 2))
        for shape, least, ranks, grid in (
            ((100, 100), (1, 1), 4, (2, 2)),
            ((100, 100), (1, 1), 12, (3, 4)),
            ((1000, 10), (1, 1), 4, (4, 1)),
            ((100, 100), (100, 1), 4, (1, 4)),
            ((100, 100), (40, 40), 16, (2, 2)),
            ((3, 3), (1, 1), 7, (3, 2)),
            ((0, 5), (1, 1), 3, (1, 3)),
        ):
            self.assertEqual(grid_of(shape, least, ranks), grid)
        blocks = Blocks((3, 3), (3, 2), 8)
        self.assertEqual(blocks.box(6).slices, (slice(0, 0),) * 2)

    def test_local_is_the_memory_that_others_write(self):
        array = self.make(RANKS, np.int64)
        local = array.local
        array[NEXT] = ME + 1
        ga.sync()
        self.assertEqual(local.tolist(), [(ME - 1) % RANKS + 1])
        array.local += 1
        self.assertEqual(array.get(ME), (ME - 1) % RANKS + 2)

    def test_values_may_lie_in_any_order(self):
        array = self.make((6, 8))
        grid = np.arange(48.0)
        for values in (
            grid.reshape(8, 6).T,
            np.arange(96.0).reshape(6, 16)[:, ::2],
            np.arange(96.0).reshape(6, 16)[:, 3:11],
            grid.reshape(6, 8)[::-1],
            np.arange(6.0)[:, None],
            np.lib.stride_tricks.sliding_window_view(grid[:13], 8),
            3,
        ):
            for _ in self.each_in_turn():
                array[...] = values
                np.testing.assert_array_equal(array[...], np.broadcast_to(values, (6, 8)))
                array.acc(values, scale=-1)
                self.assertEqual(np.abs(array[...]).max(), 0)

    def test_sections_above_what_armci_counts_go_in_parts(self):
        values = np.arange(7 * 6 * 5.0).reshape(7, 6, 5)
        array = self.filled(values)
        for largest in (8, 39, 100, 1000):
            with self.subTest(largest=largest), unittest.mock.patch(LARGEST, largest):
                np.testing.assert_array_equal(array[1:, 2:5, :4], values[1:, 2:5, :4])
                for _ in self.each_in_turn():
                    array[1:, 2:5] = -values[1:, 2:5]
                    array.acc(2 * values[1:, 2:5], np.s_[1:, 2:5])
                np.testing.assert_array_equal(array[...], values)
                ga.sync()

    def test_a_part_may_be_moved_within_the_array(self):
        wanted = np.arange(1600.0).reshape(40, 40)
        array = self.filled(wanted)
        for _ in self.each_in_turn():
            block = array.local
            if min(block.shape) < 2:
                continue
            rows, columns = array.distribution()
            to = (slice(rows.start + 1, rows.stop), slice(columns.start + 1, columns.stop))
            before = block.copy()
            array[to] = block[:-1, :-1]
            np.testing.assert_array_equal(array[to], before[:-1, :-1])
            array.acc(block[:-1, :-1], to)
            array[(rows, columns)] = before
            array.get((slice(rows.start, rows.stop - 1), columns), out=block[1:])
            np.testing.assert_array_equal(block[1:], before[:-1])

    def test_get_fills_a_given_array(self):
        values = np.arange(30.0).reshape(5, 6)
        array = self.filled(values)
        for out in (np.empty((3, 2)), np.empty((2, 3)).T, np.empty((3, 5))[:, 1:3]):
            self.assertIs(array.get(np.s_[1:4, 2:4], out), out)
            np.testing.assert_array_equal(out, values[1:4, 2:4])
        for wrong in (np.empty((2, 2)), np.empty((3, 2), int)):
            with self.assertRaisesRegex(
                ValueError, r"of shape \(3, 2\) and type float64 is needed"
            ):
                array.get(np.s_[1:4, 2:4], wrong)
        self.assertIsInstance(array[1, 2], np.float64)

    def test_no_sum_is_lost(self):
        for dtype in TYPES:
            array = self.make((7, 9), dtype)
            for _ in range(50):
                array.acc(np.ones((5, 7), int), np.s_[1:6, 1:8], scale=3)
            ga.sync()
            wanted = np.zeros((7, 9))
            wanted[1:6, 1:8] = 150 * RANKS
            np.testing.assert_array_equal(array[...], wanted)

    def test_read_inc_hands_out_each_task_once(self):
        for dtype in (np.int32, np.int64):
            counter, done = self.make((2, 3), dtype), self.make(200, dtype)
            while (task := counter.read_inc((-1, 1))) < 200:
                done.acc(1, task)
            ga.sync()
            self.assertTrue((done[...] == 1).all())
            self.assertEqual(counter[1, 1], 200 + RANKS)
            ga.sync()
            self.assertEqual(counter.read_inc((0, ME % 2), -5) % 5, 0)

    def test_threads_take_turns(self):
        array = self.make((4, 4), np.int64)

        def work():
            for _ in range(50):
                array.acc(1)
                array[...]

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ga.sync()
        self.assertTrue((array[...] == 150 * RANKS).all())

    def test_whole_arrays_are_combined(self):
        source = np.random.default_rng(SEED)
        for dtype in TYPES:
            x, y = (numbers((8, 11), dtype, source) for _ in range(2))
            a, b, c = self.filled(x), self.filled(y, chunk=(8, 1)), self.make((8, 11), x.dtype)
            ga.add(2, a, -3, b, c)
            np.testing.assert_array_equal(c[...], 2 * x - 3 * y)
            self.assertEqual(a.dot(b), (x * y).sum())
            c.fill(4)
            ga.add(1, c, 1, b, c)
            c.scale(2)
            np.testing.assert_array_equal(c[...], 8 + 2 * y)
            ga.add(1, a, 1, b, b)
            np.testing.assert_array_equal(b[...], x + y)
            a.copy_to(b)
            np.testing.assert_array_equal(b[...], x)
            turned = self.make((11, 8), x.dtype)
            ga.transpose(a, turned)
            np.testing.assert_array_equal(turned[...], x.T)

    def test_products_are_those_of_numpy(self):
        source = np.random.default_rng(SEED)
        panel, ga.PANEL = ga.PANEL, 5
        for dtype in TYPES:
            for rows, inner, columns in ((7, 12, 9), (1, 5, 30), (20, 1, 2), (4, 0, 4)):
                x, y = (
                    numbers((rows, inner), dtype, source),
                    numbers((inner, columns), dtype, source),
                )
                z = numbers((rows, columns), dtype, source)
                a, b, c = self.filled(x), self.filled(y), self.filled(z)
                ga.gemm(2, a, b, 3, c)
                np.testing.assert_array_equal(c[...], 2 * (x @ y) + 3 * z)
        unset = self.filled(np.full((4, 4), np.nan))
        ga.gemm(1, self.filled(np.eye(4)), self.filled(np.eye(4)), 0, unset)
        np.testing.assert_array_equal(unset[...], np.eye(4))
        ga.PANEL = panel

    def test_values_of_all_ranks_are_combined(self):
        for dtype in TYPES:
            total = ga.reduce(np.full((2, 3), ME + 1, dtype))
            np.testing.assert_array_equal(total, np.full((2, 3), RANKS * (RANKS + 1) // 2, dtype))
        self.assertEqual(ga.reduce(float(ME), "max"), RANKS - 1)
        self.assertEqual(ga.brdcst(ME, root=RANKS - 1), RANKS - 1)
        with self.assertRaisesRegex(ValueError, "'avg' is none of sum prod min max"):
            ga.reduce(1, "avg")
        with self.assertRaisesRegex(TypeError, "have no max"):
            ga.reduce(1j, "max")
        with self.assertRaisesRegex(ValueError, f"rank {RANKS}"):
            ga.brdcst([], RANKS)
        if RANKS > 1:
            with self.assertRaisesRegex(ValueError, "give different values to a reduction"):
                ga.reduce(np.ones(ME + 1))
            with self.assertRaisesRegex(ValueError, "give different values to a broadcast"):
                ga.brdcst(np.ones(ME + 1))

    def test_symmetric_arrays_work_beside_them(self):
        table, array = gondwana.zeros(1, int), self.make(RANKS, int)
        self.assertEqual((gondwana.rank(), gondwana.size()), (ME, RANKS))
        table.put(array.read_inc(ME, 3) + 1, NEXT)
        ga.sync()
        array[NEXT] = 7
        gondwana.barrier()
        ga.sync()
        self.assertEqual((table.local[0], array[ME]), (1, 7))
        table.free()

    def test_wrong_indices_are_refused(self):
        array = self.make((4, 5))
        for at, sentence in (
            (4, "index 4 is outside of axis 0, which has length 4"),
            ((0, -6), "index -6 is outside of axis 1"),
            ((0, 0, 0), "3 indices for an array of 2 dimensions"),
            ((..., ...), r"one \.\.\. at most"),
        ):
            with self.assertRaisesRegex(IndexError, sentence):
                array[at]
        for at in ([0, 1], True, np.array([True]), 1.0, "a", None):
            with self.assertRaisesRegex(TypeError, "whole numbers and slices, not of"):
                array[at] = 1
        for step in (2, -1):
            with self.assertRaisesRegex(ValueError, "takes step 1"):
                array[::step]
        with self.assertRaisesRegex(IndexError, "give 2 whole numbers, not 1"):
            array.locate(1)

    def test_wrong_values_are_refused(self):
        array, whole = self.make((2, 3)), self.make(2, np.int32)
        with self.assertRaisesRegex(ValueError, r"shape \(4,\) do not fit into shape \(2, 3\)"):
            array[...] = [1, 2, 3, 4]
        with self.assertRaisesRegex(TypeError, "complex128 do not go into an array of float64"):
            array.acc(1, scale=1j)
        with self.assertRaisesRegex(TypeError, "float64 do not go into an array of int32"):
            whole[0] = 0.5
        with self.assertRaisesRegex(ValueError, "not all values of type int32"):
            whole[0] = 2**31
        with self.assertRaisesRegex(TypeError, "read_inc takes elements of int32 and int64"):
            array.read_inc((0, 0))
        with self.assertRaisesRegex(ValueError, "not a value of type int32"):
            whole.read_inc(0, 2**31)
        with self.assertRaisesRegex(TypeError, r"array\.to_numpy\(\) or array\[\.\.\.\]"):
            np.asarray(array)
        with self.assertRaisesRegex(ValueError, f"rank {RANKS}"):
            array.distribution(RANKS)

    def test_arrays_that_do_not_fit_together_are_refused(self):
        array, other = self.make((2, 3)), self.make((2, 3), np.float32)
        with self.assertRaisesRegex(TypeError, "types float64 and float32, not the same"):
            array.copy_to(other)
        with self.assertRaisesRegex(ValueError, r"shapes \(2, 3\) and \(3,\), not the same"):
            array.dot(self.make(3))
        with self.assertRaisesRegex(ValueError, r"\(2, 3\) @ \(2, 3\) do not make"):
            ga.gemm(1, array, array, 0, array)
        square = self.make((3, 3))
        for call in (
            lambda: ga.gemm(1, square, square, 0, square),
            lambda: ga.transpose(square, square),
        ):
            with self.assertRaisesRegex(ValueError, "needs an array of its own"):
                call()
        with self.assertRaisesRegex(ValueError, "two dimensions"):
            ga.transpose(self.make(3), square)

    def test_what_cannot_be_created_is_refused(self):
        for dtype in ("?", "u4", "g", "O", ">f8", "M8[s]"):
            with self.assertRaisesRegex(TypeError, "Global Arrays have int32, int64"):
                ga.create(3, dtype)
        for shape in ((), (1,) * 8, (2, -1)):
            with self.assertRaisesRegex(ValueError, "1 to 7 dimensions"):
                ga.create(shape)
        for chunk in (0, (1, 1)):
            with self.assertRaisesRegex(ValueError, "needs 1 lengths from 1"):
                ga.create(3, chunk=chunk)
        with self.assertRaisesRegex(MemoryError, r"no memory for global array 'much' of shape"):
            ga.create(2**60, name="much")
        with self.assertRaisesRegex(MemoryError, "no memory for"):
            ga.create(2**61, chunk=2**61)  # all on rank 0
        if RANKS > 1:
            with self.assertRaisesRegex(ValueError, "the ranks ask for different arrays"):
                ga.create(3 + ME)

    def test_an_array_is_neither_copied_nor_pickled(self):
        array = self.make(3)
        for how in (copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, r"gondwana.GlobalArray .*array.to_numpy\(\)"):
                how(array)
        self.assertEqual(len(array), 3)

    def test_what_is_freed_is_refused(self):
        with ga.create(3, name="old") as array:
            self.assertEqual((array.shape, array.size, array.nbytes, array.ndim), ((3,), 3, 24, 1))
        array.free()
        uses = (
            lambda: array[0],
            lambda: array.local,
            lambda: array.read_inc(0),
            lambda: array.fill(0),
            lambda: array.dot(array),
        )
        for use in uses:
            with self.assertRaisesRegex(ValueError, "'old' was freed; create it anew"):
                use()
        self.assertIn("name='old', freed", repr(array))

    def test_an_array_that_is_dropped_is_said(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ga.zeros(1)
        self.assertEqual([warning.category for warning in caught], [ResourceWarning])


if __name__ == "__main__":
    unittest.main()
