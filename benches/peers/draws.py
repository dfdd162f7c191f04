"""Random numbers of other libraries, under the names of the bench `random`. All write to existing memory."""

import ctypes
from ctypes import c_double, c_float, c_size_t, c_ulonglong, c_void_p

import kernels

COUNT = 1 << 27
PHILOX = 161
# cuRAND's default order, and its fastest order, whose numbers depend on the device.
ORDERS = {"cuRAND": 101, "cuRAND, dynamic order": 104}


def device_us(peers, call):
    call()
    peers.reserve = 200_000
    return peers.gpu.median(lambda i: call(), 11)


def curand(peers):
    path = kernels.find(["lib64/libcurand.so.10", "lib/libcurand.so.10"])
    if not path:
        raise ImportError("no libcurand.so.10")
    library = ctypes.CDLL(path)

    def check(what, status):
        if status:
            raise RuntimeError(f"{what}: cuRAND status {status}")

    out = peers.gpu.alloc(8 * COUNT)
    for by, order in ORDERS.items():
        generator = c_void_p()
        check("create", library.curandCreateGenerator(ctypes.byref(generator), PHILOX))
        check("stream", library.curandSetStream(generator, peers.gpu.stream))
        check("seed", library.curandSetPseudoRandomGeneratorSeed(generator, c_ulonglong(1)))
        refused = library.curandSetGeneratorOrdering(generator, order)
        if refused:
            peers.missing(by, f"this generator has no such order: cuRAND status {refused}")
            continue

        def draw(what, name, *parameters):
            function = getattr(library, f"curandGenerate{name}")
            us = device_us(peers, lambda: check(name, function(generator, c_void_p(out), c_size_t(COUNT), *parameters)))
            peers.note(work=f"2^27 {what}", by=by, us=us, note="device time")

        draw("f32, uniform", "Uniform")
        draw("f64, uniform", "UniformDouble")
        draw("f32, normal", "Normal", c_float(0), c_float(1))
        draw("f64, normal", "NormalDouble", c_double(0), c_double(1))
        for mean in (1, 9, 10, 1000):
            draw(f"u32, Poisson {mean}", "Poisson", c_double(mean))
        peers.gpu.sync()
        check("destroy", library.curandDestroyGenerator(generator))


def pytorch(peers):
    import torch
    with torch.cuda.stream(torch.cuda.ExternalStream(peers.gpu.stream.value)):
        single = torch.empty(COUNT, device="cuda")
        double = torch.empty(COUNT, device="cuda", dtype=torch.float64)
        truth = torch.empty(COUNT, device="cuda", dtype=torch.bool)
        for what, call in [("f32, uniform", single.uniform_), ("f64, uniform", double.uniform_),
                           ("f32, normal", single.normal_), ("f64, normal", double.normal_),
                           ("f32, exponential", single.exponential_),
                           ("bool, Bernoulli 0.3", lambda: truth.bernoulli_(0.3))]:
            us = device_us(peers, call)
            peers.note(work=f"2^27 {what}", by="PyTorch", us=us, note="device time")
        del single, double, truth
        torch.cuda.empty_cache()
