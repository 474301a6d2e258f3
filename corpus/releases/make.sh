#!/usr/bin/env bash
# Makes the cubins of this folder again, with the ptxas of each release (`tools/oracle.sh --release`): lookup.ptx with lines
# for one or two architectures of each, with `.version` and `.target` as they need it; divide.ptx with `-g` for one;
# blocks.ptx with lines for sm_90 before CUDA 12.8 and in it; minima.ptx with lines for sm_110; intermediate.ptx, whose directives
# came with PTX 9.4, for one architecture of each generation. The times of source files are in the PTX.
set -euo pipefail
cd "$(dirname "$0")"
make() { # RELEASE VERSION ARCH PTX OUTPUT OPTION
    local ptxas ptx
    ptxas=$(../../tools/oracle.sh --release "$1")/ptxas
    ptx=$(mktemp -d)/$4
    sed "s/^\.version .*/.version $2/; s/^\.target sm_[0-9]*/.target sm_$3/" "$4" >"$ptx"
    "$ptxas" "$6" -arch "sm_$3" "$ptx" -o "$5"
    rm -r "$(dirname "$ptx")"
}

make 12.9 8.8 52 divide.ptx 12.9-sm_52.divide.cubin -g
for line in '11.7 7.7 75' '11.8 7.8 90' '12.0 8.0 52' '12.0 8.0 90' '12.1 8.1 75' '12.2 8.2 89' '12.3 8.3 75' '12.4 8.4 75' \
    '12.6 8.5 90' '12.8 8.7 90' '12.8 8.7 120' '12.9 8.8 75' '12.9 8.8 103a' '13.0 9.0 75' '13.0 9.0 120' '13.1 9.1 90' \
    '13.2 9.2 110' '13.3 9.3 100' '13.4 9.4 107' '13.5 9.5 75' '13.5 9.5 90' \
    '13.5 9.5 110' '13.5 9.5 120'; do
    read -r release version arch <<<"$line"
    make "$release" "$version" "$arch" lookup.ptx "$release-sm_$arch.cubin" -lineinfo
done
for arch in 75 90 120; do
    make 13.5 9.4 $arch intermediate.ptx 13.5-sm_$arch.intermediate.cubin -lineinfo
done
for line in '12.1 8.1' '12.6 8.5' '12.8 8.7'; do
    read -r release version <<<"$line"
    make "$release" "$version" 90 blocks.ptx "$release-sm_90.blocks.cubin" -lineinfo
done
for line in '13.0 9.0' '13.2 9.2' '13.5 9.5'; do
    read -r release version <<<"$line"
    make "$release" "$version" 110 minima.ptx "$release-sm_110.minima.cubin" -lineinfo
done
