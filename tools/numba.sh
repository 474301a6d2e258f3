#!/usr/bin/env bash
# Makes a Python environment that holds numba-cuda, whose modules of LLVM IR tests of llvm-debug-metadata read. No GPU is
# needed.
#
#   tools/numba.sh           makes it where it is not complete yet, then prints its Python
#   tools/numba.sh --check   makes nothing: prints that Python, or says what is missing (exit 1)
#
# Place: $NVDWARF_NUMBA, else ~/.cache/nvdwarf/numba-cuda-0.30.4. About 730 MB, once.
set -euo pipefail

# What numba-cuda asks for, and of the toolkit the libraries that it opens.
packages=(
    numba-cuda==0.30.4
    numba==0.68.1
    llvmlite==0.50.0
    numpy==2.4.6
    cuda-bindings==13.5.0
    cuda-core==1.2.2
    cuda-pathfinder==1.9.1
    nvidia-nvvm==13.0.88
    nvidia-cuda-runtime==13.0.88
    nvidia-cuda-nvrtc==13.0.88
)

what=numba
place=${NVDWARF_NUMBA:-$HOME/.cache/nvdwarf/numba-cuda-0.30.4}
size='730 MB'

found() {
    [ -x "$place/bin/python" ] && compgen -G "$place/lib/python3*/site-packages/numba_cuda" >/dev/null || return 1
    printf '%s\n' "$place/bin/python"
}

. "$(dirname "$0")/environment.sh"
environment "$@"
