"""Checks the structures that the library exchanges with Python, with the standard library only. Needs no GPU.

    python3 structures.py PATH/libdlpack.so
"""

import ctypes
import struct
import sys
import threading
from ctypes import c_int64

import cuda_direct as cd
from cuda_direct import Array, Tensor, Unversioned, Versioned

done = []


def check(what, *conditions):
    if not all(conditions):
        sys.exit(f"FAILED: {what}: {conditions}")
    done.append(what)
    print(f"ok  {what}")


def fails(what, says, call):
    try:
        call()
    except (BufferError, AttributeError) as error:
        check(f"{what}: {error}", says in str(error))
    else:
        sys.exit(f"FAILED: {what} was accepted")


def floats(*values):
    return struct.pack(f"{len(values)}f", *values)


def axes(tensor):
    return tensor.shape[: tensor.ndim], tensor.strides[: tensor.ndim]


def our_tensors():
    for name, (code, bits) in cd.TYPES.items():
        host = bytes(i % 2 for i in range(6 * bits // 8))
        x = Array.new(name, (2, 3), host)
        pointer, versioned = cd.taken_out(x.__dlpack__(stream=None, max_version=(1, 0)))
        managed = Versioned.from_address(pointer)
        tensor = managed.tensor
        found = [
            versioned, managed.major == 1, managed.flags == cd.READ_ONLY, (tensor.device.device_type, tensor.device.device_id) == (2, 0),
            (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) == (code, bits, 1),
            axes(tensor) == ([2, 3], [3, 1]), tensor.byte_offset == 0, tensor.data != 0, x.read(len(host)) == host,
        ]
        if name != "bfloat16":
            found.append(tensor.data == x.interface(False)["data"][0])
        cd.delete(pointer, True)
        check(f"{name}: a versioned tensor, read-only", *found)
        pointer, versioned = cd.taken_out(x.given().__dlpack__(stream=-1))
        tensor = Unversioned.from_address(pointer).tensor
        found = [not versioned, (tensor.dtype.code, tensor.dtype.bits) == (code, bits), axes(tensor) == ([2, 3], [3, 1])]
        cd.delete(pointer, False)
        check(f"{name}: an unversioned tensor, which owns the array", *found, x.handle is None)


def views():
    x = Array.new("float32", (3, 2), floats(*range(6)))
    pointer, _ = cd.taken_out(x.transposed().__dlpack__(max_version=(1, 1)))
    found = axes(Versioned.from_address(pointer).tensor)
    cd.delete(pointer, True)
    check("a transposed array has the right strides", found == ([2, 3], [1, 2]))
    y = x.every_second()
    pointer, _ = cd.taken_out(y.__dlpack__(max_version=(1, 1)))
    tensor = Versioned.from_address(pointer).tensor
    found = axes(tensor), tensor.data - x.interface(False)["data"][0]
    cd.delete(pointer, True)
    check("a slice's tensor starts at its first element", found == (([1, 2], [4, 1]), 8))


def capsules():
    x = Array.new("float32", (1000,), bytes(4000))
    before = lib.used()
    capsule = x.given().__dlpack__(stream=1, max_version=(1, 0))
    check("a capsule's name", "dltensor_versioned" in repr(capsule), "used" not in repr(capsule))
    del capsule
    check("an unused capsule deletes its tensor", lib.used() < before)

    x = Array.new("float32", (1000,), bytes(4000))
    before = lib.used()
    capsule = x.given().__dlpack__(stream=2)
    y = Array(lib.take(*cd.taken_out(capsule), -1))
    check("taking a tensor renames its capsule", "used_dltensor" in repr(capsule))
    fails("a tensor can be taken only once", "taken already", lambda: cd.taken_out(capsule))
    del capsule
    check("a capsule without its tensor deletes nothing", lib.used() == before, y.read(4000) == bytes(4000))
    y.drop()
    check("dropping the last array deletes the tensor", lib.used() < before)


def who_may_write():
    x = Array.new("float32", (2,), floats(1, 2))
    held = x.__dlpack__(max_version=(1, 0))
    address = x.interface(False)["data"][0]
    x.double()
    check("a shared array is copied before it is written", x.interface(False)["data"][0] != address, x.read(8) == floats(2, 4))
    y = Array(lib.take(*cd.taken_out(held), -1))
    check("its tensor is unchanged", y.read(8) == floats(1, 2), y.interface(False)["data"][0] == address)
    pointer, _ = cd.taken_out(x.__dlpack__(max_version=(1, 0), copy=True))
    flags = Versioned.from_address(pointer).flags
    cd.delete(pointer, True)
    check("a requested copy is flagged as a copy", flags == cd.COPIED)
    fails("another device is rejected", "not on", lambda: x.__dlpack__(max_version=(1, 0), dl_device=(1, 0)))
    for number, says in [(0, "stream 0"), (-7, "-7")]:
        fails(f"stream {number}", says, lambda: x.__dlpack__(stream=number, max_version=(1, 0)))


class Producer:
    """A Python library that uses the memory of an array."""

    alive = []

    def __init__(self, host, shape, strides=None, versioned=True, flags=0, major=1, device=(cd.CUDA, 0), type=(2, 32)):
        self.memory = Array.new("float32", (len(host) // 4,), host)
        self.address = self.memory.interface(False)["data"][0]
        self.deletions = []
        self.deleter = cd.DELETER(self.delete)
        self.axes = [(c_int64 * len(of))(*of) if of is not None else None for of in (shape, strides)]
        lengths, strides = (ctypes.cast(of, ctypes.POINTER(c_int64)) if of is not None else None for of in self.axes)
        tensor = Tensor(self.address, cd.Device(*device), len(shape), cd.DataType(*type, 1), lengths, strides, 0)
        self.managed = Versioned(major, 0, None, self.deleter, flags, tensor) if versioned else Unversioned(tensor, None, self.deleter)
        self.versioned = versioned
        self.alive.append(self)

    def delete(self, pointer):
        self.deletions.append((pointer == ctypes.addressof(self.managed), threading.get_ident()))

    def __dlpack_device__(self):
        return cd.CUDA, 0

    def __dlpack__(self, *, stream, max_version=None):
        if not self.versioned and max_version is not None:
            raise TypeError("versions are not supported")
        self.stream = stream
        return cd.capsule_of(ctypes.addressof(self.managed), self.versioned)


def their_tensors():
    for versioned in (True, False):
        kind = "versioned" if versioned else "unversioned"
        theirs = Producer(floats(*range(6)), (3, 2), (1, 3), versioned)
        x = cd.from_dlpack(theirs)
        check(f"{kind}: the producer receives the array's stream", theirs.stream == cd.stream())
        check(f"{kind}: strides select the right elements", x.read(24) == floats(0, 3, 1, 4, 2, 5))
        y = x.doubled()
        x.drop()
        check(f"{kind}: the deleter is called once, with the tensor", [ok for ok, _ in theirs.deletions] == [True])
        check(f"{kind}: computed results outlive the tensor", y.read(24) == floats(0, 6, 2, 8, 4, 10))
    theirs = Producer(floats(1, 2, 3), (3,))
    x = cd.from_dlpack(theirs)
    x.double()
    check("writing to an array writes to the tensor", theirs.memory.read(12) == floats(2, 4, 6))
    there = threading.Thread(target=x.drop)
    there.start()
    ident = there.ident
    there.join()
    check("a deleter is called on the thread that drops the array", theirs.deletions == [(True, ident)])
    theirs = Producer(floats(1, 2, 3), (3,), flags=cd.READ_ONLY)
    x = cd.from_dlpack(theirs)
    x.double()
    check("a read-only tensor is copied before it is written", theirs.memory.read(12) == floats(1, 2, 3), x.read(12) == floats(2, 4, 6))
    check("and its deleter is called", len(theirs.deletions) == 1)
    theirs = Producer(floats(1, 2, 3), (3,))
    x = cd.from_dlpack(theirs, producer=1)
    check("with the producer's stream, the consumer requests no ordering", theirs.stream == -1, x.read(12) == floats(1, 2, 3))
    x.drop()
    check("and the tensor's deleter is called", len(theirs.deletions) == 1)
    for what, says, change in [
        ("version 2", "DLPack 2.0", dict(major=2)),
        ("host memory", "kDLCPU", dict(device=(1, 0))),
        ("another device", "device 5", dict(device=(cd.CUDA, 5))),
        ("an unknown type", "code 9", dict(type=(9, 32))),
    ]:
        theirs = Producer(floats(1, 2), (2,), **change)
        fails(what, says, lambda: cd.from_dlpack(theirs))
        check(f"{what}: the deleter is called once", [ok for ok, _ in theirs.deletions] == [True])


class Interface:
    """An object that describes an array's memory."""

    def __init__(self, array, **changed):
        self.array = array
        self.__cuda_array_interface__ = {**array.interface(True), **changed}


def interfaces():
    x = Array.new("complex64", (2, 3), bytes(48))
    found = x.transposed().__cuda_array_interface__
    address = found["data"][0]
    wanted = {
        "shape": (3, 2), "strides": (8, 24), "typestr": "<c8", "data": (address, True), "stream": cd.stream(), "version": 3,
    }
    check("an array's __cuda_array_interface__", found == wanted, address != 0)
    fails("bfloat16 has no name in __cuda_array_interface__", "bf16", lambda: Array.new("bfloat16", (1,), bytes(2)).__cuda_array_interface__)
    theirs = Interface(Array.new("float32", (2, 2), floats(1, 2, 3, 4)), strides=None)
    y = cd.from_interface(theirs)
    y.double()
    check("an array from another object's __cuda_array_interface__", theirs.array.read(16) == floats(2, 4, 6, 8), len(cd._kept) == 1)
    y.drop()
    check("its owner is released", not cd._kept)
    fails("stream 0 is rejected", "stream 0", lambda: cd.from_interface(Interface(theirs.array, stream=0)))
    check("and its owner is released", not cd._kept)


def main():
    our_tensors()
    views()
    capsules()
    who_may_write()
    their_tensors()
    interfaces()
    print(f"{len(done)} checks passed")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cd.load(sys.argv[1])
    lib = cd.lib
    cd.stream()
    main()
