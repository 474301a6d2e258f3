#!/usr/bin/env bash
# Installs Microsoft's validator of SARIF, which has a rule for each statement of the specification and for each that
# GitHub's code scanning asks for; ptxas-driver/tests/findings.rs has it read what `--format sarif` writes.
#
#   tools/sarif.sh           installs it where it is missing, then prints its path
#   tools/sarif.sh --check   installs nothing: prints that path, or says what is missing (exit 1)
#
# Place: $NVDWARF_SARIF, else ~/.cache/nvdwarf/sarif-5.7.0. 104 MB from npm, once. It runs on Linux on x86-64.
set -euo pipefail

version=5.7.0
package=@microsoft/sarif-multitool-linux
place=${NVDWARF_SARIF:-$HOME/.cache/nvdwarf/sarif-$version}
program=$place/node_modules/$package/Sarif.Multitool

die() {
    echo "sarif.sh: $*" >&2
    exit 1
}

case ${1-} in
--check | '') ;;
*) die "unknown argument '$1' (usage: tools/sarif.sh [--check])" ;;
esac
if [ ! -x "$program" ]; then
    [ "${1-}" != --check ] || die "no validator of SARIF at $place (run tools/sarif.sh)"
    command -v npm >/dev/null || die 'needs npm, which is not on PATH (Debian: apt-get install npm)'
    # Without its script, which makes the program executable: that is done here, last.
    npm install --silent --no-fund --no-audit --no-save --ignore-scripts --prefix "$place" "$package@$version" >&2
    chmod +x "$program"
fi
printf '%s\n' "$program"
