#!/usr/bin/env python3
"""Brings CUDA headers, NVRTC and libclang into .cuda/ with pip."""
import argparse, pathlib, subprocess, sys

root = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("--cuda", default="13.0")
cuda = parser.parse_args().cuda
target = root / ".cuda"
marker = target / "version"
suffix = "" if int(cuda.split(".")[0]) >= 13 else "-cu12"
names = ["nvidia-cuda-runtime", "nvidia-cuda-nvrtc", "nvidia-cuda-cccl", "nvidia-cuda-profiler-api"]
names += ["nvidia-cuda-crt"] if not suffix else ["nvidia-cuda-nvcc"]
if marker.exists() and marker.read_text() == cuda:
    print(f"CUDA {cuda} is in {target}")
    sys.exit()
packages = [f"{name}{suffix}=={cuda}.*" for name in names] + ["libclang"]
subprocess.run([sys.executable, "-m", "pip", "install", "--upgrade", "--no-deps", "--target", str(target), *packages], check=True)
marker.write_text(cuda)
