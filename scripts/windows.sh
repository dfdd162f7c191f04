#!/usr/bin/env bash
# Cross-compiles for Windows on x86-64, and runs the tests and the examples under Wine, with cuda-emulator as nvcuda.dll and
# NVIDIA's NVRTC for Windows:
#
#   scripts/windows.sh                    everything. FULL=1 adds slow tests: see `left_out`
#   scripts/windows.sh ARGUMENTS          only `cargo test ARGUMENTS`, such as -p cuda-safe --test integration
#
# The script needs `rustup target add x86_64-pc-windows-gnu`, a cross compiler and Wine (Debian and Ubuntu:
# apt install gcc-mingw-w64-x86-64 wine64). pip downloads CUDA's headers and NVRTC for Windows (90 MB), with the versions
# and hashes of scripts/pins/windows.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
target=x86_64-pc-windows-gnu
gnu=x86_64-w64-mingw32

fail() {
    echo "windows.sh: $*" >&2
    exit 1
}

WINDOWS_WINE=$(command -v wine64 || command -v /usr/lib/wine/wine64) || fail "wine64 is missing. Fix: apt install wine64"
command -v $gnu-gcc >/dev/null || fail "$gnu-gcc is missing. Fix: apt install gcc-mingw-w64-x86-64"
[ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ] || fail "the standard library for $target is missing. Fix: rustup target add $target"

CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")/windows
packages=$CARGO_TARGET_DIR/cuda
if [ ! -e "$packages/whole" ]; then
    "${PYTHON:-python3}" -m pip install --quiet --target "$packages" --upgrade --no-deps --only-binary=:all: --require-hashes \
        --platform win_amd64 -r scripts/pins/windows.txt
    touch "$packages/whole"
fi
WINDOWS_CUDA=$packages/nvidia/cu13
WINDOWS_BIN=$CARGO_TARGET_DIR/bin
mkdir -p "$WINDOWS_BIN"
# Wine 8.0 lacks this library, which Rust's standard library imports.
$gnu-gcc -shared -o "$WINDOWS_BIN/bcryptprimitives.dll" scripts/windows/bcryptprimitives.c -ladvapi32
# The library that cargo builds for the tests. Wine follows the link.
ln -sf "../$target/debug/deps/cuda_emulator.dll" "$WINDOWS_BIN/nvcuda.dll"

export CARGO_TARGET_DIR WINDOWS_WINE WINDOWS_CUDA WINDOWS_BIN WINEPREFIX=$CARGO_TARGET_DIR/wine CUDA_EMULATOR=1
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$PWD/scripts/windows/wine.sh
# mingw's `fma` rounds twice. With this feature, tests compute their expected values by the processor's instruction.
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS="-C target-feature=+fma"

# The bindings must not depend on what `make setup` has installed.
export CUDA_SYS_BINDINGS=carried

windows() {
    local command=$1
    shift
    cargo "$command" --locked --target $target --config 'profile.dev.debug=0' "$@"
}

if [ $# -gt 0 ]; then
    windows test "$@"
    exit
fi

logs=$CARGO_TARGET_DIR/logs
mkdir -p "$logs"
failed=0
echo "== the packages without tests here (${SECONDS}s)"
windows check -p cuda-direct-build -p cuda-nccl
windows build -p cuda-emulator

# Sets `names` to the tests to leave out, beside those that are ignored in the sources.
left_out() {
    names=()
    case $1 in
    # They compare the bindings with the headers that bindgen has read.
    cuda-direct-sys) names=(comments_begin_with_their_text every_function_is_bound every_macro_is_bound
        every_nvrtc_function_is_bound every_type_is_bound layouts_agree_with_the_c_compiler) ;;
    # The former compile a hundred times, and Wine takes seconds to hash the headers of CUDA for each. The latter starts a
    # hundred processes.
    cuda-safe) [ -n "${FULL:-}" ] || names=(programs::headers::edited_headers results_match_an_h200) ;;
    esac
}

for package in cuda-direct-find cuda-direct-sys cuda-emulator-engine cuda-emulator cuda-emulator-checks cuda-safe cuda-compute; do
    echo "== tests of $package (${SECONDS}s)"
    left_out $package
    windows test --no-fail-fast -p $package -- "${names[@]/#/--skip=}" 2>&1 | tee "$logs/$package.log" || failed=1
done

echo "== examples (${SECONDS}s)"
windows build --examples
: >"$logs/examples.log"
for file in examples/*.rs; do
    name=$(basename "$file" .rs)
    if timeout 600 scripts/windows/wine.sh "$CARGO_TARGET_DIR/$target/debug/examples/$name.exe" >"$logs/example-$name.log" 2>&1; then
        echo "test example $name ... ok" | tee -a "$logs/examples.log"
    else
        failed=1
        tail -n 20 "$logs/example-$name.log"
        echo "test example $name ... FAILED" | tee -a "$logs/examples.log"
    fi
done

echo "== totals (${SECONDS}s)"
printf '%-22s %7s %7s %7s\n' package passed failed ignored
for log in "$logs"/cuda-*.log "$logs/examples.log"; do
    awk -v name="$(basename "$log" .log)" '
        /^test result:/ { passed += $4; failed += $6; ignored += $8 }
        /^test example .* ok$/ { passed++ }
        /^test example .* FAILED$/ { failed++ }
        END { printf "%-22s %7d %7d %7d\n", name, passed, failed, ignored }' "$log"
done
exit $failed
