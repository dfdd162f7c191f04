#!/usr/bin/env bash
# Regenerates the bindings that cuda-nccl carries (cuda-nccl/bindings/nccl.rs) from an NCCL header.
#
#   scripts/carry-nccl-bindings.sh nccl.h            from this header
#   scripts/carry-nccl-bindings.sh --check nccl.h    writes nothing, and fails if the bindings differ from bindgen's output
#
# The header is part of the Python packages nvidia-nccl-cu13 and nvidia-nccl-cu12 (nvidia/nccl/include). The file contains
# signatures, types and values, but not the header's text.
set -euo pipefail
header=$(realpath "${*: -1}")
carry=1
[ "$1" != --check ] || carry=
cd "$(dirname "$0")/.."
if [ -z "${LIBCLANG_PATH:-}" ] && [ -d .cuda/clang/native ]; then
    export LIBCLANG_PATH=$PWD/.cuda/clang/native
fi
CUDA_NCCL_HEADER=$header ${carry:+env CUDA_NCCL_CARRY=1} \
    cargo test --quiet --locked -p cuda-nccl --test bindings -- --ignored
[ -n "$carry" ] || echo "cuda-nccl/bindings: equal to bindgen's output for $header"
