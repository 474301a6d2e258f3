#!/usr/bin/env bash
# Makes the oracle: a Python environment that holds NVIDIA's own tools, which the differential tests compare with.
#
#   tools/oracle.sh           makes it where it is not complete yet, then prints the directory of its tools
#   tools/oracle.sh --check   makes nothing: prints that directory, or says what is missing (exit 1)
#
# Place: $NVDWARF_ORACLE, else ~/.cache/nvdwarf/oracle-13.0.88. About 600 MB from PyPI, once. Nothing here is built
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
