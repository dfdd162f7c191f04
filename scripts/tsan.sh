#!/usr/bin/env bash
# Runs the emulator's tests under ThreadSanitizer.
#
#   scripts/tsan.sh                      all tests
#   scripts/tsan.sh behaviour graphs     these test programs
#   scripts/tsan.sh --debian FOLDER ...  in a separate Debian system, which is created in FOLDER if necessary
#
# ThreadSanitizer must see the standard library's locks and channels, so the standard library is also built from its
# sources (`rustup component add rust-src`). RUSTC_BOOTSTRAP lets a stable compiler accept the necessary options. If that
# component is not available, use Debian's compiler, which includes the sources: --debian needs root, debootstrap and
# 3 GB. DEBIAN_SUITE (sid by default) and DEBIAN_MIRROR select the suite and the mirror.
#
# EMULATOR_TEST_ROUNDS sets the length of the test with many threads.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
target=x86_64-unknown-linux-gnu

fail() {
    echo "tsan.sh: $*" >&2
    exit 1
}

# Creates a Debian system with compiler and sanitizer, then runs this script in it.
in_debian() {
    local folder=$1 name
    shift
    [ "$(id -u)" = 0 ] || fail "--debian needs root"
    if [ ! -e "$folder/made" ]; then
        command -v debootstrap >/dev/null || fail "--debian needs debootstrap. Fix: apt-get install debootstrap"
        debootstrap --variant=minbase --include=rustc,rust-src,cargo,gcc,libc6-dev,ca-certificates,python3 \
            "${DEBIAN_SUITE:-sid}" "$folder" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
        # The compiler's LLVM and the sanitizer's run-time library must have the same version.
        name=$(chroot "$folder" rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
        chroot "$folder" apt-get install -y --no-install-recommends "clang-$name" "libclang-rt-$name-dev" "llvm-$name"
        echo "$name" >"$folder/made"
    fi
    # The outer system's certificates, for proxies, and its name resolution.
    for name in /etc/ssl/certs/ca-certificates.crt /etc/resolv.conf /etc/hosts; do
        [ ! -e "$name" ] || cp -L "$name" "$folder$name"
    done
    mkdir -p "$folder$repository"
    # The mounts disappear with the shell that creates them.
    exec unshare --mount bash -euc '
        folder=$1 repository=$2
        shift 2
        mount --bind "$repository" "$folder$repository"
        mount -t proc proc "$folder/proc"
        mount --bind /dev "$folder/dev"
        exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin CLANG="clang-$(cat "$folder/made")" \
            CARGO_TARGET_DIR=/root/target \
            ${EMULATOR_TEST_ROUNDS:+EMULATOR_TEST_ROUNDS=$EMULATOR_TEST_ROUNDS} \
            ${HTTPS_PROXY:+HTTPS_PROXY=$HTTPS_PROXY} ${https_proxy:+https_proxy=$https_proxy} \
            chroot "$folder" "$repository/scripts/tsan.sh" "$@"' in_debian "$folder" "$repository" "$@"
}

if [ "${1:-}" = --debian ]; then
    [ $# -ge 2 ] || fail "--debian needs a folder"
    folder=$(realpath -m "$2")
    shift 2
    in_debian "$folder" "$@"
fi

[ -e "$(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] ||
    fail "the standard library's sources are missing. Fix: rustup component add rust-src, or use --debian FOLDER"

flags="-Zsanitizer=thread --cfg cuda_emulator_tsan"
if ! compgen -G "$(rustc --print target-libdir)/librustc*_rt.tsan.a" >/dev/null; then
    # A distribution's compiler: its sanitizer is part of clang.
    flags+=" -Zexternal-clangrt -Clinker=${CLANG:-clang} -Clink-arg=-fsanitize=thread"
else
    # Export symbols, as clang does, so that the emulator's library, which tests open, finds the sanitizer in the test.
    flags+=" -Clink-arg=-Wl,--export-dynamic"
fi
export RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/tsan
# The program that converts addresses in a report to lines.
symbolizer=$(command -v llvm-symbolizer $(compgen -c llvm-symbolizer-) | head -n 1 || true)
export TSAN_OPTIONS="exitcode=66 atexit_sleep_ms=0 ${symbolizer:+external_symbolizer_path=$(realpath "$symbolizer")} ${TSAN_OPTIONS:-}"

packages=(-p cuda-emulator -p cuda-emulator-checks -p cuda-emulator-engine)
run() {
    # Lower optimization than usual, because it saves more build time than it costs run time.
    cargo test --locked -Zbuild-std --target $target "${packages[@]}" \
        --config 'profile.dev.package.cuda-emulator-engine.opt-level=1' "$@"
}

echo "== a deliberate race must be found"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if run --test behaviour -- --ignored --exact threads::deliberate_race >"$log" 2>&1 ||
    ! grep -q 'WARNING: ThreadSanitizer: data race' "$log"; then
    cat "$log"
    fail "the race was not found"
fi
grep -m 1 SUMMARY "$log"

echo "== the tests"
tests=()
for name in "$@"; do
    tests+=(--test "$name")
done
if [ $# -eq 0 ]; then
    tests=(--lib --tests)
fi
run "${tests[@]}"
echo "ThreadSanitizer found nothing"
