# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in the memory of a CUDA device that offer what those of other libraries do, and streams."""
import contextlib
import ctypes
import time

import numpy as np


class Driver:
    """CUDA's driver, with the primary context of device 0 current in this thread."""

    def __init__(self):
        self.library = ctypes.CDLL('libcuda.so.1')
        self.call('cuInit', 0)
        context = ctypes.c_void_p()
        self.call('cuDevicePrimaryCtxRetain', ctypes.byref(context), 0)
        self.call('cuCtxSetCurrent', context)

    def call(self, name, *arguments):
        error = getattr(self.library, name)(*arguments)
        if error != 0:
            raise RuntimeError(f'{name} fails with error {error}')

    def free_bytes(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call('cuMemGetInfo_v2', ctypes.byref(free), ctypes.byref(total))
        return free.value


class Stream:
    """A stream that held() holds up."""

    def __init__(self, driver):
        self._driver = driver
        self._handle, self._flag = ctypes.c_void_p(), ctypes.c_void_p()
        driver.call('cuStreamCreate', ctypes.byref(self._handle), 1)  # non-blocking
        driver.call('cuMemHostAlloc', ctypes.byref(self._flag), 4, 0)
        self._held = ctypes.c_uint32.from_address(self._flag.value)

    def __del__(self):
        self._driver.call('cuStreamDestroy_v2', self._handle)
        self._driver.call('cuMemFreeHost', self._flag)

    @property
    def handle(self):
        return self._handle.value

    def __cuda_stream__(self):
        return 0, self.handle

    @contextlib.contextmanager
    def held(self):
        """Holds up later work for the body of a with statement, and long enough that work which does not
        wait for it would be done."""
        self._held.value = 0
        self._driver.call('cuStreamWaitValue32_v2', self._handle, self._flag, 1, 0)
        try:
            yield
            time.sleep(0.05)
        finally:
            self._held.value = 1

    def is_done(self):
        return self._driver.library.cuStreamQuery(self._handle) == 0

    def synchronize(self):
        self._driver.call('cuStreamSynchronize', self._handle)

    def copy(self, source, to):
        """Queues a copy of arrays of the same size."""
        self._driver.call('cuMemcpyDtoDAsync_v2', ctypes.c_uint64(to.address),
                          ctypes.c_uint64(source.address), source.block_bytes, self._handle)

    def wait_for(self, other):
        """Makes later work in the stream of that handle wait for the work in this one."""
        event = ctypes.c_void_p()
        self._driver.call('cuEventCreate', ctypes.byref(event), 2)  # without times
        self._driver.call('cuEventRecord', event, self._handle)
        self._driver.call('cuStreamWaitEvent', ctypes.c_void_p(other), event, 0)
        self._driver.call('cuEventDestroy_v2', event)


class Base:
    """A copy of an array, with its strides, in the memory of device 0."""

    def __init__(self, driver, array, stream=None):
        self._driver, self._stream = driver, stream
        block = array if array.base is None else array.base
        if not isinstance(block, np.ndarray) or not block.flags.c_contiguous:
            block = array = np.ascontiguousarray(array)
        self.block_bytes = block.nbytes
        self.shape, self.dtype, self.strides = array.shape, array.dtype, array.strides
        self._block, self._offset = block, array.ctypes.data - block.ctypes.data
        memory = ctypes.c_uint64()
        driver.call('cuMemAlloc_v2', ctypes.byref(memory), block.nbytes)
        self.address = memory.value
        self.write(block)

    def __del__(self):
        self._driver.call('cuMemFree_v2', ctypes.c_uint64(self.address))

    def write(self, block):
        self._driver.call('cuMemcpyHtoD_v2', ctypes.c_uint64(self.address),
                          ctypes.c_void_p(block.ctypes.data), block.nbytes)

    def numpy(self):
        block = np.empty_like(self._block)
        self._driver.call('cuMemcpyDtoH_v2', ctypes.c_void_p(block.ctypes.data),
                          ctypes.c_uint64(self.address), block.nbytes)
        return np.ndarray(self.shape, self.dtype, block, self._offset, self.strides)


class CudaArray(Base):
    """An array with __cuda_array_interface__, like Numba's."""

    is_read_only = False

    @property
    def __cuda_array_interface__(self):
        return {'version': 3, 'shape': self.shape, 'typestr': self.dtype.str,
                'data': (self.address + self._offset, self.is_read_only), 'strides': self.strides,
                'stream': None if self._stream is None else self._stream.handle}


class Tensor(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [('data', ctypes.c_void_p), ('device_type', ctypes.c_int32),
                ('device_id', ctypes.c_int32), ('ndim', ctypes.c_int32), ('code', ctypes.c_uint8),
                ('bits', ctypes.c_uint8), ('lanes', ctypes.c_uint16),
                ('shape', ctypes.POINTER(ctypes.c_int64)), ('strides', ctypes.POINTER(ctypes.c_int64)),
                ('byte_offset', ctypes.c_uint64), ('manager_ctx', ctypes.c_void_p),
                ('deleter', ctypes.c_void_p)]


class Capsules:
    """Makes capsules of an array, and counts those that nobody needs anymore. `changes` are members of
    Tensor."""

    _all = []  # capsules may live longer than their arrays

    def __init__(self, array, address, offset, device_type, **changes):
        sides = ctypes.c_int64 * array.ndim
        self._sides = sides(*array.shape), sides(*(each // array.itemsize for each in array.strides))
        code = {'u': 1, 'b': 6, 'f': 2, 'V': 4}[array.dtype.kind]
        self._tensor = Tensor(address, device_type, 0, array.ndim, code, 8 * array.itemsize, 1,
                              *self._sides, offset)
        for name, value in changes.items():
            setattr(self._tensor, name, value)
        self._all.append(self)
        # No cycle: the garbage collector would free device memory, which waits for held streams.
        self._releases = releases = []
        self._destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(releases.append)

    @property
    def released(self):
        return len(self._releases)

    def new(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self._tensor), b'dltensor', self._destructor)


class DLPackArray(Base):
    """An array with DLPack, like a tensor of PyTorch. Its memory does not wait for its capsules."""

    def __init__(self, driver, array, stream=None):
        super().__init__(driver, array, stream)
        layout = np.ndarray(self.shape, self.dtype, self._block, self._offset, self.strides)
        self.capsules = Capsules(layout, self.address, self._offset, 2)
        self.streams = []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        if self._stream is not None:
            self._stream.wait_for(stream)
        return self.capsules.new()


class Both(CudaArray, DLPackArray):
    """An array with both, like CuPy's."""
