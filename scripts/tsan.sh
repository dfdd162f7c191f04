#!/usr/bin/env bash
# Runs the emulator's tests under ThreadSanitizer.
#
#   scripts/tsan.sh                      all of them
#   scripts/tsan.sh behaviour graphs     these test programs
#   scripts/tsan.sh --debian FOLDER ...  in a Debian system of its own, which is made in FOLDER if it isn't there
#
# ThreadSanitizer has to see the standard library's locks and channels, so that is built as well, from its sources:
# `rustup component add rust-src` brings them. RUSTC_BOOTSTRAP lets a stable compiler take the options for it. Where
# that component can't be had, Debian's compiler comes with the sources: --debian needs root, debootstrap and 3 GB.
# DEBIAN_SUITE (sid by default) and DEBIAN_MIRROR say which and from where.
#
# EMULATOR_TEST_ROUNDS says how long the test with many threads goes on.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
target=x86_64-unknown-linux-gnu

fail() {
    echo "tsan.sh: $*" >&2
    exit 1
}

# Makes a Debian system with compiler and sanitizer, then runs this script in it.
in_debian() {
    local folder=$1 name
    shift
    [ "$(id -u)" = 0 ] || fail "--debian needs root"
    if [ ! -e "$folder/made" ]; then
        command -v debootstrap >/dev/null || fail "--debian needs debootstrap (apt-get install debootstrap)"
        debootstrap --variant=minbase --include=rustc,rust-src,cargo,gcc,libc6-dev,ca-certificates,python3 \
            "${DEBIAN_SUITE:-sid}" "$folder" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
        # The compiler's LLVM and the sanitizer's run-time library have to be of one version.
        name=$(chroot "$folder" rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
        chroot "$folder" apt-get install -y --no-install-recommends "clang-$name" "libclang-rt-$name-dev" "llvm-$name"
        echo "$name" >"$folder/made"
    fi
    # As outside: who answers for a proxy's certificates, and where names are looked up.
    for name in /etc/ssl/certs/ca-certificates.crt /etc/resolv.conf /etc/hosts; do
        [ ! -e "$name" ] || cp -L "$name" "$folder$name"
    done
    mkdir -p "$folder$repository"
    # The mounts end with the shell that makes them.
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
    fail "the standard library's sources are missing: rustup component add rust-src, or use --debian FOLDER"

flags="-Zsanitizer=thread --cfg cuda_emulator_tsan"
if ! compgen -G "$(rustc --print target-libdir)/librustc*_rt.tsan.a" >/dev/null; then
    # A distribution's compiler: its sanitizer comes with clang.
    flags+=" -Zexternal-clangrt -Clinker=${CLANG:-clang} -Clink-arg=-fsanitize=thread"
else
    # The emulator's library, which tests open, finds the sanitizer in the test. clang's linking does the same.
    flags+=" -Clink-arg=-Wl,--export-dynamic"
fi
export RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/tsan
# What turns addresses in a report into lines.
symbolizer=$(command -v llvm-symbolizer $(compgen -c llvm-symbolizer-) | head -n 1 || true)
export TSAN_OPTIONS="exitcode=66 atexit_sleep_ms=0 ${symbolizer:+external_symbolizer_path=$(realpath "$symbolizer")} ${TSAN_OPTIONS:-}"

packages=(-p cuda-emulator -p cuda-emulator-checks -p cuda-emulator-engine)
run() {
    # Optimised less than usual, which is faster to build by more than it is slower to run.
    cargo test --locked -Zbuild-std --target $target "${packages[@]}" \
        --config 'profile.dev.package.cuda-emulator-engine.opt-level=1' "$@"
}

echo "== a race on purpose must be found"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if run --test behaviour -- --ignored --exact threads::a_race_on_purpose >"$log" 2>&1 ||
    ! grep -q 'WARNING: ThreadSanitizer: data race' "$log"; then
    cat "$log"
    fail "the race wasn't found"
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
