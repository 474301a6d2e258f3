"""The releases of the toolkit and their tools, for campaigns that ask all of them."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = (ROOT / "cuda-releases/src/release.rs").read_text()
ROWS = re.findall(r'name: "([0-9.]+)",\s*version: "[0-9.]+"(?:,\s*newest_ptx: \((\d+), (\d+)\))?', TABLE)
NAMES = [name for name, _, _ in ROWS]


def newest_ptx(release):
    """The newest `.version` that the ptxas of a release takes: 9.0. A row without one takes what the row before it does."""
    rows = ROWS[: NAMES.index(release) + 1]
    return next(f"{major}.{minor}" for _, major, minor in reversed(rows) if major)


def tools(release):
    """The folder of the release's tools, which are fetched from PyPI if need be."""
    command = [ROOT / "tools/oracle.sh", "--release", release]
    return pathlib.Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


def chips(ptxas, first):
    """The architectures that a ptxas compiles for, from a number on: `90a`."""
    text = subprocess.run([ptxas, "--help"], capture_output=True, text=True).stdout
    named = set(re.findall(r"\bsm_(\d+[af]?)\b", text.split("--gpu-name")[1].split("\n--")[0]))
    return sorted(chip for chip in named if int(chip.rstrip("af")) >= first)


def programs():
    """The PTX programs of the corpus: of ../shared/corpus, or of corpus/ without it."""
    corpus = next(folder for folder in (ROOT.parent / "shared/corpus/out", ROOT / "corpus/out") if folder.is_dir())
    return sorted(corpus.glob("*/*/*/*/*.ptx"))


def retarget(program, release, chip):
    """The text of a program for another release and chip, and the option for its debug information."""
    text = program.read_bytes()
    option = "-g" if re.search(rb"(?m)^\s*\.target\s[^\n]*\bdebug\b", text) else "-lineinfo"
    text = re.sub(rb"(?m)^\s*\.version\s+\S+", b".version " + newest_ptx(release).encode(), text, count=1)
    return re.sub(rb"(?m)^(\s*\.target\s+)sm_\d+[af]?", rb"\1sm_" + chip.encode(), text, count=1), option


def help_of(file):
    """The comment at the top of a campaign, which is its help."""
    lines = pathlib.Path(file).read_text().splitlines()[1:]
    return "\n".join(line[2:] for line in lines[: lines.index("import argparse")])
