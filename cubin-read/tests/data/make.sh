#!/usr/bin/env bash
# Makes the cubins of this folder with ptxas 13.0.88 (tools/oracle.sh), NAME.ARCH[.c].cubin from NAME.ptx. `--check` only
# compares. Source files of the PTX do not exist, so that stat() gives 0 and 0 everywhere.
set -euo pipefail
cd "$(dirname "$0")"
bin=$(../../../tools/oracle.sh)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
make() { # NAME ARCH OPTIONS...
    local name=$1 arch=$2
    shift 2
    local out="$name.$arch" option
    for option; do [ "$option" = -c ] && out+=.c; done
    sed "s/sm_100/$arch/" "$name.ptx" >"$made/$name.ptx"
    (cd "$made" && "$bin/ptxas" "$name.ptx" -arch "$arch" "$@" -o "$out.cubin" 2>/dev/null)
    if [ "${check:-}" ]; then cmp "$made/$out.cubin" "$out.cubin"; else cp "$made/$out.cubin" "$out.cubin"; fi
}
[ "${1:-}" = --check ] && check=yes
make address_class sm_90 -g
make address_class sm_90 -g -c
make unplaced_variable sm_86 -g
make unplaced_label sm_86 -g
make unplaced_label sm_86 -g -c
make unplaced_number sm_86 -g
make open_label sm_75 -g
make shared_table sm_80 -g
make swapped_classes sm_80 -g
make no_classes sm_80 -g
make vectors sm_86 -g
make constants sm_75 -g
make reversed_ranges sm_90 -g
make reversed_ranges sm_100 -g
make range_without_start sm_100 -g
make reversed_division sm_120 -g
make cie_past_end sm_100 -c
make recursion sm_110 -lineinfo
