#!/usr/bin/env bash
# What changed in the public API since a commit, and which version number that asks for:
#
#   scripts/semver.sh BASE [CRATE...]    BASE is a tag or a commit, such as that of the last release
#
# Needs cargo-semver-checks: `cargo install cargo-semver-checks --locked`, a quarter of an hour on two cores. The
# baseline comes from git: nothing has been published to compare with. Both sides take the bindings that cuda-sys
# carries, since those of headers differ from version to version of CUDA. cuda-compute-macros isn't compared: what its
# macros take is tested by their uses.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:?give the commit to compare with, such as BASE=v0.1.0}
shift
crates=("$@")
[ $# -gt 0 ] || crates=(cuda-direct-sys cuda-safe cuda-compute cuda-emulator cuda-emulator-engine)
cargo semver-checks --version >/dev/null 2>&1 || {
    echo "semver.sh: cargo-semver-checks is missing: cargo install cargo-semver-checks --locked" >&2
    exit 1
}
export CUDA_SYS_BINDINGS=carried
cargo semver-checks --baseline-rev "$base" "${crates[@]/#/--package=}"
