#!/usr/bin/env bash
# Installs the readers of DWARF that tests compare with: elfutils, LLVM's (19, and the release that Debian calls llvm) and
# binutils.
#
#   tools/readers.sh           installs Debian's packages where a reader is missing (as root), then prints their names
#   tools/readers.sh --check   installs nothing: prints the names, or says what is missing (exit 1)
set -euo pipefail

readers=(eu-readelf llvm-dwarfdump-19 llvm-dwarfdump llvm-symbolizer readelf addr2line)
packages=(elfutils llvm-19 llvm binutils)

missing() {
    local name
    for name in "${readers[@]}"; do
        command -v "$name" >/dev/null || printf '%s ' "$name"
    done
}

case ${1-} in
--check | '') ;;
*)
    echo "readers.sh: unknown argument '$1' (usage: tools/readers.sh [--check])" >&2
    exit 1
    ;;
esac
if [ -n "$(missing)" ] && [ "${1-}" != --check ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    {
        apt-get update -q
        DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
    } >&2
fi
left=$(missing)
if [ -n "$left" ]; then
    echo "readers.sh: missing: $left(Debian: apt-get install ${packages[*]})" >&2
    exit 1
fi
printf '%s\n' "${readers[@]}"
