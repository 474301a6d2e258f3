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

place=${NVDWARF_ORACLE:-$HOME/.cache/nvdwarf/oracle-13.0.88}
begun=$place/nvdwarf-oracle # written first: this environment is ours, to be deleted when it is not complete
marker=$place/complete      # written last, holds the package list: absent or different means make it again

say() { printf 'oracle.sh: %s\n' "$*" >&2; }
die() {
    say "$@"
    exit 1
}

# The one directory under site-packages/nvidia/*/bin that holds every tool.
bin_dir() {
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

complete() { [ -f "$marker" ] && [ "$(cat "$marker")" = "$(printf '%s\n' "${packages[@]}")" ] && bin_dir >/dev/null; }

# An environment made by hand with the same packages is taken as it is.
installed() {
    local package name version
    for package in "${packages[@]}"; do
        name=${package%%==*} version=${package##*==}
        compgen -G "$place/lib/python3*/site-packages/${name//-/_}-$version.dist-info/RECORD" >/dev/null || return 1
    done
    bin_dir >/dev/null
}

make_venv() {
    local python=${PYTHON:-python3}
    command -v "$python" >/dev/null || die "needs Python 3.9 or later: '$python' is not on PATH (set PYTHON)"
    "$python" -c 'import venv, ensurepip' 2>/dev/null ||
        die "'$python' has no venv or ensurepip module (Debian: apt-get install python3-venv)"
    say "making $place (about 600 MB from PyPI, once)"
    rm -rf "$place"
    mkdir -p "$place"
    touch "$begun"
    "$python" -m venv "$place" || die "could not make a Python environment at $place"
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --only-binary=:all: \
        "${packages[@]}" >&2 || die "pip could not install the packages above; $place is incomplete and will be made again"
    bin_dir >/dev/null || die "the packages were installed but lack one of: ${tools[*]}"
}

# Only what an earlier run of this script left is deleted.
check_place() {
    if [ -e "$place" ] && [ ! -f "$begun" ] && [ -n "$(ls -A "$place" 2>/dev/null)" ]; then
        die "$place exists, lacks some of the packages, and was not made by this script: not touching it" \
            "(remove it, or set NVDWARF_ORACLE)"
    fi
}

case ${1-} in
--check)
    complete || installed || die "no complete oracle at $place (run tools/oracle.sh)"
    bin_dir
    exit
    ;;
'') ;;
*) die "unknown argument '$1' (usage: tools/oracle.sh [--check])" ;;
esac

if ! complete; then
    # Two runs at once: the second waits and then finds it complete. Without flock they simply must not be.
    if command -v flock >/dev/null; then
        mkdir -p "$(dirname "$place")"
        exec 9>"$place.lock"
        flock 9
    fi
    if ! complete; then
        installed || { check_place && make_venv; }
        printf '%s\n' "${packages[@]}" >"$marker"
    fi
fi
bin_dir
