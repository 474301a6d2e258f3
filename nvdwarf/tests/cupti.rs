//! Numbers of cubins as CUPTI computes them, and cubins found by them.
#![cfg(feature = "read")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

use nvdwarf::sections::cupti::cubin_crc;
use nvdwarf::{CuptiIndex, Module};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const SAXPY: &[u8] = include_bytes!("../../examples/saxpy/saxpy.cubin");
const DEBUG: &[u8] = include_bytes!("../../examples/saxpy/saxpy-debug.cubin");
const FATBIN: &[u8] = include_bytes!("../../examples/saxpy/saxpy.fatbin");

/// As libcupti 13.0.85 answers for the two files.
const NUMBERS: [u64; 2] = [0x477c_a8c4, 0xaed2_28cb];

#[test]
fn cubins_are_found_by_number() {
    let modules = [SAXPY, DEBUG, FATBIN].map(|bytes| Module::new(bytes).unwrap());
    let mut index = CuptiIndex::default();
    for module in &modules {
        index.insert(module);
    }
    for (module, number) in modules.iter().zip(NUMBERS) {
        assert_eq!(module.images()[0].cupti_crc().unwrap(), number);
        let found: Vec<_> = index.images(number).collect();
        assert!(!found.is_empty() && found.iter().all(|image| image.function("saxpy").is_ok()));
    }
    assert_eq!(index.images(0).count(), 0);
    // An image of a fatbin is named by its own bytes, and a second module of the same cubin is
    // found as well.
    for image in modules[2].images() {
        let number = image.cupti_crc().unwrap();
        let before = index.images(number).count();
        assert!(before > 0);
        index.insert(&modules[2]);
        assert!(index.images(number).count() > before);
    }
}

/// A cubin that differs from another only where the number does not look has the same number, and
/// both are found.
#[test]
fn several_cubins_may_share_a_number() {
    let mut other = SAXPY.to_vec();
    let name = other.windows(5).position(|bytes| bytes == b"fused").unwrap();
    let shared = (name..name + 5).find(|&at| {
        let mut changed = SAXPY.to_vec();
        changed[at] ^= 0x20;
        cubin_crc(&changed) == cubin_crc(SAXPY)
    });
    other[shared.unwrap()] ^= 0x20;
    let modules = [Module::new(SAXPY).unwrap(), Module::new(other).unwrap()];
    let mut index = CuptiIndex::default();
    for module in &modules {
        index.insert(module);
    }
    let named = |at: usize| index.images(NUMBERS[0]).nth(at).unwrap().cubin().unwrap().write().unwrap();
    assert_eq!(index.images(NUMBERS[0]).count(), 2);
    assert_ne!(named(0), named(1));
}

/// Reads files from its second argument, one a line, and prints `cubinCrc` of each.
const ASK: &str = r"
import ctypes, sys
class Params(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('cubinSize', ctypes.c_size_t),
                ('cubin', ctypes.c_char_p), ('cubinCrc', ctypes.c_uint64)]
library = ctypes.CDLL(sys.argv[1])
for line in open(sys.argv[2]):
    data = open(line.rstrip('\n'), 'rb').read()
    params = Params(ctypes.sizeof(Params), len(data), data, 0)
    if library.cuptiGetCubinCrc(ctypes.byref(params)):
        sys.exit(line)
    print(params.cubinCrc)
";

/// The Python and the library of `tools/cupti.sh`; `None` where they are missing and may be.
fn cupti() -> Option<(PathBuf, PathBuf)> {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".cache/nvdwarf/cupti-13.0.85"));
    let found = env::var_os("NVDWARF_CUPTI").map(PathBuf::from).or_else(home).and_then(|place| {
        let pythons = fs::read_dir(place.join("lib")).ok()?.flatten();
        let library =
            |python: fs::DirEntry| python.path().join("site-packages/nvidia/cu13/lib/libcupti.so.13");
        Some((place.join("bin/python"), pythons.map(library).find(|path| path.is_file())?))
    });
    if found.is_none() {
        let required = env::var_os("REQUIRE_ORACLES").is_some_and(|value| value == "1");
        assert!(!required, "libcupti is missing and REQUIRE_ORACLES=1");
        let _ = writeln!(io::stderr(), "skipped: libcupti (tools/cupti.sh installs it) is missing");
    }
    found
}

/// Adds the cubins in a folder and the folders in it.
fn cubins(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            cubins(&path, found);
        } else if path.extension().is_some_and(|end| end == "cubin") {
            found.push(path);
        }
    }
}

/// The cubins of this repository and of the workplace, and bytes of many sizes.
#[test]
fn numbers_are_those_of_libcupti() {
    let Some((python, library)) = cupti() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for folder in ["examples", "ptxas-driver/tests", "cubin-debuginfo/tests", "../shared/corpus"] {
        cubins(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100);
    let folder = env::temp_dir().join(format!("nvdwarf-cupti-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let sizes = (1..300).chain((9..24).flat_map(|bits| [-1, 0, 1].map(|more| (1 << bits) + more)));
    for size in sizes.map(|size: i32| size as u32) {
        let bytes: Vec<u8> = (0..size).map(|index| (index.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        files.push(folder.join(size.to_string()));
        fs::write(files.last().unwrap(), bytes).unwrap();
    }
    let list: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    fs::write(folder.join("list"), list.join("\n")).unwrap();
    let output =
        Command::new(python).args(["-c", ASK]).arg(library).arg(folder.join("list")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), files.len());
    for (path, answer) in files.iter().zip(answers.lines()) {
        assert_eq!(cubin_crc(&fs::read(path).unwrap()).to_string(), answer, "{}", path.display());
    }
    fs::remove_dir_all(folder).unwrap();
}
