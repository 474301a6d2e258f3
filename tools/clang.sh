#!/usr/bin/env bash
# Finds a clang that compiles CUDA for sm_90 (clang 18 or later), which tests/drop_in.rs has compile through us. No CUDA
# toolkit is needed.
#
#   tools/clang.sh           installs Debian's clang-19 where none is found (as root), then prints the name
#   tools/clang.sh --check   installs nothing: prints the name, or says that none is found (exit 1)
set -euo pipefail

found() {
    local name
    for name in clang clang-22 clang-21 clang-20 clang-19 clang-18; do
        command -v "$name" >/dev/null && compiles "$name" && command -v "$name" && return 0
    done
    return 1
}

compiles() {
    echo '__attribute__((global)) void k() {}' | "$1" -x cuda --cuda-gpu-arch=sm_90 --cuda-device-only -nocudainc \
        -nocudalib -S -o /dev/null - 2>/dev/null
}

case ${1-} in
--check | '') ;;
*)
    echo "clang.sh: unknown argument '$1' (usage: tools/clang.sh [--check])" >&2
    exit 1
    ;;
esac
found && exit
if [ "${1-}" = --check ] || ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo 'clang.sh: no clang 18 or later that compiles CUDA for sm_90 (Debian: apt-get install clang-19)' >&2
    exit 1
fi
{
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends clang-19
} >&2
found
