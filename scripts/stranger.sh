#!/usr/bin/env bash
# Creates a crate as an outside user would: in a separate folder, with a git dependency on the committed state, and without
# CUDA headers, libclang, Python or a toolkit. With dependencies from git or a registry, cargo gives the emulator's library
# another file name than with those from a folder, which all other tests have. The crate must
#
#   1. build with the default features, linked to the libraries, and fail to start without them;
#   2. build with `dynamic-loading`, start without a driver, and report that;
#   3. pass its tests with cuda-emulator among its dev-dependencies;
#   4. compute with the program of step 2 and the emulator's folder on LD_LIBRARY_PATH;
#   5. compute with `cargo run --features emulator`, without other settings;
#   6. compile for the other systems whose standard library is installed.
#
# Its Cargo.toml is the one in docs/SETUP.md, with git instead of folders.
#
# Requires Rust, a C compiler, git, and the crates of Cargo.lock from cargo's cache or the network.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "stranger.sh: $*" >&2
    exit 1
}

for toolkit in /usr/local/cuda /opt/cuda /usr/include/cuda.h; do
    [ ! -e "$toolkit" ] || fail "$toolkit would be found. Fix: run this on a machine without a toolkit"
done

built=$(realpath -m "${CARGO_TARGET_DIR:-target}")/stranger
# Not below this folder, because cargo would add the crate to its workspace.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/driver"
git clone --quiet --no-hardlinks . "$work/cuda-direct"
[ ! -e "$work/cuda-direct/.cuda" ] || fail "the clone has a .cuda"

# The only available programs: cargo, the compiler, and the linker with its parts.
for program in cargo rustc cc as ld; do
    ln -sf "$(command -v "$program")" "$work/bin/$program"
done
# The variables that cargo needs to find its toolchain and the registry.
passed=()
for name in CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN CARGO_NET_OFFLINE HTTPS_PROXY https_proxy SSL_CERT_FILE SSL_CERT_DIR; do
    [ -z "${!name:-}" ] || passed+=("$name=${!name}")
done
stranger() {
    env -i HOME="$HOME" PATH="$work/bin" LIBCLANG_PATH=/nowhere CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 \
        CARGO_TARGET_DIR="$built" ${passed[@]+"${passed[@]}"} "$@"
}
cd "$work"
stranger cargo new --quiet --vcs none --name stranger crate
cd crate
# The dependency versions that this repository was tested with.
cp "$work/cuda-direct/Cargo.lock" .
# Makes `dynamic-loading` a feature of the crate, to build it both ways, and shortens the build of the emulator.
# The section's first Cargo.toml is that of cuda-safe.
awk '/^## / { ours = /^## Cargo\.toml/ } ours && /^```$/ && shown { exit } shown; ours && /^```toml$/ { shown = 1 }' \
    "$work/cuda-direct/docs/SETUP.md" |
    sed -e 's/, features = \["dynamic-loading"\]//' -e 's/^opt-level = 3/opt-level = 0/' \
        -e "s|path = \"\.\./cuda-direct/[a-z-]*\"|git = \"file://$work/cuda-direct\"|" \
        -e 's|^\[features\]|&\ndynamic-loading = ["cuda-safe/dynamic-loading"]|' -e '/^\[dependencies\]$/d' >>Cargo.toml
grep -q '^emulator = ' Cargo.toml || fail "docs/SETUP.md has no Cargo.toml"
cat >src/main.rs <<'RUST'
use cuda_safe::{Context, Device, DeviceBuffer, ErrorKind, LaunchConfig, Module, Stream, driver};

const PTX: &str = r#".version 7.0
.target sm_50
.address_size 64
.visible .entry twice(.param .u64 values) {
    .reg .u64 %p, %i;
    .reg .u32 %v, %t;
    ld.param.u64 %p, [values];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %i, %t, 4;
    add.u64 %p, %p, %i;
    ld.global.u32 %v, [%p];
    add.u32 %v, %v, %v;
    st.global.u32 [%p], %v;
    ret;
}"#;

fn compute() -> cuda_safe::Result<Vec<u32>> {
    let context = Context::primary(0)?;
    let stream = Stream::new(&context)?;
    let module = Module::from_ptx(&context, PTX)?;
    let mut values = DeviceBuffer::from_slice(&stream, &[1u32, 2, 3])?;
    // SAFETY: three threads, three elements.
    unsafe { module.function("twice")?.launch(&stream, LaunchConfig::new(1, 3), (&mut values,))? };
    values.to_vec(&stream)
}

fn main() -> cuda_safe::Result<()> {
    if !driver::is_available() {
        let error = driver::init().expect_err("there is no driver");
        assert_eq!(*error.kind(), ErrorKind::NoDevice);
        println!("on the CPU: {error}");
        return Ok(());
    }
    println!("{} gives {:?}", Device::get(0)?.name()?, compute()?);
    Ok(())
}

#[test]
fn it_computes() {
    assert!(driver::is_available());
    assert_eq!(compute().expect("a device"), [2, 4, 6]);
}
RUST

echo "== 1. linked (${SECONDS}s)"
stranger cargo build 2>&1 | tee build.log
grep -q 'BINDINGS_ORIGIN: &str = "bindings that cuda-sys carries"' "$built"/debug/build/cuda-direct-sys-*/out/toolkit.rs ||
    fail "the build script found headers"
# The setup of docs/SETUP.md must cause no warnings, except that a linked program needs NVRTC.
if grep 'warning: cuda-direct-sys' build.log | grep -v 'no NVRTC: '; then
    fail "cargo warns"
fi
program=$built/debug/stranger
if stranger "$program" >run.log 2>&1; then
    fail "the program starts without libnvrtc"
fi
grep -E 'error while loading shared libraries: lib(cuda.so.1|nvrtc.so.13)' run.log || {
    cat run.log
    fail "the program fails for another reason"
}

echo "== 2. dynamic-loading, without a driver (${SECONDS}s)"
stranger cargo build --features dynamic-loading
cp "$program" started
stranger CUDA_SYS_LIBCUDA=/nowhere/libcuda.so.1 ./started | tee run.log
grep -q 'on the CPU: cuInit failed: CUDA_ERROR_NO_DEVICE (100): .*/nowhere/libcuda.so.1' run.log || fail "the program does not report the missing driver"
# On a machine without a driver, with nothing set.
stranger ./started | tee run.log
grep -q -e ' gives \[2, 4, 6\]' -e 'on the CPU: .*looked for libcuda.so.1 in the loader' run.log || fail "the program prints something else"

echo "== 3. tests on the emulator (${SECONDS}s)"
stranger CUDA_EMULATOR=1 cargo test --features dynamic-loading 2>&1 | tee run.log
grep -q '1 passed' run.log || fail "the test fails"

echo "== 4. the program of step 2, with a driver (${SECONDS}s)"
# The names of later builds have other hashes.
ln -s "$(ls -t "$built"/debug/deps/libcuda_emulator-*.so | head -n 1)" "$work/driver/libcuda.so.1"
stranger LD_LIBRARY_PATH="$work/driver" ./started | tee run.log
grep -q 'CUDA emulator.* gives \[2, 4, 6\]' run.log || fail "the program does not compute"

echo "== 5. cargo run (${SECONDS}s)"
stranger CUDA_EMULATOR=1 cargo run --quiet --features dynamic-loading,emulator | tee run.log
grep -q 'CUDA emulator.* gives \[2, 4, 6\]' run.log || fail "cargo run does not use the emulator"

echo "== 6. other systems (${SECONDS}s)"
for target in aarch64-unknown-linux-gnu x86_64-pc-windows-gnu aarch64-apple-darwin; do
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
        echo "$target"
        stranger cargo check --quiet --features dynamic-loading --target "$target"
    else
        echo "$target: not checked, because its standard library is missing. Fix: rustup target add $target"
    fi
done
echo "an outside crate builds, starts and computes (${SECONDS}s)"
