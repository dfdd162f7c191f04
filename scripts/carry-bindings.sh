#!/usr/bin/env bash
# Regenerates the bindings that cuda-sys carries (cuda-sys/bindings) with its own build script.
#
#   scripts/carry-bindings.sh            from the newest headers that pip offers
#   scripts/carry-bindings.sh 13.0       from the headers of this version
#   scripts/carry-bindings.sh --check    writes nothing, and fails if the bindings differ from bindgen's output
#
# The files contain signatures, types and values, but not the header's text.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
carried=cuda-sys/bindings
check=
if [ "${1:-}" = --check ]; then
    check=yes
    number=$(sed -n 's/^pub const CUDA_VERSION: u32 = \([0-9]*\);/\1/p' "$carried/cuda.rs")
    version=$((number / 1000)).$((number % 1000 / 10))
else
    version=${1:-$("$python" -m pip index versions nvidia-cuda-runtime --disable-pip-version-check 2>/dev/null |
        sed -n 's/^nvidia-cuda-runtime (\([0-9]*\.[0-9]*\).*/\1/p')}
fi
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
folder=$target/headers/$version
"$python" scripts/setup.py --cuda "$version" --into "$folder" | tail -1
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
LIBCLANG_PATH=$folder/clang/native CUDA_PATH=$folder CUDA_SYS_CARRY=$made \
    cargo build --quiet --locked -p cuda-direct-sys --target-dir "$target/headers/target"
if [ -n "$check" ]; then
    diff -r "$carried" "$made" || {
        echo "cuda-sys/bindings differs from bindgen's output. Fix: run scripts/carry-bindings.sh $version" >&2
        exit 1
    }
    echo "cuda-sys/bindings: equal to bindgen's output for CUDA $version"
else
    mkdir -p "$carried"
    cp "$made"/*.rs "$carried/"
    echo "cuda-sys/bindings: CUDA $version"
fi
