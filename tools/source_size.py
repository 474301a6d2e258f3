#!/usr/bin/env python3
# Counts the source: lines and Rust tokens of each crate, and of all crates, at one commit or several.
#
#   tools/source_size.py [COMMIT...]  the commits to count (default: HEAD); a second one is compared with the first
#
# Counted are the files CRATE/src/**/*.rs as git has them, without the crates fuzz and benches. A line is what a newline
# ends. Tokens are those of the Rust reference: comments, doc comments and blanks are none; `::`, `->`, `..=` and their
# like are one each. `wide` is the number of lines of more than 120 columns, which are not to be had by fewer lines.
import re
import subprocess
import sys

LEFT_OUT = {"fuzz", "benches"}
COLUMNS = 120

# In this order: the first that fits is the token. Block comments, which nest, are not regular and are skipped by hand.
TOKEN = re.compile(
    r"""
      (?P<blank>\s+|//[^\n]*)
    | (?P<block>/\*)
    | (?:br|cr|r)(?P<hashes>\#*)".*?"(?P=hashes)
    | [bc]?"(?:[^"\\]|\\.)*"
    | b?'(?:[^'\\\n]|\\(?:x[0-9a-fA-F]{2}|u\{[^}]*\}|.))'
    | '[^\W\d]\w*
    | r\#[^\W\d]\w* | [^\W\d]\w*
    | \d[\d_]*\.\d[\d_]*(?:[eE][+-]?[\d_]+)?\w* | \d\w*
    | <<=|>>=|\.\.\.|\.\.=|::|->|=>|==|!=|<=|>=|&&|\|\||<<|>>|\.\.|[-+*/%^&|]=
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def block_end(text, at):
    """Where the block comment that starts at `at` ends."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[at:]):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return at + mark.end()
    return len(text)


def tokens(text):
    count = at = 0
    while at < len(text):
        token = TOKEN.match(text, at)
        at = token.end()
        if token.group("block"):
            at = block_end(text, token.start())
        elif not token.group("blank"):
            count += 1
    return count


def git(*arguments, text=None):
    command = ["git", *arguments]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(2)
    return done.stdout


def sources(commit):
    """Crate and text of every file that counts."""
    listed = git("ls-tree", "-r", "-z", "--full-tree", commit).decode().split("\0")
    for line in filter(None, listed):
        (_, kind, blob), path = line.split("\t")[0].split(), line.split("\t")[1]
        parts = path.split("/")
        if kind == "blob" and path.endswith(".rs") and parts[1:2] == ["src"] and parts[0] not in LEFT_OUT:
            yield parts[0], git("cat-file", "blob", blob).decode()


def sizes(commit):
    """Lines, tokens and wide lines by crate; the sum stands under `all`."""
    found = {}
    for crate, text in sources(commit):
        lines = text.removesuffix("\n").split("\n")
        counts = (len(lines), tokens(text), sum(len(line) > COLUMNS for line in lines))
        for key in (crate, "all"):
            found[key] = tuple(map(sum, zip(found.get(key, (0, 0, 0)), counts)))
    return found


def change(old, new):
    return f"{100 * (new - old) / old:+7.1f} %" if old else "      new"


def main(commits):
    first = None
    for commit in commits or ["HEAD"]:
        name = git("rev-parse", "--short", "--verify", commit + "^{commit}").decode().strip()
        found = sizes(name)
        first = first or found
        print(f"{commit} ({name})" if commit != name else name)
        print(f"  {'crate':<18} {'lines':>8} {'tokens':>9} {'wide':>6}")
        for crate in sorted(found, key=lambda crate: (crate == "all", crate)):
            lines, count, wide = found[crate]
            row = f"  {crate:<18} {lines:>8} {count:>9} {wide:>6}"
            if found is not first:
                old = first.get(crate, (0, 0, 0))
                row += f"   lines {change(old[0], lines)}, tokens {change(old[1], count)}"
            print(row)


if __name__ == "__main__":
    if any(argument.startswith("-") for argument in sys.argv[1:]):
        with open(__file__, encoding="utf-8") as script:
            for line in script.readlines()[1:]:
                if not line.startswith("#"):
                    break
                print(line[2:].rstrip())
    else:
        main(sys.argv[1:])
