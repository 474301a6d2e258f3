#!/usr/bin/env python3
"""Lookups in line tables, beside nvdisasm and eu-readelf on the same files: the table of docs/performance.md, `lines`.

    benches/lines.py [--size 10MB] [--big 100MB] [--runs 3] [--lookups 1000000] [--timeout 60] [FILE...]

Inputs: the largest cubins of ../shared/corpus; a PTX of --size made by ../shared/corpus/gen_big.py and assembled by ptxas; one
of --big made into an object by `compile --code none` (nvdisasm has no code to list there). FILEs take the place of those two. Times are user + system seconds of
whole processes, the best of --runs in turns. Needs `cargo build --release -p ptxas-driver` and
`cargo build --release -p nvdwarf-benches --examples`; a tool that is missing has no row.
"""
import argparse, glob, os, pathlib, resource, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
if not SHARED.is_dir():
    SHARED = ROOT.parent.parent / "shared"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def oracle(name):
    root = os.environ.get("NVDWARF_ORACLE", os.path.expanduser("~/.cache/nvdwarf/oracle-13.0.88"))
    found = glob.glob(f"{root}/lib/python*/site-packages/nvidia/*/bin/{name}")
    return found[0] if found else shutil.which(name)


def spent(command, timeout):
    """User and system seconds of a command; None where it fails, infinite where it is stopped after `timeout` seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=timeout)
    except subprocess.TimeoutExpired:
        return float("inf")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds if run.returncode == 0 else None


def first_function(path):
    out = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True).stdout
    for line in out.splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] == "FUNC":
            return words[-1]
    sys.exit(f"{path}: no function")


def row(name, path, a):
    commands = {
        "`lines` one query": [TARGET / "ptxas-driver", "lines", path, first_function(path) + "+0x0"],
        "`nvdisasm -c -gi`": [oracle("nvdisasm"), "-c", "-gi", path],
        "`eu-readelf --debug-dump=decodedline`": [shutil.which("eu-readelf"), "--debug-dump=decodedline", path],
    }
    best = {}
    for _ in range(a.runs):
        for what, command in commands.items():
            if None not in command and best.get(what) != float("inf"):
                seconds = spent(command, a.timeout)
                if seconds is not None:
                    best[what] = min(best.get(what, seconds), seconds)
    ours = best.get("`lines` one query") or sys.exit(f"{path}: `lines` fails")
    def time(what):
        if what not in best:
            return "-"
        if best[what] == float("inf"):
            return f"> {a.timeout} s"
        return f"{best[what]:.3f} s ({best[what] / max(ours, 0.001):.0f} x)"
    once = [TARGET / "examples" / "lookup_once", path, str(a.lookups)]
    runs = [dict(line.split() for line in subprocess.run(once, capture_output=True, text=True, check=True).stdout.splitlines())
            for _ in range(a.runs)]
    fact = {key: (max if key.startswith("million_lookups") else min)(float(run[key]) for run in runs) for key in runs[0]}
    size, held = fact["line_section_bytes"], fact["index_bytes"]
    print(f"| {name} | {os.path.getsize(path) / 1e6:.1f} MB | {size / 1e6:.2f} MB | {ours:.3f} s | "
          f"{time('`nvdisasm -c -gi`')} | {time('`eu-readelf --debug-dump=decodedline`')} | "
          f"{fact['read_ms']:.1f} ms | {fact['index_ms']:.1f} ms | {held / max(size, 1):.2f} | "
          f"{fact['million_lookups_per_s']:.1f} M/s | {fact['million_lookups_per_s_in_blocks']:.1f} M/s | {fact['frames_per_lookup']:.2f} |", flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--size", default="10MB")
    ap.add_argument("--big", default="100MB")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--lookups", type=int, default=1_000_000)
    ap.add_argument("--timeout", type=int, default=60, help="seconds of the clock that a command may take")
    ap.add_argument("files", nargs="*", metavar="FILE", type=pathlib.Path)
    a = ap.parse_args()
    print("| file | file bytes | line sections | `lines`, one query | `nvdisasm -c -gi` | `eu-readelf` | reading | parse + index | "
          "index / sections | lookups | in blocks | frames |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    cubins = sorted((SHARED / "corpus/out").rglob("*.cubin"), key=lambda path: -path.stat().st_size)
    for path in [p for p in cubins if "lineinfo" in str(p) or "debug" in str(p) or "/G/" in str(p)][:5]:
        row("/".join(path.relative_to(SHARED / "corpus/out").parts[1:4]), path, a)
    for path in a.files:
        row(path.name, path, a)
    with tempfile.TemporaryDirectory() as folder:
        made = [] if a.files else [(a.size, "many", True), (a.size, "few", True), (a.big, "many", False)]
        for size, shape, code in made:
            ptx, out = f"{folder}/in.ptx", f"{folder}/out.cubin"
            generate = [sys.executable, SHARED / "corpus/gen_big.py", "ptx", ptx, "--size", size, "--shape", shape]
            subprocess.run([*generate, "--arch", "sm_90"], check=True, stdout=subprocess.DEVNULL)
            options = ["-lineinfo", "-arch", "sm_90", ptx, "-o", out]
            maker = [oracle("ptxas")] if code else [TARGET / "ptxas-driver", "compile", "--code", "none"]
            if None in maker or subprocess.run([*maker, *options], stderr=subprocess.DEVNULL).returncode:
                continue
            row(f"{size} PTX, {shape}, {'ptxas' if code else '`--code none`'}", out, a)
    load = os.getloadavg()
    print(f"\nload {load[0]:.1f} {load[1]:.1f} {load[2]:.1f}, {a.runs} runs, {a.lookups} lookups", file=sys.stderr)


if __name__ == "__main__":
    main()
