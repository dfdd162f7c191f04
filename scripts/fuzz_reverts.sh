#!/usr/bin/env bash
# Shows that the fuzzer of cuda-safe finds old defects: reverts one fix after another (cuda-safe/tests/fuzz/reverts) in a
# separate worktree, and runs the fuzzer until it fails. Prints a table for cuda-safe/tests/fuzz/README.md.
#
#   scripts/fuzz_reverts.sh [names of patches without .patch]
#
# SECONDS_EACH is the time limit of each search (default 300), START the first seed (default 0). Builds in
# target/fuzz-reverts, which is kept for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
reverts=$root/cuda-safe/tests/fuzz/reverts
limit=${SECONDS_EACH:-300} start=${START:-0}
export CUDA_FUZZ_SHRINK_SECONDS=${CUDA_FUZZ_SHRINK_SECONDS:-30}
work=$root/target/fuzz-reverts
tree=$work/tree
mkdir -p "$work"
# Remove the worktree of a stopped run.
git worktree remove --force "$tree" 2>/dev/null || true
git worktree add --detach --quiet "$tree" HEAD
trap 'git -C "$root" worktree remove --force "$tree"' EXIT
[ ! -d .cuda ] || ln -s "$root/.cuda" "$tree/.cuda"
export CARGO_TARGET_DIR=$work/target CARGO_TERM_COLOR=never RUST_BACKTRACE=0

patches=("$@")
[ $# -gt 0 ] || mapfile -t patches < <(cd "$reverts" && ls -- *.patch | sed 's/\.patch$//')

# Build everything, and check that nothing fails without a patch.
(cd "$tree" && CUDA_FUZZ_SECONDS=5 CUDA_FUZZ_START=$start cargo test --locked --quiet -p cuda-safe --test fuzz random_programs)

echo "| reverted fix | found after | failure | steps of the shortest program |"
echo "| --- | --- | --- | --- |"
for patch in "${patches[@]}"; do
    log=$work/$patch.log
    git -C "$tree" apply "$reverts/$patch.patch"
    (cd "$tree" && cargo test --locked --quiet -p cuda-safe --test fuzz --no-run 2>"$log") || { cat "$log"; exit 1; }
    (cd "$tree" && CUDA_FUZZ_SECONDS=$limit CUDA_FUZZ_START=$start \
        cargo test --locked --quiet -p cuda-safe --test fuzz random_programs -- --nocapture >"$log" 2>&1) || true
    git -C "$tree" apply --reverse "$reverts/$patch.patch"
    found=$(sed -n 's/^fuzz: found after \(.*\) from seed [0-9]*, \(.*\)$/\1, \2/p' "$log")
    if [ -n "$found" ]; then
        # The reason for the whole program. The shortest program may fail for another reason.
        reason=$(sed -n '/^fuzz: found after/{n;s/^fuzz: //p;q}' "$log" | cut -c1-170 | sed 's/|/\\|/g')
        steps=$(sed -n '/^a program fails: /,/^run it again/p' "$log" | grep -c '^  thread ' || true)
        echo "| $patch | $found | $reason | $steps |"
    else
        echo "| $patch | not found | $(grep -h '^fuzz: ' "$log" | tail -1) | |"
    fi
done
