#!/usr/bin/env bash
# Lists changes of the public API since a commit, and the version number that they require:
#
#   scripts/semver.sh BASE [CRATE...]    BASE is a tag or a commit, such as that of the last release
#
# Needs cargo-semver-checks: `cargo install cargo-semver-checks --locked`, a quarter of an hour on two cores. The
# baseline is from git, because no version has been published. Both sides use the bindings that cuda-sys carries,
# because bindings of installed headers differ between versions of CUDA. cuda-compute-macros is not compared, because
# tests of cuda-compute use its macros.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:?pass the commit to compare with, such as make semver BASE=v0.1.0}
shift
crates=("$@")
[ $# -gt 0 ] || crates=(cuda-direct-sys cuda-safe cuda-compute cuda-emulator cuda-emulator-engine)
cargo semver-checks --version >/dev/null 2>&1 || {
    echo "semver.sh: cargo-semver-checks is missing. Fix: cargo install cargo-semver-checks --locked" >&2
    exit 1
}
export CUDA_SYS_BINDINGS=carried
cargo semver-checks --baseline-rev "$base" "${crates[@]/#/--package=}"
