#!/usr/bin/env bash
# Builds and tests cuda-sys with the headers of each supported CUDA release, from pip's packages, and checks that the
# bindings that cuda-sys carries equal bindgen's output for their version of the headers (scripts/carry-bindings.sh).
# Arguments select versions. The default is 12.0, 12.4, 12.9, 13.0 and the newest 13.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
# Asks pip for the newest release.
newest() {
    "$python" -m pip index versions nvidia-cuda-runtime --disable-pip-version-check 2>/dev/null |
        sed -n 's/^nvidia-cuda-runtime (\([0-9]*\.[0-9]*\).*/\1/p'
}

versions=("$@")
if [ ${#versions[@]} -eq 0 ]; then
    versions=(12.0 12.4 12.9 13.0 "$(newest)")
fi
target=${CARGO_TARGET_DIR:-target}
failed=()
for version in "${versions[@]}"; do
    folder="$target/headers/$version"
    "$python" scripts/setup.py --cuda "$version" --into "$folder" | tail -1
    log="$folder.log"
    if CUDA_PATH="$(cd "$folder" && pwd)" cargo test --locked -p cuda-direct-sys --target-dir "$target/headers/target" \
        >"$log" 2>&1 &&
        CUDA_PATH="$(cd "$folder" && pwd)" cargo clippy --locked -p cuda-direct-sys --no-default-features \
            --target-dir "$target/headers/target" -- -D warnings >>"$log" 2>&1 &&
        CUDA_PATH="$(cd "$folder" && pwd)" RUSTDOCFLAGS="-D warnings" cargo doc --locked -p cuda-direct-sys --no-deps \
            --target-dir "$target/headers/target" >>"$log" 2>&1; then
        awk -v version="$version" '/^test result/ { n += $4 } END { printf "CUDA %s: %d tests pass, documented\n", version, n }' "$log"
    else
        echo "CUDA $version: FAILED"
        tail -40 "$log"
        failed+=("$version")
    fi
done
scripts/carry-bindings.sh --check || failed+=("carried bindings")
[ ${#failed[@]} -eq 0 ]
