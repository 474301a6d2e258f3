#!/usr/bin/env bash
# Makes a Python environment that holds NVIDIA's CUPTI, whose cuptiGetCubinCrc nvdwarf/tests/cupti.rs compares with. No
# GPU is needed; 13.5.25 answers error 999 without one, so it stays at 13.0.
#
#   tools/cupti.sh           makes it where it is not complete yet, then prints the path of the library
#   tools/cupti.sh --check   makes nothing: prints that path, or says what is missing (exit 1)
#
# Place: $NVDWARF_CUPTI, else ~/.cache/nvdwarf/cupti-13.0.85. About 60 MB from PyPI, once. The library is NVIDIA's and
# under NVIDIA's licence; it is called and not looked into.
set -euo pipefail

packages=(nvidia-cuda-cupti==13.0.85)

what=cupti
place=${NVDWARF_CUPTI:-$HOME/.cache/nvdwarf/cupti-13.0.85}
size='60 MB'

found() {
    local library
    [ -x "$place/bin/python" ] || return 1
    for library in "$place"/lib/python3*/site-packages/nvidia/cu13/lib/libcupti.so.13; do
        [ -f "$library" ] && printf '%s\n' "$library" && return 0
    done
    return 1
}

. "$(dirname "$0")/environment.sh"
environment "$@"
