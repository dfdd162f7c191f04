#!/usr/bin/env bash
# Runs the programs of this bundle on a machine with an NVIDIA driver. It requires neither Rust nor a toolkit.
#
#   ./run.sh [all|tests|examples|benches] [wrapper command ...]
#
#   FILTER=integration ./run.sh tests compute-sanitizer --tool memcheck --leak-check full --report-api-errors no
#
# FILTER='integration' runs only programs whose name matches that expression. A checker of device memory fails for
# programs that fault on purpose (cuda-safe-faults) or use no device (names that end in -unit).
#
# Logs are written to results/ in the current directory, or to RESULTS. The time limit of each program is TIMEOUT seconds
# (900). NVRTC is taken from CUDA_HOME or CUDA_PATH if they contain the right version, and otherwise from the bundle.
set -uo pipefail

bundle=$(cd "$(dirname "$0")" && pwd)
what=${1:-all}
[ $# -gt 0 ] && shift
case $what in
all | tests | examples | benches) ;;
*)
    sed -n '2,12s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
wrapper=("$@")
mkdir -p "${RESULTS:=results}"
results=$(cd "$RESULTS" && pwd)

# The programs require a specific version of NVRTC: libnvrtc.so.13.
own=$(find "$bundle/cuda/lib64" -name 'libnvrtc.so.[0-9]*' 2>/dev/null | head -1)
for home in "${CUDA_HOME:-}" "${CUDA_PATH:-}"; do
    if [ -n "$home" ] && [ -n "$own" ] && [ -e "$home/lib64/${own##*/}" ]; then
        toolkit=$home
        break
    elif [ -n "$home" ] && [ -z "$own" ]; then
        toolkit=$home
        break
    fi
done
if [ -z "${toolkit:-}" ] && [ -n "$own" ]; then
    toolkit=$bundle/cuda
fi
if [ -n "${toolkit:-}" ]; then
    export CUDA_HOME=$toolkit CUDA_PATH=$toolkit
    export LD_LIBRARY_PATH="$toolkit/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
echo "NVRTC: ${toolkit:-found by the loader}"

failures=0
table=()
passed_tests=0
failed_tests=0
while read -r kind package name; do
    [ "$what" = all ] || [ "$what" = "$kind" ] || continue
    [[ $name =~ ${FILTER:-} ]] || continue
    log=$results/$kind-$name.log
    arguments=()
    [ "$kind" = benches ] && arguments=(--bench)
    # Programs read their data relative to their package's folder.
    data=$bundle/data/$package
    [ -d "$data" ] || data=$results
    started=$SECONDS
    (
        cd "$data" && CARGO_MANIFEST_DIR=$data CRITERION_HOME=$results/criterion \
            exec timeout "${TIMEOUT:-900}" ${wrapper[@]+"${wrapper[@]}"} "$bundle/bin/$kind/$name" ${arguments[@]+"${arguments[@]}"}
    ) >"$log" 2>&1 </dev/null
    status=$?
    counts=$(awk '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0 }' "$log")
    passed_tests=$((passed_tests + ${counts% *}))
    failed_tests=$((failed_tests + ${counts#* }))
    case $status in
    0) verdict=ok ;;
    124) verdict="FAILED: time limit exceeded" ;;
    *) verdict="FAILED: status $status" ;;
    esac
    [ "$status" = 0 ] || failures=$((failures + 1))
    row=$(printf '%-9s %-40s %6ss  %s' "$kind" "$name" $((SECONDS - started)) "$verdict")
    echo "$row"
    table+=("$row")
    if [ "$status" != 0 ]; then
        tail -n 30 "$log" | sed 's/^/    /'
    fi
done <"$bundle/programs.txt"

echo
echo "programs: ${#table[@]}, failed: $failures; tests passed: $passed_tests, failed: $failed_tests; logs in $results"
if [ ${#table[@]} -eq 0 ]; then
    echo "nothing was run: programs.txt lists the programs"
    exit 1
fi
[ "$failures" -eq 0 ]
