#!/usr/bin/env python3
"""Compiles the .cu files beside this script to .ptx with NVRTC.

Usage: compile.py [--arch compute_90] [--out DIR] [--option=...] FILE.cu...
Needs NVRTC 13 and the headers, from `make setup` or from pip's nvidia-cuda-nvrtc, nvidia-cuda-runtime, nvidia-cuda-crt
and nvidia-cuda-cccl in the running Python.
"""
import argparse
import ctypes
import pathlib
import sysconfig


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="compute_90")
    parser.add_argument("--out", default=str(pathlib.Path(__file__).parent))
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--suffix", default="")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    places = [pathlib.Path(__file__).resolve().parents[4] / ".cuda", pathlib.Path(sysconfig.get_paths()["purelib"])]
    root = next(place / "nvidia" / "cu13" for place in places if (place / "nvidia" / "cu13").exists())
    ctypes.CDLL(str(next((root / "lib").glob("libnvrtc-builtins.so*"))), mode=ctypes.RTLD_GLOBAL)
    nvrtc = ctypes.CDLL(str(next((root / "lib").glob("libnvrtc.so*"))))
    options = [f"--gpu-architecture={args.arch}", "--std=c++17", "-default-device", "--device-int128", f"-I{root}/include", f"-I{root}/include/cccl"]
    options += args.option
    for name in args.files:
        source = pathlib.Path(name).read_bytes()
        program = ctypes.c_void_p()
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, pathlib.Path(name).name.encode(), 0, None, None)
        array = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
        code = nvrtc.nvrtcCompileProgram(program, len(options), array)
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        if code:
            raise SystemExit(f"{name}: {log.value.decode()}")
        nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
        ptx = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetPTX(program, ptx)
        target = pathlib.Path(args.out) / (pathlib.Path(name).stem + args.suffix + ".ptx")
        # Line information names the file alone, wherever this ran.
        text = ptx.raw[:-1]
        for place in [pathlib.Path.cwd(), root / "include" / "cccl", root / "include"]:
            text = text.replace(f'"{place}/'.encode(), b'"')
        target.write_bytes(text)
        print(target, len(ptx.raw))


main()
