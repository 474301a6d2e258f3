#!/usr/bin/env bash
# Makes a CUDA toolkit folder in which everything is a link to a real toolkit but bin/ptxas, which is a link to us.
#
#   tools/toolkit.sh FOLDER TOOLKIT [DRIVER]
#
# DRIVER is the ptxas-driver to use: by default the one on PATH. It is short for `DRIVER install-ptxas FOLDER --toolkit TOOLKIT`.
set -euo pipefail

[ $# = 2 ] || [ $# = 3 ] || {
    printf 'usage: tools/toolkit.sh FOLDER TOOLKIT [DRIVER]\n' >&2
    exit 2
}
exec "${3:-ptxas-driver}" install-ptxas "$1" --toolkit "$2"
