#!/usr/bin/env bash
# Checks that everything compiles for aarch64 Linux, and runs the tests of the crates below the arrays on an emulated
# processor:
#
#   scripts/aarch64.sh                    everything (half an hour on two cores)
#   scripts/aarch64.sh ARGUMENTS          only `cargo test ARGUMENTS`, such as -p cuda-safe --test integration
#
# The tests use cuda-emulator. The script needs `rustup target add aarch64-unknown-linux-gnu`, a cross compiler and
# QEMU's user emulation (Debian and Ubuntu: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user), and a
# kernel that lets users register an interpreter for foreign programs (Linux 6.7). pip installs CUDA's headers and NVRTC
# for aarch64 with the same pins as `make setup`.
set -euo pipefail
cd "$(dirname "$0")/.."
target=aarch64-unknown-linux-gnu
gnu=aarch64-linux-gnu

fail() {
    echo "aarch64.sh: $*" >&2
    exit 1
}

# Tests start themselves again, so a runner for cargo isn't enough. The kernel must know the interpreter of such files,
# which is registered only for this script, in a separate namespace.
if [ -z "${AARCH64_NAMESPACE:-}" ]; then
    qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || fail "qemu-aarch64 is missing. Fix: apt install qemu-user"
    command -v $gnu-gcc >/dev/null || fail "$gnu-gcc is missing. Fix: apt install gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ] || fail "the standard library for $target is missing. Fix: rustup target add $target"
    AARCH64_NAMESPACE=1 exec unshare --user --map-root-user --mount bash -euc '
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
        magic="\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00"
        mask="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
        printf "%s" ":aarch64:M::$magic:$mask:$1:F" >/proc/sys/fs/binfmt_misc/register
        shift
        exec "$@"' aarch64 "$qemu" "$0" "$@"
fi

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/aarch64
cuda=$(realpath -m "$CARGO_TARGET_DIR/cuda")
if [ ! -e "$cuda/whole" ]; then
    "${PYTHON:-python3}" -m pip install --quiet --target "$cuda" --upgrade --no-deps --only-binary=:all: --require-hashes \
        --platform manylinux2014_aarch64 --platform manylinux_2_17_aarch64 -r scripts/pins/cuda-13.0.txt
    touch "$cuda/whole"
fi
export CUDA_PATH=$cuda/nvidia/cu13 CUDA_EMULATOR=1 QEMU_LD_PREFIX=/usr/$gnu
# The emulator reserves 1 TiB of address space if possible. QEMU would keep a table of its pages, 4 GB in each process.
export QEMU_RESERVED_VA=0x1000000000
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=$gnu-gcc CC_aarch64_unknown_linux_gnu=$gnu-gcc

aarch64() {
    local command=$1
    shift
    cargo "$command" --locked --target $target --config 'profile.dev.package.cuda-emulator-engine.opt-level=1' \
        --config 'profile.dev.debug=0' "$@"
}

if [ $# -gt 0 ]; then
    aarch64 test "$@"
    exit
fi
echo "== everything compiles (${SECONDS}s)"
aarch64 check --workspace --all-targets
aarch64 check -p cuda-safe -p cuda-compute --all-targets --features cuda-safe/dynamic-loading
echo "== tests (${SECONDS}s)"
# Skipped tests need features that QEMU's user emulation ignores: a limit on address space, and returning memory to the
# system. Others take too long: the race of two threads for each vector (more than four minutes), and the programs in
# which every call fails in turn.
aarch64 test --no-fail-fast -p cuda-direct-sys -p cuda-emulator -p cuda-emulator-checks -p cuda-emulator-engine \
    --lib --tests -- \
    --skip allocation_works_with_little_address_space --skip work_is_not_held_without_a_worker_thread \
    --skip streams_work_without_worker_threads --skip freed_memory_is_returned_to_the_system --skip vector_accesses_are_not_torn
safe=()
for test in calls captures faults handles integration waits; do
    safe+=(--test $test)
done
aarch64 test --no-fail-fast -p cuda-safe --lib "${safe[@]}"
echo "aarch64: finished in ${SECONDS}s"
