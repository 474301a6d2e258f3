#!/usr/bin/env bash
# Makes every .ptx and .cubin here again from the .cu files, with the tools of tools/oracle.sh and a host compiler
# (nvcc preprocesses with gcc).
#
#   examples/make.sh           writes them
#   examples/make.sh --check   writes nothing: exit 1 where one of them would change
set -euo pipefail
cd "$(dirname "$0")"

# program  output  arch  options of nvcc | options of ptxas (those nvcc itself passes for the ones on its left)
recipes=(
    "saxpy     saxpy           sm_90 -lineinfo | -lineinfo"
    "saxpy     saxpy-debug     sm_75 -G        | -g --dont-merge-basicblocks --return-at-end"
    "block_sum block_sum       sm_90 -lineinfo | -lineinfo"
    "block_sum block_sum-debug sm_75 -G        | -g --dont-merge-basicblocks --return-at-end"
)

case ${1-} in
--check) check=yes ;;
'') check= ;;
*)
    echo "usage: examples/make.sh [--check]" >&2
    exit 2
    ;;
esac

# folder  output  compression | images, as fatbinary takes them
fatbins=(
    "saxpy saxpy.fatbin     size  | kind=elf,sm=90,file=saxpy.cubin kind=elf,sm=75,file=saxpy-debug.cubin kind=ptx,sm=90,file=saxpy.ptx"
    "saxpy saxpy-lz4.fatbin speed | kind=elf,sm=90,file=saxpy.cubin kind=ptx,sm=90,file=saxpy.ptx"
)

bin=$(../tools/oracle.sh)
# nvcc writes absolute source paths into the PTX, so the place is fixed. ptxas looks each source file up and writes its
# time and size into the line table: they are deleted first, which leaves zeros, the same on every machine.
work=/tmp/nvdwarf
[ ! -e "$work" ] || {
    echo "make.sh: $work is in the way" >&2
    exit 1
}
trap 'rm -rf "$work"' EXIT

changed=0
take() { # a made file in place of the one here, or with --check a word about it
    cmp -s "$1" "$2" && return
    changed=1
    echo "$2: ${check:+would be }changed"
    [ -n "$check" ] || cp "$1" "$2"
}

for recipe in "${recipes[@]}"; do
    read -r program output arch nvcc_options <<<"${recipe%%|*}"
    read -ra ptxas_options <<<"${recipe##*|}"
    mkdir -p "$work/$program"
    find "$program" \( -name '*.cu' -o -name '*.cuh' \) -exec cp {} "$work/$program/" \;
    (
        cd "$work/$program"
        PATH=$bin:$PATH nvcc -ptx "$nvcc_options" "-arch=$arch" "$program.cu" -o "$output.ptx"
        find . \( -name '*.cu' -o -name '*.cuh' \) -delete
        "$bin/ptxas" "-arch=$arch" -m64 "${ptxas_options[@]}" "$output.ptx" -o "$output.cubin"
    )
    for made in "$output.ptx" "$output.cubin"; do
        take "$work/$program/$made" "$program/$made"
    done
    rm -rf "$work"
done

# From the cubins and PTX here. LTO IR is left out: nvcc obfuscates it.
for recipe in "${fatbins[@]}"; do
    read -r folder output mode <<<"${recipe%%|*}"
    read -ra images <<<"${recipe##*|}"
    mkdir -p "$work"
    (
        cd "$folder"
        "$bin/fatbinary" -64 --ident=saxpy.cu --cmdline=' --generate-line-info ' --compress-all --compress-mode="$mode" \
            "${images[@]/#/--image3=}" --create="$work/$output"
    )
    take "$work/$output" "$folder/$output"
    rm -rf "$work"
done
[ -z "$check" ] || exit "$changed"
