//! `.nv.info[.F]` of the corpus, made of its clone and the other way.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test
#![allow(clippy::duplicate_mod, reason = "the support modules of both crates have the corpus")]

#[path = "../../nv-debug-sections/tests/corpus/mod.rs"]
mod corpus;
mod support;

use merc_capsule::info_records::{
    self, FrameOwners, MercuryOnlyInfo, NativeOnlyInfo, finalizer_options, listed_address_pairs, native_only,
};
use merc_capsule::{AddressMap, AddressRole, CodeMap, SectionPairs, code_maps};
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::generation::Generation;
use nv_debug_sections::nv_info::{self, Attribute, Record, Value};
use nv_debug_sections::release::Release;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use support::{cubins, each_capsule, other_writer};

/// An original and its clone.
struct Pair<'c> {
    name: &'c str,
    clone: &'c str,
    native: SectionIndex,
    mercury: SectionIndex,
}

/// All of a file.
fn pairs<'c>(cubin: &'c Cubin<'_>, spaces: &SectionPairs) -> Vec<Pair<'c>> {
    let is_info = |name: &str| name == nv_info::NAME || name.starts_with(".nv.info.");
    let originals = cubin.iter().filter(|(_, name, _)| is_info(name));
    let found: Vec<_> = originals
        .map(|(native, name, _)| {
            let mercury = spaces.mercury_section(native).unwrap();
            Pair { name, clone: cubin.section_name(mercury), native, mercury }
        })
        .collect();
    let clones = cubin.iter().filter(|(_, name, _)| name.starts_with(".nv.merc.nv.info"));
    assert_eq!(found.len(), clones.count());
    found
}

fn sizes(records: &[Record<'_>]) -> BTreeMap<SymbolIndex, u32> {
    let functions = nv_info::functions(records).into_iter();
    functions.filter_map(|(symbol, needs)| Some((symbol, needs.frame_size?))).collect()
}

/// The map that the two sections of a function give. Panics if an address has two partners.
fn map(name: &str, native: &[Record<'_>], mercury: &[Record<'_>]) -> AddressMap {
    let mut map = AddressMap::default();
    for pair in listed_address_pairs(name, native, mercury).unwrap() {
        map.insert(AddressRole::Listed, pair).unwrap();
    }
    map
}

/// The clone with its record 0x5a where ptxas puts it: nvlink has it one record earlier.
fn as_ptxas(mercury: &[Record<'_>]) -> Vec<u8> {
    let mut mercury = mercury.to_vec();
    if let Some(at) = mercury.iter().position(|r| r.attribute == Attribute::MERCURY_FINALIZER_OPTIONS)
        && mercury.get(at + 1).is_some_and(|next| next.attribute == Attribute::CUDA_API_VERSION)
    {
        mercury.swap(at, at + 1);
    }
    nv_info::encode("", &mercury).unwrap()
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    files: usize,
    sections: usize,
    to_mercury: usize,
    to_native: usize,
    with_options: usize,
    own_frames: usize,
    addresses: usize,
    attributes: BTreeSet<Attribute>,
}

/// Both ways for all sections of a file, as bytes.
fn check(path: &Path, cubin: &Cubin<'_>, counts: &mut Counts) {
    let spaces = SectionPairs::of(cubin).unwrap();
    counts.files += 1;
    for Pair { name, clone, native, mercury } in pairs(cubin, &spaces) {
        let (native_bytes, mercury_bytes) = (cubin.bytes(native).unwrap(), cubin.bytes(mercury).unwrap());
        let native = nv_info::decode(name, &native_bytes).unwrap();
        let mercury = nv_info::decode(clone, &mercury_bytes).unwrap();
        let map = map(name, &native, &mercury);
        let (sizes, native_sizes) = (sizes(&mercury), FrameOwners::of(cubin).unwrap().sizes(&mercury));
        let options = finalizer_options(&mercury);
        let side = MercuryOnlyInfo { map: &map, frame_sizes: &sizes, finalizer_options: options };
        let made = info_records::to_mercury(name, &native, &side, |symbol| spaces.mercury_symbol_of(symbol));
        let made = nv_info::encode(clone, &made.unwrap()).unwrap();
        assert_eq!(made, as_ptxas(&mercury), "{} {clone}", path.display());
        counts.to_mercury += 1;

        let is_only = |record: &&Record<'_>| {
            info_records::difference(record.attribute)
                == Some(info_records::RecordDifference::OnlyIn(Space::Native))
        };
        let only: Vec<_> = native.iter().filter(is_only).cloned().collect();
        let side = NativeOnlyInfo { map: &map, frame_sizes: &native_sizes, only: &only };
        let made = info_records::to_native(clone, &mercury, &side, |symbol| spaces.native_symbol_of(symbol));
        let made = nv_info::encode(name, &made.unwrap()).unwrap();
        assert_eq!(made, *native_bytes, "{} {name}", path.display());
        counts.to_native += 1;

        counts.sections += 1;
        counts.with_options += usize::from(options.is_some());
        assert_eq!(options.is_some(), name != nv_info::NAME, "{} {clone}", path.display());
        counts.own_frames +=
            sizes.iter().filter(|(symbol, size)| native_sizes.get(symbol) != Some(size)).count();
        counts.attributes.extend(native.iter().map(|record| record.attribute));
        counts.addresses += listed_address_pairs(name, &native, &mercury).unwrap().len();
    }
}

#[test]
fn the_corpus_comes_out_both_ways() {
    let mut counts = Counts::default();
    let files = each_capsule(|path, cubin| check(path, cubin, &mut counts));
    eprintln!("ptxas 13.0: {counts:?}");
    assert_eq!(
        (counts.files, counts.to_mercury, counts.to_native),
        (files, counts.sections, counts.sections)
    );

    let mut counts = Counts::default();
    for path in cubins().iter().filter(|path| other_writer(path)) {
        let bytes = fs::read(path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if cubin.header.sm() >= 100 {
            check(path, &cubin, &mut counts);
        }
    }
    eprintln!("nvlink and ptxas 13.4: {counts:?}");
    assert_eq!((counts.to_mercury, counts.to_native), (counts.sections, counts.sections));
}

/// The records that only originals have, made of the clones. Gives sections, and those of kernels
/// with parameters.
fn check_native_only(path: &Path, cubin: &Cubin<'_>) -> (usize, usize) {
    let (mut sections, mut kernels) = (0, 0);
    let symtab = cubin.symtab().unwrap();
    let constants: HashMap<&str, SymbolIndex> = (0..)
        .zip(cubin.symbols_of(symtab))
        .filter(|(_, symbol)| symbol.is_section())
        .filter_map(|(number, symbol)| Some((cubin.section_name(symbol.section()?), SymbolIndex(number))))
        .collect();
    for Pair { name, clone, native, mercury } in pairs(cubin, &SectionPairs::of(cubin).unwrap()) {
        let Some(function) = name.strip_prefix(".nv.info.") else { continue };
        let (native_bytes, mercury_bytes) = (cubin.bytes(native).unwrap(), cubin.bytes(mercury).unwrap());
        let native = nv_info::decode(name, &native_bytes).unwrap();
        let mercury = nv_info::decode(clone, &mercury_bytes).unwrap();
        let constants = constants.get(&*format!(".nv.constant0.{function}")).copied();
        let image_headers = format!(".nv.merc.nv.constant.entry_image_header_indices.{function}");
        let has_images = cubin.section_by_name(&image_headers).is_some();
        let only = native_only(&mercury, cubin.target(), constants, has_images).unwrap();
        assert!(native.ends_with(&only), "{} {name}: {only:?}", path.display());
        assert_eq!(native.len() - only.len(), mercury.len() - 1, "{} {name}", path.display());
        sections += 1;
        kernels += usize::from(only.len() > 1);
    }
    (sections, kernels)
}

#[test]
fn what_only_native_code_has_follows_from_the_clone() {
    let (mut sections, mut kernels) = (0, 0);
    each_capsule(|path, cubin| {
        let (some, of_them) = check_native_only(path, cubin);
        (sections, kernels) = (sections + some, kernels + of_them);
    });
    eprintln!("{sections} sections, {kernels} of kernels with parameters");
}

/// A function that was folded into a kernel's section has the frame of the kernel in native code,
/// and one of its own in Mercury code.
#[test]
fn folded_functions_work_in_the_frame_of_their_section() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptxas-driver/tests/pairs");
    let bytes = fs::read(folder.join("no_loc_but_folded.sm_100.lineinfo.cubin")).unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let table = cubin.mercury_symtab().unwrap();
    let functions: Vec<_> = (0..)
        .zip(cubin.symbols_of(table))
        .filter(|(_, symbol)| symbol.is_function() && symbol.section().is_some())
        .map(|(number, _)| SymbolIndex(number))
        .collect();
    let is_kernel = |symbol: &SymbolIndex| cubin.symbol_name_in(table, *symbol) == "k";
    assert_eq!((functions.len(), functions.iter().filter(|symbol| is_kernel(symbol)).count()), (2, 1));
    let records: Vec<_> = functions
        .iter()
        .map(|symbol| {
            let size: u32 = if is_kernel(symbol) { 0x30 } else { 0x10 };
            let value = [symbol.0.to_le_bytes(), size.to_le_bytes()].concat();
            Record { attribute: Attribute::FRAME_SIZE, value: Value::Sized(value.into()) }
        })
        .collect();
    let native = FrameOwners::of(&cubin).unwrap().sizes(&records);
    assert_eq!(native, functions.iter().map(|symbol| (*symbol, 0x30)).collect());
}

/// Attributes that no file of the corpus has, and every chip.
#[test]
fn what_the_corpus_lacks_comes_out_both_ways() {
    let Some(ptxas) = corpus::oracle("ptxas") else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let barriers = folder.join("tests/data/barriers.ptx");
    let images = folder.join("../cubin-debuginfo/tests/data/images.ptx");
    let mut counts = Counts::default();
    for ptx in [barriers, images] {
        of_every_chip(&ptxas, &ptx, &mut counts);
    }
    eprintln!("{counts:?}");
    for attribute in [Attribute::MBARRIER_INSTR_OFFSETS, Attribute::ANNOTATIONS, Attribute::KPARAM_INFO_V2] {
        assert!(counts.attributes.contains(&attribute), "{attribute}");
    }
    assert_eq!((counts.to_mercury, counts.to_native), (counts.sections, counts.sections));
}

/// Compiles a module for every chip and checks what comes.
fn of_every_chip(ptxas: &Path, ptx: &Path, counts: &mut Counts) {
    let name = ptx.file_stem().unwrap().to_str().unwrap();
    for chip in corpus::architectures::of(ptxas) {
        let number: u32 = chip.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
        if Release::V13_0.generation(number) < Generation::Mercury {
            continue;
        }
        for options in [&["-annotate"][..], &["-c"]] {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
            let source = folder.join(format!("info-{name}-{chip}{}.ptx", options[0]));
            let file = source.with_extension("cubin");
            let text = fs::read_to_string(ptx).unwrap().replace("sm_100", &chip);
            fs::write(&source, text).unwrap();
            let mut command = std::process::Command::new(ptxas);
            let command = command.arg(format!("-arch={chip}")).args(options).arg("-o").arg(&file);
            let output = command.arg(&source).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let bytes = fs::read(&file).unwrap();
            let cubin = Cubin::parse(&bytes).unwrap();
            check(&file, &cubin, counts);
            check_native_only(&file, &cubin);
        }
    }
}

/// Where the PTX line changes, the two line tables say what the lists say.
#[test]
fn lists_agree_with_the_line_tables() {
    let (mut same, mut other) = (0, Vec::new());
    each_capsule(|path, cubin| {
        let spaces = SectionPairs::of(cubin).unwrap();
        for CodeMap { native, map, .. } in code_maps(cubin).unwrap() {
            let native = nv_info::section_of(cubin, native).unwrap();
            let mercury = spaces.mercury_section(native).unwrap();
            let name = cubin.section_name(native);
            let (here, there) = (cubin.bytes(native).unwrap(), cubin.bytes(mercury).unwrap());
            let (here, there) =
                (nv_info::decode(name, &here).unwrap(), nv_info::decode(name, &there).unwrap());
            let instructions: HashMap<u64, u64> =
                map.of_instructions().iter().map(|pair| (pair.native, pair.mercury)).collect();
            for pair in listed_address_pairs(name, &here, &there).unwrap() {
                match instructions.get(&pair.native) {
                    Some(mercury) if *mercury == pair.mercury => same += 1,
                    Some(mercury) => {
                        other.push(format!("{} {name}: {pair:x?}, by lines {mercury:x}", path.display()));
                    }
                    None => {}
                }
            }
        }
    });
    eprintln!("{same} listed addresses are where the line tables have them");
    assert!(other.is_empty(), "{} are not: {:#?}", other.len(), &other[..other.len().min(9)]);
}
