//! Modules in a cache, asked by several threads; answers as nvdisasm has them.
#![cfg(feature = "read")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

use nvdwarf::sections::cubin::Cubin;
use nvdwarf::{Error, Image, Module};
use std::collections::HashMap;
use std::thread;

/// Made by `examples/make.sh`: `-lineinfo` for sm_90.
const SAXPY: &[u8] = include_bytes!("../../examples/saxpy/saxpy.cubin");
/// The same with `-G`.
const DEBUG: &[u8] = include_bytes!("../../examples/saxpy/saxpy-debug.cubin");

/// Several functions, with names that compilers mangle.
const NAMES: &[u8] = include_bytes!("../../ptxas-driver/tests/lines/inputs/names.sm_80.cubin");
/// Several functions in one section.
const FOLDED: &[u8] = include_bytes!("../../ptxas-driver/tests/lines/inputs/folded.sm_86.cubin");

/// Fatbins with cubins and PTX, by zstd and by LZ4: `examples/make.sh`.
const FATBINS: [&[u8]; 2] = [
    include_bytes!("../../examples/saxpy/saxpy.fatbin"),
    include_bytes!("../../examples/saxpy/saxpy-lz4.fatbin"),
];

/// Every address of the kernel.
fn ask(module: &Module) -> Vec<String> {
    let image = &module.images()[0];
    let saxpy = image.function("saxpy").unwrap();
    (0..saxpy.size).step_by(16).map(|at| image.locate(&saxpy, at).unwrap().to_string()).collect()
}

#[test]
fn a_cache_of_modules_answers_four_threads() {
    let mut cache: HashMap<&str, Module> = HashMap::new();
    cache.insert("lines", Module::new(SAXPY).unwrap());
    cache.insert("debug", Module::from_owner(DEBUG.to_vec()).unwrap());
    for (name, bytes) in [("lines", SAXPY), ("debug", DEBUG)] {
        let want = ask(&Module::new(bytes).unwrap());
        assert!(want.len() > 10 && want.iter().any(|answer| answer.contains("saxpy.cu:")), "{want:?}");
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let module = cache[name].clone();
                thread::spawn(move || ask(&module))
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), want);
        }
    }
}

/// As `nvdisasm -gi` has these addresses.
#[test]
fn addresses_have_their_frames() {
    let module = Module::new(SAXPY).unwrap();
    let image = &module.images()[0];
    let saxpy = image.function("saxpy").unwrap();
    assert_eq!(image.function_of_symbol(saxpy.symbol.0).unwrap().as_ref(), Some(&saxpy));
    let at = |offset| image.locate(&saxpy, offset).unwrap().to_string();
    assert_eq!(at(0x20), "saxpy at /tmp/nvdwarf/saxpy/saxpy.cu:8");
    assert_eq!(
        at(0x300),
        "fused(float, float, float) at /tmp/nvdwarf/saxpy/fused.cuh:13 < saxpy at /tmp/nvdwarf/saxpy/saxpy.cu:10"
    );
    assert_eq!(at(1 << 40), "??");
    assert!(image.locate(&saxpy, 0x20).unwrap().ptx.is_some_and(|ptx| ptx.line > 0 && ptx.text.is_some()));
}

/// Of several functions, some of them in one section, with addresses in no order.
#[test]
fn many_addresses_have_the_answers_of_each() {
    for bytes in [NAMES, FOLDED, SAXPY, DEBUG] {
        let module = Module::new(bytes).unwrap();
        let image = &module.images()[0];
        let functions = image.functions().unwrap();
        let all = functions.iter().flat_map(|function| {
            (0..function.size + 64).step_by(16).chain([u64::MAX]).map(move |at| (function, at))
        });
        let mut addresses: Vec<_> = all.collect();
        addresses.sort_by_key(|(function, at)| (at / 16 * 11 % 7, std::cmp::Reverse(*at), function.offset));
        assert!(addresses.len() > 40, "more than one block");
        let want: Vec<_> =
            addresses.iter().map(|(function, at)| image.locate(function, *at).unwrap()).collect();
        let found: Vec<_> = image.locate_all(addresses).unwrap().collect();
        assert_eq!(found, want);
        assert!(found.iter().any(|location| !location.frames.is_empty()));
        assert_eq!(image.locate_all([]).unwrap().count(), 0);
    }
}

/// A file that is a cubin itself is found by its own architecture, as an image of a fatbin by that
/// of its entry.
#[test]
fn a_cubin_knows_its_architecture() {
    let marked = |file: &[u8]| {
        let mut cubin = Cubin::parse(file).unwrap();
        cubin.header.e_flags |= 0x8; // as ptxas 12.9 marks `a`
        cubin.write().unwrap()
    };
    for (file, arch) in [(SAXPY.to_vec(), "sm_90"), (DEBUG.to_vec(), "sm_75"), (marked(SAXPY), "sm_90a")] {
        let module = Module::new(file).unwrap();
        assert_eq!(module.images()[0].arch(), Some(arch));
        assert_eq!(module.image(arch).map(Image::number), Some(1));
        assert!(module.image("sm_80").is_none());
    }
    assert!(Module::new(marked(SAXPY)).unwrap().image("sm_90").is_none());
}

/// Compressed or not, an image has the answers of the cubin that it is.
#[test]
fn images_of_a_fatbin_are_chosen_by_architecture() {
    for bytes in FATBINS {
        let module = Module::new(bytes).unwrap();
        assert!(!module.images().is_empty());
        for image in module.images() {
            let arch = image.arch().unwrap();
            assert_eq!(module.image(arch).unwrap().number(), image.number());
            assert_eq!(format!("sm_{}", image.cubin().unwrap().header.sm()), arch);
            assert!(
                image
                    .functions()
                    .unwrap()
                    .iter()
                    .any(|function| function.name == "saxpy" && function.is_kernel)
            );
        }
        assert!(module.image("sm_20").is_none());
    }
}

#[test]
fn variables_are_those_in_scope() {
    let module = Module::new(DEBUG).unwrap();
    let image = &module.images()[0];
    let saxpy = image.function("saxpy").unwrap();
    let last = saxpy.size - 16;
    let names = |at| -> Vec<String> {
        image.variables(&saxpy, at).unwrap().into_iter().filter_map(|variable| variable.name).collect()
    };
    // The source: `saxpy(int n, float a, const float *x, float *y)` with a local `i`.
    for name in ["n", "a", "x", "y"] {
        assert!(names(0x40).iter().any(|own| own == name), "{name}: {:?}", names(0x40));
    }
    assert!(image.variables(&saxpy, last + 0x1000).unwrap().is_empty());
    let found = image.variables(&saxpy, 0x40).unwrap();
    let x = found.iter().find(|variable| variable.name.as_deref() == Some("x")).unwrap();
    assert_eq!((&*x.type_name, x.is_parameter), ("float const *", true));
    assert!(!x.places.is_empty());
}

#[test]
fn what_is_wrong_is_said() {
    let error = Module::new(&b"no cubin"[..]).unwrap_err();
    assert!(matches!(error, Error::Read(_)), "{error}");
    let module = Module::new(SAXPY).unwrap();
    let error = module.images()[0].function("daxpy").unwrap_err();
    assert_eq!(error.to_string(), "no function 'daxpy'; the functions are saxpy");
    assert_eq!(module.images()[0].verify().unwrap().findings(), []);
    let coverage = module.images()[0].coverage().unwrap();
    assert_eq!(coverage.functions.len(), 1);
}
