#!/usr/bin/env bash
# Runs a Windows program under Wine, for scripts/windows.sh and as cargo's runner. The environment has WINDOWS_CUDA, the
# folder with CUDA's headers and NVRTC for Windows, and WINDOWS_BIN, the folder with nvcuda.dll and bcryptprimitives.dll.
set -euo pipefail

# At build time, these variables would name folders of this machine for the build scripts.
CUDA_PATH=$(printf 'Z:%s' "$WINDOWS_CUDA" | tr / '\\')
WINEPATH=$(printf 'Z:%s;Z:%s/bin/x86_64' "$WINDOWS_BIN" "$WINDOWS_CUDA" | tr / '\\')
export CUDA_PATH WINEPATH WINEDEBUG=-all
# With this variable, each documentation test has a process of its own, which may end with a fault of the context. rustdoc
# sets it only if there is no runner.
case $1 in
*/rustdoctest*) RUSTDOC_DOCTEST_BIN_PATH=$(printf 'Z:%s' "$(realpath "$1")" | tr / '\\') && export RUSTDOC_DOCTEST_BIN_PATH ;;
esac
exec "$WINDOWS_WINE" "$@"
