#!/usr/bin/env bash
# Makes a Python environment that holds Triton, which tests/triton.rs has compile through us. No GPU is needed.
#
#   tools/triton.sh           makes it where it is not complete yet, then prints its Python
#   tools/triton.sh --check   makes nothing: prints that Python, or says what is missing (exit 1)
#
# Place: $NVDWARF_TRITON, else ~/.cache/nvdwarf/triton-3.9.0. About 1.1 GB, once.
set -euo pipefail

packages=(triton==3.9.0)

what=triton
place=${NVDWARF_TRITON:-$HOME/.cache/nvdwarf/triton-3.9.0}
size='1.1 GB'

found() {
    [ -x "$place/bin/python" ] && compgen -G "$place/lib/python3*/site-packages/triton/backends/nvidia" >/dev/null || return 1
    printf '%s\n' "$place/bin/python"
}

. "$(dirname "$0")/environment.sh"
environment "$@"
