# What campaigns have in common; a campaign begins with `. "$(dirname "$0")/.common.sh"`.

# Where campaigns save what they find, unless the user names a folder. Git ignores it.
campaign_folder=target/campaign

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() {
    say "$@"
    exit 2
}

# Prints the comment at the top of a script.
campaign_help() { sed -n '2,/^[^#]/ { /^#/ !q; s/^# \{0,1\}//; p }' "$1"; }

# A random number of 32 bits.
random_seed() { od -An -N4 -tu4 /dev/urandom | tr -d ' '; }

# Fails unless the argument $2 of option $1 is a whole number.
need_number() { [[ ${2-} =~ ^[0-9]+$ ]] || die "$1 takes a whole number"; }
