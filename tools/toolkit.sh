#!/usr/bin/env bash
# Makes a CUDA toolkit folder in which everything is a link to a real toolkit but bin/ptxas, which is a link to us: nvcc
# looks for ptxas nowhere but beside itself.
#
#   tools/toolkit.sh FOLDER TOOLKIT [DRIVER]
#
# FOLDER is made; one that this script made before is made anew. TOOLKIT has bin/nvcc and bin/ptxas (/usr/local/cuda, or
# the nvidia/cu13 of NVIDIA's wheels). DRIVER is the ptxas-driver to use: by default the one on PATH. The real ptxas is
# bin/ptxas.nvidia in FOLDER, where we look for it. Then:
#
#   FOLDER/bin/nvcc -lineinfo -c k.cu
set -euo pipefail

die() {
    printf 'toolkit.sh: %s\n' "$*" >&2
    exit 1
}

[ $# = 2 ] || [ $# = 3 ] || die 'usage: tools/toolkit.sh FOLDER TOOLKIT [DRIVER]'
folder=$1
toolkit=$(cd "$2" 2>/dev/null && pwd) || die "no folder $2"
for tool in nvcc ptxas; do
    [ -x "$toolkit/bin/$tool" ] || die "$toolkit has no bin/$tool"
done
driver=$(command -v "${3:-ptxas-driver}") || die "no program ${3:-ptxas-driver}"
driver=$(cd "$(dirname "$driver")" && pwd)/$(basename "$driver")

if [ -e "$folder" ]; then
    [ -e "$folder/bin/ptxas.nvidia" ] || die "$folder exists and was not made by this script"
    rm -r "$folder"
fi
mkdir -p "$folder/bin"
for entry in "$toolkit"/*; do
    [ "$entry" = "$toolkit/bin" ] || ln -s "$entry" "$folder/"
done
for entry in "$toolkit"/bin/*; do
    [ "$entry" = "$toolkit/bin/ptxas" ] || ln -s "$entry" "$folder/bin/"
done
ln -s "$toolkit/bin/ptxas" "$folder/bin/ptxas.nvidia"
ln -s "$driver" "$folder/bin/ptxas"
