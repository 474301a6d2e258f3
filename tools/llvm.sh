#!/usr/bin/env bash
# Finds the programs of LLVM 19 that tests of LLVM IR compare with: opt-19, llc-19, llvm-as-19, llvm-dis-19, clang-19; and opt-14, which
# reads the old dialect.
#
#   tools/llvm.sh           installs Debian's packages where one is missing (as root), then prints the folder
#   tools/llvm.sh --check   installs nothing: prints the folder, or says what is missing (exit 1)
set -euo pipefail

programs=(opt-19 llc-19 llvm-as-19 llvm-dis-19 clang-19 opt-14)

missing() {
    local program
    for program in "${programs[@]}"; do
        command -v "$program" >/dev/null || echo "$program"
    done
}

case ${1-} in
--check | '') ;;
*)
    echo "llvm.sh: unknown argument '$1' (usage: tools/llvm.sh [--check])" >&2
    exit 1
    ;;
esac
if [ -n "$(missing)" ] && [ "${1-}" != --check ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    {
        apt-get update -q
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends llvm-19 clang-19 llvm-14
    } >&2
fi
if [ -n "$(missing)" ]; then
    echo "llvm.sh: missing:" $(missing) '(Debian: apt-get install llvm-19 clang-19 llvm-14)' >&2
    exit 1
fi
dirname "$(command -v opt-19)"
