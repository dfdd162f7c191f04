#!/usr/bin/env bash
# Measures the overhead of the safe layer for a launch, and the time of an expression's evaluation, without a GPU: runs the
# launch bench on a driver whose launch returns at once. That driver is the emulator, with a few functions replaced by a
# preloaded library. RUNS=5 sets the number of runs.
#
# Requires Linux, Rust, a C compiler, and what `make setup` installs.
set -euo pipefail
cd "$(dirname "$0")/.."

built=$(realpath -m "${CARGO_TARGET_DIR:-target}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/stub.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
static void *context, *pool;
int cuLaunchKernel(void) { return 0; }
int cuStreamSynchronize(void) { return 0; }
int cuStreamIsCapturing(void *stream, int *status) { return *status = 0; }
/* The bench has one thread and one context. */
int cuCtxGetCurrent(void **current) {
    int (*emulator)(void **) = context ? 0 : (int (*)(void **))dlsym(RTLD_NEXT, "cuCtxGetCurrent");
    int code = emulator ? emulator(&context) : 0;
    *current = context;
    return code;
}
int cuDeviceGetMemPool(void **current, int device) {
    int (*emulator)(void **, int) = pool ? 0 : (int (*)(void **, int))dlsym(RTLD_NEXT, "cuDeviceGetMemPool");
    int code = emulator ? emulator(&pool, device) : 0;
    *current = pool;
    return code;
}
C
"${CC:-cc}" -O2 -shared -fPIC -o "$work/libstub.so" "$work/stub.c" -ldl

cargo build --locked --release -p cuda-emulator
# Linked to libcuda.so.1, so that the stub's functions come before the emulator's.
bench=$(CUDA_EMULATOR=0 cargo bench --locked --no-run --bench launch 2>&1 | tee /dev/stderr |
    sed -n 's/.*(\(.*launch-[0-9a-f]*\)).*/\1/p')
ln -s "$built/release/libcuda_emulator.so" "$work/libcuda.so.1"
# The emulator would not keep the memory of dropped arrays.
export CUDA_COMPUTE_SPARE_MEMORY=1
for _ in $(seq "${RUNS:-5}"); do
    LD_LIBRARY_PATH="$work" LD_PRELOAD="$work/libstub.so" "$bench" --bench 'no such benchmark'
done | grep 'over the raw call\|an expression' | sort
