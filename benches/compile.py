#!/usr/bin/env python3
"""ptxas and `ptxas-driver compile` side by side: user time, wall time, peak memory, and their ratios.

    benches/compile.py [--size 10MB] [--rows many-lineinfo,few-g,...] [--runs 3] [--work DIR]

Inputs come from ../shared/corpus/gen_big.py (sm_90). Each row compiles one PTX file with the real ptxas, with `--code none`, and with
`--code cubin:` on the cubin that ptxas has just made, in turns, so that other load meets all three; the run with the least user time
counts. Needs /usr/bin/time (GNU), `cargo build --release -p ptxas-driver`, and a ptxas 13.0.88: $PTXAS, else tools/oracle.sh's.
"""

import argparse
import filecmp
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = {"lineinfo": "-lineinfo", "g": "-g"}


def find_ptxas():
    if given := os.environ.get("PTXAS"):
        return given
    oracle = Path.home() / ".cache/nvdwarf/oracle-13.0.88"
    found = sorted(path for path in oracle.rglob("ptxas") if os.access(path, os.X_OK) and path.is_file())
    return str(found[0]) if found else sys.exit("no ptxas: set PTXAS, or run tools/oracle.sh")


def find_driver():
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    driver = target / "release/ptxas-driver"
    return str(driver) if driver.exists() else sys.exit(f"no {driver}: cargo build --release -p ptxas-driver")


def find_generator():
    places = [ROOT / "../shared/corpus/gen_big.py"]
    found = [place for place in places if place.exists()]
    return str(found[0]) if found else sys.exit("skipped: no ../shared/corpus/gen_big.py")


def measure(command, log):
    """User seconds, wall seconds and peak MB of one run."""
    subprocess.run(["/usr/bin/time", "-o", log, "-f", "%U %e %M", *command], check=True)
    user, wall, peak = Path(log).read_text().split()[-3:]
    return float(user), float(wall), int(peak) / 1000


def row(name, options, tools, work):
    shape, mode = name.split("-")
    ptx, cubin = str(work / f"{name}.ptx"), str(work / f"{name}.cubin")
    generator, ptxas, driver = tools
    made = ["ptx", ptx, "--size", options.size, "--shape", shape, "--mode", mode, "--arch", "sm_90"]
    subprocess.run([sys.executable, generator, *made], check=True, stdout=subprocess.DEVNULL)
    common = ["-arch", "sm_90", FLAGS[mode], ptx, "-o"]
    ours = str(work / "ours.cubin")
    commands = {
        "ptxas": [ptxas, *common, cubin],
        "--code none": [driver, "compile", "--code", "none", *common, str(work / "none.cubin")],
        "--code cubin:": [driver, "compile", "--code", f"cubin:{cubin}", *common, ours],
    }
    runs = {what: [] for what in commands}
    for _ in range(options.runs):
        for what, command in commands.items():
            runs[what].append(measure(command, str(work / "time")))
    best = {what: min(results) for what, results in runs.items()}
    user, wall, peak = best["ptxas"]
    identical = "identical" if filecmp.cmp(cubin, ours, shallow=False) else "differs"
    for what, (u, w, p) in best.items():
        ratios = "| | | |" if what == "ptxas" else f"| {user / u:.1f} x | {wall / w:.1f} x | {p / peak:.2f} |"
        note = f" ({identical})" if what == "--code cubin:" else ""
        print(f"| {options.size} {shape} `{FLAGS[mode]}` | `{what}`{note} | {u:.2f} s | {w:.2f} s | {p:.0f} MB {ratios}", flush=True)
    for path in work.iterdir():
        path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="10MB")
    parser.add_argument("--rows", default="many-lineinfo,few-lineinfo,many-g,few-g")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--work", type=Path, help="where the inputs go; a temporary folder unless given")
    options = parser.parse_args()
    tools = find_generator(), find_ptxas(), find_driver()
    print("load at the start:", " ".join(f"{load:.1f}" for load in os.getloadavg()), file=sys.stderr)
    print("| input | command | user | wall | peak | user, times less | wall, times less | peak, of ptxas' |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for name in options.rows.split(","):
            row(name, options, tools, Path(work))
    print("load at the end:", " ".join(f"{load:.1f}" for load in os.getloadavg()), file=sys.stderr)


if __name__ == "__main__":
    main()
