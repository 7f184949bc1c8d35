"""Memory that other libraries share. Every rank runs every test."""

import contextlib
import ctypes
import gc
import os
import unittest
import weakref

import gondwana
import numpy as np
from gondwana import _device, _dlpack, _library

torch = None
# PyTorch for CUDA crashes at its exit where another library stands in for the driver.
if "GONDWANA_KINDS" not in os.environ:
    with contextlib.suppress(ImportError):
        import torch

ME, RANKS = gondwana.rank(), gondwana.size()
NEXT, BEFORE = (ME + 1) % RANKS, (ME - 1) % RANKS
CUDA, COPIED = 2, 2
HAS_VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
DEVICES = gondwana.devices()  # the first one may be of CUDA, the last one is emulated
NEEDS_DEVICES = unittest.skipUnless(DEVICES, "needs GONDWANA_EMULATED_DEVICES")
USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


def of_python(name, result, *parameters):
    return ctypes.PYFUNCTYPE(result, *parameters)((name, ctypes.pythonapi))


name_of = of_python("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
set_name = of_python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
pointer_of = of_python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)


class Consumer:
    """A library that takes what a capsule has, and reads it as the protocol says."""

    def __init__(self, capsule):
        self.name = name_of(capsule)
        self.place = pointer_of(capsule, self.name)
        whole = (Versioned if self.name.endswith(b"versioned") else Managed).from_address(
            self.place
        )
        set_name(capsule, USED[self.name])
        tensor = whole.tensor
        self.flags = getattr(whole, "flags", 0)
        self.data, self.device = tensor.data + tensor.byte_offset, tuple(tensor.device)
        self.type = (tensor.code, tensor.bits, tensor.lanes)
        self.shape = tuple(tensor.shape[: tensor.ndim])
        self.strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else None
        self.delete = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(whole.deleter)

    def release(self):
        self.delete(self.place)


class Foreign:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


class OfCuda:
    """A producer: memory of a device, which it says is one of CUDA."""

    def __init__(self, dtype, length):
        begin = _device._malloc(0, length * np.dtype(dtype).itemsize)
        self.memory = _device.DeviceMemory(begin)
        self.array = _library.array_at(begin, (length,), np.dtype(dtype), self.memory)


class ByDlpack(OfCuda):
    def __dlpack_device__(self):
        return CUDA, 3

    def __dlpack__(self, *, stream=None, max_version=None):
        return _dlpack.offered(self.array, max_version, (CUDA, 3))


class ByInterface(OfCuda):
    @property
    def __cuda_array_interface__(self):
        data = (self.array.ctypes.data, False)
        return {"shape": self.array.shape, "typestr": "<f4", "data": data, "version": 3}


# Older numpy treats what it gets by DLPack as read-only.
KINDS_OF_CUDA = (ByDlpack, ByInterface) if HAS_VERSIONS else (ByInterface,)


class DlpackTest(unittest.TestCase):
    def make(self, how, *arguments, **options):
        """An array that is freed when the test passes; a failed test ends the job."""
        array = how(*arguments, **options)
        self.addCleanup(array.free)
        return array

    def test_memory_of_the_host_is_shared(self):
        array = self.make(gondwana.zeros, (3, 4), np.float32)
        self.assertEqual(array.__dlpack_device__(), (1, 0))
        seen = Consumer(array.__dlpack__())
        self.assertEqual((seen.name, seen.device, seen.type), (b"dltensor", (1, 0), (2, 32, 1)))
        self.assertEqual((seen.data, seen.shape), (array.local.ctypes.data, (3, 4)))
        seen.release()
        seen = Consumer(array.part(np.s_[1:, ::2]).__dlpack__(max_version=(1, 0)))
        self.assertEqual(seen.name == b"dltensor_versioned", HAS_VERSIONS)
        self.assertEqual((seen.data, seen.shape), (array.local[1:].ctypes.data, (2, 2)))
        self.assertEqual((seen.strides, seen.flags), ((4, 2), 0))
        seen.release()
        shared = np.from_dlpack(array)
        array.put(ME + 1, NEXT)
        gondwana.barrier()
        self.assertTrue((shared == BEFORE + 1).all())

    def test_what_memory_of_the_host_cannot_do_is_refused(self):
        array = self.make(gondwana.zeros, 3)
        with self.assertRaisesRegex(BufferError, r"\(2, 0\) has to copy it"):
            array.__dlpack__(dl_device=(CUDA, 0))
        with self.assertRaisesRegex(BufferError, "no streams"):
            array.__dlpack__(stream=1)
        copied = Consumer(array.__dlpack__(dl_device=(1, 0), copy=True, max_version=(1, 1)))
        self.assertNotEqual(copied.data, array.local.ctypes.data)
        self.assertEqual(copied.flags, COPIED if HAS_VERSIONS else 0)
        copied.release()

    def test_arrays_of_other_libraries_are_registered_where_they_are(self):
        memory = np.zeros((2, 3))
        if HAS_VERSIONS:
            array = self.make(gondwana.from_dlpack, Foreign(memory))
            array.put(ME, NEXT, 1)
            gondwana.barrier()
            self.assertEqual(memory.tolist(), [[0] * 3, [BEFORE] * 3])
        else:
            with self.assertRaisesRegex(ValueError, r"writable.*tensor\.numpy\(\)"):
                gondwana.register(Foreign(memory))
        with self.assertRaisesRegex(TypeError, "not of type list"):
            gondwana.register([1, 2])

    def test_views_of_numpy_are_registered_with_their_parts(self):
        memory = np.arange(8)
        array = self.make(gondwana.register, memory[2:].reshape(2, 3))
        array.put(ME, NEXT, (1, slice(2)))
        gondwana.barrier()
        self.assertEqual(memory.tolist(), [0, 1, 2, 3, 4, BEFORE, BEFORE, 7])

    @NEEDS_DEVICES
    def test_a_device_that_others_cannot_use_offers_copies(self):
        array = self.make(gondwana.full, 3, ME, np.int16, device="emulated:0")
        self.assertEqual(array.__dlpack_device__(), (12, 0))
        seen = Consumer(array.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
        self.assertEqual((seen.device, seen.type), ((1, 0), (0, 16, 1)))
        self.assertEqual(list((ctypes.c_int16 * 3).from_address(seen.data)), [ME] * 3)
        self.assertEqual(seen.flags, COPIED if HAS_VERSIONS else 0)
        seen.release()
        with self.assertRaisesRegex(BufferError, r"array\.to_host\(\).*dl_device=\(1, 0\)"):
            array.__dlpack__()
        with self.assertRaisesRegex(BufferError, "by a copy only"):
            array.__dlpack__(dl_device=(1, 0), copy=False)
        self.assertFalse(hasattr(array, "__cuda_array_interface__"))

    @NEEDS_DEVICES
    def test_memory_of_cuda_is_shared_and_lasts_as_long_as_it_is(self):
        for versions in ({}, {"max_version": (1, 0)}):
            array = gondwana.zeros((4, 5), np.float32, device=DEVICES[0])
            begin = array._memory().ctypes.data
            array._device_block.device = "cuda:1"  # it only has to say so
            self.assertEqual(array.__dlpack_device__(), (CUDA, 1))
            unused = array.__dlpack__(stream=1, **versions)
            seen = Consumer(array.part(np.s_[1:, 1:3]).__dlpack__(stream=7, **versions))
            self.assertEqual((seen.device, seen.type, seen.shape), ((CUDA, 1), (2, 32, 1), (3, 2)))
            self.assertEqual((seen.data, seen.strides, seen.flags), (begin + 24, (5, 1), 0))
            described = array.__cuda_array_interface__
            self.assertEqual(described["data"], (begin, False))
            self.assertEqual((described["shape"], described["typestr"]), ((4, 5), "<f4"))
            self.assertEqual((described["version"], described["strides"]), (3, None))
            self.assertEqual(array.part(np.s_[:, 0]).__cuda_array_interface__["strides"], (20,))
            for wrong in ({"stream": 0}, {"copy": True}, {"dl_device": (CUDA, 0)}):
                self.assertRaises(BufferError, array.__dlpack__, **wrong)
            memory = weakref.ref(array._device_block.owner)
            array.free()
            del array
            gc.collect()
            self.assertIsNotNone(memory())
            del unused
            self.assertIsNotNone(memory())
            seen.release()
            self.assertIsNone(memory())

    @NEEDS_DEVICES
    def test_arrays_of_cuda_are_registered_where_they_are(self):
        for kind in KINDS_OF_CUDA:
            foreign = kind(np.float32, 6)
            memory = weakref.ref(foreign.memory)
            array = gondwana.register(foreign)
            del foreign
            self.assertEqual((array.device, array.shape), (DEVICES[0], (6,)))
            array.put(ME, NEXT, slice(1, 3))
            gondwana.barrier()
            self.assertEqual(array[...].tolist(), [0, BEFORE, BEFORE, 0, 0, 0])
            array.free()
            del array
            gc.collect()
            self.assertIsNone(memory())

    @NEEDS_DEVICES
    def test_arrays_of_cuda_are_put_where_they_are(self):
        for kind in KINDS_OF_CUDA:
            foreign = kind(np.float32, 6)
            own = gondwana.register(foreign)
            own[...] = ME
            on_host = self.make(gondwana.zeros, 6, np.float32)
            on_host.put(foreign, NEXT)
            gondwana.barrier()
            self.assertEqual(on_host.local.tolist(), [BEFORE] * 6)
            with self.assertRaisesRegex(ValueError, r"has shape \(6,\) and type float32, not \(2,\)"):
                on_host.put(foreign, NEXT, slice(2))
            gondwana.barrier()
            own.free()

    def test_devices_that_are_none_of_ours_are_refused(self):
        class Elsewhere:
            __cuda_array_interface__ = Foreign(np.zeros(3)).array.__array_interface__

        with self.assertRaisesRegex(ValueError, "a device that Gondwana does not use; it has: "):
            gondwana.register(Elsewhere())

    def test_an_empty_array_lies_nowhere(self):
        class Empty:
            @property
            def __cuda_array_interface__(self):
                return {"shape": (0, 3), "typestr": "<f4", "data": (0, False), "version": 3}

        array = self.make(gondwana.register, Empty())
        self.assertEqual((array.shape, array.dtype), ((0, 3), np.float32))

    def test_the_peers_of_a_rank_that_refuses_its_array_are_told(self):
        if ME == RANKS - 1:
            with self.assertRaisesRegex(ValueError, "must be contiguous"):
                gondwana.register(np.zeros((3, 3))[:, 1])
        else:
            with self.assertRaisesRegex(MemoryError, "of another rank cannot be shared"):
                gondwana.register(np.zeros(3))

    @unittest.skipUnless(torch, "needs torch, which is no part of the tests' packages")
    def test_tensors_of_torch_share_memory_both_ways(self):
        array = self.make(gondwana.zeros, 4, np.float32)
        tensor = torch.from_dlpack(array)
        array.put(ME, NEXT, slice(2))
        gondwana.barrier()
        self.assertEqual(tensor.tolist(), [BEFORE, BEFORE, 0, 0])
        tensor += 10
        gondwana.barrier()
        self.assertEqual(array.get(NEXT).tolist(), [ME + 10, ME + 10, 10, 10])
        own = torch.zeros(2, 3)
        peers = self.make(gondwana.register, own if HAS_VERSIONS else own.numpy())
        peers.put(ME, NEXT, 1)
        gondwana.barrier()
        self.assertEqual(own.tolist(), [[0] * 3, [BEFORE] * 3])


if __name__ == "__main__":
    unittest.main()
