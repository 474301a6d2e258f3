//! Files that nvlink has linked from modules with the same function. It keeps one of them.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // what is skipped must be seen; a panic is a failed test

use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::finalise::finalise_cubin;
use merc_capsule::self_check::{CheckOutcome, self_check};
use nv_debug_sections::cubin::Cubin;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Both have `tm<long long>`, which is weak; the second has no caller of `dropped`.
const MODULES: [(&str, &str); 2] = [
    (
        "lib",
        "template<class T> __device__ __noinline__ T tm(T x) { return x / 3; }
         __global__ void kk(long long *p) { p[0] = tm(p[1]); }
         __global__ void other(double *d) { d[0] = tm(d[1]); }",
    ),
    (
        "weak",
        "template<class T> __device__ __noinline__ T tm(T x) { return x / 3; }
         static __device__ __noinline__ void dropped(int *p) { *p = 3; }
         __device__ void unused(int *p) { dropped(p); }
         __global__ void kw(long long *p) { p[0] = tm(p[1]) + tm((int)p[2]); }",
    ),
];

/// The folder of the tools (`NVDWARF_ORACLE`, else `~/.cache/nvdwarf/oracle-13.0.88`).
fn tools() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".cache/nvdwarf/oracle-13.0.88"));
    let lib = env::var_os("NVDWARF_ORACLE").map(PathBuf::from).or_else(home)?.join("lib");
    let bins =
        fs::read_dir(lib).ok()?.flatten().map(|entry| entry.path().join("site-packages/nvidia/cu13/bin"));
    bins.into_iter().find(|bin| ["nvcc", "ptxas", "nvlink"].iter().all(|tool| bin.join(tool).exists()))
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Links the modules in this order, each compiled with its options for nvcc and for ptxas.
fn linked(bin: &Path, folder: &Path, arch: &str, options: [(&str, &str); 2]) -> Vec<u8> {
    let mut link = Command::new(bin.join("nvlink"));
    link.args(["-arch", arch]);
    for ((name, source), (of_nvcc, of_ptxas)) in MODULES.into_iter().zip(options) {
        let [code, ptx, object] = ["cu", "ptx", "o.cubin"].map(|end| folder.join(format!("{name}.{end}")));
        fs::write(&code, source).unwrap();
        run(Command::new(bin.join("nvcc"))
            .args(["-rdc=true", "-ptx", &format!("-arch={arch}")])
            .args(of_nvcc.split_whitespace())
            .arg(&code)
            .arg("-o")
            .arg(&ptx));
        run(Command::new(bin.join("ptxas"))
            .args(["-c", "-arch", arch])
            .args(of_ptxas.split_whitespace())
            .arg(&ptx)
            .arg("-o")
            .arg(&object));
        link.arg(object);
    }
    let out = folder.join("linked.cubin");
    run(link.arg("-o").arg(&out));
    fs::read(out).unwrap()
}

/// Checks that clones and native sections give each other, where dropped code lets them.
fn check(cubin: &Cubin<'_>, what: &str) {
    let different =
        self_check(cubin, None).unwrap().into_iter().filter_map(|checked| match checked.outcome {
            CheckOutcome::Different(words) => Some(format!("{}: {words}", checked.native)),
            _ => None,
        });
    assert_eq!(different.collect::<Vec<_>>(), Vec::<String>::new(), "{what}");
    let frame = |cubin: &Cubin<'_>, name: &str| {
        let index = cubin.section_by_name(name).unwrap();
        let (_, _, table) = cubin
            .iter()
            .find(|(_, _, table)| table.relocations().is_some() && table.info == index.0)
            .unwrap();
        (cubin.bytes(index).unwrap().into_owned(), table.relocations().unwrap().to_vec())
    };
    // What the clone has of dropped functions stays; relocations are in the order of the modules.
    let mut clone = cubin.clone();
    clone_cubin::clone_cubin(&mut clone, &CloneInputs::of(cubin).unwrap()).unwrap();
    for name in [".nv.merc.debug_frame", ".debug_frame"] {
        assert_eq!(frame(&clone, name), frame(cubin, name), "{what}, {name}");
    }
    let registers = |cubin: &Cubin<'_>| {
        let index = cubin.section_by_name(".nv.merc.nv_debug_info_reg_sass");
        index.map(|index| cubin.bytes(index).unwrap().into_owned())
    };
    assert_eq!(registers(&clone), registers(cubin), "{what}");
    // From native sections alone, and back.
    let mut native = cubin.clone();
    native.remove_capsule().unwrap();
    let origin = CloneInputs::of(&native).unwrap();
    clone_cubin::clone_cubin(&mut native, &origin).unwrap();
    finalise_cubin(&mut native, None).unwrap();
    assert_eq!(frame(&native, ".debug_frame"), frame(cubin, ".debug_frame"), "{what}");
}

#[test]
fn dropped_copies_are_no_evidence() {
    let Some(bin) = tools() else {
        let text = "no nvcc, ptxas and nvlink, set NVDWARF_ORACLE";
        assert!(env::var_os("REQUIRE_ORACLES").is_none_or(|value| value != "1"), "{text}");
        eprintln!("skipped: {text}");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("linked");
    fs::create_dir_all(&folder).unwrap();
    let (none, lines, debug) = (("", ""), ("-lineinfo", "-lineinfo"), ("-G", "-g"));
    let pairs = [[none, none], [lines, lines], [debug, debug], [lines, debug], [debug, lines], [debug, none]];
    let mut count = 0;
    for arch in ["sm_100", "sm_120"] {
        for options in pairs {
            let bytes = linked(&bin, &folder, arch, options);
            check(&Cubin::parse(&bytes).unwrap(), &format!("{arch}, {options:?}"));
            count += 1;
        }
    }
    eprintln!("{count} linked files");
}
