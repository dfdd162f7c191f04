"""Exchanges arrays with PyTorch and CuPy in one process on a GPU, and checks values, memory and order.

    python3 torch_and_cupy.py PATH/libdlpack.so [torch] [cupy]

Without names, the program tests both libraries. It prints a line for each check and exits at the first failure.
"""

import gc
import sys

import numpy

import cuda_direct as cd
from cuda_direct import Array

done = []


def check(what, *conditions):
    if not all(bool(condition) for condition in conditions):
        sys.exit(f"FAILED: {what}: {[bool(condition) for condition in conditions]}")
    done.append(what)
    print(f"ok  {what}", flush=True)


def host_of(name):
    """Six elements, and the same doubled, as bytes (bfloat16 as truncated floats)."""
    if name == "bfloat16":
        bits = [numpy.arange(-2, 4).astype("float32") * factor for factor in (1, 2)]
        return [(x.view("uint32") >> 16).astype("uint16").tobytes() for x in bits]
    if name == "bool":
        x = numpy.array([True, False, False, True, True, False])
        return [x.tobytes(), (~x).tobytes()]
    x = numpy.arange(6).astype(name)
    if numpy.dtype(name).kind == "c":
        x = x * numpy.dtype(name).type(1 - 2j)
    return [x.tobytes(), (x + x).tobytes()]


def address(array):
    return array.interface(False)["data"][0]


def with_torch():
    import torch

    print(f"PyTorch {torch.__version__} on {torch.cuda.get_device_name(0)}")

    def bytes_of(tensor):
        tensor = tensor.cpu().contiguous()
        if tensor.dtype == torch.bfloat16:
            tensor = tensor.view(torch.int16)
        return tensor.numpy().tobytes()

    for name in cd.TYPES:
        host, twice = host_of(name)
        x = Array.new(name, (2, 3), host)
        shared = torch.from_dlpack(x)
        same = name == "bfloat16" or shared.data_ptr() == address(x)
        double = ~shared if name == "bool" else shared + shared if not name.startswith("uint") or name == "uint8" else None
        given = torch.from_dlpack(x.another().given())  # a copy, because x still exists
        check(
            f"torch: {name}: imports our array", shared.dtype == getattr(torch, name), shared.shape == (2, 3), same,
            bytes_of(shared) == host, double is None or bytes_of(double) == twice,
            bytes_of(given) == host, given.data_ptr() != shared.data_ptr(),
        )
        theirs = given.clone()
        y = cd.from_dlpack(theirs)
        check(f"torch: {name}: exports its tensor", y.read(len(host)) == host, y.doubled().read(len(host)) == twice)
        if name != "bfloat16":
            check(f"torch: {name}: without a copy", address(y) == theirs.data_ptr())

    x = torch.arange(24, dtype=torch.float32, device="cuda").reshape(4, 6)
    for what, view in [("a transposed tensor", x.t()), ("a slice", x[1::2, 2:]), ("a broadcast row", x[1].expand(5, 6))]:
        y = cd.from_dlpack(view)
        check(f"torch: {what}", address(y) == view.data_ptr(), y.read(4 * view.numel()) == bytes_of(view))
    empty = cd.from_dlpack(torch.empty(3, 0, device="cuda"))
    scalar = cd.from_dlpack(torch.tensor(7.5, device="cuda"))
    check("torch: no elements, and no axes", empty.read(0) == b"", numpy.frombuffer(scalar.read(4), "float32")[0] == 7.5)
    ours = Array.new("int64", (2, 3), numpy.arange(6).tobytes())
    views = torch.from_dlpack(ours.transposed()), torch.from_dlpack(ours.every_second()), torch.from_dlpack(Array.new("float32", (0,), b""))
    check(
        "torch: imports our views", views[0].tolist() == [[0, 3], [1, 4], [2, 5]], views[1].tolist() == [[3, 4, 5]], views[2].tolist() == [],
    )
    del views

    # Write access.
    ours = Array.new("float32", (4,), numpy.ones(4, "float32").tobytes())
    shared, old = torch.from_dlpack(ours), address(ours)
    ours.double()
    check("torch: a shared array is copied before it is written", shared.tolist() == [1] * 4, address(ours) != old)
    given, old = None, address(ours)
    given = torch.from_dlpack(ours.given())
    given.mul_(10)
    back = cd.from_dlpack(given)
    check("torch: writes to an imported tensor and exports it again", given.data_ptr() == old, address(back) == old,
          numpy.frombuffer(back.read(16), "float32").tolist() == [20] * 4)
    back.double()
    torch.cuda.synchronize()
    check("torch: sees writes to its exported tensor", given.tolist() == [40] * 4)
    del shared, given, back

    # Memory.
    gc.collect()
    before = cd.lib.used()
    ours = Array.new("float32", (1 << 20,), bytes(4 << 20))
    tensor = torch.from_dlpack(ours.given())
    held = cd.lib.used() - before
    part = tensor[5:]
    del tensor
    still = cd.lib.used() - before
    del part
    gc.collect()
    check("torch: our memory lives as long as its tensors", held == still >= 4 << 20, cd.lib.used() == before)
    y = z = theirs = None  # these may hold tensors
    gc.collect()
    before = torch.cuda.memory_allocated()
    theirs = torch.zeros(1 << 20, device="cuda")
    y = cd.from_dlpack(theirs)
    z = y.another()
    del theirs
    y.drop()
    held = torch.cuda.memory_allocated() - before
    z.drop()
    gc.collect()
    after = torch.cuda.memory_allocated() - before
    check(f"torch: its memory lives as long as our arrays ({held}, then {after} bytes more)", held == 4 << 20, after == 0)

    # Order. Long work is enqueued without a wait, so a missing wait of a stream would cause wrong numbers.
    count = 1 << 26
    side = torch.cuda.Stream()
    for give in (True, False):
        ours = Array.new("int32", (count,), numpy.ones(count, "int32").tobytes())
        for _ in range(20):
            ours.double()
        with torch.cuda.stream(side):
            tensor = torch.from_dlpack(ours.given() if give else ours)
            seen = tensor * 3
        side.synchronize()
        check(f"torch: waits for our work ({'given' if give else 'shared'})", (seen == 3 << 20).all().item())
        del tensor, seen
    with torch.cuda.stream(side):
        theirs = torch.zeros(count, dtype=torch.int32, device="cuda")
        torch.cuda._sleep(200_000_000)
        theirs += 7
        y = cd.from_dlpack(theirs)
    z = y.doubled()
    check("torch: we wait for its work", (numpy.frombuffer(z.read(4 * count), "int32") == 14).all())
    y.drop()
    z.drop()
    del theirs
    for producer in (-1, side.cuda_stream):
        torch.cuda.empty_cache()  # so that the memory is reused immediately
        with torch.cuda.stream(side):
            theirs = torch.full((count,), 5, dtype=torch.int32, device="cuda")
            y = cd.from_dlpack(theirs, producer=producer)
        place = theirs.data_ptr()
        busy = Array.new("int32", (count,), numpy.ones(count, "int32").tobytes())
        for _ in range(40):
            busy.double()
        z = y.doubled()
        del theirs
        y.drop()
        with torch.cuda.stream(side):
            again = torch.full((count,), 99, dtype=torch.int32, device="cuda")
        check(
            f"torch: its memory is reused after our work ({'its stream waits' if producer != -1 else 'the host waits'})",
            again.data_ptr() == place, (numpy.frombuffer(z.read(4 * count), "int32") == 10).all(), (again == 99).all().item(),
        )
        z.drop()
        del again, busy
    ours = Array.new("int32", (count,), numpy.full(count, 6, "int32").tobytes())
    with torch.cuda.stream(side):
        tensor = torch.from_dlpack(ours.given())
        torch.cuda._sleep(200_000_000)
        seen = tensor + 1
        del tensor
    again = Array.new("int32", (count,), numpy.full(count, 50, "int32").tobytes())
    side.synchronize()
    check("torch: our memory is reused after its work", (seen == 7).all().item())
    again.drop()
    del seen

    # __cuda_array_interface__. PyTorch passes no stream, so this test orders the work.
    ours = Array.new("float32", (2, 3), numpy.arange(6, dtype="float32").tobytes())
    tensor = torch.as_tensor(cd.Writable(ours.transposed()), device="cuda")
    torch.cuda.synchronize()
    check("torch: imports through __cuda_array_interface__", tensor.tolist() == [[0, 3], [1, 4], [2, 5]])
    theirs = torch.arange(6, dtype=torch.float64, device="cuda").reshape(2, 3).t()
    torch.cuda.synchronize()
    y = cd.from_interface(theirs)
    check("torch: exports through __cuda_array_interface__", address(y) == theirs.data_ptr(), y.read(48) == bytes_of(theirs))
    y.drop()


def with_cupy():
    import cupy

    print(f"CuPy {cupy.__version__}")
    for name in cd.TYPES:
        if name == "bfloat16":
            continue  # CuPy has no such element type
        host, twice = host_of(name)
        x = Array.new(name, (2, 3), host)
        shared = cupy.from_dlpack(x)
        given = cupy.from_dlpack(x.another().given())
        check(
            f"cupy: {name}: imports our array", shared.dtype == name, shared.shape == (2, 3), shared.data.ptr == address(x),
            cupy.asnumpy(shared).tobytes() == host, cupy.asnumpy(~shared if name == "bool" else shared + shared).tobytes() == twice,
            cupy.asnumpy(given).tobytes() == host, given.data.ptr != shared.data.ptr,
        )
        theirs = given.copy()
        y = cd.from_dlpack(theirs)
        check(
            f"cupy: {name}: exports its array", address(y) == theirs.data.ptr, y.read(len(host)) == host, y.doubled().read(len(host)) == twice,
        )
        by_facts = cupy.asarray(x)
        z = cd.from_interface(theirs)
        check(
            f"cupy: {name}: both directions through __cuda_array_interface__", by_facts.data.ptr == address(x), cupy.asnumpy(by_facts).tobytes() == host,
            address(z) == theirs.data.ptr, z.read(len(host)) == host,
        )
    x = cupy.arange(24, dtype="float32").reshape(4, 6)
    # CuPy 14 divides the bytes of negative strides as unsigned numbers, so its DLPack tensors of such views are rejected.
    both = (cd.from_dlpack, cd.from_interface)
    for what, view, takes in [("a transposed array", x.T, both), ("a slice with steps", x[1:, ::2], both),
                              ("a slice with steps backwards", x[::-1, ::-2], both[1:])]:
        for take in takes:
            y = take(view)
            check(f"cupy: {what}, {take.__name__}", address(y) == view.data.ptr, y.read(4 * view.size) == cupy.asnumpy(view).tobytes())

    gc.collect()
    before = cd.lib.used()
    ours = Array.new("float32", (1 << 20,), bytes(4 << 20))
    taken = cupy.from_dlpack(ours.given())
    taken += 2
    back = cd.from_dlpack(taken)
    del taken
    gc.collect()
    held = cd.lib.used() - before
    check("cupy: writes to an imported array and exports it again", (numpy.frombuffer(back.read(4 << 20), "float32") == 2).all())
    back.drop()
    gc.collect()
    check("cupy: our memory lives as long as its arrays, and as our arrays made from these", held >= 4 << 20, cd.lib.used() == before)
    y = z = theirs = None  # these may hold arrays
    gc.collect()
    pool = cupy.get_default_memory_pool()
    before = pool.used_bytes()
    theirs = cupy.zeros(1 << 20, "float32")
    y = cd.from_dlpack(theirs)
    del theirs
    gc.collect()
    held = pool.used_bytes() - before
    y.drop()
    gc.collect()
    check("cupy: its memory lives as long as our arrays", held == 4 << 20, pool.used_bytes() == before)

    count = 1 << 26
    side = cupy.cuda.Stream(non_blocking=True)
    ours = Array.new("int32", (count,), numpy.ones(count, "int32").tobytes())
    for _ in range(20):
        ours.double()
    with side:
        seen = cupy.from_dlpack(ours) * 3
    side.synchronize()
    check("cupy: waits for our work", bool((seen == 3 << 20).all()))
    with side:
        theirs = cupy.ones(count, "int32")
        for _ in range(20):
            theirs += theirs
        y = cd.from_dlpack(theirs)
    check("cupy: we wait for its work", (numpy.frombuffer(y.read(4 * count), "int32") == 1 << 20).all())


def main():
    wanted = sys.argv[2:] or ["torch", "cupy"]
    unknown = set(wanted) - {"torch", "cupy"}
    if len(sys.argv) < 2 or unknown:
        sys.exit(__doc__)
    if "torch" in wanted:
        import torch

        torch.zeros(1, device="cuda")  # creates the primary context, which both use
    cd.load(sys.argv[1])
    cd.stream()
    if "torch" in wanted:
        with_torch()
    if "cupy" in wanted:
        with_cupy()
    print(f"{len(done)} checks passed")


if __name__ == "__main__":
    main()
