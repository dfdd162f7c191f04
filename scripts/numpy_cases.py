#!/usr/bin/env python3
"""Writes random arrays and NumPy's results for them, which a test of cuda-compute compares with its own:

    python3 scripts/numpy_cases.py FOLDER [COUNT]
    CUDA_NUMPY_CASES=FOLDER cargo test -p cuda-compute --test properties -- --ignored numpy

It needs NumPy 2, and is not part of make test, which needs no Python packages.
"""
import pathlib
import sys

import numpy as np


def case(random, dtype):
    shape = random.integers(1, 12, size=random.integers(1, 4))
    x = random.integers(-40, 40, size=shape).astype(dtype) / np.asarray(4, dtype) if dtype != "<i4" else \
        random.integers(-40, 40, size=shape).astype(dtype)
    if dtype != "<i4":
        x[random.random(x.shape) < random.choice([0, 0.1])] = np.nan
    if random.random() < 0.5:
        x = np.asfortranarray(x)
    y = random.choice(x.ravel(), size=random.integers(1, 20)).astype(dtype) + np.asarray(random.integers(0, 2), dtype)
    y = y[~np.isnan(y)]
    axis = int(random.integers(0, x.ndim))
    q = float(random.choice([0, 0.1, 0.5, 0.9]))
    unique, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    return {
        "x": x,
        "y": y,
        "axis": np.int64(axis),
        "q": np.float64(q),
        "sort": np.sort(x, axis=axis),
        "argsort": np.argsort(x, axis=axis, kind="stable"),
        "quantile": np.quantile(x.astype("f8"), q, axis=axis),
        "median": np.median(x.astype("f8")),
        "unique": unique,
        "unique_indices": first,
        "unique_inverse": inverse.ravel(),
        "unique_counts": counts,
        "isin": np.isin(x, y),
        "setxor1d": np.setxor1d(x, y),
        "searchsorted": np.searchsorted(np.sort(x, axis=None), y),
    }


def main():
    folder = pathlib.Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    for at in range(count):
        dtype = ["<f4", "<f8", "<i4"][at % 3]
        np.savez(folder / f"{dtype[1:]}_{at}.npz", **case(random, dtype))
    print(f"{count} files in {folder}, by NumPy {np.__version__}")


if __name__ == "__main__":
    main()
