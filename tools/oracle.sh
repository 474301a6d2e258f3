#!/usr/bin/env bash
# Makes the oracle: a Python environment that holds NVIDIA's own tools, which the differential tests compare with.
#
#   tools/oracle.sh           makes it where it is not complete yet, then prints the directory of its tools
#   tools/oracle.sh --check   makes nothing: prints that directory, or says what is missing (exit 1)
#   tools/oracle.sh --release 12.9 [--check]   the same for the ptxas, from 13.2 on also the nvdisasm, of another release
#
# Place: $NVDWARF_ORACLE, else ~/.cache/nvdwarf/oracle-13.0.88 (of another release ~/.cache/nvdwarf/ptxas-VERSION). About 600 MB from PyPI, once. Nothing here is built
# or run but pip; the tools are NVIDIA's and under NVIDIA's licence, so none of their files enters this repository.
set -euo pipefail

# ptxas, nvcc, nvlink, fatbinary are 13.0.88, the version every byte in this repository is compared with.
# nvdisasm and cuobjdump are newer because 13.0's were never on PyPI; they only read.
packages=(
    nvidia-cuda-nvcc==13.0.88
    nvidia-nvvm==13.0.88
    nvidia-cuda-crt==13.0.88
    nvidia-cuda-runtime==13.0.88
    nvidia-cuda-nvrtc==13.0.88
    nvidia-cuda-nvdisasm==13.2.86
    nvidia-cuda-cuobjdump==13.2.86
)
tools=(ptxas nvcc nvlink nvdisasm cuobjdump)

what=oracle
place=${NVDWARF_ORACLE:-$HOME/.cache/nvdwarf/oracle-13.0.88}
size='600 MB'

if [ "${1-}" = --release ]; then
    release=${2-} versions=$(dirname "$0")/../cuda-releases/src/release.rs
    shift 2 || { printf 'usage: tools/oracle.sh --release RELEASE [--check]\n' >&2; exit 1; }
    # The table of releases has the version.
    version=$(tr -d '\n' <"$versions" | grep -oE 'name: "[0-9.]+", *version: "[0-9.]+"' |
        sed -n "s/^name: \"$release\", *version: \"\(.*\)\"$/\1/p")
    [ -n "$version" ] || { printf 'oracle.sh: no release %s in cuda-releases/src/release.rs\n' "$release" >&2; exit 1; }
    case $version in
    11.*) packages=("nvidia-cuda-nvcc-cu11==$version") ;;
    12.*) packages=("nvidia-cuda-nvcc-cu12==$version") ;;
    *) packages=("nvidia-cuda-nvcc==$version") ;;
    esac
    tools=(ptxas)
    case $version in
    13.[2-9].*) packages+=("nvidia-cuda-nvdisasm==$version") tools+=(nvdisasm) ;; # PyPI has none before
    esac
    what=ptxas place=$HOME/.cache/nvdwarf/ptxas-$version size='40 to 170 MB'
fi

# The one directory under site-packages/nvidia/*/bin that holds every tool.
found() {
    local dir tool
    for dir in "$place"/lib/python3*/site-packages/nvidia/*/bin; do
        [ -d "$dir" ] || continue
        for tool in "${tools[@]}"; do
            [ -x "$dir/$tool" ] || continue 2
        done
        printf '%s\n' "$dir"
        return 0
    done
    return 1
}

. "$(dirname "$0")/environment.sh"
environment "$@"
