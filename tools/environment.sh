# For scripts that make a Python environment of pinned packages, once: `. environment.sh` after
#
#   what       what it is, for messages
#   place      where it goes
#   size       about how large it is
#   packages   array of NAME==VERSION
#   found      function: prints what users of the environment want to know, fails where it is incomplete
#
# and then `environment "$@"`: makes it where it is not complete yet and calls `found`; with --check it makes nothing and
# says what is missing (exit 1).

script=$(basename "$0")
begun=$place/nvdwarf-$what # written first: this environment is ours, to be deleted when it is not complete
marker=$place/complete     # written last, holds the package list: absent or different means make it again

say() { printf '%s: %s\n' "$script" "$*" >&2; }
die() {
    say "$@"
    exit 1
}

complete() { [ -f "$marker" ] && [ "$(cat "$marker")" = "$(printf '%s\n' "${packages[@]}")" ] && found >/dev/null; }

# An environment made by hand with the same packages is taken as it is.
installed() {
    local package name version
    for package in "${packages[@]}"; do
        name=${package%%==*} version=${package##*==}
        compgen -G "$place/lib/python3*/site-packages/${name//-/_}-$version.dist-info/RECORD" >/dev/null || return 1
    done
    found >/dev/null
}

make_venv() {
    local python=${PYTHON:-python3}
    command -v "$python" >/dev/null || die "needs Python 3.9 or later: '$python' is not on PATH (set PYTHON)"
    "$python" -c 'import venv, ensurepip' 2>/dev/null ||
        die "'$python' has no venv or ensurepip module (Debian: apt-get install python3-venv)"
    say "making $place (about $size from PyPI, once)"
    rm -rf "$place"
    mkdir -p "$place"
    touch "$begun"
    "$python" -m venv "$place" || die "could not make a Python environment at $place"
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --only-binary=:all: \
        "${packages[@]}" >&2 || die "pip could not install ${packages[*]}; $place is incomplete and will be made again"
    found >/dev/null || die "the packages were installed but something is missing in them"
}

# Only what an earlier run of this script left is deleted.
check_place() {
    if [ -e "$place" ] && [ ! -f "$begun" ] && [ -n "$(ls -A "$place" 2>/dev/null)" ]; then
        die "$place exists, lacks some of the packages, and was not made by this script: not touching it (remove it)"
    fi
}

environment() {
    case ${1-} in
    --check)
        complete || installed || die "no complete $what at $place (run tools/$script)"
        found
        return
        ;;
    '') ;;
    *) die "unknown argument '$1' (usage: tools/$script [--check])" ;;
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
    found
}
