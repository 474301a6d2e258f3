# Sourced by the scripts `make.sh` that make the cubins of a folder of tests with ptxas 13.0.88, in that folder. With
# `--check` these only compare. Source files of the PTX do not exist, so that stat() gives 0 and 0 everywhere.
set -euo pipefail

bin=$("$(dirname "${BASH_SOURCE[0]}")/oracle.sh")
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
case ${1-} in
--check) check=yes ;;
'') check= ;;
*)
    echo "$0: unknown argument '$1' (usage: $0 [--check])" >&2
    exit 2
    ;;
esac

# Makes NAME.ptx, whose `.target` sm_100 becomes ARCH, to CUBIN.
cubin() { # CUBIN NAME ARCH OPTIONS...
    local out=$1 name=$2 arch=$3
    shift 3
    sed "s/sm_100/$arch/" "$name.ptx" >"$made/$name.ptx"
    # ptxas warns of what some of these modules are made for.
    (cd "$made" && "$bin/ptxas" "$name.ptx" -arch "$arch" "$@" -o "$out" 2>"$out.log") || {
        cat "$made/$out.log" >&2
        return 1
    }
    if [ "$check" ]; then cmp "$made/$out" "$out"; else cp "$made/$out" "$out"; fi
}
