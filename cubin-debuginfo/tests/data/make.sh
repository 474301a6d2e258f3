#!/usr/bin/env bash
# Makes the cubins of this folder, NAME.ARCH[.c].cubin from NAME.ptx. `--check` only compares.
cd "$(dirname "$0")"
. ../../../tools/test_cubins.sh
make() { # NAME ARCH OPTIONS...
    local relocatable=
    [[ " ${*:3} " == *' -c '* ]] && relocatable=.c
    cubin "$1.$2$relocatable.cubin" "$@"
}
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
make constants_of_types sm_75 -g
make reversed_ranges sm_90 -g
make reversed_ranges sm_100 -g
make range_without_start sm_100 -g
make reversed_division sm_120 -g
make cie_past_end sm_100 -c
make recursion sm_110 -lineinfo
make ranges sm_80 -g
make ranges sm_80 -g -c
make ranges sm_100 -g
make images sm_100 -lineinfo
make places sm_80 -g
make places sm_90 -g
make wrong_classes sm_80 -g
make wrong_classes sm_90 -g
make unplaced_local sm_80 -g
make unplaced_local sm_90 -g
make unplaced_shared sm_80 -g
make unplaced_shared sm_90 -g
make unplaced_shared sm_90 -g -c
make local_number sm_80 -g
make extern_classes sm_80 -g -c
