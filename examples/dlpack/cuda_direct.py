"""Arrays of cuda-compute in Python: a wrapper of libdlpack.so that needs only the standard library.

An Array supports DLPack and `__cuda_array_interface__`, so `torch.from_dlpack(array)` and `cupy.asarray(array)` accept it.
`from_dlpack(tensor)` creates an Array from a tensor of another library. The structures are declared again here, independently
of the library.
"""

import ctypes
from ctypes import c_bool, c_char, c_char_p, c_int32, c_int64, c_size_t, c_ssize_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

CPU, CUDA = 1, 2  # kDLCPU, kDLCUDA
READ_ONLY = 1
COPIED = 2

# DLPack's code and bits, by NumPy's names.
TYPES = {
    "bool": (6, 8), "int8": (0, 8), "int16": (0, 16), "int32": (0, 32), "int64": (0, 64),
    "uint8": (1, 8), "uint16": (1, 16), "uint32": (1, 32), "uint64": (1, 64),
    "float16": (2, 16), "bfloat16": (4, 16), "float32": (2, 32), "float64": (2, 64),
    "complex64": (5, 64), "complex128": (5, 128),
}


class Device(ctypes.Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p), ("device", Device), ("ndim", c_int32), ("dtype", DataType),
        ("shape", ctypes.POINTER(c_int64)), ("strides", ctypes.POINTER(c_int64)), ("byte_offset", c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, c_void_p)


class Unversioned(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("manager_ctx", c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", c_uint32), ("minor", c_uint32), ("manager_ctx", c_void_p), ("deleter", DELETER), ("flags", c_uint64),
        ("tensor", Tensor),
    ]


class Facts(ctypes.Structure):
    _fields_ = [
        ("rank", c_size_t), ("lengths", c_size_t * 8), ("strides", c_ssize_t * 8), ("typestr", c_char * 8),
        ("address", c_uint64), ("stream", c_int64), ("read_only", c_bool), ("version", c_uint32),
    ]


RELEASE = ctypes.CFUNCTYPE(None, c_uint64)

# Calls of the library let other Python threads run, because one thread may wait for the work of another.
lib = None


def load(path):
    """Opens libdlpack.so."""
    global lib
    library = ctypes.CDLL(path)
    for name, result, *arguments in [
        ("error", c_char_p),
        ("stream", c_int64),
        ("used", c_uint64),
        ("new", c_void_p, c_uint8, c_uint8, c_size_t, ctypes.POINTER(c_size_t), c_char_p),
        ("take", c_void_p, c_void_p, c_bool, c_int64),
        ("tensor", c_void_p, c_void_p, c_bool, ctypes.POINTER(c_int64), c_bool),
        ("facts", c_int32, c_void_p, c_bool, ctypes.POINTER(Facts)),
        ("of_facts", c_void_p, ctypes.POINTER(Facts), RELEASE, c_uint64),
        ("made", c_void_p, c_void_p, c_uint8),
        ("double", c_int32, c_void_p),
        ("read", c_int32, c_void_p, c_void_p, c_size_t),
        ("drop", None, c_void_p),
    ]:
        function = library["arrays_" + name]
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    lib = library


def checked(result):
    """Returns the result unless it is null."""
    if not result:
        raise BufferError(lib.error().decode())
    return result


def stream():
    """Returns the number of the stream that all arrays belong to."""
    return checked(lib.stream())


# Capsules. Python's own functions for them, which ctypes calls with the interpreter's lock held.

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
python.PyCapsule_IsValid.restype = ctypes.c_int
python.PyCapsule_IsValid.argtypes = [c_void_p, c_char_p]
python.PyCapsule_GetPointer.restype = c_void_p
python.PyCapsule_GetPointer.argtypes = [c_void_p, c_char_p]
python.PyCapsule_SetName.restype = ctypes.c_int
python.PyCapsule_SetName.argtypes = [c_void_p, c_char_p]

# A capsule keeps a pointer to its name.
NAMES = {True: (b"dltensor_versioned", b"used_dltensor_versioned"), False: (b"dltensor", b"used_dltensor")}
STRUCTURES = {True: Versioned, False: Unversioned}


def delete(pointer, versioned):
    """Calls the deleter of a tensor."""
    deleter = STRUCTURES[versioned].from_address(pointer).deleter
    if deleter:
        deleter(pointer)


@ctypes.PYFUNCTYPE(None, c_void_p)
def _forget(capsule):
    """Deletes the unused tensor of a capsule, by the capsule's address, because it has no references any more."""
    for versioned, (name, _) in NAMES.items():
        if python.PyCapsule_IsValid(capsule, name):
            delete(python.PyCapsule_GetPointer(capsule, name), versioned)


def capsule_of(pointer, versioned):
    """Returns a capsule that owns a tensor."""
    return python.PyCapsule_New(pointer, NAMES[versioned][0], ctypes.cast(_forget, c_void_p))


def taken_out(capsule):
    """Takes the tensor out of a capsule for the caller. Also returns whether it is versioned."""
    for versioned, (name, used) in NAMES.items():
        if python.PyCapsule_IsValid(id(capsule), name):
            pointer = python.PyCapsule_GetPointer(id(capsule), name)
            python.PyCapsule_SetName(id(capsule), used)
            return pointer, versioned
    raise BufferError("the object is not a DLPack capsule, or its tensor was taken already")


def from_dlpack(other, producer=-1):
    """Creates an array from a tensor's memory. With the number of the other library's stream, both streams wait for each
    other, and the host does not wait."""
    kind, _ = other.__dlpack_device__()
    ours = None if kind == CPU else stream() if producer == -1 else -1
    try:
        capsule = other.__dlpack__(stream=ours, max_version=(1, 1))
    except TypeError:  # of versions before 1.0
        capsule = other.__dlpack__(stream=ours)
    pointer, versioned = taken_out(capsule)
    return Array(lib.take(pointer, versioned, producer))


_kept = {}


@RELEASE
def _release(key):
    _kept.pop(key, None)


def from_interface(other):
    """Creates an array from the memory of `__cuda_array_interface__`."""
    interface = other.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise BufferError("masked elements are not supported")
    facts = Facts()
    facts.rank = len(interface["shape"])
    facts.lengths[: facts.rank] = interface["shape"]
    facts.typestr = interface["typestr"].encode()
    strides, step = interface.get("strides"), int(interface["typestr"][2:])
    if strides is None:
        strides = []
        for length in reversed(interface["shape"]):
            strides.insert(0, step)
            step *= length
    facts.strides[: facts.rank] = strides
    facts.address, facts.read_only = interface["data"]
    number = interface.get("stream")
    facts.stream = -1 if number is None else number
    facts.version = interface["version"]
    key = max(_kept, default=0) + 1
    _kept[key] = other
    return Array(lib.of_facts(ctypes.byref(facts), _release, key))


class Array:
    """An array of the library."""

    handle = None

    def __init__(self, handle):
        self.handle = checked(handle)

    @classmethod
    def new(cls, dtype, shape, host):
        """Creates an array with a copy of bytes."""
        code, bits = TYPES[dtype]
        lengths = (c_size_t * len(shape))(*shape)
        return cls(lib.new(code, bits, len(shape), lengths, bytes(host)))

    def drop(self):
        """Drops the array now."""
        handle, self.handle = self.handle, None
        if handle:
            lib.drop(handle)

    def __del__(self):
        self.drop()

    def another(self):
        return Array(lib.made(self.handle, 0))

    def doubled(self):
        return Array(lib.made(self.handle, 1))

    def transposed(self):
        return Array(lib.made(self.handle, 2))

    def every_second(self):
        return Array(lib.made(self.handle, 3))

    def double(self):
        """In place."""
        if lib.double(self.handle):
            raise BufferError(lib.error().decode())

    def read(self, size):
        """Returns all elements in C order, as a number of bytes."""
        host = ctypes.create_string_buffer(size)
        if lib.read(self.handle, host, size):
            raise BufferError(lib.error().decode())
        return host.raw

    # DLPack

    def __dlpack_device__(self):
        return CUDA, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The array stays valid. Its tensor is read-only, or a copy if the caller requests one or does not support flags."""
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on CUDA device 0, not on {dl_device}")
        versioned = max_version is not None and max_version[0] >= 1
        if versioned and not copy:
            return self._capsule(False, stream, True)
        if copy is False:
            raise BufferError("without DLPack 1.0, an array can only be shared as a copy")
        other = self.another()
        return other.given().__dlpack__(stream=stream, max_version=max_version)

    def given(self):
        """Transfers the array. The recipient may write to it."""
        return Given(self)

    def _capsule(self, give, stream, versioned):
        number = None if stream is None else ctypes.byref(c_int64(stream))
        handle = self.handle
        if give:
            self.handle = None
        return capsule_of(checked(lib.tensor(handle, give, number, versioned)), versioned)

    # __cuda_array_interface__

    def interface(self, writing):
        facts = Facts()
        if lib.facts(self.handle, writing, ctypes.byref(facts)):
            raise AttributeError(lib.error().decode())
        return {
            "shape": tuple(facts.lengths[: facts.rank]),
            "strides": tuple(facts.strides[: facts.rank]),
            "typestr": facts.typestr.decode(),
            "data": (facts.address, facts.read_only),
            "stream": facts.stream,
            "version": facts.version,
        }

    @property
    def __cuda_array_interface__(self):
        return self.interface(False)


class Given:
    """An array that is transferred to its first recipient."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return CUDA, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self.array._capsule(True, stream, max_version is not None and max_version[0] >= 1)


class Writable:
    """An array that is writable through `__cuda_array_interface__`, which PyTorch requires."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.interface(True)
