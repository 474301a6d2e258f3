#!/usr/bin/env bash
# Makes the cubins of this folder, NAME.ARCH[.OPTION...].cubin from NAME.ptx. `--check` only compares.
cd "$(dirname "$0")"
. ../../../tools/test_cubins.sh
make() { # NAME ARCH OPTIONS...
    cubin "$1.$2$(printf '.%s' "${@:3}" | sed 's/\.-/./g').cubin" "$@"
}
make several_on_a_line sm_75 -lineinfo
make folded sm_75 -lineinfo
make folded sm_90 -lineinfo
make folded_same_line sm_80 -lineinfo
make folded_same_line sm_90 -lineinfo
make called sm_75 -lineinfo -c
make inlined sm_86 -lineinfo
make inlined sm_90 -lineinfo
make inlined sm_89 -lineinfo -c
make flat sm_75 -lineinfo
make line_0 sm_75 -lineinfo
make line_0 sm_90 -lineinfo
make files sm_80 -lineinfo
make entry_call_site sm_90 -lineinfo
make doubled_start sm_90 -lineinfo -c
make second_row sm_90 -lineinfo
make doubled_inlined sm_90 -lineinfo -c
make doubled_call_site sm_90 -lineinfo -c
make doubled_not_root sm_90 -lineinfo -c
make transcoded sm_90 -lineinfo
make folded_start sm_90 -lineinfo
make own_sections sm_75 -lineinfo
make references sm_75 -g
make label_constants sm_75 -g
make label_constants sm_100 -g
make references sm_80 -g -c
make references sm_100 -g
make shared_places sm_90 -g -c
make shared_extensible sm_100 -ewp
make inlined_same_line sm_75 -lineinfo
make inlined_same_line sm_90 -lineinfo
make brace_line sm_75 -lineinfo
make brace_line sm_90 -lineinfo
make inlined_below_entry sm_90 -lineinfo
make file_0_used sm_75 -lineinfo
make file_0_used sm_90 -lineinfo
make files_collide sm_75 -lineinfo
make files_collide sm_90 -lineinfo
make special_opcodes sm_90 -lineinfo
make special_opcodes sm_100 -lineinfo
make names_outlive sm_90 -lineinfo
make names_outlive sm_100 -lineinfo
make flag_stays sm_90 -lineinfo
make flag_stays sm_100 -lineinfo
make no_loc_but_folded sm_90 -lineinfo
make no_loc_but_folded sm_100 -lineinfo
make folded_special sm_90 -lineinfo
make folded_special sm_100 -lineinfo
make stand_in sm_100 -lineinfo -c
make own_sections sm_75 -g
make own_sections sm_75 -g -c
make own_sections sm_100 -g
make own_sections sm_100 -g -c
make empty_info sm_75 -g
make empty_info sm_100 -g -c
make first_row_line_1 sm_75 -lineinfo -c
make first_row_line_1 sm_90 -lineinfo
make first_row_line_1 sm_100 -lineinfo -c
make call_site_elsewhere sm_75 -lineinfo
make call_site_elsewhere sm_90 -lineinfo
make call_site_elsewhere sm_100 -lineinfo
make nameless_inlined sm_75 -lineinfo
make nameless_inlined sm_90 -lineinfo
make nameless_inlined sm_100 -lineinfo -c
make file_0_unused sm_75 -lineinfo
make file_0_unused sm_90 -lineinfo
make shared_info sm_100 -g -c
make odd_references sm_75 -g
make odd_references sm_75 -g -c
make odd_references sm_100 -g
make odd_references sm_100 -g -c
make at_dwarf sm_75 -g
make early_pubnames sm_75 -g -c
make stack_arguments sm_75 -g
make stack_arguments sm_100 -g
make relocatable_frames sm_100 -c
make data_segment sm_75 -lineinfo
make data_segment sm_90 -lineinfo
make data_segment sm_100 -lineinfo
make sequence_order sm_75 -g
make sequence_order sm_90 -g
